package stats

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// What is described is described of all records that count: a record with features for which there is no room is refused as a
// whole, and what Merge has no room for, or one of two did not describe of all its records, is left out of both.

// admits returns nil if the record at hand fits the limits, else which of them it exceeds. known is the number
// of features before it; it is in the slices of keys, and admits returns those that there is room for.
func (a *Accumulator) admits(known int, keys []sliceKey) ([]sliceKey, error) {
	minimums, columns, met := int64(0), int64(0), a.all.features
	first := known // of the features that it brings
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		if int(e.field) < len(met) && met[e.field].kinds[e.kind] != nil || e.kind == example.Unset && !e.nested || !a.table.fields[e.field].listed {
			continue
		}
		if columns++; columns == 1 {
			first = int(e.field)
		}
		if minimums += a.minimumOf(e.field, e.kind); a.lostFeatures || minimums > a.available() {
			return nil, noRoomFor(a.table.fields[e.field].name)
		}
	}
	more := len(a.table.fields) > known
	for {
		sets, slices := int64(len(a.names)), a.sizeOf(keys)
		for _, k := range keys {
			if a.slices[k.name] == nil {
				sets++
			}
		}
		switch {
		case minimums+slices == 0 && !more:
			return keys, nil
		case a.lostFeatures && more:
			return nil, noRoomFor(a.table.fields[min(first, len(a.table.fields)-1)].name)
		case minimums+sets*columns*sliceMinimum+slices <= a.available():
			return keys, nil
		case slices == 0:
			return nil, noRoomFor(a.table.fields[min(first, len(a.table.fields)-1)].name)
		}
		a.leaveOutLargest(keys)
		keys = a.kept(keys)
	}
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
		case a.lostFeatures || need > a.available():
			if fields[i] = -1; known {
				a.lose(id)
			} else {
				a.left++
			}
			a.lostFeatures = true
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

// leaveOutFeatures leaves out what o may have left out: what a describes, and o does not.
func (a *Accumulator) leaveOutFeatures(o *Accumulator) {
	for id := 0; o.lostFeatures && id < len(a.all.features); id++ {
		f := &a.table.fields[id]
		if f.lost || a.all.features[id] == (feature{}) {
			continue
		}
		theirs, ok := o.table.byName[f.group][f.name]
		if !ok || int(theirs) >= len(o.all.features) || o.all.features[theirs] == (feature{}) {
			a.lose(int32(id))
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
	a.lostFeatures = true
}
