package stats

import (
	"cmp"
	"slices"
)

// structField stands in the order of a dataset for the struct that the children are in.
const structField = -1

// sortBatch puts the features of the batch into the order of TensorFlow Data Validation:
// that of the list of features, if there is one, and else by name, children last.
func (a *Accumulator) sortBatch() {
	t := a.table
	rank := func(f *field) int {
		switch {
		case t.listed == nil:
			return int(f.group)
		case f.group == childGroup:
			return t.listed[parentStep(a.opts.Message)]
		}
		return t.listed[f.name]
	}
	slices.SortFunc(a.batch.fields, func(x, y int32) int {
		f, g := &t.fields[x], &t.fields[y]
		return cmp.Or(cmp.Compare(rank(f), rank(g)), cmp.Compare(f.group, g.group), cmp.Compare(f.name, g.name))
	})
}

// place puts a field behind those that a dataset has, with the struct that it is in before
// the first of its children.
func (a *Accumulator) place(d *dataset, id int32) {
	if a.table.fields[id].group == childGroup && !slices.Contains(d.order, structField) {
		d.order = append(d.order, structField)
	}
	d.order = append(d.order, id)
}

// orderOf returns the order in which a dataset is described, the struct before its
// children if there are any. With TFDV a slice has the features of the batches that it is
// in.
func (a *Accumulator) orderOf(d *dataset) []int32 {
	if !a.opts.TFDV {
		order := a.sorted()
		i := slices.IndexFunc(order, func(id int32) bool { return a.table.fields[id].group == childGroup })
		if i >= 0 {
			order = slices.Insert(order, i, structField)
		}
		return order
	}
	var order []int32
	children := false
	for _, id := range d.order {
		if id == structField || a.table.fields[id].listed {
			order = append(order, id)
		}
		children = children || id != structField && a.table.fields[id].listed && a.table.fields[id].group == childGroup
	}
	if !children {
		order = slices.DeleteFunc(order, func(id int32) bool { return id == structField })
	}
	return order
}
