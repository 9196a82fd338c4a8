package summary

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// What a Table keeps of names.
const (
	maxFeatures  = 10_000
	maxNameBytes = 4 << 20
)

// A Part says where in a message a feature stands.
type Part message.Part

// The parts. An Example has one, without a name.
const (
	Top      = Part(message.Features)
	Context  = Part(message.Context)  // of a SequenceExample or an ExampleListWithContext
	Lists    = Part(message.Lists)    // the feature lists of a SequenceExample
	Examples = Part(message.Examples) // of an ExampleListWithContext
)

// String gives the name of the field.
func (p Part) String() string {
	return [message.NumParts]string{"", "context", "feature_lists", "examples"}[p]
}

// A Feature sums up one feature. In a part that has several features under one
// name, which are the feature lists, Kinds, Unset and Values count steps.
type Feature struct {
	Part    Part
	Name    string
	Present int64    // messages that have it
	Of      int64    // messages that could have it
	Unset   int64    // without a kind
	Kinds   [4]int64 // by example.Kind; that of Unset is not used
	Values  Spread   // of features with a kind
	Steps   Spread   // in a feature list
	First   [4]Place // by example.Kind, where it comes first; only if Table.At is set

	Contents Contents // of byte strings, in the messages for which Table.Look is set
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
	Empty   int64 // messages without any feature
	NoneAt  Place // of the first of them; only if At is set
	At      Place // of the message that Add is given next; the caller may set it
	Look    bool  // whether Add looks at byte strings of that message; the caller sets it

	typ       example.MessageType
	part      bool                    // of a sum: it takes all names
	of        [message.NumParts]int64 // maps of each part
	features  [message.NumParts]map[string]*Feature
	columns   []*Feature // of all parts, in the order in which they came
	nameBytes int        // of columns

	// Of Add.
	message *message.Table
	byID    [message.NumParts][]*Feature // by the ID of the name; nil: not met since the Table was made
	counts  []count                      // of the entries of the message at hand, but for Lists
	steps   []canonical.StepCount        // of the feature lists in Lists
}

// A count is what a feature has.
type count struct {
	kind   uint8 // as example.Kind
	values int
}

// NewTable returns a Table for messages of one type.
func NewTable(t example.MessageType) *Table { return &Table{typ: t} }

// NewPart returns a Table for some messages in a row, to be merged with those before. It takes
// every name, so the names of all messages must fit in memory. Parts for the
// same data share names.
func NewPart(t example.MessageType, shared *message.Shared) *Table {
	return &Table{typ: t, part: true, message: message.NewTable(t, shared)}
}

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
	for _, p := range part.columns {
		if p.Present == 0 {
			continue
		}
		if f := t.feature(p.Part, p.Name); f != nil {
			f.merge(p)
		} else {
			t.Omitted += p.Present
		}
		*p = Feature{Part: p.Part, Name: p.Name}
	}
	t.Omitted += part.Omitted // of one that was read from its JSON form
	t.addEmpty(part.Empty, part.NoneAt)
	part.Records, part.of, part.Omitted, part.Empty = 0, [message.NumParts]int64{}, 0, 0
	return len(part.columns) <= mostKept
}

// addEmpty adds n messages without any feature, the first of them at a place.
func (t *Table) addEmpty(n int64, first Place) {
	if t.Empty == 0 {
		t.NoneAt = first
	}
	t.Empty += n
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
	f.Contents.merge(g.Contents)
}

// Type returns the type of the messages.
func (t *Table) Type() example.MessageType { return t.typ }

