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
	formers   [2][example.TypeRaw + 1]*content.Former // by side and message type; nil until needed
	forms     [2][]byte                               // canonical content of the two current records, set by setForm
	entries   [2][]example.Entry                      // by side: buffer for one feature map; aliases a form
	lists     [2][]example.FeatureListEntry           // by side: buffer for the feature lists; aliases a form
	scratch   change                                  // passed to yield and reused for the next change
	withEqual bool                                    // walkChanges also yields equal features
}

// A verdict is the result of comparing two records.
type verdict uint8

const (
	sameBytes verdict = iota
	sameContent
	changed
	undecodable // one of the records does not decode
)

// setForm stores the canonical content of a record as the form of one side.
func (c *comparer) setForm(side int, typ example.MessageType, rec []byte) (err error) {
	f := &c.formers[side][typ]
	if *f == nil {
		*f = content.NewFormer(typ)
	}
	c.forms[side], err = (*f).Append(c.forms[side][:0], rec)
	return err
}

// compare compares two records. If one does not decode, bad is its side. Both forms are set unless the bytes
// are equal or a record does not decode.
func (c *comparer) compare(typA example.MessageType, a []byte, typB example.MessageType, b []byte) (v verdict, bad int, err error) {
	if bytes.Equal(a, b) {
		return sameBytes, 0, nil
	}
	if err := c.setForm(0, typA, a); err != nil {
		return undecodable, 0, err
	}
	if err := c.setForm(1, typB, b); err != nil {
		return undecodable, 1, err
	}
	if bytes.Equal(c.forms[0], c.forms[1]) {
		return sameContent, 0, nil
	}
	return changed, 0, nil
}

// keyText returns the key of the current record of a side, for display.
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

// A change is one difference between two records: a feature, or a property such as the message type. With
// comparer.withEqual it can also be an equal feature. It aliases the forms of both records.
type change struct {
	part     summary.Part // of the message; summary.Top with the labels message and payload
	name     []byte       // of the feature; unused with a label
	label    string       // "message", "payload", "examples" or "context"; "" for a feature
	example  int          // index of the example in an ExampleListWithContext; else -1
	oneSided bool         // only one side has this example

	has      [2]bool                // by side: the record has the feature or property
	features [2]example.Feature     // unless part is summary.Lists
	lists    [2]example.FeatureList // if part is summary.Lists
	texts    [2]string              // the values, with a label
}

// A featureKey identifies a feature of a data set, or with a label a property of records (see change.label).
type featureKey struct {
	part  summary.Part
	name  string
	label string
}

// title returns the name of the feature for display, with its part of the message unless that is summary.Top.
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

// eachChange calls yield for each difference of the current two records, except features of examples that
// only one side has.
func (c *comparer) eachChange(typA, typB example.MessageType, yield func(*change)) {
	c.withEqual = false
	c.walkChanges(typA, typB, func(ch *change) {
		if !ch.oneSided {
			yield(ch)
		}
	})
}

// eachFeature calls yield for each feature of the current two records, equal ones too, and for all other
// differences.
func (c *comparer) eachFeature(typ example.MessageType, yield func(*change)) {
	c.withEqual = true
	c.walkChanges(typ, typ, yield)
}

// walkChanges calls yield for each change between the current two records. The change is valid only during
// the call.
func (c *comparer) walkChanges(typA, typB example.MessageType, yield func(*change)) {
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
		c.eachInExampleList(yield)
	}
}

// eachInExample walks the features of two Examples. Each change is a copy of template with the feature set.
func (c *comparer) eachInExample(template change, forms [2][]byte, yield func(*change)) {
	for i, form := range forms {
		c.entries[i], _ = example.TypeExample.Collect(c.entries[i][:0], form) // forms are sound
	}
	c.eachEntry(template, yield)
}

// eachEntry walks c.entries, the entries of two feature maps. Each change is a copy of template.
func (c *comparer) eachEntry(template change, yield func(*change)) {
	byName(c.entries, func(e *example.Entry) []byte { return e.Name }, func(pair [2]*example.Entry) {
		if !c.withEqual && pair[0] != nil && pair[1] != nil && bytes.Equal(pair[0].Feature.Raw(), pair[1].Feature.Raw()) {
			return
		}
		ch := &c.scratch
		*ch = template
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
		if !c.withEqual && pair[0] != nil && pair[1] != nil && bytes.Equal(pair[0].List.Raw(), pair[1].List.Raw()) {
			return
		}
		ch := &c.scratch
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

// eachInExampleList walks two ExampleListWithContexts: contexts, then examples.
func (c *comparer) eachInExampleList(yield func(*change)) {
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
		c.eachInExample(change{part: summary.Examples, example: n, oneSided: in[0] != in[1]}, examples, yield)
	}
	if counts[0] != counts[1] {
		yield(&change{label: "examples", part: summary.Examples, example: -1, has: [2]bool{true, true}, texts: [2]string{strconv.Itoa(counts[0]), strconv.Itoa(counts[1])}})
	}
}

// featureSums counts, for each feature, the records in which it differs.
type featureSums struct {
	byName   map[featureKey]*featureSum // up to maxSums
	records  int64                      // calls of addRecord
	unlisted int64                      // changes of features beyond maxSums
}

// A featureSum counts the records in which one feature differs.
type featureSum struct {
	featureKey
	changed    int64    // records in which both sides have the feature
	only       [2]int64 // records in which one side has it
	lastRecord int64    // value of featureSums.records when last counted
}

func (s *featureSum) total() int64 { return s.changed + s.only[0] + s.only[1] }

// maxSums limits the features that are counted by name.
const maxSums = 10_000

// addRecord starts the changes of the next record.
func (f *featureSums) addRecord() { f.records++ }

// addChange counts a change. Several changes of a feature in one record count once.
func (f *featureSums) addChange(ch *change) {
	s := f.byName[featureKey{ch.part, string(ch.name), ch.label}]
	if s == nil {
		s = f.sumFor(featureKey{ch.part, string(ch.name), ch.label})
	}
	switch {
	case s == nil:
		f.unlisted++
		return
	case s.lastRecord == f.records: // counted for an earlier example of this record
	case !ch.has[1]:
		s.only[0]++
	case !ch.has[0]:
		s.only[1]++
	default:
		s.changed++
	}
	s.lastRecord = f.records
}

// sumFor returns the sum of a feature, or nil beyond maxSums.
func (f *featureSums) sumFor(k featureKey) *featureSum {
	s := f.byName[k]
	if s == nil && len(f.byName) < maxSums {
		if f.byName == nil {
			f.byName = map[featureKey]*featureSum{}
		}
		s = &featureSum{featureKey: k}
		f.byName[k] = s
	}
	return s
}

// mergeSums adds the counts of g, whose records follow those of f.
func (f *featureSums) mergeSums(g *featureSums) {
	for k, from := range g.byName {
		s := f.sumFor(k)
		if s == nil {
			f.unlisted += from.total()
			continue
		}
		s.changed += from.changed
		s.only[0] += from.only[0]
		s.only[1] += from.only[1]
	}
	f.records += g.records
	f.unlisted += g.unlisted
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
