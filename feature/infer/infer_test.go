package infer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// inferred adds records and returns the result. The spec must parse all of them.
func inferred(t testing.TB, m example.MessageType, opts *infer.Options, records ...[]byte) (feature.Spec, infer.Report) {
	t.Helper()
	in := infer.New(m, opts)
	for i, r := range records {
		if err := in.Add(r); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
	spec, err := in.Spec()
	if err != nil {
		t.Fatal(err)
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(records...); err != nil {
		t.Fatalf("the spec does not parse the data: %v\n%v", err, in.Report())
	}
	return spec, in.Report()
}

func wantSpec(t testing.TB, want, got feature.Spec) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func records(t testing.TB, names ...string) (out [][]byte) {
	t.Helper()
	for _, name := range names {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, append([]byte{}, record...))
		}
		r.Close()
	}
	return out
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "testdata", name)
}

// For the files of testdata/make/sample.py the result equals its description.
func TestSamples(t *testing.T) {
	scalar := func(d feature.DType) feature.Feature { return feature.FixedLen{DType: d} }
	list := func(d feature.DType) feature.Feature { return feature.VarLen{DType: d} }
	for _, c := range []struct {
		file    string
		message example.MessageType
		want    feature.Spec
	}{
		{"recipes.tfrecord", example.TypeExample, feature.Spec{Features: feature.Features{
			"title":              scalar(feature.String),
			"servings":           scalar(feature.Int64),
			"minutes":            scalar(feature.Int64),
			"rating":             list(feature.Float32), // one recipe has no rating
			"source":             list(feature.String),  // one recipe has a source without kind
			"tags":               list(feature.String),
			"ingredients/name":   list(feature.String),
			"ingredients/amount": list(feature.Float32),
			"ingredients/unit":   list(feature.String),
			"sections/name":      list(feature.String),
			"allergens/words":    feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("allergens/lengths")}},
			"steps/words": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{
				feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}},
		}}},
		{"sessions.tfrecord", example.TypeSequence, feature.Spec{
			Context: feature.Features{"user": scalar(feature.String), "country": scalar(feature.String), "start": scalar(feature.Int64)},
			Sequence: feature.Features{
				"page": feature.FixedLenSequence{DType: feature.String}, "seconds": feature.FixedLenSequence{DType: feature.Float32},
				"query": list(feature.String),
			},
		}},
		{"ranking.tfrecord", example.TypeExampleList, feature.Spec{
			Context: feature.Features{"query": list(feature.String), "shown": scalar(feature.Int64)},
			Examples: feature.Features{
				"page": scalar(feature.String), "key": scalar(feature.String), "clicked": scalar(feature.Int64), "score": scalar(feature.Float32),
			},
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, _ := inferred(t, c.message, nil, records(t, testdata(t, c.file))...)
			wantSpec(t, c.want, got)
		})
	}
}

// Published data can be parsed with the inferred spec.
func TestPublishedData(t *testing.T) {
	for _, c := range []struct {
		files   string
		message example.MessageType
	}{
		{"chicago_taxi/data*", example.TypeExample},
		{"penguin/data*", example.TypeExample},
		{"sequence/data*", example.TypeSequence},
		{"ranking/eval*", example.TypeExampleList},
		{"ranking/vali*", example.TypeExampleList},
	} {
		t.Run(c.files, func(t *testing.T) {
			names, err := filepath.Glob(filepath.Join(testdata(t, ".."), "..", "shared", "data", filepath.FromSlash(c.files)))
			if err != nil {
				t.Fatal(err)
			}
			if len(names) == 0 {
				t.Skip("skipped: the data are not here")
			}
			_, report := inferred(t, c.message, nil, records(t, names...)...)
			for _, p := range report.Pairs {
				t.Errorf("there are no partitions, but %v of %q was thought of: %s", p.Partition, p.Of, p.Why)
			}
		})
	}
}

// Random specs are inferred from records that feature.Encode made with them.
func TestRandomSpecs(t *testing.T) {
	for seed := range uint64(200) {
		g := newGen(seed)
		spec := g.spec()
		got, report := inferred(t, spec.Message(), nil, g.encode(t, spec, 40)...)
		if d := cmp.Diff(spec, got); d != "" {
			t.Errorf("seed %d: -want +got\n%s\n%s", seed, d, report)
		}
	}
}

