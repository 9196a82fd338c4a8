package example_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// An editOp is one change, for an Edit and for a slowEdit.
type editOp struct {
	op       string // set, delete, keep, rename, copy
	name, to string
	value    example.Value
}

func editOf(ops []editOp) *example.Edit {
	e := new(example.Edit)
	for _, o := range ops {
		switch o.op {
		case "set":
			e.Set(o.name, o.value)
		case "delete":
			e.Delete(o.name)
		case "keep":
			e.Keep(o.name)
		case "rename":
			e.Rename(o.name, o.to)
		case "copy":
			e.Copy(o.name, o.to)
		}
	}
	return e
}

var errSlow = errors.New("slowEdit refuses")

// slowEdit implements an Edit with maps from names to encoded features. raw has the encoded feature of every name
// in ops, others has the other entries in wire order.
func slowEdit(msg []byte, ops []editOp) (raw map[string][]byte, others []string, err error) {
	was, named, kept := map[string][]byte{}, map[string]bool{}, map[string]bool{}
	keep, writers := false, map[string]int{}
	sets := map[string]bool{}
	for _, o := range ops {
		named[o.name] = true
		switch o.op {
		case "keep":
			keep, kept[o.name] = true, true
		case "set":
			if !sets[o.name] {
				writers[o.name]++
			}
			sets[o.name] = true
		case "rename", "copy":
			named[o.to] = true
			writers[o.to]++
		}
	}
	for _, n := range writers {
		if n > 1 {
			return nil, nil, errSlow
		}
	}
	s := example.TypeExample.Scan(msg)
	for s.Next() {
		if !named[string(s.Name())] && !keep {
			others = append(others, string(s.Name())+"="+string(s.Feature().Raw()))
		}
	}
	if s.Err() != nil {
		return nil, nil, s.Err()
	}
	for name := range named {
		f, ok, err := example.TypeExample.Lookup(msg, name)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			if err := f.Validate(); f.Kind() == example.Malformed && errors.Is(err, example.ErrAmbiguous) && repeats(msg, name) && soundAlone(f) {
				return nil, nil, err
			}
			was[name] = f.Raw()
		}
	}
	raw = maps.Clone(was)
	for name := range was {
		if keep && !kept[name] {
			delete(raw, name)
		}
	}
	for _, o := range ops {
		if o.op == "delete" || o.op == "rename" {
			delete(raw, o.name)
		}
	}
	for _, o := range ops {
		v, ok := was[o.name]
		switch {
		case o.op == "set":
			raw[o.name] = encodedFeature(o.value)
		case !ok:
		case o.op == "rename":
			if _, taken := raw[o.to]; taken {
				return nil, nil, errSlow
			}
			raw[o.to] = v
		case o.op == "copy":
			raw[o.to] = v
		}
	}
	return raw, others, nil
}

// soundAlone reports whether a feature is accepted if there is no earlier one of its name.
func soundAlone(f example.Feature) bool {
	msg := wire.AppendHeader(nil, 2, int64(len(f.Raw())))
	msg = append(append([]byte{0x0a, 0}, msg...), f.Raw()...)
	msg = append(wire.AppendHeader(nil, 1, int64(len(msg))), msg...)
	msg = append(wire.AppendHeader(nil, 1, int64(len(msg))), msg...)
	return example.TypeExample.Validate(msg) == nil
}

func repeats(msg []byte, name string) bool {
	n, s := 0, example.TypeExample.Scan(msg)
	for s.Next() {
		if string(s.Name()) == name {
			n++
		}
	}
	return n > 1
}

func encodedFeature(v example.Value) []byte {
	msg, _ := example.Example{"x": v}.MarshalBinary()
	f, _, _ := example.TypeExample.Lookup(msg, "x")
	return f.Raw()
}

