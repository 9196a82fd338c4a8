package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

var (
	errTrap   = errors.New("the source broke")
	errEnough = errors.New("the caller had enough")
)

// A trap is a file that calls a function at one of its reads.
type trap struct {
	r      io.Reader
	rng    *rand.Rand
	at     int // at read number at from now, do is called
	do     func(p []byte) (int, error)
	end    error // error of Close
	closed atomic.Bool
}

func (f *trap) Read(p []byte) (int, error) {
	if f.at--; f.at == 0 {
		return f.do(p)
	}
	return f.r.Read(p[:min(len(p), 1+f.rng.IntN(700))])
}

func (f *trap) Close() error {
	if f.closed.Swap(true) {
		return errors.New("closed twice")
	}
	return f.end
}

// TestAttack lets something go wrong at any moment: the caller gives up in Next, between two calls or
// inside a read; a source fails, never has data, or cannot be closed; a record is larger than the
// budget. The stream must end soon with one of the errors, return the same error from then on, have
// returned a part of the right sequence, close every file once, and leave no goroutine.
func TestAttack(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	turns := testkit.Rounds(480)
	var data [3][]byte
	packed := []tfrecord.Compression{tfrecord.None, tfrecord.None, tfrecord.GZIP}
	for i := range data {
		var recs [][]byte
		for r := range 90 {
			recs = append(recs, numbered(t, i, r))
		}
		data[i] = stream(t, packed[i], recs...)
	}
	for turn := range turns {
		p, err := feature.NewParser(numberedSpec, &feature.ParserOptions{AliasRecords: rng.IntN(3) == 0})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		opts := dataset.FilesOptions{Workers: 1 + rng.IntN(4), Prefetch: rng.IntN(4) - 1, Interleave: rng.IntN(4), Budget: 1 << rng.IntN(18), Repeat: int64(1 + rng.IntN(2)),
			SkipErrors: rng.IntN(4) == 0, Reader: tfrecord.ReaderOptions{BufferSize: rng.IntN(2) * (1 + rng.IntN(3000))}}
		if rng.IntN(4) == 0 {
			opts.Shuffle = 1 + rng.IntN(40)
		}
		var files []*trap
		var wild uint64
		opts.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
			i := int(name[1] - '0')
			src := rand.New(rand.NewPCG(uint64(turn), uint64(i)))
			f := &trap{r: bytes.NewReader(data[i]), rng: src, at: -1}
			if src.IntN(3) == 0 {
				f.at = 1 + src.IntN(30)
				switch wild = src.Uint64(); wild % 6 {
				case 0:
					f.do = func([]byte) (int, error) { return 0, errTrap }
				case 1:
					f.do = func(p []byte) (int, error) { f.at = 1; return 0, nil } // for ever
				case 2:
					f.do = func([]byte) (int, error) { cancel(errEnough); return 0, io.ErrUnexpectedEOF }
				case 3:
					f.do = func(p []byte) (int, error) { cancel(errEnough); return f.r.Read(p) }
				case 4:
					f.do = func(p []byte) (int, error) { return len(p) + 1, nil }
				case 5:
					f.at, f.end = -1, errTrap
				}
			}
			return f, nil
		}
		// Open is called by several goroutines.
		open, lock := opts.Open, make(chan struct{}, 1)
		opts.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
			lock <- struct{}{}
			defer func() { <-lock }()
			f, err := open(ctx, name)
			files = append(files, f.(*trap))
			return f, err
		}
		leave, how := rng.IntN(60), rng.IntN(4)
		done := make(chan string, 1)
		go func() { done <- attack(ctx, cancel, p, opts, leave, how) }()
		select {
		case fault := <-done:
			if fault != "" {
				t.Errorf("turn %d, %+v: %s", turn, opts, fault)
			}
		case <-time.After(time.Minute):
			buf := make([]byte, 1<<16)
			t.Fatalf("turn %d, %+v: it hangs\n%s", turn, opts, buf[:runtime.Stack(buf, true)])
		}
		for _, f := range files {
			if !f.closed.Load() {
				t.Errorf("turn %d, %+v: a file is open", turn, opts)
			}
		}
		cancel(nil)
	}
	noLeak(t)
}

// attack reads some batches and gives up in some way. It returns what is wrong, or "".
func attack(ctx context.Context, cancel context.CancelCauseFunc, p *feature.Parser, opts dataset.FilesOptions, leave, how int) string {
	s := dataset.NewFiles([]string{"f0", "f1", "f2"}, &opts).Batches(ctx, p, 5)
	seen := map[string]bool{}
	var kept []*dataset.Batch
	var rows []string
	for n := 0; ; n++ {
		if n == leave {
			switch how {
			case 0:
				cancel(errEnough)
			case 1:
				go cancel(errEnough)
			case 2:
				s.Close()
			}
		}
		b, err := s.Next()
		if err != nil {
			s.Close()
			if _, again := s.Next(); again != err {
				return fmt.Sprintf("the end is %v, and then %v", err, again)
			}
			for _, want := range []error{io.EOF, errTrap, errEnough, fs.ErrClosed, io.ErrNoProgress, io.ErrUnexpectedEOF} {
				if errors.Is(err, want) {
					return inOrder(rows, opts)
				}
			}
			if strings.Contains(err.Error(), "impossible count") {
				return inOrder(rows, opts)
			}
			return fmt.Sprintf("the end is %v", err)
		}
		file, err1 := feature.ColumnOf[int64](b.Columns(), "file")
		record, err2 := feature.ColumnOf[int64](b.Columns(), "record")
		pad, err3 := feature.ColumnOf[string](b.Columns(), "pad")
		if err := errors.Join(err1, err2, err3); err != nil {
			return err.Error()
		}
		for i, f := range file.Values() {
			r := record.Values()[i]
			at := b.Position(i)
			if want := strings.Repeat("x", int(f*31+r*17)%97); pad.Values()[i] != want || at.Name != fmt.Sprintf("f%d", f) || at.Record != r {
				return fmt.Sprintf("row %d/%d holds %q and stands at %v", f, r, pad.Values()[i], at)
			}
			row := fmt.Sprintf("%d/%03d", f, r)
			if seen[row] && opts.Repeat < 2 {
				return row + " comes twice"
			}
			seen[row] = true
			rows = append(rows, row)
		}
		if kept = append(kept, b); len(kept) > 3 {
			kept[0].Release()
			kept = kept[1:]
		}
	}
}

// inOrder returns what is wrong with the order of the rows, or "", if the options keep the order of
// the files.
func inOrder(rows []string, o dataset.FilesOptions) string {
	if o.Interleave > 1 || o.Shuffle > 0 || o.Repeat > 1 {
		return ""
	}
	if !slices.IsSorted(rows) {
		return fmt.Sprintf("rows are not in order: %v", rows)
	}
	return ""
}
