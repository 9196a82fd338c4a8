package feature

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// The slow path reads records in any encoding, and returns all errors. The scanners of package
// example fill the slots of a mapReader; addUnit then adds them to the columns, in the order of
// the spec, so that the first error does not depend on the order of the record.

// scanRecord adds a record to the columns. On error the caller truncates them.
func (b *Batch) scanRecord(record []byte) error {
	switch b.p.message {
	case example.TypeExample:
		s := example.TypeExample.Scan(record)
		return b.scanFeatures(InFeatures, &s, -1)
	case example.TypeSequence:
		s := example.TypeSequence.Scan(record)
		if err := b.scanFeatures(InContext, &s, -1); err != nil {
			return err
		}
		return b.scanSequence(record)
	}
	return b.scanExampleList(record)
}

// scanFeatures reads one map of features and adds a unit to each of its columns.
func (b *Batch) scanFeatures(g Group, s *example.Scanner, step int) error {
	r := &b.maps[g]
	if err := r.scanFeatures(s, b.round); err != nil {
		return b.messageError(g, step, err)
	}
	for _, i := range b.p.groupColumns[g] {
		if err := b.addUnit(&b.cols[i], r, step); err != nil {
			return err
		}
	}
	return nil
}

// scanSequence reads the feature lists and adds their steps to the columns.
func (b *Batch) scanSequence(record []byte) error {
	r := &b.maps[InSequence]
	s := example.ScanFeatureLists(record)
	if err := r.scanLists(&s, b.round); err != nil {
		return b.messageError(InSequence, -1, err)
	}
	return b.addFeatureLists(r)
}

// scanExampleList reads an ExampleListWithContext, whose context may follow the examples.
func (b *Batch) scanExampleList(record []byte) error {
	n := 0
	es := example.ScanExamples(record)
	for ; es.Next(); n++ {
		if n == b.p.opts.MaxSteps {
			e := b.messageError(InExamples, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d examples", n), "more"
			return e
		}
		b.round++
		b.base = es.Offset()
		s := example.TypeExample.Scan(es.Example())
		if err := b.scanFeatures(InExamples, &s, n); err != nil {
			return err
		}
	}
	b.base = 0
	if err := es.Err(); err != nil {
		return b.messageError(InExamples, -1, err)
	}
	for _, i := range b.p.groupColumns[InExamples] {
		b.cols[i].levels[0].endRow(n)
	}
	ctx, _ := es.Context()
	b.base = es.ContextOffset()
	s := example.TypeExample.Scan(ctx)
	return b.scanFeatures(InContext, &s, -1)
}

// messageError returns the error of a message that does not decode.
func (b *Batch) messageError(g Group, step int, err error) *Error {
	e := newError(g, "", "", err)
	e.Whole, e.Step = true, step
	e.locate(b.base)
	return e
}

// keyError returns the error of a key that a column reads.
func (b *Batch) keyError(c *column, slot, step int, err error) *Error {
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

// A keyTable lists the keys that the spec reads in one map of the message. The slot of a key is
// its index.
type keyTable struct {
	keys  []string         // by slot
	index map[string]int   // slots by key
	known *canonical.Index // index of the keys for the fast path; made after the last key
}

// slotOf returns the slot of a key, which it adds if it is new.
func (t *keyTable) slotOf(key string) int {
	if i, ok := t.index[key]; ok {
		return i
	}
	if t.index == nil {
		t.index = map[string]int{}
	}
	t.index[key] = len(t.keys)
	t.keys = append(t.keys, key)
	return len(t.keys) - 1
}

// A featureSlot holds the feature of a key in the current unit. It is valid if its round is
// Batch.round: a unit without the key does not change the slot.
type featureSlot struct {
	raw     []byte          // fast path: the record up to the end of the Feature message
	from    int             // fast path: the offset of the Feature message in raw
	feature example.Feature // slow path
	round   uint64          // Batch.round when the slot was set
}

// hasNoKind reports whether the feature has no kind.
func (s *featureSlot) hasNoKind(slow bool) bool {
	if slow {
		return s.feature.Kind() == example.Unset
	}
	return s.from == len(s.raw)
}

// A listSlot is a featureSlot for the feature list of a key, on the slow path.
type listSlot struct {
	steps example.FeatureList
	round uint64 // Batch.round when the slot was set
}

// A mapReader finds the features that the spec reads in one map of a message.
type mapReader struct {
	table *keyTable     // the keys; nil in a Batch that Take returned
	slots []featureSlot // by key; in InSequence those of the current step
	lists []listSlot    // by key; only in InSequence, on the slow path

	walk   canonical.Walk // fast path: the bounds of the values, in InSequence of the lists
	record []byte         // fast path: the record that walk has read
}

func newMapReader(t *keyTable, g Group) mapReader {
	n := len(t.keys)
	r := mapReader{table: t, slots: make([]featureSlot, n), walk: t.known.NewWalk()}
	if g == InSequence {
		r.lists = make([]listSlot, n)
	}
	return r
}

// scanFeatures fills the slots from a scanner. Package example decides what a repeated name
// means: see Feature.Replace.
func (r *mapReader) scanFeatures(s *example.Scanner, round uint64) error {
	for s.Next() {
		i, ok := r.table.index[string(s.Name())]
		if !ok {
			continue
		}
		f := s.Feature()
		if old := &r.slots[i]; old.round == round {
			var err error
			if f, err = f.Replace(old.feature); err != nil {
				return err
			}
		}
		r.slots[i].feature, r.slots[i].round = f, round
	}
	return s.Err()
}

// scanLists fills the slots of feature lists from a scanner.
func (r *mapReader) scanLists(s *example.FeatureListScanner, round uint64) error {
	for s.Next() {
		i, ok := r.table.index[string(s.Name())]
		if !ok {
			continue
		}
		f := s.List()
		if old := &r.lists[i]; old.round == round {
			var err error
			if f, err = f.Replace(old.steps); err != nil {
				return err
			}
		}
		r.lists[i] = listSlot{f, round}
	}
	return s.Err()
}
