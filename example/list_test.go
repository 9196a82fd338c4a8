package example_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tfparse/tfparse/example"
)

func TestScanExamples(t *testing.T) {
	one, two := messageOf(1, "a", nil), messageOf(1, "b", []byte{0x1a, 0x00})
	ctx := messageOf(1, "q", nil)
	unknown := []byte{0x3a, 0x01, 'x', 0x0b, 0x0c, 0x10, 0x05, 0x08, 0x07}
	for name, msg := range map[string][]byte{
		"as written":                   append(append(field(1, one), field(1, two)...), field(2, ctx)...),
		"context first":                append(append(field(2, ctx), field(1, one)...), field(1, two)...),
		"context between":              append(append(field(1, one), field(2, ctx)...), field(1, two)...),
		"unknown fields, wrong types":  append(append(append(unknown[:len(unknown):len(unknown)], field(1, one)...), append(unknown[:len(unknown):len(unknown)], field(1, two)...)...), field(2, ctx)...),
		"padded tags, as TensorFlow's": append(append([]byte{0x8a, 0x00, byte(len(one))}, one...), append(field(1, two), append([]byte{0x92, 0x00, byte(len(ctx))}, ctx...)...)...),
	} {
		var got []string
		s := example.ScanExamples(msg)
		for s.Next() {
			if s.Index() != len(got) || string(msg[s.Offset():][:len(s.Example())]) != string(s.Example()) {
				t.Errorf("%s: example %d at %d", name, s.Index(), s.Offset())
			}
			got = append(got, string(s.Example()))
		}
		if s.Err() != nil || len(got) != 2 || got[0] != string(one) || got[1] != string(two) {
			t.Errorf("%s: %q, %v", name, got, s.Err())
		}
		c, ok := s.Context()
		if !ok || string(c) != string(ctx) {
			t.Errorf("%s: context %q, %v", name, c, ok)
		}
		want, err1 := example.TypeExample.Collect(nil, ctx)
		got2, err2 := example.TypeExampleList.Collect(nil, msg)
		if err1 != nil || err2 != nil || len(want) != 1 || len(got2) != 1 ||
			string(got2[0].Name) != string(want[0].Name) || string(got2[0].Feature.Raw()) != string(want[0].Feature.Raw()) ||
			got2[0].Feature.Offset() != s.ContextOffset()+want[0].Feature.Offset() {
			t.Errorf("%s: collected %v, %v; want %v, %v", name, got2, err2, want, err1)
		}
		if err := example.TypeExampleList.Validate(msg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := example.TypeExampleList.Collect(nil, field(1, one)); len(c) > 0 || err != nil {
		t.Errorf("no context: %v, %v", c, err)
	}
}

// Only the three messages have features.
func TestScanOtherTypes(t *testing.T) {
	for _, typ := range []example.MessageType{example.TypeRaw, example.TypeAuto, 9} {
		want := "example: no message with features: got message type " + typ.String()
		s := typ.Scan([]byte("x"))
		if s.Next() || fmt.Sprint(s.Err()) != want {
			t.Errorf("%v: %v; want %s", typ, s.Err(), want)
		}
		if _, _, err := typ.Lookup(nil, "a"); fmt.Sprint(err) != want {
			t.Errorf("%v: %v; want %s", typ, err, want)
		}
	}
}

// TensorFlow's decode_proto keeps the last context, protobuf merges them.
func TestSecondContext(t *testing.T) {
	msg := append(field(2, messageOf(1, "a", nil)), field(2, messageOf(1, "b", nil))...)
	_, err := example.TypeExampleList.Collect(nil, msg)
	var l example.ExampleList
	for _, err := range []error{err, example.TypeExampleList.Validate(msg), l.UnmarshalBinary(msg)} {
		if !errors.Is(err, example.ErrAmbiguous) {
			t.Errorf("%v", err)
		}
	}
}

func TestListFaults(t *testing.T) {
	good := field(1, messageOf(1, "a", nil))
	for _, c := range []struct {
		msg  []byte
		want string
		is   error
	}{
		{append(good[:len(good):len(good)], 0x02, 0x00), "example: unexpected wire type at byte 11: got illegal field number", example.ErrWireType},
		{append(good[:len(good):len(good)], 0x12, 0x05, 0x0a), "example: unexpected EOF at byte 11: want 5 bytes, got 1 left", io.ErrUnexpectedEOF},
		{append(good[:len(good):len(good)], field(1, messageOf(1, "k", []byte{0x1a, 0x02, 0x0a, 0x01}))...),
			`example: examples[1]: feature "k": unexpected EOF at byte 24: want 1 bytes, got 0 left`, io.ErrUnexpectedEOF},
		{append(good[:len(good):len(good)], field(2, messageOf(1, "k", []byte{0x1a, 0x02, 0x0a, 0x01}))...),
			`example: context: feature "k": unexpected EOF at byte 24: want 1 bytes, got 0 left`, io.ErrUnexpectedEOF},
	} {
		err := example.TypeExampleList.Validate(c.msg)
		if !errors.Is(err, c.is) || err.Error() != c.want {
			t.Errorf("% x:\ngot  %v\nwant %s", c.msg, err, c.want)
		}
	}
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
		if got, ok := example.Detect(c.records); got != c.want || ok != (c.want != 0) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
}

func TestMessageTypeText(t *testing.T) {
	for typ, text := range map[example.MessageType]string{example.TypeExample: "example", example.TypeSequence: "sequence", example.TypeExampleList: "elwc", example.TypeAuto: "auto", example.TypeRaw: "raw"} {
		b, err := typ.MarshalText()
		var back example.MessageType
		if err != nil || string(b) != text || typ.String() != text || back.UnmarshalText(b) != nil || back != typ {
			t.Errorf("%v: %q, %v, %v", typ, b, err, back)
		}
	}
	none := example.TypeRaw + 1
	if b, err := none.MarshalText(); err == nil {
		t.Errorf("a type that is none has the text %q", b)
	}
	var auto example.MessageType
	if err := auto.Validate(nil); err == nil || auto.UnmarshalText([]byte("tfrecord")) == nil || auto != example.TypeAuto {
		t.Errorf("%v, %v", err, auto)
	}
	if err := example.TypeRaw.Validate([]byte("any bytes")); err != nil {
		t.Error(err)
	}
}
