package feature

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/keys"
	"github.com/tfparse/tfparse/internal/wire"
)

// Encode writes columns as records, one for each row: the inverse of Parse. See
// Assemble for the columns and AppendRecord for the bytes.
func (p *Parser) Encode(t Table) ([][]byte, error) {
	b, err := p.Assemble(t)
	if err != nil {
		return nil, err
	}
	return b.Encode()
}

// Encode writes every row as a record: see AppendRecord. If one cannot be written,
// the error says which, and wraps an *Error.
func (b *Batch) Encode() ([][]byte, error) {
	records := make([][]byte, b.n)
	var scratch []byte
	for i := range records {
		var err error
		if scratch, err = b.AppendRecord(scratch[:0], i); err != nil {
			return nil, recordError(i, err)
		}
		records[i] = bytes.Clone(scratch)
	}
	return records, nil
}

// AppendRecord appends row i, encoded as the message of the spec, to dst. Parsing
// it gives the same row again. Names are sorted and lists packed, so equal rows give
// equal bytes; every key of the spec is there, so what was a default is a value now.
//
// It fails where a row cannot be said: columns that share a key but want different
// values of it, rows without items at the end of value_row_ids, a message of more
// than 2 GiB. It panics if there is no such row. It is safe for concurrent use while
// the batch does not grow.
func (b *Batch) AppendRecord(dst []byte, i int) ([]byte, error) {
	if uint(i) >= uint(b.n) {
		panic("feature: row out of range")
	}
	e, _ := b.p.encoders.Get().(*encoder)
	if e == nil {
		e = &encoder{habits: make([]habit, b.p.keys)}
	}
	defer b.p.encoders.Put(e)
	e.b, e.row, e.err = b, i, nil
	out := dst
	switch b.p.message {
	case example.TypeExample:
		out = e.features(out, InFeatures, -1)
	case example.TypeSequence:
		out = e.features(out, InContext, -1)
		out = e.lists(out)
	default:
		for n := range e.frames(b.p.uses[InExamples]) {
			e.inner = e.features(e.inner[:0], InExamples, n)
			out = field(out, 1, e.inner)
		}
		if len(b.p.uses[InContext]) > 0 {
			e.inner = e.features(e.inner[:0], InContext, -1)
			out = field(out, 2, e.inner)
		}
	}
	e.b = nil
	if e.err == nil && int64(len(out)-len(dst)) > math.MaxInt32 {
		e.err = &Error{Row: i, Whole: true, Frame: -1, Level: -1, Offset: -1, Err: example.ErrTooLarge}
	}
	if e.err != nil {
		return dst, e.err
	}
	return out, nil
}

// A use says which columns read a key. The uses of a group are in the order of keys.
type use struct {
	key    string
	number int    // of all uses
	head   string // of its entry: see keys.Head
	by     []reader
}

// A reader is a column that reads a key, and what it takes from there.
type reader struct {
	column int
	part   int // the data of this partition; -1 for none
	index  int // the indices of this dimension; -1 for none
}

// keyUses lists the keys of a group.
func (p *Parser) keyUses(g Group) []use {
	us := make([]use, len(p.tables[g].keys))
	for i, key := range p.tables[g].keys {
		us[i].key, us[i].head = key, keys.Head(key)
	}
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		add := func(slot, part, index int) { us[slot].by = append(us[slot].by, reader{i, part, index}) }
		add(c.values, -1, -1)
		for d, slot := range c.indices {
			add(slot, -1, d)
		}
		for j, q := range c.parts {
			if q.slot >= 0 {
				add(q.slot, j, -1)
			}
		}
	}
	for _, u := range us { // row_splits last: see feature
		slices.SortStableFunc(u.by, func(x, y reader) int { return cmp.Compare(p.splits(x), p.splits(y)) })
	}
	for i := range us {
		us[i].number = p.keys
		p.keys++
	}
	slices.SortFunc(us, func(x, y use) int { return cmp.Compare(x.key, y.key) })
	return us
}

// splits returns 1 for the data of row_splits, else 0.
func (p *Parser) splits(r reader) int {
	if r.part >= 0 && p.columns[r.column].parts[r.part].name == "row_splits" {
		return 1
	}
	return 0
}

