package summary

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// Limits of the names in a Table.
const (
	maxFeatures  = 10_000
	maxNameBytes = 4 << 20
)

// A Part is the part of a message that has a feature.
type Part message.Part

// The parts of messages. An Example has only Top.
const (
	Top      = Part(message.Features)
	Context  = Part(message.Context)  // of a SequenceExample or an ExampleListWithContext
	Lists    = Part(message.Lists)    // the feature lists of a SequenceExample
	Examples = Part(message.Examples) // of an ExampleListWithContext
)

// String returns the name of the field; "" for Top.
func (p Part) String() string {
	return [message.NumParts]string{"", "context", "feature_lists", "examples"}[p]
}

// A Feature sums up one feature. For feature lists, Kinds, Unset and Values count steps.
type Feature struct {
	Part    Part     // part of the message
	Name    string   // any bytes; unique in its part
	Present int64    // number of messages with the feature
	Of      int64    // number of messages that could have it
	Unset   int64    // number of features without a kind
	Kinds   [4]int64 // number of features by example.Kind, except Unset
	Values  Spread   // numbers of values, of features with a kind
	Steps   Spread   // numbers of steps, of feature lists
	First   [4]Place // first record by example.Kind; only if Table.At is set

	Contents Contents // formats of byte strings, in the messages for which Table.Look is set
}

// A Place is the file and ordinal of a record.
type Place struct {
	File   string
	Record int64
}

// A Table sums up the features of messages of one type.
type Table struct {
	Records int64 // number of messages
	Omitted int64 // number of features that are not listed, since there are too many names
	Empty   int64 // number of messages without features
	NoneAt  Place // first message without features; only if At is set
	At      Place // position of the next message for Add; may be set by the caller
	Look    bool  // Add inspects the byte strings of the next messages; set by the caller

	typ       example.MessageType                   // of all messages
	part      bool                                  // made by NewPart: has all names
	of        [message.NumParts]int64               // number of maps by part
	features  [message.NumParts]map[string]*Feature // by part and name; the same as in columns
	columns   []*Feature                            // all features, in the order of their first messages
	nameBytes int                                   // size of the names of columns in bytes

	// State of Add.
	message *message.Table               // the current message
	byID    [message.NumParts][]*Feature // by the ID of the name; nil: not found yet
	counts  []valueCount                 // of the entries of the message, except those in Lists
	steps   []canonical.StepCount        // of the entries in Lists
	sizes   []sizeFeature                // features of the message that may hold sizes of arrays, if Look is set
}

// A valueCount is the kind and number of values of a feature.
type valueCount struct {
	kind   uint8 // an example.Kind
	values int
}

// NewTable returns a Table for messages of one type.
func NewTable(t example.MessageType) *Table { return &Table{typ: t} }

// NewPart returns a Table for consecutive messages, which Merge adds to another Table. It keeps every name, so the
// names of its messages must fit in memory. Parts of the same data share names.
func NewPart(t example.MessageType, shared *message.Shared) *Table {
	return &Table{typ: t, part: true, message: message.NewTable(t, shared)}
}

// maxReused is the number of names that a part keeps for the next messages.
const maxReused = 1000

// Merge adds the messages of a part after those of t, and empties the part. It reports whether the part can be used
// again: it cannot if it has too many names.
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
	t.Omitted += part.Omitted // set by ReadKinds
	t.addEmpty(part.Empty, part.NoneAt)
	part.Records, part.of, part.Omitted, part.Empty = 0, [message.NumParts]int64{}, 0, 0
	return len(part.columns) <= maxReused
}

// addEmpty adds n messages without features. first is the position of the first one.
func (t *Table) addEmpty(n int64, first Place) {
	if t.Empty == 0 {
		t.NoneAt = first
	}
	t.Empty += n
}

// addKind adds n features of a kind in the message at a position.
func (f *Feature) addKind(kind uint8, n int64, at Place) {
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

// Add adds a message. For a message that does not decode it returns an error and adds nothing.
func (t *Table) Add(msg []byte) error {
	if t.message == nil {
		t.message = message.NewTable(t.typ, new(message.Shared))
	}
	if err := t.message.Read(msg, t.countValues); err != nil {
		return err
	}
	t.Records++
	if len(t.message.Entries) == 0 {
		t.addEmpty(1, t.At)
	}
	if t.Look {
		t.readSizes()
	}
	counts, steps := t.counts, t.steps
	for _, m := range t.message.Maps {
		t.of[m.Part]++
		for i := range t.message.Entries[m.Lo:m.Hi] {
			f := t.featureOf(m.Part, t.message.Entries[m.Lo+i].ID)
			switch {
			case f == nil:
				t.Omitted++
			case m.Part == message.Lists:
				f.addSteps(&steps[i], t.At)
			default:
				f.add(counts[i], t.At)
			}
			if t.Look && f != nil {
				t.inspect(m.Part, &t.message.Entries[m.Lo+i], f)
			}
		}
		if m.Part != message.Lists {
			counts = counts[m.Hi-m.Lo:]
		}
	}
	return nil
}

// inspect adds the formats of the byte strings of an entry.
func (t *Table) inspect(p message.Part, e *message.Entry, f *Feature) {
	if p == message.Lists {
		f.Contents.addList(t.message.Bytes[:e.Hi], e.Lo, f.Name, t.sizes)
	} else {
		f.Contents.addFeature(t.message.Bytes[:e.Hi], e.Lo, f.Name, t.sizes)
	}
}

// countValues counts the values of the message in m. It reports false for a value that is not in canonical encoding.
func (t *Table) countValues(m *message.Table) bool {
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
			t.counts = append(t.counts, valueCount{kind, n})
		}
	}
	return true
}

// featureOf returns the Feature of an entry by the ID of its name; nil if there are too many names.
func (t *Table) featureOf(p message.Part, id int32) *Feature {
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

// add adds a feature of the message at a position.
func (f *Feature) add(c valueCount, at Place) {
	f.Present++
	if c.kind == 0 {
		f.Unset++
		return
	}
	f.addKind(c.kind, 1, at)
	f.Values.Add(int64(c.values))
}

// addSteps adds a feature list of the message at a position.
func (f *Feature) addSteps(s *canonical.StepCount, at Place) {
	f.Present++
	f.Steps.Add(int64(s.Steps))
	f.Unset += int64(s.Kinds[example.Unset])
	for k := example.BytesList; k <= example.Int64List; k++ {
		if n := int64(s.Kinds[k]); n > 0 {
			f.addKind(uint8(k), n, at)
		}
	}
	f.Values.Merge(Spread{int64(s.Steps - s.Kinds[example.Unset]), int64(s.Min), int64(s.Max), int64(s.Total)})
}

// feature returns the Feature with a name; nil if there are too many names.
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

// Features returns the features, sorted by part and name.
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
