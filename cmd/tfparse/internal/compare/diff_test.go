package compare

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/test/sample"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// slowMatch is a reference join in memory. Within a key it pairs records with equal content first.
func slowMatch(refs []ref) (same, changed int64, only [2]int64, repeated [2]int64) {
	byKey := map[[2]uint64]*[2][]ref{}
	for _, r := range refs {
		if byKey[r.key] == nil {
			byKey[r.key] = &[2][]ref{}
		}
		byKey[r.key][r.side] = append(byKey[r.key][r.side], r)
	}
	for _, sides := range byKey {
		a, b := sides[0], slices.Clone(sides[1])
		for i, all := range sides {
			if len(all) > 1 {
				repeated[i]++
			}
		}
		left := int64(0)
		for _, x := range a {
			if i := slices.IndexFunc(b, func(y ref) bool { return x.content == y.content }); i >= 0 {
				b = slices.Delete(b, i, i+1)
				same++
			} else {
				left++
			}
		}
		pairs := min(left, int64(len(b)))
		changed += pairs
		only[0] += left - pairs
		only[1] += int64(len(b)) - pairs
	}
	return same, changed, only, repeated
}

// A match is the result of diff for sorted refs.
type match struct {
	diffCounters
	first differences
	pairs int64 // of changed records, all of one key and with different content
}

func matched(t *testing.T, refs []ref, most int) *match {
	m := &match{first: differences{limit: most}}
	pairs := (&joiner{env: &cli.Env{Ctx: t.Context()}, memory: 1 << 20}).newPairList()
	defer pairs.close()
	merge := keyMerge{yield: func(g *keyGroup) {
		for i := range min(len(g.unpaired[0].first), len(g.unpaired[1].first)) {
			if a, b := g.unpaired[0].first[i], g.unpaired[1].first[i]; a.key != b.key || a.content == b.content || a.side != 0 || b.side != 1 {
				t.Fatalf("%v and %v are a pair", a, b)
			}
		}
		m.addGroup(g, pairs, &m.first)
	}}
	for _, r := range refs {
		merge.addRef(r)
	}
	merge.finish()
	m.pairs = pairs.n
	m.first.sorted()
	for side := range m.repeated {
		m.repeated[side].keepFirst()
	}
	return m
}

