package ragged

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tfparse/tfparse/ragged/internal/limit"
)

// A BroadcastError gives the axis on which two shapes do not broadcast. It wraps
// ErrShape.
type BroadcastError struct {
	Axis int // axis of the result
	Row  int // index of the row of that axis, in the result; -1 if the sizes of the axis differ
	A, B int // the lengths that should be equal
}

// Error gives the axis, the row and the lengths.
func (e *BroadcastError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("%v: broadcast: axis %d: sizes %d and %d", ErrShape, e.Axis, e.A, e.B)
	}
	return fmt.Sprintf("%v: broadcast: axis %d, row %d: lengths %d and %d", ErrShape, e.Axis, e.Row, e.A, e.B)
}

// Unwrap returns ErrShape.
func (e *BroadcastError) Unwrap() error { return ErrShape }

// BroadcastShape returns the shape that two tensors broadcast to, as a tensor without
// values: a struct{} takes no memory. Only the shapes of the operands matter.
//
// The rules are TensorFlow's. The operand with fewer axes gets axes of size 1 in front.
// Then, axis by axis, the sizes are equal, or one of them is a uniform 1 and that operand
// is repeated. A ragged axis is never stretched, not even if all its rows have length 1,
// but its rows are repeated where an axis above is stretched. A uniform axis matches a
// ragged axis whose rows all have its length. An axis of the result is uniform if it is
// uniform in both operands.
//
// Shapes that do not broadcast are a BroadcastError with the axis and the row. The number
// of values is limited (see the package comment) unless both operands have the type
// struct{}; beyond the limit the error wraps ErrShape. TensorFlow calls it
// broadcast_dynamic_shape.
func BroadcastShape[T, U any](a Tensor[T], b Tensor[U]) (Tensor[struct{}], error) {
	p, err := pairOperands(a, b)
	return p.shape, err
}

// A pairing is the result of broadcasting two operands.
type pairing struct {
	shape Tensor[struct{}] // shape of the result
	a, b  operandMap       // the origin of each value of the result in either operand
}

// An operandMap maps the values of a result to the values of one operand.
type operandMap struct {
	rowMap
	repeatsInner bool  // an axis of the inner shape is repeated
	cells        []int // if repeatsInner: for each value of a result item, its index in the operand item
	from, to     int   // number of values in an item of the operand and of the result
}

// A rowMap maps the rows of one level of a result to the rows of one operand. At the last
// level the rows are items.
type rowMap struct {
	rows     []int     // operand row for each result row, or for each row of over; nil is the identity
	repeated bool      // all result rows within one row of over come from one operand row
	over     Partition // if repeated: groups the result rows
}

// pairOperands broadcasts the shapes of two operands. It allocates nothing for the values
// of the result.
func pairOperands[T, U any](a Tensor[T], b Tensor[U]) (pairing, error) {
	// A scalar is repeated for every value of the other operand.
	if b.scalar {
		all := operandMap{from: size(a.inner), to: size(a.inner)}
		return pairing{shape: withoutValues(a), a: all, b: repeatScalar(a)}, nil
	}
	if a.scalar {
		all := operandMap{from: size(b.inner), to: size(b.inner)}
		return pairing{shape: withoutValues(b), a: repeatScalar(b), b: all}, nil
	}
	rank := max(a.Rank(), b.Rank())
	// The number of partitions of the result. Axes below them broadcast as axes of dense
	// tensors.
	levels := 0
	for _, n := range [][2]int{{a.Rank(), a.RaggedRank()}, {b.Rank(), b.RaggedRank()}} {
		if n[1] > 0 {
			levels = max(levels, n[1]+rank-n[0])
		}
	}
	aRows, aParts, aInner := a.withAxes(rank, levels)
	bRows, bParts, bInner := b.withAxes(rank, levels)

	m := matcher{rows: aRows, given: a.storedSize() + b.storedSize()}
	switch {
	case aRows == bRows:
	case aRows == 1:
		m.rows, m.a = bRows, rowMap{repeated: true, over: uniform(bRows, 1)}
	case bRows == 1:
		m.b = rowMap{repeated: true, over: uniform(aRows, 1)}
	default:
		return pairing{}, &BroadcastError{Axis: 0, Row: -1, A: aRows, B: bRows}
	}
	parts := make([]Partition, levels)
	for i := range parts {
		var err error
		if parts[i], err = m.matchLevel(i+1, aParts[i], bParts[i]); err != nil {
			return pairing{}, err
		}
	}
	inner, err := matchInner(levels+1, aInner, bInner)
	if err != nil {
		return pairing{}, err
	}
	n, err := product(append([]int{m.rows}, inner...))
	if err != nil {
		return pairing{}, err
	}
	if unsafe.Sizeof(*new(T))+unsafe.Sizeof(*new(U)) > 0 {
		// The caller allocates the result, unless both operands are mere shapes.
		if err := m.checkLimit(n); err != nil {
			return pairing{}, err
		}
	}
	wideA, wideB := !slices.Equal(aInner, inner), !slices.Equal(bInner, inner)
	var ca, cb []int
	if n > 0 && (wideA || wideB) {
		if err := m.checkLimit(size(inner)); err != nil {
			return pairing{}, err
		}
		ca, cb = broadcastCells(aInner, inner), broadcastCells(bInner, inner)
	}
	shape := Tensor[struct{}]{values: make([]struct{}, n), parts: parts, inner: inner, hi: m.rows}
	if levels > 0 {
		shape.hi = parts[0].NumRows()
	}
	return pairing{
		shape: shape,
		a:     operandMap{m.a, wideA, ca, size(aInner), size(inner)},
		b:     operandMap{m.b, wideB, cb, size(bInner), size(inner)},
	}, nil
}

