package num

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// BincountOptions say what Bincount counts. Nil means defaults.
type BincountOptions struct {
	// PerRow counts every row for itself; the values have two axes then, and so has
	// the result. TensorFlow calls it axis=-1.
	PerRow bool

	// MinLength is the least number of counts, if it is positive.
	MinLength int

	// MaxLength is the greatest number of counts, also where MinLength is more: values
	// from it on are not counted, and none are for new(0). Nil means that there is no
	// limit.
	MaxLength *int

	// Binary puts 1 where a value occurs, instead of how often.
	Binary bool
}

// Bincount counts how often every value occurs: place v of the result, which is dense,
// is for the value v. The values are not negative, a ragged.ValueError otherwise. Without
// limits the counts end with that of the greatest value, and there are none without
// values. The type of the counts is the caller's choice; TensorFlow, which calls
// it bincount, has int32.
//
// One great value is enough to ask for much memory: set MaxLength for values that are
// not known, or use SparseBincount. More counts than the comment of the package allows
// are an error.
func Bincount[C Number, I Integer](t ragged.Tensor[I], opts *BincountOptions) (ragged.Tensor[C], error) {
	var weights []C
	return bincount("bincount", t, weights, opts)
}

// BincountWeighted is Bincount with the sum of the weights of a value instead of their
// number. Weights have the shape of the values. Binary is refused. TensorFlow calls it
// bincount with weights.
func BincountWeighted[W Number, I Integer](t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) (ragged.Tensor[W], error) {
	w, err := weightsOf("bincount", t, weights, opts)
	if err != nil {
		return ragged.Tensor[W]{}, err
	}
	return bincount("bincount", t, w, opts)
}

// SparseBincount is Bincount that writes down only what occurs, in order: nothing is
// allocated for a great value. Its counts have the type of the values, and the width of
// its shape is MaxLength if that is set. TensorFlow calls it sparse.bincount.
func SparseBincount[I Integer](t ragged.Tensor[I], opts *BincountOptions) (ragged.Sparse[I], error) {
	return sparseBincount[I](t, nil, opts)
}

// SparseBincountWeighted is SparseBincount with the sum of the weights of a value
// instead of their number. Weights have the shape of the values. Binary is refused.
// TensorFlow calls it sparse.bincount with weights.
func SparseBincountWeighted[W Number, I Integer](t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) (ragged.Sparse[W], error) {
	w, err := weightsOf("sparse bincount", t, weights, opts)
	if err != nil {
		return ragged.Sparse[W]{}, err
	}
	return sparseBincount(t, w, opts)
}

// weightsOf returns the weights, which are not nil, once they are known to fit.
func weightsOf[I, W any](op string, t ragged.Tensor[I], weights ragged.Tensor[W], opts *BincountOptions) ([]W, error) {
	if opts != nil && opts.Binary {
		return nil, shapeErrorf(op, "weights for what is not counted but only marked")
	}
	if !ragged.SameShape(t, weights) {
		return nil, shapeErrorf(op, "weights of another shape than the values")
	}
	if w := weights.Values(); w != nil {
		return w, nil
	}
	return []W{}, nil
}

// countable checks what is to be counted, and returns the number of counts in a row
// and the rows: one of all values unless rows are counted for themselves.
func countable[I Integer](op string, t ragged.Tensor[I], opts *BincountOptions) (width int, rows ragged.Partition, err error) {
	rows, err = ragged.Uniform(int64(t.Size()), 1)
	if opts.PerRow {
		if t.RaggedRank() == 0 && t.Rank() == 2 {
			t, err = ragged.FromDense(t, 1)
		}
		if err == nil && (t.Rank() != 2 || t.RaggedRank() != 1) {
			err = shapeErrorf(op, "2 axes wanted to count every row, got %d", t.Rank())
		}
		if err == nil {
			rows = t.Partition(0)
		}
	}
	if err != nil {
		return 0, rows, err
	}
	if opts.MaxLength != nil && *opts.MaxLength < 0 {
		return 0, rows, shapeErrorf(op, "a greatest length of %d", *opts.MaxLength)
	}
	if values := t.Values(); len(values) > 0 {
		least, greatest := slices.Min(values), slices.Max(values)
		if least < 0 {
			i := slices.IndexFunc(values, func(v I) bool { return v < 0 })
			return 0, rows, &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: refuse.Coordinates(t, i), Want: "at least 0", Got: values[i]}
		}
		width = math.MaxInt // a limit brings it down, or it is too much
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

// bincount counts, or adds up the weights if there are any.
func bincount[C Number, I Integer](op string, t ragged.Tensor[I], weights []C, opts *BincountOptions) (ragged.Tensor[C], error) {
	var none ragged.Tensor[C]
	if opts == nil {
		opts = &BincountOptions{}
	}
	width, rows, err := countable(op, t, opts)
	if err != nil {
		return none, err
	}
	shape := []int{rows.NumRows(), width}
	n, err := limit.Values[C](refuse.Given(t), shape...)
	if err != nil {
		return none, shapeErrorf(op, "%d rows of %d counts are too many: set a smaller greatest length", rows.NumRows(), width)
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

// sparseBincount is bincount that keeps only what is there.
func sparseBincount[C Number, I Integer](t ragged.Tensor[I], weights []C, opts *BincountOptions) (ragged.Sparse[C], error) {
	const op = "sparse bincount"
	if opts == nil {
		opts = &BincountOptions{}
	}
	width, rows, err := countable(op, t, opts)
	if err != nil {
		return ragged.Sparse[C]{}, err
	}
	if width == math.MaxInt {
		return ragged.Sparse[C]{}, shapeErrorf(op, "a value of more than %s: set a greatest length", strconv.Itoa(math.MaxInt-1))
	}
	out := ragged.Sparse[C]{Shape: []int64{int64(rows.NumRows()), int64(width)}, Indices: []int64{}, Values: []C{}}
	if opts.MaxLength != nil {
		out.Shape[1] = int64(*opts.MaxLength)
	}
	// Values are sorted row by row, each with what it counts.
	type counted struct {
		v I
		n C
	}
	all := make([]counted, t.Size())
	for i, v := range t.Values() {
		all[i] = counted{v, 1}
		if weights != nil {
			all[i].n = weights[i]
		}
	}
	for r := range rows.NumRows() {
		lo, hi := rows.Bounds(r)
		row := all[lo:hi]
		slices.SortStableFunc(row, func(a, b counted) int { return cmp.Compare(a.v, b.v) })
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
