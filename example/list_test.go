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

// Only three message types have features.
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
