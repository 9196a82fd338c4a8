package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/stats"
)

// What is left out of one part is left out of the sum, and nothing else: what is listed has all records.
func TestLeftOutFeatures(t *testing.T) {
	sum, err := stats.New(&stats.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for part := range 2 {
		file := sum.Fresh()
		for c := range 6 {
			chunk := sum.Fresh()
			for i := range 60 {
				e := example.Example{"id": example.Int64s(int64(records)), fmt.Sprintf("f%d_%d_%d", part, c, i): example.Int64s(1)}
				if c == 0 {
					e["first"] = example.Int64s(1)
				}
				if err := chunk.Add(record(e)); err != nil {
					t.Fatal(err)
				}
				records++
			}
			if err := file.Merge(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if file.LeftOut() == 0 {
			t.Fatal("there was room for all features: the test proves nothing")
		}
		if err := sum.Merge(file); err != nil {
			t.Fatal(err)
		}
		list, err := sum.Statistics()
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]uint64{}
		for _, f := range list.Datasets[0].Features {
			names[f.GetPath().Step[0]] = f.GetNumStats().GetCommonStats().GetNumNonMissing()
		}
		if part == 0 && len(names) < 50 {
			t.Errorf("%d features are left", len(names))
		}
		if names["id"] != uint64(records) || names["first"] != uint64(60*(part+1)) {
			t.Errorf("part %d: of %d records id is in %d, and first in %d", part, records, names["id"], names["first"])
		}
		for name, n := range names {
			if part == 1 && name != "id" && name != "first" {
				t.Errorf("%q is in %d records, and may have been left out of one part", name, n)
			}
		}
		b, err := sum.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		again := &stats.Accumulator{}
		if err := again.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if c, err := again.MarshalBinary(); err != nil || string(c) != string(b) {
			t.Errorf("read back it is another: %v", err)
		}
	}
}

// A part that Fresh makes is as any other, also where memory is short.
func TestFresh(t *testing.T) {
	size, memory := 100<<10, int64(1<<20)
	if testkit.Long(t, "parts of 300 KB") {
		size, memory = 300<<10, 2<<20
	}
	for name, next := range hostile {
		o := wanted(name, memory)
		sum := func(fresh func(*stats.Accumulator) *stats.Accumulator) string {
			rnd := rand.New(rand.NewPCG(3, 3))
			all, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			var waiting []*stats.Accumulator
			n := 0
			for range 6 {
				part := fresh(all)
				for wire := 0; wire < size; n++ {
					rec := record(next(rnd, n))
					wire += len(rec)
					_ = part.Add(rec) // what is refused is refused each time
				}
				waiting = append(waiting, part)
				if len(waiting) == 2 {
					if err := all.Merge(waiting[0]); err != nil {
						t.Fatal(err)
					}
					waiting = waiting[1:]
				}
			}
			b, err := all.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		other := func(*stats.Accumulator) *stats.Accumulator {
			a, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		if sum((*stats.Accumulator).Fresh) != sum(other) {
			t.Errorf("%s: another sum", name)
		}
	}
}
