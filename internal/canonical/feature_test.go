package canonical_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
)

// scanned returns a message of one feature, and the place of the feature in it.
func scanned(t *testing.T, f []byte) (msg []byte, i int, view example.Feature) {
	t.Helper()
	entry := append(wire.AppendHeader([]byte{canonical.Tag1, 1, 'k'}, 2, int64(len(f))), f...)
	body := append(wire.AppendHeader(nil, 1, int64(len(entry))), entry...)
	msg = append(wire.AppendHeader(nil, 1, int64(len(body))), body...)
	s := example.TypeExample.Scan(msg)
	if !s.Next() {
		t.Fatal(s.Err())
	}
	return msg, len(msg) - len(f), s.Feature()
}

// check compares all results for a Feature with those of package example: a canonical Feature must have the same
// values there. It returns whether the Feature is canonical.
func check(t *testing.T, f []byte) (any bool) {
	t.Helper()
	b, i, view := scanned(t, f)
	say := func(what string, ok, same bool, err error) {
		any = any || ok
		if ok && (err != nil || !same) {
			t.Fatalf("%s of % x is said to be canonical: %v", what, f, err)
		}
	}
	wantInts, err := view.AppendInt64s(nil)
	ints, ok := canonical.AppendInt64s(nil, b, i)
	say("int64s", ok, slices.Equal(ints, wantInts), err)
	x, ok := canonical.Int64(b, i)
	say("int64", ok, slices.Equal([]int64{x}, wantInts), err)

	wantFloats, err := view.AppendFloats(nil)
	floats, ok := canonical.AppendFloats(nil, b, i)
	say("floats", ok, slices.EqualFunc(floats, wantFloats, sameBits), err)
	y, ok := canonical.Float(b, i)
	say("float", ok, slices.EqualFunc([]float32{y}, wantFloats, sameBits), err)

	wantBytes, err := view.AppendBytes(nil)
	z, ok := canonical.Bytes(b, i)
	say("bytes", ok, slices.EqualFunc([][]byte{z}, wantBytes, bytes.Equal), err)
	lo, ok := canonical.List(b, i)
	var list [][]byte
	for ok && lo < len(b) {
		var start, end int
		if start, end, ok = canonical.Message(b, lo, canonical.Tag1); ok {
			list = append(list, b[start:end])
			lo = end
		}
	}
	say("list of bytes", ok, slices.EqualFunc(list, wantBytes, bytes.Equal), err)
	return any
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

func values(r *rand.Rand) []example.Value {
	n := r.IntN(4)
	if r.IntN(5) == 0 {
		n = r.IntN(80)
	}
	ints, floats, texts := make([]int64, n), make([]float32, n), make([]string, n)
	for i := range n {
		ints[i], floats[i] = int64(r.Uint64()>>r.IntN(64)), r.Float32()
		texts[i] = string(bytes.Repeat([]byte{'x'}, r.IntN(1<<r.IntN(9))))
	}
	return []example.Value{example.Int64s(ints...), example.Floats(floats...), example.Strings(texts...), {}}
}

// encoded returns a value as common writers encode it.
func encoded(t *testing.T, v example.Value) []byte {
	t.Helper()
	msg, err := example.Example{"k": v}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	s := example.TypeExample.Scan(msg)
	s.Next()
	return s.Feature().Raw()
}

// TestCanonical reads the output of common writers, and does not misread damaged bytes.
func TestCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for range testkit.Rounds(3000) {
		for _, v := range values(r) {
			f := slices.Clone(encoded(t, v))
			if !check(t, f) {
				t.Fatalf("% x is not canonical", f)
			}
			b, i, _ := scanned(t, f)
			_, one := canonical.Int64(b, i)
			_, oneFloat := canonical.Float(b, i)
			_, oneText := canonical.Bytes(b, i)
			if (one || oneFloat || oneText) != (v.Len() == 1) {
				t.Fatalf("% x of %d values is read as one: %t, %t, %t", f, v.Len(), one, oneFloat, oneText)
			}
			if len(f) > 0 {
				f[r.IntN(min(len(f), 6))] ^= 1 << r.IntN(8)
				check(t, f)
				check(t, f[:r.IntN(len(f))])
			}
		}
	}
}

// TestNotCanonical has forms that are not canonical, and padded lengths, which may be canonical.
func TestNotCanonical(t *testing.T) {
	for _, f := range []string{
		"\x0a\x80\x80\x00", "\x1a\x80\x80\x00", "\x12\x80\x80\x00", "\x0a\x83\x00\x0a\x01x", "\x0a\x82\x80\x00\x0a\x00", "\x0a\x81\x00\x0a",
		"\x1a\x02\x08\x01", "\x1a\x04\x08\x01\x08\x02", "\x12\x05\x0d\x00\x00\x80\x3f", "\x1a\x03\x0a\x01\x01\x1a\x00", "\x1a\x03\x0a\x01\x80",
		"\x1a\x04\x0a\x02\x80\x80", "\x1a\x04\x0a\x02\x01\x02", "\x1a\x0c\x0a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x1a\x0c\x0a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"\x1a\x0d\x0a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", "\x12\x05\x0a\x03abc", "\x12\x07\x0a\x05abcde", "\x0a\x03\x0a\x01", "\x22\x00", "\x0a\x04\x0a\x00\x0a\x00",
	} {
		check(t, []byte(f))
	}
}

func FuzzCanonical(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 8))
	for range 8 {
		for _, v := range values(r) {
			msg, err := example.Example{"k": v}.MarshalBinary()
			if err != nil {
				f.Fatal(err)
			}
			s := example.TypeExample.Scan(msg)
			s.Next()
			f.Add(s.Feature().Raw())
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}
