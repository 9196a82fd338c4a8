package bind_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// sharedType makes a struct type whose fields share a few keys.
func (g *gen) sharedType() reflect.Type {
	fields := func(steps bool) reflect.Type {
		var fs []reflect.StructField
		for i := range 2 + g.N(3) {
			t := reflect.TypeFor[[]int64]()
			tag := []string{fmt.Sprint("f", i), "value_key=" + random.Pick(g.Gen, "p", "q", "r")}
			if g.OneIn(4) {
				t = reflect.TypeFor[[][2]int64]()
			}
			for range g.N(3) {
				t = reflect.SliceOf(t)
				tag = append(tag, random.Pick(g.Gen, "row_splits", "row_splits", "row_lengths", "row_starts", "row_limits", "value_row_ids")+"="+random.Pick(g.Gen, "p", "q", "r"))
			}
			if steps {
				t = reflect.SliceOf(t)
			}
			fs = append(fs, reflect.StructField{Name: fmt.Sprint("F", i), Type: t, Tag: reflect.StructTag(`tfparse:"` + strings.Join(tag, ",") + `"`)})
		}
		return reflect.StructOf(fs)
	}
	if g.OneIn(3) {
		return reflect.StructOf([]reflect.StructField{{Name: "Lists", Type: fields(true), Tag: `tfparse:",sequence"`}})
	}
	return fields(false)
}

// sharedValue makes values that are likely to be valid both as a partition and as values.
func (g *gen) sharedValue() example.Value {
	return example.Int64s(random.Pick(g.Gen, nil, nil, []int64{0}, []int64{0}, []int64{0, 0}, []int64{0, 1}, []int64{1}, []int64{0, 2}, []int64{1, 2}, []int64{2}, []int64{0, 0, 2})...)
}

// checkShared decodes a record whose keys are shared. If the record is valid, encoding is the inverse, and never
// fails.
func checkShared(t *testing.T, g *gen) bool {
	typ := g.sharedType()
	codec := compile(t, typ)
	var record []byte
	if codec.Parser().Message() == example.TypeSequence {
		s := example.Sequence{Lists: map[string][]example.Value{}}
		steps := g.N(3)
		for _, k := range []string{"p", "q", "r"} {
			for range steps {
				s.Lists[k] = append(s.Lists[k], g.sharedValue())
			}
		}
		record = marshal(t, s)
	} else {
		e := example.Example{}
		for _, k := range []string{"p", "q", "r"} {
			if !g.OneIn(5) {
				e[k] = g.sharedValue()
			}
		}
		record = marshal(t, e)
	}
	v, w := reflect.New(typ), reflect.New(typ)
	if checkDecode(t, codec, typ, record, v) != nil {
		return false
	}
	again, err := codec.Encode(v)
	b, parseErr := codec.Parser().Parse(record)
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	want, batchErr := b.AppendRecord(nil, 0)
	if (err == nil) != (batchErr == nil) || err == nil && !bytes.Equal(again, want) {
		t.Fatalf("%v\n%x\nencoded    %x, %v\nas columns %x, %v", typ, record, again, err, want, batchErr)
	}
	if err != nil {
		t.Fatalf("%v\n%x decodes to %v, which cannot be encoded: %v", typ, record, v.Elem(), err)
	}
	if err := codec.Decode(again, w); err != nil {
		t.Fatalf("%v\n%x\nencoded %x: %v", typ, record, again, err)
	}
	got, back := map[key]any{}, map[key]any{}
	structLists(v.Elem(), feature.InFeatures, got)
	structLists(w.Elem(), feature.InFeatures, back)
	if !reflect.DeepEqual(got, back) {
		t.Fatalf("%v\n%x\ndecoded %v\nand again %v", typ, record, got, back)
	}
	return true
}

// TestShared checks fields that share keys.
func TestShared(t *testing.T) {
	n, fits := 3000, 0
	if testkit.Long(t, "20,000 records") {
		n = 20000
	}
	for seed := range uint64(n) {
		if checkShared(t, newGen(nil, seed)) {
			fits++
		}
	}
	if fits < n/20 {
		t.Errorf("only %d records of %d fit", fits, n)
	}
	t.Logf("%d records of %d fit", fits, n)
}
