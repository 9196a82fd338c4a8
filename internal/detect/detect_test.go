package detect

import (
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// field is a LEN field.
func field(number int32, body []byte) []byte {
	return append(wire.AppendHeader(nil, number, int64(len(body))), body...)
}

// messageOf is a message whose map in a field has one entry.
func messageOf(number int32, name string, value []byte) []byte {
	return field(number, field(1, append(field(1, []byte(name)), field(2, value)...)))
}

func TestDetect(t *testing.T) {
	ex := messageOf(1, "a", []byte{0x1a, 0x00})
	seq := append(messageOf(1, "c", nil), messageOf(2, "l", field(1, nil))...)
	list := append(field(1, ex), field(2, ex)...)
	unknown := []byte{0x3a, 0x00}
	bad := []byte("hello, world")
	for _, c := range []struct {
		name    string
		records [][]byte
		want    example.MessageType
	}{
		{"nothing", nil, example.TypeExample},
		{"an empty record", [][]byte{{}}, example.TypeExample},
		{"Examples", [][]byte{ex, ex}, example.TypeExample},
		{"SequenceExamples", [][]byte{seq, seq}, example.TypeSequence},
		{"a SequenceExample with a context alone, then one with lists", [][]byte{ex, seq}, example.TypeSequence},
		{"lists", [][]byte{list, list}, example.TypeExampleList},
		{"lists without context", [][]byte{field(1, ex)}, example.TypeExampleList},
		{"an empty list, then a list", [][]byte{{}, list}, example.TypeExampleList},
		{"Examples with an unknown field", [][]byte{ex, append(ex[:len(ex):len(ex)], unknown...)}, example.TypeExample},
		{"lists with an unknown field", [][]byte{append(list[:len(list):len(list)], unknown...)}, example.TypeExampleList},
		{"SequenceExamples with an unknown field", [][]byte{append(seq[:len(seq):len(seq)], unknown...)}, example.TypeSequence},
		{"SequenceExamples that are bad in their lists are no Examples", [][]byte{messageOf(2, "l", []byte{0x99})}, 0},
		{"Examples with an unknown field in the map entries", [][]byte{field(1, field(1, append(field(1, []byte("a")), 0x12, 0x02, 0x1a, 0x00, 0x18, 0x01)))}, example.TypeExample},
		{"features without kind", [][]byte{messageOf(1, "a", nil)}, example.TypeExample},
		{"feature lists without steps", [][]byte{messageOf(2, "a", nil)}, example.TypeSequence},
		{"a list with a context alone", [][]byte{field(2, messageOf(1, "a", nil))}, example.TypeExampleList},
		{"messages without features", [][]byte{{0x0a, 0x00}, {}}, example.TypeExample},
		{"messages without features, in which feature lists could be", [][]byte{{0x0a, 0x00, 0x12, 0x00}}, example.TypeSequence},
		{"examples without features", [][]byte{field(1, []byte{0x0a, 0x00})}, example.TypeExampleList},
		{"unknown fields only", [][]byte{unknown}, 0},
		{"unknown fields inside of known ones", [][]byte{field(1, unknown), field(2, unknown)}, 0},
		{"empty records, and unknown fields", [][]byte{{}, unknown}, 0},
		{"an Example, then unknown fields", [][]byte{ex, unknown}, example.TypeExample},
		{"text", [][]byte{bad}, 0},
		{"an Example, then text", [][]byte{ex, bad}, 0},
		{"an Example, then a list", [][]byte{ex, list}, 0},
	} {
		if got, ok := Detect(c.records); got != c.want || ok != (c.want != 0) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
}

// TestMostLikely has a record that is cut off.
func TestMostLikely(t *testing.T) {
	sound, err := example.Example{"a": example.Int64s(1)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	records := [][]byte{sound, sound[:len(sound)-1]}
	if got, ok := Detect(records); ok {
		t.Errorf("all records are %v", got)
	}
	if got, ok := MostLikely(records); !ok || got != example.TypeExample {
		t.Errorf("%v, %v", got, ok)
	}
}
