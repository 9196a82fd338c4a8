package tensortext_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/tensortext"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
)

// batchOf parses one record for each value of a feature.
func batchOf(t *testing.T, f feature.Feature, values ...example.Example) *feature.Batch {
	t.Helper()
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"x": f}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := parser.NewBatch()
	for _, e := range values {
		msg, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Append(msg); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func ints(v ...int64) example.Example { return example.Example{"x": example.Int64s(v...)} }

// appendDense returns a batch as Tensor JSON of dense tensors.
func appendDense(p *tensortext.Printer, b *feature.Batch) ([]byte, error) {
	json := raggedjson.NewPrinter(b.Parser(), nil)
	json.Load(b)
	return json.AppendBatchFunc(nil, nil, p.AppendDense)
}

// TestBatches prints batches with unusual dense shapes.
func TestBatches(t *testing.T) {
	none, nine := "", "9"
	for _, c := range []struct {
		name  string
		b     *feature.Batch
		pad   *string
		text  string
		dense string
	}{
		{"no rows", batchOf(t, feature.VarLen{DType: feature.Int64}), &nine,
			"rows: 0\nx: tf.Tensor([], shape=(0, 0), dtype=int64)\n\n",
			`{"rows":0,"columns":{"x":{"dense":{"dtype":"int64","shape":[0,0],"values":[]}}}}`},
		{"empty rows", batchOf(t, feature.Ragged{DType: feature.Int64}, ints(), ints()), &nine,
			"rows: 2\nx: tf.Tensor([], shape=(2, 0), dtype=int64)\n\n",
			`{"rows":2,"columns":{"x":{"dense":{"dtype":"int64","shape":[2,0],"values":[]}}}}`},
		{"a uniform partition", batchOf(t, feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.UniformRowLength(2)}}, ints(1, 2), ints()), &nine,
			"rows: 2\nx: tf.Tensor(\n[[[1 2]]\n\n [[9 9]]], shape=(2, 1, 2), dtype=int64)\n\n",
			`{"rows":2,"columns":{"x":{"dense":{"dtype":"int64","shape":[2,1,2],"values":[1,2,9,9]}}}}`},
		{"text without padding", batchOf(t, feature.Ragged{DType: feature.Int64}, ints(1, 2), ints()), nil,
			"rows: 2\nx: <tf.RaggedTensor [[1, 2], []]>\n\n",
			`{"rows":2,"columns":{"x":{"dense":{"dtype":"int64","shape":[2,2],"values":[1,2,0,0]}}}}`},
		{"nothing to pad", batchOf(t, feature.FixedLen{DType: feature.Int64, Shape: []int{2}}, ints(1, 2)), &none,
			"rows: 1\nx: tf.Tensor([[1 2]], shape=(1, 2), dtype=int64)\n\n",
			`{"rows":1,"columns":{"x":{"dense":{"dtype":"int64","shape":[1,2],"values":[1,2]}}}}`},
	} {
		p, err := tensortext.NewPrinter(c.b.Parser(), &tensortext.Options{Pad: c.pad})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, err := p.AppendText([]byte("before "), c.b)
		if got := strings.TrimPrefix(string(text), "before "); err != nil || got != c.text {
			t.Errorf("%s: want\n%s, got\n%s, %v", c.name, c.text, got, err)
		}
		dense, err := appendDense(p, c.b)
		if err != nil || string(dense) != c.dense {
			t.Errorf("%s: want\n%s, got\n%s, %v", c.name, c.dense, dense, err)
		}
	}
}

// TestNames checks which names are quoted.
func TestNames(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{}}
	for _, name := range []string{"plain/name", "é", "", "a: b", "a\nb", "\xff", `"`} {
		spec.Features[name] = feature.FixedLen{DType: feature.Int64}
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tensortext.NewPrinter(parser, &tensortext.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.AppendText(nil, parser.NewBatch())
	if err != nil {
		t.Fatal(err)
	}
	const none = ": tf.Tensor([], shape=(0,), dtype=int64)\n"
	want := "rows: 0\n" + `""` + none + `"\""` + none + `"a\nb"` + none + `"a: b"` + none + "plain/name" + none + "é" + none + `"\xff"` + none + "\n"
	if string(got) != want {
		t.Errorf("want\n%s, got\n%s", want, got)
	}
}

func TestErrors(t *testing.T) {
	wide := feature.Sparse{DType: feature.String, ValueKey: "x", IndexKeys: []string{"i", "j"}, Size: []int64{math.MaxInt64, math.MaxInt64}}
	for name, c := range map[string]struct {
		b    *feature.Batch
		opts tensortext.Options
	}{
		"an int that is none":         {batchOf(t, feature.VarLen{DType: feature.Int64}), pad("a")},
		"a float that is none":        {batchOf(t, feature.VarLen{DType: feature.Float32}), pad("")},
		"an int that is a float":      {batchOf(t, feature.VarLen{DType: feature.Int64}), pad("1.0")},
		"an int that is too large":    {batchOf(t, feature.VarLen{DType: feature.Int64}), pad("-9223372036854775809")},
		"a float that is too large":   {batchOf(t, feature.VarLen{DType: feature.Float32}), pad("1e39")},
		"a padding that is not UTF-8": {batchOf(t, feature.VarLen{DType: feature.String}), tensortext.Options{Pad: pad("\xff").Pad, JSON: recordjson.Options{Bytes: recordjson.BytesUTF8}}},
		"a huge box":                  {batchOf(t, wide, example.Example{}), tensortext.Options{}},
	} {
		p, err := tensortext.NewPrinter(c.b.Parser(), &c.opts)
		if err == nil {
			_, err = appendDense(p, c.b)
		}
		if err == nil || !strings.HasPrefix(err.Error(), `feature "x": `) {
			t.Errorf("%s: want an error that names the feature, got %v", name, err)
		}
	}
}

func pad(text string) tensortext.Options { return tensortext.Options{Pad: &text} }
