package layout

import (
	"iter"
	"slices"
)

// NumElements returns the product of the sizes. The size of a dynamic dimension is its bound.
func (s Shape) NumElements() (int64, error) {
	if _, err := s.positions(); err != nil {
		return 0, err
	}
	return s.elements(), nil
}

func (s Shape) elements() int64 {
	n := int64(1)
	for _, d := range s.dims {
		n *= d.Size
	}
	return n
}

// BufferElements returns the length of the buffer of an array in elements, with padding,
// tiles and tail alignment.
func (s Shape) BufferElements() (int64, error) {
	p, err := s.positions()
	if err != nil {
		return 0, err
	}
	n, _ := align(p.cells, s.lay.TailAlignment)
	return n, nil
}

// BufferBytes returns the size of the buffer of an array in bytes, with elements packed as in
// the layout.
func (s Shape) BufferBytes() (int64, error) {
	n, err := s.BufferElements()
	if err != nil {
		return 0, err
	}
	n, _ = bytesOf(n, s.bits())
	return n, nil
}

// outside returns an error for an index outside the array.
func (s Shape) outside(index []int64) error {
	if len(index) != len(s.dims) {
		return errorf(ErrRange, "want an index of %d numbers, got %d", len(s.dims), len(index))
	}
	for i, x := range index {
		if n := s.dims[i].Size; x < 0 || x >= n {
			return errorf(ErrRange, "index %d, but dimension %d has size %d", x, i, n)
		}
	}
	return nil
}

// Linear returns the position of an element in the buffer, in elements.
func (s Shape) Linear(index ...int64) (int64, error) {
	x, err := s.indexer()
	if err != nil {
		return 0, err
	}
	if err := s.outside(index); err != nil {
		return 0, err
	}
	return x.linear(index), nil
}

// ByteOffset is Linear in bytes. It fails if elements are not whole bytes.
func (s Shape) ByteOffset(index ...int64) (int64, error) {
	n, err := s.Linear(index...)
	if err != nil {
		return 0, err
	}
	if s.bits()%8 != 0 {
		return 0, errorf(ErrUnsupported, "elements of %d bits have no byte offset", s.bits())
	}
	return n * (s.bits() / 8), nil
}

// MultiIndex returns the index of the element at a position in the buffer, in elements. It
// fails with ErrPadding for a cell that is not an element, and with ErrRange outside the
// buffer. The slice is new.
func (s Shape) MultiIndex(linear int64) ([]int64, error) {
	x, err := s.indexer()
	if err != nil {
		return nil, err
	}
	if linear < 0 || linear >= x.buffer {
		return nil, errorf(ErrRange, "position %d, but the buffer has %d elements", linear, x.buffer)
	}
	index := make([]int64, len(s.dims))
	if !x.multiIndex(linear, index) {
		return nil, errorf(ErrPadding, "position %d of %v", linear, s)
	}
	return index, nil
}

// Strides returns the stride of every dimension: the distance, in elements, of two elements
// whose index in the dimension differs by 1. Padding counts. A tiled layout has no strides.
func (s Shape) Strides() ([]int64, error) {
	p, err := s.positions()
	if err != nil {
		return nil, err
	}
	if s.lay.Tiles != nil {
		return nil, errorf(ErrUnsupported, "%v is tiled and has no strides", s)
	}
	return s.strides(p), nil
}

// strides is Strides for an array without tiles.
func (s Shape) strides(p positionMap) []int64 {
	strides, n := make([]int64, len(s.dims)), int64(1)
	for _, x := range slices.Backward(p.terms) {
		strides[x.dim] = n
		n *= x.size
	}
	return strides
}

// ByteStrides is Strides in bytes. It fails if elements are not whole bytes.
func (s Shape) ByteStrides() ([]int64, error) {
	strides, err := s.Strides()
	if err != nil {
		return nil, err
	}
	if s.bits()%8 != 0 {
		return nil, errorf(ErrUnsupported, "elements of %d bits have no byte strides", s.bits())
	}
	for i := range strides {
		strides[i] *= s.bits() / 8
	}
	return strides, nil
}

