package survey

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
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
// name, which are the feature lists, Kinds, Unset and Values count frames.
type Feature struct {
	Part    Part
	Name    string
	Present int64    // messages that have it
	Of      int64    // messages that could have it
	Unset   int64    // without a kind
	Kinds   [4]int64 // by example.Kind; that of Unset is not used
	Values  Spread   // of those with a kind
	Frames  Spread   // in a feature list
}

// A Table sums up the features of messages of one type.
type Table struct {
	Records int64
	Omitted int64 // features that are not listed because there are too many names

	typ       example.MessageType
	of        [numParts]int64
	features  [numParts]map[string]*Feature
	count     int
	nameBytes int

	entries []example.Entry
	lists   []example.ListEntry
}

// NewTable returns a Table for messages of one type.
func NewTable(t example.MessageType) *Table { return &Table{typ: t} }

// Type returns the type of the messages.
func (t *Table) Type() example.MessageType { return t.typ }

// Add adds one message. A message that does not decode is an error and adds nothing.
func (t *Table) Add(msg []byte) error {
	if err := t.typ.Validate(msg); err != nil {
		return err
	}
	t.Records++
	switch t.typ {
	case example.TypeSequence:
		return t.addSequence(msg)
	case example.TypeList:
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
	if t.lists, err = example.CollectLists(t.lists[:0], msg); err != nil {
		return err
	}
	t.of[Lists]++
	for _, list := range t.lists {
		f := t.feature(Lists, list.Name)
		if f == nil {
			continue
		}
		f.Present++
		frames := list.Frames.Scan()
		n := int64(0)
		for ; frames.Next(); n++ {
			if err := f.add(frames.Feature()); err != nil {
				return err
			}
		}
		if err := frames.Err(); err != nil {
			return err
		}
		f.Frames.Add(n)
	}
	return nil
}

func (t *Table) addList(msg []byte) error {
	context, ok, err := example.ListContext(msg)
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
		if err := f.add(entry.Feature); err != nil {
			return err
		}
	}
	return nil
}

func (f *Feature) add(v example.Feature) error {
	kind := v.Kind()
	if kind == example.Unset {
		f.Unset++
		return nil
	}
	n, err := v.Len()
	if err != nil {
		return err
	}
	f.Kinds[kind]++
	f.Values.Add(int64(n))
	return nil
}

// feature returns the sum for a name, or nil if there are too many already.
func (t *Table) feature(part Part, name []byte) *Feature {
	m := t.features[part]
	if f := m[string(name)]; f != nil {
		return f
	}
	if t.count >= maxFeatures || t.nameBytes+len(name) > maxNameBytes {
		t.Omitted++
		return nil
	}
	t.count++
	t.nameBytes += len(name)
	if m == nil {
		m = make(map[string]*Feature)
		t.features[part] = m
	}
	f := &Feature{Part: part, Name: string(name)}
	m[f.Name] = f
	return f
}

// Features returns the sums, by part and name.
func (t *Table) Features() []Feature {
	all := make([]Feature, 0, t.count)
	for part, m := range t.features {
		for _, f := range m {
			f.Of = t.of[part]
			all = append(all, *f)
		}
	}
	slices.SortFunc(all, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return all
}
