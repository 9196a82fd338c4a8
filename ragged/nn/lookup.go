package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// LookupOptions say what Lookup does with an embedding. Nil means defaults.
type LookupOptions struct {
	// MaxNorm is the greatest length (Euclidean norm) of an embedding: a longer one
	// is made shorter. 0 means that there is none. Any other wants a table of float32
	// or float64.
	MaxNorm float64
}

// Lookup puts in the place of every id its row of the table: the shape of the result
// is that of the ids and then that of a row, and its partitions are those of the ids.
// The table may be of any type, such as strings that are looked up by ID.
// TensorFlow calls it embedding_lookup.
func Lookup[T any, I num.Integer](table ragged.Tensor[T], ids ragged.Tensor[I], opts *LookupOptions) (ragged.Tensor[T], error) {
	const op = "lookup"
	tab, err := tableOf(op, table)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	flat := ids.Flat()
	shape := slices.Concat(flat.Shape(), tab.shape)
	n, err := limit.Values[T](flat.Size()+len(tab.values), shape...)
	if err != nil {
		return ragged.Tensor[T]{}, fmt.Errorf("%s: %w: %w", op, ragged.ErrShape, err)
	}
	out, size := make([]T, n), tab.size
	if bad := gather(out, tab, flat.Values()); bad >= 0 {
		return ragged.Tensor[T]{}, idError(op, operand.Coordinates(ids, bad), ids.Values()[bad], tab.rows)
	}
	if opts != nil && opts.MaxNorm != 0 {
		if err := shorten(out, size, opts.MaxNorm); err != nil {
			return ragged.Tensor[T]{}, fmt.Errorf("%s: %w", op, err)
		}
	}
	items, err := ragged.Dense(out, shape...)
	if err != nil || ids.RaggedRank() == 0 {
		return items, err
	}
	return ragged.Wrap(items, ids.Partitions()...)
}

// gather copies the rows of a table for all ids. It returns the position of an id that
// is not in the table, or -1. To call copy for a very short row would take longer than
// copying it.
func gather[T any, I num.Integer](out []T, t table[T], ids []I) (bad int) {
	size := t.size
	for i, id := range ids {
		if uint64(id) >= uint64(t.rows) {
			return i
		}
		src, dst := t.values[int(id)*size:][:size], out[i*size:][:size]
		switch {
		case size == 4:
			*(*[4]T)(dst) = *(*[4]T)(src)
		case size < 8:
			//lint:ignore S1001 a loop is faster than a call for so few values
			for c, v := range src {
				dst[c] = v
			}
		default:
			copy(dst, src)
		}
	}
	return -1
}

// A table is a dense tensor as rows of values.
type table[T any] struct {
	values []T
	rows   int
	size   int   // of a row
	shape  []int // of a row
}

func tableOf[T any](op string, t ragged.Tensor[T]) (table[T], error) {
	if t.RaggedRank() > 0 || t.Rank() == 0 {
		return table[T]{}, fmt.Errorf("%s: %w: a table is dense and has rows, got one of shape %v", op, ragged.ErrShape, t.Shape())
	}
	shape := t.Shape()
	tab := table[T]{values: t.Values(), rows: shape[0], shape: shape[1:], size: 1}
	for _, n := range tab.shape {
		tab.size *= n
	}
	return tab, nil
}

// shorten scales embeddings so that none is longer than the largest length.
func shorten[T any](values []T, size int, greatest float64) error {
	switch v := any(values).(type) {
	case []float32:
		shortenFloats(v, size, float32(greatest))
	case []float64:
		shortenFloats(v, size, greatest)
	default:
		return fmt.Errorf("%w: a greatest length wants a table of float32 or float64, got %T", ragged.ErrShape, *new(T))
	}
	return nil
}

func shortenFloats[T num.Float](values []T, size int, greatest T) {
	if !(greatest > 0) {
		return
	}
	for size > 0 && len(values) > 0 {
		e := values[:size]
		if norm, long := tooLong(e, greatest); long {
			for i, v := range e {
				e[i] = v * greatest / norm
			}
		}
		values = values[size:]
	}
}

// tooLong returns the length of an embedding, and whether it is above the greatest.
func tooLong[T num.Float](e []T, greatest T) (norm T, long bool) {
	sum := T(0)
	for _, v := range e {
		sum += T(v * v)
	}
	norm = T(math.Sqrt(float64(sum)))
	return norm, norm > greatest
}

// idError says that an id is not a row of the table, and where it is.
func idError(op string, at []int, id any, rows int) error {
	return &ragged.ValueError{Op: op, At: at, Want: fmt.Sprintf("an id from 0 to %d", rows-1), Got: id, Err: ragged.ErrIndex}
}
