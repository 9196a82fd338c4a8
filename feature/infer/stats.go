package infer

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
)

// featureStats counts the units and values of one feature.
type featureStats struct {
	name  string   // key in the records
	words []string // words of name, in lower case
	topic []string // words without those in roles, such as "lengths"
	kinds [4]int64 // number of units, by example.Kind
	first [4]int64 // by example.Kind: ordinal of the first record with it
	lists int64    // number of records that have the feature list
	min   int      // fewest values in a unit with a kind
	max   int      // most values in a unit with a kind
	known bool     // groupStats.finder has counted it
	isNew bool     // it is in pairFinder.newFeatures

	base  string // X, if the name is X/ragged_flat_values or X/ragged_row_lengths_0
	level int    // level of the row lengths; flat for the values, noLevel for other names
}

// dtype returns the type of the values, or 0 if there are no values or values of several types.
func (s *featureStats) dtype() feature.DType {
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

// present returns the number of units in which the feature has a kind.
func (s *featureStats) present() int64 { return s.kinds[1] + s.kinds[2] + s.kinds[3] }

// groupStats has the features of one map of the message.
type groupStats struct {
	id     feature.Group   // index in Inferrer.groups; also the map's message.Part
	stats  []*featureStats // one per name, in the order of first appearance; features keep their indices
	index  map[string]int  // into stats, by name
	byID   []int32         // by the ID of a name in the table: 1 + its index in stats; 0: a new name
	units  int64           // number of units; for feature lists, number of records
	finder pairFinder      // looks for pairs of the features in stats

	choice *columnChoice // cached choice for all units so far; nil: not chosen yet
}

func newGroup(id feature.Group) *groupStats {
	g := &groupStats{id: id, index: map[string]int{}}
	g.finder.group = g
	return g
}

// resolveName finds or adds the feature of a name, and stores its index for the ID of the name.
func (g *groupStats) resolveName(e *unitFeature, t *message.Table) {
	if e.stat < 0 {
		e.stat = int32(g.statsOf(t.Name(message.Part(g.id), e.id)))
	}
	for int(e.id) >= len(g.byID) {
		g.byID = append(g.byID, 0)
	}
	if e.id >= 0 {
		g.byID[e.id] = e.stat + 1
	}
}

func (g *groupStats) statsOf(name string) int {
	i, ok := g.index[name]
	if !ok {
		i = len(g.stats)
		s := &featureStats{name: name}
		s.words = wordsOf(s.name)
		s.topic = aboutOf(s.words)
		s.base, s.level = levelOf(s.name)
		g.index[s.name] = i
		g.stats = append(g.stats, s)
	}
	return i
}

// addUnit counts one unit of a record.
func (g *groupStats) addUnit(record int64, u unit, entries []unitFeature, r *reader) {
	g.choice = nil
	if g.id == feature.InSequence && u.unitIndex < 0 { // this unit has the lists, not their steps
		g.units++
		for i := range entries {
			g.resolveName(&entries[i], r.table)
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
			g.resolveName(e, r.table)
		}
		g.stats[e.stat].countFeature(record, e)
	}
	g.finder.addUnit(record, u.unitIndex, entries, r)
}

// countFeature counts the feature in one unit.
func (s *featureStats) countFeature(record int64, e *unitFeature) {
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
