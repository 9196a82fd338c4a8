package bind

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
)

// A key of the record, and the fields that it holds something of.
type key struct {
	name string
	uses []use
}

// A use is what a field has under a key.
type use struct {
	f   *field
	dim int // the partition of this dim; -1 for the values
}

// splits reports whether the use is the data of row_splits.
func (u use) splits() bool {
	if u.dim < 0 {
		return false
	}
	_, ok := u.f.dims[u.dim].part.(feature.RowSplits)
	return ok
}

// keysOf lists the keys of fields in order. Uses as row_splits come last: see value.
func keysOf(fields []*field) []key {
	uses := map[string][]use{}
	for _, f := range fields {
		uses[f.key] = append(uses[f.key], use{f, -1})
		for i, d := range f.dims {
			if k, ok := partitionKey(d.part); ok {
				uses[k] = append(uses[k], use{f, i})
			}
		}
	}
	var keys []key
	for name, us := range uses {
		slices.SortStableFunc(us, func(x, y use) int { return cmp.Compare(number(x.splits()), number(y.splits())) })
		keys = append(keys, key{name, us})
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Compare(x.name, y.name) })
	return keys
}

// An encoder writes a struct as a record. What one call leaves is memory for the
// next.
type encoder struct {
	c     *codec
	unit  int       // the example at hand
	flats [4][]flat // by group, then field
	ints  []int64   // the data of a partition
	value []byte    // the feature at hand
	other []byte    // what another field makes of the same key
	list  []byte    // the feature list at hand
	body  []byte    // the entries of a map
}

func (e *encoder) init(c *codec) {
	e.c = c
	run := newRun()
	for g := range c.groups {
		e.flats[g] = make([]flat, len(c.groups[g].fields))
		for i, f := range c.groups[g].fields {
			e.flats[g][i] = flat{run: run, round: f.tag.round, splits: make([][]int64, len(f.dims))}
		}
	}
}