// With few records, any inferred spec must still parse them.
func TestFewRecords(t *testing.T) {
	for seed := range uint64(300) {
		g := newGen(seed)
		spec := g.spec()
		rs := g.encode(t, spec, 1+g.IntN(4))
		in := infer.New(spec.Message(), nil)
		for _, r := range rs {
			if err := in.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := in.Spec(); err == nil {
			parses(t, got, rs, seed)
		}
	}
}

func parses(t testing.TB, spec feature.Spec, rs [][]byte, what any) {
	t.Helper()
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatalf("%v: %v", what, err)
	}
	b := p.NewBatch()
	for i, r := range rs {
		b.Reset() // each alone: together rows could need much padding
		if err := b.Append(r); err != nil {
			t.Fatalf("%v: record %d: %v", what, i, err)
		}
	}
}

// An ex has the features of an Example.
type ex = example.Example

func encode(t testing.TB, examples ...ex) (out [][]byte) {
	t.Helper()
	for _, e := range examples {
		b, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func ints(v ...int64) example.Value { return example.Int64s(v...) }

// words makes n strings.
func words(n int) example.Value {
	v := make([]string, n)
	for i := range v {
		v[i] = fmt.Sprint(i)
	}
	return example.Strings(v...)
}

// The results for features without partitions.
func TestColumns(t *testing.T) {
	none := example.Value{}
	for _, c := range []struct {
		name   string
		values []example.Value // the feature's value in each record
		want   feature.Feature
	}{
		{"scalar", []example.Value{ints(1), ints(2)}, feature.FixedLen{DType: feature.Int64}},
		{"scalar in one record", []example.Value{ints(1)}, feature.FixedLen{DType: feature.Int64}},
		{"vector", []example.Value{ints(1, 2), ints(3, 4)}, feature.FixedLen{DType: feature.Int64, Shape: []int{2}}},
		{"vector in one record", []example.Value{ints(1, 2)}, feature.VarLen{DType: feature.Int64}},
		{"lengths differ", []example.Value{ints(1, 2), ints(3)}, feature.VarLen{DType: feature.Int64}},
		{"empty list", []example.Value{words(1), words(0)}, feature.VarLen{DType: feature.String}},
		{"always empty", []example.Value{words(0), words(0)}, feature.VarLen{DType: feature.String}},
		{"no kind once", []example.Value{example.Floats(1), none}, feature.VarLen{DType: feature.Float32}},
		{"no kind ever", []example.Value{none, none}, nil},
		{"two types", []example.Value{example.Floats(1), ints(1)}, nil},
		{"two types, one empty", []example.Value{example.Floats(), ints(1)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var es []ex
			for _, v := range c.values {
				es = append(es, ex{"f": v, "other": ints(7)})
			}
			got, report := inferred(t, example.TypeExample, nil, encode(t, es...)...)
			if d := cmp.Diff(c.want, got.Features["f"]); d != "" {
				t.Errorf("-want +got\n%s\n%s", d, report)
			}
		})
	}
}

// The results for lists of numbers in records that also have words. Every record has the numbers of one line, and
// the line's number of words.
func TestPartitions(t *testing.T) {
	type line struct {
		numbers []int64
		words   int
	}
	block := func(p feature.Partition, n int64) []feature.Partition {
		return []feature.Partition{p, feature.UniformRowLength(n)}
	}
	for _, c := range []struct {
		name  string // name of the numbers; the words are "doc/words"
		lines []line
		want  []feature.Partition // nil if the numbers are a column
	}{
		{"doc/splits", []line{{[]int64{0, 2, 5}, 5}}, []feature.Partition{feature.RowSplits("doc/splits")}},
		{"doc/lengths", []line{{[]int64{2, 3}, 5}}, []feature.Partition{feature.RowLengths("doc/lengths")}},
		{"doc/limits", []line{{[]int64{2, 5}, 5}}, []feature.Partition{feature.RowLimits("doc/limits")}},
		{"doc/starts", []line{{[]int64{0, 3}, 5}}, []feature.Partition{feature.RowStarts("doc/starts")}},
		{"doc/row_ids", []line{{[]int64{0, 0, 1, 1, 1}, 5}}, []feature.Partition{feature.ValueRowIDs("doc/row_ids")}},
		{"docRowSplits", []line{{[]int64{0, 2, 5}, 5}, {[]int64{0, 1}, 1}}, []feature.Partition{feature.RowSplits("docRowSplits")}},
		// without names the number of words must differ between records
		{"x", []line{{[]int64{0, 2, 5}, 5}}, nil},
		{"x", []line{{[]int64{0, 2, 5}, 5}, {[]int64{0, 0, 4}, 4}}, []feature.Partition{feature.RowSplits("x")}},
		{"x", []line{{[]int64{2, 3}, 5}, {[]int64{0, 4}, 4}}, nil},
		{"x", []line{{[]int64{2, 3}, 5}, {[]int64{0, 4}, 4}, {[]int64{6, 1, 0}, 7}}, []feature.Partition{feature.RowLengths("x")}},
		{"x", []line{{[]int64{2, 5}, 5}, {[]int64{1, 4}, 4}, {[]int64{6, 6, 7}, 7}}, []feature.Partition{feature.RowLimits("x")}},
		// encodings that fit by chance need a matching name
		{"x", []line{{[]int64{0, 0, 1}, 3}, {[]int64{0, 1, 1, 1, 1}, 5}, {[]int64{0, 0, 3, 3}, 4}}, nil},
		{"row_ids", []line{{[]int64{0, 0, 1}, 3}, {[]int64{0, 1, 1, 2, 2}, 5}, {[]int64{0, 0, 1, 2}, 4}}, []feature.Partition{feature.ValueRowIDs("row_ids")}},
		{"row_ids", []line{{[]int64{0, 0, 1}, 3}, {[]int64{0, 1, 1, 1, 1}, 5}, {[]int64{0, 0, 1, 1}, 4}}, nil}, // the types of two sentences
		{"x", []line{{[]int64{0, 2}, 5}, {[]int64{0, 0, 3}, 4}, {[]int64{0, 1, 5}, 6}, {[]int64{0, 4}, 7}}, nil},
		{"starts", []line{{[]int64{0, 2}, 5}, {[]int64{0, 0, 3}, 4}, {[]int64{0, 1, 5}, 6}, {[]int64{0, 4}, 7}}, []feature.Partition{feature.RowStarts("starts")}},
		// a list of fixed size in which one number is the number of words: a crop, a shape, a span, a box
		{"crop", []line{{[]int64{0, 5}, 5}, {[]int64{0, 4}, 4}, {[]int64{0, 1}, 1}, {[]int64{0, 9}, 9}, {[]int64{0, 7}, 7}}, nil},
		{"crop", []line{{[]int64{0, 5}, 10}, {[]int64{0, 4}, 8}, {[]int64{0, 1}, 2}, {[]int64{0, 9}, 18}, {[]int64{0, 7}, 14}}, nil},
		{"crop", []line{{[]int64{0, 0, 3, 5}, 5}, {[]int64{0, 0, 3, 4}, 4}, {[]int64{0, 0, 3, 9}, 9}, {[]int64{0, 0, 3, 7}, 7}}, nil},
		{"shape", []line{{[]int64{5, 0}, 5}, {[]int64{4, 0}, 4}, {[]int64{1, 0}, 1}, {[]int64{9, 0}, 9}, {[]int64{7, 0}, 7}}, nil},
		{"shape", []line{{[]int64{3, 5}, 15}, {[]int64{3, 4}, 12}, {[]int64{3, 9}, 27}, {[]int64{3, 7}, 21}}, nil},
		{"answer", []line{{[]int64{2, 5}, 5}, {[]int64{1, 4}, 4}, {[]int64{0, 1}, 1}, {[]int64{9, 9}, 9}, {[]int64{3, 7}, 7}}, nil},
		{"quartiles", []line{{[]int64{2, 4, 5}, 5}, {[]int64{1, 1, 4}, 4}, {[]int64{0, 3, 9}, 9}, {[]int64{3, 4, 7}, 7}}, nil},
		{"crop_lengths", []line{{[]int64{0, 5}, 5}, {[]int64{0, 4}, 4}, {[]int64{0, 9}, 9}}, []feature.Partition{feature.RowLengths("crop_lengths")}},
		{"limits", []line{{[]int64{2, 5}, 5}, {[]int64{1, 4}, 4}, {[]int64{3, 7}, 7}}, []feature.Partition{feature.RowLimits("limits")}},
		{"x", []line{{[]int64{2, 3}, 5}, {[]int64{0, 4}, 4}, {[]int64{3, 6}, 9}, {[]int64{5, 2}, 7}}, []feature.Partition{feature.RowLengths("x")}},
		{"x", []line{{[]int64{0, 5}, 5}, {[]int64{4}, 4}, {[]int64{0, 9}, 9}, {[]int64{7, 0}, 7}}, []feature.Partition{feature.RowLengths("x")}},
		// zeros, and numbers that leave most words over, are not row_starts
		{"zeros", []line{{[]int64{0, 0}, 1}, {[]int64{0, 0}, 2}, {[]int64{0, 0}, 3}, {[]int64{0, 0}, 4}, {[]int64{0, 0}, 5}, {[]int64{0, 0}, 6}, {[]int64{0, 0}, 7}}, nil},
		{"doc/starts", []line{{[]int64{0, 0}, 5}, {[]int64{0, 0, 0}, 4}}, nil},
		{"doc/starts", []line{{[]int64{0, 2}, 5}}, nil},
		// uniform rows
		{"doc/starts", []line{{[]int64{0, 3}, 10}, {[]int64{0, 1, 3}, 8}, {[]int64{0, 0, 5}, 12}}, block(feature.RowStarts("doc/starts"), 2)},
		// lists of zeros and ones are flags
		{"hot", []line{{[]int64{0, 1, 1, 0}, 2}, {[]int64{1, 1, 1}, 3}, {[]int64{1, 1, 0, 1, 1}, 4}, {[]int64{1, 1, 1, 1, 1, 0}, 5}}, nil},
		// sentence numbers from 1 up are not row_limits
		{"of", []line{{[]int64{1, 1, 2}, 2}, {[]int64{1, 1, 2, 2, 3}, 3}, {[]int64{1, 1, 2, 3, 3, 4}, 4}, {[]int64{1, 2, 2, 3, 4, 5}, 5}}, nil},
		// names with another meaning need more evidence
		{"x_lengths", []line{{[]int64{0, 2, 5}, 5}, {[]int64{0, 0, 4}, 4}}, nil},
		// missing and empty lists
		{"doc/splits", []line{{[]int64{0, 2, 5}, 5}, {nil, 0}, {[]int64{0}, 0}, {[]int64{0, 0}, 0}}, []feature.Partition{feature.RowSplits("doc/splits")}},
		{"doc/lengths", []line{{[]int64{2, 3}, 5}, {[]int64{0, 0}, 0}}, []feature.Partition{feature.RowLengths("doc/lengths")}},
		// blocks of values
		{"doc/lengths", []line{{[]int64{2, 3}, 10}, {[]int64{1, 3}, 8}}, block(feature.RowLengths("doc/lengths"), 2)},
		{"doc/lengths", []line{{[]int64{2, 3}, 10}, {[]int64{1, 3}, 12}}, nil},
		{"doc/splits", []line{{[]int64{0, 2, 3}, 9}, {[]int64{0, 1}, 3}, {[]int64{0, 3, 4}, 12}}, block(feature.RowSplits("doc/splits"), 3)},
		{"doc/splits", []line{{[]int64{0, 0, 0}, 0}, {[]int64{0, 0, 0}, 0}, {[]int64{0, 2, 3}, 6}, {[]int64{0, 1, 4}, 8}}, block(feature.RowSplits("doc/splits"), 2)}, // empty rows do not determine blocks
		// properties of all counts are no evidence
		{"rank", []line{{[]int64{1, 2, 3}, 3}, {[]int64{1}, 1}, {[]int64{1, 2, 3, 4, 5}, 5}, {[]int64{1, 2}, 2}}, nil},
		{"position", []line{{[]int64{0, 1, 2}, 3}, {[]int64{0}, 1}, {[]int64{0, 1, 2, 3, 4}, 5}, {[]int64{0, 1}, 2}}, nil},
		{"weight", []line{{[]int64{1, 1, 1}, 3}, {[]int64{1}, 1}, {[]int64{1, 1, 1, 1, 1}, 5}, {[]int64{1, 1}, 2}}, nil},
		{"count", []line{{[]int64{3}, 3}, {[]int64{1}, 1}, {[]int64{5}, 5}, {[]int64{2}, 2}}, nil},
		{"year", []line{{[]int64{1999, 2001, 2001}, 3}, {[]int64{1950}, 1}, {[]int64{2000, 2000, 2000, 2001}, 4}, {[]int64{1, 2}, 2}}, nil},
		// a single contradiction is enough
		{"doc/lengths", []line{{[]int64{2, 3}, 5}, {[]int64{4, 4}, 8}, {[]int64{2, 2}, 5}}, nil},
		{"doc/lengths", []line{{[]int64{2, 3}, 5}, {nil, 1}}, nil},
		{"doc/lengths", []line{{[]int64{2, 3}, 5}, {[]int64{-1, 2}, 1}}, nil},
		{"doc/lengths", []line{{[]int64{2, 3}, 5}, {[]int64{1<<63 - 1, 1<<63 - 1, 3}, 1}}, nil},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.lines), func(t *testing.T) {
			var es []ex
			for _, l := range c.lines {
				e := ex{"title": words(1)}
				if l.numbers != nil {
					e[c.name] = ints(l.numbers...)
				}
				if l.words > 0 || l.numbers != nil {
					e["doc/words"] = words(l.words)
				}
				es = append(es, e)
			}
			got, report := inferred(t, example.TypeExample, nil, encode(t, es...)...)
			var partitions []feature.Partition
			if f, ok := got.Features["doc/words"].(feature.Ragged); ok {
				partitions = f.Partitions
			}
			if d := cmp.Diff(c.want, partitions); d != "" {
				t.Errorf("-want +got\n%s\n%s", d, report)
			}
			if _, ok := got.Features[c.name]; ok != (c.want == nil) {
				t.Errorf("the numbers are a column: %v", ok)
			}
		})
	}
}

