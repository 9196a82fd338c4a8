package example_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// Returned slices point into the message, and have no capacity after their end. So an append cannot overwrite the
// message.
func TestLentViews(t *testing.T) {
	msg := marshal(t, example.Sequence{
		Context: example.Example{"a": example.Strings("x", "y"), "b": example.Strings("z")},
		Lists:   map[string][]example.Value{"l": {example.Strings("p"), example.Strings("q")}, "m": {}},
	})
	before := bytes.Clone(msg)
	var views [][]byte
	s := example.TypeSequence.Scan(msg)
	for s.Next() {
		v, err := s.Feature().AppendBytes(nil)
		if err != nil {
			t.Fatal(err)
		}
		views = append(append(views, v...), s.Name(), s.Feature().Raw())
		if f := s.Feature(); !bytes.Equal(msg[f.Offset():][:len(f.Raw())], f.Raw()) {
			t.Errorf("%q is not at %d", s.Name(), f.Offset())
		}
	}
	l := example.ScanFeatureLists(msg)
	for l.Next() {
		n, err := l.List().Len()
		if f := l.List(); err != nil || !bytes.Equal(msg[f.Offset():][:len(f.Raw())], f.Raw()) {
			t.Errorf("%q is not at %d: %v", l.Name(), f.Offset(), err)
		}
		for steps := l.List().Scan(); steps.Next(); {
			n--
			views = append(views, steps.Feature().Raw())
		}
		if n != 0 {
			t.Errorf("%q: %d steps more than counted", l.Name(), -n)
		}
		views = append(views, l.Name(), l.List().Raw())
	}
	if s.Err() != nil || l.Err() != nil || len(views) != 13 {
		t.Fatalf("%d views, %v, %v", len(views), s.Err(), l.Err())
	}
	for _, v := range views {
		if cap(v) != len(v) {
			t.Errorf("%q has room for %d more", v, cap(v)-len(v))
		}
		_ = append(v, 0xa5)
	}
	if !bytes.Equal(msg, before) {
		t.Error("an append to a view wrote into the message")
	}
}

// A repeated name is returned each time, in wire order. An error ends the scan permanently.
func TestScanOrder(t *testing.T) {
	msg := bytes.Join([][]byte{messageOf(1, "b", nil), messageOf(1, "a", nil), {0x38, 0x01}, messageOf(1, "b", []byte{0x99})}, nil)
	var names string
	s := example.TypeExample.Scan(msg)
	for s.Next() {
		names += string(s.Name())
	}
	if names != "bab" || s.Err() != nil || s.Next() {
		t.Errorf("%s, %v", names, s.Err())
	}
	names = ""
	for s = example.TypeExample.Scan(append(msg, 0x0a, 0x01)); s.Next(); {
		names += string(s.Name())
	}
	if names != "bab" || !errors.Is(s.Err(), io.ErrUnexpectedEOF) || s.Next() {
		t.Errorf("%s, %v", names, s.Err())
	}
}

// Each scanner of a SequenceExample checks the framing of both maps.
func TestScannersJudgeBothMaps(t *testing.T) {
	for _, msg := range [][]byte{field(1, []byte{0x0a, 0x00}), field(2, []byte{0x0a, 0x00})} {
		c, l := example.TypeSequence.Scan(msg), example.ScanFeatureLists(msg)
		if c.Next() || l.Next() || !errors.Is(c.Err(), example.ErrEntry) || !errors.Is(l.Err(), example.ErrEntry) || c.Err().Error() != l.Err().Error() {
			t.Errorf("% x: %v, %v", msg, c.Err(), l.Err())
		}
	}
}

// A list is checked only up to the last step that was read. An error in it ends the scan of the lists.
func TestStepFault(t *testing.T) {
	msg := append(messageOf(2, "bad", []byte{0x0a, 0x00, 0x0a}), messageOf(2, "good", nil)...)
	l := example.ScanFeatureLists(msg)
	lists := 0
	for l.Next() {
		lists++
	}
	if lists != 2 || l.Err() != nil {
		t.Errorf("not stepped through: %d lists, %v", lists, l.Err())
	}
	l = example.ScanFeatureLists(msg)
	l.Next()
	if steps := l.List().Scan(); !steps.Next() || steps.Next() || !errors.Is(steps.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("stepped through: %v", steps.Err())
	}
	l = example.ScanFeatureLists(msg)
	if l.Next(); true {
		if _, err := l.List().Len(); !errors.Is(err, io.ErrUnexpectedEOF) || l.Err() != nil {
			t.Errorf("counted: %v, %v", err, l.Err())
		}
	}
}

