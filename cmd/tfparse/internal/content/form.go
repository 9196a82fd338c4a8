package content

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/wire"
)

// A Former encodes records of one type in the normal form. It belongs to one goroutine.
type Former struct {
	typ   example.MessageType
	table *message.Table              // the current record
	names [message.NumParts]partNames // by part

	inner  []byte          // buffer for an Example in a list
	byRank []message.Entry // entries by rank, for sort; empty between calls
}

// partNames caches data about the names of a part, by name ID.
type partNames struct {
	heads    [][]byte // by name ID: the bytes of an entry before the length of its value
	ranks    []int32  // ranks among all names; new names have none yet
	unranked int      // number of entries sorted by name since ranks was made
}

// NewFormer returns a Former for records of a type, which must not be [example.TypeAuto].
func NewFormer(t example.MessageType) *Former {
	return &Former{typ: t, table: message.NewTable(t, new(message.Shared))}
}

// Type returns the type of the records.
func (f *Former) Type() example.MessageType { return f.typ }

// Append appends the normal form of a record to dst. On an error, which is that of [example.MessageType.Validate], it
// returns dst unchanged.
func (f *Former) Append(dst, rec []byte) ([]byte, error) {
	switch f.typ {
	case example.TypeRaw:
		return append(dst, rec...), nil
	case example.TypeExample, example.TypeSequence, example.TypeExampleList:
	default:
		return dst, fmt.Errorf("records of type %v have no normal form", f.typ)
	}
	n := len(dst)
	err := f.table.Read(rec, func(t *message.Table) bool {
		var ok bool
		dst, ok = f.appendMessage(dst[:n], t)
		return ok
	})
	if err != nil {
		return dst[:n], err
	}
	return dst, nil
}

// appendMessage appends the normal form of the message in the table. It reports false for a value that is not in its
// shortest encoding.
func (f *Former) appendMessage(dst []byte, t *message.Table) (_ []byte, ok bool) {
	for i := range t.Maps {
		m := &t.Maps[i]
		switch {
		case m.Part == message.Lists:
			dst, ok = f.appendMap(dst, t, m, 2)
		case t.HasContext && m.Part == message.Context:
			dst, ok = f.appendExample(dst, t, m, 2)
		case m.Part == message.Examples:
			dst, ok = f.appendExample(dst, t, m, 1)
		case f.typ == example.TypeExampleList: // an absent context
			ok = true
		default:
			dst, ok = f.appendMap(dst, t, m, 1)
		}
		if !ok {
			return dst, false
		}
	}
	return dst, true
}

// appendExample appends an Example as an element of a list.
func (f *Former) appendExample(dst []byte, t *message.Table, m *message.Map, field int32) (_ []byte, ok bool) {
	if f.inner, ok = f.appendMap(f.inner[:0], t, m, 1); !ok {
		return dst, false
	}
	return append(wire.AppendHeader(dst, field, int64(len(f.inner))), f.inner...), true
}

// appendMap appends a map field, unless the map is empty.
func (f *Former) appendMap(dst []byte, t *message.Table, m *message.Map, field int32) ([]byte, bool) {
	entries := t.Entries[m.Lo:m.Hi]
	if len(entries) == 0 {
		return dst, true
	}
	names := &f.names[m.Part]
	for id := len(names.heads); id < t.Names(m.Part); id++ {
		names.heads = append(names.heads, entryHead(t.Name(m.Part, int32(id))))
	}
	size, ranked, sorted, last := int64(0), true, true, int32(-1)
	for i := range entries {
		e := &entries[i]
		if ranked = ranked && uint(e.ID) < uint(len(names.ranks)); ranked {
			rank := names.ranks[e.ID]
			sorted, last = sorted && last < rank, rank
		}
		ok := false
		if m.Part == message.Lists {
			ok = canonical.ShortestSteps(t.Bytes[:e.Hi], e.Lo)
		} else {
			_, ok = canonical.Measure(t.Bytes[:e.Hi], e.Lo)
		}
		if !ok {
			return dst, false
		}
		size += wire.SizeField(entrySize(names.head(t, m.Part, e.ID), e))
	}
	switch {
	case !ranked:
		byName := func(a, b message.Entry) int { return cmp.Compare(t.Name(m.Part, a.ID), t.Name(m.Part, b.ID)) }
		slices.SortFunc(entries, byName)
		names.rank(t, m.Part, len(entries))
	case !sorted:
		entries = f.sort(entries, names.ranks)
	}
	dst = slices.Grow(wire.AppendHeader(dst, field, size), int(size))
	for i := range entries {
		e := &entries[i]
		head := names.head(t, m.Part, e.ID)
		dst = wire.AppendHeader(dst, 1, entrySize(head, e))
		dst = wire.AppendVarint(append(dst, head...), uint64(e.Hi-e.Lo))
		dst = append(dst, t.Bytes[e.Lo:e.Hi]...)
	}
	return dst, true
}

// entrySize returns the size of an entry that begins with head.
func entrySize(head []byte, e *message.Entry) int64 {
	value := int64(e.Hi - e.Lo)
	return int64(len(head)+wire.SizeVarint(uint64(value))) + value
}

// sort sorts entries by rank. For few entries among many names it compares ranks; otherwise it puts entries into a
// table by rank, which takes half the time for 40 shuffled names.
func (f *Former) sort(entries []message.Entry, ranks []int32) []message.Entry {
	if len(ranks) > 8*len(entries) {
		slices.SortFunc(entries, func(a, b message.Entry) int { return cmp.Compare(ranks[a.ID], ranks[b.ID]) })
		return entries
	}
	for len(f.byRank) < len(ranks) {
		f.byRank = append(f.byRank, message.Entry{})
	}
	byRank := f.byRank[:len(ranks)]
	for _, e := range entries {
		byRank[ranks[e.ID]] = e
	}
	sorted := entries[:0]
	for i := range byRank {
		if e := &byRank[i]; e.Hi > 0 { // Hi > 0 for every entry, since a value follows its name
			sorted = append(sorted, *e)
			e.Hi = 0
		}
	}
	return sorted
}

// rank assigns ranks to all names, once the entries sorted by name have cost as much. So it does not sort all names for
// each record if each record has new names.
func (n *partNames) rank(t *message.Table, p message.Part, entries int) {
	count := t.Names(p)
	if n.unranked += entries; n.unranked <= 2*count || count == len(n.ranks) {
		return
	}
	byName := make([]int32, count)
	for id := range byName {
		byName[id] = int32(id)
	}
	slices.SortFunc(byName, func(i, j int32) int { return cmp.Compare(t.Name(p, i), t.Name(p, j)) })
	n.ranks, n.unranked = slices.Grow(n.ranks[:0], count)[:count], 0
	for rank, id := range byName {
		n.ranks[id] = int32(rank)
	}
}

// head returns the encoded beginning of the entry of a name.
func (n *partNames) head(t *message.Table, p message.Part, id int32) []byte {
	if id >= 0 {
		return n.heads[id]
	}
	return entryHead(t.Name(p, id)) // the table does not list it
}

// entryHead encodes the beginning of an entry.
func entryHead(name string) []byte {
	head := append(wire.AppendHeader(nil, 1, int64(len(name))), name...)
	return append(head, canonical.Tag2)
}