// Several features and partitions.
func TestStructures(t *testing.T) {
	doc := func(sent, para []int64, n int, more ex) ex {
		e := ex{"words": words(n), "sent": ints(sent...), "para": ints(para...)}
		for k, v := range more {
			e[k] = v
		}
		return e
	}
	ragged := func(d feature.DType, p ...feature.Partition) feature.Feature {
		return feature.Ragged{DType: d, Partitions: p}
	}
	t.Run("nested, no names", func(t *testing.T) {
		got, _ := inferred(t, example.TypeExample, nil, encode(t,
			doc([]int64{2, 0, 3}, []int64{2, 1}, 5, nil), doc([]int64{4, 4}, []int64{0, 2}, 8, nil), doc([]int64{1, 2, 3, 4}, []int64{3, 1}, 10, nil),
			doc([]int64{1, 1, 1, 1, 3}, []int64{3, 0, 2}, 7, nil))...)
		wantSpec(t, feature.Spec{Features: feature.Features{
			"words": ragged(feature.String, feature.RowLengths("para"), feature.RowLengths("sent"))}}, got)
	})
	t.Run("one partition of several features", func(t *testing.T) {
		var es []ex
		for _, n := range []int{5, 8, 10} {
			es = append(es, ex{"ids": ints(make([]int64, n)...), "words": words(n), "lengths": ints(2, int64(n)-2)})
		}
		got, _ := inferred(t, example.TypeExample, nil, encode(t, es...)...)
		wantSpec(t, feature.Spec{Features: feature.Features{
			"words": ragged(feature.String, feature.RowLengths("lengths")), "ids": ragged(feature.Int64, feature.RowLengths("lengths"))}}, got)
	})
	t.Run("the closest name", func(t *testing.T) {
		var es []ex
		for _, n := range []int64{5, 8, 10} {
			es = append(es, ex{"a/words": words(int(n)), "b/lengths": ints(1, n-1), "a/lengths": ints(2, n-2), "c/splits": ints(0, 3, n)})
		}
		got, report := inferred(t, example.TypeExample, nil, encode(t, es...)...)
		wantSpec(t, feature.Spec{Features: feature.Features{
			"a/words":   ragged(feature.String, feature.RowLengths("a/lengths")),
			"b/lengths": feature.FixedLen{DType: feature.Int64, Shape: []int{2}}, "c/splits": feature.FixedLen{DType: feature.Int64, Shape: []int{3}}}}, got)
		var others []string
		for _, p := range report.Pairs {
			if !p.Chosen && p.Of == "a/words" {
				others = append(others, fmt.Sprint(p.Partition))
			}
		}
		if d := cmp.Diff([]string{"c/splits", "b/lengths"}, others); d != "" {
			t.Errorf("the others that fit: -want +got\n%s\n%s", d, report)
		}
	})
	t.Run("two that would partition each other", func(t *testing.T) {
		got, _ := inferred(t, example.TypeExample, nil, encode(t,
			ex{"x": ints(2, 0), "y": ints(0, 2)}, ex{"x": ints(3, 0, 0), "y": ints(0, 3, 0)}, ex{"x": ints(4, 0, 0, 0), "y": ints(0, 4, 0, 0)})...)
		wantSpec(t, feature.Spec{Features: feature.Features{"y": ragged(feature.Int64, feature.RowLengths("x"))}}, got)
	})
}

