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

// key is a key of the record, with the fields that use it.
type key struct {
	name string
	uses []keyUse // at least one
}

// keyUse is one use of a key by a field.
type keyUse struct {
	f   *field
	dim int // index in field.dims of the partition that the key contains; -1: the values
}

// readsSplits reports whether the key contains row_splits for this use.
func (u keyUse) readsSplits() bool {
	if u.dim < 0 {
		return false
	}
	_, ok := u.f.dims[u.dim].part.(feature.RowSplits)
	return ok
}

// keysOf returns the keys of fields, sorted. Uses as row_splits come last: see writeFeature.
func keysOf(fields []*field) []key {
	uses := map[string][]keyUse{}
	for _, f := range fields {
		uses[f.key] = append(uses[f.key], keyUse{f, -1})
		for i, d := range f.dims {
			if k, ok := partitionKey(d.part); ok {
				uses[k] = append(uses[k], keyUse{f, i})
			}
		}
	}
	var keys []key
	for name, us := range uses {
		slices.SortStableFunc(us, func(x, y keyUse) int { return cmp.Compare(boolToInt(x.readsSplits()), boolToInt(y.readsSplits())) })
		keys = append(keys, key{name, us})
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Compare(x.name, y.name) })
	return keys
}

// encoder encodes a struct as a record, from the end to the beginning, as package encode requires:
// the last example, list or key first. Its memory is reused by the next call.
type encoder struct {
	codec       *codec         // codec that made the encoder; set by init
	err         error          // the error nearest to the beginning of the record
	unit        int            // index of the current example
	flats       [4][]flatField // the flattened fields, by group, then by field.partIndex
	ints        []int64        // buffer: the data of a partition
	out         encode.Buffer  // the record
	secondValue encode.Buffer  // buffer: the value of a key for a second field
}

func (e *encoder) init(c *codec) {
	e.codec = c
	run := newRun()
	for g := range c.parts {
		e.flats[g] = make([]flatField, len(c.parts[g].fields))
		for i, f := range c.parts[g].fields {
			e.flats[g][i] = flatField{run: run, round: f.tag.round, splits: make([][]int64, len(f.dims))}
		}
	}
}

// append appends v, a struct, as a record to dst.
func (e *encoder) append(dst []byte, v reflect.Value) ([]byte, error) {
	defer e.release()
	e.err = nil
	e.out.Reset()
	switch e.codec.parser.Message() {
	case example.TypeExample:
		e.writeFeatures(v, feature.InFeatures)
	case example.TypeSequence:
		e.writeSequence(v)
	default:
		e.writeExamples(v)
	}
	if e.err == nil && int64(e.out.Len()) > math.MaxInt32 {
		e.err = &feature.Error{Path: example.PathTo("", ""), Whole: true, Err: example.ErrTooLarge}
	}
	if e.err != nil {
		return dst, e.err
	}
	return append(dst, e.out.Bytes()...), nil
}

// release drops all references to the struct.
func (e *encoder) release() {
	for g := range e.flats {
		for i := range e.flats[g] {
			e.flats[g][i].release()
		}
	}
}

// writeSequence writes a context and feature lists.
func (e *encoder) writeSequence(v reflect.Value) {
	if len(e.codec.parts[feature.InSequence].keys) > 0 {
		e.writeLists(v)
	}
	if len(e.codec.parts[feature.InContext].keys) > 0 {
		e.writeFeatures(v, feature.InContext)
	}
}

// writeExamples writes a list of examples, then its context.
func (e *encoder) writeExamples(v reflect.Value) {
	if len(e.codec.parts[feature.InContext].keys) > 0 {
		e.writeFeatures(v, feature.InContext)
		e.out.Field(2, 0)
	}
	list := fieldAt(v, e.codec.parts[feature.InExamples].index)
	for e.unit = list.Len() - 1; e.unit >= 0; e.unit-- {
		mark := e.out.Len()
		e.writeFeatures(list.Index(e.unit), feature.InExamples)
		e.out.Field(1, mark)
	}
}

// writeFeatures writes the map of a group.
func (e *encoder) writeFeatures(v reflect.Value, g feature.Group) {
	if !e.flattenPart(v, g) {
		return
	}
	mark := e.out.Len()
	keys := e.codec.parts[g].keys
	for i := len(keys) - 1; i >= 0; i-- {
		if k := &keys[i]; !e.isAbsent(k) {
			at := e.out.Len()
			e.writeFeature(k, 0, 0)
			e.out.Entry(k.name, at)
		}
	}
	e.out.Field(1, mark)
}

// isAbsent reports whether all fields of a key are nil pointers: then the key is omitted.
func (e *encoder) isAbsent(k *key) bool {
	for _, u := range k.uses {
		if !e.flatOf(u).absent {
			return false
		}
	}
	return true
}

