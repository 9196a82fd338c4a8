package record

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
)

// TestSummaryMerge checks that the summaries of files, written, read and merged in order, equal the summary of all records. It
// compares the numbers with those of a loop over all findings.
func TestSummaryMerge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pairs := []*infer.Pair{
		nil, {Group: feature.InFeatures, Partition: feature.RowLengths("a\xff"), Of: "x", Block: 1, Chosen: true, Counter: &infer.Counter{}},
		{Group: feature.InSequence, Partition: feature.RowSplits("a"), Of: "x", Rows: feature.UniformRowLength(3), Block: 2, Against: 4},
	}
	const most = 3
	all := NewSummary(most)
	var parts [][]byte
	records, counts, values, kept := map[countKey]map[string]bool{}, map[countKey]uint64{}, map[countKey]uint64{}, map[countKey]int{}
	var keptWant []string
	for file := range 5 {
		part := NewSummary(most)
		for rec := range int64(40) {
			at := Place{File: fmt.Sprintf("file %d \xfe", file), Record: rec, Offset: 100 * rec}
			var found []Finding
			for range rnd.IntN(4) {
				f := Finding{Feature: fmt.Sprintf("f\xff%d", rnd.IntN(6)), Rule: fmt.Sprintf("RULE_%d", rnd.IntN(2)), Example: -1, Step: rnd.IntN(3) - 1, ValueIndex: rnd.IntN(3) - 1,
					Count: 1 + rnd.IntN(3), Offset: 5, Expected: "\xf0", Observed: "8", Warning: rnd.IntN(2) == 0, RowPath: []int64{1, 2}, Pair: pairs[rnd.IntN(3)]}
				if rnd.IntN(5) == 0 {
					f.Rule = MoreFindings
				}
				if rnd.IntN(5) == 0 {
					f.Err = errors.New("unsound")
				}
				found = append(found, f)
				key := countKey{f.Feature, f.Rule}
				n := uint64(1)
				if f.Rule == MoreFindings {
					n = uint64(f.Count)
				} else if f.ValueIndex >= 0 {
					values[key] += uint64(f.Count)
				}
				counts[key] += n
				if records[key] == nil {
					records[key] = map[string]bool{}
				}
				records[key][fmt.Sprint(at)] = true
				if kept[key]++; kept[key] <= most {
					keptWant = append(keptWant, fmt.Sprint(at)+f.String())
				}
			}
			all.Add(at, 7, found)
			part.Add(at, 7, found)
		}
		b, err := part.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, b)
	}
	merged := NewSummary(most)
	for _, b := range parts {
		part := &Summary{}
		if err := part.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		merged.Merge(part)
	}
	for _, s := range []*Summary{all, merged} {
		rows := s.Counts()
		if len(rows) != len(counts) {
			t.Errorf("%d rows, wanted %d", len(rows), len(counts))
		}
		for _, row := range rows {
			key := countKey{row.Feature, row.Rule}
			if row.Findings != counts[key] || row.Values != values[key] || row.Records != uint64(len(records[key])) || row.Kept != uint64(min(kept[key], most)) {
				t.Errorf("%+v, wanted %d findings, %d values, %d records, %d kept", row, counts[key], values[key], len(records[key]), min(kept[key], most))
			}
		}
		var keptGot []string
		for _, f := range s.Kept() {
			keptGot = append(keptGot, fmt.Sprint(f.Place)+f.String())
		}
		if !reflect.DeepEqual(keptGot, keptWant) {
			t.Errorf("kept\n%q\nwanted\n%q", keptGot, keptWant)
		}
	}
	one, err1 := all.MarshalBinary()
	two, err2 := merged.MarshalBinary()
	if err1 != nil || err2 != nil || string(one) != string(two) {
		t.Errorf("%v, %v; the merged summary differs:\n%s\n%s", err1, err2, one, two)
	}
	if n := len(merged.Pairs()); n != 2 || merged.Pairs()[0].Of != "x" {
		t.Errorf("%d pairs", n)
	}
	for i := range one {
		if i%37 == 0 {
			if err := new(Summary).UnmarshalBinary(one[:i]); !errors.Is(err, errNotSummary) {
				t.Fatalf("cut at %d: %v", i, err)
			}
		}
	}
}

// TestSummaryOther has more combinations than MaxPairs: no finding is lost.
func TestSummaryOther(t *testing.T) {
	first, second := NewSummary(1), NewSummary(1)
	for i := range MaxPairs {
		first.Add(Place{Record: int64(i)}, 1, []Finding{{Feature: fmt.Sprint("a", i), Rule: "NEW", Count: 1, ValueIndex: -1}})
		second.Add(Place{Record: int64(i)}, 1, []Finding{{Feature: fmt.Sprint("b", i), Rule: []string{"NEW", "OLD"}[i%2], Count: 2, Warning: i%4 == 0}, {Feature: "a0", Rule: "NEW"}})
	}
	first.Merge(second)
	other, rules := first.Other()
	if len(first.Counts()) != MaxPairs || other.Findings != MaxPairs || other.Records != MaxPairs || other.Values != 2*MaxPairs || len(rules) != 2 || rules[0].Findings != MaxPairs/2 || rules[0].Warnings != MaxPairs/4 {
		t.Errorf("%d rows; other %+v; rules %+v", len(first.Counts()), other, rules)
	}
	if n := first.Counts()[0].Findings; n != MaxPairs+1 {
		t.Errorf("a0 has %d findings", n)
	}
	if got := first.All(); got.Findings != 3*MaxPairs {
		t.Errorf("%+v in all", got)
	}
}
