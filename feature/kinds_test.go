package feature_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

func marshal(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parser(t testing.TB, s feature.Spec) *feature.Parser {
	t.Helper()
	p, err := feature.NewParser(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// outcome returns the only column of a record in ragged form, or the class of the error.
func outcome(t *testing.T, s feature.Spec, record []byte) string {
	t.Helper()
	row, err := parser(t, s).ParseSingle(record)
	for _, class := range []error{feature.ErrMissing, feature.ErrCount, feature.ErrSteps, feature.ErrIndex, feature.ErrLimit, example.ErrKind, ragged.ErrPartition} {
		if errors.Is(err, class) {
			return class.Error()
		}
	}
	if err != nil {
		return err.Error()
	}
	for _, c := range row.All() {
		return fmt.Sprint(columnRows(c))
	}
	return "no column"
}

// TestMissing has the meaning of a feature without values, for each kind.
func TestMissing(t *testing.T) {
	const (
		required = "feature: required feature is missing"
		count    = "feature: wrong number of values"
		kind     = "example: feature holds another kind"
	)
	inputs := []struct {
		what string
		m    example.Example
	}{
		{"absent", example.Example{}},
		{"no kind", example.Example{"a": {}}},
		{"empty list", example.Example{"a": example.Int64s()}},
		{"another kind", example.Example{"a": example.Floats(1)}},
		{"another kind, empty", example.Example{"a": example.Strings()}},
		{"too few", example.Example{"a": example.Int64s(5)}},
		{"too many", example.Example{"a": example.Int64s(5, 6, 7)}},
		{"right", example.Example{"a": example.Int64s(5, 6)}},
	}
	fixed := feature.FixedLen{DType: feature.Int64, Shape: []int{2}}
	withDefault := fixed
	withDefault.Default = example.Int64s(8, 9)
	blocks := feature.FixedLenSequence{DType: feature.Int64, Shape: []int{2}, Default: example.Int64s(-1)}
	bag := feature.Sparse{DType: feature.Int64, IndexKeys: []string{"a"}, ValueKey: "a", Size: []int64{10}}
	for _, c := range []struct {
		what string
		f    feature.Feature
		want [8]string // the results for the inputs above
		ctx  [8]string // the results in the context of a SequenceExample; "" if equal to want
	}{
		{"FixedLen, required", fixed, [8]string{required, required, count, kind, kind, count, count, "[5 6]"}, [8]string{1: count}},
		{"FixedLen, default", withDefault, [8]string{"[8 9]", "[8 9]", count, kind, kind, count, count, "[5 6]"}, [8]string{1: count}},
		{"FixedLenSequence", blocks, [8]string{"[]", "[]", "[]", kind, kind, count, count, "[[5 6]]"}, [8]string{}},
		{"VarLen", feature.VarLen{DType: feature.Int64}, [8]string{"[]", "[]", "[]", kind, kind, "[5]", "[5 6 7]", "[5 6]"}, [8]string{}},
		{"Sparse", bag, [8]string{"[]", "[]", "[]", kind, kind, "[{[5] 5}]", "[{[5] 5} {[6] 6} {[7] 7}]", "[{[5] 5} {[6] 6}]"}, [8]string{}},
		{"Ragged", feature.Ragged{DType: feature.Int64}, [8]string{"[]", "[]", "[]", kind, kind, "[5]", "[5 6 7]", "[5 6]"}, [8]string{}},
		{"Ragged, uniform", feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.UniformRowLength(2)}},
			[8]string{"[]", "[]", "[]", kind, kind, "ragged: invalid row partition", "ragged: invalid row partition", "[[5 6]]"}, [8]string{}},
	} {
		fs := feature.Features{"a": c.f}
		for i, in := range inputs {
			if got := outcome(t, feature.Spec{Features: fs}, marshal(t, in.m)); got != c.want[i] {
				t.Errorf("%s, %s: got %s, want %s", c.what, in.what, got, c.want[i])
			}
			if (feature.Spec{Context: fs}).Validate() != nil {
				continue
			}
			want := c.want[i]
			if c.ctx[i] != "" {
				want = c.ctx[i]
			}
			if got := outcome(t, feature.Spec{Context: fs}, marshal(t, example.Sequence{Context: in.m})); got != want {
				t.Errorf("%s, %s, context of a SequenceExample: got %s, want %s", c.what, in.what, got, want)
			}
			// The context of a list of examples is an Example.
			list := feature.Spec{Context: fs, Examples: feature.Features{}}
			if got := outcome(t, list, marshal(t, example.ExampleList{Context: in.m, HasContext: true})); got != c.want[i] {
				t.Errorf("%s, %s, context of a list: got %s, want %s", c.what, in.what, got, c.want[i])
			}
		}
	}
}

// TestMissingList is the same for feature lists.
func TestMissingList(t *testing.T) {
	const (
		required = "feature: required feature is missing"
		count    = "feature: wrong number of values"
	)
	type steps = []example.Value
	inputs := []struct {
		what string
		m    map[string][]example.Value
	}{
		{"absent", nil},
		{"no steps", map[string][]example.Value{"a": {}}},
		{"a step without kind", map[string][]example.Value{"a": steps{{}}}},
		{"an empty step", map[string][]example.Value{"a": steps{example.Int64s()}}},
		{"steps of one and two", map[string][]example.Value{"a": steps{example.Int64s(1), example.Int64s(2, 3)}}},
		{"steps of one", map[string][]example.Value{"a": steps{example.Int64s(1), example.Int64s(2)}}},
	}
	for _, c := range []struct {
		what string
		f    feature.Feature
		want [6]string
	}{
		{"FixedLenSequence", feature.FixedLenSequence{DType: feature.Int64}, [6]string{required, "[]", count, count, count, "[1 2]"}},
		{"FixedLenSequence, may be missing", feature.FixedLenSequence{DType: feature.Int64, AllowMissing: true}, [6]string{"[]", "[]", count, count, count, "[1 2]"}},
		{"VarLen", feature.VarLen{DType: feature.Int64}, [6]string{"[]", "[]", "[[]]", "[[]]", "[[1] [2 3]]", "[[1] [2]]"}},
		{"Ragged", feature.Ragged{DType: feature.Int64}, [6]string{"[]", "[]", "[[]]", "[[]]", "[[1] [2 3]]", "[[1] [2]]"}},
	} {
		for i, in := range inputs {
			got := outcome(t, feature.Spec{Sequence: feature.Features{"a": c.f}}, marshal(t, example.Sequence{Lists: in.m}))
			if got != c.want[i] {
				t.Errorf("%s, %s: got %s, want %s", c.what, in.what, got, c.want[i])
			}
		}
	}
}

// TestForms checks the form of every kind in TensorFlow, in a batch and in one row, and its ragged form.
func TestForms(t *testing.T) {
	part := []feature.Partition{feature.RowLengths("n"), feature.UniformRowLength(2)}
	uniform := []feature.Partition{feature.UniformRowLength(2)}
	dense, rag, sparse := feature.DenseForm, feature.RaggedForm, feature.SparseForm
	for _, c := range []struct {
		what                         string
		f                            feature.Feature
		batch, row, ragBatch, ragRow feature.Form
		inExamples, inExamplesRow    feature.Form
		inSequence, inSequenceRow    feature.Form
		notInSequence                bool
	}{
		{what: "FixedLen", f: feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)}, batch: dense, row: dense, ragBatch: dense, ragRow: dense, inExamples: rag, inExamplesRow: dense, notInSequence: true},
		{what: "FixedLenSequence", f: feature.FixedLenSequence{DType: feature.Int64}, batch: dense, row: dense, ragBatch: rag, ragRow: dense, inExamples: rag, inExamplesRow: dense, inSequence: dense, inSequenceRow: dense},
		{what: "VarLen", f: feature.VarLen{DType: feature.Int64}, batch: sparse, row: sparse, ragBatch: rag, ragRow: dense, inExamples: sparse, inExamplesRow: sparse, inSequence: sparse, inSequenceRow: sparse},
		{what: "Sparse", f: feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i"}, ValueKey: "a", Size: []int64{3}}, batch: sparse, row: sparse, ragBatch: rag, ragRow: dense, inExamples: sparse, inExamplesRow: sparse, notInSequence: true},
		{what: "Ragged", f: feature.Ragged{DType: feature.Int64, Partitions: part}, batch: rag, row: rag, ragBatch: rag, ragRow: rag, inExamples: rag, inExamplesRow: rag, inSequence: rag, inSequenceRow: rag},
		{what: "Ragged without partitions", f: feature.Ragged{DType: feature.Int64}, batch: rag, row: dense, ragBatch: rag, ragRow: dense, inExamples: rag, inExamplesRow: rag, inSequence: rag, inSequenceRow: rag},
		{what: "Ragged, uniform", f: feature.Ragged{DType: feature.Int64, Partitions: uniform}, batch: rag, row: dense, ragBatch: rag, ragRow: dense, inExamples: rag, inExamplesRow: rag, inSequence: rag, inSequenceRow: rag},
	} {
		fs := feature.Features{"a": c.f}
		check := func(where string, s feature.Spec, record []byte, batch, row feature.Form) {
			t.Helper()
			b := must(parser(t, s).Parse(record))
			for what, pair := range map[string]struct {
				cs   feature.Columns
				want feature.Form
			}{"batch": {b.Columns(), batch}, "row": {b.Row(0), row}} {
				col := must(pair.cs.Column("a"))
				if fmt.Sprint(col.Spec()) != fmt.Sprint(fs["a"]) {
					t.Errorf("%s: the column's spec is %v", c.what, col.Spec())
				}
				if got := col.Form(); got != pair.want {
					t.Errorf("%s, %s, %s: got %s, want %s", c.what, where, what, got, pair.want)
				}
				x, _ := feature.TensorOf[int64](col)
				if _, ok := feature.SparseOf[int64](col); ok != (pair.want == sparse) {
					t.Errorf("%s, %s, %s: SparseOf says %t", c.what, where, what, ok)
				}
				if pair.want != sparse && (x.RaggedRank() > 0) != (pair.want == rag) {
					t.Errorf("%s, %s, %s: a tensor of ragged rank %d in %s form", c.what, where, what, x.RaggedRank(), pair.want)
				}
				if y, _ := feature.TensorOf[int64](col.Ragged()); col.Ragged().Form() == sparse || (y.RaggedRank() > 0) != (col.Ragged().Form() == rag) {
					t.Errorf("%s, %s, %s: Ragged gives %s form and ragged rank %d", c.what, where, what, col.Ragged().Form(), y.RaggedRank())
				}
			}
		}
		check("Features", feature.Spec{Features: fs}, nil, c.batch, c.row)
		check("Examples", feature.Spec{Examples: fs}, marshal(t, example.ExampleList{Examples: []example.Example{{}}}), c.inExamples, c.inExamplesRow)
		if !c.notInSequence {
			if f, ok := c.f.(feature.FixedLenSequence); ok {
				f.AllowMissing = true
				fs["a"] = f
			}
			check("Sequence", feature.Spec{Sequence: fs}, nil, c.inSequence, c.inSequenceRow)
		}
		b := must(parser(t, feature.Spec{Features: feature.Features{"a": c.f}}).Parse(nil))
		if got := must(b.Columns().Column("a")).Ragged().Form(); got != c.ragBatch {
			t.Errorf("%s: Ragged of a batch gives %s, want %s", c.what, got, c.ragBatch)
		}
		if got := must(b.Row(0).Column("a")).Ragged().Form(); got != c.ragRow {
			t.Errorf("%s: Ragged of a row gives %s, want %s", c.what, got, c.ragRow)
		}
	}
}

