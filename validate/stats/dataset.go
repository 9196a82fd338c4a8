package stats

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A dataset holds the columns of all records or of one slice.
type dataset struct {
	name          string           // name of the slice; "" for all records
	examples      uint64           // number of records
	weights       []sketch.Sum     // sum of each weight over the records, in the order of Accumulator.weights
	features      []featureColumns // columns of each field, by its ID; may be shorter than the field table
	spare         []featureColumns // empty columns to be reused, by ID of the field
	exampleCounts commonCounts     // number of examples in each ExampleListWithContext
	slicers       []int            // indices of the slicers that produce the slice, ascending
	pairs         []pairCounts     // counts of each pair, in the order of Accumulator.pairs
}

// featureColumns are the columns of a feature by kind of its values.
type featureColumns struct {
	kinds [int(example.Int64List) + 1]*column // nil: no record has the kind
}

// newDataset returns an empty dataset.
func (a *Accumulator) newDataset(name string) *dataset {
	return &dataset{name: name, weights: make([]sketch.Sum, len(a.weights)), pairs: make([]pairCounts, len(a.pairs))}
}

// columnSlot returns the pointer to the column of a field and kind, which may be nil.
func (a *Accumulator) columnSlot(d *dataset, id int32, kind example.Kind) **column {
	if n := len(a.table.fields); len(d.features) < n {
		d.features = slices.Grow(d.features, cap(a.table.fields)-len(d.features))[:n]
	}
	return &d.features[id].kinds[kind]
}

// columnFor returns the column of a field and kind. It adds a missing column.
func (a *Accumulator) columnFor(d *dataset, id int32, kind example.Kind) *column {
	p := a.columnSlot(d, id, kind)
	if *p == nil {
		f := &a.table.fields[id]
		if int(id) < len(d.spare) {
			*p, d.spare[id].kinds[kind] = d.spare[id].kinds[kind], nil
		}
		if *p == nil {
			*p = newColumn(kind, &f.featureSchema, f.weight >= 0, a.opts)
		}
		a.countColumn(f.name)
	}
	return *p
}

// countColumn counts a new column, and checks the limit.
func (a *Accumulator) countColumn(feature string) {
	if a.columnCount++; a.columnCount > a.opts.MaxFeatures && a.limitError == nil {
		a.limitError = beyondLimit(a.opts.MaxFeatures, feature, len(a.slicers) > 0)
	}
}

// addToDataset adds the current record to d.
func (a *Accumulator) addToDataset(d *dataset) {
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
		f := &a.table.fields[e.field] // read only if needed, which avoids cache misses
		if c == nil {
			if !f.isListed {
				continue
			}
			c = a.columnFor(d, e.field, e.kind)
			c.firstRecord = a.offeredRecords() - 1
		}
		w := 1.0
		if c.weighted {
			w = a.rowWeights[f.weight]
		}
		c.addValues(e, &a.rec, w, &f.featureSchema, a.opts)
	}
	if a.opts.Message == example.TypeExampleList {
		w, weighted := 1.0, a.opts.Weight != ""
		if weighted {
			w = a.rowWeights[0]
		}
		d.exampleCounts.addList(a.rec.exampleCount, w, weighted)
	}
	for i := range a.pairs {
		d.pairs[i].addRecord(a, &a.pairs[i])
	}
}

// mergeDataset moves the columns of o to d. fields maps the ID of each field of o to its ID in a; before is the number of
// records that were offered to a before the merge.
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
			c.firstRecord += before
			to := a.columnSlot(d, fields[from], example.Kind(kind))
			if *to == nil { // the usual case with thousands of features
				*to = c
				a.countColumn(a.table.fields[fields[from]].name)
				continue
			}
			if (*to).common.present() == 0 {
				(*to).firstRecord = c.firstRecord
			}
			(*to).mergeColumn(c)
			if c.resetColumn() {
				o.keepSpare(from, kind, c)
			}
		}
	}
	d.exampleCounts.mergeCommon(&o.exampleCounts)
	for i := range d.pairs {
		d.pairs[i].mergePair(&o.pairs[i])
	}
}

// keepSpare keeps an empty column for reuse.
func (d *dataset) keepSpare(field, kind int, c *column) {
	if len(d.spare) < len(d.features) {
		d.spare = append(d.spare, make([]featureColumns, len(d.features)-len(d.spare))...)
	}
	d.spare[field].kinds[kind] = c
}

// eachColumn calls f for every column, in a fixed order.
func (d *dataset) eachColumn(f func(*column)) {
	for i := range d.features {
		for _, c := range d.features[i].kinds {
			if c != nil {
				f(c)
			}
		}
	}
}

// majorityColumn returns the column of the most frequent kind, or nil if no record has a kind. kinds is the number of
// kinds.
func (f *featureColumns) majorityColumn() (c *column, kinds int) {
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

// recordsByKind returns the number of records with each kind, in descending order.
func (f *featureColumns) recordsByKind() (all []sketch.Label) {
	for kind, c := range f.kinds[1:] {
		if c != nil {
			all = append(all, sketch.Label{Key: example.Kind(kind + 1).String(), Count: float64(c.common.present())})
		}
	}
	slices.SortStableFunc(all, func(x, y sketch.Label) int { return cmp.Compare(y.Count, x.Count) })
	return all
}
