package num

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// CumulativeOptions are the options of CumSum and CumProd. Nil means defaults.
type CumulativeOptions struct {
	// Exclusive leaves a value out of its own result, which has only the values before it.
	Exclusive bool

	// Reverse accumulates from the end of the axis to its beginning.
	Reverse bool
}

// CumSum returns cumulative sums along an axis: each value becomes the sum of all values up
// to it. On an axis above a ragged one it adds the values at the same position; short rows
// have none. Integers wrap. The result has the shape of t and shares its partitions.
// TensorFlow calls it cumsum; there rounding, infinities and NaN of a row affect the rows
// after it.
func CumSum[T Number](t ragged.Tensor[T], axis int, opts *CumulativeOptions) (ragged.Tensor[T], error) {
	return cumulate("cumulative sum", t, axis, opts, false)
}

// CumProd is CumSum with products. TensorFlow calls it cumprod, for dense tensors only.
func CumProd[T Number](t ragged.Tensor[T], axis int, opts *CumulativeOptions) (ragged.Tensor[T], error) {
	return cumulate("cumulative product", t, axis, opts, true)
}

func cumulate[T Number](op string, t ragged.Tensor[T], axis int, opts *CumulativeOptions, product bool) (ragged.Tensor[T], error) {
	axis, err := axisIn(op, axis, t.Rank())
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if opts == nil {
		opts = &CumulativeOptions{}
	}
	src := t.Values()
	dst := make([]T, len(src))
	start := T(0)
	if product {
		start = 1
	}
	if axis >= t.RaggedRank() {
		operand.Along(t, axis, func(at, n, step int) {
			if opts.Reverse {
				at, step = at+(n-1)*step, -step
			}
			acc := start
			for range n {
				next := acc + src[at]
				if product {
					next = acc * src[at]
				}
				if dst[at] = next; opts.Exclusive {
					dst[at] = acc
				}
				acc, at = next, at+step
			}
		})
		return operand.Like(t, dst)
	}
	// Add one row after the other to accumulators; each row gets their values.
	l, err := overlapColumns(t.Partitions(), axis)
	if err != nil {
		return ragged.Tensor[T]{}, operand.Within(op, err)
	}
	all, err := newFilled(append([]int{l.items}, t.InnerShape()...), start, operand.Given(t))
	if err != nil {
		return ragged.Tensor[T]{}, operand.Within(op, err)
	}
	cell := 0
	if l.items > 0 {
		cell = len(all) / l.items
	}
	p := t.Partition(t.RaggedRank() - 1)
	for i := range l.starts {
		r := i
		if opts.Reverse {
			r = len(l.starts) - 1 - i
		}
		lo, hi := p.Bounds(r)
		acc := all[l.starts[r]*cell:]
		for i, v := range src[lo*cell : hi*cell] {
			next := acc[i] + v
			if product {
				next = acc[i] * v
			}
			if dst[lo*cell+i] = next; opts.Exclusive {
				dst[lo*cell+i] = acc[i]
			}
			acc[i] = next
		}
	}
	return operand.Like(t, dst)
}
