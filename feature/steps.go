package feature

import (
	"errors"

	"github.com/tfparse/tfparse/internal/keys"
)

// An op says what the fast way does with the feature under a key.
type op uint8

const (
	oneInt64    op = iota // a FixedLen of one value
	oneFloat              //
	oneString             //
	manyInt64s            // any other column of which it has all the values
	manyFloats            //
	manyStrings           //
	rowInt64s             // manyInt64s of which any number is a row
	ops                   // how many there are
)

// errOdd stands for an error that the obvious way will make.
var errOdd = errors.New("feature: not plain")

// A step makes a unit of a column that is all there is of a key.
type step struct {
	slot   int
	column int // in Batch.cols
}

// A stride is all steps of a group that are alike.
type stride struct {
	op    op
	steps []step
}

// steps makes the steps of a group, and the index of its keys.
func (p *Parser) steps(g Group) {
	t := &p.tables[g]
	t.known = keys.NewIndex(t.keys)
	readers := make([]int, len(t.keys))
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		p.groups[g] = append(p.groups[g], i)
		if c.padded {
			p.padded = append(p.padded, i)
		}
		c.late = len(c.indices) > 0
		slots := append([]int{c.values}, c.indices...)
		for _, q := range c.parts {
			if q.slot >= 0 {
				c.late = true
				slots = append(slots, q.slot)
			}
		}
		for _, s := range slots {
			readers[s]++
		}
	}
	direct := make([]bool, len(t.keys))
	var alike [ops][]step
	for _, i := range p.groups[g] {
		c := &p.columns[i]
		c.late = c.late || readers[c.values] > 1
		c.op = manyInt64s + op(map[DType]op{Int64: 0, Float32: 1, String: 2}[c.dtype])
		if c.kind == fixedKind && c.cell == 1 {
			c.op -= manyInt64s - oneInt64
		}
		if c.late {
			p.late[g] = append(p.late[g], i)
			continue
		}
		o := c.op
		if o == manyInt64s && c.cell == 1 && (c.kind == varLenKind || c.kind == raggedKind) {
			o = rowInt64s
		}
		alike[o] = append(alike[o], step{c.values, i})
		direct[c.values] = true
	}
	for o, steps := range alike {
		if len(steps) > 0 {
			p.direct[g] = append(p.direct[g], stride{op(o), steps})
		}
	}
	for k, d := range direct {
		if !d {
			p.kept[g] = append(p.kept[g], k)
		}
	}
}
