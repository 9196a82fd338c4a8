package num_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// TestBincount counts value by value, dense and sparse.
func TestBincount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 2000 {
		lengths := make([]int64, r.IntN(5))
		n := 0
		for i := range lengths {
			lengths[i] = r.Int64N(5)
			n += int(lengths[i])
		}
		values, weights := make([]int16, n), make([]float64, n)
		width := 0
		for i := range values {
			values[i], weights[i] = int16(r.IntN(7)), float64(r.IntN(9)-4)/2
			width = max(width, int(values[i])+1)
		}
		x := must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(t)))(t)
		w := must(operand.Like(x, weights))(t)
		opts := num.BincountOptions{PerRow: r.IntN(2) == 0, MinLength: r.IntN(9) - 1, Binary: r.IntN(3) == 0}
		if r.IntN(8) > 0 {
			opts.MaxLength = new(r.IntN(9))
		}
		width = max(width, opts.MinLength)
		sparseWidth := width
		if opts.MaxLength != nil {
			width, sparseWidth = min(width, *opts.MaxLength), *opts.MaxLength
		}
		shape := []int{len(lengths), width}
		if !opts.PerRow {
			shape[0] = 1
		}
		counts, sums := make([]int64, shape[0]*width), make([]float64, shape[0]*width)
		i := 0
		for row, length := range lengths {
			for range length {
				if v := int(values[i]); v < width {
					at := v
					if opts.PerRow {
						at += row * width
					}
					counts[at]++
					sums[at] += weights[i]
					if opts.Binary {
						counts[at] = 1
					}
				}
				i++
			}
		}
		if !opts.PerRow {
			shape = shape[1:]
		}
		got := must(num.Bincount[int64](x, &opts))(t)
		if !slices.Equal(got.Values(), counts) || !slices.Equal(got.Shape(), shape) {
			t.Fatalf("bincount of %v, %+v: got %v, want %v", x, opts, got, counts)
		}
		sparse := must(num.SparseBincount(x, &opts))(t)
		shape[len(shape)-1] = sparseWidth
		checkSparse(t, sparse, int64sOf(shape), width, counts, x, opts)
		if opts.Binary {
			if _, err := num.BincountWeighted(x, w, &opts); !errors.Is(err, ragged.ErrShape) {
				t.Fatalf("weights of what is only marked: %v", err)
			}
			if _, err := num.SparseBincountWeighted(x, w, &opts); !errors.Is(err, ragged.ErrShape) {
				t.Fatalf("weights of what is only marked: %v", err)
			}
			continue
		}
		weighted := must(num.BincountWeighted(x, w, &opts))(t)
		if !slices.Equal(weighted.Values(), sums) {
			t.Fatalf("weighted bincount of %v, %v, %+v: got %v, want %v", x, w, opts, weighted, sums)
		}
		s := must(num.SparseBincountWeighted(x, w, &opts))(t)
		if !slices.Equal(s.Indices, sparse.Indices) || !slices.Equal(s.Shape, sparse.Shape) {
			t.Fatalf("weighted sparse bincount of %v, %+v: got %v at %v, want them at %v", x, opts, s, s.Indices, sparse.Indices)
		}
		for i, v := range s.Values {
			axes := len(s.Shape)
			at := s.Indices[i*axes : (i+1)*axes]
			place := at[0]
			if axes == 2 {
				place = at[0]*int64(width) + at[1]
			}
			if v != sums[place] {
				t.Fatalf("weighted sparse bincount of %v, %v, %+v: got %v at %v, want %v", x, w, opts, v, at, sums[place])
			}
		}
	}
}

// checkSparse compares sparse counts with dense ones of a width.
func checkSparse(t *testing.T, got ragged.Sparse[int16], shape []int64, width int, counts []int64, x ragged.Tensor[int16], opts num.BincountOptions) {
	t.Helper()
	var indices []int64
	var values []int16
	for i, n := range counts {
		if n > 0 {
			if len(shape) == 2 {
				indices = append(indices, int64(i/width))
			}
			indices = append(indices, int64(i%width))
			values = append(values, int16(n))
		}
	}
	if !slices.Equal(got.Indices, indices) || !slices.Equal(got.Values, values) || !slices.Equal(got.Shape, shape) {
		t.Fatalf("sparse bincount of %v, %+v: got %v at %v in %v, want %v at %v in %v", x, opts, got.Values, got.Indices, got.Shape, values, indices, shape)
	}
}

func TestBincountShapes(t *testing.T) {
	perRow := &num.BincountOptions{PerRow: true}
	dense := must(ragged.Dense([]uint8{1, 1, 0, 2}, 2, 2))(t)
	if got := must(num.Bincount[float32](dense, perRow))(t); !slices.Equal(got.Values(), []float32{0, 2, 0, 1, 0, 1}) {
		t.Errorf("rows of a dense tensor: %v", got)
	}
	deep := must(ragged.FromSlices[int32]([][][]int32{{{1}, {2, 3}}}))(t)
	if got := must(num.Bincount[int32](deep, nil))(t); !slices.Equal(got.Values(), []int32{0, 1, 1, 1}) {
		t.Errorf("three axes: %v", got)
	}
	for name, err := range map[string]error{
		"rows of three axes": second(num.Bincount[int32](deep, perRow)),
		"rows of a vector":   second(num.Bincount[int32](ragged.Vector(1), perRow)),
		"sparse":             second(num.SparseBincount(deep, perRow)),
		"negative length":    second(num.Bincount[int32](deep, &num.BincountOptions{MaxLength: new(-1)})),
		"other weights":      second(num.BincountWeighted(deep, dense, nil)),
		"great value":        second(num.Bincount[int32](ragged.Vector[uint64](math.MaxUint64, 1), nil)),
		"many counts":        second(num.Bincount[int32](ragged.Vector[int64](1<<30), nil)),
		"many rows":          second(num.Bincount[int8](must(ragged.FromSlices[int32]([][]int32{{1 << 30}, {}, {}}))(t), perRow)),
		"great value sparse": second(num.SparseBincount(ragged.Vector[uint64](math.MaxUint64, 1), nil)),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := num.Bincount[int32](must(ragged.FromSlices[int32]([][]int32{{1}, {2, -3}}))(t), &num.BincountOptions{MaxLength: new(1)})
	var bad *ragged.ValueError
	if !errors.As(err, &bad) || !slices.Equal(bad.At, []int{1, 1}) {
		t.Errorf("a negative value: %v", err)
	}
	// With a limit, great values are left out.
	if got := must(num.Bincount[int32](ragged.Vector[uint64](math.MaxUint64, 1), &num.BincountOptions{MaxLength: new(3)}))(t); !slices.Equal(got.Values(), []int32{0, 1, 0}) {
		t.Errorf("with a limit: %v", got)
	}
	// A great value takes no memory, since only counts above 0 are stored.
	s := must(num.SparseBincount(ragged.Vector[int64](1<<30, 7, 1<<30), nil))(t)
	if !slices.Equal(s.Indices, []int64{7, 1 << 30}) || !slices.Equal(s.Values, []int64{1, 2}) || s.Shape[0] != 1<<30+1 {
		t.Errorf("sparse: %v at %v in %v", s.Values, s.Indices, s.Shape)
	}
}

// int64sOf converts sizes to the type in sparse tensors.
func int64sOf(sizes []int) (out []int64) {
	for _, n := range sizes {
		out = append(out, int64(n))
	}
	return out
}
