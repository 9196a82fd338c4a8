package ragged

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged/internal/short"
)

// Take returns the rows with the given indices, in that order. A row may be given several
// times. Uniform partitions stay uniform. The values are new. It panics if there is no such
// row. TensorFlow calls it gather.
func (t Tensor[T]) Take(rows ...int) Tensor[T] {
	for _, row := range rows {
		if uint(row) >= uint(t.Len()) {
			panic("ragged: row out of range")
		}
	}
	if len(t.parts) < 2 {
		return t.takeFlat(rows)
	}
	ranges := make([]rowRange, len(rows))
	for i, row := range rows {
		ranges[i] = rowRange{0, row, row + 1}
	}
	return joinRanges([]Tensor[T]{t}, ranges)
}

// takeFlat is Take for at most one partition.
func (t Tensor[T]) takeFlat(rows []int) Tensor[T] {
	out := Tensor[T]{inner: t.inner, hi: len(rows)}
	src, cell := t.Values(), size(t.inner)
	if rowLen, even := t.rowSize(); even {
		if len(t.parts) > 0 {
			out.parts = []Partition{uniform(rowLen, len(rows))}
		}
		n := rowLen * cell
		out.values = make([]T, len(rows)*n)
		for i, row := range rows {
			copy(out.values[i*n:(i+1)*n], src[row*n:])
		}
		return out
	}
	p := t.Partition(0)
	splits, starts := make([]int64, len(rows)+1), make([]int, len(rows))
	at := int64(0)
	for i, row := range rows {
		s := p.splits[row : row+2]
		starts[i] = int(s[0] - p.splits[0])
		at += s[1] - s[0]
		splits[i+1] = at
	}
	out.parts = []Partition{{splits: splits}}
	out.values = make([]T, int(at)*cell)
	dst := out.values
	for i, start := range starts {
		n := int(splits[i+1]-splits[i]) * cell
		short.Copy(dst, src[start*cell:], n)
		dst = dst[n:]
	}
	return out
}

// rowSize returns the number of items in a row, and false if rows differ in length.
func (t Tensor[T]) rowSize() (n int, ok bool) {
	if len(t.parts) == 0 {
		return 1, true
	}
	return t.parts[0].UniformLen()
}

// Concat joins tensors of the same rank along an axis; a negative axis counts from the
// end. On axis 0 the result has the rows of all operands. On another axis row i of the
// result has the items of row i of every operand, and all operands must have the same
// rows on the axes above. Axes of the inner shape that are not joined must have the same
// size.
//
// If all operands are dense, so is the result; otherwise it has as many partitions as the
// operand with the most partitions, and an axis is uniform if that is certain. The values
// are new, except that a single operand is the result. TensorFlow calls it concat.
func Concat[T any](axis int, operands ...Tensor[T]) (Tensor[T], error) {
	if len(operands) == 0 {
		return Tensor[T]{}, shapeErrorf("concat: no operands")
	}
	rank, levels := operands[0].Rank(), 0
	axis, err := axisIn("concat: axis", axis, rank)
	if err != nil {
		return Tensor[T]{}, err
	}
	for i, t := range operands {
		if t.Rank() != rank {
			return Tensor[T]{}, shapeErrorf("concat: operand %d has rank %d, operand 0 has rank %d", i, t.Rank(), rank)
		}
		levels = max(levels, t.RaggedRank())
	}
	if len(operands) == 1 {
		return operands[0], nil
	}
	// Give all operands the same number of partitions. Those above the axis must be equal.
	raised := make([]Tensor[T], len(operands))
	for i, t := range operands {
		if raised[i], err = t.withLevels(levels); err != nil {
			return Tensor[T]{}, err
		}
	}
	for i, t := range raised[1:] {
		if fault := concatFault(axis, levels, raised[0], t); fault != "" {
			return Tensor[T]{}, shapeErrorf("concat on axis %d: operand %d: %s", axis, i+1, fault)
		}
	}
	if err := checkConcatSize(axis, levels, raised); err != nil {
		return Tensor[T]{}, err
	}
	switch {
	case axis > levels:
		items := concatInner(axis-levels, raised)
		return Wrap(items, raised[0].Partitions()...)
	case axis == 0:
		ranges := make([]rowRange, len(raised))
		for i, t := range raised {
			ranges[i] = rowRange{i, 0, t.Len()}
		}
		return joinRanges(raised, ranges), nil
	}
	above := raised[0].Partitions()[:axis-1]
	parts := make([]Partition, len(raised))
	for i, t := range raised {
		parts[i] = t.Partition(axis - 1)
		for range axis {
			t = t.Items()
		}
		raised[i] = t
	}
	return Wrap(concatItems(parts, raised), append(above, concatRows(parts))...)
}

