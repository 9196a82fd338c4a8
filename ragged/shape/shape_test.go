package shape_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

func of(t *testing.T, dims ...shape.Dim) shape.Shape {
	t.Helper()
	s, err := shape.FromLengths(dims...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// random makes axes that fit together.
func random(r *rand.Rand) []shape.Dim {
	var dims []shape.Dim
	rows := 1
	for axis := range r.IntN(5) {
		d := shape.Uniform(r.IntN(4))
		n := rows * d.Size
		if axis > 0 && r.IntN(2) == 0 {
			d, n = shape.Ragged(), 0
			for range rows {
				d.Rows = append(d.Rows, r.IntN(3))
				n += d.Rows[len(d.Rows)-1]
			}
		}
		dims, rows = append(dims, d), n
	}
	return dims
}

// TestRandomShapes stores shapes with every possible number of partitions, and makes tensors of them.
func TestRandomShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		dims := random(r)
		s := of(t, dims...)
		if s.Rank() != len(dims) || s.Rank() != s.NumPartitions()+s.InnerRank() {
			t.Fatalf("%v of %v has rank %d", s, dims, s.Rank())
		}
		for n := 0; n < max(s.Rank(), 1); n++ {
			stored, err := s.WithPartitions(n)
			if err != nil {
				if n >= s.NumPartitions() || !errors.Is(err, ragged.ErrShape) {
					t.Fatalf("%v with %d partitions: %v", s, n, err)
				}
				continue
			}
			if stored.NumPartitions() != n || !stored.Equal(s) {
				t.Fatalf("%v with %d partitions: %v", s, n, stored)
			}
			again, err := shape.New(stored.InnerShape(), stored.Partitions()...)
			if err != nil || !again.Equal(s) {
				t.Fatalf("%v again: %v, %v", stored, again, err)
			}
			x, err := shape.Fill(stored, 7)
			if err != nil {
				t.Fatal(err)
			}
			if !shape.Of(x).Equal(s) || x.Size() != s.NumElements() || x.Validate() != nil {
				t.Fatalf("%v filled: %v", stored, x)
			}
		}
		for axis, d := range dims {
			if uniform, err := s.IsUniform(axis); err != nil || uniform == d.Ragged {
				t.Fatalf("%v, axis %d: uniform %t (%v)", s, axis, uniform, err)
			}
			if n, err := s.Size(axis); (err == nil) == d.Ragged || err == nil && n != d.Size {
				t.Fatalf("%v, axis %d: size %d (%v)", s, axis, n, err)
			}
			top, err := s.Slice(0, axis)
			if err != nil || !top.Equal(of(t, dims[:axis]...)) {
				t.Fatalf("%v to axis %d: %v (%v)", s, axis, top, err)
			}
		}
	}
}

// TestMergeDims follows TensorFlow's examples.
func TestMergeDims(t *testing.T) {
	u, g := shape.Uniform, shape.Ragged
	for _, c := range []struct {
		s            shape.Shape
		outer, inner int
		want         string
	}{
		{of(t, u(2), g(3, 1), u(5)), 0, 1, "[4, 5]"},
		{of(t, u(2), g(2, 1), g(7, 8, 9), u(5)), 1, 2, "[2, (15, 9), 5]"},
		{of(t, u(2), g(1, 2), u(5), u(3)), 2, 3, "[2, (1, 2), 15]"},
		{of(t, u(2), g(2, 1), g(7, 8, 9), u(2), u(5)), 0, 3, "[48, 5]"},
		{of(t, u(2), g(2, 1), g(7, 8, 9), u(2), u(5)), 1, 3, "[2, (30, 18), 5]"},
	} {
		got, err := c.s.MergeDims(c.outer, c.inner)
		if text := got.String(); err != nil || text[len("<DynamicRaggedShape lengths="):len("<DynamicRaggedShape lengths=")+len(c.want)] != c.want {
			t.Errorf("%v, axes %d to %d merged: %v (%v)", c.s, c.outer, c.inner, got, err)
		}
	}
}

// TestRefused checks arguments that do not make a shape, and axes that a shape lacks.
func TestRefused(t *testing.T) {
	u, g := shape.Uniform, shape.Ragged
	p, err := ragged.FromRowLengths([]int64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	s := of(t, u(2), g(1, 2), u(4))
	make := func(dims ...shape.Dim) error { _, err := shape.FromLengths(dims...); return err }
	for name, call := range map[string]func() error{
		"a ragged first axis":       func() error { return make(g(2), u(3)) },
		"too many rows":             func() error { return make(u(2), g(2, 1, 3)) },
		"too few rows":              func() error { return make(u(2), g(1, 2), g(1, 2)) },
		"a negative length":         func() error { return make(u(1), g(-1)) },
		"a negative size":           func() error { return make(u(-1)) },
		"a negative size above":     func() error { return make(u(1), u(-1), g()) },
		"a size beyond counting":    func() error { return make(u(1<<30), u(1<<30), u(1<<30)) },
		"inner shape of other size": func() error { _, err := shape.New([]int{4}, p); return err },
		"no inner shape":            func() error { _, err := shape.New(nil, p); return err },
		"no partitions":             func() error { _, err := shape.FromPartitions(); return err },
		"the size of a ragged axis": func() error { _, err := s.Size(1); return err },
		"the size of axis 3":        func() error { _, err := s.Size(3); return err },
		"the size of axis -4":       func() error { _, err := s.Size(-4); return err },
		"uniform axis -1":           func() error { _, err := s.IsUniform(-1); return err },
		"uniform axis 3":            func() error { _, err := s.IsUniform(3); return err },
		"axes below a ragged one":   func() error { _, err := s.Slice(1, 3); return err },
		"a negative number":         func() error { _, err := s.WithPartitions(-1); return err },
		"as many as axes":           func() error { _, err := s.WithPartitions(3); return err },
		"a ragged inner axis":       func() error { _, err := s.WithPartitions(0); return err },
		"merging past the end":      func() error { _, err := s.MergeDims(0, 3); return err },
		"reshape to other size":     func() error { _, err := shape.Reshape(ragged.Vector(1), s); return err },
		"reshape to two unknowns":   func() error { _, err := shape.ReshapeDense(ragged.Vector(1), -1, -1); return err },
		"reshape by no divisor":     func() error { _, err := shape.ReshapeDense(ragged.Vector(1, 2, 3), 2, -1); return err },
		"reshape of nothing":        func() error { _, err := shape.ReshapeDense(ragged.Tensor[int]{}, 0, -1); return err },
		"shapes that do not fit":    func() error { _, err := shape.Broadcast(s, of(t, u(3))); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) && !errors.Is(err, ragged.ErrPartition) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
