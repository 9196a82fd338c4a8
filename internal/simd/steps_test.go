package simd

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/kernels"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// int64Step returns the step with a list of varints, which are already encoded.
func int64Step(chunk []byte) []byte {
	n := byte(len(chunk))
	if n == 0 {
		return []byte{0x0a, 2, 0x1a, 0}
	}
	return append([]byte{0x0a, n + 4, 0x1a, n + 2, 0x0a, n}, chunk...)
}

// checkInt64Steps compares the result of Int64Steps with the values of the steps. It must read all steps before the
// first one of an uncommon form, and may read more.
func checkInt64Steps(t *testing.T, list []byte, begins []int, values [][]int64, easy int) {
	t.Helper()
	const room = 64
	out, ends := slices.Repeat([]int64{-77}, 8*len(values)+room), slices.Repeat([]int64{-77}, len(values)+room)
	memory := append(bytes.Clone(list), "\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x05\x1a"...) // the appended bytes are not in the list
	steps, n, next := Int64Steps(out[:len(out)-room], ends[:len(ends)-room], memory[:len(list)], 0, 100)
	if !DecodesSteps() {
		if steps != 0 {
			t.Fatal("there is no kernel, and it did something")
		}
		return
	}
	at := len(list)
	if steps < len(begins) {
		at = begins[steps]
	}
	if steps < easy && at+8 <= len(list) || steps > len(values) || next != at {
		t.Fatalf("% x: %d steps, the next at %d, want %d, at %d", list, steps, next, easy, at)
	}
	last := 0
	for k, v := range values[:steps] {
		if !slices.Equal(out[last:last+len(v)], v) || ends[k] != int64(100+last+len(v)) {
			t.Fatalf("% x: step %d: %d, up to %d; want %d", list, k, out[last:last+len(v)], ends[k], v)
		}
		last += len(v)
	}
	if n != last {
		t.Fatalf("% x: %d values, want %d", list, n, last)
	}
	if n > 0 {
		kernels.Ran("int64Steps")
	}
	for _, x := range append(out[len(out)-room:], ends[steps:]...) {
		if x != -77 {
			t.Fatalf("% x: wrote behind the room", list)
		}
	}
}

func TestInt64Steps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for range testkit.Rounds(20_000) {
		var list []byte
		var begins []int
		var values [][]int64
		easy := -1
		for k := range rnd.IntN(12) {
			var v []int64
			var chunk []byte
			lo := rnd.IntN(60)
			for range rnd.IntN(10) {
				x := rnd.Uint64() >> (lo + rnd.IntN(64-lo))
				if len(chunk) < 100 {
					v = append(v, int64(x))
					chunk = binary.AppendUvarint(chunk, x)
				}
				if x >= 1<<56 && easy < 0 {
					easy = k
				}
			}
			if easy < 0 && (len(v) > 8 || len(chunk) > 64) {
				easy = k
			}
			begins, values = append(begins, len(list)), append(values, v)
			list = append(list, int64Step(chunk)...)
		}
		if easy < 0 {
			easy = len(values)
		}
		checkInt64Steps(t, list, begins, values, easy)
		// Damage at any place is not misread: the values before it are unchanged.
		if len(list) > 0 {
			at := rnd.IntN(len(list))
			before := 0
			for before < len(begins) && begins[before] <= at {
				before++
			}
			cut := list[:at]
			checkInt64Steps(t, cut, begins[:before], values[:before-1], 0)
		}
	}
}

// TestInt64StepsOdd has invalid steps, or steps of an uncommon form, after a common one.
func TestInt64StepsOdd(t *testing.T) {
	first := int64Step([]byte{1, 2, 3})
	for what, odd := range map[string]string{
		"another tag":             "\x12\x05\x1a\x03\x0a\x01\x07",
		"another list":            "\x0a\x05\x12\x03\x0a\x01\x07",
		"a value alone":           "\x0a\x04\x1a\x02\x08\x07",
		"a size too small":        "\x0a\x05\x1a\x02\x0a\x01\x07",
		"a chunk too small":       "\x0a\x06\x1a\x04\x0a\x01\x07\x07",
		"a varint cut off":        "\x0a\x05\x1a\x03\x0a\x01\x87",
		"a varint cut off, later": "\x0a\x07\x1a\x05\x0a\x03\x01\x02\x87",
		"a size of two bytes":     "\x0a\x85\x00\x1a\x03\x0a\x01\x07",
		"an empty chunk":          "\x0a\x04\x1a\x02\x0a\x00",
		"an empty Feature":        "\x0a\x00",
		"sizes that wrap around":  "\x0a\x02\x1a\x00\x0a\xfe",
	} {
		list := append(bytes.Clone(first), odd...)
		list = append(list, bytes.Repeat([]byte{0}, 80)...)
		out, ends := make([]int64, 100), make([]int64, 100)
		steps, n, next := Int64Steps(out, ends, list, 0, 0)
		want := 1
		if what == "sizes that wrap around" {
			want = 2 // the first one is an empty step
		}
		if DecodesSteps() && (steps != want || n != 3 || next != len(first)+4*(want-1)) {
			t.Errorf("%s: %d steps, %d values, the next at %d", what, steps, n, next)
		}
	}
}