// withLevels returns a tensor with more partitions: axes of its inner shape become uniform
// partitions.
func (t Tensor[T]) withLevels(levels int) (Tensor[T], error) {
	if levels == len(t.parts) {
		return t, nil
	}
	_, parts, inner := t.withAxes(t.Rank(), levels)
	return Tensor[T]{values: t.Values(), parts: parts, inner: inner, hi: t.Len()}, nil
}

// concatFault compares two tensors with the same number of partitions, which are to be
// joined along an axis. It returns the first difference, or "" if they fit.
func concatFault[T any](axis, levels int, a, b Tensor[T]) string {
	if axis > 0 && a.Len() != b.Len() {
		return fmt.Sprintf("want %d rows, got %d", a.Len(), b.Len())
	}
	above := min(axis-1, levels) // number of partitions that must be equal
	if axis > levels {
		above = levels
	}
	for level := range above {
		if p, q := a.Partition(level), b.Partition(level); !p.Equal(q) {
			return partitionFault(level+1, p, q)
		}
	}
	for i, n := range b.inner {
		if i != axis-levels-1 && n != a.inner[i] {
			return fmt.Sprintf("axis %d: want size %d, got %d", levels+1+i, a.inner[i], n)
		}
	}
	return ""
}

// partitionFault returns the first difference between two partitions.
func partitionFault(axis int, p, q Partition) string {
	for row := range min(p.NumRows(), q.NumRows()) {
		if want, got := p.RowLen(row), q.RowLen(row); want != got {
			return fmt.Sprintf("axis %d, row %d: want length %d, got %d", axis, row, want, got)
		}
	}
	return fmt.Sprintf("axis %d: want %d rows, got %d", axis, p.NumRows(), q.NumRows())
}

// checkConcatSize returns an error if a size of the result overflows, which axes without
// values can cause.
func checkConcatSize[T any](axis, levels int, operands []Tensor[T]) error {
	shape := append([]int{operands[0].Len()}, operands[0].inner...)
	at := 0 // index of the size that grows
	if axis > levels {
		at = axis - levels
	} else if axis > 0 {
		shape = append([]int{0, 0}, shape[1:]...)
		at = 1
	}
	shape[at] = 0
	for _, t := range operands {
		n := 0
		switch {
		case axis > levels:
			n = t.inner[axis-levels-1]
		case axis == 0:
			n = t.Len()
		default:
			n, _ = t.parts[axis-1].UniformLen()
		}
		if shape[at] += n; shape[at] > maxValues {
			return shapeErrorf("concat on axis %d: the result is too large", axis)
		}
	}
	_, err := product(shape)
	return err
}

// concatInner joins the items of tensors along an axis of their inner shape, counted
// from 1.
func concatInner[T any](axis int, operands []Tensor[T]) Tensor[T] {
	shape := operands[0].Flat().Shape()
	shape[axis] = 0
	total := 0
	for _, t := range operands {
		shape[axis] += t.inner[axis-1]
		total += t.Size()
	}
	values := make([]T, 0, total)
	for row := range size(shape[:axis]) {
		for _, t := range operands {
			block := size(t.inner[axis-1:])
			values = append(values, t.Values()[row*block:(row+1)*block]...)
		}
	}
	return dense(values, shape)
}

