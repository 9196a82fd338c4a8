package layout

import "iter"

// bump advances an index to the next element in logical order, the last
// dimension fastest whatever the layout. It returns false, with index all 0,
// after the last element. It panics if there are fewer numbers than dimensions.
func (s Shape) bump(index []int64) bool {
	for d := len(s.dims) - 1; d >= 0; d-- {
		if index[d]++; index[d] < s.dims[d].Size {
			return true
		}
		index[d] = 0
	}
	return false
}

// Logical yields every element in logical order, the last dimension fastest whatever the
// layout: its position in the buffer and its index. The slice is valid until the next step.
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
