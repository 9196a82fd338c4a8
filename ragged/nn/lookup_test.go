package nn_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/nn"
)

// A sample is a random table, and IDs of a random shape with weights.
type sample struct {
	table   ragged.Tensor[float64]
	ids     ragged.Tensor[int32]
	weights ragged.Tensor[float64]
}

// random makes a sample; levels is the ragged rank of its IDs. Values are small whole numbers,
// so that sums are exact in any order.
func random(t *testing.T, r *rand.Rand, levels int, least int32) sample {
	t.Helper()
	var s sample
	rows, inner := 1+r.IntN(5), [][]int{{}, {1}, {3}, {4}, {8}, {2, 3}, {0}}[r.IntN(7)]
	shape := append([]int{rows}, inner...)
	cells := make([]float64, must(ragged.SizeOf(shape))(t))
	for i := range cells {
		cells[i] = float64(r.IntN(9) - 4)
	}
	s.table = must(ragged.Dense(cells, shape...))(t)
	parts, n := []ragged.Partition{}, r.IntN(4)
	for range levels {
		lengths := make([]int64, n)
		for i := range lengths {
			lengths[i] = int64(r.IntN(4))
		}
		p := must(ragged.FromRowLengths(lengths))(t)
		parts, n = append(parts, p), p.NumValues()
	}
	ids, weights := make([]int32, n), make([]float64, n)
	for i := range ids {
		ids[i], weights[i] = least+r.Int32N(int32(rows)-least), float64(r.IntN(5)+int(least))
	}
	s.ids = must(ragged.Wrap(ragged.Vector(ids...), parts...))(t)
	s.weights = must(operand.Like(s.ids, weights))(t)
	return s
}

// embedding returns a row of the table, scaled to a norm of at most most.
func (s sample) embedding(id int32, most float64) []float64 {
	e := slices.Clone(s.table.Row(int(id)).Values())
	sum := 0.0
	for _, v := range e {
		sum += v * v
	}
	if norm := math.Sqrt(sum); most > 0 && norm > most {
		for i := range e {
			e[i] = e[i] * most / norm
		}
	}
	return e
}

// combined combines the embeddings of a row of IDs by the definition.
func (s sample) combined(ids []int32, weights []float64, c nn.Combiner, most float64, safe bool, def int) []float64 {
	out := make([]float64, s.table.Row(0).Size())
	sum, squares, used := 0.0, 0.0, false
	for i, id := range ids {
		if safe && (id < 0 || c != nn.Sum && weights[i] <= 0) {
			continue
		}
		used = true
		for k, v := range s.embedding(id, most) {
			out[k] += v * weights[i]
		}
		sum, squares = sum+weights[i], squares+weights[i]*weights[i]
	}
	if !used {
		if def >= 0 {
			return s.embedding(int32(def), most)
		}
		return out
	}
	by := 1.0
	switch c {
	case nn.Mean:
		by = sum
	case nn.SqrtN:
		by = math.Sqrt(squares)
	}
	for k := range out {
		if out[k] /= by; by == 0 {
			out[k] = 0
		}
	}
	return out
}

// rowsOf yields every row of the last axis.
func rowsOf(t ragged.Tensor[int32]) ragged.Partition { return t.Partition(t.RaggedRank() - 1) }

// TestLookup compares with a lookup of single embeddings.
func TestLookup(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 300 {
		s := random(t, r, r.IntN(3), 0)
		most := []float64{0, 0, 2, 3.5}[r.IntN(4)]
		got, err := nn.Lookup(s.table, s.ids, &nn.LookupOptions{MaxNorm: most})
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{}
		for _, id := range s.ids.Values() {
			want = append(want, s.embedding(id, most)...)
		}
		if !slices.EqualFunc(got.Values(), want, near) {
			t.Fatalf("%v in %v, at most %v: got %v, want %v", s.ids, s.table, most, got, want)
		}
		shape := append(s.ids.Shape(), s.table.Shape()[1:]...)
		if !slices.Equal(got.Shape(), shape) || !slices.EqualFunc(got.Partitions(), s.ids.Partitions(), ragged.Partition.Equal) || got.Validate() != nil {
			t.Fatalf("%v in %v: got shape %v, want %v", s.ids, s.table, got.Shape(), shape)
		}
	}
	// A scalar id.
	table := must(ragged.Dense([]float32{1, 2, 3, 4}, 2, 2))(t)
	if got := must(nn.Lookup(table, ragged.Scalar(uint8(1)), nil))(t); !slices.Equal(got.Shape(), []int{2}) || got.Values()[1] != 4 {
		t.Errorf("a scalar: %v", got)
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*(math.Abs(a)+math.Abs(b)) }

// TestLookupRows compares every combiner, with and without weights, with the definition.
func TestLookupRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 600 {
		safe := r.IntN(2) == 0
		least := int32(0)
		if safe {
			least = -2 // IDs and weights that SafeLookupRows leaves out
		}
		s := random(t, r, 1+r.IntN(2), least)
		opts := &nn.RowsOptions[float64]{Combiner: nn.Combiner(r.IntN(3)), MaxNorm: []float64{0, 0, 2.5}[r.IntN(3)]}
		weights := slices.Repeat([]float64{1}, s.ids.Size())
		if r.IntN(2) == 0 {
			opts.Weights, weights = &s.weights, s.weights.Values()
		}
		def := r.IntN(s.table.Len()+1) - 1
		var got ragged.Tensor[float64]
		var err error
		if safe {
			got, err = nn.SafeLookupRows(s.table, s.ids, def, opts)
		} else {
			def = -1
			got, err = nn.LookupRows(s.table, s.ids, opts)
		}
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		p := rowsOf(s.ids)
		for row := range p.NumRows() {
			lo, hi := p.Bounds(row)
			want = append(want, s.combined(s.ids.Values()[lo:hi], weights[lo:hi], opts.Combiner, opts.MaxNorm, safe, def)...)
		}
		if !slices.EqualFunc(got.Values(), want, near) {
			t.Fatalf("%v, weights %v, in %v, %+v, safe %v, default %d: got %v, want %v", s.ids, weights, s.table, opts, safe, def, got, want)
		}
		shape := append(s.ids.Shape()[:s.ids.Rank()-1], s.table.Shape()[1:]...)
		if !slices.Equal(got.Shape(), shape) || got.Validate() != nil {
			t.Fatalf("%v in %v: got shape %v, want %v", s.ids, s.table, got.Shape(), shape)
		}
	}
}

