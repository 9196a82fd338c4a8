package infer

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/keys"
)

// The quick way to look at a record: one in the usual form, of names that are known, in
// which nothing is to be found out but whether the pairs that are followed hold. Of any
// other it says so before it counts anything, and the record is read by way of package
// example.

// A quickReader knows the names of a group.
type quickReader struct {
	walk  keys.Walk
	built bool   // there is a walk
	names int    // in it, of those that there are
	unit  uint64 // in which the slots of walk are
	slow  int    // units that were read the other way since there are more names
}

// learn makes the names known if there are new ones. It is called for every unit that
// was not read the quick way.
func (g *group) learn() {
	q := &g.quick
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
	*q = quickReader{walk: keys.NewIndex(names).NewWalk(), built: true, names: len(names)}
}

// ready reports whether the quick way may do.
func (g *group) ready() bool { return g.quick.built && len(g.finder.young) == 0 }

// quick reads a record, and counts it, if it can.
func (in *Inferrer) quick(number int64, record []byte) bool {
	r := &in.read
	r.units, r.entries, r.ints = r.units[:0], r.entries[:0], r.ints[:0]
	ok := false
	switch in.message {
	case example.TypeExample:
		ok = in.quickExample(feature.InFeatures, -1, record, 0)
	case example.TypeSequence:
		ok = in.quickSequence(record)
	case example.TypeList:
		ok = in.quickList(record)
	}
	if !ok {
		return false
	}
	in.records++
	for _, u := range r.units {
		in.groups[u.group].addQuick(number, u, r.entries[u.lo:u.hi], r)
	}
	for _, g := range in.groups {
		if g != nil {
			g.finder.record()
		}
	}
	return true
}

// addQuick is add for a unit that was read the quick way.
func (g *group) addQuick(record int64, u unit, entries []entry, r *reader) {
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

// quickExample reads the Example b[i:] as a unit.
func (in *Inferrer) quickExample(id feature.Group, number int, b []byte, i int) bool {
	g, r := in.groups[id], &in.read
	if !g.ready() {
		return false
	}
	u := unit{group: id, number: number, lo: len(r.entries)}
	g.quick.unit++
	for i < len(b) {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok || !r.quickMap(g, b[:hi], lo) {
			return false
		}
		i = hi
	}
	u.hi = len(r.entries)
	r.units = append(r.units, u)
	return true
}

// quickList reads an ExampleListWithContext.
func (in *Inferrer) quickList(b []byte) bool {
	var context []byte
	seen := false
	for i, n := 0, 0; i < len(b); {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if ok {
			if !in.quickExample(feature.InExamples, n, b[:hi], lo) {
				return false
			}
			n++
		} else if lo, hi, ok = canonical.Message(b, i, canonical.Tag2); ok && !seen {
			context, seen = b[lo:hi], true
		} else {
			return false
		}
		i = hi
	}
	return in.quickExample(feature.InContext, -1, context, 0)
}

// quickSequence reads a SequenceExample. Frames are read list by list, so pairs of
// feature lists cannot be followed.
func (in *Inferrer) quickSequence(b []byte) bool {
	context, lists, r := in.groups[feature.InContext], in.groups[feature.InSequence], &in.read
	if !context.ready() || !lists.ready() || len(lists.finder.pairs) > 0 {
		return false
	}
	context.quick.unit++
	lists.quick.unit++
	r.parts = r.parts[:0]
	for i := 0; i < len(b); {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if ok {
			ok = r.quickMap(context, b[:hi], lo)
		} else if lo, hi, ok = canonical.Message(b, i, canonical.Tag2); ok {
			r.parts = append(r.parts, [2]int{lo, hi})
		}
		if !ok {
			return false
		}
		i = hi
	}
	r.units = append(r.units, unit{group: feature.InContext, number: -1, hi: len(r.entries)})
	all := len(r.entries)
	r.frames = r.frames[:0]
	for _, p := range r.parts {
		found, others, ok := lists.quick.walk.Map(lists.quick.unit, b[:p[1]], p[0])
		if !ok || others > 0 {
			return false
		}
		for _, k := range found {
			r.entries = append(r.entries, entry{stat: int(k)})
		}
		r.frames = append(r.frames, found...)
	}
	r.units = append(r.units, unit{feature.InSequence, -1, all, len(r.entries)})
	at := len(r.entries)
	for _, k := range r.frames {
		s := &lists.quick.walk.Slots[k]
		list := b[:s.Hi]
		for i := int(s.Lo); i < len(list); {
			lo, hi, ok := canonical.Message(list, i, canonical.Tag1)
			if !ok || !lists.stats[k].known || !r.quickEntry(lists, int(k), list[:hi], lo) {
				return false
			}
			i = hi
		}
	}
	r.units = append(r.units, unit{feature.InSequence, 0, at, len(r.entries)})
	return true
}

// quickMap appends the entries of the map b[i:].
func (r *reader) quickMap(g *group, b []byte, i int) bool {
	found, others, ok := g.quick.walk.Map(g.quick.unit, b, i)
	if !ok || others > 0 {
		return false
	}
	for _, k := range found {
		if s := &g.quick.walk.Slots[k]; !r.quickEntry(g, int(k), b[:s.Hi], int(s.Lo)) {
			return false
		}
	}
	return true
}

// quickEntry appends the entry of the Feature b[i:], with its numbers if a pair is of it.
func (r *reader) quickEntry(g *group, stat int, b []byte, i int) bool {
	e := entry{stat: stat, lo: len(r.ints)}
	ok := true
	if i < len(b) {
		e.kind = example.Kind(b[i] >> 3)
		switch b[i] {
		case canonical.Int64Tag:
			e.n, ok = r.quickInts(b, i, g.finder.follows(stat))
		case canonical.FloatTag:
			lo, chunk := canonical.Chunk(b, i, canonical.FloatTag)
			e.n, ok = (len(b)-lo)/4, chunk && (len(b)-lo)%4 == 0
		case canonical.BytesTag:
			e.n, ok = countStrings(b, i)
		default:
			ok = false
		}
	}
	e.hi = len(r.ints)
	r.entries = append(r.entries, e)
	return ok && (e.n == 0 || g.stats[stat].known)
}

// quickInts counts numbers, and appends them if they are to be kept.
func (r *reader) quickInts(b []byte, i int, keep bool) (n int, ok bool) {
	if v, one := canonical.Int64(b, i); one {
		if keep {
			r.ints = append(r.ints, v)
		}
		return 1, true
	}
	if !keep {
		if n, ok = canonical.CountInt64s(b, i); ok {
			return n, true
		}
	}
	lo := len(r.ints)
	r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
	n = len(r.ints) - lo
	if !keep {
		r.ints = r.ints[:lo]
	}
	return n, ok
}

func countStrings(b []byte, i int) (n int, ok bool) {
	if _, ok := canonical.Bytes(b, i); ok {
		return 1, true
	}
	for i, ok = canonical.List(b, i); ok && i < len(b); n++ {
		_, i, ok = canonical.Message(b, i, canonical.Tag1)
	}
	return n, ok
}

// follows reports whether a pair is of a feature.
func (f *finder) follows(stat int) bool {
	return stat < len(f.used) && f.used[stat] && len(f.pairs) > 0
}
