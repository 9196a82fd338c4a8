package nn

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// A Combiner combines the embeddings of a row in LookupRows. Each embedding is multiplied by
// its weight, 1 without weights. A row without IDs becomes zeros, and so does a row whose
// divisor is 0.
type Combiner uint8

// The combiners. The default is Mean.
const (
	Mean  Combiner = iota // sum of the embeddings, divided by the sum of the weights
	Sum                   // sum of the embeddings
	SqrtN                 // sum of the embeddings, divided by the square root of the sum of the squares of the weights
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

// RowsOptions are the options of LookupRows. Nil means defaults.
type RowsOptions[T num.Float] struct {
	Combiner Combiner

	// Weights has a weight for every ID, in the shape of the IDs. Nil means that every
	// weight is 1.
	Weights *ragged.Tensor[T]

	// MaxNorm is the greatest norm of an embedding before it is combined, as in
	// LookupOptions.
	MaxNorm float64
}

// LookupRows combines the embeddings of every row of IDs: the result has the shape of a row
// of the table in place of the last axis of the IDs. For IDs of shape [n, ragged] it is
// dense. TensorFlow calls it embedding_lookup_sparse, and loses rows without IDs at the end.
func LookupRows[T num.Float, I num.Integer](table ragged.Tensor[T], ids ragged.Tensor[I], opts *RowsOptions[T]) (ragged.Tensor[T], error) {
	l := lookup[T, I]{op: "lookup rows", fallback: -1}
	return l.run(table, ids, opts)
}

// SafeLookupRows is LookupRows without negative IDs and, unless the combiner is Sum, without
// IDs whose weight is not positive. A row without any other ID gets the embedding of the
// default ID, or zeros if that is negative. TensorFlow calls it safe_embedding_lookup_sparse.
func SafeLookupRows[T num.Float, I num.Integer](table ragged.Tensor[T], ids ragged.Tensor[I], defaultID int, opts *RowsOptions[T]) (ragged.Tensor[T], error) {
	l := lookup[T, I]{op: "safe lookup rows", safe: true, fallback: max(defaultID, -1)}
	return l.run(table, ids, opts)
}

// A lookup combines embeddings row by row.
type lookup[T num.Float, I num.Integer] struct {
	op       string   // name of the operation, for errors
	safe     bool     // leave out invalid IDs
	fallback int      // ID for a row without IDs; -1 for zeros
	table    table[T] // of the embeddings; an ID is an index of its rows
	maxNorm  T        // greatest norm of an embedding; no limit if not positive
	ids      []I      // IDs of all rows
	weights  []T      // weight of each ID; nil means that every weight is 1
	combiner Combiner // at most SqrtN
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
		return none, fmt.Errorf("%s: unknown combiner %v", l.op, l.combiner)
	}
	if l.fallback >= l.table.rows {
		return none, idError(l.op+", default", nil, l.fallback, l.table.rows)
	}
	l.maxNorm = T(opts.MaxNorm)
	l.ids = ids.Values()
	if opts.Weights != nil {
		if !ragged.SameShape(ids, *opts.Weights) {
			return none, fmt.Errorf("%s: %w: weights and IDs differ in shape", l.op, ragged.ErrShape)
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
		return none, fmt.Errorf("%s: %w: want rows of IDs, got shape %v", l.op, ragged.ErrShape, ids.Shape())
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

// combine adds the embeddings of IDs lo to hi-1, which are a row, and divides the sum. It
// returns the index of an ID that is not in the table, or -1.
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

// add adds an embedding, limited to maxNorm, times a weight.
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
