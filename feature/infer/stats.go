package infer

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
)

// A stat is what is known of one name.
type stat struct {
	name  string
	words []string
	about []string // of the words, those that do not say what it is for
	kinds [4]int64 // units by example.Kind
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

// A group is what is known of one map of the message.
type group struct {
	id     feature.Group
	stats  []*stat
	index  map[string]int
	byID   []int32 // by the ID of a name in the table: 1 + its place in stats, 0 if it was not met
	units  int64   // looked at; of feature lists, the records
	finder finder

	decided *decision // nil when there are units that it does not know
}

func newGroup(id feature.Group) *group {
	g := &group{id: id, index: map[string]int{}}
	g.finder.group = g
	return g
}

// resolve makes the stat of a name that is new, and notes it for the ID of the name.
func (g *group) resolve(e *entry, t *message.Table) {
	if e.stat < 0 {
		e.stat = int32(g.stat(t.Name(message.Part(g.id), e.id)))
	}
	for int(e.id) >= len(g.byID) {
		g.byID = append(g.byID, 0)
	}
	if e.id >= 0 {
		g.byID[e.id] = e.stat + 1
	}
}

func (g *group) stat(name string) int {
	i, ok := g.index[name]
	if !ok {
		i = len(g.stats)
		s := &stat{name: name}
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
		for i := range entries {
			g.resolve(&entries[i], r.table)
			g.stats[entries[i].stat].lists++
		}
		return
	}
	if g.id != feature.InSequence {
		g.units++
	}
	for i := range entries {
		e := &entries[i]
		if e.stat < 0 || e.id < 0 || g.byID[e.id] == 0 {
			g.resolve(e, r.table)
		}
		g.stats[e.stat].count(record, e)
	}
	g.finder.unit(record, u.number, entries, r)
}

// count counts one entry.
func (s *stat) count(record int64, e *entry) {
	if s.kinds[e.kind] == 0 {
		s.first[e.kind] = record
		if e.kind != example.Unset && s.present() == 0 {
			s.min = e.n
		}
	}
	if e.kind != example.Unset {
		s.min, s.max = min(s.min, e.n), max(s.max, e.n)
	}
	s.kinds[e.kind]++
}