// TestFlatValues has names like those of TensorFlow Datasets. They determine the result, even if the lengths of
// another feature also fit, and if there is little or no evidence.
func TestFlatValues(t *testing.T) {
	record := func(a0, b0, b1 []int64, na, nb int) ex {
		return ex{
			"a/ragged_flat_values": words(na), "a/ragged_row_lengths_0": ints(a0...),
			"b/ragged_flat_values": words(nb), "b/ragged_row_lengths_0": ints(b0...), "b/ragged_row_lengths_1": ints(b1...),
		}
	}
	both := feature.Spec{Features: feature.Features{
		"a/ragged_flat_values": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("a/ragged_row_lengths_0")}},
		"b/ragged_flat_values": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{
			feature.RowLengths("b/ragged_row_lengths_0"), feature.RowLengths("b/ragged_row_lengths_1")}},
	}}
	for _, c := range []struct {
		name    string
		records []ex
	}{
		{"lengths that fit all", []ex{record([]int64{2, 1}, []int64{2, 0}, []int64{1, 2}, 3, 3), record([]int64{4, 1}, []int64{1, 1}, []int64{3, 2}, 5, 5),
			record([]int64{4, 3}, []int64{1, 1}, []int64{5, 2}, 7, 7), record([]int64{1, 8}, []int64{2}, []int64{0, 9}, 9, 9)}},
		{"the rows of one are as many as the values of the other", []ex{record([]int64{1, 1}, []int64{1, 1}, []int64{3, 2}, 2, 5),
			record([]int64{2, 1}, []int64{2, 1}, []int64{3, 2, 1}, 3, 6), record([]int64{3, 1}, []int64{3, 1}, []int64{3, 2, 1, 5}, 4, 11)}},
		{"rows of one value", []ex{record([]int64{1, 1}, []int64{1, 1}, []int64{1, 1}, 2, 2), record([]int64{1}, []int64{0, 1}, []int64{1}, 1, 1)}},
		{"one record", []ex{record([]int64{2, 1}, []int64{2}, []int64{1, 2}, 3, 3)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, report := inferred(t, example.TypeExample, nil, encode(t, c.records...)...)
			if d := cmp.Diff(both, got); d != "" {
				t.Errorf("-want +got\n%s\n%s", d, report)
			}
		})
	}
	t.Run("what does not hold", func(t *testing.T) {
		got, report := inferred(t, example.TypeExample, nil, encode(t,
			ex{"a/ragged_flat_values": words(3), "a/ragged_row_lengths_0": ints(2, 2), "a/lengths": ints(1, 2)},
			ex{"a/ragged_flat_values": words(4), "a/ragged_row_lengths_0": ints(2, 2), "a/lengths": ints(3, 1)},
			ex{"a/ragged_flat_values": words(5), "a/ragged_row_lengths_0": ints(3, 2), "a/lengths": ints(3, 2)})...)
		if _, ok := got.Features["a/ragged_flat_values"].(feature.VarLen); !ok || len(report.Pairs) != 1 || report.Pairs[0].Against != 1 {
			t.Errorf("got %v\n%s", got, report)
		}
	})
}

