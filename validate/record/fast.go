package record

import "github.com/tfparse/tfparse/internal/message"

// The fast path checks records that are canonically encoded, with every name once, and that have
// nothing wrong with them but names that the schema does not have and names that are missing. Of any
// other record it returns false, and the slow path, which makes the findings, checks it again, with
// the features that the walk or the scanners have found. TestFastIsSlow compares the two; a sound
// record of 40 features takes a fifth of the time.

// A fastTable is what the fast path has for the names of a table.
type fastTable struct {
	names       *message.KnownNames
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
	q.names = message.NewKnownNames(names, t.index)
	return q
}

// fast checks a record that a walk has read. If it returns false, what it has found does not count.
func (c *Checker) fast(s *scratch, record []byte) bool {
	s.start(c)
	s.cells, s.required, s.newNames = s.cells[:0], 0, false
	for _, i := range c.fastFeatures.linked {
		s.features[i] = slot{}
	}
	for _, i := range c.fastLists.linked {
		s.lists[i] = slot{}
	}
	if !c.checkFastFeatures(s, record) || !c.checkFastLists(s, record) || !c.fastLinks(s) || s.newNames && !c.addNewNames(s) {
		return false
	}
	if s.required < c.fastFeatures.required+c.fastLists.required {
		c.missing(s)
	}
	return true
}

// addNewNames adds findings for the names that a walk has found and the schema does not have. It returns false if one is
// another name of an entry, which may have two features then.
func (c *Checker) addNewNames(s *scratch) bool {
	return !c.closed || c.features.addNewNames(c, s, &s.finder.Features.WalkedMap) && c.lists.addNewNames(c, s, &s.finder.Lists.WalkedMap)
}

func (t *table) addNewNames(c *Checker, s *scratch, m *message.WalkedMap) bool {
	for _, k := range m.Order {
		known := int(k) < len(t.entries)
		if known && !t.entries[k].unknown {
			continue
		}
		name := m.Name(k)
		if _, ok := t.index[name]; ok && !known {
			return false
		}
		lo, _, _ := m.Bounds(int(k))
		c.unknown(s, t, name, lo)
	}
	return true
}

// missing adds findings for required names that are missing.
func (c *Checker) missing(s *scratch) {
	for i := range c.features.entries {
		e := &c.features.entries[i]
		lo, hi, ok := s.finder.Features.Bounds(i)
		if !e.required || ok && lo < hi {
			continue
		}
		p := place{s: s, e: e, step: -1, at: -1}
		if ok { // without a kind
			p.at = lo
		}
		p.missing("a feature that is always there")
	}
	for i := range c.lists.entries {
		e := &c.lists.entries[i]
		if _, _, ok := s.finder.Lists.Bounds(i); e.required && !ok {
			place{s: s, e: e, step: -1, at: -1}.missing("a feature list that is always there")
		}
	}
}

// checkFastFeatures checks the features that were found.
func (c *Checker) checkFastFeatures(s *scratch, record []byte) bool {
	found, constraints := &s.finder.Features, c.fastFeatures.constraints
	for _, k := range found.Order {
		if int(k) >= len(constraints) {
			s.newNames = true
			continue
		}
		lo, hi, _ := found.Bounds(int(k))
		want := &constraints[k]
		if want.never {
			return false
		}
		if lo == hi || want.skipped { // without a kind it is as if it were not there
			continue
		}
		n, ok := want.feature(s, record[:hi], lo)
		if !ok {
			return false
		}
		if want.required {
			s.required++
		}
		if want.linked {
			at := &s.features[k]
			at.n, at.present = int64(n), true
			if want.numbers { // the last that are kept
				at.lo, at.hi = len(s.kept)-n, len(s.kept)
			}
		}
	}
	return true
}

// A cell is a step that links look at.
type cell struct {
	n      int64
	lo, hi int // of its numbers, in scratch.kept
}

// checkFastLists checks the feature lists that were found.
func (c *Checker) checkFastLists(s *scratch, record []byte) bool {
	found, constraints := &s.finder.Lists, c.fastLists.constraints
	for _, k := range found.Order {
		if int(k) >= len(constraints) {
			s.newNames = true
			continue
		}
		lo, hi, _ := found.Bounds(int(k))
		want := &constraints[k]
		if want.never {
			return false
		}
		if want.skipped {
			continue
		}
		if want.required {
			s.required++
		}
		at := len(s.cells)
		if !want.list(s, record[:hi], lo) {
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
