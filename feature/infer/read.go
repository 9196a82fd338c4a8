package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// unitFeature is one feature in one unit.
type unitFeature struct {
	stat   int32 // index in groupStats.stats; -1 if the name is new
	id     int32 // ID of the name in the table
	kind   example.Kind
	n      int // number of values
	lo, hi int // the values in reader.ints, if they are decoded
}

// unit is the part of a record within which partitions apply: an Example, a context, an example of a list, or the
// steps at the same index of all feature lists. For feature lists there is one more unit, of index -1, that has the
// lists themselves.
type unit struct {
	group     feature.Group // the group of the features
	unitIndex int           // index of the step or example; -1 elsewhere
	lo, hi    int           // the features in reader.entries
}

// reader splits records into units. Its units and values belong to the last record.
type reader struct {
	table   *message.Table   // nil for records of type raw
	units   []unit           // units of the record
	entries []unitFeature    // features of all units
	ints    []int64          // decoded values
	steps   []remainingSteps // remaining steps of all feature lists
}

// remainingSteps is the unread steps of a feature list.
type remainingSteps struct {
	id    int32  // ID of the name in the table
	steps []byte // encoded steps
}

// readRecord splits a record into units, before any of it is counted.
func (in *Inferrer) readRecord(record []byte) error {
	if in.reader.table == nil {
		return in.message.Validate(record)
	}
	return in.reader.table.Read(record, in.divide)
}

// divide splits the message in the table into units. It returns false if a value is not canonical.
func (in *Inferrer) divide(t *message.Table) bool {
	r := &in.reader
	r.units, r.entries, r.ints = r.units[:0], r.entries[:0], r.ints[:0]
	examples := 0
	for _, m := range t.Maps {
		g, entries := in.groups[m.Part], t.Entries[m.Lo:m.Hi]
		if m.Part == message.Lists {
			if !r.divideLists(g, t, entries) {
				return false
			}
			continue
		}
		u := unit{group: g.id, unitIndex: -1, lo: len(r.entries)}
		if m.Part == message.Examples {
			u.unitIndex = examples
			examples++
		}
		for _, e := range entries {
			if !r.addFeature(g, e.ID, t.Bytes[:e.Hi], e.Lo) {
				return false
			}
		}
		r.endUnit(g, u)
	}
	return true
}

// divideLists adds the units of the feature lists: one unit per step index, and before them the unit of index -1.
func (r *reader) divideLists(g *groupStats, t *message.Table, entries []message.Entry) bool {
	r.steps = r.steps[:0]
	u, settled := unit{group: g.id, unitIndex: -1, lo: len(r.entries)}, g.finder.isSettled()
	for _, e := range entries {
		stat := g.lookUp(t, e.ID)
		settled = settled && stat >= 0 && g.stats[stat].known
		r.steps = append(r.steps, remainingSteps{e.ID, t.Bytes[e.Lo:e.Hi]})
		r.entries = append(r.entries, unitFeature{stat: stat, id: e.ID})
	}
	r.endUnit(g, u)
	if settled { // no pair needs aligned steps; reading list by list takes half the time
		u := unit{group: g.id, lo: len(r.entries)}
		for _, l := range r.steps {
			for i := 0; i < len(l.steps); {
				lo, hi, ok := canonical.Message(l.steps, i, canonical.Tag1)
				if !ok || !r.addFeature(g, l.id, l.steps[:hi], lo) {
					return false
				}
				i = hi
			}
		}
		r.endUnit(g, u)
		return true
	}
	for unitIndex := 0; len(r.steps) > 0; unitIndex++ {
		u := unit{group: g.id, unitIndex: unitIndex, lo: len(r.entries)}
		longer := r.steps[:0]
		for _, l := range r.steps {
			if len(l.steps) == 0 {
				continue
			}
			lo, hi, ok := canonical.Message(l.steps, 0, canonical.Tag1)
			if !ok || !r.addFeature(g, l.id, l.steps[:hi], lo) {
				return false
			}
			longer = append(longer, remainingSteps{l.id, l.steps[hi:]})
		}
		if r.steps = longer; len(r.entries) > u.lo {
			r.endUnit(g, u)
		}
	}
	return true
}

// lookUp returns the index in stats of a name in the table, or -1 if the name is new.
func (g *groupStats) lookUp(t *message.Table, id int32) int32 {
	if uint(id) < uint(len(g.byID)) && g.byID[id] > 0 {
		return g.byID[id] - 1
	}
	if stat, ok := g.index[t.Name(message.Part(g.id), id)]; ok {
		return int32(stat)
	}
	return -1
}

// addFeature adds the Feature b[i:]. It decodes the values if a pair needs them.
func (r *reader) addFeature(g *groupStats, id int32, b []byte, i int) (ok bool) {
	e := unitFeature{stat: g.lookUp(r.table, id), id: id, lo: len(r.ints)}
	if i < len(b) && b[i] == canonical.Int64Tag && (e.stat < 0 || g.finder.needsValues(int(e.stat))) {
		r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
		e.kind, e.n = example.Int64List, len(r.ints)-e.lo
	} else {
		var kind uint8
		kind, e.n, ok = canonical.Count(b, i)
		e.kind = example.Kind(kind)
	}
	e.hi = len(r.ints)
	r.entries = append(r.entries, e)
	return ok
}

// endUnit ends a unit. If the unit has a new feature, it sorts the features by name, because their order
// decides between equally likely pairs.
func (r *reader) endUnit(g *groupStats, u unit) {
	u.hi = len(r.entries)
	r.units = append(r.units, u)
	entries := r.entries[u.lo:u.hi]
	for i := range entries {
		if s := entries[i].stat; s < 0 || !g.stats[s].known {
			name := func(e unitFeature) string { return r.table.Name(message.Part(g.id), e.id) }
			slices.SortFunc(entries, func(a, b unitFeature) int { return cmp.Compare(name(a), name(b)) })
			return
		}
	}
}

// needsValues reports whether a pair uses the feature now or may use it later.
func (f *pairFinder) needsValues(stat int) bool {
	s := f.group.stats[stat]
	return !s.known || s.isNew || stat < len(f.used) && f.used[stat] && len(f.pairs) > 0
}

// isSettled reports whether no pair is followed and no feature is new, so that units are only counted.
func (f *pairFinder) isSettled() bool { return len(f.pairs) == 0 && len(f.newFeatures) == 0 }

// int64sOf returns the values of an int64 feature of the current record.
func (r *reader) int64sOf(e unitFeature) []int64 { return slices.Clip(r.ints[e.lo:e.hi]) }
