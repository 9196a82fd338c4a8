package stats

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// A record is one record as it was read: what each feature holds, in values of
// all features together. It aliases the record.
type record struct {
	entries []entry
	ints    []int64
	floats  []float32
	bytes   [][]byte
	steps   []int32 // numbers of values; -1 for a step without kind
	items   int     // examples of a list

	found    []example.Entry
	repeated []example.FeatureListEntry
}

// An entry is one feature of a record: the values from lo to hi, and the steps
// from first to last of a feature list.
type entry struct {
	field       int32
	kind        example.Kind
	nested      bool
	lo, hi      int
	first, last int
}

func (r *record) reset() {
	r.entries, r.ints, r.floats, r.bytes, r.steps = r.entries[:0], r.ints[:0], r.floats[:0], r.bytes[:0], r.steps[:0]
	r.items = 0
}

// parse reads a record into a.rec. On error nothing is changed but that.
func (a *Accumulator) parse(msg []byte) error {
	known := len(a.table.fields)
	a.rec.reset()
	err := a.parseRecord(msg)
	if err != nil {
		a.table.truncate(known)
	}
	return err
}

func (a *Accumulator) parseRecord(msg []byte) error {
	switch a.opts.Message {
	case example.TypeSequence:
		if err := a.scan(example.TypeSequence.Scan(msg), rootGroup, msg); err != nil {
			return err
		}
		return a.scanLists(msg)
	case example.TypeExampleList:
		s := example.ScanExamples(msg)
		for s.Next() {
			if err := a.scan(example.TypeExample.Scan(s.Example()), childGroup, s.Example()); err != nil {
				return within(err, fmt.Sprintf("examples[%d]", s.Index()), s.Offset())
			}
			a.rec.items++
		}
		if err := s.Err(); err != nil {
			return err
		}
		ctx, ok := s.Context()
		if !ok {
			a.mark++
			a.rootMark = a.mark
			return nil
		}
		return within(a.scan(example.TypeExample.Scan(ctx), rootGroup, ctx), "context", s.ContextOffset())
	}
	return a.scan(example.TypeExample.Scan(msg), rootGroup, msg)
}

// within says in which part of a list an error is.
func within(err error, part string, at int) error {
	if e, ok := errors.AsType[*example.Error](err); ok {
		e.Part = part
		e.Byte = e.Byte.Plus(at)
	}
	return err
}

// named adds the name of the feature to an error.
func named(err error, name string) error {
	if e, ok := errors.AsType[*example.Error](err); ok && e.Feature == "" {
		e.Feature = name
	}
	return err
}

// scan reads the features of one map.
func (a *Accumulator) scan(s example.Scanner, g group, msg []byte) error {
	a.mark++
	if g == rootGroup {
		a.rootMark = a.mark
	}
	start, last := a.rec.sizes(), int32(-1)
	if a.opts.Message == example.TypeExample {
		if a.table.index(); a.scanCanonical(msg) {
			return nil
		}
		a.rec.cut(start)
		a.mark++
		a.rootMark = a.mark
		defer func() { a.table.unindexed += len(a.rec.entries) }()
	}
	for s.Next() {
		id := a.table.find(g, s.Name(), last)
		if id < 0 {
			return a.beyondLimit(string(s.Name()))
		}
		if a.table.fields[id].mark == a.mark {
			a.rec.cut(start)
			return a.collect(g, msg)
		}
		last = id
		if err := a.take(id, s.Feature()); err != nil {
			return err
		}
	}
	return s.Err()
}

// scanCanonical is scan for an Example in the canonical encoding whose names are all indexed
// and there once. If it returns false, what it has added must be cut off again.
func (a *Accumulator) scanCanonical(msg []byte) bool {
	t, r := a.table, &a.rec
	t.walk.Start()
	for i := 0; i < len(msg); {
		lo, hi, ok := canonical.Message(msg, i, canonical.Tag1)
		if !ok {
			return false
		}
		keys, unknown, ok := t.walk.Map(msg[:hi], lo)
		if !ok || unknown > 0 {
			return false
		}
		for _, k := range keys {
			id := t.walk.fields[k]
			if id < 0 {
				if len(t.fields) >= t.most {
					return false
				}
				id = t.add(rootGroup, t.walk.known.names[k])
			}
			f := &t.fields[id]
			f.mark, f.entry = a.mark, int32(len(r.entries))
			r.entries = append(r.entries, entry{})
			e := &r.entries[f.entry]
			e.field = id // which in the append would cost a tenth of parsing: the processor waits to copy what was just written
			if at, end, _ := t.walk.Value(int(k)); (f.listed || f.read) && !r.canonical(e, msg[:end], at) {
				return false
			}
		}
		i = hi
	}
	return true
}

// sizes is how much a record holds; cut makes it so again.
func (r *record) sizes() [5]int {
	return [5]int{len(r.entries), len(r.ints), len(r.floats), len(r.bytes), len(r.steps)}
}

func (r *record) cut(n [5]int) {
	r.entries, r.ints, r.floats, r.bytes, r.steps = r.entries[:n[0]], r.ints[:n[1]], r.floats[:n[2]], r.bytes[:n[3]], r.steps[:n[4]]
}

