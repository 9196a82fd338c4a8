package compare

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
)

// A comparer walks two records feature by feature. It belongs to one goroutine.
type comparer struct {
	formers [2][example.TypeRaw + 1]*content.Former
	forms   [2][]byte // of the records at hand
	entries [2][]example.Entry
	lists   [2][]example.FeatureListEntry
	change  change // that is yielded
	all     bool   // walk yields features that are the same, too
}

// A verdict is the result of comparing two records.
type verdict uint8

const (
	sameBytes verdict = iota
	sameContent
	changed
	misfit // one of them does not decode
)

// setForm makes the form of a record of one side.
func (c *comparer) setForm(side int, typ example.MessageType, rec []byte) (err error) {
	f := &c.formers[side][typ]
	if *f == nil {
		*f = content.NewFormer(typ)
	}
	c.forms[side], err = (*f).Append(c.forms[side][:0], rec)
	return err
}

// compare compares two records. If one does not decode, bad is its side.
func (c *comparer) compare(typA example.MessageType, a []byte, typB example.MessageType, b []byte) (v verdict, bad int, err error) {
	if bytes.Equal(a, b) {
		return sameBytes, 0, nil
	}
	if err := c.setForm(0, typA, a); err != nil {
		return misfit, 0, err
	}
	if err := c.setForm(1, typB, b); err != nil {
		return misfit, 1, err
	}
	if bytes.Equal(c.forms[0], c.forms[1]) {
		return sameContent, 0, nil
	}
	return changed, 0, nil
}

// keyText is the key of the record of a side whose form was made last.
func (c *comparer) keyText(side int, typ example.MessageType, keys []string) string {
	var parts []string
	for _, name := range keys {
		if feature, ok, err := typ.Lookup(c.forms[side], name); ok && err == nil {
			v, _ := feature.Value()
			parts = append(parts, cli.FeatureName(name)+" "+listText(v))
		}
	}
	return strings.Join(parts, ", ")
}

// A change is a feature of two records, or something else in which they differ. It aliases their forms.
type change struct {
	part    summary.Part
	name    []byte
	label   string // of what is no feature: "message", "payload", "examples" or "context"
	example int    // index in an ExampleListWithContext; else -1
	alone   bool   // the example is on one side only

	has      [2]bool
	features [2]example.Feature     // in parts with features
	lists    [2]example.FeatureList // in summary.Lists
	texts    [2]string              // of what is no feature
}

// A featureKey names a feature in a data set, or something else that can differ.
type featureKey struct {
	part  summary.Part
	name  string
	label string
}

// title is the name of a feature, with its part of the message if that has more than one.
func (k featureKey) title() string {
	switch name := cli.FeatureName(k.name); {
	case k.label != "":
		return k.label
	case k.part != summary.Top:
		return k.part.String() + ": " + name
	default:
		return name
	}
}

// eachChange calls yield for each difference of the two records whose forms were made last.
func (c *comparer) eachChange(typA, typB example.MessageType, yield func(*change)) {
	c.all = false
	c.walk(typA, typB, func(ch *change) {
		if !ch.alone {
			yield(ch)
		}
	})
}

// eachFeature calls yield for each feature that one of the two records has whose forms were made last,
// and for other differences.
func (c *comparer) eachFeature(typ example.MessageType, yield func(*change)) {
	c.all = true
	c.walk(typ, typ, yield)
}

// walk walks the two records whose forms were made last. What yield is given is lent for the call.
func (c *comparer) walk(typA, typB example.MessageType, yield func(*change)) {
	both := [2]bool{true, true}
	switch {
	case typA == example.TypeRaw && typB == example.TypeRaw:
		a, b := payloadTexts(c.forms[0], c.forms[1])
		yield(&change{label: "payload", example: -1, has: both, texts: [2]string{a, b}})
	case typA != typB:
		yield(&change{label: "message", example: -1, has: both, texts: [2]string{typA.String(), typB.String()}})
	case typA == example.TypeExample:
		c.eachInExample(change{example: -1}, c.forms, yield)
	case typA == example.TypeSequence:
		for i, form := range c.forms {
			c.entries[i], _ = example.TypeSequence.Collect(c.entries[i][:0], form) // forms are sound
			c.lists[i], _ = example.CollectFeatureLists(c.lists[i][:0], form)
		}
		c.eachEntry(change{part: summary.Context, example: -1}, yield)
		c.eachList(yield)
	default:
		c.eachInList(yield)
	}
}

// eachInExample walks the features of two Examples; of says where these are.
func (c *comparer) eachInExample(of change, forms [2][]byte, yield func(*change)) {
	for i, form := range forms {
		c.entries[i], _ = example.TypeExample.Collect(c.entries[i][:0], form) // forms are sound
	}
	c.eachEntry(of, yield)
}

