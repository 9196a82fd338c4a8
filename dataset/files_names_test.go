package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
)

// folder has the files that the patterns of the cases below match.
var folder = []string{"b", "a", "d/2", "d/1", "d/_SUCCESS", "d/.1.crc", "d/deep/3", "empty/_SUCCESS", ".hidden",
	"x-00010-of-00011", "x-00002-of-00011", "t-100000-of-200000", "t-99999-of-200000", "t-5", "lit@2", "lita",
	"u-10-of-11", "u-9-of-11", "m/part-1", "m/README.md", "m/features.json", "s-00000-of-00002", "s-00001-of-00002", "z-00000-of-00001.gz", "o-1-of-2", "o-2-of-2", "w-0-of-2", "w-1-of-2"}

func TestNames(t *testing.T) {
	var eleven []string // not in the order of their bytes
	for i := range 11 {
		eleven = append(eleven, fmt.Sprintf("n-%d-of-11", i))
	}
	folder := append(eleven, folder...)
	fsys := fstest.MapFS{}
	dir := t.TempDir()
	for _, name := range folder {
		fsys[name] = &fstest.MapFile{}
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o777), os.WriteFile(full, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct{ proves, patterns, want string }{
		{"files keep the order given, repeats included", "b a b", "b a b"},
		{"a directory is its plain files, sorted", "d", "d/1 d/2"},
		{"a trailing slash does not matter", "d/", "d/1 d/2"},
		{"a directory of marks alone has no files", "empty a", "!empty: no such files in the directory"},
		{"a glob is sorted and does not match hidden names", "[a-b] [ab]*", "a b a b"},
		{"a glob of hidden names is written so", ".h*", ".hidden"},
		{"a glob of directories expands them", "d*", "d/1 d/2"},
		{"wildcards do not match hidden names in directories", "d/*", "d/1 d/2 d/_SUCCESS d/deep/3"},
		{"a glob without a match", "a no* b", "!no*: no such files"},
		{"a missing file is left to its turn", "a none b", "a none b"},
		{"shards sort by number", "n-*", strings.Join(eleven, " ")},
		{"what says that it is something else is left out of a directory", "m", "m/part-1"},
		{"and is not when it is named", "m/README.md m/*", "m/README.md m/README.md m/features.json m/part-1"},
		{"a set", "s@2", "s-00000-of-00002 s-00001-of-00002"},
		{"a set with an extension", "z@1.gz", "z-00000-of-00001.gz"},
		{"a set in the notation of its names", "s-*-of-00002", "s-00000-of-00002 s-00001-of-00002"},
		{"the same with an extension", "z-*-of-00001.gz", "z-00000-of-00001.gz"},
		{"a set that is not padded", "w-*-of-2", "w-0-of-2 w-1-of-2"},
		{"a set that counts from 1", "o-*-of-2", "o-1-of-2 o-2-of-2"},
		{"a set with gaps", "x@11", "!x@11: 9 of 11 shards are missing: x-00000-of-00011, x-00001-of-00011, x-00003-of-00011 to x-00009-of-00011"},
		{"the same in the notation of its names", "u-*-of-11", "!u-*-of-11: 9 of 11 shards are missing: u-0-of-11 to u-8-of-11"},
		{"the same of any glob", "a x-*", "!x@11: 9 of 11 shards are missing: x-00000-of-00011, x-00001-of-00011, x-00003-of-00011 to x-00009-of-00011"},
		{"shards that are named one by one", "x-00002-of-00011 x-00010-of-00011", "x-00002-of-00011 x-00010-of-00011"},
		{"a set of which nothing is there", "q@3", "!q@3: 3 of 3 shards are missing: q-00000-of-00003 to q-00002-of-00003"},
		{"a set without its extension", "z@1", "!z@1: 1 of 1 shards is missing: z-00000-of-00001; there is z@1.gz"},
		{"a glob of names that are shards", "s-*-of-*", "s-00000-of-00002 s-00001-of-00002"},
		{"a file named like a set wins", "lit@2", "lit@2"},
		{"standard input", "a - b", "a - b"},
		{"an @ without a number is a name", "who@home", "who@home"},
	} {
		for _, opts := range []dataset.FilesOptions{{FS: fsys}, {}} {
			got, err := dataset.NewFiles(strings.Fields(c.patterns), &opts).Names()
			names := filepath.ToSlash(strings.Join(got, " "))
			if err != nil {
				names = "!" + filepath.ToSlash(err.Error())
				if _, ok := errors.AsType[*dataset.FileError](err); !ok {
					t.Errorf("%s: %T", c.proves, err)
				}
			}
			if names != c.want {
				t.Errorf("%s: %s\n got %s\nwant %s", c.proves, c.patterns, names, c.want)
			}
		}
	}
}

// TestNamesOfOpener checks that with Open alone the names follow from the patterns.
func TestNamesOfOpener(t *testing.T) {
	opts := &dataset.FilesOptions{Open: func(ctx context.Context, name string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }}
	got, err := dataset.NewFiles([]string{"s3://b/x@2.gz", "y-*-of-00002", "g*", "v@100000"}, opts).Names()
	want := []string{"s3://b/x-00000-of-00002.gz", "s3://b/x-00001-of-00002.gz", "y-00000-of-00002", "y-00001-of-00002", "g*", "v-000000-of-100000"}
	if err != nil || len(got) != 100005 || !slices.Equal(got[:6], want) {
		t.Errorf("got %q, %v", got[:min(len(got), 6)], err)
	}
	if _, err := dataset.NewFiles([]string{"x"}, opts).Records(t.Context()).Next(); !errors.Is(err, fs.ErrNotExist) || err.Error() != "x: file does not exist" {
		t.Errorf("error %v", err)
	}
}

// TestMissingShards checks that missing shards are skipped one by one, and counted.
func TestMissingShards(t *testing.T) {
	fsys := shardFS(t, 3, 3, 3, 3)
	delete(fsys, "f-00001-of-00004")
	delete(fsys, "f-00003-of-00004")
	for _, set := range []string{"f@4", "f-*-of-00004", "f-*"} {
		testMissingShards(t, fsys, set)
	}
}

func testMissingShards(t *testing.T, fsys fs.FS, set string) {
	for _, workers := range []int{1, 4} {
		var lost []string
		s := dataset.NewFiles([]string{set, "g*"}, &dataset.FilesOptions{FS: fsys, SkipErrors: true, Workers: workers,
			OnSkip: func(l dataset.Skipped) { lost = append(lost, l.Err.Error()) }}).Batches(t.Context(), parser(t), 10)
		got, err := rowsOf(s)
		if err != nil || got != "0/0 0/1 0/2 2/0 2/1 2/2" || s.Stats().SkippedRanges != 3 {
			t.Errorf("got %s, %v, %+v", got, err, s.Stats())
		}
		if len(lost) != 3 || !strings.HasPrefix(lost[0], "f-00001-of-00004: file does not exist") || lost[1] != "f-00003-of-00004: file does not exist" || lost[2] != "g*: no such files" {
			t.Errorf("lost %q", lost)
		}
	}
}
