package datasets

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// TestSame compares the first records of every set with fixed checksums: figures of different days can be compared
// only if the bytes are the same.
func TestSame(t *testing.T) {
	want := map[string]string{
		"ads":          "c1102c0ed226298d",
		"ads-shuffled": "9eddca3a67ae725e",
		"text":         "e13c178bbfa2600d",
		"wide":         "fd37448582b6c313",
		"image":        "8a83df8e530ac05f",
		"sequence":     "3ef8054da43b38d0",
	}
	for _, s := range All() {
		records := s.Slice(20)
		if got := fmt.Sprintf("%x", sha256.Sum256(bytes.Join(records, nil)))[:16]; got != want[s.Name] {
			t.Errorf("%s: the records have the sum %s, not %s", s.Name, got, want[s.Name])
		}
		// A record does not depend on those before it.
		if got := s.NewMaker().AppendRecord([]byte("x"), 13); string(got) != "x"+string(records[13]) {
			t.Errorf("%s: record 13 differs when it is made alone", s.Name)
		}
	}
}

// TestSizes compares the sizes of records with the description of the sets.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high int // mean size of a record
	}{
		{"ads", 1500, 1750},
		{"ads-shuffled", 1500, 1750},
		{"text", 400, 700},
		{"wide", 4096, 4150},
		{"image", 49_000, 53_000},
		{"sequence", 8_000, 15_000},
	} {
		s, _, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		records := s.Slice(300)
		if mean := int(Size(records)) / len(records); mean < c.low || mean > c.high {
			t.Errorf("%s: records of %d bytes, want %d to %d", c.name, mean, c.low, c.high)
		}
	}
	if s, _, _ := Find("text"); s.Scaled(0.1) != 5000 || s.Scaled(0) != 1 {
		t.Error("a scale of 0.1 or 0 is not understood")
	}
	if _, _, err := Find("video"); err == nil {
		t.Error("Find returned a set that does not exist")
	}
}

// TestCanonical proves that the messages are what protobuf-go writes: they have no unusual form that would speed up
// or slow down a reader.
func TestCanonical(t *testing.T) {
	for _, s := range All() {
		for i, r := range s.Slice(10) {
			var m proto.Message = &examplepb.Example{}
			if s.Views[0].Spec.Message() == example.TypeSequence {
				m = &examplepb.SequenceExample{}
			}
			if err := proto.Unmarshal(r, m); err != nil {
				t.Fatalf("%s: record %d: %v", s.Name, i, err)
			}
			b, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) != len(r) {
				t.Errorf("%s: record %d has %d bytes, protobuf-go writes %d", s.Name, i, len(r), len(b))
			}
		}
	}
}

// TestAds compares the values of the ads with their description.
func TestAds(t *testing.T) {
	s, _, _ := Find("ads")
	shuffled, _, _ := Find("ads-shuffled")
	negative, counts, orders := 0, map[example.Kind]int{}, map[string]bool{}
	const n = 500
	for i, r := range s.Slice(n) {
		var e example.Example
		if err := e.UnmarshalBinary(r); err != nil {
			t.Fatal(err)
		}
		if len(e) != 40 {
			t.Fatalf("record %d has %d features", i, len(e))
		}
		for name, v := range e {
			if i == 0 {
				counts[v.Kind()]++
			}
			bits := func(lo, hi int) {
				for _, x := range v.Int64s {
					if x < 1<<lo || x >= 1<<hi {
						t.Errorf("record %d: %s has %d, want %d to %d bits", i, name, x, lo+1, hi)
					}
				}
			}
			switch name {
			case "list_3byte":
				bits(14, 21)
			case "list_5byte":
				bits(28, 35)
			case "list_6byte":
				bits(35, 42)
			case "list_1byte":
				if slices.ContainsFunc(v.Int64s, func(x int64) bool { return x < 0 || x > 127 }) || len(v.Int64s) > 100 {
					t.Errorf("record %d: %s: %v", i, name, v.Int64s)
				}
			case "d_00":
				if v.Int64s[0] < 0 {
					negative++
				}
			}
		}
	}
	if negative < n/20 || negative > n/6 {
		t.Errorf("%d of %d are negative, want a tenth", negative, n)
	}
	if counts[example.FloatList] != 13 || counts[example.Int64List] != 25 || counts[example.BytesList] != 2 {
		t.Errorf("kinds: %v", counts)
	}
	for _, r := range shuffled.Slice(20) {
		sc, names := example.TypeExample.Scan(r), ""
		for sc.Next() {
			names += string(sc.Name()) + " "
		}
		orders[names] = true
	}
	if len(orders) != 20 {
		t.Errorf("20 shuffled records have %d orders", len(orders))
	}
}
