package example_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
)

// checkEditList compares edits of an ExampleListWithContext with edits of its Examples, which protowire extracts
// and combines again.
func checkEditList(t *testing.T, msg []byte, ops []editOp) {
	t.Helper()
	for _, c := range []struct {
		field protowire.Number
		edit  func(e *example.Edit, dst, msg []byte, t example.MessageType) ([]byte, error)
	}{{1, (*example.Edit).AppendLists}, {2, (*example.Edit).Append}} {
		e, one := editOf(ops), editOf(ops)
		got, err := c.edit(e, []byte("before"), msg, example.TypeExampleList)
		want := []byte("before")
		var failed error
		contexts := 0
		for rest := msg; len(rest) > 0; {
			number, typ, n := protowire.ConsumeField(rest)
			if n < 0 || number > protowire.MaxValidNumber { // protowire does not check this
				failed = errors.New("not a message")
				break
			}
			field := rest[:n]
			rest = rest[n:]
			if number == 2 && typ == protowire.BytesType {
				contexts++
			}
			if number != c.field || typ != protowire.BytesType {
				want = append(want, field...)
				continue
			}
			_, _, n = protowire.ConsumeTag(field)
			inner, _ := protowire.ConsumeBytes(field[n:])
			edited, err := one.Append(nil, inner, example.TypeExample)
			if err != nil {
				failed = err
				break
			}
			if bytes.Equal(edited, inner) {
				want = append(want, field...)
			} else {
				want = protowire.AppendBytes(protowire.AppendTag(want, number, protowire.BytesType), edited)
			}
		}
		if contexts > 1 {
			failed = errors.New("two contexts")
		}
		if contexts == 0 && c.field == 2 && failed == nil {
			var edited []byte
			if edited, failed = one.Append(nil, nil, example.TypeExample); len(edited) > 0 {
				want = protowire.AppendBytes(protowire.AppendTag(want, 2, protowire.BytesType), edited)
			}
		}
		if (err == nil) != (failed == nil) {
			t.Fatalf("%x %v: field %d: error %v, slowEdit has %v", msg, ops, c.field, err, failed)
		}
		if err != nil {
			want = []byte("before")
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%x %v: field %d: gives %x, want %x", msg, ops, c.field, got, want)
		}
		if err == nil {
			if again, err := c.edit(e, nil, msg, example.TypeExampleList); err != nil || !bytes.Equal(again, want[len("before"):]) {
				t.Fatalf("%x %v: field %d: the second time %x, %v, the first %x", msg, ops, c.field, again, err, want)
			}
		}
	}
}

func listForEdits(r *rand.Rand) example.ExampleList {
	one := func() example.Example {
		x := example.Example{}
		for range r.IntN(6) {
			x[string(rune('a'+r.IntN(6)))] = []example.Value{{}, example.Int64s(r.Int64()), example.Floats(1, 2), example.Strings("s", "tt")}[r.IntN(4)]
		}
		return x
	}
	l := example.ExampleList{HasContext: r.IntN(3) > 0}
	if l.HasContext {
		l.Context = one()
	}
	for range r.IntN(4) {
		l.Examples = append(l.Examples, one())
	}
	return l
}

// TestEditList edits lists that are canonical, and lists with unknown fields, parts in any order and damage.
func TestEditList(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	var msgs [][]byte
	for range 60 {
		msgs = append(msgs, marshal(t, listForEdits(r)))
	}
	for range 60 {
		a, b := msgs[r.IntN(60)], msgs[r.IntN(60)]
		msgs = append(msgs, slices.Concat(a, b), slices.Concat(a, []byte{0x18, 1}, b), slices.Concat([]byte{0x0a, 0x80, 0}, b))
	}
	for range 300 {
		b := slices.Clone(msgs[r.IntN(len(msgs))])
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		msgs = append(msgs, b)
	}
	for _, msg := range msgs {
		for range 10 {
			checkEditList(t, msg, randomOps(r, msg))
		}
	}
}

func FuzzEditList(f *testing.F) {
	f.Add(marshal(f, listForEdits(rand.New(rand.NewPCG(2, 2)))), uint64(1))
	f.Fuzz(func(t *testing.T, msg []byte, seed uint64) {
		checkEditList(t, msg, randomOps(rand.New(rand.NewPCG(seed, 0)), msg))
	})
}

