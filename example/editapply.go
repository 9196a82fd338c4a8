package example

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// An editedEntry is an entry of the message whose name has a change, or one or more entries that
// Keep deletes.
type editedEntry struct {
	change  int // index of the change; -1: Keep deletes the entries
	at, end int // bounds in the message
}

// mapBounds is the position of a map in the message.
type mapBounds struct {
	tag    int // offset of the field
	lo, hi int // bounds of its body
}

// A splice replaces a part of the message.
type splice struct {
	at, end int // bounds of the part in the message
	change  int // index of the change whose new entry replaces the part; -1: the part is removed
}

// applyToMap applies the Edit to the map that a scanner walks.
func (e *Edit) applyToMap(dst []byte, s Scanner) ([]byte, error) {
	if err := e.prepare(s.wanted == fieldLists); err != nil {
		return dst, err
	}
	if err := e.scanEntries(&s); err != nil {
		return dst, err
	}
	s.skipping = false // so that partName returns the map that is edited
	if err := e.planSplices(s.partName()); err != nil {
		return dst, err
	}
	return e.writeMessage(dst, s.msg, s.wanted)
}

// prepare checks the changes and resets the state of the last message.
func (e *Edit) prepare(lists bool) error {
	if e.err != nil {
		return e.err
	}
	for i := range e.changes {
		c := &e.changes[i]
		if !e.indexed && c.source != noSource {
			c.sourceIndex, _ = e.searchName(c.from)
		}
		if c.set && lists {
			return &Error{Path: PathTo("", string(c.name)), Err: ErrValue, Want: "a feature list", Got: "a value"}
		}
		c.found, c.insert = false, -1
	}
	e.indexed = true
	e.inserts = -1
	e.next, e.entries, e.maps, e.splices = 0, e.entries[:0], e.maps[:0], e.splices[:0]
	return nil
}

// scanEntries finds the entries whose names have a change.
func (e *Edit) scanEntries(s *Scanner) error {
	for s.err == nil {
		if s.pos >= s.end {
			if !s.enterMap() {
				break
			}
			if !s.skipping {
				e.maps = append(e.maps, mapBounds{s.tag, s.pos, s.end})
			}
			continue
		}
		at := s.pos
		if !s.readEntry() || s.skipping {
			continue
		}
		i := e.findChange(s.Name(), at)
		if i >= 0 {
			c := &e.changes[i]
			if err := c.noteValue(s); err != nil {
				return err
			}
			c.lastEntry = len(e.entries)
		} else if e.filter == nil && !e.keep || e.filter != nil && e.filter(s.Name()) {
			continue
		} else if n := len(e.entries) - 1; n >= 0 && e.entries[n].change < 0 && e.entries[n].end == at && e.inserts != at {
			e.entries[n].end = s.pos
			continue
		}
		e.entries = append(e.entries, editedEntry{i, at, s.pos})
	}
	return s.Err()
}

// findChange returns the index of the change of a name, or -1. Names of a canonical encoding are
// sorted, so that one or two comparisons with the next changes replace a search.
func (e *Edit) findChange(name []byte, at int) int {
	k := e.next
	for ; k < len(e.changes); k++ {
		c := bytes.Compare(name, e.changes[k].name)
		if c < 0 {
			break
		}
		if c == 0 {
			e.next = k + 1
			return k
		}
		if e.changes[k].insert < 0 {
			e.changes[k].insert, e.inserts = at, at
		}
	}
	e.next = k
	if k > 0 && bytes.Compare(name, e.changes[k-1].name) <= 0 { // not sorted, or repeated
		byName := func(c editChange, name []byte) int { return bytes.Compare(c.name, name) }
		if i, ok := slices.BinarySearchFunc(e.changes[:k], name, byName); ok {
			return i
		}
	}
	return -1
}

// noteValue keeps the value of the current entry, in place of the value of an earlier entry.
func (c *editChange) noteValue(s *Scanner) error {
	f := s.Feature()
	if c.found {
		var err error
		if s.wanted == fieldLists {
			err = FeatureList{b: c.value.b, off: c.value.off}.checkConforming()
		} else {
			f, err = f.Replace(c.value)
		}
		if err != nil {
			return addPath(err, s.partName(), string(c.name))
		}
	}
	c.found, c.value = true, f
	return nil
}

// losesKind reports whether the only error of a feature is that it has no kind and an earlier feature of its name
// has one.
func (f Feature) losesKind() bool {
	if f.flags&replaces == 0 {
		return false
	}
	v, err := f.checkConforming()
	return err == nil && v.kind == Unset && v.lost == nil
}

// writes reports whether a change writes an entry into the current message.
func (e *Edit) writes(c *editChange) bool {
	return c.set || c.source != noSource && e.changes[c.sourceIndex].found
}