// A partition that fails in one record is reported with that record.
func TestCounterExample(t *testing.T) {
	var es []ex
	for i := range int64(100) {
		n := 2 + i%7
		e := ex{"doc/words": words(int(n)), "doc/lengths": ints(1, n-1)}
		if i == 60 {
			e["doc/lengths"] = ints(1, n)
		}
		es = append(es, e)
	}
	got, report := inferred(t, example.TypeExample, nil, encode(t, es...)...)
	if _, ok := got.Features["doc/words"].(feature.VarLen); !ok {
		t.Errorf("got %v", got.Features["doc/words"])
	}
	want := []infer.Pair{{
		Partition: feature.RowLengths("doc/lengths"), Of: "doc/words", Block: 1, Records: 100, Against: 1, Why: "does not hold",
		Counter: &infer.Counter{Record: 60, At: "record 60", Unit: -1, Values: []int64{1, 6}, Len: 2, Items: 6, Fault: "they add up to 7"},
	}}
	if d := cmp.Diff(want, report.Pairs); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if text := report.String(); !strings.Contains(text, "99 of 100") || !strings.Contains(text, "record 60: [1 6] for 6 items: they add up to 7") {
		t.Error(text)
	}
}

// Lists whose steps do not align do not partition each other.
func TestStepsAlign(t *testing.T) {
	record := func(lengths int) []byte {
		s := example.Sequence{Lists: map[string][]example.Value{
			"doc/words":   {words(5), words(3), words(4)},
			"doc/lengths": []example.Value{ints(2, 3), ints(1, 2), ints(4, 0)}[:lengths],
		}}
		b, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var rs [][]byte
	for range 10 {
		rs = append(rs, record(3))
	}
	want := feature.Features{"doc/words": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("doc/lengths")}}}
	got, _ := inferred(t, example.TypeSequence, nil, rs...)
	wantSpec(t, feature.Spec{Sequence: want}, got)
	got, report := inferred(t, example.TypeSequence, nil, append(rs, record(2))...)
	if _, ok := got.Sequence["doc/words"].(feature.VarLen); !ok || len(report.Pairs) != 1 || report.Pairs[0].Counter.Fault != "only one of the two lists has the step" {
		t.Errorf("got %v\n%s", got, report)
	}
}

