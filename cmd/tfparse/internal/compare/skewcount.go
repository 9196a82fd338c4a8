package compare

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/namelist"
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
	key   int // index of the feature in the keys of the column; -1: the count is of the feature itself
}

// A skewer compares pairs of records by feature.
type skewer struct {
	comparer
	closeness
	keys    []string                // features of the key, which are the same
	dropped *namelist.List          // features and columns that are not compared; nil: none
	column  map[string]bool         // columns of the spec
	targets map[featureKey][]target // what counts each feature seen so far; none: it is ignored
	counts  []*skewCount            // in the order in which the features were first seen
	more    int64                   // changes of features that are not listed because there are too many names

	pairs   int64        // compared so far
	touched []*skewCount // the counts of the pair at hand
	buf     [2][]float32 // scratch of sameValues
	err     error        // the first of a feature that does not decode
}

func newSkewer(close closeness, keys []string, dropped *namelist.List) *skewer {
	return &skewer{closeness: close, keys: keys, dropped: dropped, column: map[string]bool{}, targets: map[featureKey][]target{}}
}

// ignores reports whether a feature or column is not compared.
func (s *skewer) ignores(name string) bool {
	return slices.Contains(s.keys, name) || s.dropped != nil && s.dropped.LeavesOut([]byte(name))
}

// groupParts are the parts of messages by the groups of a spec.
var groupParts = map[feature.Group]summary.Part{
	feature.InFeatures: summary.Top, feature.InContext: summary.Context, feature.InSequence: summary.Lists, feature.InExamples: summary.Examples,
}

