package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// checkPack compares AppendPackedInt64s with AppendVarint, with as much room as is
// needed, more and less; behind that it is somebody else's.
func checkPack(t *testing.T, v []int64) {
	t.Helper()
	want := []byte("x")
	for _, x := range v {
		want = AppendVarint(want, uint64(x))
	}
	if got := SizePackedInt64s(v); got != int64(len(want)-1) {
		t.Fatalf("%d: size %d, want %d", v, got, len(want)-1)
	}
	for _, room := range []int{1, len(want), len(want) + 1, len(want) + 8, 10*len(v) + 1, 10*len(v) + 10} {
		memory := bytes.Repeat([]byte{0xcc}, room+16)
		got := AppendPackedInt64s(append(memory[:0:room], 'x'), v)
		if !bytes.Equal(got, want) || bytes.Count(memory[room:], []byte{0xcc}) != 16 {
			t.Fatalf("%d in room for %d bytes: % x, want % x; behind it % x", v, room, got, want, memory[room:])
		}
	}
}

func TestPack(t *testing.T) {
	checkPack(t, nil)
	for shift := range 64 {
		checkPack(t, []int64{1<<shift - 1, 1 << shift, -1 << shift, 1<<shift + 1})
	}
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 10_000 {
		v := make([]int64, n%150)
		lo := r.IntN(64)
		for i := range v {
			v[i] = int64(r.Uint64() >> (lo + r.IntN(64-lo)))
		}
		checkPack(t, v)
	}
}
