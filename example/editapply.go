package example

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// A hit is an entry of the message with the name of a change; change is -1 for one that no
// change speaks of, and that is deleted.
type hit struct{ change, at, end int }

// mapBounds are where a map of features has its tag and its body.
type mapBounds struct{ tag, lo, hi int }

// A splice replaces msg[at:end] by the new entry of a change, or by nothing if change is -1.
type splice struct{ at, end, change int }

func (e *Edit) apply(dst []byte, s Scanner) ([]byte, error) {
	if err := e.begin(s.want == fieldLists); err != nil {
		return dst, err
	}
	if err := e.scan(&s); err != nil {
		return dst, err
	}
	s.quiet = false // part names the map that is edited
	if err := e.plan(s.part()); err != nil {
		return dst, err
	}
	return e.write(dst, s.msg, s.want)
}

// begin checks the changes and forgets the message before.
func (e *Edit) begin(lists bool) error {
	if e.err != nil {
		return e.err
	}
	for i := range e.changes {
		c := &e.changes[i]
		if !e.linked && c.has != fromNone {
			c.source, _ = e.search(c.from)
		}
		if c.set && lists {
			return &Error{Path: PathTo("", string(c.name)), Err: ErrValue, Want: "a feature list", Got: "a value"}
		}
		c.found, c.insert = false, -1
	}
	e.linked = true
	e.inserts = -1
	e.next, e.hits, e.maps, e.splices = 0, e.hits[:0], e.maps[:0], e.splices[:0]
	return nil
}

// scan finds the entries that changes speak of.
func (e *Edit) scan(s *Scanner) error {
	for s.err == nil {
		if s.pos >= s.end {
			if !s.enter() {
				break
			}
			if !s.quiet {
				e.maps = append(e.maps, mapBounds{s.tag, s.pos, s.end})
			}
			continue
		}
		at := s.pos
		if !s.entry() || s.quiet {
			continue
		}
		i := e.locate(s.Name(), at)
		if i >= 0 {
			c := &e.changes[i]
			if err := c.see(s); err != nil {
				return err
			}
			c.last = len(e.hits)
		} else if !e.keep {
			continue
		} else if n := len(e.hits) - 1; n >= 0 && e.hits[n].change < 0 && e.hits[n].end == at && e.inserts != at {
			e.hits[n].end = s.pos
			continue
		}
		e.hits = append(e.hits, hit{i, at, s.pos})
	}
	return s.Err()
}

// locate returns the change of a name, or -1. It replaces a search for each entry: names are
// sorted in what every writer writes, so that one or two comparisons are enough.
func (e *Edit) locate(name []byte, at int) int {
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
		byName := func(c change, name []byte) int { return bytes.Compare(c.name, name) }
		if i, ok := slices.BinarySearchFunc(e.changes[:k], name, byName); ok {
			return i
		}
	}
	return -1
}

// see notes the value of the entry that s stands at, in place of that of an earlier one.
func (c *change) see(s *Scanner) error {
	f := s.Feature()
	if c.found {
		var err error
		if s.want == fieldLists {
			err = FeatureList{b: c.value.b, off: c.value.off}.sound()
		} else {
			f, err = f.Replace(c.value)
		}
		if err != nil {
			return in(err, s.part(), string(c.name))
		}
	}
	c.found, c.value = true, f
	return nil
}

// losesKind reports whether the feature is sound, and refused only because an earlier one of
// its name has a kind.
func (f Feature) losesKind() bool {
	if f.flags&replaces == 0 {
		return false
	}
	v, err := f.sound()
	return err == nil && v.kind == Unset && v.dropped == nil
}

// writes reports whether a change writes an entry into the message at hand.
func (e *Edit) writes(c *change) bool {
	return c.set || c.has != fromNone && e.changes[c.source].found
}

// removes reports whether a change removes the entries of its name.
func (e *Edit) removes(c *change) bool { return c.drop || e.keep && !c.keep }

// plan makes the splices.
func (e *Edit) plan(part string) error {
	for i := range e.changes {
		c := &e.changes[i]
		if c.found && c.value.losesKind() {
			return in(c.value.Validate(), part, string(c.name))
		}
		if !e.writes(c) {
			continue
		}
		switch at := c.insert; {
		case c.found && c.has == fromRename && !e.removes(c):
			err := &Error{Path: PathTo(part, string(c.name)), Err: ErrValue,
				Want: "no feature of this name, to which " + strconv.Quote(c.from) + " is renamed", Got: "one"}
			err.Byte = c.value.off
			return err
		case c.found: // in its place
		case at < 0 && len(e.maps) > 0:
			end := e.maps[len(e.maps)-1].hi
			e.splices = append(e.splices, splice{end, end, i})
		default:
			e.splices = append(e.splices, splice{max(at, 0), max(at, 0), i})
		}
	}
	for i, h := range e.hits {
		change := -1
		if h.change >= 0 {
			c := &e.changes[h.change]
			writes := e.writes(c)
			if !writes && !e.removes(c) {
				continue
			}
			if writes && c.last == i { // the others of the name are removed
				change = h.change
			}
		}
		e.splices = append(e.splices, splice{h.at, h.end, change})
	}
	byPlace := func(a, b splice) int { return a.at - b.at }
	if !slices.IsSortedFunc(e.splices, byPlace) {
		slices.SortStableFunc(e.splices, byPlace) // stable: what is new in one place is sorted by name
	}
	return nil
}

// write appends the message with its splices.
func (e *Edit) write(dst, msg []byte, field int32) ([]byte, error) {
	added := int64(0)
	for _, s := range e.splices {
		added += e.size(s)
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
		return dst, tooLarge(size)
	}
	before := len(dst)
	dst = slices.Grow(dst, len(msg)+int(added))
	pos, k := 0, 0
	for _, m := range e.maps {
		first, size := k, int64(m.hi-m.lo)
		for ; k < len(e.splices) && e.splices[k].end <= m.hi; k++ {
			size += e.size(e.splices[k]) - int64(e.splices[k].end-e.splices[k].at)
		}
		if k == first {
			continue
		}
		dst = append(dst, msg[pos:m.tag]...)
		if size > 0 { // else the encoder writes none
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
		return dst[:before], tooLarge(size)
	}
	return dst, nil
}

// size is the size of the new entry of a splice.
func (e *Edit) size(s splice) int64 {
	if s.change < 0 {
		return 0
	}
	c := &e.changes[s.change]
	if c.set {
		return int64(len(c.text))
	}
	return wire.SizeField(bodySize(c.name, e.changes[c.source].value.b))
}

// appendNew appends the new entry of a splice.
func (e *Edit) appendNew(dst []byte, s splice) []byte {
	if s.change < 0 {
		return dst
	}
	c := &e.changes[s.change]
	if c.set {
		return append(dst, c.text...)
	}
	return appendEntry(dst, c.name, e.changes[c.source].value.b)
}

// bodySize is the size of an entry of a map without its tag and length.
func bodySize(name, value []byte) int64 {
	return wire.SizeField(int64(len(name))) + wire.SizeField(int64(len(value)))
}

// appendEntry appends an entry of a map.
func appendEntry(dst, name, value []byte) []byte {
	dst = wire.AppendHeader(dst, 1, bodySize(name, value))
	dst = append(wire.AppendHeader(dst, 1, int64(len(name))), name...)
	return append(wire.AppendHeader(dst, 2, int64(len(value))), value...)
}
