package keys

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/wire"
)

// entryOf is an entry of a map.
func entryOf(key string, value []byte) []byte {
	body := append(wire.AppendHeader(nil, 1, int64(len(key))), key...)
	body = append(wire.AppendHeader(body, 2, int64(len(value))), value...)
	return append(wire.AppendHeader(nil, 1, int64(len(body))), body...)
}

// TestMap finds keys of every size, those among them that differ in one place only, and
// many that differ only in the middle, in any order and in one order, between others.
func TestMap(t *testing.T) {
	var all []string
	for n := range 40 {
		all = append(all, strings.Repeat("k", n), strings.Repeat("é", n+60))
		for at := range n {
			all = append(all, strings.Repeat("k", at)+"x"+strings.Repeat("k", n-at-1))
		}
	}
	for _, n := range []int{123, 124, 125, 126, 127, 128, 129, 1000, 20_000} {
		all = append(all, strings.Repeat("k", n), strings.Repeat("k", n-1)+"y")
	}
	for i := range 2000 {
		all = append(all, fmt.Sprintf("feature_%04d_lengths", i))
	}
	r := rand.New(rand.NewPCG(8, 8))
	var known []string
	number := map[string]int32{}
	for _, i := range r.Perm(len(all)) {
		if _, ok := number[all[i]]; !ok && i%5 > 0 {
			number[all[i]] = int32(len(known))
			known = append(known, all[i])
		} else if !ok {
			number[all[i]] = None
		}
	}
	w := NewIndex(known).NewWalk()
	for round := range 30 {
		order := r.Perm(len(all))
		if round%10 > 5 {
			order = r.Perm(10)
		}
		for again := range 1 + round%3 {
			var b []byte
			var want []Span
			for n, i := range order {
				value := make([]byte, (n*7)%300)
				b = append(b, entryOf(all[i], value)...)
				want = append(want, Span{number[all[i]], int32(len(b) - len(value)), int32(len(b))})
			}
			before := []Span{{1, 2, 3}}
			got, ok := w.Map(before, append([]byte("before"), b...), len("before"))
			if !ok || len(got) != len(want)+1 || got[0] != before[0] {
				t.Fatalf("round %d, time %d: %d of %d, %t", round, again, len(got)-1, len(want), ok)
			}
			for n, s := range got[1:] {
				if s.Lo, s.Hi = s.Lo-6, s.Hi-6; s != want[n] {
					t.Fatalf("round %d, time %d, entry %d, %.50q: got %v, want %v", round, again, n, all[order[n]], s, want[n])
				}
			}
		}
	}
}

// TestNoKeys has nothing to find.
func TestNoKeys(t *testing.T) {
	w := NewIndex(nil).NewWalk()
	for range 30 {
		if got, ok := w.Map(nil, entryOf("key", nil), 0); !ok || len(got) != 1 || got[0].Key != None {
			t.Fatal(got, ok)
		}
	}
}

// TestOtherForms are entries that the map is not sure of.
func TestOtherForms(t *testing.T) {
	x := NewIndex([]string{"key", "a key that is long enough"})
	for _, key := range []string{"key", "other", "a key that is long enough"} {
		good := entryOf(key, []byte("value"))
		body := good[2:]
		for what, b := range map[string][]byte{
			"another field":        append([]byte{2<<3 | 2}, good[1:]...),
			"a longer entry":       append([]byte{good[0], good[1] + 1}, body...),
			"a shorter entry":      append([]byte{good[0], good[1] - 1}, body...),
			"something behind":     append([]byte{good[0], good[1] + 2}, append(body[:len(body):len(body)], 0x18, 1)...),
			"no value":             good[:1:1],
			"the key alone":        {good[0], body[1] + 2},
			"another tag of value": append(good[:len(good)-7:len(good)-7], 0x1a, 5, 'v', 'a', 'l', 'u', 'e'),
			"value and no key":     {0x0a, 2, 0x12, 0},
		} {
			w := x.NewWalk()
			if got, ok := w.Map(nil, b, 0); ok {
				t.Errorf("%s, %q: % x: %v", what, key, b, got)
			}
		}
		for cut := 1; cut < len(good); cut++ {
			w := x.NewWalk()
			if got, ok := w.Map(nil, good[:cut], 0); ok {
				t.Errorf("%q, cut at %d: %v", key, cut, got)
			}
		}
	}
}

// FuzzMap reads anything, where nothing may stand behind it.
func FuzzMap(f *testing.F) {
	x := NewIndex([]string{"", "key", "a key that is long enough", strings.Repeat("k", 200)})
	f.Add(entryOf("key", []byte("value")))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := x.NewWalk()
		b = b[:len(b):len(b)]
		spans, ok := w.Map(nil, b, 0)
		end := int32(0)
		for _, s := range spans {
			if s.Lo < end || s.Hi < s.Lo || int(s.Hi) > len(b) || s.Key < None || int(s.Key) >= 4 {
				t.Errorf("% x: %v", b, spans)
			}
			end = s.Hi
		}
		if ok && int(end) != len(b) {
			t.Errorf("% x: ends at %d", b, end)
		}
	})
}
