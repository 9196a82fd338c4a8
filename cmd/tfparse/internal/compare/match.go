package compare

import (
	"cmp"
	"slices"
)

// A matcher is given refs in order, and finds out which records of A and B have the same key, and
// which of these the same content. The memory it takes does not grow with the records of one key.
type matcher struct {
	keep int            // positions of differences that are wanted: the first ones
	pair func(a, b ref) // called for records with one key and different content

	same, changed int64
	counted       int64 // of changed: those for which pair was not called
	only          [2]int64
	found         []difference
	repeated      [2]repeatedKeys

	key     [2]uint64
	content [2]uint64
	begun   bool
	group   [2]tally // of the content at hand
	left    [2]tally // of the key, without a partner of the same content
	of      [2]tally // of the key
}

// A tally is a number of records, and the first ones in the order of the input.
type tally struct {
	n     int64
	first []ref // up to twice mostOfKey, in any order until cut
}

// mostOfKey is how many records of one key are remembered; others are counted.
const mostOfKey = 1 << 10

func (t *tally) add(r ref) {
	t.n++
	if t.first = append(t.first, r); len(t.first) == 2*mostOfKey {
		t.cut()
	}
}

// cut sorts the first records and drops those that are not remembered.
func (t *tally) cut() {
	slices.SortFunc(t.first, func(a, b ref) int { return a.comparePosition(&b) })
	t.first = t.first[:min(len(t.first), mostOfKey)]
}

func (t *tally) reset() { t.n, t.first = 0, t.first[:0] }

// repeatedKeys are keys that occur more than once on one side.
type repeatedKeys struct {
	keys, records int64
	first         [][2]ref // two records of the first keys, in any order until cut
}

// mostRepeated is how many of them are named.
const mostRepeated = 3

// cut sorts the keys by their first records and drops those that are not named.
func (r *repeatedKeys) cut() {
	slices.SortFunc(r.first, func(a, b [2]ref) int { return a[0].comparePosition(&b[0]) })
	r.first = r.first[:min(len(r.first), mostRepeated)]
}

// A difference is a record without a partner, or two with different content.
type difference struct {
	refs [2]ref
	has  [2]bool
}

func (d *difference) compare(e *difference) int {
	side := func(d *difference) int {
		if d.has[0] {
			return 0
		}
		return 1
	}
	i := side(d)
	return cmp.Or(cmp.Compare(i, side(e)), d.refs[i].comparePosition(&e.refs[i]))
}

// add adds the next ref.
func (m *matcher) add(r ref) {
	if m.begun && (r.key != m.key || r.content != m.content) {
		m.endContent()
	}
	if m.begun && r.key != m.key {
		m.endKey()
	}
	m.begun, m.key, m.content = true, r.key, r.content
	m.group[r.side].add(r)
	m.of[r.side].add(r)
}

// finish ends the last key.
func (m *matcher) finish() {
	if m.begun {
		m.endContent()
		m.endKey()
	}
	m.truncate(m.keep)
	for side := range m.repeated {
		m.repeated[side].cut()
	}
}

func (m *matcher) endContent() {
	pairs := min(m.group[0].n, m.group[1].n)
	m.same += pairs
	for i := range m.group {
		g, l := &m.group[i], &m.left[i]
		g.cut()
		left := g.n - pairs
		// The last ones; of more than are remembered any, as they have the same content.
		named := g.first[int64(len(g.first))-min(left, int64(len(g.first))):]
		for _, r := range named {
			l.add(r)
		}
		l.n += left - int64(len(named)) // those that were only counted
		g.reset()
	}
}

func (m *matcher) endKey() {
	a, b := &m.left[0], &m.left[1]
	a.cut() // they were added content by content
	b.cut()
	pairs := min(a.n, b.n)
	m.changed += pairs
	m.counted += pairs - min(pairs, int64(len(a.first)), int64(len(b.first)))
	for i := range max(len(a.first), len(b.first)) {
		d := difference{has: [2]bool{i < len(a.first), i < len(b.first)}}
		for side, t := range [2]*tally{a, b} {
			if d.has[side] {
				d.refs[side] = t.first[i]
			}
		}
		if d.has[0] != d.has[1] && int64(i) < pairs {
			continue // its partner was only counted
		}
		if d.has[0] && d.has[1] {
			m.pair(d.refs[0], d.refs[1])
		}
		m.found = append(m.found, d)
	}
	if len(m.found) > 2*m.keep+1024 {
		m.truncate(m.keep)
	}
	for side := range m.left {
		m.only[side] += m.left[side].n - pairs
		m.left[side].reset()
		of, rep := &m.of[side], &m.repeated[side]
		if of.n > 1 {
			rep.keys++
			rep.records += of.n
			of.cut()
			if rep.first = append(rep.first, [2]ref(of.first)); len(rep.first) == 64 {
				rep.cut()
			}
		}
		of.reset()
	}
}

// truncate keeps the first differences.
func (m *matcher) truncate(n int) {
	slices.SortFunc(m.found, func(a, b difference) int { return a.compare(&b) })
	m.found = m.found[:min(n, len(m.found))]
}
