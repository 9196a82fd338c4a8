package example_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/examplepb"
)

func randomValue(r *rand.Rand) example.Value {
	n := r.IntN(5)
	if r.IntN(10) == 0 {
		n = r.IntN(500)
	}
	switch r.IntN(7) {
	case 0:
		return example.Value{}
	case 1, 2:
		v := example.Floats(make([]float32, n)...)
		for i := range v.Floats {
			v.Floats[i] = math.Float32frombits(r.Uint32()) // including NaNs with a payload
		}
		return v
	case 3, 4:
		v := example.Int64s(make([]int64, n)...)
		for i := range v.Int64s {
			v.Int64s[i] = int64(r.Uint64() >> r.IntN(64))
		}
		return v
	}
	v := example.Bytes(make([][]byte, n)...)
	for i := range v.Bytes {
		v.Bytes[i] = make([]byte, r.IntN(6)*r.IntN(60))
		for j := range v.Bytes[i] {
			v.Bytes[i][j] = byte(r.Uint32())
		}
	}
	return v
}

func randomName(r *rand.Rand) string {
	runes := []rune("abcxyz/_0\x00\"é\U0001f600")
	name := make([]rune, r.IntN(6))
	for i := range name {
		name[i] = runes[r.IntN(len(runes))]
	}
	return string(name)
}

func randomExample(r *rand.Rand) example.Example {
	e := example.Example{}
	for range r.IntN(8) {
		e[randomName(r)] = randomValue(r)
	}
	return e
}

func randomSequence(r *rand.Rand) example.Sequence {
	s := example.Sequence{Context: randomExample(r), Lists: map[string][]example.Value{}}
	for range r.IntN(4) {
		steps := make([]example.Value, r.IntN(5))
		for i := range steps {
			steps[i] = randomValue(r)
		}
		s.Lists[randomName(r)] = steps
	}
	return s
}

// Written messages are read to the same values, by this package and by protobuf-go. protobuf-go writes the same
// bytes in its deterministic form.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range testkit.Rounds(3000) {
		e := randomExample(r)
		checkRoundTrip(t, e, &example.Example{}, &examplepb.Example{}, func(x *example.Example) bool { return equalExamples(e, *x) })
		s := randomSequence(r)
		checkRoundTrip(t, s, &example.Sequence{}, &examplepb.SequenceExample{}, func(x *example.Sequence) bool { return equalSequences(s, *x) })
		l := example.ExampleList{HasContext: r.IntN(3) > 0}
		if l.HasContext {
			l.Context = randomExample(r)
		}
		for range r.IntN(4) {
			l.Examples = append(l.Examples, randomExample(r))
		}
		checkRoundTrip(t, l, &example.ExampleList{}, &examplepb.ExampleListWithContext{}, func(x *example.ExampleList) bool { return equalLists(l, *x) })
	}
}

// Messages that protobuf-go writes in its usual form, with entries in any order, are read to the same values.
func TestReadsProtobuf(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 1000 {
		s := randomSequence(r)
		var pb examplepb.SequenceExample
		if err := proto.Unmarshal(marshal(t, s), &pb); err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(&pb)
		if err != nil {
			t.Fatal(err)
		}
		var back example.Sequence
		if err := back.UnmarshalBinary(b); err != nil || !equalSequences(s, back) {
			t.Fatalf("% x: got %v, %v; want %v", b, back, err, s)
		}
		var e example.Example
		if err := e.UnmarshalBinary(b); err != nil || !equalExamples(s.Context, e) {
			t.Fatalf("% x: as an Example %v, %v; want the context %v", b, e, err, s.Context)
		}
	}
}

// A Builder writes the same bytes as the map, for any order of names.
func TestBuilder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var b example.Builder
	for range 1000 {
		e := randomExample(r)
		b.Reset()
		for name, v := range e {
			switch {
			case v.Kind() == example.Unset:
				b.Add(name, example.Value{})
			case r.IntN(3) == 0:
				b.Add(name, v)
			case v.Kind() == example.Int64List:
				b.Add(name, example.Int64s(v.Int64s...))
			case v.Kind() == example.FloatList:
				b.Add(name, example.Floats(v.Floats...))
			case r.IntN(2) == 0:
				b.Add(name, example.Bytes(v.Bytes...))
			default:
				var s []string
				for _, x := range v.Bytes {
					s = append(s, string(x))
				}
				b.AddStrings(name, s...)
			}
		}
		want := append([]byte("before"), marshal(t, e)...)
		for range 2 { // the added features stay in the second round
			got, err := b.AppendBinary([]byte("before"))
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("built\n% x, %v; want\n% x", got, err, want)
			}
		}
	}
}

