package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// damaged is five shards of ten records, of which shard 2 is broken at record 7.
func damaged(t *testing.T, how string) (fsys fstest.MapFS, offset int64) {
	fsys = shardFS(t, 10, 10, 10, 10, 10)
	name := "f-00002-of-00005"
	var recs [][]byte
	for i := range 10 {
		recs = append(recs, numbered(t, 2, i))
		if i < 7 {
			offset += int64(tfrecord.HeaderSize + len(recs[i]) + tfrecord.FooterSize)
		}
	}
	var data []byte
	switch how {
	case "misfit":
		recs[7] = recs[7][:len(recs[7])-1]
		data = stream(t, tfrecord.None, recs...)
	case "payload":
		data = stream(t, tfrecord.None, recs...)
		data[offset+tfrecord.HeaderSize+3] ^= 1
	case "length":
		data = stream(t, tfrecord.None, recs...)
		data[offset] ^= 1
	case "cut":
		data = stream(t, tfrecord.None, recs...)[:offset+20]
	case "missing":
		delete(fsys, name)
		return fsys, 0
	}
	fsys[name] = &fstest.MapFile{Data: data}
	return fsys, offset
}

// TestFirstFault checks that a fault ends the stream after the same rows, with the same error and
// position, for any number of workers.
func TestFirstFault(t *testing.T) {
	p := parser(t)
	for _, c := range []struct {
		how     string
		is      error
		rows    string
		message string
	}{
		{"misfit", io.ErrUnexpectedEOF, "2/4 2/5|2/6", "record 7"},
		{"payload", tfrecord.ErrDataChecksum, "2/4 2/5|2/6", "record 7"},
		{"length", tfrecord.ErrLengthChecksum, "2/4 2/5|2/6", "record 7"},
		{"cut", io.ErrUnexpectedEOF, "2/4 2/5|2/6", "record 7"},
		{"missing", fs.ErrNotExist, "", "f@5: 1 of 5 shards is missing: f-00002-of-00005"},
	} {
		fsys, offset := damaged(t, c.how)
		var first string
		for _, workers := range workerCounts(t, 8) {
			for _, drop := range []bool{false, true} {
				got, err := rowsOf(dataset.NewFiles([]string{"f@5"}, &dataset.FilesOptions{FS: fsys, Workers: workers, DropRemainder: drop}).Batches(t.Context(), p, 2))
				want := c.rows
				if drop {
					want = strings.TrimSuffix(want, "|2/6")
				}
				if !strings.HasSuffix(got, want) || c.rows == "" && got != "" {
					t.Errorf("%s, %d workers: the rows end with %s, want %s", c.how, workers, got[max(0, len(got)-20):], want)
				}
				if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.message) {
					t.Fatalf("%s, %d workers: error %v, want %v at %s", c.how, workers, err, c.is, c.message)
				}
				if first == "" {
					first = err.Error()
				} else if first != err.Error() {
					t.Errorf("%s, %d workers: error %v, with others %v", c.how, workers, err, first)
				}
				if c.how == "missing" {
					continue
				}
				te, ok := errors.AsType[*tfrecord.Error](err)
				if want := (tfrecord.Position{Name: "f-00002-of-00005", Record: 7, Offset: offset}); !ok || te.Position != want {
					t.Errorf("%s: position %v, want %v", c.how, te.Position, want)
				}
				if _, ok := errors.AsType[*feature.Error](err); ok != (c.how == "misfit") {
					t.Errorf("%s: whether it is a *feature.Error: %v", c.how, ok)
				}
			}
		}
	}
	noLeak(t)
}