// append appends v, a struct, as a record to dst.
func (e *encoder) append(dst []byte, v reflect.Value) (out []byte, err error) {
	defer e.forget()
	out = dst
	switch e.c.parser.Message() {
	case example.TypeExample:
		if err = e.features(v, feature.InFeatures); err == nil {
			out = appendField(out, 1, e.body)
		}
	case example.TypeSequence:
		out, err = e.sequence(out, v)
	default:
		out, err = e.examples(out, v)
	}
	if err == nil && int64(len(out)-len(dst)) > math.MaxInt32 {
		err = &feature.Error{Whole: true, Frame: -1, Level: -1, Offset: -1, Err: example.ErrTooLarge}
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// forget lets go of everything that belongs to the struct.
func (e *encoder) forget() {
	for g := range e.flats {
		for i := range e.flats[g] {
			e.flats[g][i].forget()
		}
	}
}

// sequence appends a context and feature lists.
func (e *encoder) sequence(dst []byte, v reflect.Value) ([]byte, error) {
	if len(e.c.groups[feature.InContext].keys) > 0 {
		if err := e.features(v, feature.InContext); err != nil {
			return dst, err
		}
		dst = appendField(dst, 1, e.body)
	}
	if len(e.c.groups[feature.InSequence].keys) > 0 {
		if err := e.lists(v); err != nil {
			return dst, err
		}
		dst = appendField(dst, 2, e.body)
	}
	return dst, nil
}

// examples appends a list of examples, then its context.
func (e *encoder) examples(dst []byte, v reflect.Value) ([]byte, error) {
	example := func(num int32, v reflect.Value, g feature.Group) error {
		err := e.features(v, g)
		dst = wire.AppendHeader(dst, num, wire.SizeField(int64(len(e.body))))
		dst = appendField(dst, 1, e.body)
		return err
	}
	list := at(v, e.c.groups[feature.InExamples].index)
	for e.unit = range list.Len() {
		if err := example(1, list.Index(e.unit), feature.InExamples); err != nil {
			return dst, err
		}
	}
	if len(e.c.groups[feature.InContext].keys) > 0 {
		return dst, example(2, v, feature.InContext)
	}
	return dst, nil
}

// features makes the map of a group the body.
func (e *encoder) features(v reflect.Value, g feature.Group) error {
	if err := e.flatten(v, g); err != nil {
		return err
	}
	e.body = e.body[:0]
	keys := e.c.groups[g].keys
	for i := range keys {
		if e.absent(&keys[i]) {
			continue
		}
		if err := e.feature(&keys[i], 0, 0); err != nil {
			return err
		}
		e.body = appendEntry(e.body, keys[i].name, e.value)
	}
	return nil
}

// absent reports whether all that a key has is nil pointers: then it is left out.
func (e *encoder) absent(k *key) bool {
	for _, u := range k.uses {
		if !e.flat(u).absent {
			return false
		}
	}
	return true
}

func (e *encoder) flat(u use) *flat { return &e.flats[u.f.group][u.f.number] }

// lists makes the map of the feature lists the body.
func (e *encoder) lists(v reflect.Value) error {
	if err := e.flatten(v, feature.InSequence); err != nil {
		return err
	}
	e.body = e.body[:0]
	keys := e.c.groups[feature.InSequence].keys
	for i := range keys {
		k := &keys[i]
		frames := e.frames(k.uses[0])
		for _, u := range k.uses[1:] {
			if n := e.frames(u); n != frames {
				return u.f.fail(-1, u.level(), k.name, &fault{err: feature.ErrFrames, want: fmt.Sprintf("%d, as %s", frames, k.first()), got: strconv.Itoa(n)})
			}
		}
		e.list = e.list[:0]
		for n := range frames {
			if err := e.feature(k, 1, n); err != nil {
				return err
			}
			e.list = appendField(e.list, 1, e.value)
		}
		e.body = appendEntry(e.body, k.name, e.list)
	}
	return nil
}

// frames returns how many frames the field of a use has.
func (e *encoder) frames(u use) int { return int(e.flat(u).splits[0][1]) }

// first names the first field of a key, for errors of the others.
func (k *key) first() string {
	return "field " + k.uses[0].f.at(-1) + " has, whose key is the same"
}

// flatten takes the values of all fields of a group.
func (e *encoder) flatten(v reflect.Value, g feature.Group) error {
	for i, f := range e.c.groups[g].fields {
		fl := &e.flats[g][i]
		fl.reset()
		if err := f.flatten(fl, at(v, f.index), 0); err != nil {
			return f.fail(e.where(f, err.first), -1, f.key, err)
		}
	}
	return nil
}

// where is the unit of a fault: the example at hand or the frame given.
func (e *encoder) where(f *field, frame int) int {
	if f.group == feature.InExamples {
		return e.unit
	}
	return frame
}

// flatten takes v, the value of a field or what its dims from d on are made of.
func (f *field) flatten(fl *flat, v reflect.Value, d int) *fault {
	if d == 0 && f.pointer {
		if v.IsNil() {
			fl.absent = true
			return nil
		}
		v = v.Elem()
	}
	if d == len(f.dims) {
		return f.elem.add(fl, v)
	}
	here := &f.dims[d]
	n := v.Len()
	if !here.uniform {
		s := &fl.splits[d]
		*s = append(*s, (*s)[len(*s)-1]+int64(n))
	} else if n != here.n {
		return &fault{err: feature.ErrPartition, want: fmt.Sprintf("rows of %d, as uniform_row_length says", here.n), got: strconv.Itoa(n)}
	}
	if d == len(f.dims)-1 {
		switch {
		case here.array && f.elem.exact:
			fl.store(v, f.elem.dtype)
			return nil
		case !here.array && f.elem.runs != nil:
			return f.elem.runs.add(fl, v)
		}
	}
	for i := range n {
		if err := f.flatten(fl, v.Index(i), d+1); err != nil {
			return err.at(i)
		}
	}
	return nil
}

// feature encodes what a key has in one frame, or, with dim 0, in all. All fields
// that the key holds must want the same. Only row_splits of no rows can be said in
// two ways, [0] and nothing.
func (e *encoder) feature(k *key, dim, row int) (err error) {
	if e.value, err = e.appendUse(e.value[:0], k, k.uses[0], dim, row); err != nil {
		return err
	}
	for _, u := range k.uses[1:] {
		if e.other, err = e.appendUse(e.other[:0], k, u, dim, row); err != nil {
			return err
		}
		none := u.splits() && len(e.ints) == 1 && bytes.Equal(e.value, appendInts(nil, nil))
		if !none && !bytes.Equal(e.value, e.other) {
			return u.f.fail(e.where(u.f, row), u.level(), k.name, &fault{err: feature.ErrColumn, want: "what " + k.first(), got: "something else"})
		}
	}
	return nil
}

// level is the number of the partition in the feature, -1 if the use is of values.
func (u use) level() int {
	if u.dim < 0 {
		return -1
	}
	return u.f.dims[u.dim].index
}

// appendUse appends the Feature that one use makes of a row at a dim.
func (e *encoder) appendUse(dst []byte, k *key, u use, dim, row int) ([]byte, error) {
	fl := e.flat(u)
	lo, hi := row, row+1
	if fl.absent {
		hi = lo
	}
	for d, here := range u.f.dims[dim:] {
		d += dim
		if d == u.dim {
			var err *fault
			if e.ints, err = appendPartition(e.ints[:0], here.part, fl.splits[d][lo:hi+1]); err != nil {
				return dst, u.f.fail(e.where(u.f, row), here.index, k.name, err)
			}
			return appendInts(dst, e.ints), nil
		}
		if here.uniform {
			lo, hi = lo*here.n, hi*here.n
		} else {
			lo, hi = int(fl.splits[d][lo]), int(fl.splits[d][hi])
		}
	}
	switch e := u.f.elem; {
	case e.dtype == feature.Int64:
		return appendInts(dst, fl.ints[lo:hi]), nil
	case e.dtype == feature.Float32:
		return appendFloats(dst, fl.floats[lo:hi]), nil
	case e.typ.Kind() == reflect.String:
		return appendTexts(dst, fl.texts[lo:hi]), nil
	}
	return appendTexts(dst, fl.bytes[lo:hi]), nil
}

// appendPartition appends what a partition says of rows that end at splits[1:].
func appendPartition(dst []int64, p feature.Partition, splits []int64) ([]int64, *fault) {
	base, n := splits[0], len(splits)-1
	switch p.(type) {
	case feature.RowLengths:
		for i := range n {
			dst = append(dst, splits[i+1]-splits[i])
		}
		return dst, nil
	case feature.ValueRowIDs:
		for i := range n {
			for range splits[i+1] - splits[i] {
				dst = append(dst, int64(i))
			}
		}
		if n > 0 && splits[n] == splits[n-1] {
			return dst, &fault{err: feature.ErrPartition, want: "values in the last row: value_row_ids cannot say that it is empty", got: "none"}
		}
		return dst, nil
	case feature.RowStarts:
		splits = splits[:n]
	case feature.RowLimits:
		splits = splits[1:]
	}
	for _, s := range splits {
		dst = append(dst, s-base)
	}
	return dst, nil
}
