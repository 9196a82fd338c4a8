package extsort

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

type pair struct{ key, value []byte }

// randomPairs makes pairs whose keys repeat, with up to some bytes of padding; the values begin with their ordinal.
func randomPairs(r *rand.Rand, n, keyPadding, valuePadding int) (all []pair) {
	for i := range n {
		key := make([]byte, r.IntN(12))
		for i := range key {
			key[i] = byte(r.IntN(3))
		}
		key = append(key, make([]byte, r.IntN(keyPadding+1))...)
		value := append(binary.BigEndian.AppendUint32(nil, uint32(i)), bytes.Repeat([]byte{byte(i)}, r.IntN(valuePadding+1))...)
		all = append(all, pair{key, value})
	}
	return all
}

// A Sorter gives the order of a stable sort of a slice, in memory and with more runs than it merges at once. Keys
// or values may be longer than the buffer of a run or than the memory. It has at most two temporary files.
func TestStable(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, c := range []struct {
		items  int
		key    int // maximal bytes of padding
		value  int
		memory int64
	}{
		{500, 0, 0, 1}, {20_000, 0, 0, 8 << 10}, {20_000, 0, 0, 64 << 10}, {20_000, 0, 0, 1 << 30}, {0, 0, 0, 1 << 20},
		{300, 0, 100 << 10, 64 << 10}, {300, 0, 100 << 10, 1 << 20}, {300, 40 << 10, 100, 256 << 10}, {100, 100 << 10, 100 << 10, 1},
	} {
		added := randomPairs(r, c.items, c.key, c.value)
		want := slices.Clone(added)
		slices.SortStableFunc(want, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
		s := New(t.Context(), c.memory, filepath.Join(t.TempDir(), "out"))
		for _, p := range added {
			if err := s.Add(p.key, p.value); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			i := 0
			if err := s.Each(func(key, value []byte) error {
				if !bytes.Equal(key, want[i].key) || !bytes.Equal(value, want[i].value) {
					t.Fatalf("%+v: item %d is %.20x %.20x, want %.20x %.20x", c, i, key, value, want[i].key, want[i].value)
				}
				if len(s.files) > 2 {
					t.Fatalf("%+v: %d temporary files", c, len(s.files))
				}
				i++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if i != len(want) {
				t.Fatalf("%+v: %d items of %d", c, i, len(want))
			}
		}
		s.Close()
	}
}

// A Sorter uses no more than its memory and a few long items, not one item of each run.
func TestHeap(t *testing.T) {
	const items, size, memory = 60, 1 << 20, 256 << 10
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	s := New(t.Context(), memory, filepath.Join(t.TempDir(), "out"))
	defer s.Close()
	value := make([]byte, size)
	before, peak := heap(), int64(0)
	measure := func() { peak = max(peak, heap()-before) }
	for i := range items {
		if err := s.Add([]byte{byte(i * 7 % items)}, value); err != nil {
			t.Fatal(err)
		}
		measure()
	}
	if err := s.Each(func(_, _ []byte) error { measure(); return nil }); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(value)
	t.Logf("%d bytes at most", peak)
	if limit := int64(memory + items*minBuffer + 3*size); peak > limit {
		t.Errorf("%d bytes are held, want at most %d", peak, limit)
	}
}

// A temporary file with any changed bit is an error, and so is a truncated one.
func TestDamage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	write := func() *Sorter {
		s := New(t.Context(), 1, out)
		for i := range 3 {
			if err := s.Add(fmt.Append(nil, "key", i), fmt.Append(nil, "value", i)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	all := func(s *Sorter) error {
		defer s.Close()
		return s.Each(func(_, _ []byte) error { return nil })
	}
	first := write()
	size := first.end
	first.Close()
	for bit := range 8 * size {
		s := write()
		var b [1]byte
		if _, err := s.files[0].ReadAt(b[:], bit/8); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1 << (bit % 8)
		if _, err := s.files[0].WriteAt(b[:], bit/8); err != nil {
			t.Fatal(err)
		}
		if err := all(s); !errors.Is(err, errChanged) {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
	s := write()
	if err := s.files[0].Truncate(size - 1); err != nil {
		t.Fatal(err)
	}
	if err := all(s); !errors.Is(err, errChanged) {
		t.Fatal(err)
	}
}

// A Sorter stops when its context ends, at any item.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := New(ctx, 1, filepath.Join(t.TempDir(), "out"))
	defer s.Close()
	for range 10 {
		if err := s.Add([]byte("k"), nil); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	if err := s.Each(func(_, _ []byte) error { n++; cancel(); return nil }); err != context.Canceled || n != 1 {
		t.Errorf("%v after %d items", err, n)
	}
}