// TestEditListCanonical proves that a canonical list stays canonical, and checks the places of errors.
func TestEditListCanonical(t *testing.T) {
	list := example.ExampleList{Examples: []example.Example{{"a": example.Int64s(1), "b": example.Strings("x")}, {"b": example.Strings("y")}}}
	var e example.Edit
	e.Rename("b", "title")
	e.Set("n", example.Int64s(7))
	msg := marshal(t, list)
	got, err := e.AppendLists(nil, msg, example.TypeExampleList)
	if err == nil {
		got, err = e.Append(nil, got, example.TypeExampleList)
	}
	want := marshal(t, example.ExampleList{HasContext: true, Context: example.Example{"n": example.Int64s(7)},
		Examples: []example.Example{{"a": example.Int64s(1), "title": example.Strings("x"), "n": example.Int64s(7)}, {"title": example.Strings("y"), "n": example.Int64s(7)}}})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v; want %x", got, err, want)
	}
	for text, change := range map[string]func(*example.Edit){
		`example: examples[0]: feature "b": value cannot be encoded at byte 23: want no feature of this name, to which "a" is renamed, got one`: func(e *example.Edit) { e.Rename("a", "b") },
		`example: feature "c": value cannot be encoded: want one change that writes the feature, got two`:                                       func(e *example.Edit) { e.Set("c", example.Int64s()); e.Copy("a", "c") },
	} {
		var e example.Edit
		change(&e)
		for range 2 { // the error is the same in a second call
			if _, err := e.AppendLists(nil, msg, example.TypeExampleList); fmt.Sprint(err) != text {
				t.Errorf("%v; want %s", err, text)
			}
		}
	}
	dst := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(10, func() {
		if dst, err = e.AppendLists(dst[:0], msg, example.TypeExampleList); err == nil {
			dst, err = e.Append(dst[:0], msg, example.TypeExampleList)
		}
	}); n > 0 || err != nil {
		t.Errorf("%v allocations, %v", n, err)
	}
}

func ExampleEdit_AppendLists() {
	msg, err := example.ExampleList{Examples: []example.Example{{"clicked": example.Int64s(1)}, {"clicked": example.Int64s(0)}}}.MarshalBinary()
	if err != nil {
		panic(err)
	}
	var e example.Edit
	e.Rename("clicked", "label")
	e.Set("weight", example.Floats(0.5))
	if msg, err = e.AppendLists(nil, msg, example.TypeExampleList); err != nil {
		panic(err)
	}
	s := example.ScanExamples(msg)
	for s.Next() {
		var x example.Example
		if err := x.UnmarshalBinary(s.Example()); err != nil {
			panic(err)
		}
		fmt.Println(x["label"].Int64s, x["weight"].Floats)
	}
	// Output:
	// [1] [0.5]
	// [0] [0.5]
}

// TestLookupInListContext compares LookupInListContext with Lookup in the context, and checks the places of errors.
func TestLookupInListContext(t *testing.T) {
	list := example.ExampleList{HasContext: true, Context: example.Example{"q": example.Strings("soup")}, Examples: []example.Example{{"q": example.Int64s(1)}}}
	msg := marshal(t, list)
	if f, ok, err := example.TypeExampleList.Lookup(msg, "q"); err != nil || !ok || f.Offset() != bytes.Index(msg, f.Raw()) {
		t.Errorf("got %x at %d, %v, %v", f.Raw(), f.Offset(), ok, err)
	}
	for name, b := range map[string][]byte{"no feature of this name": msg, "no context": marshal(t, example.ExampleList{Examples: list.Examples}), "nothing": nil} {
		if _, ok, err := example.TypeExampleList.Lookup(b, "other"); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	for text, b := range map[string][]byte{
		`example: context: unexpected EOF at byte 2: want 5 bytes, got 0 left`:                                                            []byte("\x12\x02\x0a\x05"),
		`example: unexpected EOF at byte 0: want 5 bytes, got 0 left`:                                                                     []byte("\x0a\x05"),
		`example: context: ambiguous encoding at byte 2: want one context, got two; TensorFlow reads the last, other decoders merge them`: []byte("\x12\x00\x12\x00"),
	} {
		if _, _, err := example.TypeExampleList.Lookup(b, "q"); fmt.Sprint(err) != text {
			t.Errorf("%v; want %s", err, text)
		}
	}
}
