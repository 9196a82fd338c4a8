package content

import (
	"maps"
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// A group is the names that a map of features or feature lists has in the records so far, and the
// values of the map that was read last.
type group struct {
	known map[string]bool // every name that was learned
	names []string        // those of the walk, sorted: the number of a key is its place
	heads [][]byte        // what the entry of each begins with, up to the length of the value
	walk  canonical.Walk
	found []int32 // keys in the map
	slow  int     // names that were read without the walk since it was made

	inner []byte // of appendInner
}

// mostNames is how many names are learned; maps with others take the slow path.
const mostNames = 1 << 14

func newGroup() group {
	return group{known: map[string]bool{}, walk: canonical.NewIndex(nil).NewWalk()}
}

// learn adds the names of a map that took the slow path. A new walk is made when as many names
// took the slow path as it costs.
func learn[T any](g *group, m map[string]T) {
	for name := range m {
		if len(g.known) < mostNames {
			g.known[name] = true
		}
	}
	g.slow += len(m)
	if len(g.known) == len(g.names) || g.slow < 2*len(g.known) {
		return
	}
	g.slow = 0
	g.names = slices.Sorted(maps.Keys(g.known))
	g.walk = canonical.NewIndex(g.names).NewWalk()
	g.heads = g.heads[:0]
	for _, name := range g.names {
		head := append(wire.AppendHeader(nil, 1, int64(len(name))), name...)
		g.heads = append(g.heads, append(head, canonical.Tag2))
	}
}

// start begins a map.
func (g *group) start() {
	g.walk.Start()
	g.found = g.found[:0]
}

// find finds the values of the map b[i:], or of a piece of it.
func (g *group) find(b []byte, i int) bool {
	found, unknown, ok := g.walk.Map(b, i)
	g.found = append(g.found, found...)
	return ok && unknown == 0
}

// sort puts the keys that were found in order: those of few names by comparing them.
func (g *group) sort() {
	switch {
	case slices.IsSorted(g.found):
	case len(g.names) > 8*len(g.found):
		slices.Sort(g.found)
	default:
		g.found = g.found[:0]
		for k := range g.names {
			if _, _, ok := g.walk.Value(k); ok {
				g.found = append(g.found, int32(k))
			}
		}
	}
}

// appendMap appends a field with the map whose values were found in b, unless there are none.
// It is not ok if a value is not in its one form.
func (g *group) appendMap(dst, b []byte, field int32, shortest func([]byte, int) bool) ([]byte, bool) {
	if len(g.found) == 0 {
		return dst, true
	}
	g.sort()
	size := int64(0)
	for _, k := range g.found {
		lo, hi, _ := g.walk.Value(int(k))
		if !shortest(b[:hi], lo) {
			return dst, false
		}
		size += wire.SizeField(g.entrySize(k, hi-lo))
	}
	dst = slices.Grow(wire.AppendHeader(dst, field, size), int(size))
	for _, k := range g.found {
		lo, hi, _ := g.walk.Value(int(k))
		dst = wire.AppendHeader(dst, 1, g.entrySize(k, hi-lo))
		dst = wire.AppendVarint(append(dst, g.heads[k]...), uint64(hi-lo))
		dst = append(dst, b[lo:hi]...)
	}
	return dst, true
}

// entrySize is the size of the entry of a key with a value of some bytes.
func (g *group) entrySize(k int32, value int) int64 {
	return int64(len(g.heads[k])+wire.SizeVarint(uint64(value))) + int64(value)
}