// TestMatcher compares the Sorter and keyMerge with slowMatch, in memory and with many sorted runs on disk.
func TestMatcher(t *testing.T) {
	testkit.OneGoroutine(t)
	r := rand.New(rand.NewPCG(17, 6))
	for round := range testkit.Rounds(60) {
		n := r.IntN(6000)
		keys, contents := 1+r.Uint64N(uint64(n)+1), 1+r.Uint64N(5)
		if round%10 == 0 {
			keys = 1 + r.Uint64N(2) // and more records of a key than are remembered
		}
		refs := make([]ref, n)
		for i := range refs {
			refs[i] = ref{key: [2]uint64{r.Uint64N(keys)}, content: [2]uint64{0, r.Uint64N(contents)}, record: int64(i), file: uint32(i % 3), side: uint8(r.IntN(2))}
		}
		same, changed, only, repeated := slowMatch(refs)
		for _, memory := range []int64{20 << 10, 1 << 20} {
			s := extsort.New(t.Context(), memory, "")
			for _, ref := range refs {
				if err := s.Add(ref.appendTo(nil), nil); err != nil {
					t.Fatal(err)
				}
			}
			var got []ref
			if err := s.Each(func(b, _ []byte) error {
				r := refOf(b)
				got = append(got, r)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			m := matched(t, got, 10)
			byAll := func(a, b ref) int {
				return cmp.Or(slices.Compare(a.key[:], b.key[:]), slices.Compare(a.content[:], b.content[:]),
					cmp.Compare(a.side, b.side), cmp.Compare(a.file, b.file), cmp.Compare(a.record, b.record))
			}
			if want := slices.SortedFunc(slices.Values(refs), byAll); !slices.Equal(got, want) {
				t.Fatalf("%d refs in %d bytes are not sorted", n, memory)
			}
			if m.same != same || m.changed != changed || m.only != only || m.repeated[0].keys != repeated[0] || m.repeated[1].keys != repeated[1] {
				t.Fatalf("%d refs in %d bytes: %d same, %d changed, %v only, %v, %v repeated\nwant %d, %d, %v, %v",
					n, memory, m.same, m.changed, m.only, m.repeated[0].keys, m.repeated[1].keys, same, changed, only, repeated)
			}
			if m.pairs+m.unsummed != changed {
				t.Fatalf("%d refs: %d pairs, and %d are only counted, of %d", n, m.pairs, m.unsummed, changed)
			}
			if want := min(10, changed+only[0]+only[1]); int64(len(m.first.list)) != want {
				t.Fatalf("%d differences are kept, want %d", len(m.first.list), want)
			}
			for _, d := range m.first.list {
				if d.has == [2]bool{true, true} && (d.refs[0].key != d.refs[1].key || d.refs[0].content == d.refs[1].content) {
					t.Fatalf("%v are changed", d.refs)
				}
			}
		}
	}
}

// slowChanges compares two Examples by their owned forms.
func slowChanges(a, b example.Example) (all []string) {
	for name, v := range a {
		if w, ok := b[name]; !ok {
			all = append(all, "- "+name)
		} else if !v.Equal(w) {
			all = append(all, "~ "+name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			all = append(all, "+ "+name)
		}
	}
	slices.Sort(all)
	return all
}

func textOf(ch *change) string {
	switch {
	case !ch.has[1]:
		return "- " + string(ch.name)
	case !ch.has[0]:
		return "+ " + string(ch.name)
	}
	return "~ " + string(ch.name)
}

// TestChanges compares the changes from a comparer with slowChanges.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 7))
	value := func() example.Value {
		switch n := r.IntN(3); r.IntN(4) {
		case 0:
			return example.Int64s(slices.Repeat([]int64{int64(n)}, n)...)
		case 1:
			return example.Floats(slices.Repeat([]float32{float32(n)}, n)...)
		case 2:
			return example.Strings(slices.Repeat([]string{"x"}, n)...)
		}
		return example.Value{}
	}
	c := &comparer{}
	for range 3000 {
		var e [2]example.Example
		for i := range e {
			e[i] = example.Example{}
			for range r.IntN(5) {
				e[i][fmt.Sprint(r.IntN(6))] = value()
			}
		}
		a, _ := e[0].MarshalBinary()
		b, _ := e[1].MarshalBinary()
		want := slowChanges(e[0], e[1])
		v, _, err := c.compare(example.TypeExample, a, example.TypeExample, b)
		if err != nil || (v == changed) != (len(want) > 0) {
			t.Fatalf("%v and %v: %v, %v; want %q", e[0], e[1], v, err, want)
		}
		if v != changed {
			continue
		}
		var got []string
		c.eachChange(example.TypeExample, example.TypeExample, func(ch *change) {
			got = append(got, textOf(ch))
			if ch.text().text == "" || ch.has[0] && ch.has[1] && !slices.Contains(want, "~ "+string(ch.name)) {
				t.Errorf("%v and %v: %s", e[0], e[1], ch.text())
			}
		})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v: %q, want %q", e[0], e[1], got, want)
		}
	}
}

// TestTexts checks the text output of changes.
func TestTexts(t *testing.T) {
	long := example.Int64s(1, 2, 3, 4, 5, 6, 7, 8)
	for _, c := range []struct {
		a, b example.Value
		want string
	}{
		{example.Int64s(25), example.Int64s(-1), `int64 [25] -> [-1]`},
		{example.Int64s(25), example.Floats(25), `int64 [25] -> float32 [25]`},
		{example.Int64s(), example.Value{}, `int64 [] -> no kind`},
		{example.Floats(0.1), example.Floats(), `float32 [0.1] -> []`},
		{long, example.Int64s(1, 2, 9, 4, 5, 6, 7, 8), `int64, 8 values: [2] 3 -> 9`},
		{long, example.Int64s(1, 2, 3, 4, 5, 6, 7), `int64, 8 -> 7 values: [7] only in A 8`},
		{example.Int64s(1, 2, 3, 4, 5, 6, 7), long, `int64, 7 -> 8 values: [7] only in B 8`},
		{long, example.Int64s(8, 7, 6, 5, 4, 3, 2, 1), `int64, 8 values: [0] 1 -> 8, [1] 2 -> 7, [2] 3 -> 6, … 8 differ`},
		{example.Strings("a\x1b[2J"), example.Strings("\xff\xfe"), `string ["a\u001b[2J"] -> [0xfffe]`},
		{example.Strings("0123456789012345678901234567890123456789é"), example.Strings(""), `string ["0123456789012345678901234567890123456789"… (42 bytes)] -> [""]`},
	} {
		if got := pairText(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// FuzzChanges compares any two messages: the output has a limited length, and a record compared with itself has no
// changes.
func FuzzChanges(f *testing.F) {
	for name := range samples {
		recs := sample.Records(f, name)
		f.Add(recs[0], recs[1])
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		c := &comparer{}
		for typ := example.TypeExample; typ <= example.TypeRaw; typ++ {
			v, _, err := c.compare(typ, a, typ, b)
			if err != nil || v != changed {
				continue
			}
			n := 0
			var sums featureSums
			sums.addRecord()
			c.eachChange(typ, typ, func(ch *change) {
				n++
				sums.addChange(ch)
				if ch.text().line() == "" {
					t.Error("a change without text")
				}
				ch.json()
			})
			if n == 0 || cmp.Compare(len(sums.sorted()), n) > 0 {
				t.Fatalf("%v: % x and % x: %d changes, %d sums", typ, a, b, n, len(sums.sorted()))
			}
		}
	})
}
