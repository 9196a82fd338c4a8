package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// An entry is one feature of one unit.
type entry struct {
	stat   int32 // in group.stats; -1 if the name is new
	id     int32 // of the name, in the table
	kind   example.Kind
	n      int // values
	lo, hi int // of the values in reader.ints, if they are read
}

// A unit is what a partition and its values must share: an Example, a context, an example of a
// list, or the steps of one number of all feature lists.
type unit struct {
	group  feature.Group
	number int // of the step or the example, -1 elsewhere
	lo, hi int // in reader.entries
}

// A reader divides records into units. What it holds is of the last record.
type reader struct {
	table   *message.Table // nil for records that are no messages
	units   []unit
	entries []entry
	ints    []int64
	steps   []remaining // of the feature lists
}

// remaining is the steps of a feature list that were not read yet.
type remaining struct {
	id    int32
	steps []byte
}

// record reads all of a record, before anything of it is counted.
func (in *Inferrer) record(record []byte) error {
	if in.read.table == nil {
		return in.message.Validate(record)
	}
	return in.read.table.Read(record, in.divide)
}

// divide makes units of the message in the table. It returns false if a value is not canonical.
func (in *Inferrer) divide(t *message.Table) bool {
	r := &in.read
	r.units, r.entries, r.ints = r.units[:0], r.entries[:0], r.ints[:0]
	examples := 0
	for _, m := range t.Maps {
		g, entries := in.groups[m.Part], t.Entries[m.Lo:m.Hi]
		if m.Part == message.Lists {
			if !r.lists(g, t, entries) {
				return false
			}
			continue
		}
		u := unit{group: g.id, number: -1, lo: len(r.entries)}
		if m.Part == message.Examples {
			u.number = examples
			examples++
		}
		for _, e := range entries {
			if !r.entry(g, e.ID, t.Bytes[:e.Hi], e.Lo) {
				return false
			}
		}
		r.end(g, u)
	}
	return true
}

// lists adds the feature lists: one unit for the steps of each number. Which lists there are is a
// unit of number -1.
func (r *reader) lists(g *group, t *message.Table, entries []message.Entry) bool {
	r.steps = r.steps[:0]
	u, settled := unit{group: g.id, number: -1, lo: len(r.entries)}, g.finder.settled()
	for _, e := range entries {
		stat := g.lookUp(t, e.ID)
		settled = settled && stat >= 0 && g.stats[stat].known
		r.steps = append(r.steps, remaining{e.ID, t.Bytes[e.Lo:e.Hi]})
		r.entries = append(r.entries, entry{stat: stat, id: e.ID})
	}
	r.end(g, u)
	if settled { // steps are only counted: list by list takes half the time
		u := unit{group: g.id, lo: len(r.entries)}
		for _, l := range r.steps {
			for i := 0; i < len(l.steps); {
				lo, hi, ok := canonical.Message(l.steps, i, canonical.Tag1)
				if !ok || !r.entry(g, l.id, l.steps[:hi], lo) {
					return false
				}
				i = hi
			}
		}
		r.end(g, u)
		return true
	}
	for number := 0; len(r.steps) > 0; number++ {
		u := unit{group: g.id, number: number, lo: len(r.entries)}
		longer := r.steps[:0]
		for _, l := range r.steps {
			if len(l.steps) == 0 {
				continue
			}
			lo, hi, ok := canonical.Message(l.steps, 0, canonical.Tag1)
			if !ok || !r.entry(g, l.id, l.steps[:hi], lo) {
				return false
			}
			longer = append(longer, remaining{l.id, l.steps[hi:]})
		}
		if r.steps = longer; len(r.entries) > u.lo {
			r.end(g, u)
		}
	}
	return true
}

// lookUp returns the stat of a name in the table, -1 if it is new.
func (g *group) lookUp(t *message.Table, id int32) int32 {
	if uint(id) < uint(len(g.byID)) && g.byID[id] > 0 {
		return g.byID[id] - 1
	}
	if stat, ok := g.index[t.Name(message.Part(g.id), id)]; ok {
		return int32(stat)
	}
	return -1
}

// entry adds the Feature b[i:]. Numbers are read if a pair may be made of them.
func (r *reader) entry(g *group, id int32, b []byte, i int) (ok bool) {
	e := entry{stat: g.lookUp(r.table, id), id: id, lo: len(r.ints)}
	if i < len(b) && b[i] == canonical.Int64Tag && (e.stat < 0 || g.finder.reads(int(e.stat))) {
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

// end ends a unit. Where features appear they do so in the order of their names, whatever the order
// in the record: pairs that are equally likely are told apart by it.
func (r *reader) end(g *group, u unit) {
	u.hi = len(r.entries)
	r.units = append(r.units, u)
	entries := r.entries[u.lo:u.hi]
	for i := range entries {
		if s := entries[i].stat; s < 0 || !g.stats[s].known {
			name := func(e entry) string { return r.table.Name(message.Part(g.id), e.id) }
			slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(name(a), name(b)) })
			return
		}
	}
}

// reads reports whether the numbers of a feature are needed: a pair that is followed is of it, or
// may come to be.
func (f *finder) reads(stat int) bool {
	s := f.group.stats[stat]
	return !s.known || s.young || stat < len(f.used) && f.used[stat] && len(f.pairs) > 0
}

// settled reports whether units are only counted, since no pair is followed or may come to be.
func (f *finder) settled() bool { return len(f.pairs) == 0 && len(f.young) == 0 }

// values returns the values of an int64 feature of the record at hand.
func (r *reader) values(e entry) []int64 { return slices.Clip(r.ints[e.lo:e.hi]) }
