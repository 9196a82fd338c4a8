package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// allOf returns the records of a stream, with their positions.
func allOf(t *testing.T, fsys fs.FS, o dataset.FilesOptions) []string {
	t.Helper()
	o.FS = fsys
	return contentsOf(t, dataset.NewFiles([]string{"f-*-of-*"}, &o))
}

func contentsOf(t *testing.T, f *dataset.Files) (all []string) {
	t.Helper()
	r := f.Records(t.Context())
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%v %x", r.Pos(), rec))
	}
	return all
}

// TestGlobalShuffle checks that the order has every record once in an epoch, and is the same in every
// codec and for any number of workers. The effect of other options is computed here from the whole
// order.
func TestGlobalShuffle(t *testing.T) {
	fsys := shardFS(t, 40, 0, 150, 3, 90, 61, 200, 1)
	inOrder := allOf(t, fsys, dataset.FilesOptions{})
	n := int64(len(inOrder))
	shuffled := func(seed uint64, epoch int64) (all []string) {
		whole := allOf(t, fsys, dataset.FilesOptions{GlobalShuffle: true, Seed: seed, Repeat: epoch + 1})
		return whole[epoch*n:]
	}
	odd := func(rec []byte) (bool, error) { return len(rec)%2 == 1, nil }
	isOdd := func(s string) bool { return len(s[strings.LastIndexByte(s, ' ')+1:])/2%2 == 1 }
	odds := func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !isOdd(s) })
	}
	every := func(all []string, index, count int) (some []string) {
		for i := index; i < len(all); i += count {
			some = append(some, all[i])
		}
		return some
	}
	first, second := shuffled(7, 0), shuffled(7, 1)
	if slices.Equal(first, second) || slices.Equal(first, inOrder) {
		t.Fatal("the orders are the same")
	}
	for _, all := range [][]string{first, second} {
		if !slices.Equal(slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(inOrder))) {
			t.Fatal("an epoch does not have every record once")
		}
	}
	for _, c := range []struct {
		name string
		o    dataset.FilesOptions
		want []string
	}{
		{"all", dataset.FilesOptions{}, first},
		{"two epochs", dataset.FilesOptions{Repeat: 2}, slices.Concat(first, second)},
		{"another seed", dataset.FilesOptions{Seed: 8}, shuffled(8, 0)},
		{"take", dataset.FilesOptions{Take: 33, Repeat: 2}, slices.Concat(first[:33], second[:33])},
		{"take more than there are", dataset.FilesOptions{Take: 1 << 62}, first},
		{"skip and take", dataset.FilesOptions{Skip: 500, Take: 30}, first[500:530]},
		{"skip all", dataset.FilesOptions{Skip: 1 << 62, Shard: dataset.Shard{Index: 1, Count: 2, ByRecord: true}}, nil},
		{"shard", dataset.FilesOptions{Shard: dataset.Shard{Index: 2, Count: 3, ByRecord: true}, Repeat: 2}, slices.Concat(every(first, 2, 3), every(second, 2, 3))},
		{"shard, skip, take", dataset.FilesOptions{Shard: dataset.Shard{Index: 1, Count: 3, ByRecord: true}, Skip: 5, Take: 9}, every(first, 1, 3)[5:14]},
		{"filter", dataset.FilesOptions{Filter: odd}, odds(first)},
		{"filter, skip, take", dataset.FilesOptions{Filter: odd, Skip: 10, Take: 20}, odds(first)[10:30]},
		{"filter, shard", dataset.FilesOptions{Filter: odd, Shard: dataset.Shard{Index: 0, Count: 2, ByRecord: true}}, odds(every(first, 0, 2))},
		{"skip errors", dataset.FilesOptions{SkipErrors: true, Skip: 3, Take: 5}, first[3:8]},
	} {
		for _, workers := range workerCounts(t, 5) {
			for _, budget := range []int64{0, 3000} {
				o := c.o
				if o.Seed == 0 {
					o.Seed = 7
				}
				o.GlobalShuffle, o.Workers, o.Budget = true, workers, budget
				if got := allOf(t, fsys, o); !slices.Equal(got, c.want) {
					t.Errorf("%s, %d workers, budget %d: %d records, want %d", c.name, workers, budget, len(got), len(c.want))
				}
			}
		}
	}
	// By file: each file is read by one shard, and no record is lost.
	var parts []string
	for i := range 3 {
		parts = append(parts, allOf(t, fsys, dataset.FilesOptions{GlobalShuffle: true, Shard: dataset.Shard{Index: i, Count: 3}})...)
	}
	slices.Sort(parts)
	if want := slices.Sorted(slices.Values(inOrder)); !slices.Equal(parts, want) {
		t.Errorf("shards by file have %d records together, want %d", len(parts), len(want))
	}
	noLeak(t)
}

