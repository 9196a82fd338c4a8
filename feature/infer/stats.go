package infer

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// A stat is what is known of one name.
type stat struct {
	name  string
	words []string
	about []string // of the words, those that do not say what it is for
	kinds [4]int64 // units by kind: without one, bytes, floats, int64s
	first [4]int64 // the first record of each kind
	lists int64    // records that have the feature list
	min   int      // values in a unit that has a kind
	max   int
	known bool // to the finder
	young bool // since some of the units that it keeps

	base  string // of X/ragged_flat_values and X/ragged_row_lengths_0: X
	level int    // of the row lengths, flat for the values, noLevel for other names
}

// dtype returns the type of the values, 0 if there are none or of several.
func (s *stat) dtype() feature.DType {
	var d feature.DType
	for i, t := range [...]feature.DType{feature.String, feature.Float32, feature.Int64} {
		if s.kinds[i+1] == 0 {
			continue
		}
		if d != 0 {
			return 0
		}
		d = t
	}
	return d
}

// present returns the units in which the feature has a kind.
func (s *stat) present() int64 { return s.kinds[1] + s.kinds[2] + s.kinds[3] }

// slotOf returns the place of a kind in stat.kinds.
func slotOf(k example.Kind) int {
	switch k {
	case example.BytesList:
		return 1
	case example.FloatList:
		return 2
	case example.Int64List:
		return 3
	}
	return 0
}

// A group is what is known of one map of the message.
type group struct {
	id     feature.Group
	stats  []*stat
	index  map[string]int
	units  int64 // looked at; of feature lists, the records
	finder finder
	fast   fastReader

	decided *decision // nil when there are units that it does not know
}

func newGroup(id feature.Group) *group {
	g := &group{id: id, index: map[string]int{}}
	g.finder.group = g
	return g
}

// fresh counts the entries whose names are new.
func (g *group) fresh(entries []entry) (n int) {
	for _, e := range entries {
		if _, ok := g.index[string(e.name)]; !ok {
			n++
		}
	}
	return n
}

func (g *group) stat(name []byte) int {
	i, ok := g.index[string(name)]
	if !ok {
		i = len(g.stats)
		s := &stat{name: string(name)}
		s.words = wordsOf(s.name)
		s.about = aboutOf(s.words)
		s.base, s.level = levelOf(s.name)
		g.index[s.name] = i
		g.stats = append(g.stats, s)
	}
	return i
}

// add counts one unit of a record.
func (g *group) add(record int64, u unit, entries []entry, r *reader) {
	g.decided = nil
	if g.id == feature.InSequence && u.number < 0 { // which lists there are
		g.units++
		for _, e := range entries {
			g.stats[g.stat(e.name)].lists++
		}
		return
	}
	if g.id != feature.InSequence {
		g.units++
	}
	for i := range entries {
		entries[i].stat = g.stat(entries[i].name)
		g.count(record, &entries[i])
	}
	g.finder.unit(record, u.number, entries, r)
}

// count counts one entry.
func (g *group) count(record int64, e *entry) {
	s := g.stats[e.stat]
	k := slotOf(e.kind)
	if s.kinds[k] == 0 {
		s.first[k] = record
	}
	if k > 0 {
		if s.present() == 0 {
			s.min = e.n
		}
		s.min, s.max = min(s.min, e.n), max(s.max, e.n)
	}
	s.kinds[k]++
}
