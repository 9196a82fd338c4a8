package record

import (
	"encoding/binary"
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// The quick way to check a record. It knows the one form that every writer writes: every
// field in its usual place and in one piece, every name once. Of any other form, and of
// nearly anything that is wrong, it says no, and the record is checked again by the obvious
// way, which says what there is to say.

// An ask is what the quick way asks of one name.
type ask struct {
	op          op
	tag         byte // of the list; 0: of any kind
	never       bool // it should not be there
	skipped     bool // nobody looks into it
	required    bool
	numbers     bool  // its values are kept for links
	linked      bool  // how many they are is kept for links and groups
	ranged      bool  // its numbers have a range
	noNaN       bool  // and no NaN
	zeroOrOne   bool  // its floats
	worded      bool  // there is something to ask of its strings
	least, most int64 // values in a feature, or in a frame
	low, high   int64
	from, to    float32
	frames      bounds // of a feature list
	entry       *entry
}

// An op is what is tried first with a feature: most have one value.
type op uint8

const (
	anyOp     op = iota
	anyInt       // one integer, if there is one value
	intIn        // one in a range
	anyFloat     // one float
	anyString    // one string
)

// compile chooses the op.
func (a *ask) compile() {
	if a.never || a.skipped || a.linked || a.least > 1 || a.most < 1 {
		return
	}
	switch {
	case a.tag == canonical.Int64Tag && a.ranged:
		a.op = intIn
	case a.tag == canonical.Int64Tag:
		a.op = anyInt
	case a.tag == canonical.FloatTag && !a.ranged:
		a.op = anyFloat
	case a.tag == canonical.BytesTag && !a.worded:
		a.op = anyString
	}
}

// quickTable is what the quick way knows of the names of a table.
type quickTable struct {
	index    *canonical.Index
	asks     []ask
	required int
	linked   []int // entries whose slots links and groups look at
}

// compileQuick makes a quickTable. level is that of the values in a feature.
func (t *table) compileQuick(closed bool, level int) (q quickTable) {
	names := make([]string, len(t.entries))
	q.asks = make([]ask, len(t.entries))
	for i := range t.entries {
		e := &t.entries[i]
		names[i] = e.name
		q.asks[i] = e.ask(closed, level)
		q.asks[i].compile()
		if e.required {
			q.required++
		}
		if q.asks[i].linked {
			q.linked = append(q.linked, i)
		}
	}
	q.index = canonical.NewIndex(names)
	return q
}

func (e *entry) ask(closed bool, level int) ask {
	a := ask{
		never: e.outside || e.unknown && closed, required: e.required, numbers: e.numbers, linked: e.numbers || e.lengthsOnly,
		most: math.MaxInt64, frames: bounds{0, math.MaxInt64}, entry: e,
	}
	if e.ignored {
		a.skipped = !a.linked
		return a
	}
	if e.kind != example.Unset {
		a.tag = byte(e.kind)<<3 | 2
	}
	if level < len(e.counts) {
		a.least, a.most = e.counts[level].min, e.counts[level].max
	}
	switch {
	case level == 0 && e.fixed >= 0:
		a.least, a.most = max(a.least, e.fixed), min(a.most, e.fixed)
	case level == 1:
		if len(e.counts) > 0 {
			a.frames = e.counts[0]
		}
		if e.fixed >= 0 {
			a.frames = bounds{max(a.frames.min, e.fixed), min(a.frames.max, e.fixed)}
		}
	}
	switch e.domain {
	case intRange:
		a.ranged, a.low, a.high = e.ints != unbounded, e.ints.min, e.ints.max
	case boolInts:
		a.ranged, a.low, a.high = true, 0, 1
	case floatRange:
		a.ranged, a.from, a.to, a.noNaN = true, e.low, e.high, e.noNaN
		if e.noInf {
			a.from, a.to = max(a.from, -math.MaxFloat32), min(a.to, math.MaxFloat32)
		}
	case boolFloats:
		a.ranged, a.zeroOrOne = true, true
	case oneOf, byteSize, intStrings, floatStrings:
		a.worded = true
	}
	return a
}

// quick checks a record in the usual form. All that it may find is names that the schema
// does not have, and names that are not there. It returns false if it is not sure of
// anything else; then what it has found does not count.
func (c *Checker) quick(s *scratch, record []byte) bool {
	c.startQuick(s)
	lists := false
	for i := 0; i < len(record); {
		if lo, hi, ok := canonical.Message(record, i, canonical.Tag1); ok {
			if !c.quickMap(s, record[:hi], lo) || lists && s.found != nil { // names of the context come first
				return false
			}
			i = hi
			continue
		}
		lo, hi, ok := canonical.Message(record, i, canonical.Tag2)
		if !ok || c.message != example.TypeSequence || !c.quickListMap(s, record[:hi], lo) {
			return false
		}
		lists = true
		i = hi
	}
	if !c.quickLinks(s) {
		return false
	}
	if s.required < c.quickFeatures.required+c.quickLists.required {
		c.missing(s)
	}
	return true
}

// startQuick makes a scratch ready for the quick way.
func (c *Checker) startQuick(s *scratch) {
	s.round += 2
	s.walk.Start()
	s.listWalk.Start()
	s.kept, s.cells, s.required = s.kept[:0], s.cells[:0], 0
	s.found, s.max = nil, c.max
	for _, i := range c.quickFeatures.linked {
		s.features[i] = slot{}
	}
	for _, i := range c.quickLists.linked {
		s.lists[i] = slot{}
	}
}

// missing tells of names that are not there.
func (c *Checker) missing(s *scratch) {
	for i := range c.features.entries {
		if e := &c.features.entries[i]; e.required && s.seen[i] <= s.round {
			p := place{s: s, e: e, frame: -1, at: -1}
			if s.seen[i] == s.round {
				p.at = s.features[i].offset
			}
			p.missing("a feature that is always there")
		}
	}
	for i := range c.lists.entries {
		if e := &c.lists.entries[i]; e.required && s.listSeen[i] < s.round {
			place{s: s, e: e, frame: -1, at: -1}.missing("a feature list that is always there")
		}
	}
}

// present is added to the round in which a name was seen with a kind.
const present = 1

// quickMap checks the entries of the map of features b[i:].
func (c *Checker) quickMap(s *scratch, b []byte, i int) bool {
	asks := c.quickFeatures.asks
	found, others, ok := s.walk.Map(b, i)
	if !ok {
		return false
	}
	if others > 0 && c.closed && !c.strangers(s, b, i) {
		return false
	}
	for _, k := range found {
		k := int(k)
		lo, hi, _ := s.walk.Value(k)
		a := &asks[k]
		s.seen[k] = s.round + present
		if a.one(b, lo, hi) {
			if a.required {
				s.required++
			}
			continue
		}
		if a.never {
			return false
		}
		if lo == hi { // without a kind it is as if it were not there
			s.seen[k], s.features[k].offset = s.round, lo
			continue
		}
		if a.skipped {
			continue
		}
		n, ok := a.feature(s, b[:hi], lo)
		if !ok {
			return false
		}
		s.take(a, k, n)
	}
	return true
}

// strangers tells of the names in the map of features b[i:] that the schema does not have.
// It returns false if there is one that the quick way knows by another name only.
func (c *Checker) strangers(s *scratch, b []byte, i int) bool {
	for i < len(b) {
		lo, hi, _ := canonical.Message(b, i, canonical.Tag1)
		name, end, _ := canonical.Message(b, lo, canonical.Tag1)
		if k, ok := c.features.index[string(b[name:end])]; !ok {
			value, _, _ := canonical.Message(b, end, canonical.Tag2)
			c.unknown(s, &c.features, string(b[name:end]), value)
		} else if c.features.entries[k].name != string(b[name:end]) {
			return false
		}
		i = hi
	}
	return true
}

// take notes that feature k is there and has n values, the last of scratch.kept if they
// are numbers that are kept.
func (s *scratch) take(a *ask, k, n int) {
	if a.required {
		s.required++
	}
	if a.linked {
		at := &s.features[k]
		at.n, at.present = int64(n), true
		if a.numbers {
			at.lo, at.hi = len(s.kept)-n, len(s.kept)
		}
	}
}

// one reports whether the Feature b[lo:hi] has one value, and there is nothing more to ask.
func (a *ask) one(b []byte, lo, hi int) bool {
	size := hi - lo
	switch a.op {
	case anyInt, intIn:
		// Most have up to eight bytes: they are at the end of the word before hi.
		n := size - canonical.HeadSize
		if uint(n-1) >= 8 || binary.LittleEndian.Uint32(b[lo:]) != canonical.Head(canonical.Int64Tag, size) {
			return false
		}
		v, ok := wire.FirstVarint(binary.LittleEndian.Uint64(b[hi-8:])>>(64-8*uint(n)&63), n)
		return ok && (a.op == anyInt || v >= a.low && v <= a.high)
	case anyFloat:
		return size == canonical.HeadSize+4 && binary.LittleEndian.Uint32(b[lo:]) == canonical.Head(canonical.FloatTag, size)
	case anyString:
		return size >= canonical.HeadSize && size < 0x80 && binary.LittleEndian.Uint32(b[lo:]) == canonical.Head(canonical.BytesTag, size)
	}
	return false
}

// A cell is a frame that links look at.
type cell struct {
	n      int64
	lo, hi int // of its numbers, in scratch.kept
}

// quickListMap checks the entries of the map of feature lists b[i:].
func (c *Checker) quickListMap(s *scratch, b []byte, i int) bool {
	asks := c.quickLists.asks
	found, others, ok := s.listWalk.Map(b, i)
	if !ok || others > 0 && c.closed {
		return false
	}
	for _, k := range found {
		k := int(k)
		lo, hi, _ := s.listWalk.Value(k)
		a := &asks[k]
		if a.never {
			return false
		}
		s.listSeen[k] = s.round
		if a.skipped {
			continue
		}
		if a.required {
			s.required++
		}
		at := len(s.cells)
		if !a.list(s, b[:hi], lo) {
			return false
		}
		if a.linked {
			s.lists[k].lo, s.lists[k].hi = at, len(s.cells)
		}
	}
	return true
}

// list checks the frames of the feature list b[i:].
func (a *ask) list(s *scratch, b []byte, i int) bool {
	frames := int64(0)
	for ; i < len(b); frames++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return false
		}
		n := 0
		if lo < hi {
			if n, ok = a.feature(s, b[:hi], lo); !ok {
				return false
			}
		}
		if a.linked {
			f := cell{n: int64(n)}
			if a.numbers {
				f.lo, f.hi = len(s.kept)-n, len(s.kept)
			}
			s.cells = append(s.cells, f)
		}
		i = hi
	}
	return frames >= a.frames.min && frames <= a.frames.max
}

