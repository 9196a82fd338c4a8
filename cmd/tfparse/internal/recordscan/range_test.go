package recordscan

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
		"b#-1":        {"b#-1", nil},
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
