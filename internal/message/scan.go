package message

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/encode"
)

// scan is the slow path of Read: it fills the table from a message in any encoding. Entries are sorted by name. Values in
// their shortest canonical encoding stay where they are in the message; others are rewritten and appended to it. The error is
// that of [example.MessageType.Validate], except that entries that are not wanted are not validated.
func (t *Table) scan(msg []byte) (err error) {
	t.reset(append(t.scanned[:0], msg...))
	defer func() { t.scanned = t.Bytes }()
	switch t.typ {
	case example.TypeExample:
		t.found, err = example.TypeExample.Collect(t.found[:0], msg)
		return t.scanFeatures(err, Features, "", 0)
	case example.TypeSequence:
		t.found, err = example.TypeSequence.Collect(t.found[:0], msg)
		if err := t.scanFeatures(err, Context, "context", 0); err != nil {
			return err
		}
		return t.scanLists(msg)
	}
	s := example.ScanExamples(msg)
	for s.Next() {
		t.found, err = example.TypeExample.Collect(t.found[:0], s.Example())
		if err := t.scanFeatures(err, Examples, "", s.Offset()); err != nil {
			return inExample(err, fmt.Sprintf("examples[%d]", s.Index()), s.Offset())
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	var context []byte
	context, t.HasContext = s.Context()
	t.found, err = example.TypeExample.Collect(t.found[:0], context)
	return inExample(t.scanFeatures(err, Context, "", s.ContextOffset()), "context", s.ContextOffset())
}

// inExample adds the position of an Example in its list to an error.
func inExample(err error, part string, offset int) error {
	if e, ok := err.(*example.Error); ok {
		e.Enclose(part, offset)
	}
	return err
}

// scanFeatures adds a map with the features in t.found, unless err is an error. The offsets of the features count from base. It
// adds the part and the feature to an error.
func (t *Table) scanFeatures(err error, p Part, part string, base int) error {
	if err != nil {
		return located(err, part, nil)
	}
	m := Map{Part: p, Lo: len(t.Entries)}
	for _, e := range t.found {
		lo := base + e.Feature.Offset()
		hi := lo + len(e.Feature.Raw())
		// A feature without bytes may replace an earlier one of the same name; only package example knows.
		if _, ok := canonical.Measure(t.Bytes[:hi], lo); (!ok || lo == hi) && t.wants(p, e.Name) {
			t.rewriter.buf.Reset()
			if err := t.rewriter.feature(e.Feature); err != nil {
				return located(err, part, e.Name)
			}
			lo, hi = t.appendRewritten()
		}
		t.Entries = append(t.Entries, Entry{t.id(p, e.Name), lo, hi})
	}
	m.Hi = len(t.Entries)
	t.Maps = append(t.Maps, m)
	return nil
}

// wants reports whether the caller reads the value of an entry.
func (t *Table) wants(p Part, name []byte) bool { return t.Wanted == nil || t.Wanted(p, name) }

// scanLists adds the map of feature lists.
func (t *Table) scanLists(msg []byte) (err error) {
	if t.lists, err = example.CollectFeatureLists(t.lists[:0], msg); err != nil {
		return err
	}
	m := Map{Part: Lists, Lo: len(t.Entries)}
	for _, e := range t.lists {
		lo := e.List.Offset()
		hi := lo + len(e.List.Raw())
		if !canonical.ShortestSteps(t.Bytes[:hi], lo) && t.wants(Lists, e.Name) {
			t.rewriter.buf.Reset()
			if err := t.rewriter.list(e.List); err != nil {
				return located(firstFault(e.List, err), "feature_lists", e.Name)
			}
			lo, hi = t.appendRewritten()
		}
		t.Entries = append(t.Entries, Entry{t.id(Lists, e.Name), lo, hi})
	}
	m.Hi = len(t.Entries)
	t.Maps = append(t.Maps, m)
	return nil
}

// firstFault returns the error of the first invalid step, else err. The rewriter starts with the last step, so err
// may be that of a later step.
func firstFault(l example.FeatureList, err error) error {
	s := l.Scan()
	for s.Next() {
		if err := s.Feature().Validate(); err != nil {
			if e, ok := err.(*example.Error); ok && e.Step < 0 {
				e.Step = s.Index()
			}
			return err
		}
	}
	return cmp.Or(s.Err(), err)
}

// id returns the ID of a name.
func (t *Table) id(p Part, name []byte) int32 {
	id := t.names[p].ID(name)
	if id < 0 {
		id = ^int32(len(t.unlisted))
		t.unlisted = append(t.unlisted, name)
	}
	return id
}

// appendRewritten appends the output of the rewriter to the message and returns its bounds.
func (t *Table) appendRewritten() (lo, hi int) {
	lo = len(t.Bytes)
	t.Bytes = append(t.Bytes, t.rewriter.buf.Bytes()...)
	return lo, len(t.Bytes)
}

// rewriter encodes values in their shortest canonical encoding.
type rewriter struct {
	buf encode.Buffer // filled from its end

	// Buffers.
	steps  []example.Feature
	ints   []int64
	floats []float32
	values [][]byte
}

// feature encodes a Feature. A Feature without a kind has no bytes.
func (r *rewriter) feature(f example.Feature) (err error) {
	switch f.Kind() {
	case example.Unset:
	case example.Int64List:
		if r.ints, err = f.AppendInt64s(r.ints[:0]); err == nil {
			r.buf.Int64s(r.ints)
		}
	case example.FloatList:
		if r.floats, err = f.AppendFloats(r.floats[:0]); err == nil {
			r.buf.Floats(r.floats)
		}
	case example.BytesList:
		if r.values, err = f.AppendBytes(r.values[:0]); err == nil {
			encode.Bytes(&r.buf, r.values)
		}
	default:
		err = f.Validate()
	}
	return err
}

// list encodes a FeatureList.
func (r *rewriter) list(l example.FeatureList) error {
	r.steps = r.steps[:0]
	s := l.Scan()
	for s.Next() {
		r.steps = append(r.steps, s.Feature())
	}
	if err := s.Err(); err != nil {
		return err
	}
	for _, f := range slices.Backward(r.steps) {
		mark := r.buf.Len()
		if err := r.feature(f); err != nil {
			return err
		}
		r.buf.Field(1, mark)
	}
	return nil
}
