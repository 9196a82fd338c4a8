package canonical

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/internal/wire"
)

func TestCountShortest(t *testing.T) {
	for b, want := range map[string]int{ // -1: not ok
		"": 0, "\x00": 1, "\x01\x00": 2, "\x80\x01": 1, "\x80": -1, "\x80\x00": -1, "\x81\x80\x00": -1,
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02": -1,
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00": -1,
	} {
		for pad := range 40 {
			for _, s := range []string{string(bytes.Repeat([]byte{1}, pad)) + b, b + string(bytes.Repeat([]byte{7}, pad))} {
				want := want
				if want >= 0 {
					want += pad
				}
				if b == "\x80" && s[0] == 0x80 && pad > 0 {
					want = pad // the first varint has two bytes
				}
				for _, before := range []string{"", "\x80", "long before"} {
					got, ok := countShortest([]byte(before+s), len(before))
					if !ok {
						got = -1
					}
					if got != want {
						t.Errorf("% x: %d, want %d", s, got, want)
					}
				}
			}
		}
	}
}

// TestCountShortestRandom compares countShortest with varints read one at a time.
func TestCountShortestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 9))
	for range 200_000 {
		b := make([]byte, r.IntN(24))
		for i := range b {
			b[i] = []byte{0, 1, 0x7f, 0x80, 0x81, 0xff}[r.IntN(6)]
		}
		i := r.IntN(len(b) + 1)
		want, sound := 0, true
		for at := i; at < len(b) && sound; want++ {
			v, next := wire.Varint(b, at)
			if sound = next > 0 && next-at == wire.SizeVarint(v); sound {
				at = next
			}
		}
		if got, ok := countShortest(b, i); ok != sound || ok && got != want {
			t.Fatalf("% x from %d on: %d, %t; want %d, %t", b, i, got, ok, want, sound)
		}
	}
}
