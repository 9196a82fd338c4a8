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

// A ledger counts the bytes of records by feature. Its counts add up to the size of all frames. Workers fill
// ledgers from newWorkerLedger with consecutive records, and merge them into the ledger of the file.
type ledger struct {
	records  int64     // number of records
	messages int64     // bytes of tags and lengths outside features
	unknown  int64     // bytes of unknown fields
	payloads int64     // bytes of raw records
	excess   int64     // bytes that the shortest encoding would save
	columns  []*column // in the order in which names were first seen; may have zero counts
	rest     *column   // sum of the features beyond the limits of names; nil: none

	typ       example.MessageType                  // of the records, if isPart
	isPart    bool                                 // the ledger of a worker, which does not limit names
	nameBytes int                                  // total length of the names in columns
	byName    [message.NumParts]map[string]*column // columns by part and name

	// Set only if isPart.
	table *message.Table
	byID  [message.NumParts][]*column // columns by part and name ID of the table; nil: not needed yet
	recordWeights
}

// recordWeights are the byte counts of one record, before they are added to the ledger.
type recordWeights struct {
	items             []item
	messages, unknown int64 // as in ledger
}

// A column has the byte counts of one feature or feature list.
type column struct {
	Part    summary.Part // of the message
	Name    string       // of the feature; "" for ledger.rest too
	Kinds   [4]int64     // number of features, or of steps, by example.Kind
	Present int64        // number of maps with the feature
	Count   int64        // number of values
	Names   int64        // bytes of the name
	Tags    int64        // bytes of tags and lengths
	Values  int64        // bytes of values
	Excess  int64        // bytes that the shortest encoding would save
}

// bytes returns the total bytes of the feature.
func (c *column) bytes() int64 { return c.Names + c.Tags + c.Values }

// An item has the byte counts of one map entry.
type item struct {
	column              *column
	kinds               [4]int64
	count               int64
	names, tags, values int64
}

func (i *item) bytes() int64 { return i.names + i.tags + i.values }

// Limits of the names in a ledger.
const (
	maxColumns       = 10_000
	maxNameBytes     = 4 << 20
	maxReusedColumns = 1000 // columns of a worker ledger that may be reused
)

// newWorkerLedger returns a ledger for consecutive records of a type. names is shared by all of them.
func newWorkerLedger(t example.MessageType, names *message.Shared) *ledger {
	l := &ledger{typ: t, isPart: true}
	if t != example.TypeRaw {
		l.table = message.NewTable(t, names)
	}
	return l
}

// framing returns the bytes of lengths and checksums.
func (l *ledger) framing() int64 { return l.records * (tfrecord.HeaderSize + tfrecord.FooterSize) }

// total returns the bytes of all frames.
func (l *ledger) total() int64 {
	n := l.framing() + l.messages + l.unknown + l.payloads
	for _, c := range l.rows() {
		n += c.bytes()
	}
	return n
}