func TestRaggedOption(t *testing.T) {
	got, _ := inferred(t, example.TypeSequence, &infer.Options{Ragged: true}, records(t, testdata(t, "sessions.tfrecord"))...)
	wantSpec(t, feature.Spec{
		Context: feature.Features{"user": feature.FixedLen{DType: feature.String}, "country": feature.FixedLen{DType: feature.String}, "start": feature.FixedLen{DType: feature.Int64}},
		Sequence: feature.Features{
			"page": feature.Ragged{DType: feature.String}, "seconds": feature.Ragged{DType: feature.Float32}, "query": feature.Ragged{DType: feature.String},
		},
	}, got)
}

// The spec parses its records, even if a record declares more rows than a parser accepts.
func TestTooManyRows(t *testing.T) {
	ids := make([]int64, 1<<18+100)
	for i := range ids {
		ids[i] = int64(i/2) * 8
	}
	rs := encode(t, ex{"v/row_ids": example.Int64s(ids...), "v": example.Int64s(ids...)})
	spec, _ := inferred(t, example.TypeExample, nil, rs...)
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(rs...); err != nil {
		t.Error(err)
	}
}

// The result for a schema has no partitions that a schema cannot represent.
func TestSchemaOption(t *testing.T) {
	opts := &infer.Options{Schema: true}
	got, report := inferred(t, example.TypeExample, opts, records(t, testdata(t, "recipes.tfrecord"))...)
	steps := feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("steps/lengths")}}
	if d := cmp.Diff(map[string]feature.Feature{"steps/words": steps, "sections/splits": feature.VarLen{DType: feature.Int64}},
		map[string]feature.Feature{"steps/words": got.Features["steps/words"], "sections/splits": got.Features["sections/splits"]}); d != "" {
		t.Error(d)
	}
	found := false
	for _, p := range report.Pairs {
		if p.Partition == feature.RowSplits("sections/splits") && p.Of == "steps/lengths" {
			found = !p.Chosen && p.Why == "would fit, but a schema has no row_splits"
		}
	}
	if !found {
		t.Errorf("row_splits are not reported: %+v", report.Pairs)
	}
	var lists [][]byte
	for _, c := range []example.Value{example.Int64s(1), example.Int64s()} {
		m, err := example.Sequence{Context: example.Example{"c": c}, Lists: map[string][]example.Value{"l": {example.Int64s(1), example.Int64s(2)}}}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, m)
	}
	got, _ = inferred(t, example.TypeSequence, opts, lists...)
	wantSpec(t, feature.Spec{
		Context:  feature.Features{"c": feature.VarLen{DType: feature.Int64}},
		Sequence: feature.Features{"l": feature.Ragged{DType: feature.Int64}},
	}, got)
}