// withoutValues returns a tensor without its values.
func withoutValues[T any](t Tensor[T]) Tensor[struct{}] {
	return like(t, make([]struct{}, t.Size()))
}

// repeatScalar maps all values of a result in the shape of t to a scalar.
func repeatScalar[T any](t Tensor[T]) operandMap {
	lo, hi := t.items()
	return operandMap{rowMap: rowMap{repeated: true, over: uniform(hi-lo, 1)}, from: 1, to: size(t.inner)}
}

// withAxes returns t as a tensor of a higher rank with levels partitions: new axes of size 1
// come first, and axes of the inner shape become uniform partitions.
func (t Tensor[T]) withAxes(rank, levels int) (rows int, parts []Partition, inner []int) {
	shape := slices.Concat(slices.Repeat([]int{1}, rank-t.Rank()), t.Shape())
	rows = shape[0]
	n := rows
	for axis := 1; axis <= levels; axis++ {
		// own is the index in t.parts of this axis; below 0 for new axes and for axis 0 of t.
		own := axis - (rank - t.Rank()) - 1
		p := Partition{}
		if own >= 0 && own < len(t.parts) {
			p = t.Partition(own)
		} else {
			p = uniform(shape[axis], n)
		}
		parts = append(parts, p)
		n = p.NumValues()
	}
	return rows, parts, shape[levels+1:]
}

// A matcher broadcasts the axes of two operands one by one, from the outermost to the
// innermost. Between calls its fields describe the axis that was matched last.
type matcher struct {
	rows  int    // number of rows of the result
	a, b  rowMap // for each row of the result, the row of a and of b that it comes from
	given int    // number of values and rows of both operands, for the limit
}

// checkLimit returns an error if the result would have more values or rows than the limit.
func (m *matcher) checkLimit(n int) error {
	if _, err := limit.Values[int64](m.given, n); err != nil {
		return shapeErrorf("broadcast: %v", err)
	}
	return nil
}

// matchLevel broadcasts the partitions of one axis and returns the partition of the result.
func (m *matcher) matchLevel(axis int, a, b Partition) (Partition, error) {
	for _, s := range []*rowMap{&m.a, &m.b} {
		if err := m.expandRows(s); err != nil {
			return Partition{}, err
		}
	}
	la, uniformA := a.UniformLen()
	lb, uniformB := b.UniformLen()
	var out Partition
	var err error
	switch {
	case uniformA && uniformB:
		n := la
		if la == 1 {
			n = lb
		} else if lb != 1 && la != lb {
			return out, &BroadcastError{Axis: axis, Row: -1, A: la, B: lb}
		}
		if n > 0 && m.rows > maxValues/n {
			return out, shapeErrorf("broadcast: the result is too large")
		}
		out = uniform(n, m.rows)
		return out, m.descend(a, b, out, la != n, lb != n)
	case uniformA && la == 1:
		if out, err = selectRows(b, m.b.rows); err != nil {
			return out, err
		}
		return out, m.descend(a, b, out, true, false)
	case uniformB && lb == 1:
		if out, err = selectRows(a, m.a.rows); err != nil {
			return out, err
		}
		return out, m.descend(a, b, out, false, true)
	default:
		same := m.a.rows == nil && m.b.rows == nil && a.Equal(b)
		for t := 0; t < m.rows && !same; t++ {
			if na, nb := a.RowLen(mappedRow(m.a.rows, t)), b.RowLen(mappedRow(m.b.rows, t)); na != nb {
				return out, &BroadcastError{Axis: axis, Row: t, A: na, B: nb}
			}
		}
		p, rows := a, m.a.rows // the operand whose axis is ragged
		if uniformA {
			p, rows = b, m.b.rows
		}
		if out, err = selectRows(p, rows); err != nil {
			return out, err
		}
		return out, m.descend(a, b, out, false, false)
	}
}

