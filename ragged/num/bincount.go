package num

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// BincountOptions are the options of Bincount and the like. Nil means defaults.
type BincountOptions struct {
	// PerRow counts in each row by itself; the values then have two axes, and so has the
	// result. TensorFlow calls it axis=-1.
	PerRow bool

	// MinLength is the least number of counts; 0 or less means no minimum.
	MinLength int

	// MaxLength is the greatest number of counts, even if MinLength is more: values from
	// MaxLength on are not counted, with new(0) no values. Nil means no limit.
	MaxLength *int

	// Binary makes every count 0 or 1: whether the value occurs.
	Binary bool
}

// Bincount counts values: element v of the result, which is dense, is the number of values v.
// A negative value is a ragged.ValueError. Without limits the last count is for the greatest
// value, and a tensor without values has no counts. The caller chooses the type of
// the counts; TensorFlow, which calls it bincount, has int32.
//
// The memory is in proportion to the greatest value: set MaxLength for data that is not
// trusted, or use SparseBincount. The number of counts is limited, see the package comment.
func Bincount[C Number, I Integer](t ragged.Tensor[I], opts *BincountOptions) (ragged.Tensor[C], error) {
	var weights []C
	return bincount("bincount", t, weights, opts)
}

// BincountWeighted is Bincount with weights: it adds the weights of equal values. Weights
// have the shape of the values. Binary is an error. TensorFlow calls it bincount with
// weights.
func BincountWeighted[W Number, I Integer](t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) (ragged.Tensor[W], error) {
	w, err := weightsOf("bincount", t, weights, opts)
	if err != nil {
		return ragged.Tensor[W]{}, err
	}
	return bincount("bincount", t, w, opts)
}

// SparseBincount is Bincount with a sparse result: only counts above 0 are stored, in order,
// so a great value takes no memory. Counts have the type of the values, and the width of the
// shape is MaxLength if that is set. TensorFlow calls it sparse.bincount.
func SparseBincount[I Integer](t ragged.Tensor[I], opts *BincountOptions) (ragged.Sparse[I], error) {
	return sparseBincount[I](t, nil, opts)
}

// SparseBincountWeighted is SparseBincount with weights: it adds the weights of equal values.
// Weights have the shape of the values. Binary is an error. TensorFlow calls it
// sparse.bincount with weights.
func SparseBincountWeighted[W Number, I Integer](t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) (ragged.Sparse[W], error) {
	w, err := weightsOf("sparse bincount", t, weights, opts)
	if err != nil {
		return ragged.Sparse[W]{}, err
	}
	return sparseBincount(t, w, opts)
}

// weightsOf checks weights and returns them; the result is not nil.
func weightsOf[I, W any](op string, t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) ([]W, error) {
	if opts != nil && opts.Binary {
		return nil, shapeErrorf(op, "Binary cannot be combined with weights")
	}
	if !ragged.SameShape(t, weights) {
		return nil, shapeErrorf(op, "weights and values differ in shape")
	}
	if w := weights.Values(); w != nil {
		return w, nil
	}
	return []W{}, nil
}

// countShape checks the values. It returns the number of counts in a row, and the rows: one
// row of all values unless PerRow is set.
func countShape[I Integer](op string, t ragged.Tensor[I], opts *BincountOptions) (width int, rows ragged.Partition, err error) {
	rows, err = ragged.Uniform(int64(t.Size()), 1)
	if opts.PerRow {
		if t.RaggedRank() == 0 && t.Rank() == 2 {
			t, err = ragged.FromDense(t, 1)
		}
		if err == nil && (t.Rank() != 2 || t.RaggedRank() != 1) {
			err = shapeErrorf(op, "PerRow: want a tensor with 2 axes, got %d", t.Rank())
		}
		if err == nil {
			rows = t.Partition(0)
		}
	}
	if err != nil {
		return 0, rows, err
	}
	if opts.MaxLength != nil && *opts.MaxLength < 0 {
		return 0, rows, shapeErrorf(op, "MaxLength %d is negative", *opts.MaxLength)
	}
	if values := t.Values(); len(values) > 0 {
		least, greatest := slices.Min(values), slices.Max(values)
		if least < 0 {
			i := slices.IndexFunc(values, func(v I) bool { return v < 0 })
			return 0, rows, &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: operand.Coordinates(t, i), Want: "at least 0", Got: values[i]}
		}
		width = math.MaxInt // an error later, unless MaxLength is less
		if uint64(greatest) < math.MaxInt {
			width = int(greatest) + 1
		}
	}
	width = max(width, opts.MinLength)
	if opts.MaxLength != nil {
		width = min(width, *opts.MaxLength)
	}
	return width, rows, nil
}