// TestSkipErrors checks that only damaged records are skipped, that batches are full without them, and
// that they are counted and reported.
func TestSkipErrors(t *testing.T) {
	p := parser(t)
	for _, c := range []struct {
		how  string
		gone []string
		want dataset.Stats
	}{
		{"misfit", []string{"2/7"}, dataset.Stats{Records: 49, Unfit: 1}},
		{"payload", []string{"2/7"}, dataset.Stats{Records: 49, SkippedRanges: 1, SkippedRecords: 1}},
		{"length", []string{"2/7"}, dataset.Stats{Records: 49, SkippedRanges: 1, SkippedRecords: -1}},
		{"cut", []string{"2/7", "2/8", "2/9"}, dataset.Stats{Records: 47, SkippedRanges: 1, SkippedRecords: -1}},
		{"missing", []string{"2/0", "2/1", "2/2", "2/3", "2/4", "2/5", "2/6", "2/7", "2/8", "2/9"}, dataset.Stats{Records: 40, SkippedRanges: 1, SkippedRecords: -1}},
	} {
		fsys, offset := damaged(t, c.how)
		var rows []string
		for f := range 5 {
			for r := range 10 {
				if row := fmt.Sprintf("%d/%d", f, r); !strings.Contains(" "+strings.Join(c.gone, " ")+" ", " "+row+" ") {
					rows = append(rows, row)
				}
			}
		}
		for _, size := range []int{1, 3, 7, 100} {
			want := &strings.Builder{}
			for i, r := range rows {
				if i > 0 {
					want.WriteString(map[bool]string{true: "|", false: " "}[i%size == 0])
				}
				want.WriteString(r)
			}
			for _, workers := range workerCounts(t, 6) {
				var skipped []dataset.Skipped
				s := dataset.NewFiles([]string{"f@5"}, &dataset.FilesOptions{FS: fsys, Workers: workers, SkipErrors: true,
					OnSkip: func(l dataset.Skipped) { skipped = append(skipped, l) }}).Batches(t.Context(), p, size)
				got, err := rowsOf(s)
				if err != nil {
					t.Fatalf("%s: %v", c.how, err)
				}
				if got != want.String() {
					t.Fatalf("%s, batches of %d, %d workers:\n got %s\nwant %s", c.how, size, workers, got, want)
				}
				stats := s.Stats()
				stats.PeakBytes, stats.Batches = 0, 0
				if stats != c.want {
					t.Errorf("%s: stats %+v, want %+v", c.how, stats, c.want)
				}
				if len(skipped) != 1 || skipped[0].Name != "f-00002-of-00005" || skipped[0].Offset != offset || skipped[0].Err == nil ||
					skipped[0].Record != map[bool]int64{true: -1, false: 7}[c.how == "missing"] {
					t.Errorf("%s: skipped %+v", c.how, skipped)
				}
			}
		}
	}
	noLeak(t)
}

// TestManyMisfits reads many records that do not fit, in many batches in progress.
func TestManyMisfits(t *testing.T) {
	fsys := fstest.MapFS{}
	rng := rand.New(rand.NewPCG(3, 4))
	var want []string
	for f := range 4 {
		var recs [][]byte
		for r := range 200 {
			rec := numbered(t, f, r)
			if rng.IntN(10) == 0 {
				rec = []byte{0xff}
			} else {
				want = append(want, fmt.Sprintf("%d/%d", f, r))
			}
			recs = append(recs, rec)
		}
		fsys[fmt.Sprintf("f-%05d-of-00004", f)] = &fstest.MapFile{Data: stream(t, tfrecord.None, recs...)}
	}
	p := parser(t)
	for workers := range 5 {
		s := dataset.NewFiles([]string{"f@4"}, &dataset.FilesOptions{FS: fsys, Workers: workers + 1, SkipErrors: true, DropRemainder: true}).Batches(t.Context(), p, 16)
		got, err := rowsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.FieldsFunc(got, func(r rune) bool { return r == '|' || r == ' ' })
		if len(rows) != len(want)/16*16 || strings.Join(rows, " ") != strings.Join(want[:len(rows)], " ") {
			t.Errorf("%d workers: rows differ", workers+1)
		}
		if s := s.Stats(); s.Unfit < int64(800-len(want)-16) || s.Unfit > int64(800-len(want)) {
			t.Errorf("%d workers: %d misfits counted of %d", workers+1, s.Unfit, 800-len(want))
		}
	}
	noLeak(t)
}

// TestNoneFits checks that endless repetition ends if no record fits, and goes on if one record fits.
func TestNoneFits(t *testing.T) {
	p := parser(t)
	for _, workers := range workerCounts(t, 5) {
		for _, size := range []int{1, 30} {
			fsys := fstest.MapFS{"f": {Data: stream(t, tfrecord.None, []byte{0xff}, []byte{0xfe}, []byte{0xfd})}}
			opts := &dataset.FilesOptions{FS: fsys, Workers: workers, SkipErrors: true, Repeat: -1, Shuffle: 2}
			s := dataset.NewFiles([]string{"f"}, opts).Batches(t.Context(), p, size)
			if b, err := s.Next(); err != io.EOF {
				t.Errorf("%v, %v", b, err)
			}
			if n := s.Stats().Unfit; n < 6 {
				t.Errorf("%d misfits", n)
			}
			fsys["g"] = &fstest.MapFile{Data: stream(t, tfrecord.None, numbered(t, 0, 0))}
			s = dataset.NewFiles([]string{"f", "g"}, opts).Batches(t.Context(), p, size)
			for range 5 {
				if b, err := s.Next(); err != nil || b.Len() != size {
					t.Errorf("%d workers, batches of %d: %v, %v", workers, size, b, err)
					break
				}
			}
			s.Close()
		}
	}
	noLeak(t)
}