// TestPartitionFaults has every possible error in the data of a partition, with its message.
func TestPartitionFaults(t *testing.T) {
	big := int64(1) << 62
	for _, c := range []struct {
		p    feature.Partition
		data []int64
		n    int    // number of values
		want string // the row lengths, or the error
	}{
		{feature.RowSplits("p"), []int64{0, 1, 1, 3}, 3, "[[0] [] [1 2]]"},
		{feature.RowSplits("p"), nil, 0, "[]"},
		{feature.RowSplits("p"), []int64{0}, 0, "[]"},
		{feature.RowSplits("p"), nil, 3, "row_splits: want at least 1 entry for 3 items, got 0"},
		{feature.RowSplits("p"), []int64{1, 3}, 3, "row_splits[0]: want 0, got 1"},
		{feature.RowSplits("p"), []int64{0, 2}, 3, "row_splits[1]: want 3, the number of items, got 2"},
		{feature.RowSplits("p"), []int64{0, 4}, 3, "row_splits[1]: want 0 to 3, the number of items, got 4"},
		{feature.RowSplits("p"), []int64{0, 3, 2, 3}, 3, "row_splits[2]: want 3, the number of items, got 2"},
		{feature.RowSplits("p"), []int64{0, -1, 3}, 3, "row_splits[1]: want 0 to 3, the number of items, got -1"},
		{feature.RowSplits("p"), []int64{0}, 3, "row_splits[0]: want 3, the number of items, got 0"},
		{feature.RowSplits("p"), []int64{0, big}, 3, "row_splits[1]: want 0 to 3, the number of items, got 4611686018427387904"},
		{feature.RowLengths("p"), []int64{1, 0, 2}, 3, "[[0] [] [1 2]]"},
		{feature.RowLengths("p"), nil, 0, "[]"},
		{feature.RowLengths("p"), nil, 3, "row_lengths: want lengths that add up to the 3 items, got 0"},
		{feature.RowLengths("p"), []int64{4, -1}, 3, "row_lengths[0]: want 0 to 3, the items that are left, got 4"},
		{feature.RowLengths("p"), []int64{-1, 4}, 3, "row_lengths[0]: want 0 to 3, the items that are left, got -1"},
		{feature.RowLengths("p"), []int64{1, 1}, 3, "row_lengths: want lengths that add up to the 3 items, got 2"},
		{feature.RowLengths("p"), []int64{2*big - 1 + 0, 2*big - 1 + 0, 5}, 3, "row_lengths[0]: want 0 to 3, the items that are left, got 9223372036854775807"},
		{feature.RowStarts("p"), []int64{0, 1, 1}, 3, "[[0] [] [1 2]]"},
		{feature.RowStarts("p"), nil, 0, "[]"},
		{feature.RowStarts("p"), []int64{0, 0}, 0, "[[] []]"},
		{feature.RowStarts("p"), nil, 3, "row_starts: want at least 1 entry for 3 items, got 0"},
		{feature.RowStarts("p"), []int64{1}, 3, "row_starts[0]: want 0, got 1"},
		{feature.RowStarts("p"), []int64{0, 4}, 3, "row_starts[1]: want 0 to 3, the number of items, got 4"},
		{feature.RowStarts("p"), []int64{0, 2, 1}, 3, "row_starts[2]: want 2 to 3, the number of items, got 1"},
		{feature.RowLimits("p"), []int64{1, 1, 3}, 3, "[[0] [] [1 2]]"},
		{feature.RowLimits("p"), nil, 0, "[]"},
		{feature.RowLimits("p"), nil, 3, "row_limits: want at least 1 entry for 3 items, got 0"},
		{feature.RowLimits("p"), []int64{-1, 3}, 3, "row_limits[0]: want 0 to 3, the number of items, got -1"},
		{feature.RowLimits("p"), []int64{2}, 3, "row_limits[0]: want 3, the number of items, got 2"},
		{feature.RowLimits("p"), []int64{3, 4}, 3, "row_limits[1]: want 3, the number of items, got 4"},
		{feature.ValueRowIDs("p"), []int64{0, 2, 2}, 3, "[[0] [] [1 2]]"},
		{feature.ValueRowIDs("p"), nil, 0, "[]"},
		{feature.ValueRowIDs("p"), nil, 3, "value_row_ids: want a row for each of 3 items, got 0"},
		{feature.ValueRowIDs("p"), []int64{0, 1}, 3, "value_row_ids: want a row for each of 3 items, got 2"},
		{feature.ValueRowIDs("p"), []int64{-1, 0, 0}, 3, "value_row_ids[0]: want at least 0, got -1"},
		{feature.ValueRowIDs("p"), []int64{1, 0, 1}, 3, "value_row_ids[1]: want at least 1, got 0"},
		{feature.UniformRowLength(2), nil, 4, "[[0 1] [2 3]]"},
		{feature.UniformRowLength(2), nil, 3, "uniform_row_length: want a multiple of 2 items, got 3"},
	} {
		values := make([]int64, c.n)
		for i := range values {
			values[i] = int64(i)
		}
		m := example.Example{"v": example.Int64s(values...)}
		if c.data != nil {
			m["p"] = example.Int64s(c.data...)
		}
		// Once as the only partition, once over another.
		for _, inner := range [][]feature.Partition{nil, {feature.RowLengths("one")}} {
			ones := make([]int64, c.n)
			for i := range ones {
				ones[i] = 1
			}
			m["one"] = example.Int64s(ones...)
			f := feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: append([]feature.Partition{c.p}, inner...)}
			row, err := parser(t, feature.Spec{Features: feature.Features{"r": f}}).ParseSingle(marshal(t, m))
			got := ""
			var fault *feature.Error
			if errors.As(err, &fault) {
				got = errors.Unwrap(fault).Error()[len("ragged: invalid row partition: "):]
				key := "p"
				if _, ok := c.p.(feature.UniformRowLength); ok {
					key = "v"
				}
				if fault.Feature != "r" || fault.Key != key || fault.Partition != 0 || !errors.Is(err, ragged.ErrPartition) {
					t.Errorf("%T %v: wrong coordinates: %#v", c.p, c.data, fault)
				}
			} else {
				col := must(row.Column("r"))
				x, _ := feature.TensorOf[int64](col)
				if inner != nil {
					x = mergeOnes(x)
				}
				got = fmt.Sprint(nested(x))
			}
			if got != c.want {
				t.Errorf("%T %v over %d items: got %s, want %s", c.p, c.data, c.n, got, c.want)
			}
		}
	}
}

// mergeOnes removes the innermost level of a tensor if all of its rows have length one.
func mergeOnes(t ragged.Tensor[int64]) ragged.Tensor[int64] {
	return must(ragged.New(t.Values(), nil, t.Partition(0)))
}