// TestGlobalShuffleTogether runs several streams of the same Files at once, with more files than are
// open at a time: each has every record once.
func TestGlobalShuffleTogether(t *testing.T) {
	counts := make([]int, 150)
	for i := range counts {
		counts[i] = i % 7
	}
	fsys := shardFS(t, counts...)
	var open, most atomic.Int64
	o := &dataset.FilesOptions{GlobalShuffle: true, Workers: 3, Repeat: 3, Open: func(_ context.Context, name string) (io.ReadCloser, error) {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		for n := open.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		return counted{f, &open}, nil
	}}
	files := dataset.NewFiles(slices.Sorted(maps.Keys(fsys)), o)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			got := contentsOf(t, files)
			slices.Sort(got)
			want := 0
			for _, n := range counts {
				want += n
			}
			if distinct := len(slices.Compact(slices.Clone(got))); len(got) != 3*want || distinct != want {
				t.Errorf("%d records, %d different, want %d and %d", len(got), distinct, 3*want, want)
			}
		})
	}
	wait.Wait()
	if n := open.Load(); n != 0 {
		t.Errorf("%d files are open", n)
	}
	if n := most.Load(); n > 4*(128+5) {
		t.Errorf("%d files were open at a time", n)
	}
}

type counted struct {
	fs.File
	open *atomic.Int64
}

func (c counted) Close() error {
	c.open.Add(-1)
	return c.File.Close()
}

func (c counted) ReadAt(p []byte, off int64) (int, error) { return c.File.(io.ReaderAt).ReadAt(p, off) }

