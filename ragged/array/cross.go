package array

import (
	"math"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/fingerprint"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// A Feature is one operand of a cross: rows of strings or of integers. It is made by
// Strings or Ints.
type Feature struct {
	rows  ragged.Partition   // divides the values into rows
	err   error              // error of Strings or Ints; Cross returns it
	text  func(i int) string // returns value i as text
	print func(i int) uint64 // returns the fingerprint of value i
}

// Strings makes a feature of a matrix of strings, dense or of ragged rank 1. The values
// are kept. A tensor of another rank makes Cross fail.
func Strings(t ragged.Tensor[string]) Feature {
	values := t.Values()
	f := Feature{
		text:  func(i int) string { return values[i] },
		print: func(i int) uint64 { return fingerprint.Of(values[i]) },
	}
	f.rows, f.err = matrixRows(t)
	return f
}

// Ints makes a feature of a matrix of integers, dense or of ragged rank 1. A number
// is its own fingerprint, and its text is decimal. (TensorFlow makes numbers above
// 2^63 negative in a text.)
func Ints[I num.Integer](t ragged.Tensor[I]) Feature {
	values := t.Values()
	f := Feature{
		text: func(i int) string {
			if v := values[i]; v < 0 {
				return strconv.FormatInt(int64(v), 10)
			} else {
				return strconv.FormatUint(uint64(v), 10)
			}
		},
		print: func(i int) uint64 { return uint64(values[i]) },
	}
	f.rows, f.err = matrixRows(t)
	return f
}

// matrixRows returns the rows of a tensor of rank 2.
func matrixRows[T any](t ragged.Tensor[T]) (ragged.Partition, error) {
	if t.Rank() != 2 {
		return ragged.Partition{}, operand.Shapef("cross", "want features of rank 2, got rank %d", t.Rank())
	}
	p, _, err := splitRows(t)
	return p, err
}

// SparseRows returns the values of every row of a sparse matrix, in order, without their
// columns: unlike ragged.FromSparse it ignores gaps between columns. The values must be
// in row order; they are kept.
func SparseRows[T any](s ragged.Sparse[T]) (ragged.Tensor[T], error) {
	const op = "sparse rows"
	var none ragged.Tensor[T]
	if len(s.Shape) != 2 {
		return none, operand.Shapef(op, "want a matrix, got rank %d", len(s.Shape))
	}
	if len(s.Indices) != 2*len(s.Values) {
		return none, operand.Shapef(op, "want %d coordinates for %d values, got %d", 2*len(s.Values), len(s.Values), len(s.Indices))
	}
	ids := make([]int64, len(s.Values))
	for i := range ids {
		ids[i] = s.Indices[2*i]
	}
	p, err := ragged.FromValueRowIDs(ids, s.Shape[0])
	if err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.New(s.Values, nil, p)
}

// Cross returns for every row all combinations of one value of each feature, the last
// feature varying fastest: the texts of the values, joined by "_X_".
//
//	Cross([[a b] []], [[1 2] [3]])     [[a_X_1 a_X_2 b_X_1 b_X_2] []]
//
// A row is empty if it is empty in any feature. All features have the same number of rows;
// without features there are no rows. A row of n features with k values each has k^n
// combinations; their number is limited, see the package comment. The strings share one
// block of memory. TensorFlow calls it ragged.cross.
func Cross(features ...Feature) (ragged.Tensor[string], error) {
	const sep = "_X_"
	p, err := crossRows(features)
	if err != nil {
		return ragged.Tensor[string]{}, err
	}
	// The size of all texts. A value is in all combinations of the other features' values.
	total := 0
	for row := range p.NumRows() {
		n := p.RowLen(row)
		if n == 0 {
			continue
		}
		total += n * len(sep) * (len(features) - 1)
		for _, f := range features {
			lo, hi := f.rows.Bounds(row)
			for i := lo; i < hi; i++ {
				total += len(f.text(i)) * (n / (hi - lo))
			}
		}
		if err := operand.TooMany[byte]("cross", given(features), total); err != nil {
			return ragged.Tensor[string]{}, err
		}
	}
	var b strings.Builder
	b.Grow(total)
	ends := make([]int, 0, p.NumValues())
	eachCombination(features, p, func(values []int) {
		for k, f := range features {
			if k > 0 {
				b.WriteString(sep)
			}
			b.WriteString(f.text(values[k]))
		}
		ends = append(ends, b.Len())
	})
	all, at := b.String(), 0
	values := make([]string, len(ends))
	for i, end := range ends {
		values[i] = all[at:end]
		at = end
	}
	return ragged.New(values, nil, p)
}

// CrossHashOptions are the options of CrossHashed. Nil means defaults.
type CrossHashOptions struct {
	// Buckets is the number of buckets: hashes are taken modulo it. 0 means 2^63-1.
	Buckets int64

	// Key is the start value of every hash; nil means TensorFlow's default.
	Key *uint64
}

// CrossHashed is Cross with hashes in place of texts. The hashes are the same as in
// TensorFlow, made from fingerprints of FarmHash. TensorFlow calls it
// ragged.cross_hashed.
func CrossHashed(opts *CrossHashOptions, features ...Feature) (ragged.Tensor[int64], error) {
	buckets, key := uint64(math.MaxInt64), uint64(0xDECAFCAFFE)
	if opts != nil {
		switch {
		case opts.Buckets < 0:
			return ragged.Tensor[int64]{}, operand.Shapef("cross hashed", "want at least 0 buckets, got %d", opts.Buckets)
		case opts.Buckets > 0:
			buckets = uint64(opts.Buckets)
		}
		if opts.Key != nil {
			key = *opts.Key
		}
	}
	p, err := crossRows(features)
	if err != nil {
		return ragged.Tensor[int64]{}, err
	}
	prints := make([][]uint64, len(features))
	for k, f := range features {
		prints[k] = make([]uint64, f.rows.NumValues())
		for i := range prints[k] {
			prints[k][i] = f.print(i)
		}
	}
	out := make([]int64, 0, p.NumValues())
	eachCombination(features, p, func(values []int) {
		h := key
		for k, i := range values {
			h = fingerprint.Cat(h, prints[k][i])
		}
		out = append(out, int64(h%buckets))
	})
	return ragged.New(out, nil, p)
}

// crossRows returns the partition of a cross: the length of a row is its number of combinations.
func crossRows(features []Feature) (ragged.Partition, error) {
	if len(features) == 0 {
		return ragged.FromRowSplits([]int64{0})
	}
	rows := features[0].rows.NumRows()
	for i, f := range features {
		if f.err != nil {
			return ragged.Partition{}, f.err
		}
		if n := f.rows.NumRows(); n != rows {
			return ragged.Partition{}, operand.Shapef("cross", "want %d rows of every feature, got %d of feature %d", rows, n, i)
		}
	}
	splits := make([]int64, rows+1)
	lengths, given := make([]int, len(features)), given(features)
	for row := range rows {
		for i, f := range features {
			lengths[i] = f.rows.RowLen(row)
		}
		n, err := ragged.SizeOf(lengths)
		if err != nil {
			return ragged.Partition{}, operand.Within("cross", err)
		}
		splits[row+1] = splits[row] + int64(n)
		if err := operand.TooMany[string]("cross", given, int(splits[row+1])); err != nil {
			return ragged.Partition{}, err
		}
	}
	return ragged.FromRowSplits(splits)
}

// given returns the number of values and rows of features.
func given(features []Feature) int {
	n := 0
	for _, f := range features {
		n += f.rows.NumRows() + f.rows.NumValues()
	}
	return n
}

// eachCombination calls f for every combination of every row, with the index of the value of
// each feature.
func eachCombination(features []Feature, p ragged.Partition, f func(values []int)) {
	at := make([]int, len(features))
	for row := range p.NumRows() {
		n := p.RowLen(row)
		if n == 0 {
			continue
		}
		for k, feature := range features {
			at[k], _ = feature.rows.Bounds(row)
		}
		for range n {
			f(at)
			// The next combination: advance the last feature that is not at its last value,
			// and reset the features after it.
			for k := len(at) - 1; k >= 0; k-- {
				lo, hi := features[k].rows.Bounds(row)
				if at[k]++; at[k] < hi {
					break
				}
				at[k] = lo
			}
		}
	}
}