// An indexer does the index arithmetic of one array, without checks and without
// allocating. It never changes.
type indexer struct {
	terms   []term  // from major to minor
	sizes   []int64 // sizes of the dimensions
	strides []int64 // strides of the dimensions, in elements; nil for tiles
	buffer  int64   // length of the buffer, in elements
	cells   int64   // length of the buffer without tail alignment, in elements
}

// indexer prepares the index arithmetic of an array.
func (s Shape) indexer() (*indexer, error) {
	p, err := s.positions()
	if err != nil {
		return nil, err
	}
	return newIndexer(s, p), nil
}

// newIndexer prepares the index arithmetic of an array whose position map is known.
func newIndexer(s Shape, p positionMap) *indexer {
	x := &indexer{terms: p.terms, sizes: s.Sizes(), cells: p.cells}
	x.buffer, _ = align(p.cells, s.lay.TailAlignment)
	if s.lay.Tiles == nil {
		x.strides = s.strides(p)
	}
	return x
}

// linear returns the position of an element. The index must be in the array, otherwise the
// result is undefined. It panics if there are fewer numbers than dimensions.
func (x *indexer) linear(index []int64) int64 {
	n := int64(0)
	if x.strides != nil {
		for i, s := range x.strides {
			n += index[i] * s
		}
		return n
	}
	for _, t := range x.terms {
		if t.dim >= 0 {
			n += index[t.dim] / t.div % t.size * t.stride
		}
	}
	return n
}

// multiIndex sets index, one number for each dimension, to the index of the element at a
// position in the buffer. It returns false for a padding cell and outside the buffer, and
// panics if there are fewer numbers than dimensions.
func (x *indexer) multiIndex(linear int64, index []int64) bool {
	if linear < 0 || linear >= x.cells {
		return false
	}
	clear(index)
	for _, t := range x.terms {
		digit := linear / t.stride % t.size
		switch {
		case t.dim >= 0:
			index[t.dim] += digit * t.div
		case digit != 0:
			return false
		}
	}
	for i, n := range x.sizes {
		if index[i] >= n {
			return false
		}
	}
	return true
}

// bump advances an index to the next element in logical order: in any layout, the last
// dimension varies fastest. It returns false, with index all 0, after the last element. It
// panics if there are fewer numbers than dimensions.
func (s Shape) bump(index []int64) bool {
	for d := len(s.dims) - 1; d >= 0; d-- {
		if index[d]++; index[d] < s.dims[d].Size {
			return true
		}
		index[d] = 0
	}
	return false
}

// Logical yields the position in the buffer and the index of every element, in logical order:
// in any layout, the last dimension varies fastest. The slice is valid until the next step.
func (s Shape) Logical() (iter.Seq2[int64, []int64], error) {
	x, err := s.indexer()
	if err != nil {
		return nil, err
	}
	return func(yield func(int64, []int64) bool) {
		if s.elements() == 0 {
			return
		}
		index := make([]int64, len(s.dims))
		for more := true; more; more = s.bump(index) {
			if !yield(x.linear(index), index) {
				return
			}
		}
	}, nil
}

// Memory yields the positions of the buffer in order, with the index of the element. Padding
// cells are left out, or, if padding is set, have a nil index. The slice is valid until the
// next step.
func (s Shape) Memory(padding bool) (iter.Seq2[int64, []int64], error) {
	x, err := s.indexer()
	if err != nil {
		return nil, err
	}
	return func(yield func(int64, []int64) bool) {
		index := make([]int64, len(s.dims))
		for at := range x.buffer {
			elem := index
			if !x.multiIndex(at, index) {
				if !padding {
					continue
				}
				elem = nil
			}
			if !yield(at, elem) {
				return
			}
		}
	}, nil
}
