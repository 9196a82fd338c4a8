package infer

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
)

// The fast path looks at records that are canonically encoded and have no new names. All that it
// finds out is how many values there are, and whether the pairs that are followed hold. It rejects any other record
// before it counts anything, and package example reads that one. It is three to six times as fast.

// A fastReader finds the features of a group whose names are known.
type fastReader struct {
	walk  canonical.Walk
	built bool // there is a walk
	names int  // in it: there may be more by now
	slow  int  // units that took the slow path since then
}

// learn makes the names known to the fast path if there are new ones. It is called for every unit
// that took the slow path.
func (g *group) learn() {
	q := &g.fast
	if q.built && q.names == len(g.stats) || len(g.finder.young) > 0 {
		return
	}
	if q.slow++; q.slow <= len(g.stats)/8 {
		return
	}
	names := make([]string, len(g.stats))
	for i, s := range g.stats {
		names[i] = s.name
	}
	*q = fastReader{walk: canonical.NewIndex(names).NewWalk(), built: true, names: len(names)}
}

// ready reports whether the fast path knows the names, and need not look at new ones.
func (g *group) ready() bool { return g.fast.built && len(g.finder.young) == 0 }

// fast reads a record and counts it, if it can.
func (in *Inferrer) fast(number int64, record []byte) bool {
	r := &in.read
	r.units, r.entries, r.ints = r.units[:0], r.entries[:0], r.ints[:0]
	ok := false
	switch in.message {
	case example.TypeExample:
		ok = in.fastExample(feature.InFeatures, -1, record, 0)
	case example.TypeSequence:
		ok = in.fastSequence(record)
	case example.TypeExampleList:
		ok = in.fastList(record)
	}
	if !ok {
		return false
	}
	in.records++
	for _, u := range r.units {
		in.groups[u.group].addFast(number, u, r.entries[u.lo:u.hi], r)
	}
	for _, g := range in.groups {
		if g != nil {
			g.finder.record()
		}
	}
	return true
}

// addFast is add for a unit that took the fast path.
func (g *group) addFast(record int64, u unit, entries []entry, r *reader) {
	g.decided = nil
	switch {
	case g.id != feature.InSequence:
		g.units++
	case u.number < 0:
		g.units++
		for _, e := range entries {
			g.stats[e.stat].lists++
		}
		return
	}
	for i := range entries {
		e := &entries[i]
		s, k := g.stats[e.stat], e.kind
		if s.kinds[k] == 0 {
			g.count(record, e)
			continue
		}
		s.kinds[k]++
		if k != example.Unset {
			s.min, s.max = min(s.min, e.n), max(s.max, e.n)
		}
	}
	if len(g.finder.pairs) > 0 {
		g.finder.follow(record, u.number, entries, r)
	}
}

// fastExample reads the Example b[i:] as a unit.
func (in *Inferrer) fastExample(id feature.Group, number int, b []byte, i int) bool {
	g, r := in.groups[id], &in.read
	if !g.ready() {
		return false
	}
	u := unit{group: id, number: number, lo: len(r.entries)}
	g.fast.walk.Start()
	for i < len(b) {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok || !r.fastMap(g, b[:hi], lo) {
			return false
		}
		i = hi
	}
	u.hi = len(r.entries)
	r.units = append(r.units, u)
	return true
}

// fastList reads an ExampleListWithContext.
func (in *Inferrer) fastList(b []byte) bool {
	var context []byte
	seen := false
	for i, n := 0, 0; i < len(b); {
		number, lo, hi := canonical.Field(b, i)
		switch {
		case number == 1 && in.fastExample(feature.InExamples, n, b[:hi], lo):
			n++
		case number == 2 && !seen:
			context, seen = b[lo:hi], true
		default:
			return false
		}
		i = hi
	}
	return in.fastExample(feature.InContext, -1, context, 0)
}

// fastSequence reads a SequenceExample. Steps are read list by list, so pairs of
// feature lists cannot be followed.
func (in *Inferrer) fastSequence(b []byte) bool {
	context, lists, r := in.groups[feature.InContext], in.groups[feature.InSequence], &in.read
	if !context.ready() || !lists.ready() || len(lists.finder.pairs) > 0 {
		return false
	}
	context.fast.walk.Start()
	lists.fast.walk.Start()
	r.parts = r.parts[:0]
	for i := 0; i < len(b); {
		number, lo, hi := canonical.Field(b, i)
		switch {
		case number == 1 && r.fastMap(context, b[:hi], lo):
		case number == 2:
			r.parts = append(r.parts, [2]int{lo, hi})
		default:
			return false
		}
		i = hi
	}
	r.units = append(r.units, unit{group: feature.InContext, number: -1, hi: len(r.entries)})
	all := len(r.entries)
	r.steps = r.steps[:0]
	for _, p := range r.parts {
		found, unknown, ok := lists.fast.walk.Map(b[:p[1]], p[0])
		if !ok || unknown > 0 {
			return false
		}
		for _, k := range found {
			r.entries = append(r.entries, entry{stat: int(k)})
		}
		r.steps = append(r.steps, found...)
	}
	r.units = append(r.units, unit{feature.InSequence, -1, all, len(r.entries)})
	at := len(r.entries)
	for _, k := range r.steps {
		i, end, _ := lists.fast.walk.Value(int(k))
		for list := b[:end]; i < end; {
			lo, hi, ok := canonical.Message(list, i, canonical.Tag1)
			if !ok || !lists.stats[k].known || !r.fastEntry(lists, int(k), list[:hi], lo) {
				return false
			}
			i = hi
		}
	}
	r.units = append(r.units, unit{feature.InSequence, 0, at, len(r.entries)})
	return true
}

// fastMap appends the entries of the map b[i:].
func (r *reader) fastMap(g *group, b []byte, i int) bool {
	found, unknown, ok := g.fast.walk.Map(b, i)
	if !ok || unknown > 0 {
		return false
	}
	for _, k := range found {
		if lo, hi, _ := g.fast.walk.Value(int(k)); !r.fastEntry(g, int(k), b[:hi], lo) {
			return false
		}
	}
	return true
}

// fastEntry appends the entry of the Feature b[i:], with its numbers if a pair is of it.
func (r *reader) fastEntry(g *group, stat int, b []byte, i int) bool {
	e := entry{stat: stat, lo: len(r.ints)}
	ok := true
	if i < len(b) && b[i] == canonical.Int64Tag && g.finder.follows(stat) {
		r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
		e.kind, e.n = example.Int64List, len(r.ints)-e.lo
	} else {
		var kind uint8
		kind, e.n, ok = canonical.Count(b, i)
		e.kind = example.Kind(kind)
	}
	e.hi = len(r.ints)
	r.entries = append(r.entries, e)
	return ok && (e.n == 0 || g.stats[stat].known)
}

// follows reports whether a pair is of a feature.
func (f *finder) follows(stat int) bool {
	return stat < len(f.used) && f.used[stat] && len(f.pairs) > 0
}
