package scan

import (
	"os"
	"testing"
)

// Records are named behind a "#", unless that is the name of a file.
func TestSplitRange(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a#5", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	const all = 1<<63 - 1
	for arg, want := range map[string]struct {
		file string
		r    *Range
	}{
		"b#5":         {"b", &Range{5, 6, true}},
		"b#5:9":       {"b", &Range{5, 9, true}},
		"b#5:":        {"b", &Range{5, all, true}},
		"b#:9":        {"b", &Range{0, 9, false}},
		"b#:":         {"b", &Range{0, all, false}},
		"-#0":         {"-", &Range{0, 1, true}},
		"none@3.gz#2": {"none@3.gz", &Range{2, 3, true}},
		"a#5#1:":      {"a#5", &Range{1, all, true}},
		"b#9:5":       {"b", &Range{9, 5, true}},
		"a#5":         {"a#5", nil},
		"b":           {"b", nil},
		"b#":          {"b#", nil},
		"b#x":         {"b#x", nil},
		"b#-1":        {"b", &Range{-1, all, true}},
		"b#-3":        {"b", &Range{-3, -2, true}},
		"b#-3:":       {"b", &Range{-3, all, true}},
		"b#-3:-1":     {"b", &Range{-3, -1, true}},
		"b#:-5":       {"b", &Range{0, -5, false}},
		"b#2:-0":      {"b", &Range{2, all, true}},
		"b#-":         {"b#-", nil},
		"b#--1":       {"b#--1", nil},
		"c#1/*.gz":    {"c#1/*.gz", nil},
		"#1":          {"#1", nil},

		"b#99999999999999999999":   {"b", &Range{all, all, true}},
		"b#9223372036854775807":    {"b", &Range{all, all, true}},
		"b#1:99999999999999999999": {"b", &Range{1, all, true}},
	} {
		file, r := SplitRange(arg)
		if file != want.file || (r == nil) != (want.r == nil) || r != nil && *r != *want.r {
			t.Errorf("SplitRange(%s) = %s, %v; want %s, %v", arg, file, r, want.file, want.r)
		}
	}
}

// TestRangeOf: the records of a range in a file of ten.
func TestRangeOf(t *testing.T) {
	t.Chdir(t.TempDir())
	for arg, want := range map[string][2]int64{
		"b#0": {0, 1}, "b#9": {9, 10}, "b#-1": {9, 10}, "b#-10": {0, 1}, "b#-3:": {7, 10}, "b#-3:-1": {7, 9}, "b#:-5": {0, 5},
		"b#2:99": {2, 10}, "b#8:3": {8, 8}, "b#:-99": {0, 0}, "b#:": {0, 10},
		"b#10": {-1, -1}, "b#-11": {-1, -1}, "b#10:12": {-1, -1},
	} {
		_, r := SplitRange(arg)
		got, err := r.Of(10)
		if want[0] < 0 {
			if err == nil {
				t.Errorf("%s: %v, want an error", arg, got)
			}
		} else if err != nil || got.First != want[0] || got.End != want[1] {
			t.Errorf("%s: %v, error %v; want %v", arg, got, err, want)
		}
	}
}
