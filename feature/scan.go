package feature

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/keys"
)

// A keyTable has the keys that the spec reads in one map of the message. Every key
// has a slot, its number.
type keyTable struct {
	keys  []string
	index map[string]int

	known *keys.Index // the same keys, by slot
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

// A guess finds the slots of keys as they come. Records of one writer have their
// keys in one order, so it first tries the key that followed last time.
type guess []int // by the slot before, the one before the first being the last; -1 if nothing followed yet

func newGuess(t *keyTable) guess {
	g := make(guess, len(t.keys)+1)
	for i := range g {
		g[i] = (i + 1) % len(g)
	}
	return g
}

// find returns the slot of the key that follows the key in slot after. It returns
// -1 if nobody asks for the key.
func (g guess) find(t *keyTable, after int, key []byte) int {
	if i := g[after]; i < len(t.keys) && t.keys[i] == string(key) {
		return i
	}
	i, ok := t.index[string(key)]
	if !ok {
		return -1
	}
	g[after] = i
	return i
}

// A slot holds what a key has in the unit at hand. What it holds is stale unless
// its round is the present one.
type slot struct {
	feature example.Feature
	raw     []byte // in its place where the record is read the fast way: raw[from:]
	from    int
	round   uint64
}

// A listSlot is a slot of a feature list.
type listSlot struct {
	frames example.Frames
	round  uint64
}

// A mapReader finds the features of one map of the message.
type mapReader struct {
	table *keyTable
	guess guess
	slots []slot     // in InSequence those of the frame at hand
	lists []listSlot // only in InSequence

	walk   keys.Walk // its slots have the features, in InSequence the lists
	record []byte    // in which they are

	repeats  []int // by slot: what a later entry replaced, in all records
	repeated []int // the slots of those in the record at hand
}

func newMapReader(t *keyTable, g Group) mapReader {
	r := mapReader{
		table: t, guess: newGuess(t), slots: make([]slot, len(t.keys)), repeats: make([]int, len(t.keys)),
		walk: t.known.NewWalk(),
	}
	if g == InSequence {
		r.lists = make([]listSlot, len(t.keys))
	}
	return r
}

// get returns the feature in a slot, if there is one.
func (r *mapReader) get(i int, round uint64) (example.Feature, bool) {
	s := &r.slots[i]
	return s.feature, s.round == round
}

// features fills the slots from a scanner. What an earlier feature of the same
// name means is the dialect's to say.
func (r *mapReader) features(s *example.Scanner, round uint64) error {
	at := len(r.table.keys)
	for s.Next() {
		i := r.guess.find(r.table, at, s.Name())
		if i < 0 {
			continue
		}
		at = i
		f := s.Feature()
		if old := &r.slots[i]; old.round == round {
			var err error
			if f, err = f.Replace(old.feature); err != nil {
				return err
			}
			r.repeated = append(r.repeated, i)
		}
		r.slots[i].feature, r.slots[i].round = f, round
	}
	return s.Err()
}

// frames fills the list slots from a scanner.
func (r *mapReader) frames(s *example.ListScanner, round uint64) error {
	at := len(r.table.keys)
	for s.Next() {
		i := r.guess.find(r.table, at, s.Name())
		if i < 0 {
			continue
		}
		at = i
		f := s.Frames()
		if old := &r.lists[i]; old.round == round {
			var err error
			if f, err = f.Replace(old.frames); err != nil {
				return err
			}
			r.repeated = append(r.repeated, i)
		}
		r.lists[i].frames, r.lists[i].round = f, round
	}
	return s.Err()
}
