package stats_test

import (
	"errors"
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

// Slices that are listed have all their records, however many were left out of the parts.
func TestLeftOutSlices(t *testing.T) {
	numbersOfParts, memories := []int{1, 4}, []int64{1 << 20}
	if testkit.Long(t, "more parts, and more memory") {
		numbersOfParts, memories = []int{1, 2, 5}, []int64{1 << 20, 3 << 19}
	}
	for _, parts := range numbersOfParts {
		for _, memory := range memories {
			o := &stats.Options{Memory: memory, Slices: []stats.Slice{{"slice": nil}}}
			sum, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			truth, left := map[string]uint64{}, 0
			rnd := rand.New(rand.NewPCG(8, uint64(parts)))
			for range parts {
				part := sum.Fresh()
				for range 4000 {
					slice := int(rnd.ExpFloat64() * 200)
					var v []int64
					for range 30 {
						v = append(v, rnd.Int64())
					}
					err := part.Add(record(example.Example{"slice": example.Int64s(int64(slice)), "x": example.Int64s(v...), "s": example.Strings(fmt.Sprint(v[0]))}))
					if err != nil && !errors.Is(err, stats.ErrMemory) {
						t.Fatal(err)
					}
					if err == nil {
						truth[fmt.Sprint("slice_", slice)]++
					}
				}
				if err := sum.Merge(part); err != nil {
					t.Fatal(err)
				}
				left += int(sum.LeftOut())
			}
			if left == 0 {
				t.Fatal("there was room for all slices: the test proves nothing")
			}
			list, details, err := sum.Detailed(1)
			if err != nil {
				t.Fatal(err)
			}
			outside := sum.Examples() // each record is in one slice
			for _, d := range list.Datasets[1:] {
				outside -= d.NumExamples
			}
			if n, each := sum.OutsideSlices(); n != outside || !each || details.OutsideSlices != outside {
				t.Errorf("%d parts in %d bytes: %d records are in slices that are left out, wanted %d", parts, memory, n, outside)
			}
			for _, d := range list.Datasets[1:] {
				if d.NumExamples != truth[d.Name] {
					t.Errorf("%d parts in %d bytes: %q has %d records, wanted %d", parts, memory, d.Name, d.NumExamples, truth[d.Name])
				}
			}
			if len(list.Datasets[0].Features) != 3 || list.Datasets[0].NumExamples != sum.Examples() {
				t.Errorf("of all records there are %d features", len(list.Datasets[0].Features))
			}
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

// TestMaxSlices slices by a feature with more values than there may be slices: frequent ones have
// all of their records, and every record counts in the statistics of all, however it is merged.
func TestMaxSlices(t *testing.T) {
	const records = 2000
	for _, portion := range []int{100, records} {
		all, err := stats.New(&stats.Options{Slices: []stats.Slice{{"id": nil}}, MaxSlices: 80})
		if err != nil {
			t.Fatal(err)
		}
		part := all.Fresh()
		for i := range records {
			id := int64(i % 2) // every other record has one of two IDs, the others an ID of their own
			if i%4 > 1 {
				id = int64(i)
			}
			msg, err := example.Example{"id": example.Int64s(id)}.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := part.Add(msg); err != nil {
				t.Fatal(err)
			}
			if (i+1)%portion == 0 {
				if err := all.Merge(part); err != nil {
					t.Fatal(err)
				}
				part = all.Fresh()
			}
		}
		list, err := all.Statistics()
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]uint64{}
		for _, d := range list.GetDatasets() {
			count[d.GetName()] = d.GetNumExamples()
		}
		if count["All Examples"] != records || count["id_0"] != records/4 || count["id_1"] != records/4 || len(count) > 81 || !all.LostSlices() || all.Bad() != 0 {
			t.Errorf("portions of %d: %d slices, %d records in all, %d and %d in the frequent ones, %d refused", portion, len(count)-1, count["All Examples"], count["id_0"], count["id_1"], all.Bad())
		}
	}
}
