package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// A skewCount counts pairs of records by one feature, as TensorFlow Data Validation's FeatureSkew does, or
// by one column of a spec, whose features are compared together.
type skewCount struct {
	featureKey
	keys  []string // of the column; nil: a feature alone
	diffs []int64  // pairs in which the feature of a key differs

	match, mismatch int64
	only            [2]int64
	neither         int64 // of match: pairs in which neither side has values

	// Of the pair at hand.
	seen       int64   // its number; less: the pair has not shown the feature yet
	there, has [2]bool // the feature, and values of it
	differs    bool
	differing  []bool // by key
}

// diff is the number of pairs that differ.
func (s *skewCount) diff() int64 { return s.mismatch + s.only[0] + s.only[1] }

// of is the number of pairs in which a side has values.
func (s *skewCount) of(side int) int64 { return s.match - s.neither + s.mismatch + s.only[side] }

// rate is the share of the pairs that differ.
func (s *skewCount) rate() float64 {
	if s.diff() == 0 {
		return 0
	}
	return float64(s.diff()) / float64(s.match+s.diff())
}

// end counts the pair at hand.
func (s *skewCount) end() {
	switch {
	case s.has == [2]bool{true, true}:
		if s.differs {
			s.mismatch++
		} else {
			s.match++
		}
	case s.has[0]:
		s.only[0]++
	case s.has[1]:
		s.only[1]++
	case s.there[0] == s.there[1]: // neither counts where it is empty on one side and absent on the other
		s.match++
		s.neither++
	}
	for i, d := range s.differing {
		if d {
			s.diffs[i]++
			s.differing[i] = false
		}
	}
}

// A target is what counts a feature: itself, or a column that it is a key of.
type target struct {
	count *skewCount
	key   int
}

// A skewer compares pairs of records by feature.
type skewer struct {
	comparer
	closeness
	ignore  map[string]bool // features and columns
	column  map[string]bool // columns of the spec
	targets map[featureKey][]target
	counts  []*skewCount
	more    int64 // changes of features that are not listed because there are too many names

	pairs   int64
	touched []*skewCount
	buf     [2][]float32
	err     error
}

func newSkewer(close closeness, ignore []string) *skewer {
	s := &skewer{closeness: close, ignore: map[string]bool{}, column: map[string]bool{}, targets: map[featureKey][]target{}}
	for _, name := range ignore {
		s.ignore[name] = true
	}
	return s
}

// groupParts are the parts of messages by the groups of a spec.
var groupParts = map[feature.Group]summary.Part{
	feature.InFeatures: summary.Top, feature.InContext: summary.Context, feature.InSequence: summary.Lists, feature.InExamples: summary.Examples,
}

// columns makes the ragged and the sparse columns of a spec count as one feature each.
func (s *skewer) columns(spec feature.Spec) {
	for group, features := range spec.Groups() {
		part := groupParts[group]
		for name, f := range features {
			s.column[name] = true
			keys := columnKeys(name, f)
			if len(keys) == 1 && keys[0] == name || s.ignore[name] {
				continue
			}
			count := &skewCount{featureKey: featureKey{partWhat(part), part, name}, keys: keys, diffs: make([]int64, len(keys)), differing: make([]bool, len(keys))}
			s.counts = append(s.counts, count)
			for i, key := range keys {
				k := featureKey{partWhat(part), part, key}
				s.targets[k] = append(s.targets[k], target{count, i})
			}
		}
	}
}

// partWhat is what a part of a message has.
func partWhat(p summary.Part) what {
	if p == summary.Lists {
		return aList
	}
	return aFeature
}

