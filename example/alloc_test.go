package example_test

import (
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// Allocation budgets. Values that point into the message need no allocation.
func TestAllocs(t *testing.T) {
	msg := marshal(t, forty())
	seqmsg := marshal(t, example.Sequence{Context: forty(), Lists: map[string][]example.Value{"l": {example.Int64s(1), example.Int64s(2, 300)}, "m": {{}, example.Strings("x")}}})
	list := marshal(t, example.ExampleList{Examples: []example.Example{forty(), forty()}, Context: forty(), HasContext: true})
	many, _, err := example.TypeExample.Lookup(marshal(t, example.Example{"v": example.Bytes(make([][]byte, 10_000)...)}), "v")
	if err != nil {
		t.Fatal(err)
	}
	var d sink
	var b example.Builder
	entries := make([]example.Entry, 0, 64)
	dst := make([]byte, 0, 2*len(msg))
	strings := []string{"one", "two"}
	budgets := map[string]struct {
		max float64
		f   func() error
	}{
		"scan and decode": {0, func() error { return d.decodeAll(msg) }},
		"scan a context": {0, func() error {
			s := example.TypeSequence.Scan(seqmsg)
			for s.Next() {
				if _, err := s.Feature().Len(); err != nil {
					return err
				}
			}
			return s.Err()
		}},
		"scan lists": {0, func() error {
			s := example.ScanFeatureLists(seqmsg)
			for s.Next() {
				steps := s.List().Scan()
				for steps.Next() {
					if err := steps.Feature().Validate(); err != nil {
						return err
					}
				}
				if err := steps.Err(); err != nil {
					return err
				}
			}
			return s.Err()
		}},
		"scan examples": {0, func() error {
			s := example.ScanExamples(list)
			for s.Next() {
				if err := d.decodeAll(s.Example()); err != nil {
					return err
				}
			}
			return s.Err()
		}},
		"look up": {0, func() error {
			_, _, err := example.TypeExample.Lookup(msg, "feature_20")
			return err
		}},
		"many values, from nothing": {1, func() error {
			_, err := many.AppendBytes(nil)
			return err
		}},
		"collect": {0, func() (err error) {
			entries, err = example.TypeExample.Collect(entries[:0], msg)
			return err
		}},
		"validate":          {0, func() error { return example.TypeExample.Validate(msg) }},
		"validate sequence": {0, func() error { return example.TypeSequence.Validate(seqmsg) }},
		"validate list":     {0, func() error { return example.TypeExampleList.Validate(list) }},
		"build": {0, func() error {
			b.Reset()
			b.Add("z", example.Int64s(1, 2, 3))
			b.Add("y", example.Floats(1, 2))
			b.AddStrings("x", strings...)
			b.Add("w", example.Value{})
			_, err := b.AppendBinary(dst)
			return err
		}},
	}
	for name, c := range budgets {
		t.Run(name, func(t *testing.T) {
			if err := c.f(); err != nil { // the first call grows the reused memory
				t.Fatal(err)
			}
			n := testing.AllocsPerRun(20, func() {
				if err := c.f(); err != nil {
					t.Fatal(err)
				}
			})
			if n > c.max && !testkit.Race {
				t.Errorf("%v allocations, want at most %v", n, c.max)
			}
		})
	}
}

// Decoding a feature of n bytes never allocates memory for more values than it has.
func TestClaimsAreNotTrusted(t *testing.T) {
	for name, feature := range map[string][]byte{
		"int64 list that claims 2^31 bytes":   {0x1a, 0x06, 0x0a, 0x80, 0x80, 0x80, 0x80, 0x08},
		"float list that claims 2^31-4 bytes": {0x12, 0x06, 0x0a, 0xfc, 0xff, 0xff, 0xff, 0x07},
		"bytes value that claims 2^31 bytes":  {0x0a, 0x06, 0x0a, 0x80, 0x80, 0x80, 0x80, 0x08},
		"list that claims 2^64-1 bytes":       {0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	} {
		msg := messageOf(1, "a", feature)
		f, ok, err := example.TypeExample.Lookup(msg, "a")
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", name, ok, err)
		}
		ints, err1 := f.AppendInt64s(nil)
		floats, err2 := f.AppendFloats(nil)
		blobs, err3 := f.AppendBytes(nil)
		if err1 == nil || err2 == nil || err3 == nil || cap(ints)+cap(floats)+cap(blobs) > 0 {
			t.Errorf("%s: %v, %v, %v; %d, %d, %d", name, err1, err2, err3, cap(ints), cap(floats), cap(blobs))
		}
	}
}
