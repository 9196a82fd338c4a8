package recordjson

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
)

// nameTable has the names of one part of the messages, with the kinds in the lines so far. Most lines
// have the same names in the same order, so a name is first compared with the name that followed the same
// name last time, before it is decoded and looked up.
type nameTable struct {
	index     map[string]int // into entries, by name
	entries   []knownName
	lastEntry int // index of the previous name; -1 at the start of an object
}

// knownName is a name that occurred in a line.
type knownName struct {
	quoted     string       // as in the first line that had it, with its quotes
	name       string       // as in the message
	member     bool         // a member of other messages also has this name
	position   bool         // a position member has this name
	given      example.Kind // the kind given to NewEncoder, or Unset
	kinds      uint8        // kinds in the lines so far, one bit per example.Kind
	lastObject uint64       // value of Encoder.objects for the last object that has the name
	following  int          // index of the name that followed it last time; -1: none
}

// maxNames is the approximate maximum number of names in a nameTable.
const maxNames = 1 << 14

// beginObject starts an object; line is true for the object of the whole line.
func (n *nameTable) beginObject(line bool) {
	if line && len(n.entries) > maxNames {
		clear(n.index)
		n.entries = n.entries[:0]
	}
	n.lastEntry = -1
}

// expectedName returns the index of the name that followed the previous name last time, or -1.
func (n *nameTable) expectedName() int {
	i := 0
	if n.lastEntry >= 0 {
		i = n.entries[n.lastEntry].following
	}
	if i >= len(n.entries) {
		return -1
	}
	return i
}

// addName adds a name. quoted is the name as in the line.
func (n *nameTable) addName(name, quoted string, given map[string]example.Kind) int {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	i := len(n.entries)
	member := name == "context" || name == "feature_lists" || name == "examples"
	n.entries = append(n.entries, knownName{
		name: name, quoted: quoted, given: given[name], member: member, position: jsonscan.IsPosition([]byte(name)), following: -1})
	n.index[name] = i
	return i
}

// setFollowing records that name i follows the previous name.
func (n *nameTable) setFollowing(i int) {
	if n.lastEntry >= 0 {
		n.entries[n.lastEntry].following = i
	}
	n.lastEntry = i
}

// NewKind is the kind of a feature, reported for the first line that has it.
type NewKind struct {
	Part  string // "", "context", "feature_lists" or "examples"
	Name  string
	Kind  example.Kind
	Named bool // the line names the kind, as in the typed form
}

// noteKind adds the kind of a feature to e.newKinds if no earlier line had it.
func (e *Encoder) noteKind(n *nameTable, i int, kind example.Kind) {
	k := &n.entries[i]
	if bit := uint8(1) << kind; kind != example.Unset && k.kinds&bit == 0 {
		k.kinds |= bit
		e.newKinds = append(e.newKinds, NewKind{e.partOf(n), k.name, kind, e.isTyped})
	}
}

// partOf returns the part of the message whose names n has.
func (e *Encoder) partOf(n *nameTable) string {
	switch {
	case n == &e.lists:
		return "feature_lists"
	case n == &e.examples:
		return "examples"
	}
	return e.part
}

// NewKinds returns the kinds of features that first occurred in the last line, valid until the next
// Append.
func (e *Encoder) NewKinds() []NewKind { return e.newKinds }

// Forget resets the kinds of the last line, for a line that is dropped: NewKinds returns
// them again for the next line that has them.
func (e *Encoder) Forget() {
	for _, s := range e.newKinds {
		n := &e.features
		switch s.Part {
		case "feature_lists":
			n = &e.lists
		case "examples":
			n = &e.examples
		}
		n.entries[n.index[s.Name]].kinds &^= 1 << s.Kind
	}
	e.newKinds = e.newKinds[:0]
}

// entries are the encoded entries of a map of features, or of feature lists.
type entries struct {
	buf    []byte  // the entries in the order in which they were added
	list   []entry // their bounds
	sorted bool    // the names are in order
}

// An entry is a range of entries.buf.
type entry struct {
	lo, hi     int // bounds of the entry
	name, next int // bounds of its name
}

func (m *entries) reset() {
	m.buf, m.list, m.sorted = m.buf[:0], m.list[:0], true
}