// collect is scan for a map that has a name twice.
func (a *Accumulator) collect(g group, msg []byte) (err error) {
	collect := example.TypeExample.Collect
	if g == rootGroup && a.opts.Message == example.TypeSequence {
		collect = example.TypeSequence.Collect
	}
	if a.rec.found, err = collect(a.rec.found[:0], msg); err != nil {
		return err
	}
	a.mark++
	if g == rootGroup {
		a.rootMark = a.mark
	}
	last := int32(-1)
	for _, e := range a.rec.found {
		if last = a.table.find(g, e.Name, last); last < 0 {
			return a.beyondLimit(string(e.Name))
		}
		if err := a.take(last, e.Feature); err != nil {
			return err
		}
	}
	return nil
}

// take reads the values of a feature.
func (a *Accumulator) take(id int32, v example.Feature) error {
	f, r := &a.table.fields[id], &a.rec
	f.mark = a.mark
	f.entry = int32(len(r.entries))
	e := entry{field: id}
	if f.listed || f.read {
		var err error
		if e.kind, e.lo, e.hi, err = r.values(v); err != nil {
			return named(err, f.name)
		}
	}
	r.entries = append(r.entries, e)
	return nil
}

// canonical appends the values of the Feature b[i:].
func (r *record) canonical(e *entry, b []byte, i int) (ok bool) {
	if i == len(b) {
		return true
	}
	switch b[i] {
	case canonical.Int64Tag:
		e.kind, e.lo = example.Int64List, len(r.ints)
		var v int64
		if v, ok = canonical.Int64(b, i); ok {
			r.ints = append(r.ints, v)
		} else {
			r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
		}
		e.hi = len(r.ints)
	case canonical.FloatTag:
		e.kind, e.lo = example.FloatList, len(r.floats)
		r.floats, ok = canonical.AppendFloats(r.floats, b, i)
		e.hi = len(r.floats)
	case canonical.BytesTag:
		e.kind, e.lo = example.BytesList, len(r.bytes)
		i, ok = canonical.List(b, i)
		for ok && i < len(b) {
			var lo, hi int
			if lo, hi, ok = canonical.Message(b, i, canonical.Tag1); ok {
				r.bytes = append(r.bytes, b[lo:hi])
				i = hi
			}
		}
		e.hi = len(r.bytes)
	}
	return ok
}

// values appends the values of v to those of its kind.
func (r *record) values(v example.Feature) (kind example.Kind, lo, hi int, err error) {
	switch kind = v.Kind(); kind {
	case example.Unset:
	case example.Int64List:
		lo = len(r.ints)
		r.ints, err = v.AppendInt64s(r.ints)
		hi = len(r.ints)
	case example.FloatList:
		lo = len(r.floats)
		r.floats, err = v.AppendFloats(r.floats)
		hi = len(r.floats)
	case example.BytesList:
		lo = len(r.bytes)
		r.bytes, err = v.AppendBytes(r.bytes)
		hi = len(r.bytes)
	default:
		err = v.Validate()
	}
	return kind, lo, hi, err
}

// scanLists reads the feature lists of a SequenceExample.
func (a *Accumulator) scanLists(msg []byte) error {
	a.mark++
	start, last := a.rec.sizes(), int32(-1)
	s := example.ScanFeatureLists(msg)
	for s.Next() {
		id := a.table.find(childGroup, s.Name(), last)
		if id < 0 {
			return a.beyondLimit(string(s.Name()))
		}
		if a.table.fields[id].mark == a.mark {
			a.rec.cut(start)
			return a.collectLists(msg)
		}
		last = id
		if err := a.takeList(id, s.List()); err != nil {
			return err
		}
	}
	return s.Err()
}

func (a *Accumulator) collectLists(msg []byte) (err error) {
	if a.rec.repeated, err = example.CollectFeatureLists(a.rec.repeated[:0], msg); err != nil {
		return err
	}
	a.mark++
	last := int32(-1)
	for _, e := range a.rec.repeated {
		if last = a.table.find(childGroup, e.Name, last); last < 0 {
			return a.beyondLimit(string(e.Name))
		}
		if err := a.takeList(last, e.List); err != nil {
			return err
		}
	}
	return nil
}

// takeList reads the steps of a feature list.
func (a *Accumulator) takeList(id int32, v example.FeatureList) error {
	f, r := &a.table.fields[id], &a.rec
	f.mark = a.mark
	f.entry = int32(len(r.entries))
	e := entry{field: id, nested: true, first: len(r.steps)}
	s := v.Scan()
	for s.Next() {
		kind, lo, hi, err := r.values(s.Feature())
		if err != nil {
			return within(named(err, f.name), "feature_lists", 0)
		}
		if kind == example.Unset {
			r.steps = append(r.steps, -1)
			continue
		}
		if e.kind == example.Unset {
			e.kind, e.lo = kind, lo
		} else if e.kind != kind {
			return fmt.Errorf("%w: feature list %q has a %v in step %d, and a %v before", ErrKind, f.name, kind, s.Index(), e.kind)
		}
		e.hi = hi
		r.steps = append(r.steps, int32(hi-lo))
	}
	if err := s.Err(); err != nil {
		return within(named(err, f.name), "feature_lists", 0)
	}
	e.last = len(r.steps)
	r.entries = append(r.entries, e)
	return nil
}

// root returns what the record has under a name in the root group.
func (a *Accumulator) root(name string) *entry {
	id, ok := a.table.byName[rootGroup][name]
	if !ok {
		return nil
	}
	return a.entryOf(id)
}

func (a *Accumulator) entryOf(id int32) *entry {
	if f := &a.table.fields[id]; f.group == rootGroup && f.mark == a.rootMark || f.group == childGroup && f.mark == a.mark {
		return &a.rec.entries[f.entry]
	}
	return nil
}
