package summary

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// What a Table keeps of names.
const (
	maxFeatures  = 10_000
	maxNameBytes = 4 << 20
)

// A Part says where in a message a feature stands.
type Part uint8

// The parts. An Example has one, without a name.
const (
	Top      Part = iota
	Context       // of a SequenceExample or an ExampleListWithContext
	Lists         // the feature lists of a SequenceExample
	Examples      // of an ExampleListWithContext
	numParts
)

// String gives the name of the field.
func (p Part) String() string { return [numParts]string{"", "context", "feature_lists", "examples"}[p] }

// A Feature sums up one feature. In a part that has several features under one
// name, which are the feature lists, Kinds, Unset and Values count steps.
type Feature struct {
	Part    Part
	Name    string
	Present int64    // messages that have it
	Of      int64    // messages that could have it
	Unset   int64    // without a kind
	Kinds   [4]int64 // by example.Kind; that of Unset is not used
	Values  Spread   // of those with a kind
	Steps   Spread   // in a feature list
	First   [4]Place // by example.Kind, where it comes first; only if Table.At is set
}

// A Place is that of a record.
type Place struct {
	File   string
	Record int64
}

// A Table sums up the features of messages of one type.
type Table struct {
	Records int64
	Omitted int64 // features that are not listed because there are too many names
	At      Place // of the message that Add is given next; the caller may set it

	typ       example.MessageType
	part      bool // of a sum: it takes all names
	of        [numParts]int64
	features  [numParts]map[string]*column
	first     [numParts]*column // that was the first of the last message
	columns   []*column         // in the order in which they came
	nameBytes int

	found   canonical.Summary
	entries []example.Entry
	lists   []example.FeatureListEntry
}

// A column is a Feature, and what was behind it in the last message that had both: most
// messages of a file have the same names in the same order.
type column struct {
	Feature
	next *column
}

// NewTable returns a Table for messages of one type.
func NewTable(t example.MessageType) *Table { return &Table{typ: t} }

// NewPart returns a Table for some messages in a row, to be merged with those before. It takes
// every name, so it is for as many messages as fit in memory with all their names.
func NewPart(t example.MessageType) *Table { return &Table{typ: t, part: true} }

// mostKept is how many names a part keeps for the messages that follow.
const mostKept = 1000

// Merge adds the messages of a part, as if they had been added one after the other, and
// empties the part. It reports whether the part may be used again: it remembers names, unless
// they are too many.
func (t *Table) Merge(part *Table) (again bool) {
	t.Records += part.Records
	for i, n := range part.of {
		t.of[i] += n
	}
	var at [numParts]**column
	for i := range at {
		at[i] = &t.first[i]
	}
	for _, p := range part.columns {
		if p.Present == 0 {
			continue
		}
		if f := t.expect(p.Part, at[p.Part], []byte(p.Name)); f != nil {
			at[p.Part] = &f.next
			f.merge(&p.Feature)
		} else {
			t.Omitted += p.Present - 1 // expect has counted one
		}
		p.Feature = Feature{Part: p.Part, Name: p.Name}
	}
	t.Omitted += part.Omitted // of one that was read from its JSON form
	part.Records, part.of, part.Omitted = 0, [numParts]int64{}, 0
	return len(part.columns) <= mostKept
}

// count adds n features of a kind, in the message at a place.
func (f *Feature) count(kind uint8, n int64, at Place) {
	if f.Kinds[kind] == 0 {
		f.First[kind] = at
	}
	f.Kinds[kind] += n
}

// merge adds the counts of g.
func (f *Feature) merge(g *Feature) {
	f.Present += g.Present
	f.Unset += g.Unset
	for k, n := range g.Kinds {
		if n > 0 && f.Kinds[k] == 0 {
			f.First[k] = g.First[k]
		}
		f.Kinds[k] += n
	}
	f.Values.Merge(g.Values)
	f.Steps.Merge(g.Steps)
}

// Type returns the type of the messages.
func (t *Table) Type() example.MessageType { return t.typ }

// Add adds one message. A message that does not decode is an error and adds nothing.
func (t *Table) Add(msg []byte) error {
	if t.addCanonical(msg) {
		return nil
	}
	return t.addAny(msg)
}

// addCanonical adds a message in canonical encoding, in one pass over it, and reports whether
// it is one. It is four to five times as fast as addAny.
func (t *Table) addCanonical(msg []byte) bool {
	s := &t.found
	switch t.typ {
	case example.TypeExample:
		if !canonical.CheckExample(msg, s) {
			return false
		}
		t.addFeatures(Top, s.Features)
	case example.TypeSequence:
		if !canonical.CheckSequence(msg, s) {
			return false
		}
		t.addFeatures(Context, s.Features)
		t.addLists(s.Lists)
	case example.TypeExampleList:
		if !canonical.CheckList(msg, s) {
			return false
		}
		t.addFeatures(Context, s.Features)
		t.addFeatures(Examples, s.Inner)
		t.of[Examples] += int64(s.Examples) - 1 // addFeatures has counted one
	default:
		return false
	}
	t.Records++
	return true
}

