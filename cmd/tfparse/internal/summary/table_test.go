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
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/test/testkit"
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
		top := maxOfBucket(i)
		if bucketIndex(top) != i || bucketIndex(last+1) != i {
			t.Fatalf("bucket %d: %d to %d fall into %d to %d", i, last+1, top, bucketIndex(last+1), bucketIndex(top))
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

// TestParts compares a Table with parts that are merged. Names come in an order that changes, and
// some not always.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 2))
	value := func() example.Value {
		n := r.IntN(4)
		return []example.Value{{}, example.Int64s(make([]int64, n)...), example.Floats(make([]float32, n)...), example.Bytes(make([][]byte, n)...)}[r.IntN(4)]
	}
	features := func() []byte { // in any order
		var b example.Builder
		for _, i := range r.Perm(6)[:r.IntN(7)] {
			b.Add(string(rune('a'+i)), value())
		}
		msg, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return msg
	}
	random := func(typ example.MessageType) []byte {
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
		whole, sum := NewTable(typ), NewTable(typ)
		part := NewPart(typ, new(message.Shared))
		for range 500 {
			msg := random(typ)
			if err := whole.Add(msg); err != nil {
				t.Fatal(err)
			}
			if err := part.Add(msg); err != nil {
				t.Fatal(err)
			}
			if r.IntN(20) == 0 && !sum.Merge(part) {
				t.Fatal("a part with few names is not used again")
			}
		}
		sum.Merge(part)
		if diff := cmp.Diff(whole.Features(), sum.Features()); diff != "" || sum.Records != whole.Records || len(part.Features()) != len(sum.Features()) {
			t.Errorf("%v: %d records in parts, %d in one piece\n%s", typ, sum.Records, whole.Records, diff)
		}
		// A name that stands twice is once in the message; the last one counts.
		twice := append(features(), encode(t, example.Example{"a": example.Int64s(1), "b": example.Int64s(1), "z": example.Int64s(1)})...)
		if typ == example.TypeExample {
			twice = append(twice, encode(t, example.Example{"z": example.Floats(1, 2)})...)
			if err := whole.Add(twice); err != nil {
				t.Fatal(err)
			}
			for _, f := range whole.Features() {
				if want := (Feature{Name: "z", Present: 1, Of: 501, Kinds: [4]int64{example.FloatList: 1}, Values: Spread{1, 2, 2, 2}}); f.Name == "z" && !cmp.Equal(f, want) {
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
		table, sum, part := NewTable(example.TypeExample), NewTable(example.TypeExample), NewPart(example.TypeExample, new(message.Shared))
		n := c.want + 10
		for i := range n {
			msg := encode(t, example.Example{fmt.Sprintf("%05d%s", i, strings.Repeat("x", c.pad)): example.Int64s(1)})
			for _, table := range []*Table{table, part, part} {
				if err := table.Add(msg); err != nil {
					t.Fatal(err)
				}
			}
			if i%1500 == 0 || i == n-1 {
				if again := sum.Merge(part); again != (len(part.columns) <= maxReused) {
					t.Errorf("a part of %d names is used again: %t", len(part.columns), again)
				} else if !again {
					part = NewPart(example.TypeExample, new(message.Shared))
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

// decodedSum is the slow twin of a Table: it sums up owned messages.
type decodedSum map[Part]map[string]*Feature

func (d decodedSum) add(typ example.MessageType, msg []byte, at Place) error {
	features := func(p Part, e example.Example) {
		for name, v := range e {
			f := d.feature(p, name)
			f.Present++
			f.value(v, at)
		}
	}
	switch typ {
	case example.TypeExample:
		var e example.Example
		if err := e.UnmarshalBinary(msg); err != nil {
			return err
		}
		features(Top, e)
	case example.TypeSequence:
		var s example.Sequence
		if err := s.UnmarshalBinary(msg); err != nil {
			return err
		}
		features(Context, s.Context)
		for name, steps := range s.Lists {
			f := d.feature(Lists, name)
			f.Present++
			f.Steps.Add(int64(len(steps)))
			for _, v := range steps {
				f.value(v, at)
			}
		}
	default:
		var l example.ExampleList
		if err := l.UnmarshalBinary(msg); err != nil {
			return err
		}
		features(Context, l.Context)
		for _, e := range l.Examples {
			features(Examples, e)
		}
	}
	return nil
}

// empty reports whether a message, which decodes, has no features.
func (d decodedSum) empty(typ example.MessageType, msg []byte) bool {
	one := decodedSum{}
	_ = one.add(typ, msg, Place{})
	return len(one) == 0
}

func (d decodedSum) feature(p Part, name string) *Feature {
	if d[p] == nil {
		d[p] = map[string]*Feature{}
	}
	if d[p][name] == nil {
		d[p][name] = &Feature{Part: p, Name: name}
	}
	return d[p][name]
}

func (f *Feature) value(v example.Value, at Place) {
	k := v.Kind()
	if k == example.Unset {
		f.Unset++
		return
	}
	if f.Kinds[k]++; f.Kinds[k] == 1 {
		f.First[k] = at
	}
	f.Values.Add(int64(v.Len()))
}

// TestDecoded compares a Table and parts that are merged with owned messages, some with
// one flipped bit. Tables for the same data share names.
func TestDecoded(t *testing.T) {
	for _, typ := range []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList} {
		var shared message.Shared
		for seed := range uint64(testkit.Rounds(200)) {
			r := rand.New(rand.NewPCG(seed, 3))
			sum, want := NewTable(typ), decodedSum{}
			part := NewPart(typ, &shared)
			odd := 1 + r.IntN(40) // one feature in this many has another kind
			empty, none := int64(0), Place{}
			for record := range int64(120) {
				msg := randomMessage(t, r, typ, odd)
				if r.IntN(30) == 0 {
					msg = nil
				}
				if r.IntN(10) == 0 && len(msg) > 0 { // most of these do not decode
					msg[r.IntN(len(msg))] ^= 1 << r.IntN(8)
				}
				part.At = Place{"file", record}
				wantErr := want.add(typ, msg, part.At)
				if err := part.Add(msg); fmt.Sprint(err) != fmt.Sprint(typ.Validate(msg)) || (err == nil) != (wantErr == nil) {
					t.Fatalf("%v, seed %d: record %d: %v; decoded: %v", typ, seed, record, err, wantErr)
				}
				if wantErr == nil && want.empty(typ, msg) {
					if empty++; empty == 1 {
						none = part.At
					}
				}
				if r.IntN(20) == 0 && (!sum.Merge(part) || r.IntN(2) == 0) {
					part = NewPart(typ, &shared)
				}
			}
			sum.Merge(part)
			if sum.Empty != empty || sum.NoneAt != none {
				t.Fatalf("%v, seed %d: %d messages without features, the first %v; want %d, %v", typ, seed, sum.Empty, sum.NoneAt, empty, none)
			}
			n := 0
			for _, f := range sum.Features() {
				w := *want.feature(f.Part, f.Name)
				if w.Of = f.Of; !cmp.Equal(f, w) {
					t.Fatalf("%v, seed %d:\n%+v\nwant\n%+v", typ, seed, f, w)
				}
				n++
			}
			for _, m := range want {
				n -= len(m)
			}
			if n != 0 {
				t.Fatalf("%v, seed %d: %d features too many", typ, seed, n)
			}
		}
	}
}

// randomMessage makes a message in which features have one kind, or, one in odd, another one.
func randomMessage(t *testing.T, r *rand.Rand, typ example.MessageType, odd int) []byte {
	t.Helper()
	value := func(i int) example.Value {
		if r.IntN(odd) == 0 {
			i = r.IntN(4)
		}
		switch i % 4 {
		case 0:
			return example.Int64s(1, 2, 3)
		case 1:
			return example.Floats(1.5)
		case 2:
			return example.Strings("x")
		}
		return example.Value{}
	}
	features := func() example.Example {
		x := example.Example{}
		for i := range 6 {
			if r.IntN(4) > 0 {
				x[fmt.Sprint("f", i)] = value(i)
			}
		}
		return x
	}
	var msg []byte
	var err error
	switch typ {
	case example.TypeExample:
		msg, err = features().MarshalBinary()
	case example.TypeSequence:
		s := example.Sequence{Context: features(), Lists: map[string][]example.Value{}}
		for i := range 3 {
			for range r.IntN(4) {
				name := fmt.Sprint("f", i)
				s.Lists[name] = append(s.Lists[name], value(i))
			}
		}
		msg, err = s.MarshalBinary()
	default:
		l := example.ExampleList{Context: features(), HasContext: true}
		for range r.IntN(3) {
			l.Examples = append(l.Examples, features())
		}
		msg, err = l.MarshalBinary()
	}
	if err != nil {
		t.Fatal(err)
	}
	return msg
}