// Encoding does not depend on the bytes after the length of dst, and does not change them if it fails.
func TestAppendBinary(t *testing.T) {
	bad := example.Value{Int64s: []int64{1}, Floats: []float32{1}}
	var both, twice example.Builder
	both.Add("b", example.Int64s())
	both.Add("a", bad)
	twice.Add("b", example.Int64s(1))
	twice.Add("a", example.Int64s(2))
	twice.Add("b", example.Floats(3))
	several := `feature "a": value cannot be encoded: want values of one kind, got several`
	for _, c := range []struct {
		m    interface{ AppendBinary([]byte) ([]byte, error) }
		want string
	}{
		{example.Example{"a": bad, "b": {}}, several},
		{&both, several},
		{example.Sequence{Context: example.Example{"a": bad}}, "context: " + several},
		{example.Sequence{Context: example.Example{"c": {}}, Lists: map[string][]example.Value{"l": {{}, bad}}},
			`feature_lists: feature "l": step 1: value cannot be encoded: want values of one kind, got several`},
		{example.ExampleList{Examples: []example.Example{{"b": {}}, {"a": bad}}}, "examples[1]: " + several},
		{example.ExampleList{Context: example.Example{"a": bad}, HasContext: true}, "context: " + several},
		{example.ExampleList{Context: example.Example{"a": {}}}, "context: value cannot be encoded: got a context without HasContext"},
		{&twice, `feature "b": value cannot be encoded: want each name once, got it twice`},
	} {
		dst := append(make([]byte, 0, 100), "before"...)
		got, err := c.m.AppendBinary(dst)
		if !errors.Is(err, example.ErrValue) || string(got) != "before" {
			t.Errorf("%q, %v; want ErrValue", got, err)
		} else if err.Error() != "example: "+c.want {
			t.Errorf("got  %v\nwant example: %s", err, c.want)
		}
	}
}

// A message of 2 GiB or more is refused before memory is allocated.
func TestTooLarge(t *testing.T) {
	big := make([]byte, 1<<26)
	v := example.Bytes()
	for range 32 {
		v.Bytes = append(v.Bytes, big)
	}
	e := example.Example{"a": v}
	var b example.Builder
	b.Add("a", v)
	for name, m := range map[string]interface{ AppendBinary([]byte) ([]byte, error) }{
		"example": e, "builder": &b, "sequence": example.Sequence{Context: e},
		"lists": example.Sequence{Lists: map[string][]example.Value{"a": {v}}}, "list": example.ExampleList{Examples: []example.Example{e}},
	} {
		if got, err := m.AppendBinary(nil); !errors.Is(err, example.ErrTooLarge) || got != nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestValue(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		v, w example.Value
		same bool
	}{
		{example.Value{}, example.Value{}, true},
		{example.Value{}, example.Int64s(), false},
		{example.Int64s(), example.Floats(), false},
		{example.Floats(), example.Bytes(), false},
		{example.Int64s(1, 2), example.Int64s(1, 2), true},
		{example.Int64s(1, 2), example.Int64s(1), false},
		{example.Floats(nan), example.Floats(nan), true},
		{example.Floats(0), example.Floats(float32(math.Copysign(0, -1))), false},
		{example.Strings("a", ""), example.Bytes([]byte("a"), nil), true},
		{example.Strings("a"), example.Strings("b"), false},
	} {
		if c.v.Equal(c.w) != c.same || c.w.Equal(c.v) != c.same {
			t.Errorf("%v equals %v: want %v", c.v, c.w, c.same)
		}
	}
	if k := (example.Value{Floats: []float32{}, Int64s: []int64{}}).Kind(); k != example.Malformed {
		t.Errorf("two lists are of kind %v", k)
	}
	if n := example.Strings("a", "b").Len(); n != 2 {
		t.Errorf("%d values", n)
	}
}
