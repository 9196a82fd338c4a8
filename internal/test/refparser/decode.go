package refparser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/examplepb"
)

// Classes of errors. ErrBytes is everything that is wrong with the encoding,
// ambiguity included.
var (
	ErrBytes     = errors.New("bytes")
	ErrKind      = errors.New("kind")
	ErrMissing   = errors.New("missing")
	ErrCount     = errors.New("count")
	ErrPartition = errors.New("partition")
	ErrSteps     = errors.New("steps")
	ErrIndex     = errors.New("index")
)

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBytes, fmt.Sprintf(format, args...))
}

// A field is one field of a message as it stands on the wire.
type field struct {
	num    protowire.Number
	typ    protowire.Type
	body   []byte // of a length-delimited field
	padded bool   // the tag is longer than it need be
	end    int    // where the next field begins
}

// split reads the fields of a message. If they are not sound it returns those before
// the fault, too.
func split(b []byte) (fs []field, err error) {
	for at := 0; at < len(b); {
		num, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return fs, bad("tag: %v", protowire.ParseError(n))
		}
		m := protowire.ConsumeFieldValue(num, typ, b[at+n:])
		if m < 0 {
			return fs, bad("field %d: %v", num, protowire.ParseError(m))
		}
		if !numbered(b[at : at+n+m]) {
			return fs, bad("field %d: illegal field number", num)
		}
		f := field{num: num, typ: typ, end: at + n + m}
		f.padded = n > protowire.SizeVarint(protowire.EncodeTag(num, typ))
		if typ == protowire.BytesType {
			f.body, _ = protowire.ConsumeBytes(b[at+n:])
		}
		fs = append(fs, f)
		at = f.end
	}
	return fs, nil
}

// numbered reports whether the number of a sound field is legal, and those of the fields in
// it, if it is a group: protowire leaves that to its callers.
func numbered(b []byte) bool {
	num, typ, n := protowire.ConsumeTag(b)
	if num > protowire.MaxValidNumber {
		return false
	}
	if typ != protowire.StartGroupType {
		return true
	}
	for {
		b = b[n:]
		inner, typ, tag := protowire.ConsumeTag(b)
		if typ == protowire.EndGroupType {
			return inner == num // the end of this group: it is sound
		}
		if !numbered(b) {
			return false
		}
		n = tag + protowire.ConsumeFieldValue(inner, typ, b[tag:])
	}
}

// A message is the maps of an Example (features only) or a SequenceExample: what
// every key holds, in wire order.
type message struct {
	features, lists map[string][][]byte
}

func decodeMessage(b []byte, sequence bool) (message, error) {
	m := message{map[string][][]byte{}, map[string][][]byte{}}
	fs, err := split(b)
	if err != nil {
		return m, err
	}
	for _, f := range fs {
		var into map[string][][]byte
		switch {
		case f.typ != protowire.BytesType:
			continue
		case f.num == 1:
			into = m.features
		case f.num == 2 && sequence:
			into = m.lists
		default:
			continue
		}
		if f.padded {
			return m, bad("TensorFlow loses a top-level field whose tag is padded")
		}
		if err := decodeEntries(f.body, into); err != nil {
			return m, err
		}
	}
	return m, nil
}

func decodeEntries(b []byte, into map[string][][]byte) error {
	entries, err := split(b)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.num != 1 {
			continue
		}
		if e.typ != protowire.BytesType {
			return bad("an entry of another wire type")
		}
		fs, err := split(e.body)
		if err != nil {
			return err
		}
		var keys, values [][]byte
		for _, f := range fs {
			switch {
			case f.num > 2:
			case f.typ != protowire.BytesType:
				return bad("a key or value of another wire type")
			case f.num == 1:
				keys = append(keys, f.body)
			default:
				values = append(values, f.body)
			}
		}
		if len(keys) != 1 || len(values) != 1 {
			return bad("an entry of %d keys and %d values", len(keys), len(values))
		}
		into[string(keys[0])] = append(into[string(keys[0])], values[0])
	}
	return nil
}

// A list is what a Feature holds: []int64, []float32, [][]byte, or nil for no kind.
type list any

func kindOf(l list) protowire.Number {
	switch l.(type) {
	case [][]byte:
		return 1
	case []float32:
		return 2
	case []int64:
		return 3
	}
	return 0
}

func length(l list) int {
	switch l := l.(type) {
	case [][]byte:
		return len(l)
	case []float32:
		return len(l)
	case []int64:
		return len(l)
	}
	return 0
}

