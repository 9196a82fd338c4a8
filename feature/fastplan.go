package feature

import (
	"errors"
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
)

// An op says what the fast path does with the feature of a key.
type op uint8

const (
	oneInt64    op = iota // a FixedLen of one value
	oneFloat              //
	oneString             //
	manyInt64s            // any other column that has all values of the feature
	manyFloats            //
	manyStrings           //
	rowInt64s             // manyInt64s, and any number of them is a row
)

// errNotCanonical stands for an error that the slow path will make.
var errNotCanonical = errors.New("feature: not canonically encoded")

// A direct is a column that the fast path makes of one key, which no other column reads.
type direct struct {
	op     op
	slot   int // of the key
	column int // in Batch.cols
}

// planFast makes what the fast path knows of a group.
func (p *Parser) planFast(g Group) {
	t := &p.tables[g]
	t.known = canonical.NewIndex(t.keys)
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
		slots := append([]int{c.values}, c.indices...)
		for _, q := range c.parts {
			if q.slot >= 0 {
				slots = append(slots, q.slot)
			}
		}
		c.late = len(slots) > 1
		for _, s := range slots {
			readers[s]++
		}
	}
	kept := slices.Repeat([]bool{true}, len(t.keys))
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
		d := direct{c.op, c.values, i}
		if d.op == manyInt64s && c.cell == 1 && (c.kind == varLenKind || c.kind == raggedKind) {
			d.op = rowInt64s
		}
		p.direct[g] = append(p.direct[g], d)
		kept[c.values] = false
	}
	// Columns of one kind come one after another: a processor predicts a loop well that does the
	// same again and again.
	slices.SortStableFunc(p.direct[g], func(x, y direct) int { return int(x.op) - int(y.op) })
	for k := range kept {
		if kept[k] {
			p.kept[g] = append(p.kept[g], k)
		}
	}
}
