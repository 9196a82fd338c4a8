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

// outside is the name of the field with the number of records in slices that were left out.
const outside = "outside_slices"

// Unmarshal reads JSON of statistics, as Append and protobuf write it. Integers become the nearest float64 in the messages: what
// they are in full is in the details, with which Append writes the same again. A field that statistics do not have is an error.
func Unmarshal(b []byte, list *pb.DatasetFeatureStatisticsList) (*stats.Details, error) {
	c := collector{stats.NewDetails()}
	messages, err := c.outsideSlices(b)
	if err != nil {
		return nil, err
	}
	if err := (protojson.UnmarshalOptions{Resolver: pbtext.Resolver{}}).Unmarshal(messages, list); err != nil {
		return nil, plain(err)
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

// outsideSlices takes the number of records in slices that were left out, if it is there, and returns the JSON of the messages.
func (c collector) outsideSlices(b []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if !bytes.Contains(b, []byte(`"`+outside+`"`)) || json.Unmarshal(b, &object) != nil || object[outside] == nil {
		return b, nil // errors are those of the messages
	}
	n, err := strconv.ParseUint(string(bytes.Trim(object[outside], `"`)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: want a whole number, got %.40s", outside, object[outside])
	}
	c.OutsideSlices = n
	delete(object, outside)
	return json.Marshal(object)
}

// plain is the error without the name of the library that found it, and without the spaces that differ
// from build to build.
func plain(err error) error {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return errors.New(strings.TrimSpace(strings.TrimPrefix(text, "proto:")))
}

// A collector fills in the details of messages from the JSON that they were read from.
type collector struct{ *stats.Details }

// message notes the integers that are not float64 numbers.
func (c collector) message(m protoreflect.Message, tree any) {
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
