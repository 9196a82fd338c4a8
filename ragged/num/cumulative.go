package num

import (
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
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
// to it. On an axis above a ragged axis it adds the values at the same position of each row;
// short rows add nothing after their end. Integers wrap. The result has the shape of t and
// shares its partitions. TensorFlow calls it cumsum; there rounding, infinities and NaN of a
// row affect later rows.
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
	// Add the rows one by one to accumulators; each row becomes the accumulated values.
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

// SegmentSum adds rows or items with the same ID. The axes of ids are outer axes of t: with
// one axis, rows with the same ID become one row of the result, which has n rows, one for
// every ID from 0 on. IDs need not be sorted.
//
// Ragged rows are added position by position, so a row of the result is as long as the
// longest row with its ID, and empty if there is none. If the IDs belong to items without
// ragged axes, a negative ID leaves its item out, and an ID without items has the sum 0. Any
// other ID that is not from 0 to n-1 is a ragged.ValueError.
//
// It takes O(values + n), and n is limited, see the package comment. TensorFlow calls it
// unsorted_segment_sum.
func SegmentSum[T Number, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	return segment("segment sum", t, ids, n, sumKernel[T, T]())
}

// SegmentProd is SegmentSum with the product; the product of no values is 1. TensorFlow calls
// it unsorted_segment_prod.
func SegmentProd[T Number, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	return segment("segment product", t, ids, n, prodKernel[T]())
}

// SegmentMin is SegmentSum with the least value, NaN if a value is NaN; for no values it is
// the greatest finite value of the dtype. TensorFlow calls it unsorted_segment_min.
func SegmentMin[T Number, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	return segment("segment minimum", t, ids, n, minKernel[T]())
}

// SegmentMax is SegmentSum with the greatest value, NaN if a value is NaN; for no values it
// is the least finite value of the dtype. TensorFlow calls it unsorted_segment_max.
func SegmentMax[T Number, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	return segment("segment maximum", t, ids, n, maxKernel[T]())
}

// SegmentMean is SegmentSum divided by the number of values, NaN for no values. The caller
// chooses the type of the result, as for Mean. TensorFlow calls it unsorted_segment_mean.
func SegmentMean[R, T Number, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[R], error) {
	const op = "segment mean"
	switch {
	case isFloat[T]():
		return segmentRatio(op, t, ids, n, sumKernel[T, T](), quotient[R, T])
	case isSigned[T]():
		return segmentRatio(op, t, ids, n, sumKernel[T, int64](), quotient[R, int64])
	}
	return segmentRatio(op, t, ids, n, sumKernel[T, uint64](), quotient[R, uint64])
}

// SegmentSqrtN is SegmentSum divided by the square root of the number of values, NaN
// for no values. TensorFlow calls it unsorted_segment_sqrt_n.
func SegmentSqrtN[T Float, I Integer](t ragged.Tensor[T], ids ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	return segmentRatio("segment sqrt n", t, ids, n, sumKernel[T, T](), func(sum T, n int64) T {
		return sum / T(math.Sqrt(float64(n)))
	})
}

// segmentRatio combines the values of each segment; ratio divides the result according to the
// number of values.
func segmentRatio[R, A, T Number, I Integer](op string, t ragged.Tensor[T], ids ragged.Tensor[I], n int, k kernel[T, A], ratio func(A, int64) R) (ragged.Tensor[R], error) {
	sums, err := segment(op, t, ids, n, k)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	ones := make([]int64, t.Size())
	fill(ones, 1)
	like, err := operand.Like(t, ones)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	counts, err := segment(op, like, ids, n, sumKernel[int64, int64]())
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	out := make([]R, sums.Size())
	for i, sum := range sums.Values() {
		out[i] = ratio(sum, counts.Values()[i])
	}
	return operand.Like(sums, out)
}

// segment combines rows or items with the same ID.
func segment[T, A any, I Integer](op string, t ragged.Tensor[T], ids ragged.Tensor[I], n int, k kernel[T, A]) (ragged.Tensor[A], error) {
	var none ragged.Tensor[A]
	if n < 0 {
		return none, shapeErrorf(op, "want at least 0 segments, got %d", n)
	}
	if _, err := limit.Values[int64](operand.Given(t)+ids.Size(), n); err != nil {
		return none, shapeErrorf(op, "%d segments: %v", n, err)
	}
	all := ids
	for ids.RaggedRank() > 0 || t.RaggedRank() > 0 && ids.Rank() > 1 {
		// The rows of axis 1 of ids and t must be equal. Dense ids are first divided into
		// rows.
		if ids.RaggedRank() == 0 {
			var err error
			if ids, err = ragged.FromDense(ids, 1); err != nil {
				return none, operand.Within(op, err)
			}
		}
		if t.RaggedRank() == 0 || !ids.Partition(0).Equal(t.Partition(0)) {
			return none, shapeErrorf(op, "ids and values differ in the rows of axis %d", all.Rank()-ids.Rank()+1)
		}
		ids, t = ids.Items(), t.Items()
	}
	if t.RaggedRank() == 0 {
		return segmentItems(op, t, ids, all, n, k)
	}
	if ids.Rank() == 0 || ids.Len() != t.Len() {
		return none, shapeErrorf(op, "ids have shape %v, the values have %d rows", ids.Shape(), t.Len())
	}
	group := make([]int, t.Len())
	for i, id := range ids.Values() {
		if id < 0 || uint64(id) >= uint64(n) {
			return none, idError(op, all, i, id, 0, n)
		}
		group[i] = int(id)
	}
	l, err := overlapRows(t.Partitions(), group, n, false)
	if err != nil {
		return none, operand.Within(op, err)
	}
	out, err := overlay(t, l, k)
	if err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.New(out, t.InnerShape(), l.parts...)
}

// segmentItems is segment for dense values and ids. Errors give coordinates in the tensor
// all.
func segmentItems[T, A any, I Integer](op string, t ragged.Tensor[T], ids, all ragged.Tensor[I], n int, k kernel[T, A]) (ragged.Tensor[A], error) {
	var none ragged.Tensor[A]
	outer, shape := ids.Shape(), t.Shape()
	if len(outer) > len(shape) || !slices.Equal(outer, shape[:len(outer)]) {
		return none, shapeErrorf(op, "ids have shape %v, want outer axes of the values' shape %v", outer, shape)
	}
	shape = append([]int{n}, shape[len(outer):]...)
	out, err := newFilled(shape, k.start, operand.Given(t)+ids.Size())
	if err != nil {
		return none, operand.Within(op, err)
	}
	cell := 0
	if n > 0 {
		cell = len(out) / n
	}
	values, seen := t.Values(), make([]bool, n)
	for i, id := range ids.Values() {
		if id >= 0 && uint64(id) >= uint64(n) {
			return none, idError(op, all, i, id, -1, n)
		}
		if id >= 0 {
			at := int(id) * cell
			k.into(out[at:at+cell], values[i*cell:(i+1)*cell])
			seen[id] = true
		}
	}
	for id, seen := range seen {
		if !seen {
			fill(out[id*cell:(id+1)*cell], k.empty)
		}
	}
	return ragged.Dense(out, shape...)
}

// idError returns the error for an ID that is not from least to n-1.
func idError[I Integer](op string, ids ragged.Tensor[I], i int, id I, least, n int) error {
	return &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: operand.Coordinates(ids, i), Want: "an id from " + strconv.Itoa(least) + " to " + strconv.Itoa(n-1), Got: id}
}
