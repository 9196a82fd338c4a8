package compare

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A verdict is what was found about two records.
type verdict uint8

const (
	sameBytes verdict = iota
	sameContent
	changed
	skipped // one of them was skipped
	misfit  // one of them does not decode
)

// A found is a record that was found to differ.
type found struct {
	typ example.MessageType
	rec []byte // nil: it could not be read again
	pos recordPlace
}

// place is where a record of a chunk stands.
func place(c *chunk, i int) recordPlace {
	return recordPlace{jsonscan.Name(c.positions[i].Name), c.positions[i].Record}
}

// A comparer compares records. It belongs to one goroutine.
type comparer struct {
	formers [2][example.TypeRaw + 1]*content.Former
	forms   [2][]byte
	entries [2][]example.Entry
	lists   [2][]example.FeatureListEntry
	change  change // that is yielded
}

func newComparer() *comparer { return &comparer{} }

// form makes the form of a record of one side.
func (c *comparer) form(side int, typ example.MessageType, rec []byte) (err error) {
	f := &c.formers[side][typ]
	if *f == nil {
		*f = content.NewFormer(typ)
	}
	c.forms[side], err = (*f).Append(c.forms[side][:0], rec)
	return err
}

// compare compares the pairs of a span.
func (c *comparer) compare(s *span) {
	a, b := s.chunks[0], s.chunks[1]
	if a == nil || b == nil {
		return
	}
	for i := range s.n {
		ai, bi := s.from[0]+i, s.from[1]+i
		if a.missing[ai] || b.missing[bi] {
			s.pairs = append(s.pairs, pair{at: i, how: skipped})
			continue
		}
		how, bad, err := c.two(a.typ, a.record(ai), b.typ, b.record(bi))
		if how == sameBytes {
			continue
		}
		s.pairs = append(s.pairs, pair{at: i, how: how, err: err, bad: bad})
		if how == changed {
			s.features.record()
			c.changes(a.typ, b.typ, s.features.add)
		}
	}
}

// two compares two records. If one does not decode, bad is its side.
func (c *comparer) two(typA example.MessageType, a []byte, typB example.MessageType, b []byte) (how verdict, bad int, err error) {
	if bytes.Equal(a, b) {
		return sameBytes, 0, nil
	}
	if err := c.form(0, typA, a); err != nil {
		return misfit, 0, err
	}
	if err := c.form(1, typB, b); err != nil {
		return misfit, 1, err
	}
	if bytes.Equal(c.forms[0], c.forms[1]) {
		return sameContent, 0, nil
	}
	return changed, 0, nil
}

// A change is one thing that two records do not have in common. It aliases their forms.
type change struct {
	what    what
	part    summary.Part
	example int // which one, in an ExampleListWithContext; else -1
	name    []byte

	has      [2]bool
	features [2]example.Feature
	lists    [2]example.FeatureList
	counts   [2]int                 // of examples
	types    [2]example.MessageType // of messages
	raw      [2][]byte
}

// A what says what a change is of.
type what uint8

const (
	aFeature  what = iota
	aList          // a feature list
	aType          // the type of the message
	aPayload       // of type raw
	aNumber        // of examples
	noContext      // of an ExampleListWithContext
)

// changes calls yield for what the two records have not in common whose forms were made last. What
// it is given is lent for the call.
func (c *comparer) changes(typA, typB example.MessageType, yield func(*change)) {
	a, b := c.forms[0], c.forms[1]
	switch {
	case typA == example.TypeRaw:
		yield(&change{what: aPayload, example: -1, has: [2]bool{true, true}, raw: [2][]byte{a, b}})
	case typA != typB:
		yield(&change{what: aType, example: -1, has: [2]bool{true, true}, types: [2]example.MessageType{typA, typB}})
	case typA == example.TypeExample:
		c.examples(summary.Top, -1, a, b, yield)
	case typA == example.TypeSequence:
		for i, form := range c.forms {
			c.entries[i], _ = example.TypeSequence.Collect(c.entries[i][:0], form) // forms are sound
			c.lists[i], _ = example.CollectFeatureLists(c.lists[i][:0], form)
		}
		c.merge(summary.Context, -1, yield)
		c.mergeLists(yield)
	default:
		c.exampleLists(a, b, yield)
	}
}

// examples compares two Examples.
func (c *comparer) examples(part summary.Part, number int, a, b []byte, yield func(*change)) {
	if bytes.Equal(a, b) {
		return
	}
	for i, form := range [2][]byte{a, b} {
		c.entries[i], _ = example.TypeExample.Collect(c.entries[i][:0], form)
	}
	c.merge(part, number, yield)
}

// merge compares the features of two maps, whose names are sorted.
func (c *comparer) merge(part summary.Part, number int, yield func(*change)) {
	name := func(e *example.Entry) []byte { return e.Name }
	byName(c.entries[0], c.entries[1], name, func(pair [2]*example.Entry) {
		ch := &c.change
		*ch = change{what: aFeature, part: part, example: number}
		for i, e := range pair {
			if e != nil {
				ch.name, ch.features[i], ch.has[i] = e.Name, e.Feature, true
			}
		}
		if ch.has[0] != ch.has[1] || !bytes.Equal(ch.features[0].Raw(), ch.features[1].Raw()) {
			yield(ch)
		}
	})
}

