package filelist

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes empty files in a new directory, and changes to it.
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

// expand lists the files of the arguments.
func expand(args []string, opts *Options) (*List, error) {
	list, err := System(context.Background()).List(args, opts)
	if err != nil {
		list = &List{}
	}
	return list, err
}

// names returns the files of a list in one line, with the error of each.
func names(list *List) string {
	var s []string
	for _, i := range list.Files {
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
		"lit@2", "lit[a]", "lita", "u-10-of-11", "u-9-of-11",
		"s-00000-of-00002", "s-00001-of-00002", "d/s-00000-of-00001.gz", "m/_SUCCESS", "m/part-1", "m/features.json", "m/a.csv.gz", "j/a.json")
	for _, c := range []struct{ proves, args, want string }{
		{"files keep the order given, repeats included", "b a b", "b a b"},
		{"a directory is its plain files, sorted", "d", "d/1 d/2 d/s-00000-of-00001.gz"},
		{"a trailing slash does not matter", "d/", "d/1 d/2 d/s-00000-of-00001.gz"},
		{"a directory of marks alone has no files", "empty a", "empty!no such files in the directory a"},
		{"a glob is sorted and does not match hidden names", "[a-b] [ab]*", "a b a b"},
		{"a glob of hidden names is written so", ".h*", ".hidden"},
		{"wildcards do not match hidden names in directories", "d/*", "d/1 d/2 d/_SUCCESS d/deep/3 d/s-00000-of-00001.gz"},
		{"a glob of directories expands them", "d*", "d/1 d/2 d/s-00000-of-00001.gz"},
		{"a glob without a match is a fault in its place", "a no* b", "a no*!no such files b"},
		{"a missing file is left to the reader", "a none b", "a none b"},
		{"shards sort by number", "x-*-of-00011 a", "x-00002-of-00011 x-00010-of-00011" + gone("x-%05d-of-00011", 0, 1, 3, 4, 5, 6, 7, 8, 9) + " a"},
		{"shards beyond five digits sort by number", "t-99999* t-1* t-5", "t-99999-of-200000 t-100000-of-200000" + gone("t-%05d-of-200000", 0) + "…"},
		{"shards that are not padded sort by number", "u-*", "u-9-of-11 u-10-of-11" + gone("u-%d-of-11", 0, 1, 2, 3, 4, 5, 6, 7, 8)},
		{"a shard pattern names all, there or not", "s@2 d/s@1.gz", "s-00000-of-00002 s-00001-of-00002 d/s-00000-of-00001.gz"},
		{"what says that it is something else is left out of a directory", "m", "m/part-1"},
		{"and not when it is named", "m/f* m/part-1", "m/features.json m/part-1"},
		{"a directory of other things", "j", "j!no such files in the directory that could be TFRecords"},
		{"a file named like a shard pattern wins", "lit@2", "lit@2"},
		{"a file named like a glob wins", "lit[a]", "lit[a]"},
		{"standard input", "a - b", "a - b"},
		{"an @ without a number is a name", "who@home", "who@home"},
	} {
		got, err := expand(strings.Fields(c.args), nil)
		if err != nil {
			t.Errorf("%s: Expand(%s): %v", c.proves, c.args, err)
			continue
		}
		g := names(got)
		if want, cut := strings.CutSuffix(c.want, "…"); cut {
			c.want, g = want, g[:min(len(g), len(want))]
		}
		if g != c.want {
			t.Errorf("%s: Expand(%s)\n got %s\nwant %s", c.proves, c.args, g, c.want)
		}
	}
}

