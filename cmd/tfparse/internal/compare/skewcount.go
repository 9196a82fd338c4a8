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

// A skewCount counts pairs of records by one feature, like TensorFlow Data Validation's FeatureSkew, or by one
// column of a spec, whose features are compared together.
type skewCount struct {
	featureKey
	keys  []string // features of the column; nil for a single feature
	diffs []int64  // by index in keys: pairs in which that feature differs

	match, mismatch int64    // pairs that are equal; that differ and have values on both sides
	only            [2]int64 // by side: pairs with values on that side only
	neither         int64    // part of match: pairs without values on either side

	// State of the current pair.
	lastPair           int64   // skewer.pairs when the feature was last found
	present, hasValues [2]bool // by side: the record has the feature; with values
	differs            bool    // the values differ
	differing          []bool  // by index in keys: the values of that feature differ
}

// diff returns the number of pairs that differ.
func (s *skewCount) diff() int64 { return s.mismatch + s.only[0] + s.only[1] }

// presentIn returns the number of pairs in which a side has values.
func (s *skewCount) presentIn(side int) int64 { return s.match - s.neither + s.mismatch + s.only[side] }

// rate returns the share of the pairs that differ.
func (s *skewCount) rate() float64 {
	if s.diff() == 0 {
		return 0
	}
	return float64(s.diff()) / float64(s.match+s.diff())
}

// countPair counts the current pair.
func (s *skewCount) countPair() {
	switch {
	case s.hasValues == [2]bool{true, true}:
		if s.differs {
			s.mismatch++
		} else {
			s.match++
		}
	case s.hasValues[0]:
		s.only[0]++
	case s.hasValues[1]:
		s.only[1]++
	case s.present[0] == s.present[1]: // neither counts where it is empty on one side and absent on the other
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

// A countTarget is a skewCount to which a feature contributes: its own, or that of a column with the feature.
type countTarget struct {
	count *skewCount
	key   int // index of the feature in count.keys; -1: the count is the feature's own
}

// A skewer compares pairs of records by feature.
type skewer struct {
	comparer
	equality
	keys     []string                     // features of the key, which are always equal
	dropped  *namelist.List               // features and columns of --drop; nil: none
	columns  map[string]bool              // names of the columns of the spec, and the names in printed
	printed  map[string]string            // other names of columns, by name; nil: none
	targets  map[featureKey][]countTarget // by feature found so far; empty: it is ignored
	counts   []*skewCount                 // in the order in which the features were first seen
	unlisted int64                        // occurrences of features beyond maxSums

	pairs      int64        // compared so far
	pairCounts []*skewCount // counts with a feature of the current pair
	floats     [2][]float32 // buffers of sameValues
	err        error        // the first decoding error
}

func newSkewer(close equality, keys []string, dropped *namelist.List) *skewer {
	return &skewer{equality: close, keys: keys, dropped: dropped, columns: map[string]bool{}, targets: map[featureKey][]countTarget{}}
}

// ignores reports whether a feature or column is not compared.
func (s *skewer) ignores(name string) bool {
	if s.dropped == nil || slices.Contains(s.keys, name) {
		return slices.Contains(s.keys, name)
	}
	return s.dropped.LeavesOut([]byte(name)) || s.dropped.LeavesOut([]byte(cmp.Or(s.printed[name], name)))
}

// groupParts maps the groups of a spec to the parts of messages.
var groupParts = map[feature.Group]summary.Part{
	feature.InFeatures: summary.Top, feature.InContext: summary.Context, feature.InSequence: summary.Lists, feature.InExamples: summary.Examples,
}

// addColumns adds one skewCount for each ragged or sparse column of a spec. printed has other names of columns for --drop.
func (s *skewer) addColumns(spec feature.Spec, printed map[string]string) {
	s.printed = printed
	for _, name := range printed {
		s.columns[name] = true
	}
	for group, features := range spec.Groups() {
		part := groupParts[group]
		for name, f := range features {
			s.columns[name] = true
			keys := columnKeys(name, f)
			if len(keys) == 1 && keys[0] == name || s.ignores(name) {
				continue
			}
			count := &skewCount{featureKey: featureKey{part: part, name: name}, keys: keys, diffs: make([]int64, len(keys)), differing: make([]bool, len(keys))}
			s.counts = append(s.counts, count)
			for i, key := range keys {
				k := featureKey{part: part, name: key}
				s.targets[k] = append(s.targets[k], countTarget{count, i})
			}
		}
	}
}

// columnKeys returns the features that a column is parsed from, the values first.
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

// targetsOf returns the targets of a feature.
func (s *skewer) targetsOf(part summary.Part, name []byte) []countTarget {
	t, ok := s.targets[featureKey{part, string(name), ""}]
	if ok {
		return t
	}
	k := featureKey{part, string(name), ""}
	switch {
	case s.ignores(k.name):
		s.targets[k] = nil
	case len(s.targets) < maxSums:
		count := &skewCount{featureKey: k}
		s.counts = append(s.counts, count)
		t = []countTarget{{count, -1}}
		s.targets[k] = t
	default:
		s.unlisted++
	}
	return t
}

// addPair compares the two records of a pair and counts their features. It reports whether any feature differs.
func (s *skewer) addPair(a, b *pairedRecord) (skewed bool, err error) {
	if a.typ != b.typ {
		return false, fmt.Errorf("cannot compare records of type %v and type %v with the same key", a.typ, b.typ)
	}
	for side, r := range [2]*pairedRecord{a, b} {
		if err := s.setForm(side, r.typ, r.rec); err != nil {
			return false, err
		}
	}
	s.pairs++
	s.pairCounts = s.pairCounts[:0]
	s.eachFeature(a.typ, s.addFeature)
	if s.err != nil {
		return false, s.err
	}
	for _, count := range s.pairCounts {
		count.countPair()
		skewed = skewed || count.skewed()
	}
	return skewed, nil
}

// skewed reports whether the current pair differs.
func (s *skewCount) skewed() bool { return s.differs && (s.hasValues[0] || s.hasValues[1]) }

// addFeature compares a feature of the current pair, or of one of its examples.
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
		same, err = s.sameSteps(ch.lists[0], ch.lists[1], &s.floats)
	default:
		same, err = s.sameValues(ch.features[0], ch.features[1], &s.floats)
	}
	s.err = cmp.Or(s.err, err)
	for _, t := range s.targetsOf(ch.part, ch.name) {
		c := t.count
		if c.lastPair != s.pairs {
			c.lastPair, c.present, c.hasValues, c.differs = s.pairs, [2]bool{}, [2]bool{}, false
			s.pairCounts = append(s.pairCounts, c)
		}
		for i := range has {
			c.present[i] = c.present[i] || ch.has[i]
			c.hasValues[i] = c.hasValues[i] || has[i]
		}
		if !same {
			c.differs = true
			if t.key >= 0 {
				c.differing[t.key] = true
			}
		}
	}
}

