package jsonscan

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Integers of every length, and those next to powers of ten, are written like strconv writes them, for any content
// and capacity of the destination.
func TestAppendInt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := []int64{0, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	for p := int64(1); ; p *= 10 {
		for d := int64(-11); d <= 11; d++ {
			v = append(v, p+d, -p-d)
		}
		for range 1000 {
			v = append(v, rng.Int64N(p), -rng.Int64N(p))
		}
		if p == 1e18 {
			break
		}
	}
	for i := range int64(10_000) { // all pairs of digits
		v = append(v, i, i*1e4, i*1e8+i, i*1e12)
	}
	want := []byte("kept")
	for i, x := range v {
		one := strconv.AppendInt([]byte("kept"), x, 10)
		if got := AppendInt(append(make([]byte, 0, 4+i%30), "kept"...), x); !bytes.Equal(got, one) {
			t.Fatalf("%d is written as %s", x, got)
		}
		if i > 0 {
			want = append(want, ',')
		}
		want = append(want, one[4:]...)
	}
	if got := AppendInts([]byte("kept"), v); !bytes.Equal(got, want) {
		t.Fatalf("a list differs from its numbers, one by one")
	}
	for n := range 600 {
		want := []byte{}
		for i := range n {
			want = strconv.AppendInt(want, v[i], 10)
			want = append(want, ',')
		}
		if got := AppendInts([]byte{}, v[:n]); !bytes.Equal(got, bytes.TrimSuffix(want, []byte(","))) {
			t.Fatalf("of %d numbers: %s", n, got)
		}
	}
}

func BenchmarkAppendInts(b *testing.B) {
	for _, largest := range []int64{100, 1e6, 1e12, math.MaxInt64} {
		rng := rand.New(rand.NewPCG(1, 2))
		v := make([]int64, 1024)
		for i := range v {
			v[i] = rng.Int64N(largest)
		}
		var dst []byte
		b.Run(fmt.Sprintf("below=%d/by=eight digits", largest), func(b *testing.B) {
			for b.Loop() {
				dst = AppendInts(dst[:0], v)
			}
			b.SetBytes(int64(len(dst)))
		})
		b.Run(fmt.Sprintf("below=%d/by=strconv", largest), func(b *testing.B) {
			for b.Loop() {
				dst = dst[:0]
				for i, x := range v {
					if i > 0 {
						dst = append(dst, ',')
					}
					dst = strconv.AppendInt(dst, x, 10)
				}
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}