// TestText: files of a directory with text as content are omitted, and tfparse indexes without a message. A
// TFRecord that a download has replaced by text is not omitted.
func TestText(t *testing.T) {
	record := "\x01\x00\x00\x00\x00\x00\x00\x00\x16\xb7\x8a\x6e" // the header for length 1; the payload is not read
	files := map[string]string{
		"d/train": record, "d/README": "Read me.\n", "d/vocab": "a\nb\nc\n", "d/train.index": "0 31\n", "d/train.lock": "", "d/train.tfindex": "x",
		"d/gone.tfindex": "x", "d/empty": "",
		"shards/a-00000-of-00002": record, "shards/a-00001-of-00002": "Not found", "shards/vocab": "a\nb\n",
		"numbered/part-9": record, "numbered/part-10": "Not found",
		"named/a.tfrecord": "Not found", "named/b.TFRecords": "Not found", "named/c.gz": "Not found", "page/train": "<html>", "error/train": "{\"error\": 404}",
		"lfs/train": "version https://git-lfs.github.com/spec/v1\noid", "texts/vocab": "a\nb\n",
		"toy/1.0.0/x": record, "dt/a/x": record, "dt/b/x": record, "dt/c/x": record, "dt/d/x": record,
	}
	for i := range 2 * maxTextChecks {
		files["many/"+strings.Repeat("x", i+1)] = "Not found"
	}
	fsys := fstest.MapFS{}
	var list []string
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
		list = append(list, name)
	}
	tree(t, list...)
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir, want, passedOver string
		opts                  *Options
	}{
		{dir: "d", want: "d/empty d/train", passedOver: "README gone.tfindex train.index train.lock vocab"},
		{dir: "d", want: "d/README d/empty d/gone.tfindex d/train d/train.index d/train.lock d/train.tfindex d/vocab", opts: &Options{AnyName: true}},
		{dir: "texts", want: "texts/vocab", opts: &Options{CSV: true}},
		{dir: "shards", want: "shards/a-00000-of-00002 shards/a-00001-of-00002", passedOver: "vocab"},
		{dir: "numbered", want: "numbered/part-10 numbered/part-9"},
		{dir: "named", want: "named/a.tfrecord named/b.TFRecords named/c.gz"},
		{dir: "page", want: "page/train"},
		{dir: "error", want: "error/train"},
		{dir: "lfs", want: "lfs/train"},
		{dir: "texts", want: "texts!no such files in the directory that could be TFRecords", passedOver: "vocab"},
		{dir: "toy", want: "toy!no such files in the directory itself; name one of its directories: 1.0.0"},
		{dir: "dt", want: "dt!no such files in the directory itself; name one of its directories: a, b, c and 1 more"},
		{dir: "texts/vocab", want: "texts/vocab"}, // named directly
	} {
		for _, l := range []*Lister{System(context.Background()), FS(fsys)} {
			got, err := l.List([]string{c.dir}, c.opts)
			if err != nil || names(got) != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.dir, names(got), err, c.want)
				continue
			}
			var bases []string
			for _, name := range got.LeftOut {
				bases = append(bases, filepath.Base(name))
			}
			if left := strings.Join(bases, " "); left != c.passedOver {
				t.Errorf("%s: passed over %s, want %s", c.dir, left, c.passedOver)
			}
		}
	}
	if got, err := System(context.Background()).List([]string{"many"}, nil); err != nil || len(got.Files) != 2*maxTextChecks {
		t.Errorf("%d files, %v", len(got.Files), err)
	}
}

// TestCSV: CSV files have another format and are omitted, unless they are requested.
func TestCSV(t *testing.T) {
	tree(t, "d/a.csv", "d/b.CSV.gz", "d/c.tfrecord", "d/d", "d/README.md", "d/_e.csv")
	for _, c := range []struct {
		opts             *Options
		want, passedOver string
	}{
		{nil, "d/c.tfrecord d/d", "README.md _e.csv a.csv b.CSV.gz"},
		{&Options{CSV: true}, "d/a.csv d/b.CSV.gz d/c.tfrecord d/d", "README.md _e.csv"},
		{&Options{AnyName: true}, "d/README.md d/a.csv d/b.CSV.gz d/c.tfrecord d/d", "_e.csv"},
	} {
		got, err := expand([]string{"d"}, c.opts)
		if err != nil || names(got) != c.want {
			t.Errorf("%+v: got %s, %v; want %s", c.opts, names(got), err, c.want)
		}
		var bases []string
		for _, name := range got.LeftOut {
			bases = append(bases, filepath.Base(name))
		}
		if left := strings.Join(bases, " "); left != c.passedOver {
			t.Errorf("%+v: passed over %s, want %s", c.opts, left, c.passedOver)
		}
	}
	for name, want := range map[string]bool{"a.csv": true, "gs://b/A.CSV": true, "a.csv.gz": true, "a.csv.zst": true, "a.csv.txt": false, "a.csv@3": false, "csv": false, "a.tsv": true, "": false} {
		if IsCSV(name) != want {
			t.Errorf("IsCSV(%q) is %v", name, !want)
		}
	}
}

// gone is the form in which names returns missing shards.
func gone(format string, indexes ...int) (s string) {
	for _, i := range indexes {
		s += " " + fmt.Sprintf(format, i) + "!file does not exist"
	}
	return s
}

