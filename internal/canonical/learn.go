package canonical

import (
	"cmp"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/simd"
)

// What Names learn. A map with names beyond these limits is not canonical for their Walk.
const (
	MaxNames     = 1 << 16
	maxNameBytes = 4 << 20
)

// Names are the names that a Walk has learned, each with an ID: its place in the order in which
// they came. An ID is good for the life of the Names. They belong to one goroutine.
type Names struct {
	text   []string // by ID
	bytes  int      // of text
	index  *Index   // of the first of text
	later  map[string]int32
	misses int // entries with a name that the index lacks, since it was made
	latest *LatestIndex
}

// A LatestIndex is the largest index that several Names have made, so that each need not make its
// own. It makes no difference but in time. The zero value is empty; it is safe for all goroutines.
type LatestIndex struct {
	snapshot atomic.Pointer[namesSnapshot]
	max      int // number of names; 0: MaxNames
}

type namesSnapshot struct {
	text  []string
	bytes int
	index *Index
}

// NewLatestIndex returns a LatestIndex of names, which have the IDs of their places. Names learn as many more at most.
func NewLatestIndex(names []string, more int) *LatestIndex {
	s := &namesSnapshot{text: names, index: NewIndex(names)}
	for _, name := range names {
		s.bytes += len(name)
	}
	l := &LatestIndex{max: len(names) + more}
	l.snapshot.Store(s)
	return l
}

// NewNames returns Names that begin with those of the latest index.
func NewNames(latest *LatestIndex) *Names {
	s := &Names{later: map[string]int32{}, latest: latest}
	if last := latest.snapshot.Load(); last != nil {
		s.text, s.bytes, s.index = last.text[:len(last.text):len(last.text)], last.bytes, last.index
	} else {
		s.index = NewIndex(nil)
	}
	return s
}

// Len returns the number of names; their IDs are smaller.
func (s *Names) Len() int { return len(s.text) }

// max returns the limit of Len.
func (s *Names) max() int { return cmp.Or(s.latest.max, MaxNames) }

// Text returns the name with an ID.
func (s *Names) Text(id int32) string { return s.text[id] }

// ID returns the ID of a name, which is learned if it is new; [Unknown] if there are too many.
func (s *Names) ID(name []byte) int32 {
	if k := s.index.lookUp(name); k >= 0 {
		return int32(k)
	}
	id, ok := s.later[string(name)]
	if !ok {
		if len(s.text) >= s.max() || s.bytes+len(name) > maxNameBytes {
			return Unknown
		}
		id = int32(len(s.text))
		text := string(name)
		s.later[text] = id
		s.text, s.bytes = append(s.text, text), s.bytes+len(text)
	}
	return id
}

// NewWalk returns a Walk that finds all keys and learns those that are new. Its keys are the IDs.
func (s *Names) NewWalk() Walk {
	w := s.index.NewWalk()
	w.names = s
	return w
}

// reindex makes an index of all names once it has missed enough entries to pay for that: twice as
// many as there are names, so names that are new in each message cause none. The last index is made
// when there is no room for more names: those who begin with it need not learn as many again.
func (w *Walk) reindex() {
	s := w.names
	if len(s.later) == 0 || s.misses <= 2*len(s.text) && len(s.text) < s.max() {
		return
	}
	s.index, s.misses = NewIndex(s.text), 0
	clear(s.later)
	round := w.round
	*w = s.NewWalk()
	w.round = round
	if last := s.latest.snapshot.Load(); last == nil || len(last.text) < len(s.text) {
		s.latest.snapshot.Store(&namesSnapshot{s.text, s.bytes, s.index})
	}
}

// learnKey returns the key of the entry b[i:], which the index lacks, and makes a slot for it.
func (w *Walk) learnKey(b []byte, i int) int {
	name, end, _, next := entry(b, i)
	if next < 0 {
		return notCanonical
	}
	w.names.misses++
	id := int(w.names.ID(b[name:end]))
	for id >= len(w.slots) {
		w.slots = append(w.slots, simd.Slot{})
		w.order = append(w.order, 0)
	}
	return id
}