// TestLookupDenseIDs looks up a dense matrix of IDs.
func TestLookupDenseIDs(t *testing.T) {
	table := must(ragged.Dense([]float32{1, 2, 4}, 3, 1))(t)
	for _, c := range []struct {
		combiner nn.Combiner
		name     string
		want     []float32
	}{{nn.Mean, "mean", []float32{1.5, 4}}, {nn.Sum, "sum", []float32{3, 8}}, {nn.SqrtN, "sqrtn", []float32{float32(3 / math.Sqrt2), float32(8 / math.Sqrt2)}}} {
		got := must(nn.LookupRows(table, must(ragged.Dense([]int64{0, 1, 2, 2}, 2, 2))(t), &nn.RowsOptions[float32]{Combiner: c.combiner}))(t)
		if !slices.EqualFunc(got.Values(), c.want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) || !slices.Equal(got.Shape(), []int{2, 1}) {
			t.Errorf("%v: got %v, want %v", c.combiner, got, c.want)
		}
		if c.combiner.String() != c.name {
			t.Errorf("%v is called %s", c.combiner, c.name)
		}
	}
	if s := nn.Combiner(9).String(); s != "Combiner(9)" {
		t.Error(s)
	}
}

// TestLookupRefuses checks what errors wrap, and that they give the position of an ID.
func TestLookupRefuses(t *testing.T) {
	table := must(ragged.Dense([]float32{1, 2, 3, 4}, 2, 2))(t)
	ids := must(ragged.FromSlices[int64]([][][]int64{{{0}, {}}, {}, {{1, 1}, {0, 2}}}))(t)
	for name, err := range map[string]error{
		"lookup": second(nn.Lookup(table, ids, nil)),
		"rows":   second(nn.LookupRows(table, ids, nil)),
		"safe":   second(nn.SafeLookupRows(table, ids, 0, nil)),
	} {
		var bad *ragged.ValueError
		if !errors.As(err, &bad) || !slices.Equal(bad.At, []int{2, 1, 1}) || bad.Want != "an ID from 0 to 1" || !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"negative id":      second(nn.Lookup(table, ragged.Vector(-1), nil)),
		"least id":         second(nn.Lookup(table, ragged.Vector[int64](math.MinInt64), nil)),
		"greatest id":      second(nn.LookupRows(table, must(ragged.FromSlices[uint64]([][]uint64{{math.MaxUint64}}))(t), nil)),
		"negative in rows": second(nn.LookupRows(table, must(ragged.FromSlices[int8]([][]int8{{-1}}))(t), nil)),
		"default":          second(nn.SafeLookupRows(table, must(ragged.FromSlices[int8]([][]int8{{}}))(t), 2, nil)),
	} {
		if !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: %v", name, err)
		}
	}
	vector := ragged.Vector[float32](1)
	const huge = 1 << 26 // a result of 64 rows of this size is refused
	many := must(ragged.New[int64](nil, nil, must(ragged.FromRowLengths(make([]int64, 64)))(t)))(t)
	for name, err := range map[string]error{
		"ragged table":     second(nn.Lookup(must(ragged.FromDense(table, 1))(t), ids, nil)),
		"scalar table":     second(nn.Lookup(ragged.Scalar[float32](1), ids, nil)),
		"other weights":    second(nn.LookupRows(table, ids, &nn.RowsOptions[float32]{Weights: &vector})),
		"a vector of ids":  second(nn.LookupRows(table, ragged.Vector(0), nil)),
		"ids with cells":   second(nn.LookupRows(table, must(ragged.New([]int{0}, []int{1}, must(ragged.Uniform(1, 1))(t)))(t), nil)),
		"zeros of nothing": second(nn.LookupRows(must(ragged.Dense[float32](nil, 0, huge))(t), many, nil)),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := nn.LookupRows(table, ids, &nn.RowsOptions[float32]{Combiner: 3}); err == nil {
		t.Error("no combiner of that number")
	}
}

func second[T any](_ T, err error) error { return err }

// TestLookupNothing looks up no IDs, no rows, and IDs in a table without rows.
func TestLookupNothing(t *testing.T) {
	empty := must(ragged.Dense[float32](nil, 0, 3))(t)
	rows := must(ragged.FromSlices[int64]([][]int64{{}, {}}))(t)
	if got := must(nn.Lookup(empty, rows, nil))(t); got.Size() != 0 || !slices.Equal(got.Shape(), []int{2, -1, 3}) {
		t.Errorf("lookup: %v", got.Shape())
	}
	if got := must(nn.LookupRows(empty, rows, nil))(t); !slices.Equal(got.Values(), make([]float32, 6)) {
		t.Errorf("rows: %v", got)
	}
	if got := must(nn.SafeLookupRows(empty, rows.Slice(0, 0), -1, nil))(t); !slices.Equal(got.Shape(), []int{0, 3}) {
		t.Errorf("no rows: %v", got.Shape())
	}
}