func checkEdit(t *testing.T, msg []byte, ops []editOp) {
	t.Helper()
	e := editOf(ops)
	out, err := e.Append([]byte("before"), msg, example.TypeExample)
	raw, others, want := slowEdit(msg, ops)
	if (err == nil) != (want == nil) {
		t.Fatalf("%x %v: error %v, slowEdit has %v", msg, ops, err, want)
	}
	if err != nil {
		if string(out) != "before" {
			t.Fatalf("%x %v: an error, and dst is %q", msg, ops, out)
		}
		return
	}
	out, ok := bytes.CutPrefix(out, []byte("before"))
	if !ok {
		t.Fatalf("%x %v: dst is overwritten", msg, ops)
	}
	named := map[string]bool{}
	for _, o := range ops {
		named[o.name] = true
		named[o.to] = o.op == "rename" || o.op == "copy" || named[o.to]
	}
	var rest []string
	got := map[string][]byte{}
	s := example.TypeExample.Scan(out)
	for s.Next() {
		if named[string(s.Name())] {
			got[string(s.Name())] = s.Feature().Raw()
		} else {
			rest = append(rest, string(s.Name())+"="+string(s.Feature().Raw()))
		}
	}
	if s.Err() != nil {
		t.Fatalf("%x %v: gives %x: %v", msg, ops, out, s.Err())
	}
	if !slices.Equal(rest, others) {
		t.Fatalf("%x %v: others are %q, want %q", msg, ops, rest, others)
	}
	if !maps.EqualFunc(got, raw, bytes.Equal) {
		t.Fatalf("%x %v: gives %q, want %q", msg, ops, got, raw)
	}
	again, err := e.Append(nil, msg, example.TypeExample)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("%x %v: the second time %x, %v, the first %x", msg, ops, again, err, out)
	}
	var x example.Example // a canonical message stays canonical, byte for byte
	if x.UnmarshalBinary(msg) != nil {
		return
	}
	if canonical := marshal(t, x); bytes.Equal(canonical, msg) {
		if err := x.UnmarshalBinary(out); err != nil {
			t.Fatalf("%x %v: gives %x: %v", msg, ops, out, err)
		}
		if want := marshal(t, x); !bytes.Equal(out, want) {
			t.Fatalf("%x %v: gives %x, the encoder writes %x", msg, ops, out, want)
		}
	}
}

// TestEditKeepAndSet adds features between removed ones, which caused a panic before.
func TestEditKeepAndSet(t *testing.T) {
	msg := marshal(t, example.Example{"a": example.Int64s(1), "b": example.Int64s(2), "d": example.Int64s(4), "e": example.Int64s(5)})
	var e example.Edit
	e.Keep("z")
	e.Set("c", example.Int64s(3))
	e.Copy("e", "d1")
	want := marshal(t, example.Example{"c": example.Int64s(3), "d1": example.Int64s(5)})
	if got, err := e.Append(nil, msg, example.TypeExample); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v; want %x", got, err, want)
	}
}

// randomOps makes changes of names that are in a message, and of other names.
func randomOps(r *rand.Rand, msg []byte) (ops []editOp) {
	names := []string{"", "a", "bb", "dd", "new", "zz"}
	s := example.TypeExample.Scan(msg)
	for s.Next() && len(names) < 30 {
		names = append(names, string(s.Name()))
	}
	name := func() string { return names[r.IntN(len(names))] }
	for range 1 + r.IntN(6) {
		o := editOp{op: []string{"set", "delete", "keep", "rename", "copy"}[r.IntN(5)], name: name()}
		switch o.op {
		case "set":
			o.value = []example.Value{{}, example.Int64s(), example.Int64s(1, -2), example.Floats(1.5), example.Strings("x", "")}[r.IntN(5)]
			if slices.ContainsFunc(ops, func(p editOp) bool { return p.op == "set" && p.name == o.name }) {
				continue
			}
		case "rename", "copy":
			if o.to = name(); o.to == o.name {
				continue // would change nothing
			}
		}
		ops = append(ops, o)
	}
	return ops
}

