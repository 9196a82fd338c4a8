package example_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// This file compares the fast path of Validate, which is in package canonical, with the slow path of
// UnmarshalBinary. checkOwned calls checkFastPath, so all tests of attacks and rules and all fuzz tests use it.

// checkFastPath checks that messages that the fast path accepts can be decoded.
func checkFastPath(t testing.TB, b []byte, errE, errS, errL error) {
	t.Helper()
	for _, c := range []struct {
		what  string
		check func([]byte) bool
		err   error
	}{{"Example", canonical.CheckExample, errE}, {"Sequence", canonical.CheckSequence, errS}, {"List", canonical.CheckList, errL}} {
		if c.err != nil && c.check(b) {
			t.Fatalf("% x: %s: the fast path accepts it; the slow path says %v", b, c.what, c.err)
		}
	}
}

// TestCanonicalTakesFastPath proves that messages of common writers do not need the slow path, with names in any
// order, lists of any length and any values.
func TestCanonicalTakesFastPath(t *testing.T) {
	r, rounds := rand.New(rand.NewPCG(15, 1)), testkit.Rounds(500)
	if testkit.Long(t, "2,000 rounds") {
		rounds = 2000
	}
	for range rounds {
		e, s := randomExample(r), randomSequence(r)
		l := example.ExampleList{Context: e, HasContext: true, Examples: []example.Example{e, s.Context, {}}}
		for _, c := range []struct {
			msg   []byte
			check func([]byte) bool
		}{{marshal(t, e), canonical.CheckExample}, {marshal(t, s), canonical.CheckSequence}, {marshal(t, l), canonical.CheckList}} {
			if !c.check(c.msg) {
				t.Fatalf("% x takes the slow path", c.msg)
			}
			checkOwned(t, c.msg)
		}
	}
	for _, v := range []example.Value{ // long lists, and steps of different lengths
		example.Int64s(slices.Repeat([]int64{-1, 300, 1, 1 << 62}, 100)...), example.Floats(make([]float32, 1000)...),
		example.Strings(slices.Repeat([]string{"", "a word", strings.Repeat("long", 100)}, 50)...),
	} {
		steps := slices.Repeat([]example.Value{v, {}, v, example.Floats(1), example.Floats(2, 3), example.Floats(4, 5), example.Floats()}, 3)
		msg := marshal(t, example.Sequence{Context: example.Example{"v": v}, Lists: map[string][]example.Value{"v": steps, "w": steps[:4]}})
		if !canonical.CheckSequence(msg) {
			t.Errorf("%v takes the slow path", v)
		}
		checkOwned(t, msg)
	}
}

// TestRepeatedNames proves that the fast path never accepts a map with a repeated name, for any number of names, at
// any positions, and for names with any ending. The slow path then decides which feature counts.
func TestRepeatedNames(t *testing.T) {
	entry := func(name string) []byte { // an entry with one value
		return field(1, append(field(1, []byte(name)), field(2, field(3, field(1, []byte{7})))...))
	}
	for _, length := range []int{0, 1, 7, 8, 9, 15, 16, 17, 40} {
		for _, n := range []int{1, 2, 3, 40, 127, 128, 129, 600, 5000} {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("%0*d", length, i)[:max(length, len(fmt.Sprint(i)))])
			}
			if length == 0 {
				names[0] = ""
			}
			r := rand.New(rand.NewPCG(uint64(n), uint64(length)))
			r.Shuffle(n, func(i, j int) { names[i], names[j] = names[j], names[i] })
			var entries []byte
			for _, name := range names {
				entries = append(entries, entry(name)...)
			}
			once := field(1, entries)
			twice := field(1, append(entries, entry(names[r.IntN(n)])...))
			split := append(field(1, entries), field(1, entry(names[r.IntN(n)]))...) // in a second part of the map
			// In one of 170 processes two of 5,000 hashes are equal. Then the slow path is correct.
			sure := n <= 600
			if sure && (!canonical.CheckExample(once) || !canonical.CheckSequence(once) || !canonical.CheckList(field(1, once))) {
				t.Errorf("%d names of %d bytes take the slow path", n, length)
			}
			for _, msg := range [][]byte{twice, split} {
				list := append(field(1, once), field(1, msg)...)
				if canonical.CheckExample(msg) || canonical.CheckSequence(msg) || canonical.CheckList(list) {
					t.Errorf("%d names of %d bytes, and one of them again: accepted", n, length)
				}
				if err := example.TypeExample.Validate(msg); err != nil { // the last entry counts
					t.Errorf("%d names of %d bytes, and one of them again: %v", n, length, err)
				}
			}
			// The same name in two maps is not a repetition.
			if both := append(slices.Clone(once), field(2, field(1, append(field(1, []byte(names[0])), field(2, nil)...)))...); sure && !canonical.CheckSequence(both) {
				t.Errorf("%d names of %d bytes, and one in the context and in the lists: the slow path", n, length)
			}
			if both := append(field(1, once), field(1, once)...); sure && !canonical.CheckList(both) {
				t.Errorf("%d names of %d bytes in two examples: the slow path", n, length)
			}
		}
	}
}

// TestRunsOfSteps has feature lists with hundreds of steps of one kind, of all sizes and with varints of one to ten
// bytes. The fast path processes many of them at once. Then one byte is changed.
func TestRunsOfSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 2))
	for range testkit.Rounds(300) {
		s := example.Sequence{Lists: map[string][]example.Value{}}
		longest, bits := r.IntN(40), 1+r.IntN(64)
		var ints, floats, texts []example.Value
		for range r.IntN(60) {
			v := make([]int64, r.IntN(longest+1))
			for i := range v {
				v[i] = int64(r.Uint64() >> (64 - bits))
			}
			ints = append(ints, example.Int64s(v...))
			floats = append(floats, example.Floats(make([]float32, 1+r.IntN(1+longest/20))...))
			texts = append(texts, example.Strings(strings.Repeat("x", r.IntN(longest*4+1))))
		}
		s.Lists["i"], s.Lists["f"], s.Lists["t"] = ints, floats, texts
		msg := marshal(t, s)
		if !canonical.CheckSequence(msg) {
			t.Fatalf("% x takes the slow path", msg)
		}
		checkOwned(t, msg)
		for range 10 {
			damaged := slices.Clone(msg)
			damaged[r.IntN(len(msg))] ^= 1 << r.IntN(8)
			checkOwned(t, damaged)
		}
	}
}
