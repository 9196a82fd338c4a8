package compare

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A ledger says where the bytes of records are. What it lists adds up to all of them.
type ledger struct {
	records  int64
	messages int64 // tags and lengths that belong to no feature
	unknown  int64 // in fields that the messages do not have
	payloads int64 // of records without features
	excess   int64 // of all of these but payloads
	columns  []*column
	more     *column // features whose names are too many; nil: none

	typ    example.MessageType
	part   bool // of a sum: it takes all names
	named  int  // bytes of all names
	byName [parts]map[string]*column
	first  [parts]*column // that was the first of the last message

	// Of the record at hand.
	former *content.Former // nil until it is needed
	form   []byte
	weights
	number int64 // of the map, so that a name that stands twice in one shows
}

// weights are the bytes of one record.
type weights struct {
	items             []item
	messages, unknown int64
}

// parts is how many there are in package summary.
const parts = summary.Examples + 1

// A column has the bytes of one feature, or of several steps.
type column struct {
	Part   summary.Part
	Name   string
	Kinds  [4]int64 // features, or steps, by example.Kind
	In     int64    // maps that it stands in
	Count  int64    // values
	Names  int64    // bytes of the name
	Tags   int64    // bytes of tags and lengths
	Values int64    // bytes of values
	Excess int64    // of these

	next   *column // that was behind it in the last message
	number int64   // of the last map that it was in
}

// bytes is how many bytes the feature takes.
func (c *column) bytes() int64 { return c.Names + c.Tags + c.Values }

// An item is the bytes of one entry of a map.
type item struct {
	column              *column
	kinds               [4]int64
	count               int64
	names, tags, values int64
}

func (i *item) bytes() int64 { return i.names + i.tags + i.values }

// What a ledger keeps of names.
const (
	mostColumns   = 10_000
	mostNameBytes = 4 << 20
	mostKept      = 1000 // by a part, for the records that follow
)

// newPart returns a ledger for some records in a row, to be merged with those before. It takes every name.
func newPart(t example.MessageType) *ledger { return &ledger{typ: t, part: true} }

// framing is how many bytes the framing of the records takes.
func (l *ledger) framing() int64 { return l.records * (tfrecord.HeaderSize + tfrecord.FooterSize) }

// total is how many bytes there are.
func (l *ledger) total() int64 {
	n := l.framing() + l.messages + l.unknown + l.payloads
	for _, c := range l.rows() {
		n += c.bytes()
	}
	return n
}

// rows returns the features, the largest first.
func (l *ledger) rows() []*column {
	all := slices.Clone(l.columns)
	if l.more != nil {
		all = append(all, l.more)
	}
	all = slices.DeleteFunc(all, func(c *column) bool { return c.In == 0 })
	slices.SortFunc(all, func(a, b *column) int {
		return cmp.Or(cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// add adds a record. One that does not decode is an error and adds nothing.
func (l *ledger) add(rec []byte) error {
	if l.typ == example.TypeRaw {
		l.records++
		l.payloads += int64(len(rec))
		return nil
	}
	if l.weigh(rec) {
		l.commit(0)
		return nil
	}
	return l.addAny(rec)
}

// commit adds the record that was weighed; excess is the number of its excess bytes.
func (l *ledger) commit(excess int64) {
	l.records++
	l.messages += l.weights.messages
	l.unknown += l.weights.unknown
	l.excess += excess
	for i := range l.items {
		it := &l.items[i]
		c := it.column
		c.In++
		for k, n := range it.kinds {
			c.Kinds[k] += n
		}
		c.Count += it.count
		c.Names += it.names
		c.Tags += it.tags
		c.Values += it.values
	}
}

// expect returns the column of a name, which probably is *at, which it sets.
func (l *ledger) expect(part summary.Part, at **column, name []byte) *column {
	if c := *at; c != nil && c.Name == string(name) {
		return c
	}
	c := l.byName[part][string(name)]
	if c == nil {
		c = l.column(part, string(name))
	}
	if c != l.more {
		*at = c
	}
	return c
}

// column makes the column of a new name.
func (l *ledger) column(part summary.Part, name string) *column {
	if !l.part && (len(l.columns) >= mostColumns || l.named+len(name) > mostNameBytes) {
		if l.more == nil {
			l.more = &column{}
		}
		return l.more
	}
	if l.byName[part] == nil {
		l.byName[part] = map[string]*column{}
	}
	c := &column{Part: part, Name: name}
	l.byName[part][name] = c
	l.columns = append(l.columns, c)
	l.named += len(name)
	return c
}

// merge adds another ledger and empties it. It reports whether the other may be used again: it
// remembers names, unless they are too many.
func (l *ledger) merge(part *ledger) (again bool) {
	l.records += part.records
	l.messages += part.messages
	l.unknown += part.unknown
	l.payloads += part.payloads
	l.excess += part.excess
	var at [parts]**column
	for i := range at {
		at[i] = &l.first[i]
	}
	if part.more != nil {
		if l.more == nil {
			l.more = &column{}
		}
		l.more.add(part.more)
	}
	for _, p := range part.columns {
		if p.In > 0 {
			c := l.expect(p.Part, at[p.Part], []byte(p.Name))
			c.add(p)
			if c != l.more {
				at[p.Part] = &c.next
			}
		}
		*p = column{Part: p.Part, Name: p.Name, next: p.next, number: p.number}
	}
	part.records, part.messages, part.unknown, part.payloads, part.excess, part.more = 0, 0, 0, 0, 0, nil
	return len(part.columns) <= mostKept
}

// add adds the bytes of another column.
func (c *column) add(p *column) {
	for k, n := range p.Kinds {
		c.Kinds[k] += n
	}
	c.In += p.In
	c.Count += p.Count
	c.Names += p.Names
	c.Tags += p.Tags
	c.Values += p.Values
	c.Excess += p.Excess
}
