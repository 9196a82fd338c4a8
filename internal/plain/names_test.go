package plain

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/wire"
)

// TestChosenNames proves that names which want places side by side, as if somebody had
// guessed the seed, are given up after a few: what it costs to look for a name is bounded.
func TestChosenNames(t *testing.T) {
	var all names
	n, entries := 0, []byte(nil)
	for i := 0; n < 2*maxProbes; i++ {
		name := fmt.Appendf(nil, "name %d", i)
		if hashName(name, 0, len(name))>>24 != 0x5a {
			continue
		}
		entry := append(append(wire.AppendHeader(nil, 1, int64(len(name))), name...), Tag2, 0)
		entries = append(wire.AppendHeader(entries, 1, int64(len(entry))), entry...)
		n++
		msg := append(wire.AppendHeader(nil, 1, int64(len(entries))), entries...)
		if got := CheckExample(msg, nil); got != (n <= maxProbes) {
			t.Errorf("%d names in one place are accepted: %t", n, got)
		}
	}
	// No name is lost when the table grows.
	all = names{}
	for i := range 100_000 {
		name := fmt.Appendf(nil, "%d", i)
		if !all.add(name, 0, len(name)) {
			t.Fatalf("name %d was there before", i)
		}
	}
	for i := range 100_000 {
		name := fmt.Appendf(nil, "%d", i)
		if all.add(name, 0, len(name)) {
			t.Fatalf("name %d was not there", i)
		}
	}
}

// TestHashName proves that the hash of a name does not depend on what stands around it.
func TestHashName(t *testing.T) {
	seen := map[uint32]string{}
	for size := range 70 {
		for i := range max(1, size) {
			name := slices.Repeat([]byte{0}, size)
			if size > 0 {
				name[i] = 0xff
			}
			want := hashName(name, 0, size)
			for before := range 10 {
				for after := range 10 {
					b := slices.Concat(slices.Repeat([]byte{0xaa}, before), name, slices.Repeat([]byte{0x55}, after))
					if got := hashName(b, before, before+size); got != want {
						t.Fatalf("% x has the hash %x, and %x between others", name, want, got)
					}
				}
			}
			seen[want] = string(name)
		}
	}
	if len(seen) < 2400 { // of 2415: the seed is different each time
		t.Errorf("%d hashes", len(seen))
	}
}
