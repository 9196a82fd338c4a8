package text

import (
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// NGramOptions are the options of NGrams. Nil means defaults.
type NGramOptions struct {
	// Pad puts padding at both ends of every row.
	Pad bool

	// Left and Right are the padding, if Pad is set.
	Left, Right string

	// PadWidth limits the number of paddings at each end, which is never more than the
	// width less 1. 0 means no other limit.
	PadWidth int

	// KeepShort makes one n-gram of a whole row with its padding, if the row has values
	// but too few for any n-gram.
	KeepShort bool
}

// NGrams joins every n successive values in a row of the last axis, with a separator between
// them. With several widths, all n-grams of the first width come first. The result has the
// partitions of t except for the last; for a dense tensor it is dense. A ragged t must not
// have an inner shape.
//
// As in TensorFlow, a padded empty row has n-grams of padding, unless t has no values at
// all. TensorFlow calls it strings.ngrams.
func NGrams(t ragged.Tensor[string], sep string, opts *NGramOptions, widths ...int) (ragged.Tensor[string], error) {
	const op = "ngrams"
	var none ragged.Tensor[string]
	g := gramMaker{sep: sep}
	if opts != nil {
		g.NGramOptions = *opts
	}
	switch {
	case g.PadWidth < 0:
		return none, argumentErrorf(op, "want a padding width of at least 0, got %d", g.PadWidth)
	case g.PadWidth > 0 && !g.Pad:
		return none, argumentErrorf(op, "a padding width of %d needs Pad", g.PadWidth)
	}
	for _, w := range widths {
		if w < 1 {
			return none, argumentErrorf(op, "want widths of at least 1, got %d", w)
		}
	}
	if t.Rank() == 0 {
		return none, operand.Shapef(op, "a scalar has no rows")
	}
	if t.RaggedRank() == 0 {
		return g.dense(t, widths)
	}
	if len(t.InnerShape()) > 0 {
		return none, operand.Shapef(op, "want no inner shape, got %v", t.InnerShape())
	}
	parts := t.Partitions()
	p := parts[len(parts)-1]
	limits := make([]int64, p.NumRows())
	if err := g.check(t.Values(), p.MaxLen(), p.NumRows(), widths); err != nil {
		return none, err
	}
	if values := t.Values(); len(values) > 0 {
		for r := range limits {
			lo, hi := p.Bounds(r)
			g.row(values[lo:hi], widths)
			limits[r] = int64(len(g.ends))
		}
	}
	last, err := ragged.FromRowLimits(limits)
	if err != nil {
		return none, operand.Within(op, err)
	}
	parts[len(parts)-1] = last
	return ragged.New(g.strings(), nil, parts...)
}

// A gramMaker writes n-grams to its arena.
type gramMaker struct {
	NGramOptions
	sep string
	arena
}

// dense is NGrams of a dense tensor.
func (g *gramMaker) dense(t ragged.Tensor[string], widths []int) (ragged.Tensor[string], error) {
	shape, values := t.Shape(), t.Values()
	last := len(shape) - 1
	n := shape[last]
	rows, err := ragged.SizeOf(shape[:last])
	if err == nil {
		err = g.check(values, n, rows, widths)
	}
	if err != nil {
		return ragged.Tensor[string]{}, err
	}
	shape[last] = 0
	if len(values) > 0 {
		shape[last] = g.count(n, widths)
		for r := range rows {
			g.row(values[r*n:(r+1)*n], widths)
		}
	}
	return ragged.Dense(g.strings(), shape...)
}

// check fails if the n-grams would take too much memory. With padding, their number and
// size depend on the widths alone.
func (g *gramMaker) check(values []string, longest, rows int, widths []int) error {
	const op = "ngrams"
	if len(values) == 0 {
		return nil // no n-grams
	}
	own := bytesIn(values)
	given := own + len(values) + rows
	grams, bytes := 0, 0
	if g.Pad && g.KeepShort {
		var err error
		if bytes, err = limit.Values[byte](given, 2*rows, g.PadWidth, max(1, len(g.Left), len(g.Right))+len(g.sep)); err != nil {
			return argumentErrorf(op, "padding width %d: %v", g.PadWidth, err)
		}
	}
	for _, w := range widths {
		if w > math.MaxInt32/8 && g.Pad {
			return argumentErrorf(op, "%d paddings at each end are too many", g.padding(w))
		}
		// Every value is in at most w n-grams, every padding in at most pad n-grams.
		pad := g.padding(w)
		n, err := limit.Values[string](given, rows, g.grams(longest, w))
		if err != nil {
			// Rows may be much shorter than the longest row.
			n, err = limit.Values[string](given, len(values)+2*pad*rows)
		}
		if err != nil {
			return argumentErrorf(op, "n-grams of width %d: %v", w, err)
		}
		for _, term := range [][]int{
			{min(w, longest), own},
			{n, min(w, longest+2*pad), max(1, len(g.sep))},
			{rows, pad, pad + 1, max(1, len(g.Left), len(g.Right))},
		} {
			size, err := limit.Values[byte](given, term...)
			if err != nil {
				return argumentErrorf(op, "n-grams of width %d: %v", w, err)
			}
			bytes += size
		}
		grams += n
		if err := operand.TooMany[byte](op, given, bytes); err != nil {
			return err
		}
		if err := operand.TooMany[string](op, given, grams); err != nil {
			return err
		}
	}
	return nil
}

// padding returns the number of paddings at each end for n-grams of the given width.
func (g *gramMaker) padding(width int) int {
	switch {
	case !g.Pad:
		return 0
	case g.PadWidth == 0:
		return width - 1
	}
	return min(g.PadWidth, width-1)
}

// grams returns how many n-grams of the given width a row of n values has, with padding.
func (g *gramMaker) grams(n, width int) int { return max(0, n+2*g.padding(width)-width+1) }

// count returns how many n-grams of all widths a row of n values has, with padding.
func (g *gramMaker) count(n int, widths []int) int {
	total := 0
	for _, w := range widths {
		total += g.grams(n, w)
	}
	if total == 0 && g.KeepShort && n > 0 {
		return 1
	}
	return total
}

// row writes the n-grams of a row.
func (g *gramMaker) row(values []string, widths []int) {
	before := len(g.ends)
	for _, w := range widths {
		pad := g.padding(w)
		for i := range g.grams(len(values), w) {
			g.gram(values, i-pad, w)
		}
	}
	if before == len(g.ends) && g.KeepShort && len(values) > 0 {
		pad := 0
		if g.Pad {
			pad = g.PadWidth
		}
		g.gram(values, -pad, len(values)+2*pad)
	}
}

// gram writes the n-gram that begins at position at of a row. Positions outside it are
// paddings.
func (g *gramMaker) gram(values []string, at, width int) {
	for i := at; i < at+width; i++ {
		if i > at {
			g.write(g.sep)
		}
		switch {
		case i < 0:
			g.write(g.Left)
		case i < len(values):
			g.write(values[i])
		default:
			g.write(g.Right)
		}
	}
	g.end()
}
