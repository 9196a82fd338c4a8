package canonical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
)

// entryOf is an entry of a map.
func entryOf(key string, value []byte) []byte {
	body := append(wire.AppendHeader(nil, 1, int64(len(key))), key...)
	body = append(wire.AppendHeader(body, 2, int64(len(value))), value...)
	return append(wire.AppendHeader(nil, 1, int64(len(body))), body...)
}

// TestMap finds keys of every size, among them keys that differ in only one place, and many that differ only in the
// middle. They are in any order and in one order, with other keys between them.
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
	for i := range testkit.Rounds(2000) {
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
			number[all[i]] = Unknown
		}
	}
	w := NewIndex(known).NewWalk()
	for round := range 30 {
		order := r.Perm(len(all))
		if round%10 > 5 {
			order = r.Perm(10)
		}
		for again := range 1 + round%3 {
			b := []byte("before")
			var want []int32
			values := map[int32][2]int{}
			unknown := 0
			for n, i := range order {
				value := make([]byte, (n*7)%300)
				b = append(b, entryOf(all[i], value)...)
				k := number[all[i]]
				if k == Unknown {
					unknown++
					continue
				}
				want = append(want, k)
				values[k] = [2]int{len(b) - len(value), len(b)}
			}
			w.Start()
			got, others, ok := w.Map(b, len("before"))
			if !ok || others != unknown || !slices.Equal(got, want) {
				t.Fatalf("round %d, time %d: %d, want %d; %d others, want %d; %t", round, again, len(got), len(want), others, unknown, ok)
			}
			for _, k := range got {
				if lo, hi, ok := w.Value(int(k)); !ok || [2]int{lo, hi} != values[k] {
					t.Fatalf("round %d, time %d, %.50q: got %d, %d, %t, want %v", round, again, known[k], lo, hi, ok, values[k])
				}
			}
		}
	}
}

// TestNoKeys has a map without keys.
func TestNoKeys(t *testing.T) {
	w := NewIndex(nil).NewWalk()
	for range 30 {
		w.Start()
		if got, others, ok := w.Map(entryOf("key", nil), 0); !ok || len(got) != 0 || others != 1 {
			t.Fatal(got, others, ok)
		}
	}
}

// TestOtherForms has entries for which the map cannot be sure.
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
			if got, _, ok := w.Map(b, 0); ok {
				t.Errorf("%s, %q: % x: %v", what, key, b, got)
			}
		}
		for cut := 1; cut < len(good); cut++ {
			w := x.NewWalk()
			if got, _, ok := w.Map(good[:cut], 0); ok {
				t.Errorf("%q, cut at %d: %v", key, cut, got)
			}
		}
	}
}

// obvious is a simple implementation of Map.
func obvious(number map[string]int, b []byte) (found []int32, values map[int32][2]int, others int, ok bool) {
	values = map[int32][2]int{}
	for i := 0; i < len(b); {
		lo, hi, ok := Message(b, i, Tag1)
		if !ok {
			return nil, nil, 0, false
		}
		name, end, ok := Message(b[:hi], lo, Tag1)
		if !ok || name-lo != 1+wire.SizeVarint(uint64(end-name)) {
			return nil, nil, 0, false
		}
		value, last, ok := Message(b[:hi], end, Tag2)
		if !ok || last != hi {
			return nil, nil, 0, false
		}
		i = hi
		k, ok := number[string(b[name:end])]
		if !ok {
			others++
			continue
		}
		if _, ok := values[int32(k)]; ok {
			return nil, nil, 0, false
		}
		found = append(found, int32(k))
		values[int32(k)] = [2]int{value, hi}
	}
	return found, values, others, true
}

// FuzzMap compares Map with the simple implementation, for input at the end of readable memory: with no expected
// key, with the keys of the last message, and without an order.
func FuzzMap(f *testing.F) {
	names := []string{"", "k", "key", "kez", "a key that is long enough", "a key that ia long enough", "eight", "nine5", strings.Repeat("k", 61), strings.Repeat("k", 62), strings.Repeat("k", 200)}
	number := map[string]int{}
	for i, name := range names {
		number[name] = i
	}
	x := NewIndex(names)
	for _, order := range [][]string{names, {"key", "unknown", "eight"}, {"kez", "key", "k"}, {"nine5", "nine5"}} {
		for _, size := range []int{0, 1, 100, 127, 128, 300, 20_000} {
			var b []byte
			for _, name := range order {
				b = append(b, entryOf(name, make([]byte, size))...)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:len(b):len(b)]
		found, values, others, ok := obvious(number, b)
		w := x.NewWalk()
		for round := range 4 {
			w.Start()
			if round > 1 {
				w.wrong = 4 * mixedOrder
			}
			gotFound, gotOthers, gotOK := w.Map(b, 0)
			if gotOK != ok || gotOthers != others || !slices.Equal(gotFound, found) {
				t.Fatalf("round %d, % x: got %v, %d, %t, want %v, %d, %t", round, b, gotFound, gotOthers, gotOK, found, others, ok)
			}
			for k, want := range values {
				if lo, hi, ok := w.Value(int(k)); !ok || [2]int{lo, hi} != want {
					t.Fatalf("round %d, % x: key %d: got %d, %d, %t, want %v", round, b, k, lo, hi, ok, want)
				}
			}
		}
	})
}
