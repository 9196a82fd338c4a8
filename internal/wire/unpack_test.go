package wire

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestUnpack decodes lists of varints in ranges of sizes, which the fast paths distinguish.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range testkit.Rounds(60_000) {
		lo := r.IntN(10)
		hi := lo + r.IntN(10-lo)
		var b []byte
		for range r.IntN(20) {
			b = AppendVarint(b, 1<<(7*(lo+r.IntN(hi-lo+1)))|r.Uint64()>>(1+r.IntN(63)))
		}
		checkInt64s(t, b)
		if len(b) > 0 {
			checkInt64s(t, b[:r.IntN(len(b))])
			b[r.IntN(len(b))] ^= 0x80
			checkInt64s(t, b)
		}
	}
}

// TestLastVarint reads valid and invalid varints of every size at the end of a buffer.
func TestLastVarint(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range testkit.Rounds(200_000) {
		size := 1 + r.IntN(12)
		b := make([]byte, r.IntN(6), 20)
		for range size {
			b = append(b, 0x80|byte(r.Uint32()))
		}
		b[len(b)-1] = byte(r.IntN(3))
		if size < 10 {
			b[len(b)-1] = byte(r.IntN(128))
		}
		if r.IntN(4) == 0 {
			b[len(b)-1-r.IntN(size)] ^= 0x80
		}
		want, next := Varint(b, len(b)-size)
		got, ok := LastVarint(b, size)
		if ok != (next == len(b)) || ok && got != int64(want) {
			t.Fatalf("% x, the last %d: got %d, %t; want %d, %d", b, size, got, ok, want, next)
		}
		if size > 8 {
			continue
		}
		var w [8]byte
		copy(w[:], b[len(b)-size:])
		if got, ok := FirstVarint(binary.LittleEndian.Uint64(w[:]), size); ok != (next == len(b)) || ok && got != int64(want) {
			t.Fatalf("% x, the first %d: got %d, %t; want %d, %d", w, size, got, ok, want, next)
		}
	}
}

// TestFillShort decodes short lists with other bytes after them.
func TestFillShort(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range testkit.Rounds(50_000) {
		lo := r.IntN(5)
		b := make([]byte, lo)
		for range r.IntN(9) {
			b = AppendVarint(b, r.Uint64()>>(8+r.IntN(56)))
		}
		hi := len(b)
		if hi > lo && r.IntN(3) == 0 {
			b[lo+r.IntN(hi-lo)] ^= 0x80
		}
		want, _, next := slowInt64s(b[lo:hi])
		b = append(b, 1, 2, 0x83, 4, 5, 0x86, 7, 8)
		got, ok := FillShort([]int64{7}, b, lo, hi)
		if ok && (next < 0 || !slices.Equal(got[1:], want)) || !ok && len(got) != 1 || got[0] != 7 {
			t.Fatalf("% x from %d to %d: got %d, %t; want %d, %d", b, lo, hi, got, ok, want, next)
		}
		if !ok && next >= 0 && !slices.ContainsFunc(want, func(v int64) bool { return v < 0 || v >= 1<<56 }) && hi-lo <= 8 {
			t.Fatalf("% x from %d to %d: not ok, want %d", b, lo, hi, want)
		}
	}
}
