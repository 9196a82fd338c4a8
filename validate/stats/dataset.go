package stats

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A dataset describes all records, or those of a slice.
type dataset struct {
	name     string
	examples uint64
	weights  []sketch.Sum // of all records, for each weight
	features []feature    // by number of the field
	order    []int32      // with TFDV, as they were met: numbers of fields, and structField
	items    common       // of the struct that holds the examples of a list
	slicers  []int        // those that give the slice, in ascending order
	structs  uint64       // records of batches with a ##SEQUENCE##; with TFDV only
	// and what they weigh
	structWeight sketch.Sum
	pairs        []pairCounts // of sparse and weighted features
}

// A feature has a column for each kind that it was met with.
type feature struct {
	kinds  [int(example.Int64List) + 1]*column
	inData bool // is in the data; of a slice with TFDV only, as is the next
	typed  bool // has a kind in one of the batches
}

func (a *Accumulator) newDataset(name string) *dataset {
	return &dataset{name: name, weights: make([]sketch.Sum, len(a.weights)), pairs: make([]pairCounts, len(a.pairs))}
}

// column returns the column of a field for a kind.
func (a *Accumulator) column(d *dataset, id int32, kind example.Kind) *column {
	if n := len(a.table.fields); len(d.features) < n {
		d.features = slices.Grow(d.features, cap(a.table.fields)-len(d.features))[:n]
	}
	p := &d.features[id].kinds[kind]
	if *p == nil {
		f := &a.table.fields[id]
		*p = newColumn(kind, &f.schema, f.weight >= 0, a.opts)
		if d == a.all {
			a.minimums += a.minimumOf(id, kind)
			a.columns++
		}
	}
	return *p
}

// describe adds the record that was parsed.
func (a *Accumulator) describe(d *dataset) {
	d.examples++
	for i, w := range a.rowWeights {
		d.weights[i].Add(w)
	}
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		f := &a.table.fields[e.field]
		if !f.listed || e.kind == example.Unset && !e.nested {
			continue
		}
		w := 1.0
		if f.weight >= 0 {
			w = a.rowWeights[f.weight]
		}
		var c *column
		if int(e.field) < len(d.features) {
			c = d.features[e.field].kinds[e.kind]
		}
		if c == nil {
			c = a.column(d, e.field, e.kind)
			c.first = a.met() - 1
		}
		c.add(e, &a.rec, w, &f.schema, a.opts)
	}
	if a.opts.Message == example.TypeExampleList {
		w, weighted := 1.0, a.opts.WeightFeature != ""
		if weighted {
			w = a.rowWeights[0]
		}
		d.items.addList(a.rec.items, w, weighted)
	}
	for i := range a.pairs {
		d.pairs[i].add(a, &a.pairs[i])
	}
}

// merge adds what o has; fields says which of ours each field of o is.
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
			if fields[from] < 0 || a.all.features[fields[from]].kinds[kind] == nil {
				continue // there was no room for it
			}
			to := a.column(d, fields[from], example.Kind(kind))
			if to.common.present() == 0 {
				to.first = before + c.first
			}
			to.merge(c)
		}
		if o.features[from].inData && fields[from] >= 0 {
			a.column(d, fields[from], example.Unset)
			d.features[fields[from]].inData = true
			d.features[fields[from]].typed = d.features[fields[from]].typed || o.features[from].typed
		}
	}
	for _, id := range o.order {
		if id != structField {
			if id = fields[id]; id < 0 {
				continue
			}
		}
		if !slices.Contains(d.order, id) {
			d.order = append(d.order, id)
			if d == a.all && id != structField {
				a.table.fields[id].ordered = true
			}
		}
	}
	d.items.merge(&o.items)
	d.structs += o.structs
	d.structWeight.Merge(o.structWeight)
	for i := range d.pairs {
		d.pairs[i].merge(&o.pairs[i])
	}
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

// bytesOf is how much memory a feature takes.
func (d *dataset) bytesOf(id int32) (n int) {
	if int(id) < len(d.features) {
		for _, c := range d.features[id].kinds {
			if c != nil {
				n += c.bytes()
			}
		}
	}
	return n
}

// majority returns the column that describes the feature: that of the kind that
// most records have, joined with what was met without kind. It is nil if there
// is none. kinds says how many kinds there are.
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