// concatRows returns the partition whose row i has the values of row i of every partition.
func concatRows(parts []Partition) Partition {
	rows := parts[0].NumRows()
	allUniform, rowLen := true, 0
	for _, p := range parts {
		n, ok := p.UniformLen()
		allUniform, rowLen = allUniform && ok, rowLen+n
	}
	if allUniform {
		return uniform(rowLen, rows)
	}
	splits := make([]int64, rows+1)
	for _, p := range parts {
		for i := range splits {
			splits[i] += int64(p.split(i))
		}
	}
	return Partition{splits: splits}
}

// concatItems returns the items of all operands row by row: first row 0 of each operand,
// then row 1.
func concatItems[T any](parts []Partition, items []Tensor[T]) Tensor[T] {
	rows := parts[0].NumRows()
	if len(items[0].parts) > 0 {
		ranges := make([]rowRange, 0, rows*len(parts))
		for row := range rows {
			for i, p := range parts {
				if lo, hi := p.Bounds(row); lo < hi {
					ranges = append(ranges, rowRange{i, lo, hi})
				}
			}
		}
		return joinRanges(items, ranges)
	}
	n, cell := 0, size(items[0].inner)
	values := make([][]T, len(items))
	for i, t := range items {
		n += t.Len()
		values[i] = t.Values()
	}
	out := Tensor[T]{values: make([]T, n*cell), inner: items[0].inner, hi: n}
	dst := out.values
	for row := range rows {
		for i, p := range parts {
			lo, hi := p.Bounds(row)
			short.Copy(dst, values[i][lo*cell:], (hi-lo)*cell)
			dst = dst[(hi-lo)*cell:]
		}
	}
	return out
}

// A rowRange is rows lo to hi-1 of the tensor with index tensor in a list.
type rowRange struct{ tensor, lo, hi int }

// joinRanges returns the rows of all ranges, one after another. The tensors have the same
// number of partitions and the same inner shape. A partition of the result is uniform if it
// is uniform in all tensors with the same length. The time is O(result). The ranges are
// overwritten.
func joinRanges[T any](from []Tensor[T], ranges []rowRange) Tensor[T] {
	n := 0
	for _, p := range ranges {
		n += p.hi - p.lo
	}
	out := Tensor[T]{inner: from[0].inner, hi: n}
	from = slices.Clone(from)
	parts := make([]Partition, len(from))
	for range from[0].parts {
		for i, t := range from {
			parts[i] = t.Partition(0)
			from[i] = t.Items()
		}
		p := joinLevel(parts, ranges, n)
		out.parts = append(out.parts, p)
		n = p.NumValues()
	}
	cell := size(out.inner)
	out.values = make([]T, n*cell)
	dst := out.values
	sources := make([][]T, len(from))
	for i, t := range from {
		sources[i] = t.Values()
	}
	for _, p := range ranges {
		n := (p.hi - p.lo) * cell
		short.Copy(dst, sources[p.tensor][p.lo*cell:], n)
		dst = dst[n:]
	}
	return out
}

// joinLevel returns the partition of the n rows in the ranges, and replaces the ranges by
// the ranges of their values, which are rows of the level below.
func joinLevel(parts []Partition, ranges []rowRange, n int) Partition {
	rowLen, same := parts[0].UniformLen()
	for _, p := range parts[1:] {
		other, ok := p.UniformLen()
		same = same && ok && other == rowLen
	}
	if same {
		for i := range ranges {
			ranges[i].lo *= rowLen
			ranges[i].hi *= rowLen
		}
		return uniform(rowLen, n)
	}
	splits := make([]int64, 1, n+1)
	at := int64(0)
	for i, s := range ranges {
		p := parts[s.tensor]
		first := p.split(s.lo)
		if s.lo < s.hi && !p.uniform {
			shift := at - p.splits[s.lo]
			for _, limit := range p.splits[s.lo+1 : s.hi+1] {
				splits = append(splits, limit+shift)
			}
		} else {
			for row := s.lo; row < s.hi; row++ {
				splits = append(splits, at+int64(p.split(row+1)-first))
			}
		}
		at = splits[len(splits)-1]
		ranges[i].lo, ranges[i].hi = first, p.split(s.hi)
	}
	return Partition{splits: splits}
}
