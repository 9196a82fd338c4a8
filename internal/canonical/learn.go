package canonical

import (
	"cmp"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/simd"
)

// The limits of Names. A Walk treats a map that exceeds them as not canonical.
const (
	MaxNames     = 1 << 16 // number of names
	maxNameBytes = 4 << 20 // total size of the names
)

// Names is the set of names that a Walk has learned. Each has an ID: 0, 1, … in the order in which
// they were learned. An ID is valid for the life of the Names. Not safe for concurrent use.
type Names struct {
	text   []string         // by ID
	bytes  int              // total size of text
	index  *Index           // index of the first names in text
	later  map[string]int32 // IDs of the names in text that index lacks
	misses int              // number of entries whose name index lacks, since index was built
	latest *LatestIndex     // shared with other Names
}

// LatestIndex holds the largest index that several Names have built, so that later Names start with it. Without a
// maximum it affects speed only. The zero value is empty; it is safe for concurrent use.
type LatestIndex struct {
	snapshot atomic.Pointer[namesSnapshot]
	max      int // maximum number of names that Names can have; 0: MaxNames
}

// namesSnapshot is an immutable copy of Names.
type namesSnapshot struct {
	text  []string
	bytes int
	index *Index
}

// NewLatestIndex returns a LatestIndex of names; the ID of a name is its index in names. Names that start with it
// can learn at most "more" further names.
func NewLatestIndex(names []string, more int) *LatestIndex {
	s := &namesSnapshot{text: names, index: NewIndex(names)}
	for _, name := range names {
		s.bytes += len(name)
	}
	l := &LatestIndex{max: len(names) + more}
	l.snapshot.Store(s)
	return l
}

// NewNames returns Names that start with the names of the latest index.
func NewNames(latest *LatestIndex) *Names {
	s := &Names{later: map[string]int32{}, latest: latest}
	if last := latest.snapshot.Load(); last != nil {
		s.text, s.bytes, s.index = last.text[:len(last.text):len(last.text)], last.bytes, last.index
	} else {
		s.index = NewIndex(nil)
	}
	return s
}

// Len returns the number of names. All IDs are less than it.
func (s *Names) Len() int { return len(s.text) }

// max returns the limit of Len.
func (s *Names) max() int { return cmp.Or(s.latest.max, MaxNames) }

// Text returns the name with an ID.
func (s *Names) Text(id int32) string { return s.text[id] }

// ID returns the ID of a name and learns a new name. It returns [Unknown] if a limit is reached.
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

// NewWalk returns a Walk that finds all keys and learns new ones. Its keys are the IDs.
func (s *Names) NewWalk() Walk {
	w := s.index.NewWalk()
	w.names = s
	return w
}

// reindex rebuilds the index with all names, once the misses exceed twice the number of names, so that names that
// occur only once do not cause it. It also rebuilds the index when the limit is reached, so that Names that start
// with it need not learn all these names again.
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

// learnKey returns the ID of the name of the entry b[i:], which the index lacks, and allocates its slot.
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