// takes reports whether a list of so many values is one that may be there.
func (a *ask) takes(tag byte, n int) bool {
	return (tag == a.tag || a.tag == 0) && int64(n) >= a.least && int64(n) <= a.most
}

// allIn reports whether numbers are in the range.
func (a *ask) allIn(v []int64) bool {
	for _, x := range v {
		if x < a.low || x > a.high {
			return false
		}
	}
	return true
}

func (a *ask) allFloatsIn(v []float32) bool {
	for _, x := range v {
		if !a.float(x) {
			return false
		}
	}
	return true
}

// feature checks the Feature b[i:], which is not empty, and returns how many values it
// has.
func (a *ask) feature(s *scratch, b []byte, i int) (n int, ok bool) {
	tag := b[i]
	if tag != a.tag && a.tag != 0 {
		return 0, false
	}
	switch tag {
	case canonical.Int64Tag:
		n, ok = a.ints(s, b, i)
	case canonical.FloatTag:
		n, ok = a.floats(s, b, i)
	case canonical.BytesTag:
		n, ok = a.bytes(b, i)
	}
	return n, ok && int64(n) >= a.least && int64(n) <= a.most
}

func (a *ask) ints(s *scratch, b []byte, i int) (n int, ok bool) {
	if v, ok := canonical.Int64(b, i); ok {
		if a.numbers {
			s.kept = append(s.kept, v)
		}
		return 1, !a.ranged || v >= a.low && v <= a.high
	}
	if !a.numbers && !a.ranged {
		if n, ok = canonical.CountInt64s(b, i); ok {
			return n, true
		}
	}
	if cap(s.ints) < len(b)-i { // as many values there may be
		s.ints = make([]int64, 0, len(b)-i)
	}
	if s.ints, ok = canonical.AppendInt64s(s.ints[:0], b, i); !ok {
		return 0, false
	}
	if a.ranged && !a.allIn(s.ints) {
		return 0, false
	}
	if a.numbers {
		s.kept = append(s.kept, s.ints...)
	}
	return len(s.ints), true
}