// TestEarlyStop checks that no goroutine or file is left after a break, after Close, and without a
// read.
func TestEarlyStop(t *testing.T) {
	fsys := shardFS(t, 50, 50, 50)
	p := parser(t)
	for workers := range 4 {
		for stop := range 12 {
			f := dataset.NewFiles([]string{"f@3"}, &dataset.FilesOptions{FS: fsys, Workers: workers + 1, Budget: 2000, Interleave: 1 + stop%3, Shuffle: stop % 4})
			n := 0
			for b, err := range f.Batches(t.Context(), p, 5).All() {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > stop {
					break
				}
				b.Release()
			}
			r := f.Records(t.Context())
			for range stop {
				if _, err := r.Next(); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Next(); err != fs.ErrClosed {
				t.Errorf("Next after Close: %v", err)
			}
			f.Batches(t.Context(), p, 5) // never read, never closed
		}
	}
	noLeak(t)
}

// TestCancel checks that the end of a context ends the stream at any moment, with context.Canceled and
// its cause.
func TestCancel(t *testing.T) {
	fsys := shardFS(t, 60, 60, 60)
	p := parser(t)
	cause := errors.New("enough")
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		ctx, cancel := context.WithCancelCause(t.Context())
		opts := &dataset.FilesOptions{FS: fsys, Workers: 1 + rng.IntN(4), Budget: int64(500 + rng.IntN(3000)), SkipErrors: rng.IntN(2) == 0, Repeat: -1}
		calls := rng.IntN(30)
		if rng.IntN(2) == 0 {
			// Cancel at a random moment of the goroutines.
			var wg sync.WaitGroup
			wg.Go(func() {
				for range calls * 20 {
					runtime.Gosched()
				}
				cancel(cause)
			})
			_, err := rowsOf(dataset.NewFiles([]string{"f@3"}, opts).Batches(ctx, p, 3))
			wg.Wait()
			if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
				t.Fatalf("%+v: %v", opts, err)
			}
			continue
		}
		s := dataset.NewFiles([]string{"f@3"}, opts).Batches(ctx, p, 3)
		for range calls {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
		}
		cancel(cause)
		for err := error(nil); !errors.Is(err, cause) || !errors.Is(err, context.Canceled); _, err = s.Next() {
			if err != nil {
				t.Fatalf("%+v: %v", opts, err)
			}
		}
		if l := s.Stats().SkippedRanges; l != 0 {
			t.Errorf("%d losses were counted", l)
		}
	}
	noLeak(t)
}

// TestCancelWithoutClose checks that the goroutines end with the context. Close is still needed for
// files that are open on the caller's goroutine.
func TestCancelWithoutClose(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fsys := shardFS(t, 50, 50, 50)
	for stop := range 4 {
		f := dataset.NewFiles([]string{"f@3"}, &dataset.FilesOptions{FS: fsys, Workers: 3, Budget: 1000 << (4 * stop), Repeat: -1})
		b, r := f.Batches(ctx, parser(t), 5), f.Records(ctx)
		for range stop + 1 {
			_, err1 := b.Next()
			_, err2 := r.Next()
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	noLeak(t)
}

// TestCancelRead checks that a read without end ends with the context, if the file watches the
// context.
func TestCancelRead(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		f := dataset.NewFiles([]string{"x"}, &dataset.FilesOptions{Workers: workers, Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
			return &endless{stop: make(chan struct{}), begun: cancel}, nil
		}})
		if _, err := f.Records(ctx).Next(); err != context.Canceled {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	noLeak(t)
}

// endless blocks every read until its context ends.
type endless struct {
	begun func()
	stop  chan struct{}
}

func (e *endless) Read([]byte) (int, error) { e.begun(); <-e.stop; return 0, errors.New("deadline") }
func (e *endless) Close() error             { return nil }
func (e *endless) SetReadDeadline(time.Time) error {
	close(e.stop)
	return nil
}

// TestCancelStdin checks that standard input that is a pipe without data does not delay the end.
func TestCancelStdin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Skipf("skipped: pipes of this system cannot be told to end a read: %v", err)
	}
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := dataset.NewFiles([]string{"-"}, &dataset.FilesOptions{Stdin: r, Workers: workers}).Records(ctx).Next(); err != context.DeadlineExceeded {
			t.Errorf("%d workers: %v", workers, err)
		}
		cancel()
		noLeak(t)
	}
	// The pipe can be read afterwards.
	if _, err := w.Write(stream(t, tfrecord.None, numbered(t, 0, 0))); err != nil {
		t.Fatal(err)
	}
	s := dataset.NewFiles([]string{"-"}, &dataset.FilesOptions{Stdin: r, Workers: 1}).Records(t.Context())
	defer s.Close()
	if _, err := s.Next(); err != nil {
		t.Error(err)
	}
}