// addColumns makes the ragged and the sparse columns of a spec count as one feature each.
func (s *skewer) addColumns(spec feature.Spec) {
	for group, features := range spec.Groups() {
		part := groupParts[group]
		for name, f := range features {
			s.column[name] = true
			keys := columnKeys(name, f)
			if len(keys) == 1 && keys[0] == name || s.ignores(name) {
				continue
			}
			count := &skewCount{featureKey: featureKey{part: part, name: name}, keys: keys, diffs: make([]int64, len(keys)), differing: make([]bool, len(keys))}
			s.counts = append(s.counts, count)
			for i, key := range keys {
				k := featureKey{part: part, name: key}
				s.targets[k] = append(s.targets[k], target{count, i})
			}
		}
	}
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

// targetsOf returns what counts a feature.
func (s *skewer) targetsOf(part summary.Part, name []byte) []target {
	t, ok := s.targets[featureKey{part, string(name), ""}]
	if ok {
		return t
	}
	k := featureKey{part, string(name), ""}
	switch {
	case s.ignores(k.name):
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

// addPair compares the two records of a pair and counts their features. It reports whether one differs.
func (s *skewer) addPair(a, b *pairedRecord) (skewed bool, err error) {
	if a.typ != b.typ {
		return false, fmt.Errorf("records of the types %v and %v have the same key, and their features cannot be compared", a.typ, b.typ)
	}
	for side, r := range [2]*pairedRecord{a, b} {
		if err := s.setForm(side, r.typ, r.rec); err != nil {
			return false, err
		}
	}
	s.pairs++
	s.touched = s.touched[:0]
	s.eachFeature(a.typ, s.addFeature)
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

// addFeature compares a feature of the pair at hand, or of one example of it.
func (s *skewer) addFeature(ch *change) {
	if ch.label != "" {
		return
	}
	has := ch.has // values
	same := false
	var err error
	if ch.part == summary.Lists {
		for i := range has {
			has[i] = has[i] && len(ch.lists[i].Raw()) > 0
		}
	} else {
		for i := range has {
			has[i] = has[i] && !hasNoValues(ch.features[i])
		}
	}
	switch {
	case !has[0] || !has[1]:
		same = has[0] == has[1]
	case ch.part == summary.Lists:
		same, err = s.sameSteps(ch.lists[0], ch.lists[1], &s.buf)
	default:
		same, err = s.sameValues(ch.features[0], ch.features[1], &s.buf)
	}
	s.err = cmp.Or(s.err, err)
	for _, t := range s.targetsOf(ch.part, ch.name) {
		c := t.count
		if c.seen != s.pairs {
			c.seen, c.there, c.has, c.differs = s.pairs, [2]bool{}, [2]bool{}, false
			s.touched = append(s.touched, c)
		}
		for i := range has {
			c.there[i] = c.there[i] || ch.has[i]
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
	if ch.label != "" {
		return true
	}
	for _, t := range s.targets[featureKey{ch.part, string(ch.name), ""}] {
		if t.count.seen == s.pairs && t.count.skewed() {
			return true
		}
	}
	return false
}

// sorted returns the counts: those with the largest share of pairs that differ first.
func (s *skewer) sorted() []*skewCount {
	return slices.SortedFunc(slices.Values(s.counts), func(a, b *skewCount) int {
		return cmp.Or(cmp.Compare(b.rate(), a.rate()), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name))
	})
}

// A rounding rounds floats to some decimals, as TensorFlow Data Validation does
// (float_round_ndigits): the exact value to the nearest decimal, halves to the even digit, and that to a
// float32. But what is rounded to -0 is 0 here. The zero value rounds nothing.
type rounding struct {
	given  bool
	digits int
}

func (r rounding) round(v float32) float32 {
	f := float64(v)
	if !r.given || math.IsInf(f, 0) || math.IsNaN(f) {
		return v
	}
	var text [64]byte
	f, _ = strconv.ParseFloat(string(strconv.AppendFloat(text[:0], f, 'f', r.digits, 64)), 64)
	if f == 0 {
		return 0
	}
	return float32(f)
}

// appendKey appends the rounded values of a feature of floats. No other kind begins with the same byte.
func (r rounding) appendKey(key []byte, f example.Feature) ([]byte, error) {
	values, err := f.AppendFloats(nil)
	key = append(key, 0xff)
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(r.round(v)))
	}
	return key, err
}

// A closeness says which values count as the same.
type closeness struct {
	rounding
	within bool // a tolerance is given, which may be 0; otherwise floats are compared by their bits
	// Of floats: absolute, and by the larger of the two; either is enough.
	tolerance, relative float64
}

// sameValues reports whether two features that have values have the same ones. They are in the one form, buf
// is memory.
func (c closeness) sameValues(a, b example.Feature, buf *[2][]float32) (same bool, err error) {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true, nil
	}
	if a.Kind() != example.FloatList || b.Kind() != example.FloatList || !c.given && !c.within {
		return false, nil
	}
	for i, f := range [2]example.Feature{a, b} {
		if buf[i], err = f.AppendFloats(buf[i][:0]); err != nil {
			return false, err
		}
	}
	if len(buf[0]) != len(buf[1]) {
		return false, nil
	}
	for i, v := range buf[0] {
		if !c.near(v, buf[1][i]) {
			return false, nil
		}
	}
	return true, nil
}

// near reports whether two floats count as the same: within the larger tolerance, as Python's math.isclose has it, so that an
// infinity is near itself alone. But all NaNs are one value then; 0 and -0 are, too.
func (c closeness) near(v, w float32) bool {
	v, w = c.round(v), c.round(w)
	switch {
	case math.Float32bits(v) == math.Float32bits(w):
		return true
	case !c.within:
		return false
	case v != v || w != w:
		return v != v && w != w
	}
	x, y := float64(v), float64(w)
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return v == w || math.Abs(x-y) <= max(c.tolerance, c.relative*max(math.Abs(x), math.Abs(y)))
}

// sameSteps reports whether two feature lists have the same steps.
func (c closeness) sameSteps(a, b example.FeatureList, buf *[2][]float32) (same bool, err error) {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true, nil
	}
	sa, sb := a.Scan(), b.Scan()
	for {
		inA, inB := sa.Next(), sb.Next()
		if inA != inB || !inA {
			return inA == inB, nil
		}
		if same, err := c.sameValues(sa.Feature(), sb.Feature(), buf); !same || err != nil {
			return false, err
		}
	}
}

// hasNoValues reports whether a feature in the one form has no values.
func hasNoValues(f example.Feature) bool {
	if f.Kind() == example.Unset {
		return true
	}
	return len(f.Raw()) <= 2 // a tag and the length 0
}
