package castagnoli

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/internal/test/kernels"
)

// TestUpdate compares with hash/crc32 for all small lengths and some large ones, at every alignment, and for
// several initial sums.
func TestUpdate(t *testing.T) {
	b := make([]byte, 1<<20)
	rnd := rand.NewChaCha8([32]byte{5})
	rnd.Read(b)
	check := func(crc uint32, p []byte) {
		t.Helper()
		if got, want := Update(crc, p), crc32.Update(crc, Table, p); got != want {
			t.Fatalf("%d bytes after %#x: %#x, want %#x", len(p), crc, got, want)
		}
		memory := bytes.Repeat([]byte{0xcc}, len(p)+64)
		if got, want := Copy(memory, p), crc32.Checksum(p, Table); got != want || !bytes.Equal(memory[:len(p)], p) {
			t.Fatalf("%d bytes copied: %#x, want %#x; or they are others", len(p), got, want)
		}
		if bytes.Count(memory[len(p):], []byte{0xcc}) != 64 {
			t.Fatalf("%d bytes copied, and those behind them are others", len(p))
		}
	}
	if kernel {
		kernels.Ran("crc")
	}
	for n := range 2100 {
		check(0, b[n%67:][:n])
		check(uint32(rnd.Uint64()), b[n%71:][:n])
	}
	for at := range 65 {
		for _, n := range []int{63, 127, 128, 255, 256, 257, 511, 512, 513, 767, 768, 1024} {
			check(0, b[at:at+n])
		}
	}
	for _, n := range []int{1<<18 - 1, 1 << 18, 1<<18 + 1, 1<<20 - 1, 1 << 20} {
		check(0xdeadbeef, b[:n])
	}
	if Sum(nil) != 0 || Sum([]byte("123456789")) != 0xe3069283 {
		t.Error("the check value is another")
	}
}

// TestOneBit proves that every byte of an input affects the sum, and that its position does.
func TestOneBit(t *testing.T) {
	b := make([]byte, 1030)
	for i := range b {
		for bit := range 8 {
			b[i] = 1 << bit
			if got, want := Sum(b), crc32.Checksum(b, Table); got != want {
				t.Fatalf("bit %d of byte %d: %#x, want %#x", bit, i, got, want)
			}
		}
		b[i] = 0
	}
}

// FuzzUpdate compares with hash/crc32, in one step and in two.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte("123456789"), 5)
	f.Add(make([]byte, 3000), 700)
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		cut = bits.Len64(uint64(cut)) * len(p) / 64
		want := crc32.Checksum(p, Table)
		if Sum(p) != want || Update(Sum(p[:cut]), p[cut:]) != want {
			t.Fatalf("%d bytes, cut at %d: %#x, %#x, want %#x", len(p), cut, Sum(p), Update(Sum(p[:cut]), p[cut:]), want)
		}
	})
}

func BenchmarkSum(b *testing.B) {
	p := make([]byte, 1<<20)
	for _, n := range []int{8, 64, 200, 700, 1600, 4096, 1 << 16, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d/by=kernel", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum(p[:n])
			}
		})
		b.Run(fmt.Sprintf("bytes=%d/by=hash-crc32", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				crc32.Update(0, Table, p[:n])
			}
		})
	}
}
