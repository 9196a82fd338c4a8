package stats

import (
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/canonical"
)

// A walk finds the features of Examples, which have one group, by the names that were met when it was made.
type walk struct {
	canonical.Walk
	known  *index
	fields []int32 // by the number of the name; -1: not met since
	met    int     // fields with such a number
	shared *names
}

// An index is names, and how they are found.
type index struct {
	names []string
	index *canonical.Index
}

// names is the latest index of several accumulators: those of portions of the same records need not
// make one each.
type names struct{ latest atomic.Pointer[index] }

// start begins with the names that other accumulators have met, and returns how many there are. They
// show in nothing but time.
func (w *walk) start(shared *names) int {
	w.shared = shared
	if w.known = shared.latest.Load(); w.known == nil {
		w.known = &index{index: canonical.NewIndex(nil)}
	}
	w.reset()
	return len(w.fields)
}

func (w *walk) reset() {
	w.Walk, w.met = w.known.index.NewWalk(), 0
	w.fields = make([]int32, len(w.known.names))
	for i := range w.fields {
		w.fields[i] = -1
	}
}

// add notes the number of a field that is new, and returns that of its name.
func (w *walk) add(g group, name string, id int32) int32 {
	if g != rootGroup {
		return -1
	}
	key := w.known.index.Number(name)
	if key >= 0 {
		w.fields[key] = id
		w.met++
	}
	return int32(key)
}

// remove forgets the field of a name.
func (w *walk) remove(key int32) {
	if key >= 0 {
		w.fields[key] = -1
		w.met--
	}
}

// index makes a new walk if there are fields that it does not know, and finding features without
// it has taken as long as making one takes.
func (t *fieldTable) index() {
	n := len(t.fields)
	if n == t.walk.met || t.unindexed <= 4*n {
		return
	}
	x := &index{names: make([]string, n)}
	for i := range t.fields {
		x.names[i] = t.fields[i].name
	}
	x.index = canonical.NewIndex(x.names)
	t.walk.known, t.unindexed = x, 0
	t.walk.reset()
	for i := range t.fields {
		t.fields[i].key = t.walk.add(rootGroup, x.names[i], int32(i))
	}
	if last := t.walk.shared.latest.Load(); last == nil || len(last.names) < n {
		t.walk.shared.latest.Store(x)
	}
}