// rows returns the columns that are present, the largest first.
func (l *ledger) rows() []*column {
	all := slices.Clone(l.columns)
	if l.rest != nil {
		all = append(all, l.rest)
	}
	all = slices.DeleteFunc(all, func(c *column) bool { return c.Present == 0 })
	slices.SortFunc(all, func(a, b *column) int {
		return cmp.Or(cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// addRecord adds a record to a worker ledger. A record that does not decode is an error and adds nothing.
func (l *ledger) addRecord(record scan.Record) error {
	rec := record.Bytes
	if l.typ == example.TypeRaw {
		l.records++
		l.payloads += int64(len(rec))
		return nil
	}
	size, canonical := int64(0), false
	err := l.table.Read(rec, func(t *message.Table) (ok bool) {
		size, ok = l.weigh(t)
		// If the table holds a copy, the record was not canonical; other encodings may be shorter in places.
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
	l.addWeighed(int64(len(rec)) - size)
	return nil
}

// addWeighed adds the current recordWeights; excess is the number of excess bytes of the record.
func (l *ledger) addWeighed(excess int64) {
	l.records++
	l.messages += l.recordWeights.messages
	l.unknown += l.recordWeights.unknown
	l.excess += excess
	for i := range l.items {
		it, c := &l.items[i], l.items[i].column
		for k, n := range it.kinds {
			c.Kinds[k] += n
		}
		c.Present++
		c.Count += it.count
		c.Names += it.names
		c.Tags += it.tags
		c.Values += it.values
	}
}

// columnOfID returns the column of a name in the table.
func (l *ledger) columnOfID(t *message.Table, p message.Part, id int32) *column {
	if id < 0 {
		return l.columnFor(summary.Part(p), t.Name(p, id))
	}
	byID := l.byID[p]
	if n := t.Names(p) - len(byID); n > 0 {
		byID = append(byID, make([]*column, n)...)
		l.byID[p] = byID
	}
	if byID[id] == nil {
		byID[id] = l.columnFor(summary.Part(p), t.Name(p, id))
	}
	return byID[id]
}

// columnFor returns the column of a name, or rest beyond the limits of names.
func (l *ledger) columnFor(part summary.Part, name string) *column {
	if c := l.byName[part][name]; c != nil {
		return c
	}
	if !l.isPart && (len(l.columns) >= maxColumns || l.nameBytes+len(name) > maxNameBytes) {
		if l.rest == nil {
			l.rest = &column{}
		}
		return l.rest
	}
	if l.byName[part] == nil {
		l.byName[part] = map[string]*column{}
	}
	c := &column{Part: part, Name: name}
	l.byName[part][name] = c
	l.columns = append(l.columns, c)
	l.nameBytes += len(name)
	return c
}

// mergeLedger adds another ledger and empties it. It reports whether the other may be reused: it keeps its
// columns, so not beyond maxReusedColumns.
func (l *ledger) mergeLedger(part *ledger) (again bool) {
	l.records += part.records
	l.messages += part.messages
	l.unknown += part.unknown
	l.payloads += part.payloads
	l.excess += part.excess
	if part.rest != nil {
		if l.rest == nil {
			l.rest = &column{}
		}
		l.rest.addBytes(part.rest)
	}
	for _, p := range part.columns {
		if p.Present > 0 {
			l.columnFor(p.Part, p.Name).addBytes(p)
		}
		*p = column{Part: p.Part, Name: p.Name}
	}
	part.records, part.messages, part.unknown, part.payloads, part.excess, part.rest = 0, 0, 0, 0, 0, nil
	return len(part.columns) <= maxReusedColumns
}

// addBytes adds the counts of another column.
func (c *column) addBytes(p *column) {
	for k, n := range p.Kinds {
		c.Kinds[k] += n
	}
	c.Present += p.Present
	c.Count += p.Count
	c.Names += p.Names
	c.Tags += p.Tags
	c.Values += p.Values
	c.Excess += p.Excess
}

// weigh sets recordWeights for the message in the table as if it had its shortest encoding, and returns the
// size of that. ok is false if a value does not have its shortest encoding.
func (l *ledger) weigh(t *message.Table) (size int64, ok bool) {
	l.recordWeights = recordWeights{items: l.items[:0]}
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
		l.recordWeights.messages += bytes - entries
		size += bytes
	}
	return size, true
}

// weighEntry adds the item of a map entry, and returns the size of the entry.
func (l *ledger) weighEntry(t *message.Table, p message.Part, e *message.Entry) (size int64, ok bool) {
	l.items = append(l.items, item{column: l.columnOfID(t, p, e.ID)})
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

// weighAny sets recordWeights for a valid record in any encoding, field by field.
func (l *ledger) weighAny(rec []byte) {
	l.recordWeights = recordWeights{items: l.items[:0]}
	if l.typ == example.TypeExample {
		l.weighExample(summary.Top, rec, 0)
		return
	}
	l.eachField(rec, 0, func(f wire.Field, header int64) bool {
		switch {
		case f.Type != wire.TypeBytes || f.Num > 2:
			return false
		case l.typ == example.TypeExampleList:
			l.weighExample([]summary.Part{1: summary.Examples, 2: summary.Context}[f.Num], rec[:f.Hi], f.Lo)
		default:
			l.weighMap([]summary.Part{1: summary.Context, 2: summary.Lists}[f.Num], rec[:f.Hi], f.Lo)
		}
		l.recordWeights.messages += header
		return true
	})
}

// eachField calls take for each field of the message b[i:], with the size of its tag and length. A field for
// which take returns false is counted as unknown.
func (l *ledger) eachField(b []byte, i int, take func(f wire.Field, header int64) bool) {
	for i < len(b) {
		f, next := wire.Next(b, i)
		if next < 0 { // impossible in a valid record
			l.recordWeights.unknown += int64(len(b) - i)
			return
		}
		if !take(f, int64(f.Lo-i)) {
			l.recordWeights.unknown += int64(next - i)
		}
		i = next
	}
}

func isField1(f wire.Field) bool { return f.Type == wire.TypeBytes && f.Num == 1 }

func (l *ledger) weighExample(part summary.Part, b []byte, i int) {
	l.eachField(b, i, func(f wire.Field, header int64) bool {
		if !isField1(f) {
			return false
		}
		l.recordWeights.messages += header
		l.weighMap(part, b[:f.Hi], f.Lo)
		return true
	})
}

func (l *ledger) weighMap(part summary.Part, b []byte, i int) {
	l.eachField(b, i, func(f wire.Field, header int64) bool {
		if !isField1(f) {
			return false
		}
		it := item{tags: header}
		name := ""
		l.eachField(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
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
		it.column = l.columnFor(part, name)
		l.items = append(l.items, it)
		return true
	})
}

func (l *ledger) weighSteps(it *item, b []byte, i int) {
	l.eachField(b, i, func(f wire.Field, header int64) bool {
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
	l.eachField(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num > int32(example.Int64List) {
			return false
		}
		kind = example.Kind(f.Num)
		it.tags += header
		l.eachField(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
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
