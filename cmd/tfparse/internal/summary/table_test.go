package summary

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
)

// Quantiles against sorted numbers: exact below 256, at most 0.8 % above.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, limit := range []int64{1, 200, 256, 5000, 1 << 40, math.MaxInt64} {
		for _, n := range []int{1, 2, 3, 100, 1001} {
			var h Histogram
			all := make([]int64, n)
			for i := range all {
				all[i] = r.Int64N(limit)
				h.Add(all[i])
			}
			slices.Sort(all)
			for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
				want := all[max(int(math.Ceil(q*float64(n))), 1)-1]
				got := h.Quantile(q)
				if got < want || float64(got) > float64(want)*1.008 || (want < 256 && got != want) {
					t.Errorf("%d numbers below %d: quantile %v is %d, want %d", n, limit, q, got, want)
				}
			}
		}
	}
	var none Histogram
	if none.Quantile(.5) != 0 || none.Mean() != 0 {
		t.Error("no numbers, but a quantile")
	}
}

// Every number lies in its bucket, and buckets do not overlap.
func TestBuckets(t *testing.T) {
	var h Histogram
	last := int64(-1)
	for i := range h.buckets {
		top := highest(i)
		if bucket(top) != i || bucket(last+1) != i {
			t.Fatalf("bucket %d: %d to %d fall into %d to %d", i, last+1, top, bucket(last+1), bucket(top))
		}
		last = top
	}
	if last != math.MaxInt64 {
		t.Errorf("the last bucket ends at %d", last)
	}
}

