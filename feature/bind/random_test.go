package bind_test

import (
	"bytes"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/bind"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

func sorted[T any](m map[string]T) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

// compile makes the codec of a random type.
func compile(t *testing.T, typ reflect.Type) bind.Untyped {
	t.Helper()
	codec, err := bind.Compile(typ)
	if err != nil {
		t.Fatalf("%v: %v", typ, err)
	}
	return codec
}

// checkRoundTrip encodes a random value and decodes it again. It returns the record, and the decoded struct.
func checkRoundTrip(t *testing.T, g *gen) (codec bind.Untyped, typ reflect.Type, record []byte, used reflect.Value) {
	t.Helper()
	typ = g.structType()
	codec = compile(t, typ)
	v, used := reflect.New(typ), reflect.New(typ)
	g.fill(v.Elem())
	g.fill(used.Elem())
	record, err := codec.Encode(v)
	if err != nil {
		t.Fatalf("%v\n%#v\nencoding: %v", typ, v.Elem(), err)
	}
	if again, err := codec.Encode(v); err != nil || !bytes.Equal(again, record) {
		t.Fatalf("%v\n%#v\nencoded %x\nand then %x, %v", typ, v.Elem(), record, again, err)
	}
	if _, err := codec.Encode(used); err != nil {
		t.Fatalf("%v\n%#v\nencoding: %v", typ, used.Elem(), err)
	}
	if err := checkDecode(t, codec, typ, record, used); err != nil {
		t.Fatalf("%v\n%#v\nencoded %x\ndecoding: %v", typ, v.Elem(), record, err)
	}
	want, got := map[key]any{}, map[key]any{}
	structLists(v.Elem(), feature.InFeatures, want)
	structLists(used.Elem(), feature.InFeatures, got)
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%v\nencoded %v\ndecoded %v", typ, want, got)
	}
	checkBytes(t, codec, typ, record)
	return codec, typ, record, used
}

// checkBytes compares a record with the one that the parser's columns are encoded to. Nil pointers are different:
// they are omitted, and columns cannot represent them.
func checkBytes(t *testing.T, codec bind.Untyped, typ reflect.Type, record []byte) {
	t.Helper()
	fields := map[key]reflect.Type{}
	types(typ, feature.InFeatures, fields)
	for _, f := range fields {
		if f.Kind() == reflect.Pointer {
			return
		}
	}
	b, err := codec.Parser().Parse(record)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.AppendRecord(nil, 0); err != nil || !bytes.Equal(again, record) {
		t.Fatalf("%v\nencoded   %x\nas columns %x, %v", typ, record, again, err)
	}
}

// checkAll is the common part of TestRandom and FuzzCodec.
func checkAll(t *testing.T, g *gen) (fits, misfits int) {
	codec, typ, record, used := checkRoundTrip(t, g)
	for range 4 {
		record := g.mutate(t, codec.Parser().Message(), record)
		if g.OneIn(8) && len(record) > 0 {
			record[g.N(len(record))] ^= 1 << g.N(8)
		}
		if checkDecode(t, codec, typ, record, used) == nil {
			fits++
		} else {
			misfits++
		}
	}
	return fits, misfits
}

// TestRandom checks random types, values and records.
func TestRandom(t *testing.T) {
	testkit.OneGoroutine(t)
	n := uint64(500)
	if testkit.Long(t, "3,000 types") {
		n = 3000
	}
	fits, misfits := 0, 0
	for seed := range n {
		f, m := checkAll(t, newGen(nil, seed))
		fits, misfits = fits+f, misfits+m
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if total := fits + misfits; fits < total/5 || misfits < total/5 {
		t.Errorf("%d records that fit, %d that do not: the generator is out of balance", fits, misfits)
	}
	t.Logf("%d records that fit, %d that do not", fits, misfits)
}

// FuzzCodec does the same with the choices of a fuzzer.
func FuzzCodec(f *testing.F) {
	for seed := range uint64(8) {
		f.Add([]byte{byte(seed)}, seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) { checkAll(t, newGen(data, seed)) })
}
