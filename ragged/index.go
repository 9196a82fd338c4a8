package ragged

import (
	"slices"
	"strconv"
)

// A Key selects a position or a range of one axis for Index. It is made by At, Slice,
// SliceFrom, SliceTo, SliceAll, NewAxis or Ellipsis; the zero Key is SliceAll.
type Key struct {
	kind        keyKind
	start, stop int      // bounds of a range; start is also the position of At
	step        int      // step of a range; 0 is an error
	open        openEnds // bounds of the range that the caller left out
}

type keyKind uint8

const (
	allKey keyKind = iota // the whole axis
	spanKey
	atKey
	newAxisKey
	ellipsisKey
)

type openEnds uint8

const (
	openStart openEnds = 1 << iota
	openStop
)

// At selects one position and removes the axis. A negative position counts from the end.
func At(i int) Key { return Key{kind: atKey, start: i} }

// Slice selects positions lo to hi-1, as a Python slice: a negative bound counts from the
// end, and a bound outside the axis is moved to the nearest end.
func Slice(lo, hi int) Key { return Key{kind: spanKey, start: lo, stop: hi, step: 1} }

// SliceFrom selects the positions from lo on; a negative lo counts from the end.
func SliceFrom(lo int) Key { return Key{kind: spanKey, start: lo, step: 1, open: openStop} }

// SliceTo selects the positions up to hi-1; a negative hi counts from the end.
func SliceTo(hi int) Key { return Key{kind: spanKey, stop: hi, step: 1, open: openStart} }

// SliceAll selects the whole axis.
func SliceAll() Key { return Key{} }

// NewAxis adds an axis of size 1.
func NewAxis() Key { return Key{kind: newAxisKey} }

// Ellipsis is a SliceAll for each axis that has no other key.
func Ellipsis() Key { return Key{kind: ellipsisKey} }

// By changes the step of a range: SliceAll().By(-1) reverses the axis. Index refuses a step
// of 0. By panics for a key that is not a range.
func (k Key) By(step int) Key {
	switch k.kind {
	case allKey:
		return Key{kind: spanKey, step: step, open: openStart | openStop}
	case spanKey:
		k.step = step
		return k
	}
	panic("ragged: Key.By of a key that is not a range")
}

// String returns the key in Python's notation.
func (k Key) String() string {
	switch k.kind {
	case atKey:
		return strconv.Itoa(k.start)
	case newAxisKey:
		return "newaxis"
	case ellipsisKey:
		return "..."
	case allKey:
		return ":"
	}
	s := ""
	if k.open&openStart == 0 {
		s = strconv.Itoa(k.start)
	}
	s += ":"
	if k.open&openStop == 0 {
		s += strconv.Itoa(k.stop)
	}
	if k.step != 1 {
		s += ":" + strconv.Itoa(k.step)
	}
	return s
}

// resolve returns which positions a range selects on an axis of length n: start,
// start+step and so on, count positions in all. The step is not 0.
func (k Key) resolve(n int) (start, count int) {
	if k.kind == allKey {
		return 0, n
	}
	first, limit := 0, n // defaults of the bounds
	if k.step < 0 {
		first, limit = n-1, -1
	}
	lo, hi := min(first, limit), max(first, limit)
	start, stop := first, limit
	if k.open&openStart == 0 {
		start = clampBound(k.start, n, lo, hi)
	}
	if k.open&openStop == 0 {
		stop = clampBound(k.stop, n, lo, hi)
	}
	// Start and stop are at most n apart, so nothing below overflows.
	switch {
	case k.step > 0 && start < stop:
		return start, (stop-start-1)/k.step + 1
	case k.step < 0 && start > stop:
		return start, (stop-start+1)/k.step + 1
	}
	return start, 0
}

// clampBound moves a bound of an axis of length n into the range from lo to hi. A negative
// bound counts from the end.
func clampBound(b, n, lo, hi int) int {
	if b < 0 {
		return max(b+n, lo)
	}
	return min(b, hi)
}

// position returns the position of At on an axis of length n.
func (k Key) position(axis, n int) (int, error) {
	if k.start < -n || k.start >= n {
		return 0, indexErrorf("key %d is out of bounds for axis %d of size %d", k.start, axis, n)
	}
	if k.start < 0 {
		return k.start + n, nil
	}
	return k.start, nil
}

