// Package axisiter finds the values of a ragged tensor that stand in a row along an axis.
package axisiter

import "github.com/tfparse/tfparse/ragged"

// Along visits all runs of values along an axis that has no ragged ones below it: n
// values, the first at a position, the others each a step further.
func Along[T any](t ragged.Tensor[T], axis int, visit func(at, n, step int)) {
	levels := t.RaggedRank()
	if t.Size() == 0 {
		return
	}
	if axis == levels && levels > 0 {
		cell := product(t.InnerShape())
		p := t.Partition(levels - 1)
		for r := range p.NumRows() {
			lo, hi := p.Bounds(r)
			for c := 0; c < cell && lo < hi; c++ {
				visit(lo*cell+c, hi-lo, cell)
			}
		}
		return
	}
	shape := t.Flat().Shape()
	axis -= levels
	outer, n, block := product(shape[:axis]), shape[axis], product(shape[axis+1:])
	for o := range outer {
		for c := range block {
			visit(o*n*block+c, n, block)
		}
	}
}

func product(sizes []int) int {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	return n
}
