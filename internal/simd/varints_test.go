package simd

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

const spoiled = -0x5350

// checkVarints compares Varints with a simple loop. b must be at the end of readable memory. fast means that all
// valid varints must have been decoded.
func checkVarints(t *testing.T, b []byte, i, room int, fast bool) {
	t.Helper()
	memory := make([]int64, room+20)
	for j := range memory {
		memory[j] = spoiled
	}
	n, next := Varints(memory[:room], b, i)
	if next < i || next > len(b) || n > room || n == 0 && next != i {
		t.Fatalf("% x from %d with room for %d: %d varints end at %d", b, i, room, n, next)
	}
	want := make([]int64, n)
	if k, end := plainVarints(want, b, i); k != n || end != next || !slices.Equal(memory[:n], want) {
		t.Fatalf("% x from %d with room for %d: got %d to %d, want %d to %d", b, i, room, memory[:n], next, want[:k], end)
	}
	if n > 0 {
		varintsRan()
	}
	for j, v := range memory[n:] {
		if v != spoiled {
			t.Fatalf("% x from %d with room for %d: wrote %d at %d, behind %d values", b, i, room, v, n+j, n)
		}
	}
	all := make([]int64, room)
	if k, end := plainVarints(all, b, i); fast && (n < k || next < end) {
		t.Fatalf("% x from %d with room for %d: stopped after %d varints at %d, want %d to %d", b, i, room, n, next, k, end)
	}
}

// ends returns the number of varints that end in b.
func ends(b []byte) (n int) {
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// TestVarints decodes lists of every length at every place, with varints of one size and of mixed sizes, up to both
// ends of readable memory.
func TestVarints(t *testing.T) {
	t.Logf("the processor has the kernel: %t, the wide one: %t", hasKernel, shortFast())
	eachKernel(func() { lists(t) })
}

func lists(t *testing.T) {
	last := edge(t, 4096)
	r := rand.New(rand.NewPCG(5, 5))
	for lo := 1; lo <= 10; lo++ {
		for hi := lo; hi <= 10; hi++ {
			for count := range 200 {
				var list []byte
				for range count {
					size := lo + r.IntN(hi-lo+1)
					v := r.Uint64()>>max(0, 64-7*size) | 1<<(7*size-7)
					list = binary.AppendUvarint(list, v)
				}
				before := r.IntN(80)
				size := before + len(list)
				if size > len(last) {
					break
				}
				b := last[len(last)-size:]
				for j := range before {
					b[j] = byte(r.Uint32())
				}
				copy(b[before:], list)
				fast := hasKernel && before >= Before && size >= 64 || shortFast()
				checkVarints(t, b, before, count, fast)
				checkVarints(t, b, before, count+3, fast)
				checkVarints(t, b, before, count/2, false)
				copy(last, b)
				checkVarints(t, last[:size], before, count, fast)
				copy(b[before:], list)
				if len(list) == 0 {
					continue
				}
				b[before+r.IntN(len(list))] ^= 0x80
				checkVarints(t, b, before, ends(b[before:]), false)
				b = b[:before+r.IntN(len(list))]
				copy(last[len(last)-len(b):], b)
				checkVarints(t, last[len(last)-len(b):], before, ends(b[before:]), false)
			}
		}
	}
}

// TestVarintsAtBoundaries puts one valid or invalid varint of every size at every place between varints of every
// other size.
func TestVarintsAtBoundaries(t *testing.T) { eachKernel(func() { boundaries(t) }) }

func boundaries(t *testing.T) {
	last := edge(t, 4096)
	for size := 1; size <= 12; size++ {
		for _, end := range []byte{0, 1, 2, 0x7f, 0x80} {
			for _, filler := range []int{1, 2, 8, 9, 10} {
				other := append(slices.Repeat([]byte{0xff}, filler-1), 1)
				for at := range 70 / filler {
					list := slices.Repeat(other, at)
					list = append(list, slices.Repeat([]byte{0xd5}, size-1)...)
					list = append(list, end)
					list = append(list, slices.Repeat(other, 70/filler-at)...)
					b := last[len(last)-len(list)-7:]
					copy(b[7:], list)
					sound := end < 0x80 && size <= 10 && (size < 10 || end <= 1)
					checkVarints(t, b, 7, ends(list), sound && (hasKernel && len(b) >= 64 || shortFast()))
				}
			}
		}
	}
}

// TestVarintsInStrides decodes more varints than one call does.
func TestVarintsInStrides(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	b := make([]byte, 9)
	count := 0
	for ; len(b) < 200_000; count++ {
		b = binary.AppendUvarint(b, r.Uint64()>>r.IntN(64))
	}
	eachKernel(func() { checkVarints(t, b, 9, count, hasKernel) })
	eachKernel(func() { checkVarints(t, slices.Repeat([]byte{0x81, 0}, 100_000), 0, 100_000, shortFast()) })
}

func FuzzVarints(f *testing.F) {
	f.Add([]byte{1, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, uint8(7), uint8(70))
	f.Add(append(slices.Repeat([]byte{0xff}, 9), 2), uint8(60), uint8(0))
	f.Add(slices.Repeat([]byte{5}, 100), uint8(7), uint8(90))
	f.Fuzz(func(t *testing.T, list []byte, before, room uint8) {
		b := append(slices.Repeat([]byte{0x80}, int(before)), list...)
		b = slices.Clip(b)
		eachKernel(func() {
			checkVarints(t, b, int(before), int(room), false)
			checkVarints(t, b, int(before), ends(list), false)
		})
	})
}