func TestLimits(t *testing.T) {
	in := infer.New(example.TypeExample, &infer.Options{MaxFeatures: 2})
	rs := encode(t, ex{"a": ints(1), "b": ints(1)}, ex{"a": ints(1), "c": ints(1)}, ex{"a": ints(2)})
	if err := in.Add(rs[0]); err != nil {
		t.Fatal(err)
	}
	before := in.Report()
	if err := in.Add(rs[1]); !errors.Is(err, infer.ErrLimit) {
		t.Errorf("want ErrLimit, got %v", err)
	}
	if err := in.Add([]byte{0x0a, 0x05}); err == nil {
		t.Error("a cut record was added")
	}
	if d := cmp.Diff(before, in.Report()); d != "" {
		t.Errorf("records that were not added changed the report:\n%s", d)
	}
	if err := in.Add(encode(t, ex{"a": words(1)})[0]); err != nil {
		t.Fatal(err)
	}
	if f := in.Report().Features[0]; f.Why != "left out: string in record 3, int64 in record 0" {
		t.Error(f.Why)
	}
	// a name is counted once per record, no matter how many of its examples have it
	list := example.ExampleList{Examples: []example.Example{{"a": ints(1)}, {"a": ints(1)}, {"a": ints(1), "b": ints(2)}}}
	b, err := list.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := infer.New(example.TypeExampleList, &infer.Options{MaxFeatures: 2}).Add(b); err != nil {
		t.Error(err)
	}
}