// TestEdit compares Edit with slowEdit, for canonical messages and for messages with repeated names, unknown fields
// and damage.
func TestEdit(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	var msgs [][]byte
	for range 60 {
		x := example.Example{}
		for range r.IntN(8) {
			x[string(rune('a'+r.IntN(10)))] = []example.Value{{}, example.Int64s(r.Int64()), example.Floats(1, 2), example.Strings("s", "tt")}[r.IntN(4)]
		}
		msgs = append(msgs, marshal(t, x))
	}
	for range 60 { // several maps, repeated names, an unknown field
		a, b := msgs[r.IntN(60)], msgs[r.IntN(60)]
		msgs = append(msgs, slices.Concat(a, b), slices.Concat(a, []byte{0x18, 1}, b), slices.Concat([]byte{0x12, 2, 'x', 'y'}, b))
	}
	for range 300 {
		b := slices.Clone(msgs[r.IntN(len(msgs))])
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		msgs = append(msgs, b)
	}
	for _, msg := range msgs {
		for range 20 {
			checkEdit(t, msg, randomOps(r, msg))
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add(marshal(f, forty()), uint64(1))
	f.Add(slices.Concat(marshal(f, example.Example{"a": example.Int64s(1)}), marshal(f, example.Example{"a": {}})), uint64(2))
	f.Fuzz(func(t *testing.T, msg []byte, seed uint64) {
		checkEdit(t, msg, randomOps(rand.New(rand.NewPCG(seed, 0)), msg))
	})
}

// TestEditSequence edits a context and feature lists.
func TestEditSequence(t *testing.T) {
	seq := example.Sequence{
		Context: example.Example{"id": example.Int64s(7), "user": example.Strings("ada")},
		Lists:   map[string][]example.Value{"page": {example.Strings("home"), example.Strings("search")}, "wait": {example.Int64s(3), {}}},
	}
	var context, lists example.Edit
	context.Rename("user", "name")
	context.Set("age", example.Int64s(36))
	lists.Delete("wait")
	lists.Rename("page", "url")
	lists.Copy("page", "new")
	half, err := context.Append(nil, marshal(t, seq), example.TypeSequence)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lists.AppendLists(nil, half, example.TypeSequence)
	if err != nil {
		t.Fatal(err)
	}
	want := marshal(t, example.Sequence{
		Context: example.Example{"id": example.Int64s(7), "name": example.Strings("ada"), "age": example.Int64s(36)},
		Lists:   map[string][]example.Value{"url": seq.Lists["page"], "new": seq.Lists["page"]},
	})
	if !bytes.Equal(got, want) {
		t.Fatalf("got %x, want %x", got, want)
	}
	if _, err := context.AppendLists(nil, half, example.TypeSequence); !errors.Is(err, example.ErrValue) {
		t.Errorf("a value set as a feature list: %v", err)
	}
	if got, err := context.Append(nil, marshal(t, example.Sequence{Lists: seq.Lists}), example.TypeSequence); err != nil || !bytes.Equal(got,
		marshal(t, example.Sequence{Context: example.Example{"age": example.Int64s(36)}, Lists: seq.Lists})) {
		t.Errorf("a context where there was none: %x, %v", got, err)
	}
}

// TestEditErrors checks the messages of errors.
func TestEditErrors(t *testing.T) {
	ab := marshal(t, example.Example{"a": example.Int64s(1), "b": example.Int64s(2)})
	for name, c := range map[string]struct {
		change func(*example.Edit)
		msg    []byte
		want   string
	}{
		"taken": {func(e *example.Edit) { e.Rename("a", "b") }, ab,
			`example: feature "b": value cannot be encoded at byte 21: want no feature of this name, to which "a" is renamed, got one`},
		"twice": {func(e *example.Edit) { e.Set("c", example.Int64s()); e.Copy("a", "c") }, ab,
			`example: feature "c": value cannot be encoded: want one change that writes the feature, got two`},
		"kinds": {func(e *example.Edit) { e.Set("c", example.Value{Int64s: []int64{1}, Floats: []float32{1}}) }, ab,
			`example: feature "c": value cannot be encoded: want values of one kind, got several`},
		"ambiguous": {func(e *example.Edit) { e.Delete("a") }, slices.Concat(ab, marshal(t, example.Example{"a": {}})),
			`example: feature "a": ambiguous encoding at byte 35: got a feature without kind after one with a kind`},
		"cut": {func(e *example.Edit) { e.Delete("a") }, ab[:len(ab)-1], `example: unexpected EOF at byte 0: want 24 bytes, got 23 left`},
	} {
		var e example.Edit
		c.change(&e)
		if _, err := e.Append(nil, c.msg, example.TypeExample); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
}

// TestEditAllocs proves that an Edit whose memory has grown allocates nothing.
func TestEditAllocs(t *testing.T) {
	msg := marshal(t, forty())
	var e example.Edit
	e.Delete("feature_3")
	e.Rename("feature_9", "nine")
	ids, dst := []int64{1, 2, 3}, make([]byte, 0, 2*len(msg))
	run := func() {
		ids[0]++
		e.Set("new", example.Value{Int64s: ids})
		if _, err := e.Append(dst, msg, example.TypeExample); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEdit adds one feature to a message with 40: with the owned map, with a scanner and a Builder, with
// another message appended, and with an Edit.
func BenchmarkEdit(b *testing.B) {
	msg := marshal(b, forty())
	ids := []int64{1, 2, 3}
	dst := make([]byte, 0, 2*len(msg))
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("way=map", func() (err error) {
		var x example.Example
		if err := x.UnmarshalBinary(msg); err != nil {
			return err
		}
		x["new"] = example.Int64s(ids...)
		_, err = x.AppendBinary(dst)
		return err
	})
	var bld example.Builder
	run("way=scan-and-build", func() (err error) {
		bld.Reset()
		s := example.TypeExample.Scan(msg)
		for s.Next() {
			v, err := s.Feature().Value()
			if err != nil {
				return err
			}
			bld.Add(string(s.Name()), v)
		}
		bld.Add("new", example.Int64s(ids...))
		_, err = bld.AppendBinary(dst)
		return err
	})
	run("way=append", func() (err error) {
		bld.Reset()
		bld.Add("new", example.Int64s(ids...))
		_, err = bld.AppendBinary(append(dst, msg...))
		return err
	})
	var e example.Edit
	run("way=edit", func() (err error) {
		e.Set("new", example.Value{Int64s: ids})
		_, err = e.Append(dst, msg, example.TypeExample)
		return err
	})
	var all example.Edit
	all.Rename("feature_1", "one")
	all.Delete("feature_5", "feature_6", "feature_7")
	run("way=edit/changes=4", func() (err error) {
		_, err = all.Append(dst, msg, example.TypeExample)
		return err
	})
}
