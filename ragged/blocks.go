package ragged

import "iter"

// spreadInto writes the values of an operand that stand in the result from place i
// on into dst.
func spreadInto[T any](dst, values []T, s spread, i int) {
	if len(dst) == 0 {
		return
	}
	if len(values) == 1 {
		for k := range dst {
			dst[k] = values[0]
		}
		return
	}
	item, cell := i/s.to, i%s.to
	row := 0
	if s.runs {
		row = s.over.rowOf(item)
		if s.to == 1 && !s.over.uniform {
			repeatInto(dst, values, s.rows, s.over.splits[row:], row, item+int(s.over.splits[0]))
			return
		}
	}
	for len(dst) > 0 {
		from, n := item, 1 // n items of the result come from there
		switch {
		case s.runs:
			for s.over.split(row+1) <= item {
				row++
			}
			from, n = at(s.rows, row), s.over.split(row+1)-item
		case s.rows != nil:
			from = s.rows[item]
		}
		if s.to == 1 {
			n = min(n, len(dst))
			for v, k := values[from], 0; k < n; k++ {
				dst[k] = v
			}
			dst, item = dst[n:], item+n
			continue
		}
		for ; n > 0 && len(dst) > 0; n-- {
			got := min(s.to-cell, len(dst))
			if s.cells == nil {
				copy(dst[:got], values[from*s.from+cell:])
			} else {
				for k, c := range s.cells[cell : cell+got] {
					dst[k] = values[from*s.from+c]
				}
			}
			dst, item, cell = dst[got:], item+1, 0
		}
	}
}

// repeatInto is spreadInto for single values that are repeated along ragged rows,
// from an item on, counted as the splits count. The splits begin with its row.
func repeatInto[T any](dst, values []T, rows []int, splits []int64, row, item int) {
	const few = 8
	for _, end := range splits[1:] {
		from := row
		if rows != nil {
			from = rows[row]
		}
		v := values[from]
		n := min(int(end)-item, len(dst))
		if n <= few && len(dst) >= few {
			// Short rows are common, and their lengths hard to foretell: write a
			// few values at once. What is too much the next rows write again.
			d := (*[few]T)(dst)
			d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = v, v, v, v, v, v, v, v
		} else {
			for k := range dst[:n] {
				dst[k] = v
			}
		}
		if dst, item, row = dst[n:], item+n, row+1; len(dst) == 0 {
			return
		}
	}
}

// blockSize is how many values are brought together at a time. Two blocks stay in
// the fastest memory.
const blockSize = 1024

// A Block is values of two operands that stand at the same places of the result.
type Block[T, U any] struct {
	A []T
	B []U
}

// Blocks yields the values of two operands, which were paired, as they stand in the
// result: the place of the first, and as many of each. Together the blocks are all
// values of the result in order, and none is empty. An operand that is not repeated
// is not copied; what is copied is lent until the next block. The slices are read
// only.
//
// It panics if p is not the pairing of a and b.
//
// With it an operation of two operands is one loop over two slices, whatever the
// shapes. See Zip for the same with a function.
func Blocks[T, U any](p Pairing, a Tensor[T], b Tensor[U]) iter.Seq2[int, Block[T, U]] {
	return func(yield func(int, Block[T, U]) bool) {
		x, y, n := a.Values(), b.Values(), p.Shape.Size()
		if n > 0 && p.a.same() && p.b.same() {
			yield(0, Block[T, U]{x, y})
			return
		}
		nextA, nextB := window(x, p.a, n), window(y, p.b, n)
		for i := 0; i < n; i += blockSize {
			end := min(i+blockSize, n)
			if !yield(i, Block[T, U]{nextA(i, end), nextB(i, end)}) {
				return
			}
		}
	}
}

// window returns a function that lends the values of an operand which stand in a
// range of places of the result, of at most blockSize.
func window[T any](values []T, s spread, n int) func(lo, hi int) []T {
	if s.same() {
		return func(lo, hi int) []T { return values[lo:hi:hi] }
	}
	buf := make([]T, min(n, blockSize))
	if len(values) == 1 { // the same everywhere
		spreadInto(buf, values, s, 0)
		return func(lo, hi int) []T { return buf[: hi-lo : hi-lo] }
	}
	return func(lo, hi int) []T {
		spreadInto(buf[:hi-lo], values, s, lo)
		return buf[: hi-lo : hi-lo]
	}
}

// Map calls f for every value. The result has the shape of t and shares its
// partitions; the values are new. TensorFlow's elementwise operations of one
// argument do this.
func Map[T, U any](t Tensor[T], f func(T) U) Tensor[U] {
	values := t.Values()
	out := make([]U, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return like(t, out)
}

// Zip calls f for the values of two tensors that stand at the same place after
// broadcasting; see Pairing for the rules. The values are new. It fails with a
// BroadcastError if the shapes do not fit. TensorFlow's elementwise operations of
// two arguments do this.
func Zip[A, B, C any](a Tensor[A], b Tensor[B], f func(A, B) C) (Tensor[C], error) {
	p, err := Pair(a, b)
	if err != nil {
		return Tensor[C]{}, err
	}
	out := make([]C, p.Shape.Size())
	for i, block := range Blocks(p, a, b) {
		dst, y := out[i:i+len(block.A)], block.B[:len(block.A)]
		for k, v := range block.A {
			dst[k] = f(v, y[k])
		}
	}
	return like(p.Shape, out), nil
}

// like gives the shape of t to other values: as many as t has.
func like[U, T any](t Tensor[T], values []U) Tensor[U] {
	return Tensor[U]{values: values, parts: t.Partitions(), inner: t.inner, hi: t.hi - t.lo, scalar: t.scalar}
}
