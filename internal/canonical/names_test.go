package canonical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/wire"
)

// seeds calls f with fixed seeds of the hash, so that a test has the same result in each run.
func seeds(n int, f func()) {
	defer func(old [2]uint64) { nameSeeds = old }(nameSeeds)
	r := rand.New(rand.NewPCG(7, 7))
	for range n {
		nameSeeds = [2]uint64{r.Uint64(), r.Uint64()}
		f()
	}
}

// TestChosenNames has names that all belong to one slot, as if an attacker had guessed the seeds. They are refused
// after maxProbes names, so the cost of a lookup is bounded.
func TestChosenNames(t *testing.T) {
	seeds(4, func() {
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
			if got := CheckExample(msg); got != (n <= maxProbes) {
				t.Errorf("%d names in one slot: accepted: %t", n, got)
			}
		}
	})
}

// TestOrdinaryNames adds names like those in files. None is refused, even while the table grows, and none is
// accepted twice.
func TestOrdinaryNames(t *testing.T) {
	for _, format := range []string{"%d", "f%d", "feature_%04d", "%d/ragged_row_lengths_0", "a common prefix/%05d"} {
		for n, rounds := range map[int]int{100: 300, 2000: 10} {
			list := make([][]byte, n)
			for i := range list {
				list[i] = fmt.Appendf(nil, format, i)
			}
			seeds(rounds, func() {
				var all nameSet
				for _, name := range list {
					if !all.add(name, 0, len(name)) {
						t.Fatalf("%d names of the form %q, seeds %x: %q is refused", n, format, nameSeeds, name)
					}
				}
				for _, name := range list {
					if all.add(name, 0, len(name)) {
						t.Fatalf("%d names of the form %q, seeds %x: %q is accepted twice", n, format, nameSeeds, name)
					}
				}
			})
		}
	}
}

// TestHashName proves that the hash of a name does not depend on the bytes before and after it.
func TestHashName(t *testing.T) {
	seeds(1, func() { testHashName(t) })
}

func testHashName(t *testing.T) {
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
	if len(seen) != 2416 {
		t.Errorf("%d hashes of 2416 names", len(seen))
	}
}
