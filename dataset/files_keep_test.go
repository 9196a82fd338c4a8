package dataset_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/tfrecord"
)

// keptFS has files: the second is damaged, the fourth does not exist.
func keptFS(t *testing.T) fstest.MapFS {
	fsys := shardFS(t, 300, 5, 0, 1, 700)
	var recs [][]byte
	for i := range 5 {
		recs = append(recs, numbered(t, 1, i))
	}
	damaged := stream(t, tfrecord.None, recs...)
	damaged[tfrecord.HeaderSize+1] ^= 1
	fsys["f-00001-of-00005"] = &fstest.MapFile{Data: damaged}
	delete(fsys, "f-00003-of-00005")
	return fsys
}

// story returns what a stream has in order, up to a number of records.
func story(r *dataset.Records, told *strings.Builder, most int) string {
	told.Reset()
	for range most {
		rec, err := r.Next()
		if err != nil {
			fmt.Fprintf(told, "%v", err)
			break
		}
		fmt.Fprintf(told, "%v:%d ", r.Pos(), len(rec))
	}
	return told.String()
}

// Files begin and end in order with their records and what is skipped of them; what was
// kept comes again, all of it.
func TestKeep(t *testing.T) {
	fsys := keptFS(t)
	for _, workers := range []int{1, 2, 4} {
		for _, most := range []int{0, 1, 2, 299, 300, 301, 305, 400, 2000} {
			var told strings.Builder
			opts := &dataset.FilesOptions{FS: fsys, SkipErrors: true, Workers: workers, Budget: 20_000,
				OnSkip: func(s dataset.Skipped) { fmt.Fprintf(&told, "skip(%v) ", s.Position) },
				OnFile: func(e dataset.FileEvent) {
					fmt.Fprintf(&told, "file(%s %v %v %v %d %v) ", e.Name, e.Opened, e.End, e.Compression, e.Records, e.Err)
				}}
			f := dataset.NewFilesNamed([]string{"f-00000-of-00005", "f-00001-of-00005", "f-00002-of-00005", "f-00003-of-00005", "f-00004-of-00005"}, opts)
			want := story(f.Records(t.Context()), &told, 10_000)
			if !strings.Contains(want, "skip(f-00001-of-00005: record 0 (offset 0x0)) f-00001-of-00005: record 1") || !strings.HasSuffix(want, "true zstd 700 <nil>) EOF") ||
				!strings.Contains(want, "file(f-00003-of-00005 false false auto 0 <nil>) skip(f-00003-of-00005") {
				t.Fatal(want)
			}
			r := f.Records(t.Context())
			r.Keep()
			if got := story(r, &told, most); !strings.HasPrefix(want, got) {
				t.Errorf("%d workers, before: %s", workers, got)
			}
			r.Rewind()
			if got := story(r, &told, 10_000); got != want {
				t.Fatalf("%d workers, %d records kept:\n got %s\nwant %s", workers, most, got, want)
			}
			if s := r.Stats(); s.Records != 1004 || s.SkippedRanges != 2 {
				t.Errorf("stats %+v", s)
			}
		}
	}
	noLeak(t)
}

// Choose leaves records and files out; with one worker it may depend on the records before.
func TestChoose(t *testing.T) {
	fsys := shardFS(t, 10, 10, 10)
	for _, skip := range []bool{false, true} {
		var counted []int64
		last := int64(-1)
		opts := &dataset.FilesOptions{FS: fsys, SkipErrors: skip, Workers: 1, Choose: func(file int, record int64) dataset.Choice {
			switch {
			case file == 1:
				return dataset.LeaveOut
			case file == 0 && record == 7:
				return dataset.LeaveFile
			case file == 2 && record == 5:
				return dataset.ReadRest
			case last == 3 || record == 0:
				last = -1
				return dataset.LeaveOut
			}
			return dataset.ReadRecord
		}, OnFile: func(e dataset.FileEvent) {
			if e.End {
				counted = append(counted, e.Records)
			}
		}}
		r := dataset.NewFiles([]string{"f@3"}, opts).Records(t.Context())
		var got []string
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			p := r.Pos()
			if !bytes.Equal(rec, numbered(t, int(p.Name[6]-'0'), int(p.Record))) {
				t.Errorf("%v is another record", p)
			}
			last = p.Record
			got = append(got, fmt.Sprintf("%s/%d", p.Name[6:7], p.Record))
		}
		if want := "0/1 0/2 0/3 0/5 0/6 2/1 2/2 2/3 2/5 2/6 2/7 2/8 2/9"; strings.Join(got, " ") != want || fmt.Sprint(counted) != "[7 10 10]" {
			t.Errorf("got %s of %v", got, counted)
		}
	}
}

// Choose is called once for each record, and not at the end of a file; file is the index in Names, whatever
// the part of the files.
func TestChooseOnce(t *testing.T) {
	counts := []int{7, 0, 1, 300, 2}
	fsys := shardFS(t, counts...)
	dir := t.TempDir() // regular files of the system are read in another way than those of fsys
	if err := os.CopyFS(dir, fsys); err != nil {
		t.Fatal(err)
	}
	for _, o := range []dataset.FilesOptions{
		{Workers: 1}, {Workers: 4}, {Workers: 1, SkipErrors: true}, {Workers: 2, Interleave: 3}, {Workers: 1, ShuffleFiles: true},
		{Workers: 1, Shard: dataset.Shard{Index: 1, Count: 2}}, {Workers: 1, Shard: dataset.Shard{Index: 1, Count: 2, ByRecord: true}},
	} {
		for _, choice := range []dataset.Choice{dataset.ReadRecord, dataset.LeaveOut} {
			for _, system := range []bool{false, true} {
				var mu sync.Mutex
				got := map[string]int{}
				var events []string
				o := o
				if o.FS = fsys; system {
					o.FS = os.DirFS(dir)
				}
				o.Choose = func(file int, record int64) dataset.Choice {
					mu.Lock()
					defer mu.Unlock()
					got[fmt.Sprintf("%d/%d", file, record)]++
					return choice
				}
				o.OnFile = func(e dataset.FileEvent) {
					if want := fmt.Sprintf("f-%05d-of-00005", e.Index); e.Name != want {
						events = append(events, e.Name+" is "+want)
					}
				}
				if _, err := last(dataset.NewFiles([]string{"f@5"}, &o).Records(t.Context())); err != io.EOF {
					t.Fatal(err)
				}
				want := map[string]int{}
				for file, n := range counts {
					if o.Shard.Count > 0 && !o.Shard.ByRecord && file%o.Shard.Count != o.Shard.Index {
						continue
					}
					for record := range n {
						want[fmt.Sprintf("%d/%d", file, record)] = 1
					}
				}
				if !maps.Equal(got, want) || len(events) > 0 {
					t.Errorf("%+v, choice %v: called for %d records, want %d: %v; files %v", o.Shard, choice, len(got), len(want), got, events)
				}
			}
		}
	}
}
