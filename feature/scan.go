package feature

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// A keyTable has the keys that the spec reads in one map of the message. Every key
// has a slot, its number.
type keyTable struct {
	keys  []string
	index map[string]int

	known *canonical.Index // the same keys, by slot
}

// slot returns the number of a key; it may be new.
func (t *keyTable) slot(key string) int {
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

// A slot holds the feature that a key has in the unit at hand: raw[from:] if the record takes the
// fast path, feature on the slow path. It is stale unless its round is the present one.
type slot struct {
	raw     []byte
	from    int
	feature example.Feature
	round   uint64 // Batch.round when it was set
}

// unset reports whether the feature has no kind.
func (s *slot) unset(slow bool) bool {
	if slow {
		return s.feature.Kind() == example.Unset
	}
	return s.from == len(s.raw)
}

// A listSlot is a slot of a feature list.
type listSlot struct {
	steps example.FeatureList
	round uint64
}

// A mapReader finds the features of one map of the message.
type mapReader struct {
	table *keyTable
	slots []slot     // in InSequence those of the step at hand
	lists []listSlot // only in InSequence, on the slow path

	walk   canonical.Walk // the fast path: its slots have the features, in InSequence the lists
	record []byte         // in which they are
}

func newMapReader(t *keyTable, g Group) mapReader {
	n := len(t.keys)
	r := mapReader{table: t, slots: make([]slot, n), walk: t.known.NewWalk()}
	if g == InSequence {
		r.lists = make([]listSlot, n)
	}
	return r
}

// scan fills the slots from a scanner. What an earlier feature of the same
// name means is the dialect's to say.
func (r *mapReader) scan(s *example.Scanner, round uint64) error {
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

// scanLists fills the lists from a scanner.
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
