package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes empty files in a new directory and moves into it.
func tree(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T, in []Input) string {
	t.Helper()
	var s []string
	for _, i := range in {
		n := filepath.ToSlash(i.Name)
		if i.Err != nil {
			n += "!" + i.Err.Error()
		}
		s = append(s, n)
	}
	return strings.Join(s, " ")
}

func TestExpand(t *testing.T) {
	tree(t, "b", "a", "d/2", "d/1", "d/_SUCCESS", "d/.1.crc", "d/deep/3", "empty/_SUCCESS", ".hidden",
		"x-00010-of-00011", "x-00002-of-00011", "t-100000-of-200000", "t-99999-of-200000", "t-5",
		"lit@2", "lit[a]", "lita", "u-10-of-11", "u-9-of-11")
	for _, c := range []struct{ proves, args, want string }{
		{"files keep the order given, repeats included", "b a b", "b a b"},
		{"a directory is its plain files, sorted", "d", "d/1 d/2"},
		{"a trailing slash does not matter", "d/", "d/1 d/2"},
		{"a directory of marks alone has no files", "empty a", "empty!no such files in the directory a"},
		{"a glob is sorted and does not match hidden names", "[a-b] [ab]*", "a b a b"},
		{"a glob of hidden names is written so", ".h*", ".hidden"},
		{"wildcards do not match hidden names in directories", "d/*", "d/1 d/2 d/_SUCCESS d/deep/3"},
		{"a glob of directories expands them", "d*", "d/1 d/2"},
		{"a glob without a match is a fault in its place", "a no* b", "a no*!no such files b"},
		{"a missing file is left to the reader", "a none b", "a none b"},
		{"shards sort by number", "x-*", "x-00002-of-00011 x-00010-of-00011"},
		{"shards beyond five digits sort by number", "t-*", "t-99999-of-200000 t-100000-of-200000 t-5"},
		{"shards that are not padded sort by number", "u-*", "u-9-of-11 u-10-of-11"},
		{"a shard pattern names all, there or not", "s@2 d/s@1.gz", "s-00000-of-00002 s-00001-of-00002 d/s-00000-of-00001.gz"},
		{"a file named like a shard pattern wins", "lit@2", "lit@2"},
		{"a file named like a glob wins", "lit[a]", "lit[a]"},
		{"standard input", "a - b", "a - b"},
		{"an @ without a number is a name", "who@home", "who@home"},
	} {
		got, err := Expand(strings.Fields(c.args))
		if err != nil {
			t.Errorf("%s: Expand(%s): %v", c.proves, c.args, err)
		} else if g := names(t, got); g != c.want {
			t.Errorf("%s: Expand(%s)\n got %s\nwant %s", c.proves, c.args, g, c.want)
		}
	}
}

func TestExpandMistakes(t *testing.T) {
	tree(t)
	for args, want := range map[string]string{
		"- -":           "standard input (-) is named twice",
		"a [":           "[: malformed pattern",
		"x@0":           "x@0: a set of 0 shards",
		"x@1000001":     "x@1000001: a set of more than 1000000 shards",
		"x@99999999999": "x@99999999999: a set of more than 1000000 shards",

		"d/**/x":     "d/**/x: ** is not supported, it would be one directory: name the files another way, as with $(find DIR -name '*.tfrecord')",
		"gs://b/x@2": "gs://b/x@2: only files are read, and standard input: gcloud storage cat gs://b/x@2 | tfparse COMMAND",
		"s3://b/*":   "s3://b/*: only files are read, and standard input: aws s3 cp s3://b/* - | tfparse COMMAND",
		"az://b/x":   "az://b/x: only files are read, and standard input: copy it here, or pipe it into tfparse COMMAND",
		"file:///x":  "file:///x: name the path alone, without file://",
	} {
		if in, err := Expand(strings.Fields(args)); err == nil || err.Error() != want {
			t.Errorf("Expand(%s) = %s, %v; want error %s", args, names(t, in), err, want)
		}
	}
	if _, err := Expand([]string{""}); err == nil {
		t.Error("an empty name passed")
	}
}

// Records are named behind a "#", unless that is the name of a file.
func TestSplitRange(t *testing.T) {
	tree(t, "a#5", "b")
	const all = 1<<63 - 1
	for arg, want := range map[string]struct {
		file string
		r    *Range
	}{
		"b#5":         {"b", &Range{5, 6}},
		"b#5:9":       {"b", &Range{5, 9}},
		"b#5:":        {"b", &Range{5, all}},
		"b#:9":        {"b", &Range{0, 9}},
		"b#:":         {"b", &Range{0, all}},
		"-#0":         {"-", &Range{0, 1}},
		"none@3.gz#2": {"none@3.gz", &Range{2, 3}},
		"a#5#1:":      {"a#5", &Range{1, all}},
		"b#9:5":       {"b", &Range{9, 5}},
		"a#5":         {"a#5", nil},
		"b":           {"b", nil},
		"b#":          {"b#", nil},
		"b#x":         {"b#x", nil},
		"b#-1":        {"b#-1", nil},
		"c#1/*.gz":    {"c#1/*.gz", nil},
		"#1":          {"#1", nil},

		"b#99999999999999999999":   {"b", &Range{all, all}},
		"b#9223372036854775807":    {"b", &Range{all, all}},
		"b#1:99999999999999999999": {"b", &Range{1, all}},
	} {
		file, r := SplitRange(arg)
		if file != want.file || (r == nil) != (want.r == nil) || r != nil && *r != *want.r {
			t.Errorf("SplitRange(%s) = %s, %v; want %s, %v", arg, file, r, want.file, want.r)
		}
	}
}

