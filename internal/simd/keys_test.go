package simd

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/kernels"
)

// headOf returns the bytes of an entry up to the length of its value, for a key of up to 127 bytes.
func headOf(key string) string { return "\n" + string(rune(len(key))) + key + "\x12" }

// mapOf returns a Map whose keys are expected in the given order.
func mapOf(t *testing.T, keys []string) *Map {
	t.Helper()
	m := &Map{Next: make([]int32, len(keys)+1), Shift: 64 - 12}
	for i, key := range keys {
		m.Heads = append(m.Heads, NewHead(headOf(key)))
		m.Next[i] = int32(i + 1)
	}
	m.Heads = append(m.Heads, NewHead(""))
	m.Next[len(keys)] = 0
	for m.Factor = 0x9e3779b97f4a7c15; ; m.Factor += 1 << 40 {
		m.Table = slices.Repeat([]int32{-1}, 1<<12)
		clash := false
		for i, key := range keys {
			at := hashOf(m, headOf(key))
			clash = clash || m.Table[at] >= 0
			m.Table[at] = int32(i)
		}
		if !clash {
			return m
		}
	}
}

// hashOf returns the place of a head in the table of m.
func hashOf(m *Map, head string) uint64 {
	word := func(s string) uint64 {
		var b [8]byte
		copy(b[:], s)
		return binary.LittleEndian.Uint64(b[:])
	}
	return (word(head) ^ bits.RotateLeft64(word(head[max(len(head)-8, 0):]), 31)) * m.Factor >> m.Shift
}

// TestWalk walks over maps at the end of readable memory, truncated at every byte, from every entry. Keys are
// expected in their order, or looked up.
func TestWalk(t *testing.T) {
	var keys []string
	for n := range 62 {
		keys = append(keys, strings.Repeat("k", n))
	}
	m := mapOf(t, keys)
	lens := []int{10, 60, 100, 127, 128, 129, 200, 300, 0, 1}
	var b []byte
	starts := make([]int, 0, len(keys)+1)
	want := make([]Slot, len(keys))
	for i, key := range keys {
		starts = append(starts, len(b))
		value := strings.Repeat("v", lens[i%len(lens)])
		body := headOf(key) + string(binary.AppendUvarint(nil, uint64(len(value)))) + value
		b = append(binary.AppendUvarint(append(b, '\n'), uint64(len(body))), body...)
		want[i] = Slot{int32(len(b) - len(value)), int32(len(b)), 7}
	}
	starts = append(starts, len(b))
	page := edge(t, len(b))
	for size := range len(b) + 1 {
		// The first entries are omitted, so that the work for every size is small.
		whole := 0 // entries before the truncation
		for starts[whole+1] <= size && whole+1 < len(keys) {
			whole++
		}
		if starts[whole+1] <= size {
			whole++
		}
		first := max(whole-3, 0)
		part := page[len(page)-(size-starts[first]):]
		copy(part, b[starts[first]:size])
		if len(part) == 0 {
			continue
		}
		for _, hashed := range []bool{false, true} {
			slots, order := make([]Slot, len(keys)), make([]int32, len(keys))
			at := len(keys)
			if first > 0 {
				at = first - 1
			}
			stop, last, n := m.Find(part, 0, hashed, at, slots, 7, order, 0)
			if !FindsKeys() {
				if stop != 0 || last != at || n != 0 {
					t.Fatalf("there is no kernel, and it stopped at %d", stop)
				}
				continue
			}
			what := fmt.Sprintf("entries %d to %d of %d bytes, hashed: %t", first, whole, size, hashed)
			if n != whole-first || stop != starts[whole]-starts[first] || n > 0 && last != whole-1 {
				t.Fatalf("%s: stopped at %d behind key %d after %d, want %d after %d", what, stop, last, n, starts[whole]-starts[first], whole-first)
			}
			for i, s := range slots {
				w := Slot{}
				if i >= first && i < whole {
					w = Slot{want[i].Lo - int32(starts[first]), want[i].Hi - int32(starts[first]), 7}
				}
				if s != w {
					t.Fatalf("%s: slot %d is %v, want %v", what, i, s, w)
				}
			}
			if n > 0 {
				kernels.Ran("findKeys")
			}
			for i, k := range order[:n] {
				if int(k) != first+i {
					t.Fatalf("%s: order %v", what, order[:n])
				}
			}
		}
	}
}

// TestWalkStops proves that a walk stops before an entry of another form.
func TestWalkStops(t *testing.T) {
	if !FindsKeys() {
		t.Skip("this processor has no kernel for maps")
	}
	keys := []string{"", "key", "another", "a key of more than one word", strings.Repeat("k", 61), strings.Repeat("k", 62)}
	m := mapOf(t, keys)
	entry := func(key, value string) string {
		body := headOf(key) + string(binary.AppendUvarint(nil, uint64(len(value)))) + value
		return "\n" + string(binary.AppendUvarint(nil, uint64(len(body)))) + body
	}
	good := entry("", "a value") + entry("key", "value")
	for what, bad := range map[string]string{
		"a key again":               entry("key", "value"),
		"another tag":               strings.Replace(entry("another", "v"), "\n", "\x12", 1),
		"another tag of the key":    "\n\x0b\x12\x07another\x12\x00",
		"another tag of the value":  "\n\x0b\n\x07another\x1a\x00",
		"a key that is not known":   entry("anothes", "v"),
		"one that differs inside":   entry("a key of more thaN one word", "v"),
		"one that is too long":      entry(strings.Repeat("k", 62), "v"),
		"a value that is too short": "\n\x0c\n\x07another\x12\x00v",
		"a value that is too long":  "\n\x0b\n\x07another\x12\x01v",
		"a length of three bytes":   "\n\x8b\x80\x00\n\x07another\x12\x00",
		"a value's of three":        "\n\x0d\n\x07another\x12\x80\x80\x00",
		"no value":                  "\n\x09\n\x07another",
	} {
		for _, hashed := range []bool{false, true} {
			slots, order := make([]Slot, len(keys)), make([]int32, len(keys))
			stop, last, n := m.Find([]byte(good+bad+good), 0, hashed, len(keys), slots, 1, order, 0)
			if stop != len(good) || last != 1 || n != 2 {
				t.Errorf("%s, hashed: %t: stopped at %d of %d, behind %d, after %d", what, hashed, stop, len(good), last, n)
			}
		}
	}
}
