package layout

import (
	"math"
	"math/bits"
)

// mul returns a product, and whether it fits an int64.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// bytesOf returns the size in bytes of n elements of width bits, and whether it fits an int64.
func bytesOf(n, width int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(n), uint64(width))
	lo, carry := bits.Add64(lo, 7, 0)
	hi += carry
	if hi >= 8 {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, 8)
	return int64(q), q <= math.MaxInt64
}

// check returns an error if an array is invalid, with the first reason in XLA's order.
func (s Shape) check() error {
	if s.elem.bytes() == 0 {
		return invalidf("%v is not an element type", s.elem)
	}
	if len(s.dims) > maxRank {
		return invalidf("want a rank of at most %d, got %d", maxRank, len(s.dims))
	}
	n := int64(1)
	for i, d := range s.dims {
		switch {
		case d.Size == Unbounded && d.Dynamic:
			continue
		case d.Size < 0:
			return invalidf("dimension %d: want a size of at least 0, got %d", i, d.Size)
		}
		var ok bool
		if n, ok = mul(n, d.Size); !ok {
			return invalidf("the sizes multiply to more than 2^63-1 at dimension %d", i)
		}
	}
	if _, ok := mul(n, s.elem.bytes()); !ok {
		return invalidf("%d elements of %v take more than 2^63-1 bytes", n, s.elem)
	}
	if err := s.checkOrder(); err != nil {
		return err
	}
	if err := s.checkPadding(); err != nil {
		return err
	}
	return s.checkRest()
}

// checkOrder checks that the order has every dimension once.
func (s Shape) checkOrder() error {
	m, rank := s.lay.MinorToMajor, len(s.dims)
	if len(m) != rank {
		return invalidf("minor_to_major has %d dimensions, but the array has %d", len(m), rank)
	}
	var seen [maxRank]bool
	for _, d := range m {
		if d < 0 || d >= rank {
			return invalidf("minor_to_major has dimension %d, but the rank is %d", d, rank)
		}
		if seen[d] {
			return invalidf("minor_to_major has dimension %d twice", d)
		}
		seen[d] = true
	}
	return nil
}

// checkPadding checks the padded sizes.
func (s Shape) checkPadding() error {
	p := s.lay.Padded
	if len(p) == 0 {
		return nil
	}
	if s.lay.Tiles != nil {
		return invalidf("padding cannot be combined with tiles")
	}
	if len(p) != len(s.dims) {
		return invalidf("want %d padded sizes, one per dimension, got %d", len(s.dims), len(p))
	}
	n := int64(1)
	for i, d := range s.dims {
		if d.Size == Unbounded {
			return invalidf("dimension %d has no size and cannot be padded", i)
		}
		if p[i] < d.Size {
			return invalidf("dimension %d: want a padded size of at least %d, got %d", i, d.Size, p[i])
		}
		var ok bool
		if n, ok = mul(n, p[i]); !ok {
			return invalidf("the padded sizes multiply to more than 2^63-1 at dimension %d", i)
		}
	}
	if _, ok := mul(n, s.elem.bytes()); !ok {
		return invalidf("%d padded elements of %v take more than 2^63-1 bytes", n, s.elem)
	}
	return nil
}

// checkRest checks tiles, alignment, element size, memory space, and the size of the buffer.
func (s Shape) checkRest() error {
	l, count := s.lay, 0
	for i, t := range l.Tiles {
		if len(t) == 0 {
			return invalidf("tile %d is empty", i)
		}
		if count += len(t); count > maxTiles {
			return invalidf("the tiles have more than %d sizes", maxTiles)
		}
		for _, n := range t {
			if n < 1 {
				return invalidf("tile %d: want sizes of at least 1, got %d", i, n)
			}
		}
	}
	switch {
	case l.TailAlignment < 0:
		return invalidf("want a tail alignment of at least 0, got %d", l.TailAlignment)
	case l.ElementBits < 0:
		return invalidf("want an element size of at least 0 bits, got %d", l.ElementBits)
	case l.MemorySpace < 0 || l.MemorySpace > math.MaxInt32:
		return invalidf("want a memory space from 0 to 2^31-1, got %d", l.MemorySpace)
	}
	if s.unbounded() {
		return nil
	}
	p, err := s.compile()
	if err != nil {
		return err
	}
	n, ok := align(p.cells, l.TailAlignment)
	if !ok {
		return invalidf("%d cells and a tail alignment of %d are more than 2^63-1", p.cells, l.TailAlignment)
	}
	if _, ok := bytesOf(n, s.bits()); !ok {
		return invalidf("a buffer of %d elements of %d bits takes more than 2^63-1 bytes", n, s.bits())
	}
	return nil
}

// unbounded reports whether a dimension has no size.
func (s Shape) unbounded() bool {
	for _, d := range s.dims {
		if d.Size == Unbounded {
			return true
		}
	}
	return false
}

// bits returns the packed size of one element in bits.
func (s Shape) bits() int64 {
	if s.lay.ElementBits > 0 {
		return s.lay.ElementBits
	}
	return 8 * s.elem.bytes()
}

// align rounds n up to a multiple of unit, and returns whether the result fits an int64. A
// unit of 0 means 1.
func align(n, unit int64) (int64, bool) {
	if unit <= 1 || n%unit == 0 {
		return n, true
	}
	more := unit - n%unit
	return n + more, n <= math.MaxInt64-more
}
