package dataset_test

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// The rows of a parsed batch that have tags, in batches of two.
func ExampleFromBatch() {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"age":  feature.FixedLen{DType: feature.Int64},
		"tags": feature.Ragged{DType: feature.String},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	batch := parser.NewBatch()
	for i, tags := range [][]string{{"new", "vip"}, {}, {"new"}, {"old", "vip", "pro"}} {
		record, err := example.Example{"age": example.Int64s(int64(30 + i)), "tags": example.Strings(tags...)}.MarshalBinary()
		if err == nil {
			err = batch.Append(record)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	tagged := func(row feature.Columns) (bool, error) {
		tags, err := feature.ColumnOf[string](row, "tags")
		return tags.Size() > 0, err
	}
	for rows, err := range dataset.FromBatch(batch).Filter(tagged).Batch(2, nil).All() {
		if err != nil {
			log.Fatal(err)
		}
		age, _ := feature.ColumnOf[int64](rows, "age")
		tags, _ := feature.ColumnOf[string](rows, "tags")
		fmt.Println(age, tags)
	}
	// Output:
	// [30, 32] [['new', 'vip'], ['new']]
	// [33] [['old', 'vip', 'pro']]
}

// batchOf returns a batch of five records.
func batchOf(t *testing.T, spec feature.Spec, opts *feature.ParserOptions, record func(i int) ([]byte, error)) *feature.Batch {
	t.Helper()
	p, err := feature.NewParser(spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBatch()
	for i := range 5 {
		r, err := record(i)
		if err == nil {
			err = b.Append(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// sequences returns a batch of SequenceExamples; "text" is in the context and in the feature lists.
func sequences(t *testing.T) *feature.Batch {
	t.Helper()
	return batchOf(t, feature.Spec{
		Context:  feature.Features{"user": feature.FixedLen{DType: feature.Int64, Shape: []int{2}}, "text": feature.Ragged{DType: feature.String}},
		Sequence: feature.Features{"text": feature.Ragged{DType: feature.String}, "n": feature.FixedLenSequence{DType: feature.Int64}, "v": feature.VarLen{DType: feature.String}},
	}, nil, func(i int) ([]byte, error) {
		words := example.Strings(slices.Repeat([]string{fmt.Sprint("w", i)}, i)...)
		steps := slices.Repeat([]example.Value{words}, i)
		return example.Sequence{
			Context: example.Example{"user": example.Int64s(int64(i), -1), "text": words},
			Lists:   map[string][]example.Value{"text": steps, "v": steps, "n": slices.Repeat([]example.Value{example.Int64s(int64(i))}, i)},
		}.MarshalBinary()
	})
}

// examples returns a batch of Examples with padding and sparse columns.
func examples(t *testing.T, opts *feature.ParserOptions) *feature.Batch {
	t.Helper()
	return batchOf(t, feature.Spec{Features: feature.Features{
		"tags":   feature.VarLen{DType: feature.String},
		"blocks": feature.FixedLenSequence{DType: feature.Float32},
		"bag":    feature.Sparse{DType: feature.Float32, IndexKeys: []string{"i"}, ValueKey: "w", Size: []int64{9}},
	}}, opts, func(i int) ([]byte, error) {
		floats := example.Floats([]float32{5, 6, 7, 8}[i:]...)
		return example.Example{
			"tags": example.Strings(slices.Repeat([]string{fmt.Sprint("w", i)}, i)...), "blocks": floats, "w": floats, "i": example.Int64s([]int64{1, 3, 5, 7}[i:]...),
		}.MarshalBinary()
	})
}

// TestFromBatchSlices compares FromBatch with SlicesOf a struct of the batch's tensors, as elements,
// in batches, and after Unbatch.
func TestFromBatchSlices(t *testing.T) {
	type row struct {
		user  ragged.Tensor[int64]
		text  ragged.Tensor[string]
		lists ragged.Tensor[string]
	}
	of := func(c feature.Columns) (r row, err error) {
		var err1, err2, err3 error
		r.user, err1 = feature.ColumnOf[int64](c, "user")
		r.text, err2 = feature.ColumnOf[string](c.In(feature.InContext), "text")
		r.lists, err3 = feature.ColumnOf[string](c.In(feature.InSequence), "text")
		return r, errors.Join(err1, err2, err3)
	}
	b := sequences(t)
	whole, err := of(b.Columns())
	if err != nil {
		t.Fatal(err)
	}
	long := dataset.SlicesOf(whole,
		dataset.Tensor("user", func(r *row) *ragged.Tensor[int64] { return &r.user }, dataset.Spec{}),
		dataset.Tensor("text", func(r *row) *ragged.Tensor[string] { return &r.text }, dataset.Spec{}),
		dataset.Tensor("lists", func(r *row) *ragged.Tensor[string] { return &r.lists }, dataset.Spec{}))
	short := dataset.FromBatch(b)
	drop := &dataset.BatchOptions{DropRemainder: true, Ragged: true}
	for name, c := range map[string]struct {
		short dataset.Dataset[feature.Columns]
		long  dataset.Dataset[row]
		n     int
	}{
		"rows":             {short, long, 5},
		"every other row":  {short.Shard(2, 1), long.Shard(2, 1), 2},
		"batches":          {short.Batch(2, nil), long.Batch(2, nil), 3},
		"ragged batches":   {short.Skip(1).Batch(2, drop), long.Skip(1).Batch(2, drop), 2},
		"rows of batches":  {short.Batch(3, nil).Unbatch(), long.Batch(3, nil).Unbatch(), 5},
		"batches of those": {short.Batch(3, nil).Unbatch().Repeat(2).Batch(4, nil), long.Repeat(2).Batch(4, nil), 3},
	} {
		got, err := dataset.Map(c.short, of).Collect()
		want, err2 := c.long.Collect()
		if err != nil || err2 != nil || len(got) != c.n {
			t.Errorf("%s: %d elements, want %d: %v, %v", name, len(got), c.n, err, err2)
			continue
		}
		for i, w := range want {
			if g := got[i]; !ragged.Equal(g.user, w.user) || !ragged.Equal(g.text, w.text) || !ragged.Equal(g.lists, w.lists) {
				t.Errorf("%s, element %d: got %v, want %v", name, i, g, w)
			}
		}
	}
}

// TestFromBatchForms compares columns of every form: each row with the result of ParseSingle for its
// record, and a batch of all rows, made while the rows are valid, with the original batch.
func TestFromBatchForms(t *testing.T) {
	for _, b := range []*feature.Batch{sequences(t), examples(t, nil)} {
		records, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for row, err := range dataset.FromBatch(b).All() {
			if err != nil {
				t.Fatal(err)
			}
			want, err := b.Parser().ParseSingle(records[i])
			if err != nil {
				t.Fatal(err)
			}
			if g, w := formsOf(row), formsOf(want); g != w {
				t.Errorf("row %d: got\n%swant\n%s", i, g, w)
			}
			i++
		}
		all, err := dataset.FromBatch(b).Batch(9, nil).Collect()
		if err != nil || i != 5 || len(all) != 1 {
			t.Fatalf("%d rows, %d batches: %v", i, len(all), err)
		}
		want := formsOf(b.Columns())
		b.Reset()
		if got := formsOf(all[0]); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// formsOf returns the text of every column in TensorFlow's form, and without padding.
func formsOf(cs feature.Columns) string {
	out := ""
	for name, c := range cs.All() {
		out += fmt.Sprint(c.Group(), " ", name, " ")
		for _, c := range []feature.Column{c, c.Ragged()} {
			ints, _ := feature.TensorOf[int64](c)
			floats, _ := feature.TensorOf[float32](c)
			strings, _ := feature.TensorOf[string](c)
			out += fmt.Sprintln(c.Form(), ints, floats, strings)
		}
		ints, _ := feature.SparseOf[int64](c)
		floats, _ := feature.SparseOf[float32](c)
		strings, _ := feature.SparseOf[string](c)
		out += fmt.Sprintln(ints, floats, strings)
	}
	return out
}

// TestFromBatchErrors batches elements that are not rows, rows of another parser, and rows that
// together need more padding than the parser allows.
func TestFromBatchErrors(t *testing.T) {
	b := examples(t, nil)
	d := dataset.FromBatch(b)
	to := func(c feature.Columns) dataset.Dataset[feature.Columns] {
		return dataset.Map(d.Skip(1), func(feature.Columns) (feature.Columns, error) { return c, nil }).WithComponents(d.Components()...)
	}
	for name, c := range map[string]struct {
		dataset dataset.Dataset[feature.Columns]
		want    error
	}{
		"a batch":            {to(b.Columns()).Batch(2, nil), ragged.ErrShape},
		"no columns":         {to(feature.Columns{}).Batch(2, nil), ragged.ErrShape},
		"another parser":     {to(examples(t, nil).Row(0)).Batch(2, nil), feature.ErrColumn},
		"rows taken apart":   {d.Unbatch(), ragged.ErrShape},
		"nothing is known":   {dataset.Map(d, func(c feature.Columns) (feature.Columns, error) { return c, nil }).Batch(2, nil), dataset.ErrArgument},
		"too much padding":   {dataset.FromBatch(examples(t, &feature.ParserOptions{MaxPadded: 24})).Repeat(2).Batch(9, nil), feature.ErrLimit},
		"no rows in batches": {d.Batch(0, nil), dataset.ErrArgument},
	} {
		got, err := c.dataset.Collect()
		var fault *dataset.Error
		if !errors.Is(err, c.want) || !errors.As(err, &fault) || len(got) > 0 {
			t.Errorf("%s: %d elements, %v; want %v", name, len(got), err, c.want)
		}
	}
	b.Reset()
	if got, err := d.Collect(); err != nil || len(got) > 0 {
		t.Errorf("after Reset: %d rows, %v", len(got), err)
	}
}
