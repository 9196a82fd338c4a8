package nn

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// A Combiner says what LookupRows makes of the embeddings of a row, each multiplied by
// its weight, which is 1 if there are no weights. A row without ids has zeros, and so
// has a row whose weights make what is divided by 0.
type Combiner uint8

// The combiners. The default is Mean.
const (
	Mean  Combiner = iota // their sum, divided by the sum of the weights
	Sum                   // their sum
	SqrtN                 // their sum, divided by the square root of the sum of the squares of the weights
)

// String returns TensorFlow's name: "mean", "sum" or "sqrtn".
func (c Combiner) String() string {
	switch c {
	case Mean:
		return "mean"
	case Sum:
		return "sum"
	case SqrtN:
		return "sqrtn"
	}
	return fmt.Sprintf("Combiner(%d)", uint8(c))
}

// RowsOptions say how LookupRows combines. Nil means defaults.
type RowsOptions[T num.Float] struct {
	// Combiner says what becomes of the embeddings of a row.
	Combiner Combiner

	// Weights has one weight for every id, in the shape of the ids. Nil is 1 for each.
	Weights *ragged.Tensor[T]

	// MaxNorm is the greatest length of an embedding before it is combined, as in
	// LookupOptions.
	MaxNorm float64
}

// LookupRows combines the embeddings of every row of ids: the last axis of the ids goes
// away, and the shape of a row of the table takes its place. For ids of shape
// [n, ragged] the result is dense. TensorFlow calls it embedding_lookup_sparse, and
// loses the rows at the end that have no ids.
func LookupRows[T num.Float, I num.Integer](table ragged.Tensor[T], ids ragged.Tensor[I], opts *RowsOptions[T]) (ragged.Tensor[T], error) {
	l := lookup[T, I]{op: "lookup rows", fallback: -1}
	return l.run(table, ids, opts)
}

// SafeLookupRows is LookupRows that leaves out negative ids and, unless the combiner is
// Sum, ids whose weight is not positive. A row without any id left has the embedding of
// the default id, or zeros if that is negative. TensorFlow calls it
// safe_embedding_lookup_sparse.
func SafeLookupRows[T num.Float, I num.Integer](table ragged.Tensor[T], ids ragged.Tensor[I], defaultID int, opts *RowsOptions[T]) (ragged.Tensor[T], error) {
	l := lookup[T, I]{op: "safe lookup rows", safe: true, fallback: max(defaultID, -1)}
	return l.run(table, ids, opts)
}

// A lookup combines embeddings row by row.
type lookup[T num.Float, I num.Integer] struct {
	op       string
	safe     bool
	fallback int // id for a row without ids; -1 for none
	table    table[T]
	maxNorm  T // if positive
	ids      []I
	weights  []T // nil: 1 for each
	combiner Combiner
}

func (l *lookup[T, I]) run(from ragged.Tensor[T], ids ragged.Tensor[I], opts *RowsOptions[T]) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	if opts == nil {
		opts = &RowsOptions[T]{}
	}
	var err error
	if l.table, err = tableOf(l.op, from); err != nil {
		return none, err
	}
	if l.combiner = opts.Combiner; l.combiner > SqrtN {
		return none, fmt.Errorf("%s: no combiner %v", l.op, l.combiner)
	}
	if l.fallback >= l.table.rows {
		return none, idError(l.op+", default", nil, l.fallback, l.table.rows)
	}
	l.maxNorm = T(opts.MaxNorm)
	l.ids = ids.Values()
	if opts.Weights != nil {
		if !ragged.SameShape(ids, *opts.Weights) {
			return none, fmt.Errorf("%s: %w: weights of another shape than the ids", l.op, ragged.ErrShape)
		}
		l.weights = opts.Weights.Values()
	}
	cut := ids
	if ids.RaggedRank() == 0 && ids.Rank() > 1 {
		if cut, err = ragged.FromDense(ids, ids.Rank()-1); err != nil {
			return none, fmt.Errorf("%s: %w", l.op, err)
		}
	}
	last := cut.RaggedRank() - 1
	if last < 0 || len(cut.InnerShape()) > 0 {
		return none, fmt.Errorf("%s: %w: ids of shape %v do not stand in rows", l.op, ragged.ErrShape, ids.Shape())
	}
	rows := cut.Partition(last)
	shape := append([]int{rows.NumRows()}, l.table.shape...)
	n, err := limit.Values[T](len(l.ids)+rows.NumRows()+len(l.table.values), shape...)
	if err != nil {
		return none, fmt.Errorf("%s: %w: %w", l.op, ragged.ErrShape, err)
	}
	out, size := make([]T, n), l.table.size
	for r := range rows.NumRows() {
		lo, hi := rows.Bounds(r)
		if bad := l.combine(out[r*size:(r+1)*size], lo, hi); bad >= 0 {
			return none, idError(l.op, operand.Coordinates(ids, bad), ids.Values()[bad], l.table.rows)
		}
	}
	if last == 0 {
		return ragged.Dense(out, shape...)
	}
	return ragged.New(out, l.table.shape, cut.Partitions()[:last]...)
}

// combine adds up the embeddings of a row of ids and divides them. It returns the
// position of an id that is not in the table, or -1.
func (l *lookup[T, I]) combine(acc []T, lo, hi int) (bad int) {
	total, used := T(0), false
	for i := lo; i < hi; i++ {
		id, w := l.ids[i], T(1)
		if l.weights != nil {
			w = l.weights[i]
		}
		if l.safe && (id < 0 || l.combiner != Sum && !(w > 0)) {
			continue
		}
		if uint64(id) >= uint64(l.table.rows) {
			return i
		}
		used = true
		l.add(acc, int(id), w)
		if l.combiner == SqrtN {
			w = T(w * w)
		}
		total += w
	}
	switch {
	case !used:
		if l.fallback >= 0 {
			l.add(acc, l.fallback, 1)
		}
		return -1
	case l.combiner == Sum:
		return -1
	case l.combiner == SqrtN:
		total = T(math.Sqrt(float64(total)))
	}
	for c, v := range acc {
		if total == 0 {
			acc[c] = 0
		} else {
			acc[c] = v / total
		}
	}
	return -1
}

// add adds an embedding, not longer than the greatest length, times a weight.
func (l *lookup[T, I]) add(acc []T, id int, w T) {
	e := l.table.values[id*len(acc):][:len(acc)]
	if l.maxNorm > 0 {
		if norm, long := tooLong(e, l.maxNorm); long {
			for c, v := range e {
				acc[c] += T(T(v*l.maxNorm/norm) * w)
			}
			return
		}
	}
	if w == 1 {
		for c, v := range e {
			acc[c] += v
		}
		return
	}
	for c, v := range e {
		acc[c] += T(v * w)
	}
}
