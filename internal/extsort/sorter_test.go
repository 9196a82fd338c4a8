package extsort

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// A Sorter gives the order of a stable sort of a slice, in memory and from more temporary files than it merges
// at once.
func TestStable(t *testing.T) {
	type pair struct{ key, value []byte }
	r := rand.New(rand.NewPCG(5, 7))
	for _, c := range []struct {
		items  int
		memory int64
	}{{500, 1}, {20_000, 8 << 10}, {20_000, 64 << 10}, {20_000, 1 << 30}, {0, 1 << 20}} {
		var added []pair
		for i := range c.items {
			key := make([]byte, r.IntN(12))
			for i := range key {
				key[i] = byte(r.IntN(3))
			}
			added = append(added, pair{key, binary.BigEndian.AppendUint32(nil, uint32(i))})
		}
		want := slices.Clone(added)
		slices.SortStableFunc(want, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
		s := New(t.Context(), c.memory, filepath.Join(t.TempDir(), "out"))
		for _, p := range added {
			if err := s.Add(p.key, p.value); err != nil {
				t.Fatal(err)
			}
		}
		i := 0
		if err := s.Each(func(key, value []byte) error {
			if !bytes.Equal(key, want[i].key) || !bytes.Equal(value, want[i].value) {
				t.Fatalf("in %d bytes, item %d is %x %x, want %x %x", c.memory, i, key, value, want[i].key, want[i].value)
			}
			i++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if s.Close(); i != len(want) {
			t.Fatalf("in %d bytes, %d items of %d", c.memory, i, len(want))
		}
	}
}