func (e *encoder) flatOf(u keyUse) *flatField { return &e.flats[u.f.group][u.f.partIndex] }

// writeLists writes the map of the feature lists.
func (e *encoder) writeLists(v reflect.Value) {
	if !e.flattenPart(v, feature.InSequence) {
		return
	}
	mark := e.out.Len()
	keys := e.codec.parts[feature.InSequence].keys
	for i := len(keys) - 1; i >= 0; i-- {
		k := &keys[i]
		steps := e.countSteps(k.uses[0])
		list := e.out.Len()
		if u := e.firstUnaligned(k, steps); u != nil {
			e.err = u.f.newError(-1, u.partitionLevel(), k.name, &valueError{err: feature.ErrSteps, want: fmt.Sprintf("%d, as in %s", steps, k.firstField()), got: strconv.Itoa(e.countSteps(*u))})
			continue
		}
		for n := steps - 1; n >= 0; n-- {
			at := e.out.Len()
			e.writeFeature(k, 1, n)
			e.out.Field(1, at)
		}
		e.out.Entry(k.name, list)
	}
	e.out.Field(2, mark)
}

// firstUnaligned returns the first use of a key with another number of steps.
func (e *encoder) firstUnaligned(k *key, steps int) *keyUse {
	for i := range k.uses {
		if u := &k.uses[i]; e.countSteps(*u) != steps {
			return u
		}
	}
	return nil
}

// countSteps returns the number of steps of a field.
func (e *encoder) countSteps(u keyUse) int { return int(e.flatOf(u).splits[0][1]) }

// firstField describes the first field of a key, for the errors of other fields.
func (k *key) firstField() string {
	return "field " + k.uses[0].f.fieldPath(-1) + " with the same key"
}

// flattenPart flattens all fields of a group. It reports whether they can be encoded.
func (e *encoder) flattenPart(v reflect.Value, g feature.Group) bool {
	for i, f := range e.codec.parts[g].fields {
		fl := &e.flats[g][i]
		fl.reset()
		if err := f.flattenField(fl, fieldAt(v, f.index), 0); err != nil {
			e.err = f.newError(e.unitOf(f, err.first), -1, f.key, err)
			return false
		}
	}
	return true
}

// unitOf returns the unit of an error: the current example, or the given step.
func (e *encoder) unitOf(f *field, step int) int {
	if f.group == feature.InExamples {
		return e.unit
	}
	return step
}

// flattenField appends the values of v, the value of a field after d indices.
func (f *field) flattenField(fl *flatField, v reflect.Value, d int) *valueError {
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
		return &valueError{err: feature.ErrPartition, want: fmt.Sprintf("rows of %d for uniform_row_length", here.n), got: strconv.Itoa(n)}
	}
	if d == len(f.dims)-1 {
		switch {
		case here.array && f.elem.exact:
			fl.addArray(v, f.elem.dtype)
			return nil
		case !here.array && f.elem.runs != nil:
			return f.elem.runs.add(fl, v)
		}
	}
	for i := range n {
		if err := f.flattenField(fl, v.Index(i), d+1); err != nil {
			return err.inIndex(i)
		}
	}
	return nil
}

// writeFeature writes the Feature of a key, for step row if dim is 1, else for the whole unit. All fields
// that use the key must give the same Feature. There is one exception: row_splits of no rows may be
// [0] or an empty list.
func (e *encoder) writeFeature(k *key, dim, row int) {
	mark := e.out.Len()
	if !e.writeValues(&e.out, k, k.uses[0], dim, row) {
		return
	}
	for _, u := range k.uses[1:] {
		e.secondValue.Reset()
		if !e.writeValues(&e.secondValue, k, u, dim, row) {
			return
		}
		value, other := e.out.Since(mark), e.secondValue.Bytes()
		none := u.readsSplits() && len(e.ints) == 1 && string(value) == noInt64s
		if !none && !bytes.Equal(value, other) {
			e.err = u.f.newError(e.unitOf(u.f, row), u.partitionLevel(), k.name, &valueError{err: feature.ErrColumn, want: "the values of " + k.firstField(), got: "other values"})
			return
		}
	}
}

// noInt64s is an encoded Feature with an empty int64_list.
const noInt64s = "\x1a\x00"

// partitionLevel returns the index of the partition in the feature, or -1 for values.
func (u keyUse) partitionLevel() int {
	if u.dim < 0 {
		return -1
	}
	return u.f.dims[u.dim].index
}

// writeValues writes the Feature of one use of a key, for a row of dimension dim. It reports whether
// the row has an encoding.
func (e *encoder) writeValues(b *encode.Buffer, k *key, u keyUse, dim, row int) bool {
	fl := e.flatOf(u)
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
				e.err = u.f.newError(e.unitOf(u.f, row), here.index, k.name,
					&valueError{err: feature.ErrPartition, want: encode.EmptyLastRow, got: "none"})
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