// Replace keeps the last feature, and requires that the others are valid. In an Example a last feature without kind
// is ambiguous, no matter which features are between.
func TestReplace(t *testing.T) {
	one, none, other, odd, bad := []byte{0x1a, 0x02, 0x08, 0x01}, []byte{}, []byte{0x12, 0x00}, []byte{0x22, 0x00}, []byte{0x1a, 0x09}
	two := []byte{0x1a, 0x06, 0x0a, 0x01, 0x01, 0x0a, 0x01, 0x02} // valid, and ambiguous if it is alone
	for _, c := range []struct {
		name     string
		features [][]byte
		kind     example.Kind // in an Example; Malformed means refused
		sequence example.Kind // in a context
	}{
		{"last wins", [][]byte{one, other}, example.FloatList, example.FloatList},
		{"an ambiguous one is replaced", [][]byte{two, one}, example.Int64List, example.Int64List},
		{"an odd one is replaced", [][]byte{odd, one}, example.Int64List, example.Int64List},
		{"a malformed one is not", [][]byte{bad, one}, example.Malformed, example.Malformed},
		{"a malformed one before others", [][]byte{bad, one, one}, example.Malformed, example.Malformed},
		{"a malformed one between others", [][]byte{one, bad, one}, example.Malformed, example.Malformed},
		{"two without kind", [][]byte{none, none}, example.Unset, example.Unset},
		{"kind after none", [][]byte{none, one}, example.Int64List, example.Int64List},
		{"none after kind", [][]byte{one, none}, example.Malformed, example.Unset},
		{"unknown fields alone after kind", [][]byte{one, odd}, example.Malformed, example.Unset},
		{"none twice after kind", [][]byte{one, none, none}, example.Malformed, example.Unset},
		{"kind after none after kind", [][]byte{one, none, other}, example.FloatList, example.FloatList},
	} {
		var msg []byte
		for _, f := range c.features {
			msg = append(msg, messageOf(1, "a", f)...)
		}
		for sequence, want := range map[bool]example.Kind{false: c.kind, true: c.sequence} {
			r, ok, err := fastFeature(msg, sequence, "a")
			if (err != nil) != (want == example.Malformed) || err == nil && (!ok || r.kind != want) {
				t.Errorf("%s, sequence %v: %v, %v; want %v", c.name, sequence, r, err, want)
			}
			collect := example.TypeExample.Collect
			if sequence {
				collect = example.TypeSequence.Collect
			}
			entries, err := collect(nil, msg)
			if (err != nil) != (want == example.Malformed) || err == nil && (len(entries) != 1 || entries[0].Feature.Kind() != want) {
				t.Errorf("%s, sequence %v: collected %v, %v", c.name, sequence, entries, err)
			}
		}
	}
}

// Collect appends and sorts, and does not change earlier elements.
func TestCollect(t *testing.T) {
	msg := bytes.Join([][]byte{messageOf(1, "b", nil), messageOf(1, "", nil), messageOf(1, "a", nil), messageOf(1, "b", []byte{0x1a, 0x00}), messageOf(1, "\xff", nil)}, nil)
	first := []example.Entry{{Name: []byte("z")}}
	got, err := example.TypeExample.Collect(first, msg)
	var names []string
	for _, e := range got {
		names = append(names, string(e.Name))
	}
	if want := []string{"z", "", "a", "b", "\xff"}; err != nil || len(names) != len(want) || got[3].Feature.Kind() != example.Int64List {
		t.Errorf("%q, %v; want %q", names, err, want)
	} else {
		for i := range want {
			if names[i] != want[i] {
				t.Errorf("%q; want %q", names, want)
			}
		}
	}
	if got, err = example.TypeExample.Collect(first, append(msg, 0x0a)); err == nil || len(got) != 1 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	seq := bytes.Join([][]byte{messageOf(2, "m", nil), messageOf(2, "l", field(1, nil)), messageOf(2, "m", append(field(1, nil), field(1, nil)...))}, nil)
	lists, err := example.CollectFeatureLists(nil, seq)
	if err != nil || len(lists) != 2 || string(lists[0].Name) != "l" || string(lists[1].Name) != "m" {
		t.Fatalf("%v, %v", lists, err)
	}
	if n, err := lists[1].List.Len(); n != 2 || err != nil {
		t.Errorf("%d steps, %v", n, err)
	}
	newer, err := lists[1].List.Replace(lists[0].List)
	if err != nil || newer.Offset() != lists[1].List.Offset() {
		t.Errorf("replaced by the list at %d, %v", newer.Offset(), err)
	}
}