// Index returns a part of a tensor: each key selects from one axis, and axes without a key
// are complete. It is TensorFlow's (and Python's) t[keys...]:
//
//	t.Index(At(1), At(2))                    t[1, 2]        a value of row 1
//	t.Index(SliceFrom(1))                    t[1:]          all rows but the first
//	t.Index(SliceAll(), SliceTo(3))          t[:, :3]       the first three of every row
//	t.Index(SliceAll(), SliceAll().By(-1))   t[:, ::-1]     every row reversed
//	t.Index(Ellipsis(), At(0))               t[..., 0]      the first of the last axis
//
// A range applies to every row by itself. It never fails, except for a step of 0. A position
// that does not exist is an error, and so is any position on a ragged axis below the first,
// since not all rows may have it. Uniform partitions stay uniform.
//
// As in TensorFlow, some keys make axes further down count as ragged for the rest of the
// call, even if they are uniform. A range with a step on axis 0, or a position below axis 0
// (unless its axis has size 1), leaves only the next axis uniform. A range below axis 0
// leaves none, except SliceAll. So Index(SliceAll().By(2), SliceAll(), At(0)) is an error
// even if axis 2 is uniform. Use two calls.
//
// The result is a view if the keys select a contiguous part (positions, and ranges without
// a step, on axis 0 alone), otherwise its values are new.
func (t Tensor[T]) Index(keys ...Key) (Tensor[T], error) {
	for _, k := range keys {
		if k.kind == spanKey && k.step == 0 {
			return Tensor[T]{}, indexErrorf("key %v: the step must not be 0", k)
		}
	}
	return t.index(keys, 0)
}

// index applies keys from axis 0 on. Errors call axis 0 base.
func (t Tensor[T]) index(keys []Key, base int) (Tensor[T], error) {
	for len(keys) > 0 && len(t.parts) > 0 {
		k := keys[0]
		switch k.kind {
		case ellipsisKey:
			var err error
			if keys, err = expandEllipsis(keys, t.Rank()); err != nil {
				return Tensor[T]{}, err
			}
		case newAxisKey:
			r, err := t.index(keys[1:], base)
			if err != nil {
				return Tensor[T]{}, err
			}
			if len(r.parts) == 0 {
				return dense(r.Values(), slices.Insert(r.Shape(), 0, 1)), nil
			}
			return wrap(uniform(r.Len(), 1), r), nil
		case atKey:
			i, err := k.position(base, t.Len())
			if err != nil {
				return Tensor[T]{}, err
			}
			t, keys, base = t.Row(i), keys[1:], base+1
		default:
			known := len(t.parts)
			if k.kind == spanKey && k.step != 1 {
				known = 1
			}
			return t.sliceRows(k).indexBelow(keys[1:], base+1, known)
		}
	}
	if len(keys) == 0 {
		return t, nil
	}
	return t.indexDense(keys, base)
}

// indexBelow applies keys from axis 1 on and keeps axis 0. Errors call axis 1 base. Only the
// partitions 0 to known-1 may be treated as uniform; later partitions count as ragged.
func (t Tensor[T]) indexBelow(keys []Key, base, known int) (Tensor[T], error) {
	if len(keys) == 0 {
		return t, nil
	}
	if len(t.parts) == 0 {
		return t.indexDense(append([]Key{SliceAll()}, keys...), base-1)
	}
	k := keys[0]
	switch k.kind {
	case ellipsisKey:
		keys, err := expandEllipsis(keys, t.Rank()-1)
		if err != nil {
			return Tensor[T]{}, err
		}
		return t.indexBelow(keys, base, known)
	case newAxisKey:
		r, err := t.indexBelow(keys[1:], base, known)
		if err != nil {
			return Tensor[T]{}, err
		}
		if len(r.parts) == 0 {
			return dense(r.Values(), slices.Insert(r.Shape(), 1, 1)), nil
		}
		return wrap(uniform(1, r.Len()), r), nil
	case atKey:
		n, ok := t.parts[0].UniformLen()
		if !ok || known < 1 {
			return Tensor[T]{}, indexErrorf("key %v: want a range on ragged axis %d", k, base)
		}
		i, err := k.position(base, n)
		if err != nil {
			return Tensor[T]{}, err
		}
		rows := make([]int, t.Len())
		for row := range rows {
			rows[row] = row*n + i
		}
		if known--; n != 1 {
			known = min(known, 1)
		}
		return t.Items().Take(rows...).indexBelow(keys[1:], base+1, known)
	}
	if known--; k.kind == spanKey {
		known = 0
	}
	t = t.sliceItems(k)
	items, err := t.Items().indexBelow(keys[1:], base+1, known)
	if err != nil {
		return Tensor[T]{}, err
	}
	return wrap(t.Partition(0), items), nil
}

// expandEllipsis puts a SliceAll before keys that begin with an ellipsis, or removes the
// ellipsis if the keys after it cover all axes of a tensor of the given rank.
func expandEllipsis(keys []Key, rank int) ([]Key, error) {
	n := 0
	for _, k := range keys {
		if k.kind != newAxisKey {
			n++
		}
	}
	switch {
	case n > rank+1:
		return nil, indexErrorf("%d keys after the ellipsis, %d axes left", n-1, rank)
	case n == rank+1:
		return keys[1:], nil
	}
	return append([]Key{SliceAll()}, keys...), nil
}

// sliceRows returns a range of the rows.
func (t Tensor[T]) sliceRows(k Key) Tensor[T] {
	start, count := k.resolve(t.Len())
	if count == 0 {
		return t.Slice(0, 0)
	}
	if k.kind == allKey || k.step == 1 {
		return t.Slice(start, start+count)
	}
	rows := make([]int, count)
	for i := range rows {
		rows[i] = start + i*k.step
	}
	return t.Take(rows...)
}

