package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

var codecs = tfrecord.Compressions()

// TestCodecs reads a file of every codec that another program wrote: our Writer could have the same
// fault as our Reader.
func TestCodecs(t *testing.T) {
	var want []string
	for _, c := range codecs { // None is the first
		name := filepath.Join("..", "tfrecord", "testdata", "five."+c.String()+".tfrecord")
		records := dataset.NewFiles([]string{name}, nil).Records(t.Context())
		var got []string
		for rec, err := range records.All() {
			if err != nil {
				t.Errorf("%v: %v", c, err)
				break
			}
			got = append(got, string(rec))
		}
		if c == tfrecord.None {
			want = got
		}
		if len(got) != 5 || !slices.Equal(got, want) {
			t.Errorf("%v: records %q, want %q", c, got, want)
		}
	}
}

// stream encodes records as one file.
func stream(tb testing.TB, codec tfrecord.Compression, records ...[]byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: codec})
	for _, r := range records {
		if err := w.WriteRecord(r); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// numbered returns an Example with the indices of its file and record, and bytes of a length that
// depends on both.
func numbered(tb testing.TB, file, record int) []byte {
	tb.Helper()
	var b example.Builder
	b.Add("file", example.Int64s(int64(file)))
	b.Add("record", example.Int64s(int64(record)))
	b.AddStrings("pad", strings.Repeat("x", (file*31+record*17)%97))
	rec, err := b.AppendBinary(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return rec
}

var numberedSpec = feature.Spec{Features: feature.Features{
	"file":   feature.FixedLen{DType: feature.Int64},
	"record": feature.FixedLen{DType: feature.Int64},
	"pad":    feature.VarLen{DType: feature.String},
}}

func parser(tb testing.TB) *feature.Parser {
	tb.Helper()
	p, err := feature.NewParser(numberedSpec, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// shardFS returns files f-00000-of-N and so on, with the given numbers of records.
func shardFS(tb testing.TB, counts ...int) fstest.MapFS {
	tb.Helper()
	fsys := fstest.MapFS{}
	for f, n := range counts {
		var recs [][]byte
		for i := range n {
			recs = append(recs, numbered(tb, f, i))
		}
		fsys[fmt.Sprintf("f-%05d-of-%05d", f, len(counts))] = &fstest.MapFile{Data: stream(tb, codecs[f%len(codecs)], recs...)}
	}
	return fsys
}

// rowsOf returns the files and records of the rows of every batch: "0/0 0/1|0/2".
func rowsOf(s *dataset.Batches) (string, error) {
	var out []string
	for b, err := range s.All() {
		if err != nil {
			return strings.Join(out, "|"), err
		}
		files, err1 := feature.ColumnOf[int64](b.Columns(), "file")
		records, err2 := feature.ColumnOf[int64](b.Columns(), "record")
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		var rows []string
		for i := range b.Len() {
			rows = append(rows, fmt.Sprintf("%d/%d", files.Values()[i], records.Values()[i]))
			if p := b.Position(i); p.Record != records.Values()[i] || !strings.HasPrefix(p.Name, fmt.Sprintf("f-%05d", files.Values()[i])) {
				return "", fmt.Errorf("row %s stands at %v", rows[i], p)
			}
		}
		out = append(out, strings.Join(rows, " "))
		b.Release()
	}
	return strings.Join(out, "|"), nil
}

// noLeak fails the test if goroutines of the package are left. It is called when they should have
// ended.
func noLeak(tb testing.TB) {
	tb.Helper()
	buf := make([]byte, 1<<20)
	for range 1000 { // usually one or two rounds are enough
		stacks := string(buf[:runtime.Stack(buf, true)])
		left := 0
		for s := range strings.SplitSeq(stacks, "\n\n") {
			if strings.Contains(s, "/internal/feed.") || strings.Contains(s, "/dataset.(") || strings.Contains(s, "/internal/ordered.(") {
				left++
			}
		}
		if left == 0 {
			return
		}
		// A goroutine needs a moment to end after it has reported its end.
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	tb.Errorf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
}

// workerCounts returns the numbers of workers that a test tries: 1, 2 and most; with -short 1 and
// most; in long runs all numbers up to most.
func workerCounts(t *testing.T, most int) (counts []int) {
	switch {
	case testkit.Long(t, fmt.Sprintf("every number of workers up to %d", most)):
		for n := range most {
			counts = append(counts, n+1)
		}
		return counts
	case testing.Short():
		return []int{most}
	}
	return []int{1, 2, most}
}

// TestOrder checks that the order of records and the ends of batches do not depend on the number of
// workers, for any settings, and agree with a naive implementation.
func TestOrder(t *testing.T) {
	counts := []int{7, 0, 30, 1, 12, 5}
	fsys := shardFS(t, counts...)
	p := parser(t)
	for _, opts := range []dataset.FilesOptions{
		{},
		{Interleave: 3},
		{Interleave: 9, Skip: 4, Take: 20},
		{Shard: dataset.Shard{Index: 1, Count: 2}},
		{Shard: dataset.Shard{Index: 2, Count: 3, ByRecord: true}, Interleave: 2},
		{Repeat: 3, Take: 10},
		{Repeat: 2, DropRemainder: true},
		{ShuffleFiles: true, Repeat: 2},
		{Shuffle: 8, Repeat: 3, Seed: 5},
		{Shuffle: 1000, Take: 33},
		{Shuffle: 20, ShuffleBytes: 300, Interleave: 2},
		{Budget: 1},
		{Budget: 5000, Interleave: 4, Shuffle: 3, Repeat: 2},
		{SkipErrors: true, Repeat: 2},
	} {
		opts.FS = fsys
		want := slowRows(t, counts, &opts, 4)
		for _, workers := range workerCounts(t, 8) {
			for _, prefetch := range []int{-1, 0, 3} {
				o := opts
				o.Workers, o.Prefetch = workers, prefetch
				got, err := rowsOf(dataset.NewFiles([]string{"f@6"}, &o).Batches(t.Context(), p, 4))
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				if got != want {
					t.Fatalf("%+v:\n got %s\nwant %s", o, got, want)
				}
			}
		}
	}
	noLeak(t)
}

// slowRows is the naive implementation of FilesOptions, with lists of lists.
func slowRows(tb testing.TB, counts []int, o *dataset.FilesOptions, size int) string {
	tb.Helper()
	var all []string
	for epoch := range max(o.Repeat, 1) {
		var files [][]string
		for f, n := range counts {
			if o.Shard.Count > 0 && !o.Shard.ByRecord && f%o.Shard.Count != o.Shard.Index {
				continue
			}
			var recs []string
			for r := range n {
				recs = append(recs, fmt.Sprintf("%d/%d", f, r))
			}
			files = append(files, recs)
		}
		if o.ShuffleFiles {
			rng := rand.New(rand.NewPCG(o.Seed, 1<<63|uint64(epoch)))
			rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		}
		var pass []string
		cycle := make([]*[]string, max(o.Interleave, 1))
		for turn, rest := 0, files; ; turn = (turn + 1) % len(cycle) {
			if cycle[turn] == nil && len(rest) > 0 {
				cycle[turn], rest = &rest[0], rest[1:]
			}
			if slot := cycle[turn]; slot != nil && len(*slot) > 0 {
				pass = append(pass, (*slot)[0])
				*slot = (*slot)[1:]
			} else {
				cycle[turn] = nil
			}
			if len(rest) == 0 && !slices.ContainsFunc(cycle, func(s *[]string) bool { return s != nil }) {
				break
			}
		}
		if o.Shard.ByRecord {
			var mine []string
			for i, r := range pass {
				if i%o.Shard.Count == o.Shard.Index {
					mine = append(mine, r)
				}
			}
			pass = mine
		}
		pass = pass[min(int(o.Skip), len(pass)):]
		if o.Take > 0 {
			pass = pass[:min(int(o.Take), len(pass))]
		}
		if o.Shuffle > 0 {
			pass = slowShuffle(tb, pass, o, int(epoch))
		}
		all = append(all, pass...)
	}
	var batches []string
	for b := range slices.Chunk(all, size) {
		if len(b) == size || !o.DropRemainder {
			batches = append(batches, strings.Join(b, " "))
		}
	}
	return strings.Join(batches, "|")
}

// slowShuffle shuffles records as a shuffle buffer does, in a list.
func slowShuffle(tb testing.TB, pass []string, o *dataset.FilesOptions, epoch int) (out []string) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(o.Seed, 1<<62|uint64(epoch)))
	limit := o.ShuffleBytes
	if limit == 0 {
		limit = 1 << 40
	}
	size := func(r string) int64 {
		var f, n int
		if _, err := fmt.Sscanf(r, "%d/%d", &f, &n); err != nil {
			tb.Fatal(err)
		}
		return int64(len(numbered(tb, f, n)))
	}
	var held []string
	var sum int64
	for {
		for len(pass) > 0 && len(held) < o.Shuffle && sum < limit {
			held, sum, pass = append(held, pass[0]), sum+size(pass[0]), pass[1:]
		}
		if len(held) == 0 {
			return out
		}
		i := rng.IntN(len(held))
		out, sum = append(out, held[i]), sum-size(held[i])
		held[i] = held[len(held)-1]
		held = held[:len(held)-1]
	}
}

// TestRecords compares streams of records with streams of batches, for random settings.
func TestRecords(t *testing.T) {
	fsys := shardFS(t, 9, 4, 11)
	for _, workers := range []int{1, 2, 5} {
		r := dataset.NewFiles([]string{"f-*-of-00003"}, &dataset.FilesOptions{FS: fsys, Workers: workers, Budget: 2000}).Records(t.Context())
		var got []string
		for rec, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			pos := r.Pos()
			if want := numbered(t, int(pos.Name[6]-'0'), int(pos.Record)); !bytes.Equal(rec, want) {
				t.Fatalf("at %v: got %q, want %q", pos, rec, want)
			}
			got = append(got, fmt.Sprintf("%s/%d", pos.Name[6:7], pos.Record))
		}
		if len(got) != 24 || !slices.IsSortedFunc(got[:9], func(a, b string) int { return len(a) - len(b) }) || got[23] != "2/10" {
			t.Errorf("got %q", got)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("Next after the end: %v", err)
		}
		if s := r.Stats(); s.Records != 24 || s.SkippedRanges != 0 {
			t.Errorf("stats %+v", s)
		}
		noLeak(t)
	}
}
