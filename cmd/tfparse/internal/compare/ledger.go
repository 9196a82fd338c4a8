package compare

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// A ledger says where the bytes of records are. What it lists adds up to all of them. A ledger that
// newPart returns is of some records in a row, and is merged into the one of a file.
type ledger struct {
	records  int64
	messages int64 // tags and lengths that belong to no feature
	unknown  int64 // in fields that the messages do not have
	payloads int64 // of records without features
	excess   int64 // of all of these but payloads
	columns  []*column
	more     *column // features whose names are too many; nil: none

	typ    example.MessageType                  // of the records of a part
	part   bool                                 // takes all names
	named  int                                  // bytes of all names
	byName [message.NumParts]map[string]*column // those of columns

	// Of a part.
	table *message.Table
	byID  [message.NumParts][]*column // by the ID of the name; nil: not met yet
	weights
}

// weights are the bytes of one record.
type weights struct {
	items             []item
	messages, unknown int64
}

// A column has the bytes of one feature, or of several steps.
type column struct {
	Part   summary.Part
	Name   string
	Kinds  [4]int64 // features, or steps, by example.Kind
	In     int64    // maps that have it
	Count  int64    // values
	Names  int64    // bytes of the name
	Tags   int64    // bytes of tags and lengths
	Values int64    // bytes of values
	Excess int64    // of these
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

// Limits of what a ledger keeps of names.
const (
	mostColumns   = 10_000
	mostNameBytes = 4 << 20
	mostKept      = 1000 // by a part, for the records that follow
)

// newPart returns a ledger for some records in a row.
func newPart(t example.MessageType, names *message.Shared) *ledger {
	l := &ledger{typ: t, part: true}
	if t != example.TypeRaw {
		l.table = message.NewTable(t, names)
	}
	return l
}

// Type is the type of the records of a part.
func (l *ledger) Type() example.MessageType { return l.typ }

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

// add adds a record to a part. One that does not decode is an error and adds nothing.
func (l *ledger) add(record scan.Record) error {
	rec := record.Bytes
	if l.typ == example.TypeRaw {
		l.records++
		l.payloads += int64(len(rec))
		return nil
	}
	size, canonical := int64(0), false
	err := l.table.Read(rec, func(t *message.Table) (ok bool) {
		size, ok = l.weigh(t)
		// A copy of the record means that it was in another encoding, which may be shorter in places.
		canonical = size == int64(len(rec)) && (size == 0 || &t.Bytes[0] == &rec[0])
		return ok
	})
	if err != nil {
		return err
	}
	if !canonical {
		for _, it := range l.items {
			it.column.Excess -= it.bytes()
		}
		l.weighAny(rec)
		for _, it := range l.items {
			it.column.Excess += it.bytes()
		}
	}
	l.commit(int64(len(rec)) - size)
	return nil
}

// commit adds the record that was weighed; excess is the number of its excess bytes.
func (l *ledger) commit(excess int64) {
	l.records++
	l.messages += l.weights.messages
	l.unknown += l.weights.unknown
	l.excess += excess
	for i := range l.items {
		it := &l.items[i]
		it.column.add(&column{Kinds: it.kinds, In: 1, Count: it.count, Names: it.names, Tags: it.tags, Values: it.values})
	}
}

// columnOf returns the column of a name in the table.
func (l *ledger) columnOf(t *message.Table, p message.Part, id int32) *column {
	if id < 0 {
		return l.column(summary.Part(p), t.Name(p, id))
	}
	byID := l.byID[p]
	if n := t.Names(p) - len(byID); n > 0 {
		byID = append(byID, make([]*column, n)...)
		l.byID[p] = byID
	}
	if byID[id] == nil {
		byID[id] = l.column(summary.Part(p), t.Name(p, id))
	}
	return byID[id]
}

// column returns the column of a name, or the one for all names that are too many.
func (l *ledger) column(part summary.Part, name string) *column {
	if c := l.byName[part][name]; c != nil {
		return c
	}
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

// merge adds a part, or the ledger of a file, and empties it. It reports whether a part may be used again:
// it knows names, unless they are too many.
func (l *ledger) merge(part *ledger) (again bool) {
	l.records += part.records
	l.messages += part.messages
	l.unknown += part.unknown
	l.payloads += part.payloads
	l.excess += part.excess
	if part.more != nil {
		if l.more == nil {
			l.more = &column{}
		}
		l.more.add(part.more)
	}
	for _, p := range part.columns {
		if p.In > 0 {
			l.column(p.Part, p.Name).add(p)
		}
		*p = column{Part: p.Part, Name: p.Name}
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

// weigh weighs the message in the table as if it had its shortest encoding, whose size it returns. It is
// not ok if a value is not in its own shortest encoding.
func (l *ledger) weigh(t *message.Table) (size int64, ok bool) {
	l.weights = weights{items: l.items[:0]}
	for i := range t.Maps {
		m := &t.Maps[i]
		entries := int64(0)
		for e := m.Lo; e < m.Hi; e++ {
			n, ok := l.weighEntry(t, m.Part, &t.Entries[e])
			if !ok {
				return 0, false
			}
			entries += n
		}
		bytes := entries
		if m.Hi > m.Lo {
			bytes = wire.SizeField(bytes) // the map
		}
		if l.typ == example.TypeExampleList && (m.Part == message.Examples || t.HasContext) {
			bytes = wire.SizeField(bytes) // the Example
		}
		l.weights.messages += bytes - entries
		size += bytes
	}
	return size, true
}

// weighEntry weighs an entry of a map, and returns its size.
func (l *ledger) weighEntry(t *message.Table, p message.Part, e *message.Entry) (size int64, ok bool) {
	l.items = append(l.items, item{column: l.columnOf(t, p, e.ID)})
	it := &l.items[len(l.items)-1]
	value := t.Bytes[:e.Hi]
	if p == message.Lists {
		for i := e.Lo; i < e.Hi; {
			lo, hi, ok := canonical.Message(value, i, canonical.Tag1)
			if !ok || int64(hi-i) != wire.SizeField(int64(hi-lo)) || !it.addFeature(value[:hi], lo) {
				return 0, false
			}
			i = hi
		}
	} else if !it.addFeature(value, e.Lo) {
		return 0, false
	}
	it.names = int64(len(it.column.Name))
	size = wire.SizeField(wire.SizeField(it.names) + wire.SizeField(int64(e.Hi-e.Lo)))
	it.tags = size - it.names - it.values
	return size, true
}

// addFeature adds the values of the Feature b[i:].
func (it *item) addFeature(b []byte, i int) bool {
	m, ok := canonical.Measure(b, i)
	it.kinds[m.Kind&3]++
	it.count += int64(m.Count)
	it.values += int64(m.Bytes)
	return ok
}

// weighAny weighs a sound record of any encoding, field by field.
func (l *ledger) weighAny(rec []byte) {
	l.weights = weights{items: l.items[:0]}
	if l.typ == example.TypeExample {
		l.weighExample(summary.Top, rec, 0)
		return
	}
	l.fields(rec, 0, func(f wire.Field, header int64) bool {
		switch {
		case f.Type != wire.TypeBytes || f.Num > 2:
			return false
		case l.typ == example.TypeExampleList:
			l.weighExample([]summary.Part{1: summary.Examples, 2: summary.Context}[f.Num], rec[:f.Hi], f.Lo)
		default:
			l.weighMap([]summary.Part{1: summary.Context, 2: summary.Lists}[f.Num], rec[:f.Hi], f.Lo)
		}
		l.weights.messages += header
		return true
	})
}

// fields calls take for each field of the message b[i:], with the size of its tag and length. What
// take does not take is an unknown field.
func (l *ledger) fields(b []byte, i int, take func(f wire.Field, header int64) bool) {
	for i < len(b) {
		f, next := wire.Next(b, i)
		if next < 0 { // not in a record that is sound
			l.weights.unknown += int64(len(b) - i)
			return
		}
		if !take(f, int64(f.Lo-i)) {
			l.weights.unknown += int64(next - i)
		}
		i = next
	}
}

func isField1(f wire.Field) bool { return f.Type == wire.TypeBytes && f.Num == 1 }

func (l *ledger) weighExample(part summary.Part, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if !isField1(f) {
			return false
		}
		l.weights.messages += header
		l.weighMap(part, b[:f.Hi], f.Lo)
		return true
	})
}

func (l *ledger) weighMap(part summary.Part, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if !isField1(f) {
			return false
		}
		it := item{tags: header}
		name := ""
		l.fields(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
			switch {
			case isField1(f):
				name = string(b[f.Lo:f.Hi])
				it.names += int64(f.Hi - f.Lo)
			case f.Type == wire.TypeBytes && f.Num == 2 && part == summary.Lists:
				l.weighSteps(&it, b[:f.Hi], f.Lo)
			case f.Type == wire.TypeBytes && f.Num == 2:
				l.weighFeature(&it, b[:f.Hi], f.Lo)
			default:
				return false
			}
			it.tags += header
			return true
		})
		it.column = l.column(part, name)
		l.items = append(l.items, it)
		return true
	})
}

func (l *ledger) weighSteps(it *item, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if !isField1(f) {
			return false
		}
		it.tags += header
		l.weighFeature(it, b[:f.Hi], f.Lo)
		return true
	})
}

func (l *ledger) weighFeature(it *item, b []byte, i int) {
	kind := example.Unset
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num > int32(example.Int64List) {
			return false
		}
		kind = example.Kind(f.Num)
		it.tags += header
		l.fields(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
			switch {
			case f.Num != 1:
				return false
			case f.Type == wire.TypeBytes && kind == example.BytesList,
				f.Type == wire.TypeVarint && kind == example.Int64List,
				f.Type == wire.TypeFixed32 && kind == example.FloatList:
				it.count++
			case f.Type == wire.TypeBytes && kind == example.FloatList:
				it.count += int64(f.Hi-f.Lo) / 4
			case f.Type == wire.TypeBytes:
				it.count += int64(wire.CountVarints(b[f.Lo:f.Hi]))
			default:
				return false
			}
			it.tags += header
			it.values += int64(f.Hi - f.Lo)
			return true
		})
		return true
	})
	it.kinds[kind]++
}
