package inputs

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

func TestElsewhere(t *testing.T) {
	for arg, want := range map[string]string{
		"gs://b/x@2": "only files are read, and standard input: gcloud storage cat gs://b/x@2 | tfparse COMMAND",
		"s3://b/*":   "only files are read, and standard input: aws s3 cp s3://b/* - | tfparse COMMAND",
		"az://b/x":   "only files are read, and standard input: copy it here, or pipe it into tfparse COMMAND",
		"file:///x":  "name the path alone, without file://",
		"c:/x":       "",
		"x":          "",
	} {
		if got := Elsewhere(arg); got != want {
			t.Errorf("Elsewhere(%s) = %q; want %q", arg, got, want)
		}
	}
}

func TestElsewhereOutput(t *testing.T) {
	for arg, want := range map[string][2]string{
		"gs://b/x":  {"only files are written, and standard output: tfparse COMMAND -o - | gcloud storage cp - gs://b/x", "only files are read: copy it here"},
		"az://b/x":  {"only files are written, and standard output: write a file, and copy it there", "only files are read: copy it here"},
		"file:///x": {"name the path alone, without file://", "name the path alone, without file://"},
		"c:/x":      {"", ""},
	} {
		if got := [2]string{ElsewhereOutput(arg), ElsewhereFile(arg)}; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