// descend moves the state to the level below. The rows of a and b have the lengths of the
// rows of out or, in an operand that is stretched, length 1.
func (m *matcher) descend(a, b, out Partition, stretchA, stretchB bool) error {
	m.rows = out.NumValues()
	for _, side := range []struct {
		s       *rowMap
		p       Partition
		stretch bool
	}{{&m.a, a, stretchA}, {&m.b, b, stretchB}} {
		switch {
		case side.stretch:
			side.s.repeated, side.s.over = true, out
		case side.s.rows != nil:
			if err := m.checkLimit(m.rows); err != nil {
				return err
			}
			side.s.rows = childRows(side.p, side.s.rows)
		}
	}
	return nil
}

// expandRows replaces repeated rows by one entry for each row of the result.
func (m *matcher) expandRows(s *rowMap) error {
	if !s.repeated {
		return nil
	}
	if err := m.checkLimit(s.over.NumValues()); err != nil {
		return err
	}
	rows := make([]int, 0, s.over.NumValues())
	for i := range s.over.NumRows() {
		from := mappedRow(s.rows, i)
		for range s.over.RowLen(i) {
			rows = append(rows, from)
		}
	}
	*s = rowMap{rows: rows}
	return nil
}

// mappedRow returns g[i]; a nil g is the identity.
func mappedRow(g []int, i int) int {
	if g == nil {
		return i
	}
	return g[i]
}

// selectRows returns the partition that has the rows of p with the indices g, or p if g
// is nil.
func selectRows(p Partition, g []int) (Partition, error) {
	if g == nil {
		return p, nil
	}
	splits := make([]int64, len(g)+1)
	for i, row := range g {
		if splits[i+1] = splits[i] + int64(p.RowLen(row)); splits[i+1] > maxValues {
			return Partition{}, shapeErrorf("broadcast: the result is too large")
		}
	}
	return Partition{splits: splits}, nil
}

// childRows returns the positions of the values in the rows of p with the indices g: the
// rows of the level below.
func childRows(p Partition, g []int) []int {
	n := 0
	for _, row := range g {
		n += p.RowLen(row)
	}
	out := make([]int, 0, n)
	for _, row := range g {
		lo, hi := p.Bounds(row)
		for v := lo; v < hi; v++ {
			out = append(out, v)
		}
	}
	return out
}

// matchInner broadcasts dense shapes of the same rank.
func matchInner(axis int, a, b []int) ([]int, error) {
	out := make([]int, len(a))
	for i := range a {
		switch {
		case a[i] == b[i] || b[i] == 1:
			out[i] = a[i]
		case a[i] == 1:
			out[i] = b[i]
		default:
			return nil, &BroadcastError{Axis: axis + i, Row: -1, A: a[i], B: b[i]}
		}
	}
	_, err := product(out)
	return out, err
}

// broadcastCells returns for each value of a dense shape the index of its origin in a shape
// that broadcasts to it; nil if the shapes are the same.
func broadcastCells(from, to []int) []int {
	if slices.Equal(from, to) {
		return nil
	}
	out := make([]int, size(to))
	for i := range out {
		rest, stride := i, 1
		for axis := len(to) - 1; axis >= 0; axis-- {
			if from[axis] != 1 {
				out[i] += rest % to[axis] * stride
				stride *= from[axis]
			}
			rest /= to[axis]
		}
	}
	return out
}

// isIdentity reports whether the result has the values of the operand, in the same order.
func (s operandMap) isIdentity() bool { return !s.repeated && s.rows == nil && !s.repeatsInner }

// BroadcastTo repeats t so that it has the shape and the partitions of another tensor,
// such as a result of BroadcastShape. It fails if that tensor would have to be stretched.
// The values are new, or shared if nothing is repeated; their number is limited, see the
// package comment. TensorFlow calls it broadcast_to.
func BroadcastTo[T, U any](t Tensor[T], shape Tensor[U]) (Tensor[T], error) {
	if t.Rank() > shape.Rank() {
		return Tensor[T]{}, shapeErrorf("broadcast to: rank %d does not broadcast to the lower rank %d", t.Rank(), shape.Rank())
	}
	if shape.scalar {
		return t, nil
	}
	p, err := pairOperands(t, shape)
	if err != nil {
		return Tensor[T]{}, err
	}
	if !p.b.isIdentity() {
		return Tensor[T]{}, shapeErrorf("broadcast to: cannot broadcast shape %v to %v", t.Shape(), shape.Shape())
	}
	if p.a.isIdentity() {
		return like(shape, t.Values()), nil
	}
	n, err := limit.Values[T](t.storedSize()+shape.storedSize(), p.shape.Size())
	if err != nil {
		return Tensor[T]{}, shapeErrorf("broadcast to: %v", err)
	}
	out := make([]T, n)
	broadcastInto(out, t.Values(), p.a, 0)
	return like(shape, out), nil
}