// Without records the result is empty.
func TestNothing(t *testing.T) {
	for m := example.TypeExample; m <= example.TypeExampleList; m++ {
		in := infer.New(m, nil)
		if s, err := in.Spec(); err == nil {
			t.Errorf("%v: a spec of no records: %v", m, s)
		}
		if err := in.Add(nil); err != nil {
			t.Error(err)
		}
		if s, err := in.Spec(); err == nil {
			t.Errorf("%v: a spec of an empty record: %v", m, s)
		}
	}
	if err := infer.New(0, nil).Add(nil); err == nil {
		t.Error("a record of no type was added")
	}
}

// Pairs are found no matter when features first occur, and memory does not grow with the number of records.
func TestManyRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes a second")
	}
	in := infer.New(example.TypeExample, nil)
	var early, late []byte
	for i := range int64(20_000) {
		e := ex{"a/words": words(int(1 + i%5)), "a/lengths": ints(i%2, 1+i%5-i%2)}
		if i >= 5000 {
			e["b/words"], e["b/splits"] = words(int(2+i%3)), ints(0, 1, 2+i%3)
		}
		if err := in.Add(encode(t, e)[0]); err != nil {
			t.Fatal(err)
		}
		switch i {
		case 1000:
			early = []byte(in.Report().String())
		case 19_999:
			late = []byte(in.Report().String())
		}
	}
	got, err := in.Spec()
	if err != nil {
		t.Fatal(err)
	}
	wantSpec(t, feature.Spec{Features: feature.Features{
		"a/words": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("a/lengths")}},
		"b/words": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowSplits("b/splits")}},
	}}, got)
	if len(late) > 3*len(early) {
		t.Errorf("the report grew from %d to %d bytes", len(early), len(late))
	}
	record := encode(t, ex{"a/words": words(2), "a/lengths": ints(0, 2), "b/words": words(2), "b/splits": ints(0, 1, 2)})[0]
	if n := testing.AllocsPerRun(1000, func() {
		if err := in.Add(record); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("a record like those before costs %v allocations", n)
	}
}

// For features that all look like partitions of each other the work is bounded, and the spec parses them.
func TestManyLookAlike(t *testing.T) {
	var es []ex
	for i := range int64(6) {
		e := ex{}
		for k := range 150 {
			e[fmt.Sprint("f", k)] = ints(0, 1+i%2, 3)
		}
		es = append(es, e)
	}
	_, report := inferred(t, example.TypeExample, nil, encode(t, es...)...)
	if n := len(report.Pairs); n == 0 || n > 1<<14 {
		t.Errorf("%d pairs", n)
	}
	if n := strings.Count(report.String(), "\n"); n > 150+150+40+10 {
		t.Errorf("a report of %d lines", n)
	}
}

func TestReportText(t *testing.T) {
	_, report := inferred(t, example.TypeExample, nil, records(t, testdata(t, "recipes.tfrecord"))...)
	want, err := os.ReadFile(filepath.Join("testdata", "recipes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), report.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