// add adds an entry with a name and an encoded value.
func (m *entries) add(name string, value []byte) {
	key, val := wire.SizeField(int64(len(name))), wire.SizeField(int64(len(value)))
	e := entry{lo: len(m.buf)}
	b := wire.AppendHeader(m.buf, 1, key+val)
	b = wire.AppendHeader(b, 1, int64(len(name)))
	e.name = len(b)
	b = append(b, name...)
	e.next = len(b)
	b = wire.AppendHeader(b, 2, int64(len(value)))
	m.buf = append(b, value...)
	e.hi = len(m.buf)
	if n := len(m.list); n > 0 && m.sorted {
		before := &m.list[n-1]
		m.sorted = bytes.Compare(m.buf[before.name:before.next], m.buf[e.name:e.next]) < 0
	}
	m.list = append(m.list, e)
}

// append appends the map as a field, sorted by names; nothing if it is empty.
func (m *entries) append(dst []byte, field int32) []byte {
	if len(m.list) == 0 {
		return dst
	}
	dst = wire.AppendHeader(slices.Grow(dst, int(wire.SizeField(int64(len(m.buf))))), field, int64(len(m.buf)))
	if m.sorted {
		return append(dst, m.buf...)
	}
	slices.SortFunc(m.list, func(x, y entry) int {
		return bytes.Compare(m.buf[x.name:x.next], m.buf[y.name:y.next])
	})
	for _, e := range m.list {
		dst = append(dst, m.buf[e.lo:e.hi]...)
	}
	return dst
}

// A nameOrder sorts the features of records by name. It remembers the order of the names from record
// to record: most writers have an order of their own, and sorting the same names again took half
// of the time of printing. TestOrder compares it with [example.MessageType.Collect].
type nameOrder struct {
	names map[string]int // place of a name: its index among all names, sorted
	slots []orderSlot    // by place
	turn  uint64         // ordinal of the record, from 1

	scanned []example.Entry // in the order of the message
	sorted  []example.Entry // in the order of names
}

// An orderSlot is the entry of a name in one record.
type orderSlot struct {
	at   int    // index of the entry in nameOrder.scanned
	turn uint64 // ordinal of the record, from 1
}

// maxOrder is the maximum number of names that are remembered. Records with other names are sorted by Collect.
const maxOrder = 1024

// collectSorted returns the features that t.Collect returns, lent until the next call.
func (o *nameOrder) collectSorted(t example.MessageType, msg []byte) ([]example.Entry, error) {
	o.turn++
	o.scanned, o.sorted = o.scanned[:0], o.sorted[:0]
	sorted := true
	scan := t.Scan(msg)
	for scan.Next() {
		name := scan.Name()
		if n := len(o.scanned); n > 0 && bytes.Compare(o.scanned[n-1].Name, name) >= 0 {
			sorted = false
		}
		o.scanned = append(o.scanned, example.Entry{Name: name, Feature: scan.Feature()})
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if sorted {
		return o.scanned, nil
	}
	if !o.placeEntries() {
		var err error
		o.sorted, err = t.Collect(o.sorted, msg)
		return o.sorted, err
	}
	for i := range o.slots {
		if o.slots[i].turn == o.turn {
			o.sorted = append(o.sorted, o.scanned[o.slots[i].at])
		}
	}
	return o.sorted, nil
}

// placeEntries puts the scanned entries into slots. It returns false for a name that is new or
// repeated.
func (o *nameOrder) placeEntries() bool {
	for i := range o.scanned {
		place, ok := o.names[string(o.scanned[i].Name)]
		if !ok {
			o.addNames()
			return false
		}
		if o.slots[place].turn == o.turn {
			return false
		}
		o.slots[place] = orderSlot{i, o.turn}
	}
	return true
}

// addNames adds the names of the scanned record, unless there are too many.
func (o *nameOrder) addNames() {
	if len(o.names) >= maxOrder {
		return
	}
	names := make([]string, 0, len(o.names)+len(o.scanned))
	for name := range o.names {
		names = append(names, name)
	}
	for _, e := range o.scanned {
		names = append(names, string(e.Name))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxOrder {
		return
	}
	o.names = make(map[string]int, len(names))
	for i, name := range names {
		o.names[name] = i
	}
	o.slots = make([]orderSlot, len(names))
}
