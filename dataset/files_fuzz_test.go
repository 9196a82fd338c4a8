package dataset_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// mixed returns the first inputs of FuzzFiles: files in some codecs, one of them damaged.
func mixed(tb testing.TB) [][]byte {
	tb.Helper()
	var recs [][]byte
	for i := range 12 {
		recs = append(recs, numbered(tb, 0, i))
	}
	whole := stream(tb, tfrecord.None, recs...)
	broken := bytes.Clone(whole)
	broken[500] ^= 4
	return [][]byte{whole, broken, stream(tb, tfrecord.GZIP, recs...), stream(tb, tfrecord.SNAPPY, recs[:3]...)}
}

// FuzzFiles reads three files of any bytes with random settings. Reading on the caller's goroutine, on
// other goroutines and in a loop over tfrecord must give the same records and errors.
func FuzzFiles(f *testing.F) {
	for _, data := range mixed(f) {
		for _, settings := range []uint64{0, 1, 0x1234567, 0xfedcba987} {
			f.Add(data, settings, uint16(300), uint16(500))
		}
	}
	p := parser(f)
	f.Fuzz(func(t *testing.T, data []byte, settings uint64, cut1, cut2 uint16) {
		if len(data) < 1<<16 {
			compareWays(t, p, data, settings, int(cut1), int(cut2))
		}
	})
}

// TestRandomFiles is FuzzFiles with random settings and damage, for runs without fuzzing.
func TestRandomFiles(t *testing.T) {
	p := parser(t)
	rng := rand.New(rand.NewPCG(8, 9))
	seeds := mixed(t)
	for range testkit.Rounds(320) {
		data := bytes.Clone(seeds[rng.IntN(len(seeds))])
		if rng.IntN(2) == 0 {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		compareWays(t, p, data, rng.Uint64(), rng.IntN(1500), rng.IntN(1500))
	}
	noLeak(t)
}

func compareWays(t *testing.T, p *feature.Parser, data []byte, settings uint64, cut1, cut2 int) {
	t.Helper()
	a, b := min(cut1, len(data)), min(cut2, len(data))
	a, b = min(a, b), max(a, b)
	fsys := fstest.MapFS{"f-00000": {Data: data[:b]}, "f-00001": {Data: data}, "f-00002": {Data: data[a:]}}
	bits := func(n int) int {
		v := settings & (1<<n - 1)
		settings >>= n
		return int(v)
	}
	opts := dataset.FilesOptions{FS: fsys, Workers: 1, SkipErrors: bits(1) == 1, Interleave: bits(2), Skip: int64(bits(3)), Take: int64(bits(4)),
		Shuffle: bits(3), Repeat: int64(bits(2)), DropRemainder: bits(1) == 1, ShuffleFiles: bits(1) == 1, Seed: uint64(bits(2)), Budget: int64(bits(11))}
	if bits(1) == 1 {
		opts.Shard = dataset.Shard{Index: bits(1), Count: 2, ByRecord: bits(1) == 1}
	}
	size := 1 + bits(3)
	read := func(workers int) string {
		o := opts
		o.Workers = workers
		s := dataset.NewFiles([]string{"f-*"}, &o).Batches(t.Context(), p, size)
		rows, err := plainRows(s)
		stats := s.Stats()
		stats.PeakBytes = 0
		return exactly(fmt.Sprintf("%s\n%v\n%+v", rows, err, stats))
	}
	want := read(1)
	for _, workers := range []int{2, 3} {
		if got := read(workers); got != want {
			t.Fatalf("%+v\n%d workers: %s\none worker: %s", opts, workers, got, want)
		}
	}
	plain := dataset.FilesOptions{FS: fsys, SkipErrors: opts.SkipErrors, Budget: opts.Budget}
	for _, workers := range []int{1, 2} {
		plain.Workers = workers
		if got, want := exactly(sums(t, dataset.NewFiles([]string{"f-*"}, &plain))), exactly(loopSums(fsys, plain.SkipErrors)); got != want {
			t.Fatalf("%d workers:\n got %s\nwant %s", workers, got, want)
		}
	}
}

// exactly removes approximate offsets in compressed input from an error: they depend on how much is
// read at once, and so on small budgets.
func exactly(s string) string { return about.ReplaceAllString(s, "") }

var about = regexp.MustCompile(`, near compressed byte 0x[0-9a-f]+`)

// plainRows is rowsOf without the check of the names.
func plainRows(s *dataset.Batches) (out string, err error) {
	for b, err := range s.All() {
		if err != nil {
			return out, err
		}
		files, _ := feature.ColumnOf[int64](b.Columns(), "file")
		records, _ := feature.ColumnOf[int64](b.Columns(), "record")
		out += fmt.Sprintf("|%v %v %v", files.Values(), records.Values(), b.Position(b.Len()-1))
		b.Release()
	}
	return out, nil
}

// sums returns a checksum of the records of a stream, and its error.
func sums(t *testing.T, f *dataset.Files) string {
	h := sha256.New()
	r := f.Records(t.Context())
	for rec, err := range r.All() {
		if err != nil {
			return fmt.Sprintf("%x %v", h.Sum(nil), err)
		}
		fmt.Fprintf(h, "%v %q\n", r.Pos(), rec)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// loopSums is sums for a loop over tfrecord.
func loopSums(fsys fstest.MapFS, stepOver bool) string {
	h := sha256.New()
	for i := range 3 {
		opts := tfrecord.ReaderOptions{Name: fmt.Sprintf("f-%05d", i)}
		src := &plainReader{bytes.NewReader(fsys[opts.Name].Data)}
		if stepOver {
			for found := range tfrecord.NewReader(src, &opts).Recover() {
				if found.Skipped == nil {
					fmt.Fprintf(h, "%v %q\n", found.Pos, found.Record)
				}
			}
			continue
		}
		r := tfrecord.NewReader(src, &opts)
		for rec, err := range r.All() {
			if err != nil {
				return fmt.Sprintf("%x %v", h.Sum(nil), err)
			}
			fmt.Fprintf(h, "%v %q\n", r.Pos(), rec)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A plainReader has only the method Read.
type plainReader struct{ r *bytes.Reader }

func (p *plainReader) Read(b []byte) (int, error) { return p.r.Read(b) }
