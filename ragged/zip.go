package ragged

import "github.com/tfparse/tfparse/ragged/internal/short"

import "github.com/tfparse/tfparse/ragged/internal/limit"

// broadcastInto fills dst with the values that a broadcast operand has at the flat positions
// of the result from i on.
func broadcastInto[T any](dst, values []T, s operandMap, i int) {
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
	if s.repeated {
		row = s.over.rowOf(item)
		if s.to == 1 && !s.over.uniform {
			repeatInto(dst, values, s.rows, s.over.splits[row:], row, item+int(s.over.splits[0]))
			return
		}
	}
	for len(dst) > 0 {
		from, n := item, 1 // the next n items of the result come from the item at from
		switch {
		case s.repeated:
			for s.over.split(row+1) <= item {
				row++
			}
			from, n = mappedRow(s.rows, row), s.over.split(row+1)-item
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

// repeatInto is broadcastInto for items of one value, each repeated along a ragged row. It
// begins at an item in a row; item is counted as in splits, which start with that row.
func repeatInto[T any](dst, values []T, rows []int, splits []int64, row, item int) {
	for _, end := range splits[1:] {
		from := row
		if rows != nil {
			from = rows[row]
		}
		v := values[from]
		n := min(int(end)-item, len(dst))
		if n <= short.Len && len(dst) >= short.Len {
			// Short rows are common, and the processor cannot predict their lengths: write
			// short.Len values at once. The next row overwrites the surplus.
			d := (*[short.Len]T)(dst)
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

// blockSize is the number of values in a block. Blocks of two operands fit the level 1
// cache.
const blockSize = 1024

// ZipSlices is Zip with a function of slices: each call of f gets the next part of the
// result and as many values of each operand, and writes the part. So an operation of two
// operands is one loop for all shapes, without a call for each value. The slices of the
// operands are read only, and valid until f returns.
//
// If f fails, ZipSlices returns that error and the result as far as it is written: its shape
// gives the coordinates of the value that f did not accept. Shapes that do not broadcast
// are an error as in BroadcastShape.
func ZipSlices[A, B, C any](a Tensor[A], b Tensor[B], f func(dst []C, x []A, y []B) error) (Tensor[C], error) {
	p, err := pairOperands(a, b)
	if err != nil {
		return Tensor[C]{}, err
	}
	n, err := limit.Values[C](a.storedSize()+b.storedSize(), p.shape.Size())
	if err != nil {
		return Tensor[C]{}, shapeErrorf("broadcast: %v", err)
	}
	x, y, out := a.Values(), b.Values(), make([]C, n)
	if p.a.isIdentity() && p.b.isIdentity() {
		if n > 0 {
			err = f(out, x, y)
		}
		return like(p.shape, out), err
	}
	nextA, nextB := operandBlocks(x, p.a, n), operandBlocks(y, p.b, n)
	for i := 0; i < n && err == nil; i += blockSize {
		end := min(i+blockSize, n)
		err = f(out[i:end:end], nextA(i, end), nextB(i, end))
	}
	return like(p.shape, out), err
}

// operandBlocks returns a function that broadcasts an operand to a range of the result, of
// at most blockSize values. The slice is valid until the next call.
func operandBlocks[T any](values []T, s operandMap, n int) func(lo, hi int) []T {
	if s.isIdentity() {
		return func(lo, hi int) []T { return values[lo:hi:hi] }
	}
	buf := make([]T, min(n, blockSize))
	if len(values) == 1 { // the same in every block
		broadcastInto(buf, values, s, 0)
		return func(lo, hi int) []T { return buf[: hi-lo : hi-lo] }
	}
	return func(lo, hi int) []T {
		broadcastInto(buf[:hi-lo], values, s, lo)
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

// Zip calls f for each pair of values of two tensors that broadcast; see BroadcastShape for
// the rules and the errors. The values are new. TensorFlow's elementwise operations of
// two arguments do this.
func Zip[A, B, C any](a Tensor[A], b Tensor[B], f func(A, B) C) (Tensor[C], error) {
	return ZipSlices(a, b, func(dst []C, x []A, y []B) error {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = f(x[i], y[i])
		}
		return nil
	})
}

// like returns a tensor that has the shape of t and the given values, one for each value
// of t.
func like[U, T any](t Tensor[T], values []U) Tensor[U] {
	return Tensor[U]{values: values, parts: t.Partitions(), inner: t.inner, hi: t.hi - t.lo, scalar: t.scalar}
}