func equal(a, b list) bool {
	switch a := a.(type) {
	case [][]byte:
		b, ok := b.([][]byte)
		return ok && slices.EqualFunc(a, b, bytes.Equal)
	case []float32:
		b, ok := b.([]float32)
		return ok && slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
	case []int64:
		b, ok := b.([]int64)
		return ok && slices.Equal(a, b)
	}
	return b == nil
}

// conforming reads a Feature as protobuf-go does. dropped reports that something known
// is not in the result: a field of another wire type, or another kind.
func conforming(b []byte) (l list, dropped bool, err error) {
	var f examplepb.Feature
	if err := proto.Unmarshal(b, &f); err != nil {
		return nil, false, bad("%v", err)
	}
	fs, err := split(b)
	if err != nil {
		return nil, false, err
	}
	kinds := map[protowire.Number]bool{}
	for _, x := range fs {
		if x.num > 3 {
			continue
		}
		if x.typ != protowire.BytesType {
			dropped = true
			continue
		}
		kinds[x.num] = true
		values, err := split(x.body)
		if err != nil {
			return nil, false, err
		}
		for _, v := range values {
			ok := v.typ == protowire.BytesType || x.num == 2 && v.typ == protowire.Fixed32Type || x.num == 3 && v.typ == protowire.VarintType
			dropped = dropped || v.num == 1 && !ok
		}
	}
	dropped = dropped || len(kinds) > 1
	switch k := f.GetKind().(type) {
	case *examplepb.Feature_BytesList:
		l = append([][]byte{}, k.BytesList.GetValue()...)
	case *examplepb.Feature_FloatList:
		l = append([]float32{}, k.FloatList.GetValue()...)
	case *examplepb.Feature_Int64List:
		l = append([]int64{}, k.Int64List.GetValue()...)
	}
	return l, dropped, nil
}

// tensorflow reads a sound Feature as TensorFlow does: the first list, and of a
// packed list the first chunk. rest is what it did not look at.
func tensorflow(b []byte) (l list, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, true
	}
	if b[0] != 0x0A && b[0] != 0x12 && b[0] != 0x1A {
		return nil, nil, false
	}
	kind := protowire.Number(b[0] >> 3)
	body, n := protowire.ConsumeBytes(b[1:])
	rest = b[1+n:]
	if kind != 1 && len(body) > 0 && body[0] == 0x0A {
		chunk, n := protowire.ConsumeBytes(body[1:])
		after := append(slices.Clone(body[1+n:]), rest...)
		if kind == 2 {
			return floats(chunk), after, true
		}
		return varints(chunk), after, true
	}
	want := map[protowire.Number]byte{1: 0x0A, 2: 0x0D, 3: 0x08}[kind]
	values, _ := split(body)
	at := 0
	bytes, fs, is := [][]byte{}, []float32{}, []int64{}
	for _, v := range values {
		if body[at] != want {
			return nil, nil, false
		}
		raw := body[at+1 : v.end]
		switch kind {
		case 1:
			bytes = append(bytes, v.body)
		case 2:
			fs = append(fs, floats(raw)...)
		case 3:
			is = append(is, varints(raw)...)
		}
		at = v.end
	}
	return map[protowire.Number]list{1: bytes, 2: fs, 3: is}[kind], rest, true
}

func floats(b []byte) []float32 {
	out := []float32{}
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return out
}

func varints(b []byte) []int64 {
	out := []int64{}
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			break
		}
		out = append(out, int64(v))
		b = b[n:]
	}
	return out
}

// resolve decides what a Feature holds: what both decoders read; what one reads if
// nothing is lost; nothing if they differ.
func resolve(b []byte, step bool) (list, error) {
	ours, dropped, err := conforming(b)
	if err != nil {
		return nil, err
	}
	theirs, rest, ok := tensorflow(b)
	if !ok {
		if dropped {
			return nil, bad("a value would be dropped")
		}
		return ours, nil
	}
	if !equal(ours, theirs) {
		return nil, bad("decoders read different values")
	}
	if step && len(rest) > 0 {
		if rest[0] == 0x0A {
			return nil, bad("what follows may be read as another step")
		}
		if dropped {
			return nil, bad("a value would be dropped")
		}
	}
	return ours, nil
}

// last decides which of the features under one key counts.
func last(seen [][]byte, sequence bool) (list, error) {
	hadKind := false
	for _, b := range seen[:len(seen)-1] {
		l, _, err := conforming(b)
		if err != nil {
			return nil, err
		}
		hadKind = hadKind || l != nil
	}
	l, err := resolve(seen[len(seen)-1], false)
	if err == nil && l == nil && hadKind && !sequence {
		err = bad("the last of several entries has no kind, an earlier one has")
	}
	return l, err
}