func TestExpandMistakes(t *testing.T) {
	tree(t)
	for args, want := range map[string]string{
		"- -":           "standard input (-) is named twice",
		"a [":           "[: malformed pattern",
		"x@0":           "x@0: a set of 0 shards",
		"x@1000001":     "x@1000001: a set of more than 1000000 shards",
		"x@99999999999": "x@99999999999: a set of more than 1000000 shards",
		"d/**/x":        "d/**/x: ** is not supported; try $(find DIR -name '*.tfrecord')",
	} {
		if in, err := expand(strings.Fields(args), nil); err == nil || err.Error() != want {
			t.Errorf("Expand(%s) = %s, %v; want error %s", args, names(in), err, want)
		}
	}
	if _, err := expand([]string{""}, nil); err == nil {
		t.Error("an empty name passed")
	}
}

// Above 99,999 shards both common ways of padding are accepted.
func TestWideSets(t *testing.T) {
	tree(t, "narrow-00000-of-100000")
	for pattern, want := range map[string]string{
		"narrow@100000": "narrow-00007-of-100000",
		"wide@100000":   "wide-000007-of-100000",
	} {
		in, err := expand([]string{pattern}, nil)
		if err != nil || len(in.Files) != 100000 || in.Files[7].Name != want {
			t.Errorf("Expand(%s): %d names, eighth %s, %v; want %s", pattern, len(in.Files), in.Files[7].Name, err, want)
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
		if got, ok := System(context.Background()).ParseShard(name); !ok || stripped(got) != want {
			t.Errorf("ParseShard(%s) = %+v, %v; want %+v", name, got, ok, want)
		}
	}
	for _, name := range []string{"train", "x-1-of-", "x--of-3", "x-1of-3", "x-00000-of-00000", "x-00001-of-0000", "x-00001-of-99999999999999999999", "x-00001-of-00002" + string(filepath.Separator)} {
		if got, ok := System(context.Background()).ParseShard(name); ok {
			t.Errorf("ParseShard(%s) = %+v; want none", name, got)
		}
	}
}

func TestShardSet(t *testing.T) {
	for name, want := range map[string]string{
		"train-00003-of-00012":     "train@12",
		"t.x-00000-of-00001.gz":    "t.x@1.gz",
		"x-1-of-3":                 "x-*-of-3",
		"x-010-of-012.tfrecord":    "x-*-of-012.tfrecord",
		"x-000001-of-100000":       "x@100000",
		"x-00001-of-100000.zstd":   "x@100000.zstd",
		"y-1-of-3-00000-of-00002x": "y-1-of-3@2x",
	} {
		if s, ok := System(context.Background()).ParseShard(name); !ok || s.SetName() != want {
			t.Errorf("%s is of %s, want %s", name, s.SetName(), want)
		}
	}
}

func TestCheckSets(t *testing.T) {
	tree(t, "a-00000-of-00003", "a-00001-of-00003", "a-00002-of-00003",
		"b-00000-of-00009", "b-00004-of-00009", "b-00008-of-00009.gz", "dir/c-00001-of-00002", "e-00000-of-00002", "e-00001-of-00002", "e-00000-of-00001", "f-00003-of-00003", "l-00007-of-00003",
		"i-0-of-11", "i-10-of-11", "j-1-of-2", "j-2-of-2", "k-01-of-03", "k-1-of-3", "k-00000-of-00003", "k-00001-of-00003", "k-00002-of-00003",
		"m-00000-of-00002", "m-00001-of-00002", "m-1-of-00002", "o-00000-of-00001", "o-00000-of-00001.gz", "o-00000-of-00002.tfrecord")
	c := filepath.Join("dir", "c-00001-of-00002")
	for _, c := range []struct {
		proves string
		given  []string
		want   []string
	}{
		{"one shard whose siblings lie beside it", []string{"a-00001-of-00003"}, nil},
		{"names that are no shards", []string{"a", "-"}, nil},
		{"gaps are named", []string{"b-00000-of-00009"}, []string{"b@9: 7 of 9 shards are missing: b-00001-of-00009 to b-00003-of-00009, b-00005-of-00009 to b-00008-of-00009"}},
		{"another suffix is another set", []string{"b-00008-of-00009.gz"}, []string{"b@9.gz: 8 of 9 shards are missing: b-00000-of-00009.gz to b-00007-of-00009.gz"}},
		{"a directory", []string{c}, []string{filepath.Join("dir", "c@2") + ": 1 of 2 shards is missing: " + filepath.Join("dir", "c-00000-of-00002")}},
		{"leftovers of another run", []string{"e-00000-of-00001", "e-00000-of-00002", "e-00001-of-00002"}, []string{"e@2: a set of size 1 has the same name"}},
		{"given, though not on disk", []string{"g-00000-of-00002", "g-00001-of-00002"}, nil},
		{"an index that is there where shards are counted from 1", []string{"f-00003-of-00003"}, []string{"f@3: 2 of 3 shards are missing: f-00001-of-00003, f-00002-of-00003"}},
		{"one far outside", []string{"l-00007-of-00003"}, []string{"l@3: shard 7 is outside a set of 3 shards", "l@3: 3 of 3 shards are missing: l-00000-of-00003 to l-00002-of-00003"}},
		{"numbers that are not padded", []string{"i-0-of-11"}, []string{"i-*-of-11: 9 of 11 shards are missing: i-1-of-11 to i-9-of-11"}},
		{"one shard, not padded, of which none is beside it", []string{"other-1-of-3"}, []string{"other-*-of-3: 2 of 3 shards are missing: other-0-of-3, other-2-of-3"}},
		{"all, counted from 1", []string{"j-1-of-2"}, nil},
		{"another padding is another set", []string{"k-00000-of-00003", "k-01-of-03", "k-1-of-3"}, []string{"k-*-of-03: 2 of 3 shards are missing: k-00-of-03, k-02-of-03", "k-*-of-3: 2 of 3 shards are missing: k-0-of-3, k-2-of-3"}},
		{"one shard twice", []string{"m-00000-of-00002"}, []string{"m@2: one shard exists twice: m-00001-of-00002, m-1-of-00002"}},
		{"a name given twice is one shard", []string{"o-00000-of-00001", "o-00000-of-00001"}, nil},
		{"the same shard in another codec", []string{"o-00000-of-00001", "o-00000-of-00001.gz"}, []string{"o@1.gz: the same shards are given as o@1 too"}},
		{"which lies beside it", []string{"o-00000-of-00001"}, nil},
		{"a hostile count costs nothing", []string{"h-00001-of-2000000000"}, []string{"h@2000000000: 1999999999 of 2000000000 shards are missing: h-00000-of-2000000000, h-00002-of-2000000000 to h-1999999999-of-2000000000"}},
	} {
		var got []string
		for _, f := range System(context.Background()).checkNames(c.given) {
			got = append(got, f.Set+": "+f.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.proves, got, c.want)
		}
	}
}

// stripped removes fields that are not part of the result.
func stripped(s Shard) Shard { s.indexDigits = 0; return s }

// Which sets are refused, and which of their shards are missing. If a missing shard exists next to the given files,
// it is not reported: the user has selected a part of the set.
func TestBroken(t *testing.T) {
	tree(t, "a-00000-of-00003", "a-00002-of-00003", "a-00000-of-00001.gz", "b-00000-of-00002", "b-00001-of-00002",
		"s/n-00000-of-00002", "s/n-00001-of-00002", "s/n-00005-of-00002",
		"d/c-00001-of-00002", "d/c-00002-of-00002", "e/c-1-of-3", "e/c-3-of-3", "h-00001-of-2000000000", "x-00000-of-00002.gz", "x-00001-of-00002.gz")
	const a = "a@3: 1 of 3 shards is missing: a-00001-of-00003"
	for _, c := range []struct {
		proves, args string
		want         []string
	}{
		{"a glob of a set", "a-*-of-00003", []string{a}},
		{"the same of other globs", "a*", []string{a}},
		{"a sharded name", "a@3", []string{a}},
		{"a set is reported once", "a@3 a-0* a*", []string{a, a}[:1]},
		{"what a shell makes of a glob", "a-00000-of-00003 a-00002-of-00003", []string{a}},
		{"one shard is somebody's choice", "a-00002-of-00003", nil},
		{"a glob of one shard is not", "a-00002*", []string{a}},
		{"some of a set that is there", "b-00000*", nil},
		{"a whole set beside it", "b* x@2.gz x-*-of-00002.gz", nil},
		{"a set with a missing extension", "x@2", []string{"x@2: 2 of 2 shards are missing: x-00000-of-00002, x-00001-of-00002; there is x@2.gz"}},
		{"a directory, counted from 1", "d", nil},
		{"the same with a gap", "e", []string{"e/c-*-of-3: 1 of 3 shards is missing: e/c-2-of-3"}},
		{"a surplus shard by a glob", "s/n-*-of-00002", []string{"s/n@2: shard 5 is outside a set of 2 shards"}},
		{"by a directory", "s", []string{"s/n@2: shard 5 is outside a set of 2 shards"}},
		{"beside a set that is named by its size", "s/n@2", []string{"s/n@2: shard 5 is outside a set of 2 shards"}},
		{"beside one shard is somebody's choice", "s/n-00000-of-00002", nil},
		{"the surplus shard alone", "s/n-00005-of-00002", nil},
		{"a hostile count", "h*", []string{"h@2000000000: 1999999999 of 2000000000 shards are missing: h-00000-of-2000000000, h-00002-of-2000000000 to h-1999999999-of-2000000000"}},
	} {
		list, err := expand(strings.Fields(c.args), &Options{Named: true})
		var got []string
		for _, set := range list.Broken {
			got = append(got, filepath.ToSlash(set.Set+": "+set.Message))
			if missing := !strings.Contains(set.Message, "outside"); errors.Is(set, fs.ErrNotExist) != missing || (set.Missing > 0) != missing {
				t.Errorf("%s: %+v", c.proves, set)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s: %v\n got %q\nwant %q", c.proves, c.args, err, got, c.want)
		}
		if len(list.Files) > 100 {
			t.Errorf("%s: %d files", c.proves, len(list.Files))
		}
	}
	// A program that names files one by one has selected them.
	if list, err := expand([]string{"a-00000-of-00003", "a-00002-of-00003"}, nil); err != nil || list.Broken != nil {
		t.Errorf("got %v, %v", list.Broken, err)
	}
}

// A glob treats an unreadable directory like an empty one, but this is reported anyway.
func TestGlobUnreadable(t *testing.T) {
	fsys := locked{fstest.MapFS{"open/a": {}, "shut/a": {}, "dirs/open/x": {}, "dirs/shut/x": {}}}
	for pattern, want := range map[string]string{
		"shut/*":   "shut!permission denied",
		"open/*":   "open/a",
		"*/a":      "open/a shut!permission denied",
		"dirs/*/*": "dirs/open/x dirs/shut!permission denied",
		"none/*":   "none/*!no such files",
	} {
		list, err := FS(fsys).List([]string{pattern}, nil)
		if err != nil || names(list) != want {
			t.Errorf("%s: %s, %v; want %s", pattern, names(list), err, want)
		}
	}
}

// A locked file system does not list directories with the name shut.
type locked struct{ fstest.MapFS }

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if path.Base(name) == "shut" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

func (l locked) Glob(pattern string) ([]string, error) { return fs.Glob(noGlob{l}, pattern) }

// noGlob makes fs.Glob read the directories.
type noGlob struct{ l locked }

func (g noGlob) Open(name string) (fs.File, error)          { return g.l.Open(name) }
func (g noGlob) ReadDir(name string) ([]fs.DirEntry, error) { return g.l.ReadDir(name) }

func TestOtherFormat(t *testing.T) {
	for _, name := range []string{"README.md", "features.json", "a.b/c.TXT", "x.csv.gz", "labels.txt", "x.xlsx"} {
		if !OtherFormat(name) {
			t.Errorf("%s could be a TFRecord", name)
		}
	}
	for _, name := range []string{"train.tfrecord", "train-00000-of-00001", "x.tfrecord.gz", "data", "x.gz", "events.out.tfevents.1.host", "part-r-00001", "x.rec", "stats.pb"} {
		if OtherFormat(name) {
			t.Errorf("%s could be no TFRecord", name)
		}
	}
}

// Shards that cannot be looked up are not reported as missing: their directory is not readable, or a server does
// not answer.
func TestForbiddenSet(t *testing.T) {
	for _, want := range []error{fs.ErrPermission, errors.New("503 Service Unavailable")} {
		for failing, pattern := range map[int]string{0: "np/train@3", 2: "np/train@3", 70: "np/train@100", 5: "np/train@200000"} {
			l := System(t.Context())
			l.stat = func(name string) (fs.FileInfo, error) {
				err := fs.ErrNotExist
				if s, ok := l.ParseShard(name); ok && s.Index == failing {
					err = want
				}
				return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
			}
			l.readDir = func(string) ([]fs.DirEntry, error) { return nil, want }
			list, err := l.List([]string{pattern}, nil)
			if err != nil || len(list.Broken) != 0 || len(list.Files) != 1 || list.Files[0] != (File{Name: pattern, Err: want}) {
				t.Errorf("%s: got %d broken, %d files, %+v, %v", pattern, len(list.Broken), len(list.Files), list.Files[0], err)
			}
		}
	}
}

func TestIsCompanion(t *testing.T) {
	for _, name := range []string{"d/_SUCCESS", "train.index", "train.tfindex", "train.idx", "a.lock", "README", "gs://b/README.md", "labels.txt", "vocab", "vocab.txt.gz", "x.crc", `d\_SUCCESS`} {
		if !IsCompanion(name) {
			t.Errorf("%s could hold data", name)
		}
	}
	for _, name := range []string{"d/a.csv", "train.jsonl", "features.json", "x.parquet", "a.csv.gz", "x.npz", "images.zip", "part-0", "labels.csv"} {
		if IsCompanion(name) {
			t.Errorf("%s is left out in silence", name)
		}
	}
}
