package raggedjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// sampleBatch parses all records of a sample file.
func sampleBatch(t testing.TB, name string) *feature.Batch {
	t.Helper()
	text, err := os.ReadFile("../../testdata/" + name + ".spec.json")
	if err != nil {
		t.Fatal(err)
	}
	var spec feature.Spec
	if err := spec.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tfrecord.Open("../../testdata/"+name+".tfrecord", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := parser.NewBatch()
	for rec, err := range r.All() {
		if err == nil {
			err = b.Append(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// The nested values of every column equal the values in the printed rows, and its slices have the same lists.
func TestNested(t *testing.T) {
	columns := 0
	for _, name := range []string{"recipes", "sessions"} {
		b := sampleBatch(t, name)
		p := raggedjson.NewPrinter(b.Parser(), nil)
		p.Load(b)
		for _, c := range b.Columns().All() {
			if c.Group() == feature.InExamples {
				continue
			}
			if _, ok := c.Spec().(feature.Sparse); ok {
				continue // rows also have the indices of this column
			}
			columns++
			got, err := raggedjson.AppendNested([]byte("kept "), c, nil)
			if err != nil || string(got[:5]) != "kept " {
				t.Fatal(c.Name(), err)
			}
			want := []any{}
			for i := range b.Len() {
				line, err := p.AppendRow(nil, i, tfrecord.Position{})
				var row map[string]any
				if err := errors.Join(err, json.Unmarshal(line, &row)); err != nil {
					t.Fatal(err)
				}
				if g := c.Group(); g != feature.InFeatures {
					row = row[g.String()].(map[string]any)
				}
				want = append(want, row[c.Name()])
			}
			var lists any
			if err := json.Unmarshal(got[5:], &lists); err != nil || !reflect.DeepEqual(lists, any(want)) {
				t.Errorf("%s: %s: %v, want %v", name, c.Name(), got[5:], want)
			}
			slices, err := c.Slices()
			if err != nil {
				t.Fatal(err)
			}
			if lists := listsOf(t, reflect.ValueOf(slices)); !reflect.DeepEqual(lists, any(want)) {
				t.Errorf("%s: %s: slices %v, want %v", name, c.Name(), slices, want)
			}
		}
	}
	if columns < 15 {
		t.Errorf("%d columns compared", columns)
	}
}

// listsOf returns nested slices in the form of encoding/json.
func listsOf(t *testing.T, v reflect.Value) any {
	var text []byte
	var err error
	switch x := v.Interface().(type) {
	case int64:
		return float64(x)
	case float32:
		text, err = recordjson.AppendFloat32(nil, x, recordjson.NaNString)
	case string:
		text, err = recordjson.AppendText(nil, x, recordjson.BytesAuto)
	default:
		all := []any{}
		for i := range v.Len() {
			all = append(all, listsOf(t, v.Index(i)))
		}
		return all
	}
	var value any
	if err := errors.Join(err, json.Unmarshal(text, &value)); err != nil {
		t.Fatal(err)
	}
	return value
}

// A value that the options refuse is an error with its place, and dst is unchanged.
func TestNestedRefuses(t *testing.T) {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"x": feature.VarLen{DType: feature.Float32}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := parser.NewBatch()
	for _, v := range []float32{1, float32(math.NaN())} {
		rec, err := example.Example{"x": example.Floats(v)}.MarshalBinary()
		if err := errors.Join(err, b.Append(rec)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range b.Columns().All() {
		got, err := raggedjson.AppendNested([]byte("kept"), c, &recordjson.Options{NaN: recordjson.NaNError})
		if e, ok := errors.AsType[*recordjson.Error](err); !ok || !errors.Is(err, recordjson.ErrNotFinite) || e.Feature != "x" || e.Value != 1 || string(got) != "kept" {
			t.Errorf("%q, %v", got, err)
		}
	}
}