func (t *Table) addFeatures(part Part, found []canonical.FeatureCount) {
	t.of[part]++
	at := &t.first[part]
	for _, c := range found {
		f := t.expect(part, at, c.Name)
		if f == nil {
			continue
		}
		at = &f.next
		f.Present++
		if c.Kind == 0 {
			f.Unset++
			continue
		}
		f.count(c.Kind, 1, t.At)
		f.Values.Add(int64(c.Values))
	}
}

func (t *Table) addLists(found []canonical.ListCount) {
	t.of[Lists]++
	at := &t.first[Lists]
	for i := range found {
		c := &found[i]
		f := t.expect(Lists, at, c.Name)
		if f == nil {
			continue
		}
		at = &f.next
		f.Present++
		f.Steps.Add(int64(c.Steps))
		f.Unset += int64(c.Kinds[0])
		for k := 1; k < len(c.Kinds); k++ {
			if n := int64(c.Kinds[k]); n > 0 {
				f.count(uint8(k), n, t.At)
			}
		}
		f.Values.Merge(Spread{int64(c.Steps - c.Kinds[0]), int64(c.Min), int64(c.Max), int64(c.Total)})
	}
}

// expect is feature, for a name that probably is that of *at, which it sets.
func (t *Table) expect(part Part, at **column, name []byte) *column {
	if f := *at; f != nil && f.Name == string(name) {
		return f
	}
	f := t.feature(part, name)
	if f != nil {
		*at = f
	}
	return f
}

// addAny is Add for a message in any encoding.
func (t *Table) addAny(msg []byte) error {
	if err := t.typ.Validate(msg); err != nil {
		return err
	}
	t.Records++
	switch t.typ {
	case example.TypeSequence:
		return t.addSequence(msg)
	case example.TypeExampleList:
		return t.addList(msg)
	}
	return t.addExample(Top, msg)
}

func (t *Table) addExample(part Part, msg []byte) error {
	var err error
	if t.entries, err = example.Collect(t.entries[:0], msg); err != nil {
		return err
	}
	return t.addEntries(part)
}

func (t *Table) addSequence(msg []byte) error {
	var err error
	if t.entries, err = example.CollectContext(t.entries[:0], msg); err != nil {
		return err
	}
	if err := t.addEntries(Context); err != nil {
		return err
	}
	if t.lists, err = example.CollectFeatureLists(t.lists[:0], msg); err != nil {
		return err
	}
	t.of[Lists]++
	for _, list := range t.lists {
		f := t.feature(Lists, list.Name)
		if f == nil {
			continue
		}
		f.Present++
		steps := list.List.Scan()
		n := int64(0)
		for ; steps.Next(); n++ {
			if err := f.add(steps.Feature(), t.At); err != nil {
				return err
			}
		}
		if err := steps.Err(); err != nil {
			return err
		}
		f.Steps.Add(n)
	}
	return nil
}

func (t *Table) addList(msg []byte) error {
	context, ok, err := example.ExampleListContext(msg)
	if err != nil {
		return err
	}
	if !ok {
		context = nil // absent and empty are alike here
	}
	if err := t.addExample(Context, context); err != nil {
		return err
	}
	examples := example.ScanExamples(msg)
	for examples.Next() {
		if err := t.addExample(Examples, examples.Example()); err != nil {
			return err
		}
	}
	return examples.Err()
}

func (t *Table) addEntries(part Part) error {
	t.of[part]++
	for _, entry := range t.entries {
		f := t.feature(part, entry.Name)
		if f == nil {
			continue
		}
		f.Present++
		if err := f.add(entry.Feature, t.At); err != nil {
			return err
		}
	}
	return nil
}

func (f *column) add(v example.Feature, at Place) error {
	kind := v.Kind()
	if kind == example.Unset {
		f.Unset++
		return nil
	}
	n, err := v.Len()
	if err != nil {
		return err
	}
	f.count(uint8(kind), 1, at)
	f.Values.Add(int64(n))
	return nil
}

// feature returns the sum for a name, or nil if there are too many already.
func (t *Table) feature(part Part, name []byte) *column {
	m := t.features[part]
	if f := m[string(name)]; f != nil {
		return f
	}
	if !t.part && (len(t.columns) >= maxFeatures || t.nameBytes+len(name) > maxNameBytes) {
		t.Omitted++
		return nil
	}
	t.nameBytes += len(name)
	if m == nil {
		m = make(map[string]*column)
		t.features[part] = m
	}
	f := &column{Feature: Feature{Part: part, Name: string(name)}}
	m[f.Name] = f
	t.columns = append(t.columns, f)
	return f
}

// Features returns the sums, by part and name.
func (t *Table) Features() []Feature {
	all := make([]Feature, 0, len(t.columns))
	for _, c := range t.columns {
		f := c.Feature
		f.Of = t.of[f.Part]
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return all
}