// sliceItems returns a range of every row. The tensor has partitions.
func (t Tensor[T]) sliceItems(k Key) Tensor[T] {
	if k.kind == allKey {
		return t
	}
	p := t.Partition(0)
	n := p.NumRows()
	splits := make([]int64, n+1)
	for i := range n {
		_, count := k.resolve(p.RowLen(i))
		splits[i+1] = splits[i] + int64(count)
	}
	taken := Partition{splits: splits}
	if rowLen, ok := p.UniformLen(); ok {
		_, count := k.resolve(rowLen)
		taken = uniform(count, n)
	}
	items, total := t.Items(), int(splits[n])
	if len(items.parts) > 0 {
		ranges := make([]rowRange, 0, n)
		for i := range n {
			lo, hi := p.Bounds(i)
			start, count := k.resolve(hi - lo)
			if k.step == 1 {
				ranges = append(ranges, rowRange{0, lo + start, lo + start + count})
				continue
			}
			for j := range count {
				at := lo + start + j*k.step
				ranges = append(ranges, rowRange{0, at, at + 1})
			}
		}
		return wrap(taken, joinRanges([]Tensor[T]{items}, ranges))
	}
	cell := size(items.inner)
	values, src := make([]T, 0, total*cell), items.Values()
	for i := range n {
		lo, hi := p.Bounds(i)
		start, count := k.resolve(hi - lo)
		at := lo + start
		switch {
		case k.step == 1:
			values = append(values, src[at*cell:(at+count)*cell]...)
		case cell == 1:
			for range count {
				values = append(values, src[at])
				at += k.step
			}
		default:
			for range count {
				values = append(values, src[at*cell:(at+1)*cell]...)
				at += k.step
			}
		}
	}
	return Tensor[T]{values: values, parts: []Partition{taken}, inner: items.inner, hi: n}
}

// indexDense applies keys to a tensor without partitions.
func (t Tensor[T]) indexDense(keys []Key, base int) (Tensor[T], error) {
	shape := t.Shape()
	keys, err := denseKeys(keys, len(shape), base)
	if err != nil {
		return Tensor[T]{}, err
	}
	// For each axis of the source: the number of items that the result has, and their
	// distance.
	var counts, strides, out []int
	offset, stride := 0, t.Size()
	view := true // the result is contiguous in the source
	axis := 0
	for _, k := range keys {
		if k.kind == newAxisKey {
			out = append(out, 1)
			continue
		}
		n := shape[axis]
		if n > 0 {
			stride /= n
		}
		start, count, step := 0, 1, 1
		if k.kind == atKey {
			if start, err = k.position(base+axis, n); err != nil {
				return Tensor[T]{}, err
			}
		} else {
			start, count = k.resolve(n)
			out = append(out, count)
			if k.kind == spanKey {
				step = k.step
			}
		}
		if step != 1 && count > 1 || count != n && size(counts) > 1 {
			view = false
		}
		counts, strides = append(counts, count), append(strides, step*stride)
		offset += start * stride
		axis++
	}
	src, total := t.Values(), size(counts)
	if view || total == 0 {
		if total == 0 {
			offset = 0
		}
		return dense(src[offset:offset+total:offset+total], out), nil
	}
	values := make([]T, 0, total)
	var walk func(axis, at int)
	walk = func(axis, at int) {
		if axis == len(counts) {
			values = append(values, src[at])
			return
		}
		if axis == len(counts)-1 && strides[axis] == 1 {
			values = append(values, src[at:at+counts[axis]]...)
			return
		}
		for i := range counts[axis] {
			walk(axis+1, at+i*strides[axis])
		}
	}
	walk(0, offset)
	return dense(values, out), nil
}

// denseKeys replaces an ellipsis, or adds keys at the end, so that each of rank axes has a key.
func denseKeys(keys []Key, rank, base int) ([]Key, error) {
	n, ellipsis := 0, -1
	for i, k := range keys {
		switch k.kind {
		case newAxisKey:
		case ellipsisKey:
			if ellipsis >= 0 {
				return nil, indexErrorf("more than one ellipsis for a dense tensor")
			}
			ellipsis = i
		default:
			n++
		}
	}
	if n > rank {
		return nil, indexErrorf("want at most %d keys from axis %d on, got %d", rank, base, n)
	}
	fill := slices.Repeat([]Key{SliceAll()}, rank-n)
	if ellipsis < 0 {
		return slices.Concat(keys, fill), nil
	}
	return slices.Concat(keys[:ellipsis], fill, keys[ellipsis+1:]), nil
}

// wrap is Wrap for one partition that fits.
func wrap[T any](p Partition, items Tensor[T]) Tensor[T] {
	parts := make([]Partition, 0, len(items.parts)+1)
	parts = append(append(parts, p), items.Partitions()...)
	return Tensor[T]{values: items.Values(), parts: parts, inner: items.inner, hi: p.NumRows()}
}
