package message

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// known returns every second name of a message, and one that no message has.
func known(t *testing.T, features, lists bool, msg []byte) (*KnownNames, []string) {
	t.Helper()
	names, slots := []string{"missing"}, map[string]int{"missing": 0}
	add := func(n int, name string) {
		if _, ok := slots[name]; !ok && n%2 == 0 {
			slots[name] = len(names)
			names = append(names, name)
		}
	}
	s := example.TypeSequence.Scan(msg)
	for n := 0; features && s.Next(); n++ {
		add(n, string(s.Name()))
	}
	ls := example.ScanFeatureLists(msg)
	for n := 0; lists && ls.Next(); n++ {
		add(n, string(ls.Name()))
	}
	return NewKnownNames(names, slots), names
}

// checkFinder compares the features that the walks and the scanners find in a message with those that Lookup finds.
func checkFinder(t *testing.T, f *Finder, typ example.MessageType, features, lists []string, msg []byte) (walked bool) {
	t.Helper()
	values := func() (s string) {
		for i := range features {
			v, ok := f.Features.Value(i)
			s += fmt.Sprintf("%x %d %v;", v.Raw(), v.Offset(), ok)
		}
		for i := range lists {
			v, ok := f.Lists.Value(i)
			s += fmt.Sprintf("%x %d %v;", v.Raw(), v.Offset(), ok)
		}
		return s
	}
	want, errs := "", map[string]bool{}
	for _, name := range features {
		v, ok, err := typ.Lookup(msg, name)
		want += fmt.Sprintf("%x %d %v;", v.Raw(), v.Offset(), ok)
		if err != nil {
			errs[err.Error()] = true
		}
	}
	for _, name := range lists {
		var v example.FeatureList
		ok, err := false, error(nil)
		if typ == example.TypeSequence {
			v, ok, err = lookUpList(msg, name)
		}
		want += fmt.Sprintf("%x %d %v;", v.Raw(), v.Offset(), ok)
		if err != nil {
			errs[err.Error()] = true
		}
	}
	if walked = f.Walk(typ, msg); walked && (values() != want || len(errs) > 0) {
		t.Fatalf("%v % x: walks find\n%s\nwant\n%s, %v", typ, msg, values(), want, errs)
	}
	entries := 0
	err := f.Scan(typ, msg, func(p Part, slot int, name []byte, offset int) {
		entries++
		names := features
		if p == Lists {
			names = lists
		}
		if slot >= 0 && names[slot] != string(name) {
			t.Fatalf("slot %d of %q is that of %q", slot, name, names[slot])
		}
	})
	switch {
	case err != nil && !errs[err.Error()] || err == nil && len(errs) > 0:
		t.Fatalf("%v % x: %v, want one of %v", typ, msg, err, errs)
	case err == nil && values() != want:
		t.Fatalf("%v % x: scanners find\n%s\nwant\n%s", typ, msg, values(), want)
	case walked && entries != len(f.Features.Order)+len(f.Lists.Order):
		t.Fatalf("%v % x: %d entries, walks have %v, %v", typ, msg, entries, f.Features.Order, f.Lists.Order)
	}
	return walked
}

// TestFinder finds features in records of the samples with each bit flipped, truncated at each byte, and with every
// name twice.
func TestFinder(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.tfrecord")
	if err != nil || len(files) < 3 {
		t.Fatalf("sample files: %v, %v", files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, walked := 0, 0
		for rec, err := range tfrecord.NewReader(bytes.NewReader(b), nil).All() {
			if err != nil {
				t.Fatal(err)
			}
			for _, typ := range []example.MessageType{example.TypeExample, example.TypeSequence} {
				features, names := known(t, true, false, rec)
				lists, listNames := known(t, false, true, rec)
				f := NewFinder(features, lists)
				check := func(msg []byte) {
					if checkFinder(t, f, typ, names, listNames, msg) {
						walked++
					}
				}
				for range 4 { // the walk learns names in each round
					check(rec)
				}
				check(nil)
				if n > 0 {
					continue
				}
				for _, flipped := range testkit.Flips(rec) {
					check(flipped)
				}
				for _, cut := range testkit.Cuts(rec) {
					check(append(cut[:len(cut):len(cut)], rec...))
					check(cut)
				}
			}
			n++
		}
		if walked < n {
			t.Errorf("%s: walks read %d messages, of %d records", name, walked, n)
		}
	}
}

// TestFinderNames has more names than a walk learns, new names in each message, and two names of one slot.
func TestFinderNames(t *testing.T) {
	k := NewKnownNames([]string{"a", "b"}, map[string]int{"a": 0, "b": 1, "other a": 0})
	f := NewFinder(k, k)
	walked := 0
	for i := range 5 {
		e := example.Example{"b": example.Int64s(int64(i))}
		for n := range 2_500 {
			e[strconv.Itoa(2_500*i+n)] = example.Int64s(1)
		}
		msg, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if checkFinder(t, f, example.TypeExample, []string{"a", "b"}, nil, msg) {
			walked++
		}
	}
	if walked != 3 || len(f.Features.values) != 2 {
		t.Errorf("%d messages were walked, and there are %d slots", walked, len(f.Features.values))
	}
	if n := NewFinder(k, k).Features.names.Len(); n != 2+maxOther {
		t.Errorf("another Finder begins with %d names, want %d", n, 2+maxOther)
	}
	msg, err := example.Example{"other a": example.Int64s(7)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Scan(example.TypeExample, msg, nil); err != nil {
		t.Fatal(err)
	}
	v, ok := f.Features.Value(0)
	if x, err := v.AppendInt64s(nil); !ok || err != nil || len(x) != 1 || x[0] != 7 {
		t.Errorf("the other name of a slot has %v, %v, %v", x, ok, err)
	}
}

// lookUpList finds a feature list like [example.MessageType.Lookup] finds a feature.
func lookUpList(msg []byte, name string) (found example.FeatureList, ok bool, err error) {
	s := example.ScanFeatureLists(msg)
	for s.Next() {
		if string(s.Name()) != name {
			continue
		}
		if ok {
			if _, err := s.List().Replace(found); err != nil {
				return example.FeatureList{}, false, located(err, "feature_lists", s.Name())
			}
		}
		found, ok = s.List(), true
	}
	if err := s.Err(); err != nil {
		return example.FeatureList{}, false, err
	}
	return found, ok, nil
}
