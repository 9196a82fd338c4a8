package stats

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// What is described is described of all records that count: a record for which there is no room is refused as a
// whole, and what Merge has no room for, or one of two did not describe of all its records, is left out of both.

// lost says whether features or slices were left out. Then no new ones of them are described, which may have been
// left out before.
type lost struct{ features, slices bool }

// admits returns nil if the record at hand fits the limits, else which of them it exceeds. known is the number
// of features before it; it is in the slices of keys.
func (a *Accumulator) admits(known int, keys []string) error {
	minimums, columns, slices, met := int64(0), int64(0), int64(0), a.all.features
	sets := int64(len(a.names))
	first := known // of the features that it brings
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		if int(e.field) < len(met) && met[e.field].kinds[e.kind] != nil || e.kind == example.Unset && !e.nested || !a.table.fields[e.field].listed {
			continue
		}
		if columns++; columns == 1 {
			first = int(e.field)
		}
		if minimums += a.minimumOf(e.field, e.kind); a.lost.features || minimums > a.available() {
			return noRoomFor(a.table.fields[e.field].name)
		}
	}
	name := ""
	for _, k := range keys {
		if a.slices[k] == nil {
			name = k
			slices += a.sliceSize(k)
			sets++
		}
	}
	more := len(a.table.fields) > known
	switch {
	case minimums+slices == 0 && !more:
		return nil
	case a.lost.features && more, slices == 0 && minimums+sets*columns*sliceMinimum > a.available():
		return noRoomFor(a.table.fields[min(first, len(a.table.fields)-1)].name)
	case a.lost.slices && slices > 0, minimums+sets*columns*sliceMinimum+slices > a.available():
		return fmt.Errorf("%w: slice %q is one too many", ErrMemory, name)
	}
	return nil
}

func noRoomFor[S string | []byte](feature S) error {
	return fmt.Errorf("%w: feature %q is one too many", ErrMemory, feature)
}

// takeIn returns which of the fields of a are those of o, and makes those that are new, and columns
// of kinds that are new, if there is room for all of a field; -1 stands for a field that is left out.
func (a *Accumulator) takeIn(o *Accumulator) []int32 {
	fields := make([]int32, len(o.table.fields))
	sets := int64(len(a.names))
	for i := range fields {
		f := &o.table.fields[i]
		id, known := a.table.byName[f.group][f.name]
		var has, brings feature
		need := int64(0)
		if !known {
			id, need = -1, fieldSize(f.name)+(1+sets)*featureSize
		} else if int(id) < len(a.all.features) {
			has = a.all.features[id]
		}
		if i < len(o.all.features) {
			brings = o.all.features[i]
		}
		for kind, c := range brings.kinds {
			if c != nil && has.kinds[kind] == nil {
				need += o.minimumOf(int32(i), example.Kind(kind)) + sets*sliceMinimum
			}
		}
		switch fields[i] = id; {
		case f.lost || known && a.table.fields[id].lost:
			fields[i] = -1
			continue
		case need == 0:
			continue
		case a.lost.features || need > a.available():
			if fields[i] = -1; known {
				a.lose(id)
			} else {
				a.left++
			}
			a.lost.features = true
			continue
		}
		if !known {
			fields[i] = a.table.add(f.group, f.name)
		}
		for kind, c := range brings.kinds {
			if c != nil {
				a.column(a.all, fields[i], example.Kind(kind))
			}
		}
	}
	return fields
}

// leaveOutWith leaves out what o may have left out: what a describes, and o does not.
func (a *Accumulator) leaveOutWith(o *Accumulator) {
	for id := 0; o.lost.features && id < len(a.all.features); id++ {
		f := &a.table.fields[id]
		if f.lost || a.all.features[id] == (feature{}) {
			continue
		}
		theirs, ok := o.table.byName[f.group][f.name]
		if !ok || int(theirs) >= len(o.all.features) || o.all.features[theirs] == (feature{}) {
			a.lose(int32(id))
		}
	}
	for i := len(a.names) - 1; o.lost.slices && i >= 0; i-- {
		if o.slices[a.names[i]] == nil {
			a.drop(i)
		}
	}
}

// lose leaves out a feature. Its name is kept, so that it is known as one that is left out.
func (a *Accumulator) lose(id int32) {
	f := &a.table.fields[id]
	for kind, c := range a.all.features[id].kinds {
		if c != nil {
			a.minimums -= a.minimumOf(id, example.Kind(kind))
			a.columns--
		}
	}
	for _, d := range a.datasets() {
		if int(id) < len(d.features) {
			d.features[id] = feature{}
		}
		d.order = slices.DeleteFunc(d.order, func(other int32) bool { return other == id })
	}
	f.lost, f.listed = true, false
	a.left++
	a.lost.features = true
}

// drop leaves out the slice number i, and returns what it took.
func (a *Accumulator) drop(i int) int64 {
	name := a.names[i]
	took := a.datasetSize(name) + a.placesSize()
	a.slices[name].columns(func(c *column) { took += int64(c.bytes()) })
	delete(a.slices, name)
	a.names = slices.Delete(a.names, i, i+1)
	a.named -= a.datasetSize(name)
	a.left++
	a.lost.slices = true
	return took
}

// withinMax returns the slices of keys that there are or may be: a record that would make more
// than Options.MaxSlices is described without all those that it would make, since admits lets no record make one
// after some were left out.
func (a *Accumulator) withinMax(keys []string) []string {
	made := 0
	for _, k := range keys {
		if a.slices[k] == nil {
			made++
		}
	}
	if made == 0 || !a.tooMany && len(a.names)+made <= a.opts.MaxSlices {
		return keys
	}
	if !a.tooMany {
		a.left++
	}
	a.tooMany, a.lost.slices = true, true
	return slices.DeleteFunc(keys, func(k string) bool { return a.slices[k] == nil })
}

// LostSlices reports whether slices were left out: there were more than Options.MaxSlices of them,
// or than there was memory for.
func (a *Accumulator) LostSlices() bool { return a.lost.slices }

// OutsideSlices returns how many records are in slices that were left out: exactly, since slices that are
// described have all of their records. A record counts once for each such slice; each reports whether no record
// is in several slices, left out or not. With Options.TFDV slices are never left out.
func (a *Accumulator) OutsideSlices() (records uint64, each bool) {
	if !a.lost.slices {
		return 0, true
	}
	records = a.places
	for _, d := range a.slices {
		records -= d.examples
	}
	return records, a.places == a.inSlices
}