// bincount counts values, or adds the weights if there are any.
func bincount[C Number, I Integer](op string, t ragged.Tensor[I], weights []C, opts *BincountOptions) (ragged.Tensor[C], error) {
	var none ragged.Tensor[C]
	if opts == nil {
		opts = &BincountOptions{}
	}
	width, rows, err := countShape(op, t, opts)
	if err != nil {
		return none, err
	}
	shape := []int{rows.NumRows(), width}
	n, err := limit.Values[C](operand.Given(t), shape...)
	if err != nil {
		return none, shapeErrorf(op, "%d rows of %d counts are too many: set a smaller MaxLength", rows.NumRows(), width)
	}
	counts, values := make([]C, n), t.Values()
	for r := range rows.NumRows() {
		lo, hi := rows.Bounds(r)
		row := counts[r*width : (r+1)*width]
		switch {
		case opts.Binary:
			for _, v := range values[lo:hi] {
				if uint64(v) < uint64(len(row)) {
					row[v] = 1
				}
			}
		case weights != nil:
			for i, v := range values[lo:hi] {
				if uint64(v) < uint64(len(row)) {
					row[v] += weights[lo+i]
				}
			}
		default:
			for _, v := range values[lo:hi] {
				if uint64(v) < uint64(len(row)) {
					row[v]++
				}
			}
		}
	}
	if !opts.PerRow {
		shape = shape[1:]
	}
	return ragged.Dense(counts, shape...)
}

// sparseBincount is bincount with a sparse result.
func sparseBincount[C Number, I Integer](t ragged.Tensor[I], weights []C, opts *BincountOptions) (ragged.Sparse[C], error) {
	const op = "sparse bincount"
	if opts == nil {
		opts = &BincountOptions{}
	}
	width, rows, err := countShape(op, t, opts)
	if err != nil {
		return ragged.Sparse[C]{}, err
	}
	if width == math.MaxInt {
		return ragged.Sparse[C]{}, shapeErrorf(op, "a value is above %s: set MaxLength", strconv.Itoa(math.MaxInt-1))
	}
	out := ragged.Sparse[C]{Shape: []int64{int64(rows.NumRows()), int64(width)}, Indices: []int64{}, Values: []C{}}
	if opts.MaxLength != nil {
		out.Shape[1] = int64(*opts.MaxLength)
	}
	// Sort the values of each row, and add the weights of equal values.
	type weighted struct {
		v I // value
		n C // weight; 1 without weights
	}
	all := make([]weighted, t.Size())
	for i, v := range t.Values() {
		all[i] = weighted{v, 1}
		if weights != nil {
			all[i].n = weights[i]
		}
	}
	for r := range rows.NumRows() {
		lo, hi := rows.Bounds(r)
		row := all[lo:hi]
		slices.SortStableFunc(row, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
		for i, c := range row {
			switch {
			case uint64(c.v) >= uint64(width):
			case i == 0 || c.v != row[i-1].v:
				if opts.PerRow {
					out.Indices = append(out.Indices, int64(r))
				}
				out.Indices = append(out.Indices, int64(c.v))
				out.Values = append(out.Values, c.n)
			case !opts.Binary:
				out.Values[len(out.Values)-1] += c.n
			}
		}
	}
	if !opts.PerRow {
		out.Shape = out.Shape[1:]
	}
	return out, nil
}