func (a *ask) floats(s *scratch, b []byte, i int) (n int, ok bool) {
	if a.numbers {
		return 0, false
	}
	if v, ok := canonical.Float(b, i); ok {
		return 1, !a.ranged || a.float(v)
	}
	if !a.ranged {
		lo, ok := canonical.Chunk(b, i, canonical.FloatTag)
		return (len(b) - lo) / 4, ok && (len(b)-lo)%4 == 0
	}
	if s.floats, ok = canonical.AppendFloats(s.floats[:0], b, i); !ok {
		return 0, false
	}
	return len(s.floats), a.allFloatsIn(s.floats)
}

func (a *ask) float(v float32) bool {
	if a.zeroOrOne {
		return v == 0 || v == 1
	}
	return !(v < a.from || v > a.to || a.noNaN && v != v)
}

func (a *ask) bytes(b []byte, i int) (n int, ok bool) {
	if a.numbers {
		return 0, false
	}
	if v, ok := canonical.Bytes(b, i); ok {
		return 1, !a.worded || a.entry.word(v) == good
	}
	i, ok = canonical.List(b, i)
	for ; ok && i < len(b); n++ {
		var lo, hi int
		lo, hi, ok = canonical.Message(b, i, canonical.Tag1)
		if ok && a.worded {
			ok = a.entry.word(b[lo:hi]) == good
		}
		i = hi
	}
	return n, ok
}

// quickLinks reports whether what belongs together fits together.
func (c *Checker) quickLinks(s *scratch) bool {
	for i := range c.groups {
		if !c.groups[i].fits(s) {
			return false
		}
	}
	for _, l := range c.links {
		if l.holds(s.numbers(l.from), s.features[l.of].n, s.numbers(l.of)) != nil {
			return false
		}
	}
	for _, l := range c.listLinks {
		of := s.cells[s.lists[l.of].lo:s.lists[l.of].hi]
		var from []cell
		if l.from >= 0 {
			if from = s.cells[s.lists[l.from].lo:s.lists[l.from].hi]; len(from) != len(of) {
				return false
			}
		}
		for i := range of {
			var x []int64
			if from != nil {
				x = s.kept[from[i].lo:from[i].hi]
			}
			if l.holds(x, of[i].n, s.kept[of[i].lo:of[i].hi]) != nil {
				return false
			}
		}
	}
	return true
}