// mergeLists is merge for feature lists.
func (c *comparer) mergeLists(yield func(*change)) {
	name := func(e *example.FeatureListEntry) []byte { return e.Name }
	byName(c.lists[0], c.lists[1], name, func(pair [2]*example.FeatureListEntry) {
		ch := &c.change
		*ch = change{what: aList, part: summary.Lists, example: -1}
		for i, e := range pair {
			if e != nil {
				ch.name, ch.lists[i], ch.has[i] = e.Name, e.List, true
			}
		}
		if ch.has[0] != ch.has[1] || !bytes.Equal(ch.lists[0].Raw(), ch.lists[1].Raw()) {
			yield(ch)
		}
	})
}

// byName calls yield for each name of a and b, which are sorted by name, with the entry of either
// side; nil where a side lacks the name.
func byName[E any](a, b []E, name func(*E) []byte, yield func(pair [2]*E)) {
	for len(a) > 0 || len(b) > 0 {
		order := -1
		switch {
		case len(a) == 0:
			order = 1
		case len(b) > 0:
			order = bytes.Compare(name(&a[0]), name(&b[0]))
		}
		var pair [2]*E
		if order <= 0 {
			pair[0], a = &a[0], a[1:]
		}
		if order >= 0 {
			pair[1], b = &b[0], b[1:]
		}
		yield(pair)
	}
}

// listContext returns the context of an ExampleListWithContext that is sound.
func listContext(form []byte) (context []byte, ok bool) {
	s := example.ScanExamples(form)
	for s.Next() {
	}
	return s.Context()
}

// exampleLists compares two ExampleListWithContexts.
func (c *comparer) exampleLists(a, b []byte, yield func(*change)) {
	ctxA, hasA := listContext(a)
	ctxB, hasB := listContext(b)
	if hasA != hasB {
		yield(&change{what: noContext, part: summary.Context, example: -1, has: [2]bool{hasA, hasB}})
	}
	c.examples(summary.Context, -1, ctxA, ctxB, yield)
	sa, sb := example.ScanExamples(a), example.ScanExamples(b)
	counts := [2]int{}
	for {
		inA, inB := sa.Next(), sb.Next()
		if inA {
			counts[0]++
		}
		if inB {
			counts[1]++
		}
		if !inA && !inB {
			break
		}
		if inA && inB {
			c.examples(summary.Examples, sa.Index(), sa.Example(), sb.Example(), yield)
		}
	}
	if counts[0] != counts[1] {
		yield(&change{what: aNumber, part: summary.Examples, example: -1, has: [2]bool{true, true}, counts: counts})
	}
}

// featureSums counts the records in which features differ.
type featureSums struct {
	byName  map[featureKey]*featureSum
	records int64
	more    int64 // changes of features that are not listed because there are too many names
}

type featureKey struct {
	what what
	part summary.Part
	name string
}

type featureSum struct {
	featureKey
	changed int64
	only    [2]int64
	last    int64 // the last record that was counted
}

// mostSums is how many names are counted.
const mostSums = 10_000

// record begins the changes of another record.
func (f *featureSums) record() { f.records++ }

// add counts a change, once in a record for each feature.
func (f *featureSums) add(ch *change) {
	s := f.byName[featureKey{ch.what, ch.part, string(ch.name)}]
	if s == nil {
		s = f.sum(featureKey{ch.what, ch.part, string(ch.name)})
	}
	switch {
	case s == nil:
		f.more++
	case s.last == f.records: // of another example in the same record
	case !ch.has[1]:
		s.only[0]++
	case !ch.has[0]:
		s.only[1]++
	default:
		s.changed++
	}
	if s != nil {
		s.last = f.records
	}
}

func (f *featureSums) sum(k featureKey) *featureSum {
	s := f.byName[k]
	if s == nil && len(f.byName) < mostSums {
		if f.byName == nil {
			f.byName = map[featureKey]*featureSum{}
		}
		s = &featureSum{featureKey: k}
		f.byName[k] = s
	}
	return s
}

// merge adds the counts of records behind those counted so far.
func (f *featureSums) merge(g *featureSums) {
	for k, from := range g.byName {
		s := f.sum(k)
		if s == nil {
			f.more += from.changed + from.only[0] + from.only[1]
			continue
		}
		s.changed += from.changed
		s.only[0] += from.only[0]
		s.only[1] += from.only[1]
	}
	f.records += g.records
	f.more += g.more
}

// all returns the counts, the largest first.
func (f *featureSums) all() []*featureSum {
	all := make([]*featureSum, 0, len(f.byName))
	for _, s := range f.byName {
		all = append(all, s)
	}
	n := func(s *featureSum) int64 { return s.changed + s.only[0] + s.only[1] }
	slices.SortFunc(all, func(a, b *featureSum) int {
		return cmp.Or(cmp.Compare(n(b), n(a)), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name), cmp.Compare(a.what, b.what))
	})
	return all
}
