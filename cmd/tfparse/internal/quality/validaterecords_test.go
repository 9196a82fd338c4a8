package quality

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
)

// TestBadRecordError checks that the error of a malformed feature contains the feature and the step.
func TestBadRecordError(t *testing.T) {
	feature := []byte{0x1a, 3, 0x0a, 1, 0x80} // an Int64List that ends inside a varint
	entry := func(value []byte) []byte {
		e := append([]byte{0x0a, 1, 'a', 0x12, byte(len(value))}, value...)
		return append([]byte{0x0a, byte(len(e))}, e...)
	}
	list := append([]byte{0x0a, byte(len(feature))}, feature...)
	a := func() *metadatapb.Feature {
		return &metadatapb.Feature{Name: proto.String("a"), Type: metadatapb.FeatureType_INT.Enum()}
	}
	schema := &metadatapb.Schema{Feature: []*metadatapb.Feature{a(), {
		Name: proto.String("##SEQUENCE##"), DomainInfo: &metadatapb.Feature_StructDomain{StructDomain: &metadatapb.StructDomain{Feature: []*metadatapb.Feature{a()}}},
	}}}
	for want, c := range map[string]struct {
		field byte
		value []byte
		typ   example.MessageType
	}{
		`feature "a": unexpected EOF`:                      {1, feature, example.TypeExample},
		`feature "##SEQUENCE##.a": step 0: unexpected EOF`: {2, list, example.TypeSequence},
	} {
		m := entry(c.value)
		msg := append([]byte{c.field<<3 | 2, byte(len(m))}, m...)
		checker, err := record.NewChecker(schema, &record.Options{Message: c.typ})
		if err != nil {
			t.Fatal(err)
		}
		found := checker.Check(msg)
		if len(found) != 1 || !strings.Contains(badRecordError(found[0]).Error(), want) {
			t.Errorf("%v: %v, want %s", c.typ, found, want)
		}
	}
}