// A meter counts the bytes of all files that were read and are not yet returned.
type meter struct {
	now, most atomic.Int64
	files     atomic.Int64
}

type metered struct {
	io.Reader
	m *meter
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	now := m.m.now.Add(int64(n))
	for {
		most := m.m.most.Load()
		if now <= most || m.m.most.CompareAndSwap(most, now) {
			return n, err
		}
	}
}

func (m metered) Close() error { m.m.files.Add(-1); return nil }

// TestBudget checks that reading ahead stays within the budget for any speed of the consumer, and that
// a record larger than the budget is returned.
func TestBudget(t *testing.T) {
	const buffer = 4 << 10
	big := bytes.Repeat([]byte{7}, 300_000)
	var recs [][]byte
	for i := range 800 {
		recs = append(recs, bytes.Repeat([]byte{1}, 500+i))
	}
	small := stream(t, tfrecord.None, recs...)
	large := stream(t, tfrecord.None, append([][]byte{recs[3], big, big}, recs[:5]...)...)
	budgets := []int64{1, 10_000, 100_000, 1 << 20}
	if testing.Short() {
		budgets = budgets[1:2]
	}
	for _, budget := range budgets {
		for _, workers := range []int{2, 4} {
			for _, interleave := range []int{1, 3} {
				var m meter
				f := dataset.NewFiles([]string{"small@3", "large@2", "small@1"}, &dataset.FilesOptions{
					Workers: workers, Interleave: interleave, Budget: budget, Reader: tfrecord.ReaderOptions{BufferSize: buffer},
					Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
						data := small
						if strings.HasPrefix(name, "large") {
							data = large
						}
						m.files.Add(1)
						return metered{bytes.NewReader(data), &m}, nil
					}})
				r := f.Records(t.Context())
				n := 0
				for rec, err := range r.All() {
					if err != nil {
						t.Fatal(err)
					}
					if n%64 == 0 {
						time.Sleep(20 * time.Microsecond) // so that the readers are ahead
					}
					m.now.Add(-int64(len(rec)) - tfrecord.HeaderSize - tfrecord.FooterSize)
					n++
				}
				if n != 4*800+2*8 {
					t.Fatalf("%d records", n)
				}
				// A record that is too large, in the reader of each file and in a buffer of the
				// stream; one more buffer, and the part of the next record in a reader.
				slack := int64(max(workers, interleave)) * (int64(len(big)) + 3*buffer)
				if m.most.Load() > budget+slack+int64(len(big)) {
					t.Errorf("budget %d: %d bytes under way", budget, m.most.Load())
				}
				// A record that is lent, and the next record, which is larger than its buffer.
				if peak := r.Stats().PeakBytes; peak > budget+int64(3*len(big))+slack/8 {
					t.Errorf("budget %d: peak %d", budget, peak)
				}
				if m.files.Load() != 0 {
					t.Errorf("%d files are not closed", m.files.Load())
				}
			}
		}
	}
	noLeak(t)
}