// removes reports whether a change removes the entries of its name.
func (e *Edit) removes(c *editChange) bool { return c.remove || e.keep && !c.keep }

// planSplices makes the splices of the message.
func (e *Edit) planSplices(part string) error {
	for i := range e.changes {
		c := &e.changes[i]
		if c.found && c.value.losesKind() {
			return addPath(c.value.Validate(), part, string(c.name))
		}
		if !e.writes(c) {
			continue
		}
		switch at := c.insert; {
		case c.found && c.source == renameSource && !e.removes(c):
			err := &Error{Path: PathTo(part, string(c.name)), Err: ErrValue,
				Want: "no feature of this name, to which " + strconv.Quote(c.from) + " is renamed", Got: "one"}
			err.Byte = c.value.off
			return err
		case c.found: // the new entry replaces the old one
		case at < 0 && len(e.maps) > 0:
			end := e.maps[len(e.maps)-1].hi
			e.splices = append(e.splices, splice{end, end, i})
		default:
			e.splices = append(e.splices, splice{max(at, 0), max(at, 0), i})
		}
	}
	for i, h := range e.entries {
		change := -1
		if h.change >= 0 {
			c := &e.changes[h.change]
			writes := e.writes(c)
			if !writes && !e.removes(c) {
				continue
			}
			if writes && c.lastEntry == i { // earlier entries of the name are removed
				change = h.change
			}
		}
		e.splices = append(e.splices, splice{h.at, h.end, change})
	}
	byPlace := func(a, b splice) int { return a.at - b.at }
	if !slices.IsSortedFunc(e.splices, byPlace) {
		slices.SortStableFunc(e.splices, byPlace) // stable: new entries at one offset are sorted by name
	}
	return nil
}

// writeMessage appends the message with its splices.
func (e *Edit) writeMessage(dst, msg []byte, field int32) ([]byte, error) {
	added := int64(0)
	for _, s := range e.splices {
		added += e.entrySize(s)
	}
	if len(e.maps) == 0 && added > 0 {
		// There is no map yet. The context goes before the feature lists, as it does in
		// every encoder.
		at := 0
		if field == fieldLists {
			at = len(msg)
		}
		e.maps = append(e.maps, mapBounds{at, at, at})
		for i := range e.splices {
			e.splices[i].at, e.splices[i].end = at, at
		}
	}
	if size := int64(len(msg)) + added; size > maxSize {
		return dst, errSize(size)
	}
	before := len(dst)
	dst = slices.Grow(dst, len(msg)+int(added))
	pos, k := 0, 0
	for _, m := range e.maps {
		first, size := k, int64(m.hi-m.lo)
		for ; k < len(e.splices) && e.splices[k].end <= m.hi; k++ {
			size += e.entrySize(e.splices[k]) - int64(e.splices[k].end-e.splices[k].at)
		}
		if k == first {
			continue
		}
		dst = append(dst, msg[pos:m.tag]...)
		if size > 0 { // encoders write no empty map
			dst = wire.AppendHeader(dst, field, size)
		}
		from := m.lo
		for _, s := range e.splices[first:k] {
			dst = e.appendNew(append(dst, msg[from:s.at]...), s)
			from = s.end
		}
		dst = append(dst, msg[from:m.hi]...)
		pos = m.hi
	}
	dst = append(dst, msg[pos:]...)
	if size := int64(len(dst) - before); size > maxSize { // the length of the map grew
		return dst[:before], errSize(size)
	}
	return dst, nil
}

// entrySize returns the size of the new entry of a splice.
func (e *Edit) entrySize(s splice) int64 {
	if s.change < 0 {
		return 0
	}
	c := &e.changes[s.change]
	if c.set {
		return int64(len(c.entry))
	}
	return wire.SizeField(bodySize(c.name, e.changes[c.sourceIndex].value.b))
}

// appendNew appends the new entry of a splice.
func (e *Edit) appendNew(dst []byte, s splice) []byte {
	if s.change < 0 {
		return dst
	}
	c := &e.changes[s.change]
	if c.set {
		return append(dst, c.entry...)
	}
	return appendEntry(dst, c.name, e.changes[c.sourceIndex].value.b)
}

// bodySize returns the size of a map entry without its tag and length.
func bodySize(name, value []byte) int64 {
	return wire.SizeField(int64(len(name))) + wire.SizeField(int64(len(value)))
}

// appendEntry appends an entry of a map.
func appendEntry(dst, name, value []byte) []byte {
	dst = wire.AppendHeader(dst, 1, bodySize(name, value))
	dst = append(wire.AppendHeader(dst, 1, int64(len(name))), name...)
	return append(wire.AppendHeader(dst, 2, int64(len(value))), value...)
}