// columnKeys are the features that a column is made of, the values first.
func columnKeys(name string, f feature.Feature) []string {
	var keys []string
	switch f := f.(type) {
	case feature.Ragged:
		keys = []string{cmp.Or(f.ValueKey, name)}
		for _, p := range f.Partitions {
			if _, key := feature.PartitionKey(p); key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	case feature.Sparse:
		keys = append([]string{f.ValueKey}, f.IndexKeys...)
	default:
		keys = []string{name}
	}
	return keys
}

// find returns what counts a feature.
func (s *skewer) find(part summary.Part, name []byte) []target {
	k := featureKey{partWhat(part), part, string(name)}
	t, ok := s.targets[k]
	switch {
	case ok:
	case s.ignore[k.name]:
		s.targets[k] = nil
	case len(s.targets) < mostSums:
		count := &skewCount{featureKey: k}
		s.counts = append(s.counts, count)
		t = []target{{count, -1}}
		s.targets[k] = t
	default:
		s.more++
	}
	return t
}

// compare compares the two records of a pair. It reports whether a feature differs.
func (s *skewer) compare(a, b *pairedRecord) (skewed bool, err error) {
	if a.typ != b.typ {
		return false, fmt.Errorf("records of the types %v and %v have the same key, and their features cannot be compared", a.typ, b.typ)
	}
	for side, r := range [2]*pairedRecord{a, b} {
		if err := s.form(side, r.typ, r.rec); err != nil {
			return false, err
		}
	}
	s.pairs++
	s.touched = s.touched[:0]
	switch a.typ {
	case example.TypeExample:
		s.examples(summary.Top, s.forms[0], s.forms[1])
	case example.TypeSequence:
		s.sequences()
	default:
		s.exampleLists()
	}
	if s.err != nil {
		return false, s.err
	}
	for _, count := range s.touched {
		count.end()
		skewed = skewed || count.skewed()
	}
	return skewed, nil
}

// skewed reports whether the pair at hand differs.
func (s *skewCount) skewed() bool { return s.differs && (s.has[0] || s.has[1]) }

func (s *skewer) examples(part summary.Part, a, b []byte) {
	for i, form := range [2][]byte{a, b} {
		s.entries[i], _ = example.TypeExample.Collect(s.entries[i][:0], form) // forms are sound
	}
	s.features(part)
}

// features compares the features that were collected.
func (s *skewer) features(part summary.Part) {
	byName(s.entries[0], s.entries[1], func(e *example.Entry) []byte { return e.Name }, func(pair [2]*example.Entry) {
		there, has := [2]bool{}, [2]bool{}
		for i, e := range pair {
			there[i] = e != nil
			has[i] = e != nil && !hasNoValues(e.Feature)
		}
		same := has[0] == has[1]
		if has[0] && has[1] {
			same = s.keep(s.closeness.features(pair[0].Feature, pair[1].Feature, &s.buf))
		}
		s.add(part, cmp.Or(pair[0], pair[1]).Name, there, has, same)
	})
}

func (s *skewer) sequences() {
	for i, form := range s.forms {
		s.entries[i], _ = example.TypeSequence.Collect(s.entries[i][:0], form) // forms are sound
		s.lists[i], _ = example.CollectFeatureLists(s.lists[i][:0], form)
	}
	s.features(summary.Context)
	byName(s.lists[0], s.lists[1], func(e *example.FeatureListEntry) []byte { return e.Name }, func(pair [2]*example.FeatureListEntry) {
		there, has := [2]bool{}, [2]bool{}
		for i, e := range pair {
			there[i] = e != nil
			has[i] = e != nil && len(e.List.Raw()) > 0
		}
		same := has[0] == has[1]
		if has[0] && has[1] {
			same = s.keep(s.steps(pair[0].List, pair[1].List, &s.buf))
		}
		s.add(summary.Lists, cmp.Or(pair[0], pair[1]).Name, there, has, same)
	})
}

func (s *skewer) exampleLists() {
	a, b := s.forms[0], s.forms[1]
	ctxA, _ := listContext(a)
	ctxB, _ := listContext(b)
	s.examples(summary.Context, ctxA, ctxB)
	sa, sb := example.ScanExamples(a), example.ScanExamples(b)
	for {
		var two [2][]byte
		inA, inB := sa.Next(), sb.Next()
		if !inA && !inB {
			return
		}
		if inA {
			two[0] = sa.Example()
		}
		if inB {
			two[1] = sb.Example()
		}
		s.examples(summary.Examples, two[0], two[1])
	}
}

// keep keeps an error of features.
func (s *skewer) keep(same bool, err error) bool {
	if s.err == nil {
		s.err = err
	}
	return same
}

// add adds what a feature has in the pair at hand, or in one example of it.
func (s *skewer) add(part summary.Part, name []byte, there, has [2]bool, same bool) {
	for _, t := range s.find(part, name) {
		c := t.count
		if c.seen != s.pairs {
			c.seen, c.there, c.has, c.differs = s.pairs, [2]bool{}, [2]bool{}, false
			s.touched = append(s.touched, c)
		}
		for i := range there {
			c.there[i] = c.there[i] || there[i]
			c.has[i] = c.has[i] || has[i]
		}
		if !same {
			c.differs = true
			if t.key >= 0 {
				c.differing[t.key] = true
			}
		}
	}
}

// differs reports whether a change is of a feature that differs in the pair at hand.
func (s *skewer) differs(ch *change) bool {
	if ch.what != aFeature && ch.what != aList {
		return true
	}
	for _, t := range s.targets[featureKey{ch.what, ch.part, string(ch.name)}] {
		if t.count.seen == s.pairs && t.count.skewed() {
			return true
		}
	}
	return false
}

// all returns the counts: those with the largest share of pairs that differ first.
func (s *skewer) all() []*skewCount {
	return slices.SortedFunc(slices.Values(s.counts), func(a, b *skewCount) int {
		return cmp.Or(cmp.Compare(b.rate(), a.rate()), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name))
	})
}
