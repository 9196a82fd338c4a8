package message

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

var types = []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList}

// text returns the content of a table as text, with entries sorted by name and encoded values.
func text(t *Table) string {
	var s []string
	for _, m := range t.Maps {
		var entries []string
		for _, e := range t.Entries[m.Lo:m.Hi] {
			entries = append(entries, fmt.Sprintf("%q: %x", t.Name(m.Part, e.ID), t.Bytes[e.Lo:e.Hi]))
		}
		slices.Sort(entries)
		s = append(s, fmt.Sprint(m.Part, entries))
	}
	return fmt.Sprint(s, t.HasContext)
}

// owned returns the same text, made with the owned messages of package example.
func owned(typ example.MessageType, msg []byte) (string, error) {
	features := func(p Part, e example.Example) string {
		var entries []string
		for name, v := range e {
			entries = append(entries, fmt.Sprintf("%q: %x", name, encoded(v)))
		}
		slices.Sort(entries)
		return fmt.Sprint(p, entries)
	}
	switch typ {
	case example.TypeExample:
		var e example.Example
		err := e.UnmarshalBinary(msg)
		return fmt.Sprint([]string{features(Features, e)}, false), err
	case example.TypeSequence:
		var s example.Sequence
		err := s.UnmarshalBinary(msg)
		var lists []string
		for name, steps := range s.Lists {
			var list []byte
			for _, v := range steps {
				f := encoded(v)
				list = append(append(append(list, 0x0a), varint(len(f))...), f...)
			}
			lists = append(lists, fmt.Sprintf("%q: %x", name, list))
		}
		slices.Sort(lists)
		return fmt.Sprint([]string{features(Context, s.Context), fmt.Sprint(Lists, lists)}, false), err
	}
	var l example.ExampleList
	err := l.UnmarshalBinary(msg)
	var s []string
	for _, e := range l.Examples {
		s = append(s, features(Examples, e))
	}
	return fmt.Sprint(append(s, features(Context, l.Context)), l.HasContext), err
}

func varint(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// encoded returns an encoded Feature with a value: the value of the only entry of an Example.
func encoded(v example.Value) []byte {
	msg, err := example.Example{"": v}.MarshalBinary()
	if err != nil {
		panic(err)
	}
	f, _, err := example.TypeExample.Lookup(msg, "")
	if err != nil {
		panic(err)
	}
	return f.Raw()
}

// check reads a message in its own encoding and in the shortest one, and compares both with the owned message.
func check(t *testing.T, table *Table, typ example.MessageType, msg []byte) {
	t.Helper()
	want, wantErr := owned(typ, msg)
	got := ""
	err := table.Read(msg, func(x *Table) bool {
		for _, m := range x.Maps {
			for _, e := range x.Entries[m.Lo:m.Hi] {
				ok := false
				if m.Part == Lists {
					ok = canonical.ShortestSteps(x.Bytes[:e.Hi], e.Lo)
				} else {
					_, ok = canonical.Measure(x.Bytes[:e.Hi], e.Lo)
				}
				if !ok {
					return false
				}
			}
		}
		got = text(x)
		return true
	})
	if fmt.Sprint(err) != fmt.Sprint(typ.Validate(msg)) || (err == nil) != (wantErr == nil) {
		t.Fatalf("%v % x: %v, want %v", typ, msg, err, wantErr)
	}
	if err != nil {
		return
	}
	if got != want {
		t.Fatalf("%v % x:\n%s\nwant\n%s", typ, msg, got, want)
	}
	scanned := ""
	err = table.Read(msg, func(x *Table) bool {
		scanned = text(x)
		return len(msg) == 0 || &x.Bytes[0] != &msg[0]
	})
	if err != nil || scanned != want {
		t.Fatalf("%v % x: scanned:\n%s, %v\nwant\n%s", typ, msg, scanned, err, want)
	}
	if !bytes.Equal(table.Bytes[:len(msg)], msg) {
		t.Fatalf("%v % x: the table does not begin with the message", typ, msg)
	}
}

// TestOwned compares tables with owned messages, for records of the samples with each bit flipped and truncated at
// each byte. The tables share names.
func TestOwned(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.tfrecord")
	if err != nil || len(files) < 3 {
		t.Fatalf("sample files: %v, %v", files, err)
	}
	var shared Shared
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rec, err := range tfrecord.NewReader(bytes.NewReader(b), nil).All() {
			if err != nil {
				t.Fatal(err)
			}
			for _, typ := range types {
				table := NewTable(typ, &shared)
				for range 4 { // the table learns names in each round
					check(t, table, typ, rec)
				}
				if n > 0 {
					continue
				}
				for _, flipped := range testkit.Flips(rec) {
					check(t, table, typ, flipped)
				}
				for _, cut := range testkit.Cuts(rec) {
					check(t, table, typ, cut)
				}
			}
			n++
		}
	}
}

// TestManyNames has 48,000 names in each message, and new names in each message. Up to the limits each name has one
// ID; beyond them names are still found.
func TestManyNames(t *testing.T) {
	for _, c := range []struct {
		what              string
		names, size       int // in each message; bytes of a name
		messages, learned int
		fresh             bool
	}{
		{"the same", 48_000, 9, 2, 48_000, false},
		{"new in each", 20_000, 9, 5, canonical.MaxNames, true},
		{"more than the limit", canonical.MaxNames + 10, 9, 2, canonical.MaxNames, false},
		{"long", 10, 1 << 20, 3, 4, true},
	} {
		var shared Shared
		table := NewTable(example.TypeExample, &shared)
		ids := map[string]int32{}
		for i := range c.messages {
			e := example.Example{}
			for k := range c.names {
				if c.fresh {
					k += i * c.names
				}
				name := strconv.Itoa(k)
				e[strings.Repeat("0", c.size-len(name))+name] = example.Int64s(int64(k))
			}
			msg, err := e.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if i == c.messages-1 { // another table begins with the names that the first has learned
				table = NewTable(example.TypeExample, &shared)
				clear(ids)
			}
			got := map[string]bool{}
			err = table.Read(msg, func(x *Table) bool {
				for _, e := range x.Entries {
					name := x.Name(Features, e.ID)
					got[name] = true
					if id, ok := ids[name]; ok && id != e.ID && e.ID >= 0 {
						t.Fatalf("%s: %q has the IDs %d and %d", c.what, name, id, e.ID)
					}
					if e.ID >= 0 {
						ids[name] = e.ID
					}
				}
				return true
			})
			if err != nil || len(got) != c.names || !maps.EqualFunc(got, e, func(bool, example.Value) bool { return true }) {
				t.Fatalf("%s: %d names of %d, %v", c.what, len(got), c.names, err)
			}
		}
		if n := table.Names(Features); n > c.learned || !c.fresh && n != c.learned {
			t.Errorf("%s: %d names are learned, want %d", c.what, n, c.learned)
		}
	}
}
