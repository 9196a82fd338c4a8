package statjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// outsideField is the JSON member with the number of records in slices that were left out.
const outsideField = "outside_slices"

// Unmarshal reads the JSON form of statistics, as written by Append or protobuf. Integers in fields of type double
// become the nearest float64 in the messages. The details have the exact integers, so that Append writes the same
// again. Unknown fields are an error.
func Unmarshal(b []byte, list *pb.DatasetFeatureStatisticsList) (*stats.Details, error) {
	c := detailsReader{stats.NewDetails()}
	messages, err := c.outsideSlices(b)
	if err != nil {
		return nil, err
	}
	if err := (protojson.UnmarshalOptions{Resolver: pbtext.Resolver{}}).Unmarshal(messages, list); err != nil {
		return nil, libraryError(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	c.message(list.ProtoReflect(), tree)
	return c.Details, nil
}

// outsideSlices reads the member "outside_slices", and returns the JSON without it.
func (c detailsReader) outsideSlices(b []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if !bytes.Contains(b, []byte(`"`+outsideField+`"`)) || json.Unmarshal(b, &object) != nil || object[outsideField] == nil {
		return b, nil // the caller reports errors in the JSON
	}
	n, err := strconv.ParseUint(string(bytes.Trim(object[outsideField], `"`)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: want a whole number, got %.40s", outsideField, object[outsideField])
	}
	c.OutsideSlices = n
	delete(object, outsideField)
	return json.Marshal(object)
}

// libraryError returns an error of package protojson without the name of the library, and without the spaces that vary
// between builds.
func libraryError(err error) error {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return errors.New(strings.TrimSpace(strings.TrimPrefix(text, "proto:")))
}

// A detailsReader reads the details of messages from their JSON form.
type detailsReader struct{ *stats.Details }

// message collects the integers of m that are not exact in float64.
func (c detailsReader) message(m protoreflect.Message, tree any) {
	object, _ := tree.(map[string]any)
	fields := m.Descriptor().Fields()
	for key, value := range object {
		f := fields.ByTextName(key)
		if f == nil {
			f = fields.ByJSONName(key)
		}
		switch {
		case f == nil:
		case f.Kind() == protoreflect.DoubleKind && !f.IsList():
			number, _ := value.(json.Number)
			if v, err := number.Int64(); err == nil && (v >= 1<<53 || v <= -1<<53) {
				c.Integers[stats.Figure{Message: m.Interface(), Field: string(f.Name())}] = v
			}
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			list, _ := value.([]any)
			for i := range min(len(list), m.Get(f).List().Len()) {
				c.message(m.Get(f).List().Get(i).Message(), list[i])
			}
		default:
			c.message(m.Get(f).Message(), value)
		}
	}
}