// An encoder writes one row. The first error sticks; what it writes then means
// nothing. Its scratch is kept for the next.
type encoder struct {
	b   *Batch
	row int
	err error

	value  []byte  // the feature at hand
	other  []byte  // what another column makes of the same key
	ints   []int64 // the data of a partition
	habits []habit // by number of the use
	list   []byte  // the feature list at hand
	inner  []byte  // the example at hand
	room   [3]int  // by number of the field: what the last map had before its entries
}

// field appends a length-delimited field.
func field(dst []byte, num int32, body []byte) []byte {
	return append(wire.AppendHeader(dst, num, int64(len(body))), body...)
}

// entry appends an entry of a map.
func entry(dst []byte, key string, value []byte) []byte {
	dst = wire.AppendHeader(dst, 1, wire.SizeField(int64(len(key)))+wire.SizeField(int64(len(value))))
	dst = append(wire.AppendHeader(dst, 1, int64(len(key))), key...)
	return field(dst, 2, value)
}

// features appends a map of features, if the spec has any in the group: those of
// the record, or of one example in it.
func (e *encoder) features(dst []byte, g Group, frame int) []byte {
	uses := e.b.p.uses[g]
	if len(uses) == 0 {
		return dst
	}
	return e.emitMap(dst, 1, func(dst []byte) []byte {
		for i := range uses {
			if u := &uses[i]; len(u.by) == 1 {
				dst = e.emit(dst, u, u.head, frame)
			} else {
				dst = entry(dst, u.key, e.feature(u, frame))
			}
		}
		return dst
	})
}

// lists appends the map of feature lists.
func (e *encoder) lists(dst []byte) []byte {
	uses := e.b.p.uses[InSequence]
	if len(uses) == 0 {
		return dst
	}
	return e.emitMap(dst, 2, func(dst []byte) []byte {
		for i := range uses {
			u := &uses[i]
			frames := e.frames(uses[i : i+1])
			if len(u.by) == 1 {
				dst = e.emitList(dst, u, frames)
				continue
			}
			e.list = e.list[:0]
			for n := range frames {
				e.list = field(e.list, 1, e.feature(u, n))
			}
			dst = entry(dst, u.key, e.list)
		}
		return dst
	})
}

// frames returns the number of frames or examples that the columns have in the row.
// They must agree.
func (e *encoder) frames(uses []use) int {
	n := -1
	for _, u := range uses {
		for _, r := range u.by {
			l := &e.b.cols[r.column].levels[0]
			here := l.limit(e.row+1) - l.limit(e.row)
			if n < 0 {
				n = here
			}
			if n != here {
				f := e.fail(u.key, r, -1, ErrColumn)
				f.Want, f.Got = fmt.Sprintf("%d frames or examples, as another column has", n), fmt.Sprint(here)
			}
		}
	}
	return max(n, 0)
}

func (e *encoder) fail(key string, r reader, frame int, err error) *Error {
	c := &e.b.cols[r.column]
	f := &Error{Row: e.row, Group: c.group, Feature: c.name, Key: key, Frame: frame, Level: r.part, Offset: -1, Err: err}
	if e.err == nil {
		e.err = f
	}
	return f
}

// feature returns an encoded Feature, lent until the next call. All columns that
// read the key must want the same. Only row_splits of no rows can be said in two
// ways, [0] and nothing.
func (e *encoder) feature(u *use, frame int) []byte {
	e.value = e.append(e.value[:0], u, u.by[0], frame)
	for _, r := range u.by[1:] {
		e.other = e.append(e.other[:0], u, r, frame)
		none := e.b.p.splits(r) == 1 && len(e.ints) == 1 && bytes.Equal(e.value, appendInt64s(nil, nil))
		if !none && !bytes.Equal(e.value, e.other) {
			f := e.fail(u.key, r, frame, ErrColumn)
			f.Want, f.Got = fmt.Sprintf("the values of this key that %q has", e.b.cols[u.by[0].column].name), "others"
		}
	}
	return e.value
}

