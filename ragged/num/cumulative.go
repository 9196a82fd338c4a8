package num

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/axisiter"
	"github.com/tfparse/tfparse/ragged/internal/form"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// CumulativeOptions say how values are accumulated. Nil means defaults.
type CumulativeOptions struct {
	// Exclusive leaves a value out of its own result: it is what comes before.
	Exclusive bool

	// Reverse accumulates from the end of the axis to its beginning.
	Reverse bool
}

// CumSum adds up along an axis: every value becomes the sum of what stands up to it.
// On an axis that has ragged ones below it, what stands at the same position counts,
// and rows that are too short have nothing there. Integers wrap. The result has the
// shape of t and shares its partitions. TensorFlow calls it cumsum; there rounding,
// infinities and NaN of a row leak into the rows after it.
func CumSum[T Number](t ragged.Tensor[T], axis int, opts *CumulativeOptions) (ragged.Tensor[T], error) {
	return cumulate("cumulative sum", t, axis, opts, false)
}

// CumProd is CumSum with products. TensorFlow calls it cumprod and has it for dense
// tensors only.
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
		axisiter.Along(t, axis, func(at, n, step int) {
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
		return form.Like(t, dst)
	}
	// Rows are laid over each other one after the other, and show what is there so far.
	l, err := layerColumns(t.Partitions(), axis)
	if err != nil {
		return ragged.Tensor[T]{}, refuse.Within(op, err)
	}
	all, err := filled(append([]int{l.items}, t.InnerShape()...), start, refuse.Given(t))
	if err != nil {
		return ragged.Tensor[T]{}, refuse.Within(op, err)
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
	return form.Like(t, dst)
}
