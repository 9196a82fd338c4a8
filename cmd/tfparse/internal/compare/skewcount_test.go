package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMatcherOrder checks the pairs of records with one key: equal content first, then the rest in the order of the input,
// independent of the order of the content hashes.
func TestMatcherOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var sides [2][]ref
		for side := range sides {
			for i := range random.IntN(9) {
				sides[side] = append(sides[side], ref{content: [2]uint64{random.Uint64N(6)}, side: uint8(side), file: uint32(i / 3), record: int64(i % 3)})
			}
		}
		all := slices.Concat(sides[0], sides[1])
		slices.SortFunc(all, func(a, b ref) int { return slices.Compare(a.appendTo(nil), b.appendTo(nil)) })
		var got, want []string
		m := matched(t, all, 20)
		for _, d := range m.first.list {
			if a, b := d.sides(); a != nil && b != nil {
				got = append(got, fmt.Sprint(a.file, a.record, "~", b.file, b.record))
			}
			for side := range d.refs {
				if d.has[side] && !d.has[1-side] {
					got = append(got, fmt.Sprint("only ", side, d.refs[side].file, d.refs[side].record))
				}
			}
		}

		same := int64(0)
		for i := 0; i < len(sides[0]); {
			j := slices.IndexFunc(sides[1], func(r ref) bool { return r.content == sides[0][i].content })
			if j < 0 {
				i++
				continue
			}
			same++
			sides[0], sides[1] = slices.Delete(sides[0], i, i+1), slices.Delete(sides[1], j, j+1)
		}
		pairs := min(len(sides[0]), len(sides[1]))
		for i := range pairs {
			a, b := sides[0][i], sides[1][i]
			want = append(want, fmt.Sprint(a.file, a.record, "~", b.file, b.record))
		}
		for side, rest := range sides {
			for _, r := range rest[pairs:] {
				want = append(want, fmt.Sprint("only ", side, r.file, r.record))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || m.same != same {
			t.Fatalf("%v: got %v, %d same; want %v, %d same", all, got, m.same, want, same)
		}
	}
}

// TestMatcherOfMany checks that the first records of a key are kept, in the order of the input.
func TestMatcherOfMany(t *testing.T) {
	const n = 5 * maxRefsPerKey
	var all []ref
	for i := range int64(n) {
		all = append(all, ref{content: [2]uint64{uint64(i*7919%n) + 1}, record: i}, ref{content: [2]uint64{uint64(i*7907%n) + 1 + n}, side: 1, record: i})
	}
	slices.SortFunc(all, func(a, b ref) int { return slices.Compare(a.appendTo(nil), b.appendTo(nil)) })
	m := matched(t, all, 2*maxRefsPerKey)
	paired := map[int64]bool{}
	for _, d := range m.first.list {
		a, b := d.sides()
		if a == nil || b == nil || a.record != b.record || a.record >= maxRefsPerKey {
			t.Fatalf("difference %v", d)
		}
		paired[a.record] = true
	}
	if len(paired) != maxRefsPerKey || m.changed != n || m.unsummed != n-maxRefsPerKey {
		t.Errorf("%d pairs, %d changed, %d counted", len(paired), m.changed, m.unsummed)
	}
	if first := m.repeated[0].first; len(first) != 1 || first[0][0].record != 0 || first[0][1].record != 1 {
		t.Errorf("repeated: %v", first)
	}
}

// TestRepeatedKeys checks that the repeated keys with the first records are kept.
func TestRepeatedKeys(t *testing.T) {
	var all []ref
	for key := range int64(1000) {
		for i := range int64(2) {
			all = append(all, ref{key: [2]uint64{uint64(key)}, content: [2]uint64{uint64(i)}, record: 2000 - 2*key + i})
		}
	}
	m := matched(t, all, 0)
	var got []int64
	for _, two := range m.repeated[0].first {
		got = append(got, two[0].record, two[1].record)
	}
	if want := []int64{2, 3, 4, 5, 6, 7}; !slices.Equal(got, want) || m.repeated[0].keys != 1000 {
		t.Errorf("got %v of %d keys, want %v", got, m.repeated[0].keys, want)
	}
}