// TestTrickle checks that records are returned as soon as they arrive.
func TestTrickle(t *testing.T) {
	for _, workers := range []int{1, 2} {
		in, out := io.Pipe()
		s := dataset.NewFiles([]string{"-"}, &dataset.FilesOptions{Stdin: in, Workers: workers}).Records(t.Context())
		for i := range 5 {
			go out.Write(stream(t, tfrecord.None, numbered(t, 0, i)))
			rec, err := s.Next()
			if err != nil || !bytes.Equal(rec, numbered(t, 0, i)) {
				t.Fatalf("%d workers, record %d: %q, %v", workers, i, rec, err)
			}
		}
		out.Close()
		if _, err := s.Next(); err != io.EOF {
			t.Errorf("%d workers: %v", workers, err)
		}
		noLeak(t)
	}
}

// TestOpen reads with an Open function that fails, and from files that fail or behave unusually.
func TestOpen(t *testing.T) {
	data := stream(t, tfrecord.GZIP, numbered(t, 0, 0), numbered(t, 0, 1))
	broken := errors.New("no such bucket")
	type closer struct {
		io.Reader
		io.Closer
	}
	open := func(ctx context.Context, name string) (io.ReadCloser, error) {
		switch name {
		case "refused":
			return nil, broken
		case "read":
			return io.NopCloser(io.MultiReader(bytes.NewReader(data[:20]), iotest.ErrReader(broken))), nil
		case "close":
			return closer{bytes.NewReader(data), closeError{broken}}, nil
		case "byte*":
			return io.NopCloser(iotest.OneByteReader(bytes.NewReader(data))), nil
		}
		return io.NopCloser(iotest.DataErrReader(bytes.NewReader(data))), nil
	}
	for _, workers := range []int{1, 3} {
		for name, want := range map[string]string{
			"refused": "refused: no such bucket",
			"read":    "read: record 0 (offset 0x0), near compressed byte 0x0: no such bucket",
			"close":   "close: no such bucket",
			"byte*":   "", // not a glob: Open alone cannot list files
		} {
			got, err := countRecords(dataset.NewFiles([]string{"f-00000-of-00001", name, "more"}, &dataset.FilesOptions{Open: open, Workers: workers}).Records(t.Context()))
			if want == "" {
				if err != nil || got != 6 {
					t.Errorf("%s: %d records, %v", name, got, err)
				}
				continue
			}
			if !errors.Is(err, broken) || err.Error() != want {
				t.Errorf("%s: error %v, want %s", name, err, want)
			}
		}
	}
	noLeak(t)
}

type closeError struct{ err error }

func (c closeError) Close() error { return c.err }

func countRecords(r *dataset.Records) (n int, err error) {
	for _, err := range r.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestArguments checks that invalid settings are errors of the first Next.
func TestArguments(t *testing.T) {
	p := parser(t)
	fsys := shardFS(t, 1)
	for _, c := range []struct {
		patterns []string
		opts     dataset.FilesOptions
		rows     int
		want     string
	}{
		{[]string{"f@1"}, dataset.FilesOptions{}, 0, "0"},
		{[]string{"f@1"}, dataset.FilesOptions{Workers: -1}, 1, "Workers"},
		{[]string{"f@1"}, dataset.FilesOptions{Take: -1}, 1, "Take"},
		{[]string{"f@1"}, dataset.FilesOptions{Repeat: -2}, 1, "Repeat"},
		{[]string{"f@1"}, dataset.FilesOptions{Shard: dataset.Shard{Index: 2, Count: 2}}, 1, "Shard.Index"},
		{[]string{"f@1"}, dataset.FilesOptions{Shard: dataset.Shard{Index: 1}}, 1, "Shard.Index"},
		{[]string{"-", "-"}, dataset.FilesOptions{}, 1, "twice"},
		{[]string{"-"}, dataset.FilesOptions{Repeat: 2}, 1, "once"},
		{[]string{""}, dataset.FilesOptions{}, 1, "empty"},
		{[]string{"f@0"}, dataset.FilesOptions{}, 1, "0 shards"},
		{[]string{"f@1000001"}, dataset.FilesOptions{}, 1, "more than"},
		{[]string{"f["}, dataset.FilesOptions{}, 1, "malformed"},
		{[]string{"d/**/f"}, dataset.FilesOptions{}, 1, "** is not supported"},
	} {
		c.opts.FS = fsys
		s := dataset.NewFiles(c.patterns, &c.opts).Batches(t.Context(), p, c.rows)
		for range 2 {
			if _, err := s.Next(); !errors.Is(err, dataset.ErrArgument) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q %+v: error %v, want one about %s", c.patterns, c.opts, err, c.want)
			}
		}
		s.Close()
	}
	noLeak(t)
}