// TestGlobalShuffleIndex checks that the index beside a file is used, and that an index of other
// data is an error.
func TestGlobalShuffleIndex(t *testing.T) {
	fsys := shardFS(t, 50)
	const name = "f-00000-of-00001"
	other := stream(t, tfrecord.None, []byte("another"))
	for _, c := range []struct {
		of   []byte
		want string
	}{
		{fsys[name].Data, ""},
		{other, "the index is out of date"},
		{nil, "not an index, or damaged"},
	} {
		index := []byte("TFRINDEX")
		if c.of != nil {
			x, err := tfrecord.OpenIndexed(strings.NewReader(string(c.of)), int64(len(c.of)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if index, err = x.Index().MarshalBinary(); err != nil {
				t.Fatal(err)
			}
		}
		fsys[name+tfrecord.IndexExtension] = &fstest.MapFile{Data: index}
		n := 0
		var end error
		for _, err := range dataset.NewFiles([]string{name}, &dataset.FilesOptions{FS: fsys, GlobalShuffle: true}).Records(t.Context()).All() {
			if end = err; err == nil {
				n++
			}
		}
		if c.want == "" && (end != nil || n != 50) || c.want != "" && (!errors.Is(end, tfrecord.ErrIndex) || !strings.Contains(end.Error(), c.want)) {
			t.Errorf("%d records, %v, want %q", n, end, c.want)
		}
	}
}

// TestGlobalShuffleModTime checks that an index is used although its file has another modification
// time.
func TestGlobalShuffleModTime(t *testing.T) {
	fsys := shardFS(t, 50, 50)
	for name, other := range map[string]bool{"f-00000-of-00002": true, "f-00001-of-00002": false} {
		f := fsys[name]
		f.ModTime = time.Unix(1_700_000_000, 0)
		x, err := tfrecord.BuildIndex(bytes.NewReader(f.Data), int64(len(f.Data)), &tfrecord.IndexOptions{ModTime: f.ModTime})
		if err != nil {
			t.Fatal(err)
		}
		index, err := x.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		fsys[name+tfrecord.IndexExtension] = &fstest.MapFile{Data: index}
		if other {
			f.ModTime = f.ModTime.Add(time.Hour)
		}
	}
	files := dataset.NewFiles([]string{"f@2"}, &dataset.FilesOptions{FS: fsys, GlobalShuffle: true, Repeat: 2})
	for range 2 {
		if n := len(contentsOf(t, files)); n != 200 {
			t.Errorf("%d records", n)
		}
	}
}

// TestGlobalShuffleFaults checks that a file that cannot be indexed is an error before the first
// record, and that damage is an error at its record.
func TestGlobalShuffleFaults(t *testing.T) {
	fsys := shardFS(t, 20, 30)
	const first, second = "f-00000-of-00002", "f-00001-of-00002"
	cut, flipped := maps.Clone(fsys), maps.Clone(fsys)
	cut[first] = &fstest.MapFile{Data: fsys[first].Data[:len(fsys[first].Data)-1]}
	data := slices.Clone(fsys[first].Data)
	data[len(data)-1] ^= 1 // the checksum of the last payload
	flipped[first] = &fstest.MapFile{Data: data}
	for _, c := range []struct {
		name    string
		o       dataset.FilesOptions
		pattern string
		want    string
		records int // number of records before the error
	}{
		{"a pipe", dataset.FilesOptions{Open: func(context.Context, string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }},
			first, first + ": random access needs a regular file", 0},
		{"standard input", dataset.FilesOptions{Stdin: strings.NewReader("")}, "-", "standard input cannot be indexed", 0},
		{"a missing file", dataset.FilesOptions{FS: fsys}, "none", "none: file does not exist", 0},
		{"a missing file, skipped", dataset.FilesOptions{FS: fstest.MapFS{second: fsys[second]}, SkipErrors: true}, "f-*", "", 30},
		{"a cut file", dataset.FilesOptions{FS: cut}, "f-*", first + ": record 19 (offset", 0},
		{"a cut file, skipped", dataset.FilesOptions{FS: cut, SkipErrors: true}, "f-*", first + ": record 19 (offset", 0},
		{"a damaged record", dataset.FilesOptions{FS: flipped}, "f-*", "payload checksum mismatch", -1},
		{"a damaged record, skipped", dataset.FilesOptions{FS: flipped, SkipErrors: true}, "f-*", "", 49},
		{"Shuffle", dataset.FilesOptions{FS: fsys, Shuffle: 5}, "f-*", "GlobalShuffle cannot be combined with Shuffle", 0},
		{"Interleave", dataset.FilesOptions{FS: fsys, Interleave: 2}, "f-*", "GlobalShuffle cannot be combined with Interleave", 0},
	} {
		for _, workers := range []int{1, 3} {
			o := c.o
			o.GlobalShuffle, o.Workers = true, workers
			r := dataset.NewFiles([]string{c.pattern}, &o).Records(t.Context())
			n := 0
			var end error
			for _, err := range r.All() {
				if end = err; err == nil {
					n++
				}
			}
			if c.records >= 0 && n != c.records || (end == nil) != (c.want == "") || end != nil && !strings.Contains(end.Error(), c.want) {
				t.Errorf("%s, %d workers: %d records, %v, want %q", c.name, workers, n, end, c.want)
			}
			if s := r.Stats(); c.want == "" && (s.SkippedRanges != 1 || s.Records != int64(n)) {
				t.Errorf("%s, %d workers: %+v", c.name, workers, s)
			}
		}
	}
	noLeak(t)
}

// TestGlobalShuffleClaim checks that an index with a huge record size in compressed data is an
// error, without an allocation of that size.
func TestGlobalShuffleClaim(t *testing.T) {
	data := stream(t, tfrecord.GZIP, []byte("short"))
	x, err := tfrecord.OpenIndexed(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := x.Index().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	const head, at = 72, 72 + 20 // offsets in the index: of its only group, and of the sizes
	if binary.LittleEndian.Uint64(index[48:]) != 1 || index[at] != 5 {
		t.Fatalf("% x is another form", index)
	}
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	size := binary.AppendUvarint(nil, 900<<20)
	hostile := append(slices.Concat(index[:at], size), index[at+1:len(index)-4]...)
	le.PutUint64(hostile[48:], uint64(len(size)))
	le.PutUint64(hostile[56:], 900<<20+tfrecord.HeaderSize+tfrecord.FooterSize)
	le.PutUint32(hostile[head-4:], crc32.Checksum(hostile[:head-4], table))
	le.PutUint32(hostile[at-4:], crc32.Checksum(slices.Concat(hostile[head:at-4], size), table))
	hostile = le.AppendUint32(hostile, crc32.Checksum(hostile, table))
	fsys := fstest.MapFS{"x": {Data: data}, "x" + tfrecord.IndexExtension: {Data: hostile}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = dataset.NewFiles([]string{"x"}, &dataset.FilesOptions{FS: fsys, GlobalShuffle: true}).Records(t.Context()).Next()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want the end of the data", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestGlobalShuffleResume stops a stream at 50 positions, also in later epochs: another stream
// continues with the next record.
func TestGlobalShuffleResume(t *testing.T) {
	stops := testkit.Rounds(80)
	r := rand.New(rand.NewPCG(50, 1))
	for range stops {
		o := randomOptions(r)
		o.FS = shardFS(t, 40, 0, 150, 3, 90)
		o.GlobalShuffle, o.ShuffleFiles, o.Interleave, o.Shuffle = true, false, 0, 0
		o.Repeat = 3
		want := contentsOf(t, dataset.NewFiles([]string{"f-*"}, &o))
		stop := r.IntN(len(want) + 1)
		stream := dataset.NewFiles([]string{"f-*"}, &o).Records(t.Context())
		for range stop {
			if _, err := stream.Next(); err != nil {
				t.Fatal(err)
			}
		}
		s, err := stream.State()
		if err != nil {
			t.Fatal(err)
		}
		stream.Close()
		o.Resume, o.Workers = remake(t, s), 1+r.IntN(4)
		if got := contentsOf(t, dataset.NewFiles([]string{"f-*"}, &o)); !slices.Equal(got, want[stop:]) {
			t.Fatalf("%+v: behind record %d of %d are %d others", o, stop, len(want), len(got))
		}
	}
	noLeak(t)
}
