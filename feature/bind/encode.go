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
	"github.com/tfparse/tfparse/internal/encode"
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

// An encoder writes a struct as a record, back to front as package encode has it: the
// last example, list or key first. What one call leaves is memory for the next.
type encoder struct {
	c     *codec
	err   error         // of all errors, that of what stands first in the record
	unit  int           // the example at hand
	flats [4][]flat     // by group, then field
	ints  []int64       // the data of a partition
	out   encode.Buffer // the record
	other encode.Buffer // what another field makes of a key
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
func (e *encoder) append(dst []byte, v reflect.Value) ([]byte, error) {
	defer e.forget()
	e.err = nil
	e.out.Reset()
	switch e.c.parser.Message() {
	case example.TypeExample:
		e.features(v, feature.InFeatures)
	case example.TypeSequence:
		e.sequence(v)
	default:
		e.examples(v)
	}
	if e.err == nil && int64(e.out.Len()) > math.MaxInt32 {
		e.err = &feature.Error{Path: example.PathTo("", ""), Whole: true, Err: example.ErrTooLarge}
	}
	if e.err != nil {
		return dst, e.err
	}
	return append(dst, e.out.Bytes()...), nil
}

// forget lets go of everything that belongs to the struct.
func (e *encoder) forget() {
	for g := range e.flats {
		for i := range e.flats[g] {
			e.flats[g][i].forget()
		}
	}
}

// sequence writes a context and feature lists.
func (e *encoder) sequence(v reflect.Value) {
	if len(e.c.groups[feature.InSequence].keys) > 0 {
		e.lists(v)
	}
	if len(e.c.groups[feature.InContext].keys) > 0 {
		e.features(v, feature.InContext)
	}
}

// examples writes a list of examples, then its context.
func (e *encoder) examples(v reflect.Value) {
	if len(e.c.groups[feature.InContext].keys) > 0 {
		e.features(v, feature.InContext)
		e.out.Field(2, 0)
	}
	list := at(v, e.c.groups[feature.InExamples].index)
	for e.unit = list.Len() - 1; e.unit >= 0; e.unit-- {
		mark := e.out.Len()
		e.features(list.Index(e.unit), feature.InExamples)
		e.out.Field(1, mark)
	}
}

// features writes the map of a group.
func (e *encoder) features(v reflect.Value, g feature.Group) {
	if !e.flatten(v, g) {
		return
	}
	mark := e.out.Len()
	keys := e.c.groups[g].keys
	for i := len(keys) - 1; i >= 0; i-- {
		if k := &keys[i]; !e.absent(k) {
			at := e.out.Len()
			e.feature(k, 0, 0)
			e.out.Entry(k.name, at)
		}
	}
	e.out.Field(1, mark)
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

// lists writes the map of the feature lists.
func (e *encoder) lists(v reflect.Value) {
	if !e.flatten(v, feature.InSequence) {
		return
	}
	mark := e.out.Len()
	keys := e.c.groups[feature.InSequence].keys
	for i := len(keys) - 1; i >= 0; i-- {
		k := &keys[i]
		steps := e.steps(k.uses[0])
		list := e.out.Len()
		if u := e.unaligned(k, steps); u != nil {
			e.err = u.f.fail(-1, u.level(), k.name, &fault{err: feature.ErrSteps, want: fmt.Sprintf("%d, as %s", steps, k.first()), got: strconv.Itoa(e.steps(*u))})
			continue
		}
		for n := steps - 1; n >= 0; n-- {
			at := e.out.Len()
			e.feature(k, 1, n)
			e.out.Field(1, at)
		}
		e.out.Entry(k.name, list)
	}
	e.out.Field(2, mark)
}

// unaligned returns the first use of a key that has another number of steps.
func (e *encoder) unaligned(k *key, steps int) *use {
	for i := range k.uses {
		if u := &k.uses[i]; e.steps(*u) != steps {
			return u
		}
	}
	return nil
}

// steps returns how many steps the field of a use has.
func (e *encoder) steps(u use) int { return int(e.flat(u).splits[0][1]) }

// first names the first field of a key, for errors of the others.
func (k *key) first() string {
	return "field " + k.uses[0].f.at(-1) + " has, whose key is the same"
}

// flatten takes the values of all fields of a group. It reports whether they can be
// written.
func (e *encoder) flatten(v reflect.Value, g feature.Group) bool {
	for i, f := range e.c.groups[g].fields {
		fl := &e.flats[g][i]
		fl.reset()
		if err := f.flatten(fl, at(v, f.index), 0); err != nil {
			e.err = f.fail(e.where(f, err.first), -1, f.key, err)
			return false
		}
	}
	return true
}

// where is the unit of a fault: the example at hand or the step given.
func (e *encoder) where(f *field, step int) int {
	if f.group == feature.InExamples {
		return e.unit
	}
	return step
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

// feature writes what a key has in one step, or, with dim 0, in all. All fields that
// the key holds must want the same. Only row_splits of no rows can be said in two ways,
// [0] and nothing.
func (e *encoder) feature(k *key, dim, row int) {
	mark := e.out.Len()
	if !e.write(&e.out, k, k.uses[0], dim, row) {
		return
	}
	for _, u := range k.uses[1:] {
		e.other.Reset()
		if !e.write(&e.other, k, u, dim, row) {
			return
		}
		value, other := e.out.Since(mark), e.other.Bytes()
		none := u.splits() && len(e.ints) == 1 && string(value) == noInt64s
		if !none && !bytes.Equal(value, other) {
			e.err = u.f.fail(e.where(u.f, row), u.level(), k.name, &fault{err: feature.ErrColumn, want: "what " + k.first(), got: "something else"})
			return
		}
	}
}

// noInt64s is a Feature that has an empty int64_list.
const noInt64s = "\x1a\x00"

// level is the number of the partition in the feature, -1 if the use is of values.
func (u use) level() int {
	if u.dim < 0 {
		return -1
	}
	return u.f.dims[u.dim].index
}

// write writes the Feature that one use makes of a row at a dim. It reports whether
// that can be said.
func (e *encoder) write(b *encode.Buffer, k *key, u use, dim, row int) bool {
	fl := e.flat(u)
	lo, hi := row, row+1
	if fl.absent {
		hi = lo
	}
	for d, here := range u.f.dims[dim:] {
		d += dim
		if d == u.dim {
			form, _ := feature.PartitionKey(here.part)
			var ok bool
			if e.ints, ok = encode.Partition(e.ints[:0], form, fl.splits[d][lo:hi+1]); !ok {
				e.err = u.f.fail(e.where(u.f, row), here.index, k.name,
					&fault{err: feature.ErrPartition, want: encode.EmptyLastRow, got: "none"})
				return false
			}
			b.Int64s(e.ints)
			return true
		}
		if here.uniform {
			lo, hi = lo*here.n, hi*here.n
		} else {
			lo, hi = int(fl.splits[d][lo]), int(fl.splits[d][hi])
		}
	}
	switch e := u.f.elem; {
	case e.dtype == feature.Int64:
		b.Int64s(fl.ints[lo:hi])
	case e.dtype == feature.Float32:
		b.Floats(fl.floats[lo:hi])
	case e.typ.Kind() == reflect.String:
		encode.Bytes(b, fl.texts[lo:hi])
	default:
		encode.Bytes(b, fl.bytes[lo:hi])
	}
	return true
}