// eachEntry walks the entries of two maps.
func (c *comparer) eachEntry(of change, yield func(*change)) {
	byName(c.entries, func(e *example.Entry) []byte { return e.Name }, func(pair [2]*example.Entry) {
		if !c.all && pair[0] != nil && pair[1] != nil && bytes.Equal(pair[0].Feature.Raw(), pair[1].Feature.Raw()) {
			return
		}
		ch := &c.change
		*ch = of
		for i, e := range pair {
			if e != nil {
				ch.name, ch.features[i], ch.has[i] = e.Name, e.Feature, true
			}
		}
		yield(ch)
	})
}

// eachList walks the feature lists of two SequenceExamples.
func (c *comparer) eachList(yield func(*change)) {
	byName(c.lists, func(e *example.FeatureListEntry) []byte { return e.Name }, func(pair [2]*example.FeatureListEntry) {
		if !c.all && pair[0] != nil && pair[1] != nil && bytes.Equal(pair[0].List.Raw(), pair[1].List.Raw()) {
			return
		}
		ch := &c.change
		*ch = change{part: summary.Lists, example: -1}
		for i, e := range pair {
			if e != nil {
				ch.name, ch.lists[i], ch.has[i] = e.Name, e.List, true
			}
		}
		yield(ch)
	})
}

// byName calls yield for each name of two maps, which are sorted by name, with the entry of either
// side; nil where a side lacks the name.
func byName[E any](maps [2][]E, name func(*E) []byte, yield func(pair [2]*E)) {
	a, b := maps[0], maps[1]
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

// eachInList walks two ExampleListWithContexts: contexts, then examples.
func (c *comparer) eachInList(yield func(*change)) {
	var contexts [2][]byte
	var has [2]bool
	var scans [2]example.ExampleScanner
	for i, form := range c.forms {
		s := example.ScanExamples(form)
		for s.Next() {
		}
		contexts[i], has[i] = s.Context()
		scans[i] = example.ScanExamples(form)
	}
	if has[0] != has[1] {
		yield(&change{label: "context", part: summary.Context, example: -1, has: has})
	}
	c.eachInExample(change{part: summary.Context, example: -1}, contexts, yield)
	var counts [2]int
	for n := 0; ; n++ {
		var examples [2][]byte
		var in [2]bool
		for i := range scans {
			if in[i] = scans[i].Next(); in[i] {
				counts[i]++
				examples[i] = scans[i].Example()
			}
		}
		if !in[0] && !in[1] {
			break
		}
		c.eachInExample(change{part: summary.Examples, example: n, alone: in[0] != in[1]}, examples, yield)
	}
	if counts[0] != counts[1] {
		yield(&change{label: "examples", part: summary.Examples, example: -1, has: [2]bool{true, true}, texts: [2]string{strconv.Itoa(counts[0]), strconv.Itoa(counts[1])}})
	}
}

// featureSums counts the records in which features differ.
type featureSums struct {
	byName  map[featureKey]*featureSum
	records int64
	more    int64 // changes of features that are not listed because there are too many names
}

// A featureSum counts the records in which one feature differs.
type featureSum struct {
	featureKey
	changed int64
	only    [2]int64
	last    int64 // the last record that was counted
}

func (s *featureSum) total() int64 { return s.changed + s.only[0] + s.only[1] }

// mostSums is how many names are counted.
const mostSums = 10_000

// addRecord begins the changes of another record.
func (f *featureSums) addRecord() { f.records++ }

// addChange counts a change, once in a record for each feature.
func (f *featureSums) addChange(ch *change) {
	s := f.byName[featureKey{ch.part, string(ch.name), ch.label}]
	if s == nil {
		s = f.open(featureKey{ch.part, string(ch.name), ch.label})
	}
	switch {
	case s == nil:
		f.more++
		return
	case s.last == f.records: // of another example in the same record
	case !ch.has[1]:
		s.only[0]++
	case !ch.has[0]:
		s.only[1]++
	default:
		s.changed++
	}
	s.last = f.records
}

// open returns the sum of a feature; nil: there are too many names.
func (f *featureSums) open(k featureKey) *featureSum {
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

// merge adds the counts of records after those counted so far.
func (f *featureSums) merge(g *featureSums) {
	for k, from := range g.byName {
		s := f.open(k)
		if s == nil {
			f.more += from.total()
			continue
		}
		s.changed += from.changed
		s.only[0] += from.only[0]
		s.only[1] += from.only[1]
	}
	f.records += g.records
	f.more += g.more
}

// sorted returns the counts, the largest first.
func (f *featureSums) sorted() []*featureSum {
	all := make([]*featureSum, 0, len(f.byName))
	for _, s := range f.byName {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *featureSum) int {
		return cmp.Or(cmp.Compare(b.total(), a.total()), cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name), cmp.Compare(a.label, b.label))
	})
	return all
}
