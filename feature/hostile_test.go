package feature_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/feature/specprint"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// TestHostileSpecs compiles random specs, most of them invalid, parses records with them, reads and prints every
// column, and encodes random tensors. Nothing panics: specs and tensors may come from untrusted data.
func TestHostileSpecs(t *testing.T) {
	testkit.OneGoroutine(t)
	rounds := 5_000
	if testkit.Long(t, "200,000 specs") {
		rounds = 200_000
	}
	h := hostile{rand.New(rand.NewPCG(1, 2))}
	parsers, parsed := 0, 0
	for range rounds {
		s := h.spec()
		made, read, fault := h.use(s)
		if fault != "" {
			t.Errorf("%v: %s", s, fault)
		}
		if made {
			parsers++
		}
		if read {
			parsed++
		}
	}
	if parsers < rounds/20 || parsed < rounds/40 {
		t.Errorf("of %d specs %d make sense, and %d fit the records", rounds, parsers, parsed)
	}
}

// hostile makes specs and tensors.
type hostile struct{ *rand.Rand }

// use calls everything that a spec is used for, and reports panics.
func (h hostile) use(s feature.Spec) (made, read bool, fault string) {
	defer func() {
		if e := recover(); e != nil {
			fault = fmt.Sprintf("%v\n%s", e, debug.Stack())
		}
	}()
	_ = s.Validate()
	_, _ = s.MarshalJSON()
	_, _ = specprint.Go(s)
	_, _ = specprint.Python(s)
	_, _ = featurepb.ToSchema(s)
	p, err := feature.NewParser(s, &feature.ParserOptions{MaxPadded: 1 << 20})
	if err != nil {
		return false, false, ""
	}
	record, err := example.Example{"a": example.Int64s(h.sizes()...), "b": example.Int64s(0, 1, 2), "c": example.Int64s(1, 1)}.MarshalBinary()
	if err != nil {
		return true, false, err.Error()
	}
	if b, err := p.Parse(record, record); err == nil {
		read = true
		h.look(b)
		for _, c := range b.Row(0).All() {
			_, _ = c.Slices()
			_, _ = raggedjson.AppendNested(nil, c, nil)
		}
	}
	for range 4 {
		t := feature.Table{Features: map[string]feature.Column{}, Context: map[string]feature.Column{}, Sequence: map[string]feature.Column{}, Examples: map[string]feature.Column{}}
		for g, fs := range s.Groups() {
			for name := range fs {
				[]map[string]feature.Column{t.Features, t.Context, t.Sequence, t.Examples}[g][name] = h.column()
			}
		}
		if b, err := p.Assemble(t); err == nil {
			h.look(b)
		}
	}
	return true, read, ""
}

// look reads, prints and encodes all columns of a batch.
func (h hostile) look(b *feature.Batch) {
	for _, c := range b.Columns().All() {
		c.Lengths()
		c.Indices()
		feature.TensorOf[int64](c)
		feature.SparseOf[int64](c)
		_, _ = c.Slices()
		_, _ = raggedjson.AppendNested(nil, c, nil)
	}
	_, _ = b.Encode()
	printer := raggedjson.NewPrinter(b.Parser(), nil)
	printer.Load(b)
	_, _ = printer.AppendBatch(nil, nil)
}

func (h hostile) spec() (s feature.Spec) {
	switch h.IntN(4) {
	case 0, 1:
		s.Features = h.features()
	case 2:
		s.Context, s.Sequence = h.features(), h.features()
	case 3:
		s.Context, s.Examples = h.features(), h.features()
	}
	return s
}

func (h hostile) features() feature.Features {
	m := feature.Features{}
	for range 1 + h.IntN(2) {
		m[h.key()] = h.feature()
	}
	return m
}

func (h hostile) key() string { return []string{"a", "b", "c", "", "\xff"}[h.IntN(5)] }

func (h hostile) sizes() []int64 {
	out := make([]int64, h.IntN(4))
	for i := range out {
		out[i] = []int64{-1, 0, 1, 2, 2, 3, 1 << 30, math.MaxInt64}[h.IntN(8)]
	}
	return out
}

func (h hostile) shape() []int {
	var out []int
	for _, n := range h.sizes() {
		out = append(out, int(n)) // -1 if an int has 32 bits
	}
	return out
}

func (h hostile) feature() feature.Feature {
	dtype := feature.Int64
	if h.IntN(4) == 0 {
		dtype = feature.DType(h.IntN(5))
	}
	standIn := []example.Value{{}, example.Int64s(h.sizes()...), example.Int64s(7), example.Strings("x")}[h.IntN(4)]
	switch h.IntN(6) {
	case 0:
		return feature.FixedLen{DType: dtype, Shape: h.shape(), Default: standIn}
	case 1:
		return feature.FixedLenSequence{DType: dtype, Shape: h.shape(), Default: standIn, AllowMissing: h.IntN(2) == 0}
	case 2:
		return feature.VarLen{DType: dtype}
	case 3:
		return feature.Sparse{DType: dtype, IndexKeys: []string{h.key(), h.key()}[:h.IntN(3)], ValueKey: h.key(), Size: h.sizes(), Sorted: h.IntN(2) == 0}
	case 4:
		var parts []feature.Partition
		for range h.IntN(4) {
			parts = append(parts, []feature.Partition{feature.RowLengths(h.key()), feature.RowSplits(h.key()), feature.RowStarts(h.key()), feature.RowLimits(h.key()),
				feature.ValueRowIDs(h.key()), feature.UniformRowLength([]int64{-1, 0, 1, 2, 1 << 62}[h.IntN(5)]), nil}[h.IntN(7)])
		}
		return feature.Ragged{DType: dtype, ValueKey: h.key(), Partitions: parts}
	}
	return nil
}

func (h hostile) column() feature.Column {
	switch h.IntN(6) {
	case 0:
		return feature.Column{}
	case 1:
		return feature.NewColumn(hostileTensor[float32](h))
	case 2:
		return feature.NewColumn(hostileTensor[string](h))
	case 3:
		return feature.NewSparseColumn(hostileTensor[int64](h), hostileTensor[int64](h))
	}
	return feature.NewColumn(hostileTensor[int64](h))
}

// hostileTensor makes a tensor of zeros of ragged rank 0 to 4, or the zero one.
func hostileTensor[T any](h hostile) ragged.Tensor[T] {
	rows := h.IntN(4)
	var parts []ragged.Partition
	n := rows
	for range h.IntN(5) {
		lengths := make([]int64, n)
		for i := range lengths {
			lengths[i] = int64(h.IntN(4))
		}
		p, err := ragged.FromRowLengths(lengths)
		if h.IntN(3) == 0 {
			p, err = ragged.Uniform(int64(h.IntN(4)), int64(n))
		}
		if err != nil {
			panic(err)
		}
		parts, n = append(parts, p), p.NumValues()
	}
	var inner []int
	cell := 1
	for range h.IntN(3) {
		inner = append(inner, h.IntN(3))
		cell *= inner[len(inner)-1]
	}
	var t ragged.Tensor[T]
	var err error
	if len(parts) == 0 {
		t, err = ragged.Dense(make([]T, rows*cell), append([]int{rows}, inner...)...)
	} else {
		t, err = ragged.New(make([]T, n*cell), inner, parts...)
	}
	if err != nil {
		return ragged.Tensor[T]{}
	}
	return t
}
