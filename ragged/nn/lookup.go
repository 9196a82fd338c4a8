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

// LookupOptions are the options of Lookup. Nil means defaults.
type LookupOptions struct {
	// MaxNorm is the greatest Euclidean norm of an embedding: longer embeddings are scaled
	// to it. 0 means no limit. With a limit, the table must be float32 or float64.
	MaxNorm float64
}

// Lookup replaces every ID by its row of the table. The result has the shape of the IDs
// followed by the shape of a row, and the partitions of the IDs. The table may have any type,
// such as strings. TensorFlow calls it embedding_lookup.
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
		if err := limitNorm(out, size, opts.MaxNorm); err != nil {
			return ragged.Tensor[T]{}, fmt.Errorf("%s: %w", op, err)
		}
	}
	items, err := ragged.Dense(out, shape...)
	if err != nil || ids.RaggedRank() == 0 {
		return items, err
	}
	return ragged.Wrap(items, ids.Partitions()...)
}

// gather copies the rows of a table for all ids. It returns the index of the first ID that
// is not in the table, or -1. Very short rows are copied by a loop, which takes less time
// than a call of copy.
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

// A table is a dense tensor with its rows.
type table[T any] struct {
	values []T
	rows   int   // number of rows
	size   int   // number of values in a row
	shape  []int // shape of a row
}

func tableOf[T any](op string, t ragged.Tensor[T]) (table[T], error) {
	if t.RaggedRank() > 0 || t.Rank() == 0 {
		return table[T]{}, fmt.Errorf("%s: %w: want a dense table with rows, got shape %v", op, ragged.ErrShape, t.Shape())
	}
	shape := t.Shape()
	tab := table[T]{values: t.Values(), rows: shape[0], shape: shape[1:], size: 1}
	for _, n := range tab.shape {
		tab.size *= n
	}
	return tab, nil
}

// limitNorm scales embeddings whose norm is more than greatest.
func limitNorm[T any](values []T, size int, greatest float64) error {
	switch v := any(values).(type) {
	case []float32:
		limitNormFloats(v, size, float32(greatest))
	case []float64:
		limitNormFloats(v, size, greatest)
	default:
		return fmt.Errorf("%w: MaxNorm wants a table of float32 or float64, got %T", ragged.ErrShape, *new(T))
	}
	return nil
}

func limitNormFloats[T num.Float](values []T, size int, greatest T) {
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

// tooLong returns the norm of an embedding, and whether it is more than greatest.
func tooLong[T num.Float](e []T, greatest T) (norm T, long bool) {
	sum := T(0)
	for _, v := range e {
		sum += T(v * v)
	}
	norm = T(math.Sqrt(float64(sum)))
	return norm, norm > greatest
}

// idError returns the error for an ID that is not a row of the table.
func idError(op string, at []int, id any, rows int) error {
	return &ragged.ValueError{Op: op, At: at, Want: fmt.Sprintf("an ID from 0 to %d", rows-1), Got: id, Err: ragged.ErrIndex}
}
