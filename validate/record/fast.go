package record

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// The fast path checks records that are canonically encoded, with every name once, and that have
// nothing wrong with them but names that the schema does not have and names that are missing. Of any
// other record it returns false, and the slow path, which makes the findings, checks it again.
// TestFastIsSlow compares the two; a sound record of 40 features takes a quarter of the time.

// A fastTable is what the fast path has for the names of a table.
type fastTable struct {
	index       *canonical.Index
	constraints []constraint
	required    int
	linked      []int // entries whose slots links and groups look at
}

// compileFast makes a fastTable. level is that of the values in a feature.
func (t *table) compileFast(closed bool, level int) (q fastTable) {
	names := make([]string, len(t.entries))
	q.constraints = make([]constraint, len(t.entries))
	for i := range t.entries {
		e := &t.entries[i]
		names[i] = e.name
		q.constraints[i] = e.constraint(closed, level)
		if e.required {
			q.required++
		}
		if q.constraints[i].linked {
			q.linked = append(q.linked, i)
		}
	}
	q.index = canonical.NewIndex(names)
	return q
}

// fast checks a record. If it returns false, what it has found does not count.
func (c *Checker) fast(s *scratch, record []byte) bool {
	c.startFast(s)
	lists := false
	for i := 0; i < len(record); {
		if lo, hi, ok := canonical.Message(record, i, canonical.Tag1); ok {
			if !c.fastMap(s, record[:hi], lo) || lists && s.found != nil { // names of the context come first
				return false
			}
			i = hi
			continue
		}
		lo, hi, ok := canonical.Message(record, i, canonical.Tag2)
		if !ok || c.message != example.TypeSequence || !c.fastListMap(s, record[:hi], lo) {
			return false
		}
		lists = true
		i = hi
	}
	if !c.fastLinks(s) {
		return false
	}
	if s.required < c.fastFeatures.required+c.fastLists.required {
		c.missing(s)
	}
	return true
}

// startFast makes a scratch ready for the fast path.
func (c *Checker) startFast(s *scratch) {
	s.round += 2
	s.walk.Start()
	s.listWalk.Start()
	s.start(c)
	s.cells, s.required = s.cells[:0], 0
	for _, i := range c.fastFeatures.linked {
		s.features[i] = slot{}
	}
	for _, i := range c.fastLists.linked {
		s.lists[i] = slot{}
	}
}

// missing adds findings for required names that are missing.
func (c *Checker) missing(s *scratch) {
	for i := range c.features.entries {
		if e := &c.features.entries[i]; e.required && s.seen[i] <= s.round {
			p := place{s: s, e: e, step: -1, at: -1}
			if s.seen[i] == s.round {
				p.at = s.features[i].offset
			}
			p.missing("a feature that is always there")
		}
	}
	for i := range c.lists.entries {
		if e := &c.lists.entries[i]; e.required && s.listSeen[i] < s.round {
			place{s: s, e: e, step: -1, at: -1}.missing("a feature list that is always there")
		}
	}
}

// present is added to the round in which a name was seen with a kind.
const present = 1

// fastMap checks the entries of the map of features b[i:].
func (c *Checker) fastMap(s *scratch, b []byte, i int) bool {
	constraints := c.fastFeatures.constraints
	found, others, ok := s.walk.Map(b, i)
	if !ok {
		return false
	}
	if others > 0 && c.closed && !c.unknownNames(s, b, i) {
		return false
	}
	for _, k := range found {
		k := int(k)
		lo, hi, _ := s.walk.Value(k)
		want := &constraints[k]
		s.seen[k] = s.round + present
		if want.never {
			return false
		}
		if lo == hi { // without a kind it is as if it were not there
			s.seen[k], s.features[k].offset = s.round, lo
			continue
		}
		if want.skipped {
			continue
		}
		n, ok := want.feature(s, b[:hi], lo)
		if !ok {
			return false
		}
		s.take(want, k, n)
	}
	return true
}

// unknownNames adds findings for the names in the map of features b[i:] that the schema does not
// have. It returns false if the schema has one of them under another name.
func (c *Checker) unknownNames(s *scratch, b []byte, i int) bool {
	for i < len(b) {
		lo, hi, _ := canonical.Message(b, i, canonical.Tag1)
		name, end, _ := canonical.Message(b, lo, canonical.Tag1)
		if k, ok := c.features.index[string(b[name:end])]; !ok {
			value, _, _ := canonical.Message(b, end, canonical.Tag2)
			c.unknown(s, &c.features, string(b[name:end]), value)
		} else if c.features.entries[k].name != string(b[name:end]) {
			return false
		}
		i = hi
	}
	return true
}

// take notes that feature k is there and has n values, the last of scratch.kept if they
// are numbers that are kept.
func (s *scratch) take(want *constraint, k, n int) {
	if want.required {
		s.required++
	}
	if want.linked {
		at := &s.features[k]
		at.n, at.present = int64(n), true
		if want.numbers {
			at.lo, at.hi = len(s.kept)-n, len(s.kept)
		}
	}
}

// A cell is a step that links look at.
type cell struct {
	n      int64
	lo, hi int // of its numbers, in scratch.kept
}

// fastListMap checks the entries of the map of feature lists b[i:].
func (c *Checker) fastListMap(s *scratch, b []byte, i int) bool {
	constraints := c.fastLists.constraints
	found, others, ok := s.listWalk.Map(b, i)
	if !ok || others > 0 && c.closed {
		return false
	}
	for _, k := range found {
		k := int(k)
		lo, hi, _ := s.listWalk.Value(k)
		want := &constraints[k]
		if want.never {
			return false
		}
		s.listSeen[k] = s.round
		if want.skipped {
			continue
		}
		if want.required {
			s.required++
		}
		at := len(s.cells)
		if !want.list(s, b[:hi], lo) {
			return false
		}
		if want.linked {
			s.lists[k].lo, s.lists[k].hi = at, len(s.cells)
		}
	}
	return true
}

// fastLinks reports whether what belongs together fits together.
func (c *Checker) fastLinks(s *scratch) bool {
	for i := range c.groups {
		if !c.groups[i].fits(s) {
			return false
		}
	}
	for _, l := range c.links {
		if l.holds(s.numbers(l.from), s.features[l.of].n, s.numbers(l.of)) != nil {
			return false
		}
	}
	for _, l := range c.listLinks {
		of := s.cells[s.lists[l.of].lo:s.lists[l.of].hi]
		var from []cell
		if l.from >= 0 {
			if from = s.cells[s.lists[l.from].lo:s.lists[l.from].hi]; len(from) != len(of) {
				return false
			}
		}
		for i := range of {
			var x []int64
			if from != nil {
				x = s.kept[from[i].lo:from[i].hi]
			}
			if l.holds(x, of[i].n, s.kept[of[i].lo:of[i].hi]) != nil {
				return false
			}
		}
	}
	return true
}
