package feature_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// sameColumn says where two columns differ, in any of their forms.
func sameColumn(a, b feature.Column) error {
	switch a.DType() {
	case feature.Int64:
		return sameTyped(a, b, func(x, y int64) bool { return x == y })
	case feature.Float32:
		return sameTyped(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
	}
	return sameTyped(a, b, func(x, y string) bool { return x == y })
}

func sameTyped[T feature.Element](a, b feature.Column, eq func(T, T) bool) error {
	if a.Form() != b.Form() || a.DType() != b.DType() || a.Group() != b.Group() {
		return fmt.Errorf("%s %s %s, want %s %s %s", b.Group(), b.Form(), b.DType(), a.Group(), a.Form(), a.DType())
	}
	for _, form := range []func(feature.Column) feature.Column{
		func(c feature.Column) feature.Column { return c },
		feature.Column.Ragged,
	} {
		x, _ := feature.TensorOf[T](form(a))
		y, _ := feature.TensorOf[T](form(b))
		if err := y.Validate(); err != nil {
			return err
		}
		if !ragged.EqualFunc(x, y, eq) {
			return fmt.Errorf("got %v, want %v", nested(y), nested(x))
		}
		for i := range x.RaggedRank() {
			n, u := x.Partition(i).UniformLen()
			if m, v := y.Partition(i).UniformLen(); n != m || u != v {
				return fmt.Errorf("partition %d is not uniform in both", i)
			}
		}
	}
	s, _ := feature.SparseOf[T](a)
	r, _ := feature.SparseOf[T](b)
	if !slices.Equal(s.Indices, r.Indices) || !slices.Equal(s.Shape, r.Shape) || !slices.EqualFunc(s.Values, r.Values, eq) {
		return fmt.Errorf("sparse: got %v, want %v", r, s)
	}
	m, _ := a.Lengths()
	n, _ := b.Lengths()
	if !ragged.Equal(m, n) {
		return fmt.Errorf("lengths: got %v, want %v", nested(n), nested(m))
	}
	return nil
}

func sameBatch(t *testing.T, want, got *feature.Batch) {
	t.Helper()
	if want.Len() != got.Len() {
		t.Fatalf("%d rows, want %d", got.Len(), want.Len())
	}
	for _, g := range []feature.Group{feature.InFeatures, feature.InContext, feature.InSequence, feature.InExamples} {
		for name, c := range want.Columns().In(g).All() {
			d, err := got.Columns().In(g).Column(name)
			if err == nil {
				err = sameColumn(c, d)
			}
			if err != nil {
				t.Fatalf("%s %q: %v\n%s", g, name, err, specText(want.Parser().Spec()))
			}
		}
	}
}

// tableOf makes new columns of the tensors of a batch.
func tableOf(b *feature.Batch) feature.Table {
	t := feature.Table{Features: map[string]feature.Column{}, Context: map[string]feature.Column{}, Sequence: map[string]feature.Column{}, Examples: map[string]feature.Column{}}
	for name, c := range b.Columns().All() {
		d := c
		switch c.DType() {
		case feature.Int64:
			d = newColumn[int64](c)
		case feature.Float32:
			d = newColumn[float32](c)
		case feature.String:
			d = newColumn[string](c)
		}
		switch c.Group() {
		case feature.InFeatures:
			t.Features[name] = d
		case feature.InContext:
			t.Context[name] = d
		case feature.InSequence:
			t.Sequence[name] = d
		case feature.InExamples:
			t.Examples[name] = d
		}
	}
	return t
}

func newColumn[T feature.Element](c feature.Column) feature.Column {
	v, _ := feature.TensorOf[T](c.Ragged())
	if ix, ok := c.Indices(); ok {
		return feature.NewSparseColumn(v, ix)
	}
	return feature.NewColumn(v)
}

// roundTrip encodes a batch, parses that, and compares: as it is, and by way of new
// columns made of its tensors.
func roundTrip(t *testing.T, b *feature.Batch) {
	t.Helper()
	records, err := b.Encode()
	if errors.Is(err, feature.ErrColumn) && sharesSparse(b.Parser().Spec()) {
		return
	}
	if err != nil {
		t.Fatalf("encode: %v\n%s", err, specText(b.Parser().Spec()))
	}
	again, err := b.Parser().Parse(records...)
	if err != nil {
		t.Fatalf("parse what was encoded: %v\n%x\n%s", err, records, specText(b.Parser().Spec()))
	}
	sameBatch(t, b, again)
	made, err := encode(b.Parser(), tableOf(b))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(made, records, slices.Equal) {
		t.Fatalf("columns made anew encode otherwise: %x, want %x", made, records)
	}
	for i, r := range records {
		if err := b.Parser().Message().Validate(r); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
}

// sharesSparse reports whether a Sparse feature shares a key: what is sorted in its
// column is not in another's, and both cannot be written under that key.
func sharesSparse(s feature.Spec) bool {
	for _, fs := range s.Groups() {
		count := map[string]int{}
		for _, f := range fs {
			if q, ok := f.(feature.Sparse); ok {
				for _, k := range append(q.IndexKeys, q.ValueKey) {
					if count[k]++; count[k] > 1 {
						return true
					}
				}
			}
		}
		for name, f := range fs {
			if _, ok := f.(feature.VarLen); ok && count[name] > 0 {
				return true
			}
		}
	}
	return false
}

func TestEncode(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range uint64(testkit.Rounds(4000)) {
		g := random.New(nil, seed)
		encodeRandom(t, g)
	}
}

func encodeRandom(t *testing.T, g *random.Gen) {
	spec := g.Spec()
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBatch()
	for range g.N(5) {
		// Where keys are shared the data may not fit; the others must.
		b.Append(g.Record(spec, false))
	}
	roundTrip(t, b)
}

// FuzzEncode checks that Parse(Encode(x)) is x for any spec and any x.
func FuzzEncode(f *testing.F) {
	for seed := range uint64(50) {
		f.Add([]byte(nil), seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		encodeRandom(t, random.New(data, seed))
	})
}

// TestEncodedByExample checks our bytes against those of package example.
func TestEncodedByExample(t *testing.T) {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"i": feature.VarLen{DType: feature.Int64},
		"f": feature.FixedLen{DType: feature.Float32, Shape: []int{2}},
		"s": feature.VarLen{DType: feature.String},
		"":  feature.VarLen{DType: feature.String},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []example.Example{
		{"i": example.Int64s(1, -1, 300), "f": example.Floats(1, 2), "s": example.Strings("x", ""), "": example.Strings()},
		{"i": example.Int64s(), "f": example.Floats(0, 0), "s": example.Strings(), "": example.Strings("\xff")},
	} {
		record, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Parse(record)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.AppendRecord([]byte("before"), 0)
		if err != nil || string(got) != "before"+string(record) {
			t.Errorf("got %x, want %x (%v)", got, record, err)
		}
	}
}

// columns counts columns.
func columns(cs feature.Columns) int {
	n := 0
	for range cs.All() {
		n++
	}
	return n
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAssembleErrors(t *testing.T) {
	ints := func(n ...int64) feature.Column { return feature.NewColumn(ragged.Vector(n...)) }
	rows := func(splits []int64, n ...int64) feature.Column {
		return feature.NewColumn(must(ragged.New(n, nil, must(ragged.FromRowSplits(splits)))))
	}
	spec := feature.Features{"a": feature.FixedLen{DType: feature.Int64}, "b": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n"), feature.UniformRowLength(2)}}}
	good := must(ragged.New([]int64{1, 2, 3, 4}, []int{2}, must(ragged.FromRowSplits([]int64{0, 1})), must(ragged.FromRowSplits([]int64{0, 2}))))
	for _, c := range []struct {
		what string
		spec feature.Features
		cols map[string]feature.Column
		want string // "" if it fits
	}{
		{"all is well", spec, map[string]feature.Column{"a": ints(1), "b": feature.NewColumn(good)}, ""},
		{"a missing column", spec, map[string]feature.Column{"a": ints(1)}, `feature "b": column does not fit the spec: want a column, got none`},
		{"a column too many", spec, map[string]feature.Column{"a": ints(1), "b": feature.NewColumn(good), "c": ints(1)}, `feature "c": column does not fit the spec: want a column that the spec has`},
		{"other rows", spec, map[string]feature.Column{"a": ints(1, 2), "b": feature.NewColumn(good)}, `feature "b": column does not fit the spec: want 2 rows, as the first column has, got 1`},
		{"another dtype", spec, map[string]feature.Column{"a": feature.NewColumn(ragged.Vector("x")), "b": feature.NewColumn(good)}, `feature "a": column does not fit the spec: want int64, got string`},
		{"another rank", spec, map[string]feature.Column{"a": ints(1), "b": ints(1)}, `feature "b": column does not fit the spec: want shape [rows, ragged, ragged, 2], got [rows]`},
		{"a scalar", spec, map[string]feature.Column{"a": feature.NewColumn(ragged.Scalar[int64](1)), "b": feature.NewColumn(good)}, `feature "a": column does not fit the spec: want a column with an axis of rows, got one without`},
		{"an empty column", spec, map[string]feature.Column{"a": {}, "b": feature.NewColumn(good)}, `feature "a": column does not fit the spec: want a column with an axis of rows, got one without`},
		{"a row that is not uniform", feature.Features{"a": feature.FixedLen{DType: feature.Int64, Shape: []int{2}}}, map[string]feature.Column{"a": rows([]int64{0, 2, 5}, 1, 2, 3, 4, 5)}, `feature "a": column does not fit the spec: want shape [rows, 2], got [rows, ragged], with a row of length 3 at axis 1`},
		{"rows that happen to be uniform", feature.Features{"a": feature.FixedLen{DType: feature.Int64, Shape: []int{2}}}, map[string]feature.Column{"a": rows([]int64{0, 2, 4}, 1, 2, 3, 4)}, ""},
		{"a dense column for a list", feature.Features{"a": feature.VarLen{DType: feature.Int64}}, map[string]feature.Column{"a": feature.NewColumn(must(ragged.Dense([]int64{1, 2, 3, 4}, 2, 2)))}, ""},
		{"an index outside", feature.Features{"a": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{3}}}, map[string]feature.Column{"a": sparseColumn(3)}, `feature "a": column does not fit the spec: want indices at least 0 and less than the size [3], got others`},
		{"an index inside", feature.Features{"a": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{3}}}, map[string]feature.Column{"a": sparseColumn(2)}, ""},
		{"no indices", feature.Features{"a": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{3}}}, map[string]feature.Column{"a": rows([]int64{0, 1}, 1)}, `feature "a": column does not fit the spec: want 1 indices beside every value, got 0`},
		{"trailing empty rows as ids", feature.Features{"a": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.ValueRowIDs("n")}}}, map[string]feature.Column{"a": feature.NewColumn(must(ragged.New([]int64{1}, nil, must(ragged.FromRowSplits([]int64{0, 2})), must(ragged.FromRowSplits([]int64{0, 1, 1})))))},
			`record 0: feature "a" (key "n"): partition 0: column does not fit the spec: want items in the last row: value_row_ids cannot express an empty last row, got none`},
		{"a shared key with two values", feature.Features{"a": feature.Ragged{DType: feature.Int64, ValueKey: "v"}, "b": feature.Ragged{DType: feature.Int64, ValueKey: "v"}}, map[string]feature.Column{"a": rows([]int64{0, 1}, 1), "b": rows([]int64{0, 1}, 2)},
			`record 0: feature "b" (key "v"): column does not fit the spec: want the values of this key that "a" has, got others`},
	} {
		p, err := feature.NewParser(feature.Spec{Features: c.spec}, nil)
		if err != nil {
			t.Fatal(err)
		}
		records, err := encode(p, feature.Table{Features: c.cols})
		got := ""
		if err != nil {
			got = err.Error()
			if e, ok := errors.AsType[*feature.Error](err); ok && strings.HasPrefix(err.Error(), "record 0: ") != (e.Record == 0) {
				t.Errorf("%s: the record is not in a field: %#v", c.what, e)
			}
			if !errors.Is(err, feature.ErrColumn) {
				t.Errorf("%s: %v is not ErrColumn", c.what, err)
			}
		} else if _, err := p.Parse(records...); err != nil {
			t.Errorf("%s: what was encoded does not parse: %v", c.what, err)
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.what, got, c.want)
		}
	}
	p, err := feature.NewParser(feature.Spec{Features: spec}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encode(p, feature.Table{Context: map[string]feature.Column{"x": ints(1)}}); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want three errors at once, got %v", err)
	}
}

// encode writes columns as records.
func encode(p *feature.Parser, t feature.Table) ([][]byte, error) {
	b, err := p.Assemble(t)
	if err != nil {
		return nil, err
	}
	return b.Encode()
}

func sparseColumn(index int64) feature.Column {
	part := must(ragged.FromRowSplits([]int64{0, 1}))
	return feature.NewSparseColumn(must(ragged.New([]int64{7}, nil, part)), must(ragged.New([]int64{index}, []int{1}, part)))
}