func encode(t *testing.T, m interface{ AppendBinary([]byte) ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTable(t *testing.T) {
	unset := example.Value{}
	x := example.Example{"a": example.Int64s(1, 2), "b": unset}
	y := example.Example{"a": example.Floats(1)}
	for _, c := range []struct {
		t    example.MessageType
		msgs [][]byte
		want []Feature
	}{
		{example.TypeExample, [][]byte{encode(t, x), encode(t, y), nil}, []Feature{
			{Name: "a", Present: 2, Of: 3, Kinds: [4]int64{0, 0, 1, 1}, Values: Spread{2, 1, 2, 3}},
			{Name: "b", Present: 1, Of: 3, Unset: 1},
		}},
		{example.TypeSequence, [][]byte{
			encode(t, example.Sequence{Context: y, Lists: map[string][]example.Value{"s": {example.Strings("x", "y"), unset}, "z": {}}}),
			encode(t, example.Sequence{Lists: map[string][]example.Value{"s": {example.Strings()}}}),
		}, []Feature{
			{Part: Context, Name: "a", Present: 1, Of: 2, Kinds: [4]int64{0, 0, 1, 0}, Values: Spread{1, 1, 1, 1}},
			{Part: Lists, Name: "s", Present: 2, Of: 2, Unset: 1, Kinds: [4]int64{0, 2, 0, 0}, Values: Spread{2, 0, 2, 2}, Steps: Spread{2, 1, 2, 3}},
			{Part: Lists, Name: "z", Present: 1, Of: 2, Steps: Spread{1, 0, 0, 0}},
		}},
		{example.TypeExampleList, [][]byte{
			encode(t, example.ExampleList{Context: y, HasContext: true, Examples: []example.Example{x, x, y}}),
			encode(t, example.ExampleList{}),
		}, []Feature{
			{Part: Context, Name: "a", Present: 1, Of: 2, Kinds: [4]int64{0, 0, 1, 0}, Values: Spread{1, 1, 1, 1}},
			{Part: Examples, Name: "a", Present: 3, Of: 3, Kinds: [4]int64{0, 0, 1, 2}, Values: Spread{3, 1, 2, 5}},
			{Part: Examples, Name: "b", Present: 2, Of: 3, Unset: 2},
		}},
	} {
		table := NewTable(c.t)
		for _, msg := range c.msgs {
			if err := table.Add(msg); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Add([]byte("\x0a\x05")); err == nil {
			t.Errorf("%v: a torn message passed", c.t)
		}
		if diff := cmp.Diff(c.want, table.Features()); diff != "" || table.Records != int64(len(c.msgs)) {
			t.Errorf("%v: %d records\n%s", c.t, table.Records, diff)
		}
	}
}

// Both ways to add a message sum up the same: the one pass over canonical messages, and the
// one for all. Names come in an order that changes, and some not always.
func TestTableBothWays(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 2))
	value := func() example.Value {
		n := r.IntN(4)
		return []example.Value{{}, example.Int64s(make([]int64, n)...), example.Floats(make([]float32, n)...), example.Bytes(make([][]byte, n)...)}[r.IntN(4)]
	}
	features := func() []byte { // in any order
		var b example.Builder
		for _, i := range r.Perm(6)[:r.IntN(7)] {
			b.Value(string(rune('a'+i)), value())
		}
		msg, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return msg
	}
	message := func(typ example.MessageType) []byte {
		if typ == example.TypeExample {
			return features()
		}
		if typ == example.TypeExampleList {
			l := []byte{}
			for range r.IntN(4) {
				e := features()
				l = append(append(l, 0x0a), binary.AppendUvarint(nil, uint64(len(e)))...)
				l = append(l, e...)
			}
			if c := features(); r.IntN(2) == 0 {
				l = append(append(append(l, 0x12), binary.AppendUvarint(nil, uint64(len(c)))...), c...)
			}
			return l
		}
		s := example.Sequence{Lists: map[string][]example.Value{}}
		for _, i := range r.Perm(6)[:r.IntN(7)] {
			steps := make([]example.Value, r.IntN(5))
			for k := range steps {
				steps[k] = value()
			}
			s.Lists[string(rune('a'+i))] = steps
		}
		return append(features(), encode(t, s)...)
	}
	for typ := example.TypeExample; typ <= example.TypeExampleList; typ++ {
		fast, slow, sum := NewTable(typ), NewTable(typ), NewTable(typ)
		part := NewPart(typ)
		for range 500 {
			msg := message(typ)
			if !fast.addCanonical(msg) {
				t.Fatalf("%v: % x is not canonical", typ, msg)
			}
			if err := slow.addAny(msg); err != nil {
				t.Fatal(err)
			}
			if err := part.Add(msg); err != nil {
				t.Fatal(err)
			}
			if r.IntN(20) == 0 && !sum.Merge(part) {
				t.Fatal("a part with few names is not used again")
			}
		}
		if diff := cmp.Diff(slow.Features(), fast.Features()); diff != "" || fast.Records != slow.Records {
			t.Errorf("%v: %d and %d records\n%s", typ, slow.Records, fast.Records, diff)
		}
		sum.Merge(part)
		if diff := cmp.Diff(slow.Features(), sum.Features()); diff != "" || sum.Records != slow.Records || len(part.Features()) != len(sum.Features()) {
			t.Errorf("%v: %d records in parts, %d in one piece\n%s", typ, sum.Records, slow.Records, diff)
		}
		// A name that stands twice is once in the message; the last one counts.
		twice := append(features(), encode(t, example.Example{"a": example.Int64s(1), "b": example.Int64s(1), "z": example.Int64s(1)})...)
		if typ == example.TypeExample {
			twice = append(twice, encode(t, example.Example{"z": example.Floats(1, 2)})...)
			if err := fast.Add(twice); err != nil {
				t.Fatal(err)
			}
			for _, f := range fast.Features() {
				if want := (Feature{Name: "z", Present: 1, Of: 501, Kinds: [4]int64{example.FloatList: 1}, Values: Spread{1, 2, 2, 2}}); f.Name == "z" && f != want {
					t.Errorf("got %+v, want %+v", f, want)
				}
			}
		}
	}
}

// Names are bounded in number and in bytes; what is not listed is counted.
func TestTableBounds(t *testing.T) {
	for _, c := range []struct {
		pad  int
		want int
	}{{0, maxFeatures}, {100_000, maxNameBytes / 100_000}} {
		table, sum, part := NewTable(example.TypeExample), NewTable(example.TypeExample), NewPart(example.TypeExample)
		n := c.want + 10
		for i := range n {
			msg := encode(t, example.Example{fmt.Sprintf("%05d%s", i, strings.Repeat("x", c.pad)): example.Int64s(1)})
			for _, table := range []*Table{table, part, part} {
				if err := table.Add(msg); err != nil {
					t.Fatal(err)
				}
			}
			if i%1500 == 0 || i == n-1 {
				if again := sum.Merge(part); again != (len(part.columns) <= mostKept) {
					t.Errorf("a part of %d names is used again: %t", len(part.columns), again)
				} else if !again {
					part = NewPart(example.TypeExample)
				}
			}
		}
		if got := len(sum.Features()); got != len(table.Features()) || sum.Omitted != 2*table.Omitted {
			t.Errorf("%d names of %d bytes, in parts: %d listed, %d omitted; in one piece %d", n, c.pad+5, got, sum.Omitted, table.Omitted)
		}
		got := len(table.Features())
		if got > c.want || got < c.want-1 || int(table.Omitted) != n-got {
			t.Errorf("%d names of %d bytes: %d listed, %d omitted; want %d listed", n, c.pad+5, got, table.Omitted, c.want)
		}
	}
}