// Add adds one message. A message that does not decode is an error and adds nothing.
func (t *Table) Add(msg []byte) error {
	if t.message == nil {
		t.message = message.NewTable(t.typ, new(message.Shared))
	}
	if err := t.message.Read(msg, t.count); err != nil {
		return err
	}
	t.Records++
	if len(t.message.Entries) == 0 {
		t.addEmpty(1, t.At)
	}
	counts, steps := t.counts, t.steps
	for _, m := range t.message.Maps {
		t.of[m.Part]++
		for i := range t.message.Entries[m.Lo:m.Hi] {
			f := t.column(m.Part, t.message.Entries[m.Lo+i].ID)
			switch {
			case f == nil:
				t.Omitted++
			case m.Part == message.Lists:
				f.addSteps(&steps[i], t.At)
			default:
				f.add(counts[i], t.At)
			}
			if t.Look && f != nil {
				t.look(m.Part, &t.message.Entries[m.Lo+i], f)
			}
		}
		if m.Part != message.Lists {
			counts = counts[m.Hi-m.Lo:]
		}
	}
	return nil
}

// look looks at byte strings of a feature, or of a feature list.
func (t *Table) look(p message.Part, e *message.Entry, f *Feature) {
	if p == message.Lists {
		f.Contents.addList(t.message.Bytes[:e.Hi], e.Lo)
	} else {
		f.Contents.addFeature(t.message.Bytes[:e.Hi], e.Lo)
	}
}

// count counts the values of the message in the table.
func (t *Table) count(m *message.Table) bool {
	t.counts, t.steps = t.counts[:0], t.steps[:0]
	for _, x := range m.Maps {
		for i := range m.Entries[x.Lo:x.Hi] {
			e := &m.Entries[x.Lo+i]
			if x.Part == message.Lists {
				c, ok := canonical.CountSteps(m.Bytes[:e.Hi], e.Lo)
				if !ok {
					return false
				}
				t.steps = append(t.steps, c)
				continue
			}
			kind, n, ok := canonical.Count(m.Bytes[:e.Hi], e.Lo)
			if !ok {
				return false
			}
			t.counts = append(t.counts, count{kind, n})
		}
	}
	return true
}

// column returns the sum for the name of an entry, or nil if there are too many already.
func (t *Table) column(p message.Part, id int32) *Feature {
	if id < 0 {
		return t.feature(Part(p), t.message.Name(p, id))
	}
	for len(t.byID[p]) <= int(id) {
		t.byID[p] = append(t.byID[p], nil)
	}
	f := t.byID[p][id]
	if f == nil {
		f = t.feature(Part(p), t.message.Name(p, id))
		t.byID[p][id] = f
	}
	return f
}

// add adds a feature of the message at a place.
func (f *Feature) add(c count, at Place) {
	f.Present++
	if c.kind == 0 {
		f.Unset++
		return
	}
	f.count(c.kind, 1, at)
	f.Values.Add(int64(c.values))
}

// addSteps adds a feature list of the message at a place.
func (f *Feature) addSteps(s *canonical.StepCount, at Place) {
	f.Present++
	f.Steps.Add(int64(s.Steps))
	f.Unset += int64(s.Kinds[example.Unset])
	for k := example.BytesList; k <= example.Int64List; k++ {
		if n := int64(s.Kinds[k]); n > 0 {
			f.count(uint8(k), n, at)
		}
	}
	f.Values.Merge(Spread{int64(s.Steps - s.Kinds[example.Unset]), int64(s.Min), int64(s.Max), int64(s.Total)})
}

// feature returns the sum for a name, or nil if there are too many already.
func (t *Table) feature(part Part, name string) *Feature {
	m := t.features[part]
	if f := m[name]; f != nil {
		return f
	}
	if !t.part && (len(t.columns) >= maxFeatures || t.nameBytes+len(name) > maxNameBytes) {
		return nil
	}
	t.nameBytes += len(name)
	if m == nil {
		m = make(map[string]*Feature)
		t.features[part] = m
	}
	f := &Feature{Part: part, Name: name}
	m[name] = f
	t.columns = append(t.columns, f)
	return f
}

// Features returns the sums, by part and name.
func (t *Table) Features() []Feature {
	all := make([]Feature, 0, len(t.columns))
	for _, c := range t.columns {
		f := *c
		f.Of = t.of[f.Part]
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return all
}