// Both habits of padding above 99,999 shards are read.
func TestWideSets(t *testing.T) {
	tree(t, "narrow-00000-of-100000")
	for pattern, want := range map[string]string{
		"narrow@100000": "narrow-00007-of-100000",
		"wide@100000":   "wide-000007-of-100000",
	} {
		in, err := Expand([]string{pattern})
		if err != nil || len(in) != 100000 || in[7].Name != want {
			t.Errorf("Expand(%s): %d names, eighth %s, %v; want %s", pattern, len(in), in[7].Name, err, want)
		}
	}
}

func TestParseShard(t *testing.T) {
	dir := "some" + string(filepath.Separator)
	for name, want := range map[string]Shard{
		"train-00003-of-00012":            {Base: "train", Index: 3, Count: 12, Digits: 5},
		dir + "t.x-00000-of-00001.gz":     {Dir: dir, Base: "t.x", Suffix: ".gz", Count: 1, Digits: 5},
		"x-000001-of-100000":              {Base: "x", Index: 1, Count: 100000, Digits: 6},
		"a-00000-of-00002-00001-of-00003": {Base: "a-00000-of-00002", Index: 1, Count: 3, Digits: 5},
		"past-00009-of-00003":             {Base: "past", Index: 9, Count: 3, Digits: 5},
		"x-1-of-3":                        {Base: "x", Index: 1, Count: 3, Digits: 1},
		"x-010-of-012.tfrecord":           {Base: "x", Suffix: ".tfrecord", Index: 10, Count: 12, Digits: 3},
		"x-00001-of-0003":                 {Base: "x", Index: 1, Count: 3, Digits: 4},
	} {
		if got, ok := ParseShard(name); !ok || got != want {
			t.Errorf("ParseShard(%s) = %+v, %v; want %+v", name, got, ok, want)
		}
	}
	for _, name := range []string{"train", "x-1-of-", "x--of-3", "x-1of-3", "x-00000-of-00000", "x-00001-of-0000", "x-00001-of-99999999999999999999", "x-00001-of-00002" + string(filepath.Separator)} {
		if got, ok := ParseShard(name); ok {
			t.Errorf("ParseShard(%s) = %+v; want none", name, got)
		}
	}
}

func TestCheckSets(t *testing.T) {
	tree(t, "a-00000-of-00003", "a-00001-of-00003", "a-00002-of-00003",
		"b-00000-of-00009", "b-00004-of-00009", "b-00008-of-00009.gz", "dir/c-00001-of-00002", "e-00000-of-00002", "e-00001-of-00002", "e-00000-of-00001", "f-00003-of-00003",
		"i-0-of-11", "i-10-of-11", "j-1-of-2", "j-2-of-2", "k-01-of-03", "k-1-of-3", "k-00000-of-00003", "k-00001-of-00003", "k-00002-of-00003")
	c := filepath.Join("dir", "c-00001-of-00002")
	for _, c := range []struct {
		proves string
		given  []string
		want   []string
	}{
		{"one shard whose siblings lie beside it", []string{"a-00001-of-00003"}, nil},
		{"names that are no shards", []string{"a", "-"}, nil},
		{"gaps are named", []string{"b-00000-of-00009"}, []string{"b@9: of 9 shards, these are missing: 1 to 3, 5 to 8"}},
		{"another suffix is another set", []string{"b-00008-of-00009.gz"}, []string{"b@9.gz: of 9 shards, these are missing: 0 to 7"}},
		{"a directory", []string{c}, []string{filepath.Join("dir", "c@2") + ": of 2 shards, these are missing: 0"}},
		{"leftovers of another run", []string{"e-00000-of-00001", "e-00000-of-00002", "e-00001-of-00002"}, []string{"e@2: a set of 1 of the same name is given too"}},
		{"given, though not on disk", []string{"g-00000-of-00002", "g-00001-of-00002"}, nil},
		{"an index outside the set", []string{"f-00003-of-00003"}, []string{"f@3: shard 3 is outside a set of 3", "f@3: of 3 shards, these are missing: 0 to 2"}},
		{"numbers that are not padded", []string{"i-0-of-11"}, []string{"i-*-of-11: of 11 shards, these are missing: 1 to 9"}},
		{"one shard, not padded, of which none is beside it", []string{"other-1-of-3"}, []string{"other-*-of-3: of 3 shards, these are missing: 0, 2"}},
		{"all, counted from 1", []string{"j-1-of-2"}, nil},
		{"another padding is another set", []string{"k-00000-of-00003", "k-01-of-03", "k-1-of-3"}, []string{"k-*-of-03: of 3 shards, these are missing: 0, 2", "k-*-of-3: of 3 shards, these are missing: 0, 2"}},
		{"a hostile count costs nothing", []string{"h-00001-of-2000000000"}, []string{"h@2000000000: of 2000000000 shards, these are missing: 0, 2 to 1999999999"}},
	} {
		var got []string
		for _, f := range CheckSets(c.given) {
			got = append(got, f.Set+": "+f.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.proves, got, c.want)
		}
	}
}