// append appends the Feature that a column makes of one unit.
func (e *encoder) append(dst []byte, u *use, r reader, frame int) []byte {
	switch s := e.source(u, r, frame); s.kind {
	case example.Int64List:
		return appendInt64s(dst, s.ints)
	case example.FloatList:
		return appendFloats(dst, s.floats)
	default:
		return appendStrings(dst, s.strings)
	}
}

// A source is values of one kind, in a column or in the scratch of the encoder.
type source struct {
	kind    example.Kind
	ints    []int64
	floats  []float32
	strings []string
}

// source returns what a column says of one unit.
func (e *encoder) source(u *use, r reader, frame int) source {
	c := &e.b.cols[r.column]
	lo, level := e.row, 0
	if c.nested {
		lo, level = c.levels[0].limit(e.row)+frame, 1
	}
	hi := lo + 1
	for first := c.firstPart(); level < len(c.levels); level++ {
		if r.part >= 0 && level == first+r.part {
			return source{kind: example.Int64List, ints: e.partition(u, c, r, frame, lo, hi)}
		}
		lo, hi = c.levels[level].limit(lo), c.levels[level].limit(hi)
	}
	lo, hi = lo*c.cell, hi*c.cell
	switch {
	case r.index >= 0:
		e.ints = e.ints[:0]
		for j := lo; j < hi; j++ {
			e.ints = append(e.ints, c.index[j*len(c.indices)+r.index])
		}
		return source{kind: example.Int64List, ints: e.ints}
	case c.dtype == Int64:
		return source{kind: example.Int64List, ints: c.ints[lo:hi]}
	case c.dtype == Float32:
		return source{kind: example.FloatList, floats: c.floats[lo:hi]}
	}
	return source{kind: example.BytesList, strings: c.strings[lo:hi]}
}

// partition returns what a partition says of the rows from lo to hi at its level.
// It is the inverse of appendRows.
func (e *encoder) partition(u *use, c *column, r reader, frame, lo, hi int) []int64 {
	splits := c.levels[c.firstPart()+r.part].splits[lo : hi+1]
	base := splits[0]
	e.ints = e.ints[:0]
	switch c.parts[r.part].name {
	case "row_lengths":
		for i := range hi - lo {
			e.ints = append(e.ints, splits[i+1]-splits[i])
		}
		return e.ints
	case "value_row_ids":
		for i := range hi - lo {
			for range splits[i+1] - splits[i] {
				e.ints = append(e.ints, int64(i))
			}
		}
		if n := hi - lo; n > 0 && splits[n] == splits[n-1] {
			f := e.fail(u.key, r, frame, ErrColumn)
			f.Want, f.Got = "items in the last row: value_row_ids cannot say that it is empty", "none"
		}
		return e.ints
	case "row_starts":
		splits = splits[:hi-lo]
	case "row_limits":
		splits = splits[1:]
	}
	for _, s := range splits {
		e.ints = append(e.ints, s-base)
	}
	return e.ints
}

// The three kinds of Feature, with lists packed.

func appendInt64s(dst []byte, v []int64) []byte {
	kind := int32(example.Int64List)
	if len(v) == 0 {
		return wire.AppendHeader(dst, kind, 0)
	}
	n := wire.SizePackedInt64s(v)
	return wire.AppendPackedInt64s(wire.AppendHeader(wire.AppendHeader(dst, kind, wire.SizeField(n)), 1, n), v)
}

func appendFloats(dst []byte, v []float32) []byte {
	kind := int32(example.FloatList)
	if len(v) == 0 {
		return wire.AppendHeader(dst, kind, 0)
	}
	n := 4 * int64(len(v))
	return wire.AppendPackedFloats(wire.AppendHeader(wire.AppendHeader(dst, kind, wire.SizeField(n)), 1, n), v)
}

func appendStrings(dst []byte, v []string) []byte {
	n := int64(0)
	for _, s := range v {
		n += wire.SizeField(int64(len(s)))
	}
	dst = wire.AppendHeader(dst, int32(example.BytesList), n)
	for _, s := range v {
		dst = append(wire.AppendHeader(dst, 1, int64(len(s))), s...)
	}
	return dst
}
