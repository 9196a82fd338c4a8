package example_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// Every error says in one line where it is, what was wanted and what was found.
func TestErrors(t *testing.T) {
	join := func(b ...[]byte) []byte { return bytes.Join(b, nil) }
	entry := func(fields ...[]byte) []byte { return field(1, field(1, join(fields...))) }
	list := func(body ...byte) []byte { return field(1, field(1, join(field(1, []byte("a")), field(2, body)))) }
	steps := func(body ...[]byte) []byte {
		return field(2, field(1, join(field(1, []byte("l")), field(2, join(body...)))))
	}
	key, value := field(1, []byte("a")), field(2, nil)
	eof, typ, amb := io.ErrUnexpectedEOF, example.ErrWireType, example.ErrAmbiguous
	for _, c := range []struct {
		sequence bool
		msg      []byte
		is       error
		want     string
	}{
		// The framing of an Example.
		{false, []byte{0x0a}, eof, `unexpected EOF at byte 0`},
		{false, []byte{0x0a, 0x05, 0x0a}, eof, `unexpected EOF at byte 0: want 5 bytes, got 1 left`},
		{false, []byte{0x3a, 0x80, 0x80, 0x80, 0x80, 0x10}, eof, `unexpected EOF at byte 0: want 4294967296 bytes, got 0 left`},
		{false, []byte{0x38, 0x80}, eof, `unexpected EOF at byte 0`},
		{false, []byte{0x02, 0x00}, typ, `unexpected wire type at byte 0: got illegal field number`},
		{false, []byte{0x3e}, typ, `unexpected wire type at byte 0: got illegal wire type`},
		{false, []byte{0x3c}, typ, `unexpected wire type at byte 0: got unbalanced group`},
		{false, bytes.Repeat([]byte{0x3b}, 10001), typ, `unexpected wire type at byte 0: got groups nested too deep`},
		{false, append([]byte{0x38}, bytes.Repeat([]byte{0xff}, 10)...), example.ErrOverflow, `varint overflow at byte 0: want at most 64 bits`},
		{false, []byte{0x8a, 0x00, 0x00}, amb, `ambiguous encoding at byte 0: want a tag of one byte, got a padded tag, which TensorFlow skips with its content`},
		{false, field(1, []byte{0x08, 0x01}), typ, `unexpected wire type at byte 2: want map entry as LEN, got VARINT`},
		{false, field(1, []byte{0x0a, 0x03, 0x00}), eof, `unexpected EOF at byte 2: want 3 bytes, got 1 left`},
		{false, entry(), example.ErrEntry, `map entry is not one key and one value at byte 2: got 0 keys, 0 values`},
		{false, entry(key), example.ErrEntry, `feature "a": map entry is not one key and one value at byte 2: got 1 keys, 0 values`},
		{false, entry(value, value), example.ErrEntry, `map entry is not one key and one value at byte 2: got 0 keys, 2 values`},
		{false, entry(key, key, value), example.ErrEntry, `feature "a": map entry is not one key and one value at byte 2: got 2 keys, 1 values`},
		{false, entry([]byte{0x08, 0x61}, value), typ, `unexpected wire type at byte 4: want key as LEN, got VARINT`},
		{false, entry(key, []byte{0x15, 1, 2, 3, 4}), typ, `feature "a": unexpected wire type at byte 7: want value as LEN, got I32`},
		{false, entry(key, []byte{0x12, 0x09}), eof, `feature "a": unexpected EOF at byte 7: want 9 bytes, got 0 left`},
		// The content of a Feature, which begins at byte 9.
		{false, list(0x1a), eof, `feature "a": unexpected EOF at byte 9`},
		{false, list(0x1a, 0x09), eof, `feature "a": unexpected EOF at byte 9: want 9 bytes, got 0 left`},
		{false, list(0x18, 0x01), typ, `feature "a": unexpected wire type at byte 9: want int64_list as LEN, got VARINT`},
		{false, list(0x1a, 0x02, 0x0a, 0x05), eof, `feature "a": unexpected EOF at byte 11: want 5 bytes, got 0 left`},
		{false, list(0x1a, 0x03, 0x0a, 0x01, 0x80), eof, `feature "a": unexpected EOF at byte 13`},
		{false, list(append([]byte{0x1a, 0x0d, 0x0a, 0x0b, 0x05}, append(bytes.Repeat([]byte{0xff}, 9), 0x02)...)...), example.ErrOverflow, `feature "a": varint overflow at byte 14: want at most 64 bits`},
		{false, list(0x12, 0x03, 0x0a, 0x01, 0x00), example.ErrPacked, `feature "a": packed floats end inside a value at byte 11: want a multiple of 4 bytes, got 1`},
		{false, list(0x12, 0x02, 0x08, 0x01), typ, `feature "a": unexpected wire type at byte 11: want value as I32 or LEN, got VARINT`},
		{false, list(0x1a, 0x05, 0x0d, 1, 2, 3, 4), typ, `feature "a": unexpected wire type at byte 11: want value as VARINT or LEN, got I32`},
		{false, list(0x0a, 0x02, 0x08, 0x01), typ, `feature "a": unexpected wire type at byte 11: want value as LEN, got VARINT`},
		{false, list(0x1a, 0x06, 0x0a, 0x01, 0x01, 0x0a, 0x01, 0x02), amb, `feature "a": ambiguous encoding at byte 14: want one list in one piece, got more; TensorFlow reads the first`},
		{false, list(0x1a, 0x02, 0x08, 0x01, 0x12, 0x00), amb, `feature "a": ambiguous encoding at byte 13: want one list in one piece, got more; TensorFlow reads the first`},
		{false, list(0x22, 0x00, 0x1a, 0x00, 0x12, 0x00), amb, `feature "a": ambiguous encoding at byte 13: want int64_list alone, got float_list`},
		{false, join(list(0x1a, 0x00), list()), amb, `feature "a": ambiguous encoding at byte 20: got a feature without kind after one with a kind`},
		{false, join(list(0x99), list(0x1a, 0x00)), eof, `feature "a": unexpected EOF at byte 9`},
		// A SequenceExample.
		{true, []byte{0x92, 0x00, 0x00}, amb, `feature_lists: ambiguous encoding at byte 0: want a tag of one byte, got a padded tag, which TensorFlow skips with its content`},
		{true, entry(key), example.ErrEntry, `context: feature "a": map entry is not one key and one value at byte 2: got 1 keys, 0 values`},
		{true, list(0x1a), eof, `context: feature "a": unexpected EOF at byte 9`},
		{true, field(2, []byte{0x0a, 0x00}), example.ErrEntry, `feature_lists: map entry is not one key and one value at byte 2: got 0 keys, 0 values`},
		{true, steps([]byte{0x08, 0x01}), typ, `feature_lists: feature "l": step 0: unexpected wire type at byte 9: want step as LEN, got VARINT`},
		{true, steps(field(1, nil), []byte{0x0a, 0x04}), eof, `feature_lists: feature "l": step 1: unexpected EOF at byte 11: want 4 bytes, got 0 left`},
		{true, steps(field(1, nil), field(1, []byte{0x1a})), eof, `feature_lists: feature "l": step 1: unexpected EOF at byte 13`},
		{true, steps(field(1, []byte{0x0a, 0x00, 0x0a, 0x00})), amb, `feature_lists: feature "l": step 0: ambiguous encoding at byte 13: want the end of the step, got bytes that TensorFlow may read as another step`},
		{true, join(steps(field(1, []byte{0x99})), steps()), eof, `feature_lists: feature "l": step 0: unexpected EOF at byte 11`},
	} {
		var e example.Example
		var s example.Sequence
		var owned, validate error
		if c.sequence {
			owned, validate = s.UnmarshalBinary(c.msg), example.TypeSequence.Validate(c.msg)
		} else {
			owned, validate = e.UnmarshalBinary(c.msg), example.TypeExample.Validate(c.msg)
		}
		for _, err := range []error{owned, validate} {
			if !errors.Is(err, c.is) || err.Error() != "example: "+c.want {
				t.Errorf("% x:\ngot  %v\nwant example: %s", c.msg[:min(len(c.msg), 40)], err, c.want)
			}
			var e *example.Error
			if !errors.As(err, &e) || e.Err != c.is {
				t.Errorf("% x: %#v", c.msg, err)
			}
		}
		if e != nil || s.Context != nil || s.Lists != nil {
			t.Errorf("% x: something was unmarshalled: %v, %v", c.msg, e, s)
		}
	}
}

func TestKindError(t *testing.T) {
	msg := messageOf(1, "a", []byte{0x1a, 0x03, 0x0a, 0x01, 0x05})
	f, _, err := example.TypeExample.Lookup(msg, "a")
	if err != nil {
		t.Fatal(err)
	}
	floats, err1 := f.AppendFloats([]float32{1})
	blobs, err2 := f.AppendBytes([][]byte{nil})
	for want, err := range map[string]error{"float_list": err1, "bytes_list": err2} {
		if !errors.Is(err, example.ErrKind) || err.Error() != fmt.Sprintf("example: feature holds another kind at byte 9: want %s, got int64_list", want) {
			t.Error(err)
		}
	}
	if len(floats) != 1 || len(blobs) != 1 {
		t.Errorf("%v, %v: dst is not as it came", floats, blobs)
	}
	for k, text := range map[example.Kind]string{example.Unset: "no kind", example.BytesList: "bytes_list", example.FloatList: "float_list", example.Int64List: "int64_list", example.Malformed: "malformed"} {
		if k.String() != text {
			t.Errorf("%d is %q", k, k)
		}
	}
}
