package summary

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestKinds compares the places of Kinds, in portions that are used again, with those of a Table that
// looks at every message.
func TestKinds(t *testing.T) {
	for _, typ := range []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList} {
		for seed := range uint64(testkit.Rounds(200)) {
			r := rand.New(rand.NewPCG(seed, 3))
			all, parts := NewTable(typ), NewTable(typ)
			odd := 1 + r.IntN(40) // one feature in this many has another kind
			var spare *Kinds
			for file := range 3 {
				name := fmt.Sprint("file ", file)
				if spare != nil && r.IntN(2) == 0 {
					spare = nil
				}
				for record := int64(0); record < 60; {
					k := spare
					if k == nil {
						k = NewKinds(typ)
					}
					for end := record + int64(r.IntN(30)); record <= end; record++ {
						msg := randomMessage(t, r, typ, odd)
						if r.IntN(20) == 0 && len(msg) > 0 { // most of these do not decode
							msg[r.IntN(len(msg))] ^= 1 << r.IntN(8)
						}
						all.At = Place{name, record}
						want := all.Add(msg)
						if got := k.Add(msg, tfrecord.Position{Name: name, Record: record}); fmt.Sprint(got) != fmt.Sprint(want) {
							t.Fatalf("%v, seed %d: %s#%d: %v; want %v", typ, seed, name, record, got, want)
						}
					}
					if spare = nil; k.MergeInto(parts) {
						spare = k
					}
				}
			}
			if got, want := places(parts), places(all); got != want {
				t.Fatalf("%v, seed %d:\n%s\nwant\n%s", typ, seed, got, want)
			}
		}
	}
}

// places lists where each kind comes first.
func places(t *Table) (s string) {
	for _, f := range t.Features() {
		s += fmt.Sprintf("%v %q:", f.Part, f.Name)
		for kind, n := range f.Kinds {
			if n > 0 {
				s += fmt.Sprintf(" %v %v", example.Kind(kind), f.First[kind])
			}
		}
		s += "\n"
	}
	return s
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
