package feature

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
)

// The slow path reads records in any encoding. The scanners of package example fill the slots and
// know the dialect; the units are added by the same code as on the fast path, in the order of the
// spec, so that the first fault is always the same one.

// record reads a record. If it fails, the columns must be truncated.
func (b *Batch) record(record []byte) error {
	switch b.p.message {
	case example.TypeExample:
		s := example.TypeExample.Scan(record)
		return b.features(InFeatures, &s, -1)
	case example.TypeSequence:
		s := example.TypeSequence.Scan(record)
		if err := b.features(InContext, &s, -1); err != nil {
			return err
		}
		return b.sequence(record)
	}
	return b.list(record)
}

// features reads one map of features and adds a unit to each of its columns.
func (b *Batch) features(g Group, s *example.Scanner, step int) error {
	r := &b.maps[g]
	if err := r.scan(s, b.round); err != nil {
		return b.whole(g, step, err)
	}
	for _, i := range b.p.groups[g] {
		if err := b.unit(&b.cols[i], r, step); err != nil {
			return err
		}
	}
	return nil
}

// sequence reads the feature lists and adds their steps to the columns.
func (b *Batch) sequence(record []byte) error {
	r := &b.maps[InSequence]
	s := example.ScanFeatureLists(record)
	if err := r.scanLists(&s, b.round); err != nil {
		return b.whole(InSequence, -1, err)
	}
	return b.featureLists(r)
}

// list reads an ExampleListWithContext. Its context may follow the examples.
func (b *Batch) list(record []byte) error {
	n := 0
	es := example.ScanExamples(record)
	for ; es.Next(); n++ {
		if n == b.p.opts.MaxSteps {
			e := b.whole(InExamples, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d examples", n), "more"
			return e
		}
		b.round++
		b.base = es.Offset()
		s := example.TypeExample.Scan(es.Example())
		if err := b.features(InExamples, &s, n); err != nil {
			return err
		}
	}
	b.base = 0
	if err := es.Err(); err != nil {
		return b.whole(InExamples, -1, err)
	}
	for _, i := range b.p.groups[InExamples] {
		b.cols[i].levels[0].end(n)
	}
	ctx, _ := es.Context()
	b.base = es.ContextOffset()
	s := example.TypeExample.Scan(ctx)
	return b.features(InContext, &s, -1)
}

// whole makes the error for a message that is not sound.
func (b *Batch) whole(g Group, step int, err error) *Error {
	e := newError(g, "", "", err)
	e.Whole, e.Step = true, step
	e.locate(b.base)
	return e
}

// fault makes the error for a key that a column reads.
func (b *Batch) fault(c *column, slot, step int, err error) *Error {
	r := &b.maps[c.group]
	e := newError(c.group, c.name, r.table.keys[slot], err)
	e.Step = step
	if s := &r.slots[slot]; s.round == b.round && (c.group != InSequence || step >= 0) {
		e.Byte = b.base + s.feature.Offset()
	} else if c.group == InSequence && r.lists[slot].round == b.round {
		e.Byte = r.lists[slot].steps.Offset()
	}
	e.locate(b.base)
	return e
}
