package stats

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A dataset has the columns of all records, or of those of a slice.
type dataset struct {
	name     string       // of the slice; "" for all records
	examples uint64       // records
	weights  []sketch.Sum // of all records, for each weight
	features []feature    // by ID of the field
	spare    []feature    // by ID of the field: empty columns that were merged, to be used again
	items    commonCounts // of the struct that holds the examples of a list
	slicers  []int        // those that give the slice, in ascending order
	pairs    []pairCounts // of sparse and weighted features
}

// A feature has a column for each kind of its values.
type feature struct {
	kinds [int(example.Int64List) + 1]*column
}

func (a *Accumulator) newDataset(name string) *dataset {
	return &dataset{name: name, weights: make([]sketch.Sum, len(a.weights)), pairs: make([]pairCounts, len(a.pairs))}
}

// columnOf returns the place of the column of a field for a kind.
func (a *Accumulator) columnOf(d *dataset, id int32, kind example.Kind) **column {
	if n := len(a.table.fields); len(d.features) < n {
		d.features = slices.Grow(d.features, cap(a.table.fields)-len(d.features))[:n]
	}
	return &d.features[id].kinds[kind]
}

// column returns the column of a field for a kind.
func (a *Accumulator) column(d *dataset, id int32, kind example.Kind) *column {
	p := a.columnOf(d, id, kind)
	if *p == nil {
		f := &a.table.fields[id]
		if int(id) < len(d.spare) {
			*p, d.spare[id].kinds[kind] = d.spare[id].kinds[kind], nil
		}
		if *p == nil {
			*p = newColumn(kind, &f.featureSchema, f.weight >= 0, a.opts)
		}
		a.count(f.name)
	}
	return *p
}

// count counts one column more, of a feature.
func (a *Accumulator) count(feature string) {
	if a.columns++; a.columns > a.opts.MaxFeatures && a.tooMany == nil {
		a.tooMany = beyondLimit(a.opts.MaxFeatures, feature, len(a.slicers) > 0)
	}
}

// describe adds the record that was parsed.
func (a *Accumulator) describe(d *dataset) {
	d.examples++
	for i, w := range a.rowWeights {
		d.weights[i].Add(w)
	}
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		if e.kind == example.Unset && !e.nested {
			continue
		}
		var c *column
		if int(e.field) < len(d.features) {
			c = d.features[e.field].kinds[e.kind]
		}
		f := &a.table.fields[e.field] // which is looked at where it must be
		if c == nil {
			if !f.listed {
				continue
			}
			c = a.column(d, e.field, e.kind)
			c.first = a.met() - 1
		}
		w := 1.0
		if c.weighted {
			w = a.rowWeights[f.weight]
		}
		c.add(e, &a.rec, w, &f.featureSchema, a.opts)
	}
	if a.opts.Message == example.TypeExampleList {
		w, weighted := 1.0, a.opts.Weight != ""
		if weighted {
			w = a.rowWeights[0]
		}
		d.items.addList(a.rec.items, w, weighted)
	}
	for i := range a.pairs {
		d.pairs[i].add(a, &a.pairs[i])
	}
}

// mergeDataset moves to d what o has; fields says which of ours each field of o is.
// before is how many records came before all of o.
func (a *Accumulator) mergeDataset(d, o *dataset, fields []int32, before uint64) {
	d.examples += o.examples
	for i, w := range o.weights {
		d.weights[i].Merge(w)
	}
	for from := range o.features {
		for kind, c := range o.features[from].kinds {
			if c == nil {
				continue
			}
			c.first += before
			to := a.columnOf(d, fields[from], example.Kind(kind))
			if *to == nil { // where there are thousands of features most are new
				*to = c
				a.count(a.table.fields[fields[from]].name)
				continue
			}
			if (*to).common.present() == 0 {
				(*to).first = c.first
			}
			(*to).merge(c)
			if c.reset() {
				o.keep(from, kind, c)
			}
		}
	}
	d.items.merge(&o.items)
	for i := range d.pairs {
		d.pairs[i].merge(&o.pairs[i])
	}
}

// keep keeps an empty column for later records.
func (d *dataset) keep(field, kind int, c *column) {
	if len(d.spare) < len(d.features) {
		d.spare = append(d.spare, make([]feature, len(d.features)-len(d.spare))...)
	}
	d.spare[field].kinds[kind] = c
}

// columns calls f for every column, in a fixed order.
func (d *dataset) columns(f func(*column)) {
	for i := range d.features {
		for _, c := range d.features[i].kinds {
			if c != nil {
				f(c)
			}
		}
	}
}

// majority returns the column that describes the feature: that of the kind that
// most records have. It is nil if no record has a kind. kinds is the number of kinds.
func (f *feature) majority() (c *column, kinds int) {
	for _, k := range f.kinds[1:] {
		if k == nil {
			continue
		}
		kinds++
		if c == nil || k.common.present() > c.common.present() {
			c = k
		}
	}
	return c, kinds
}

// records counts the records that have each kind, most records first.
func (f *feature) records() (all []sketch.Label) {
	for kind, c := range f.kinds[1:] {
		if c != nil {
			all = append(all, sketch.Label{Key: example.Kind(kind + 1).String(), Count: float64(c.common.present())})
		}
	}
	slices.SortStableFunc(all, func(x, y sketch.Label) int { return cmp.Compare(y.Count, x.Count) })
	return all
}