// differs reports whether the feature of a change differs in the current pair.
func (s *skewer) differs(ch *change) bool {
	if ch.label != "" {
		return true
	}
	for _, t := range s.targets[featureKey{ch.part, string(ch.name), ""}] {
		if t.count.lastPair == s.pairs && t.count.skewed() {
			return true
		}
	}
	return false
}

// sorted returns the counts, the highest rate first.
func (s *skewer) sorted() []*skewCount {
	return slices.SortedFunc(slices.Values(s.counts), func(a, b *skewCount) int {
		return cmp.Or(cmp.Compare(b.rate(), a.rate()), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name))
	})
}

// A rounding rounds floats to a number of decimals, like float_round_ndigits of TensorFlow Data Validation: it
// rounds the exact value to the nearest decimal, halves to the even digit, and the result to a float32. Unlike
// there, -0 becomes 0. The zero value does not round.
type rounding struct {
	enabled bool
	digits  int
}

func (r rounding) round(v float32) float32 {
	f := float64(v)
	if !r.enabled || math.IsInf(f, 0) || math.IsNaN(f) {
		return v
	}
	var text [64]byte
	f, _ = strconv.ParseFloat(string(strconv.AppendFloat(text[:0], f, 'f', r.digits, 64)), 64)
	if f == 0 {
		return 0
	}
	return float32(f)
}

// appendKey appends the rounded values of a FloatList, after a byte with which no other kind begins.
func (r rounding) appendKey(key []byte, f example.Feature) ([]byte, error) {
	values, err := f.AppendFloats(nil)
	key = append(key, 0xff)
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(r.round(v)))
	}
	return key, err
}

// An equality defines which values count as equal.
type equality struct {
	rounding
	hasTolerance bool // compare floats with a tolerance, possibly 0; otherwise by their bits
	// Floats are equal within tolerance, or within relative times the larger absolute value.
	tolerance, relative float64
}

// sameValues reports whether two features with values have equal values. They must be in canonical form. buf
// holds the decoded floats.
func (c equality) sameValues(a, b example.Feature, buf *[2][]float32) (same bool, err error) {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true, nil
	}
	if a.Kind() != example.FloatList || b.Kind() != example.FloatList || !c.enabled && !c.hasTolerance {
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
		if !c.equalFloats(v, buf[1][i]) {
			return false, nil
		}
	}
	return true, nil
}

// equalFloats reports whether two floats count as equal. Like Python's math.isclose, it uses the larger
// tolerance, and an infinity equals only itself. Unlike there, with a tolerance all NaNs are equal.
func (c equality) equalFloats(v, w float32) bool {
	v, w = c.round(v), c.round(w)
	switch {
	case math.Float32bits(v) == math.Float32bits(w):
		return true
	case !c.hasTolerance:
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
func (c equality) sameSteps(a, b example.FeatureList, buf *[2][]float32) (same bool, err error) {
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

// hasNoValues reports whether a feature in canonical form has no values.
func hasNoValues(f example.Feature) bool {
	if f.Kind() == example.Unset {
		return true
	}
	return len(f.Raw()) <= 2 // a tag and the length 0
}
