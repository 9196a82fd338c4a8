package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

var errOdd = errors.New("odd")

// oddStyle formats a record as its number and size; those whose number is
// given have no text.
func oddStyle(prefix string, odd func(i int64) bool) func() Formatter {
	return func() Formatter {
		return Each(func(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
			if odd(pos.Record) {
				return dst, errOdd
			}
			return fmt.Appendf(dst, "%s %d %d\n", prefix, pos.Record, len(rec)), nil
		})
	}
}

// Text and faults come out in the order of the records, whatever their sizes,
// and so across a change of style.
func TestPoolOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	odd := func(i int64) bool { return i%97 == 5 }
	for _, size := range []int{0, 1, 2000, oldLongRecord, oldLongRecord + 1, 3 * oldBatchBytes} {
		var got, want bytes.Buffer
		out := &cli.Output{W: &got}
		p := NewPool(out, func(f *Fault) error {
			if !errors.Is(f, errOdd) {
				t.Errorf("fault %v", f)
			}
			out.Buf = fmt.Appendf(out.Buf, "fault %d\n", f.Record)
			return nil
		})
		rec := make([]byte, size+1)
		for i := range int64(800) {
			if i%300 == 0 {
				if err := p.Use(oddStyle(fmt.Sprint("style", i/300), odd)); err != nil {
					t.Fatal(err)
				}
			}
			n := r.IntN(size + 1)
			for j := range rec[:n] {
				rec[j] = byte(i) // the record is lent: the next one lies in the same place
			}
			if err := p.Add(rec[:n], tfrecord.Position{Record: i}); err != nil {
				t.Fatal(err)
			}
			if odd(i) {
				fmt.Fprintf(&want, "fault %d\n", i)
			} else {
				fmt.Fprintf(&want, "style%d %d %d\n", i/300, i, n)
			}
		}
		if err := p.Drain(); err != nil {
			t.Fatal(err)
		}
		p.Close()
		if err := out.Finish(nil); err != nil || got.String() != want.String() {
			t.Errorf("size %d: %v, output differs: %v", size, err, got.String() != want.String())
		}
	}
}

// Nor does it matter how much text there is of a record: no batch keeps much more
// than its share.
func TestPoolOfLongText(t *testing.T) {
	for _, length := range []int{0, batchText / 3, batchText, 2 * batchText} {
		var got, want bytes.Buffer
		out := &cli.Output{W: &got}
		p := NewPool(out, func(f *Fault) error {
			out.Buf = fmt.Appendf(out.Buf, "fault %d\n", f.Record)
			return nil
		})
		text := bytes.Repeat([]byte("x"), length)
		err := p.Use(func() Formatter {
			return Each(func(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
				if pos.Record%5 == 3 {
					return dst, errOdd
				}
				return fmt.Appendf(dst, "%d %s\n", pos.Record, text), nil
			})
		})
		for i := int64(0); i < 30 && err == nil; i++ {
			if i%5 == 3 {
				fmt.Fprintf(&want, "fault %d\n", i)
			} else {
				fmt.Fprintf(&want, "%d %s\n", i, text)
			}
			err = p.Add([]byte("record"), tfrecord.Position{Record: i})
		}
		if err == nil {
			err = p.Drain()
		}
		for _, b := range p.Free {
			if most := 2 * (batchText + length + 100); cap(b.Text) > most {
				t.Errorf("text of %d: a batch keeps %d bytes, want at most %d", length, cap(b.Text), most)
			}
		}
		p.Close()
		if err := out.Finish(err); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("text of %d: %v, output differs: %v", length, err, !bytes.Equal(got.Bytes(), want.Bytes()))
		}
	}
}

// After a fault that stops, nothing behind it is written, and the workers end.
func TestPoolStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		var got bytes.Buffer
		out := &cli.Output{W: &got}
		p := NewPool(out, func(f *Fault) error { return f })
		p.Use(oddStyle("s", func(i int64) bool { return i == 1000 }))
		var err error
		rec := make([]byte, 1000)
		for i := int64(0); err == nil && i < 100_000; i++ {
			err = p.Add(rec, tfrecord.Position{Record: i})
		}
		p.Close()
		if !errors.Is(err, errOdd) {
			t.Fatalf("got %v", err)
		}
		if err := out.Finish(err); !errors.Is(err, errOdd) {
			t.Errorf("finish: %v", err)
		}
		if n := bytes.Count(got.Bytes(), []byte("\n")); n != 1000 {
			t.Errorf("%d lines, want 1000", n)
		}
	})
}

// A writer that fails ends it all, too.
func TestPoolWriteFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		r.Close()
		out := &cli.Output{W: w}
		p := NewPool(out, func(f *Fault) error { return f })
		p.Use(oddStyle("s", func(int64) bool { return false }))
		var err error
		for i := int64(0); err == nil && i < 1_000_000; i++ {
			err = p.Add(make([]byte, 100), tfrecord.Position{Record: i})
		}
		p.Close()
		if !errors.Is(err, cli.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}

// What is under way does not grow with the number of records.
func TestPoolBounds(t *testing.T) {
	p := NewPool(&cli.Output{W: io.Discard}, func(f *Fault) error { return f })
	defer p.Close()
	p.Use(oddStyle("s", func(int64) bool { return false }))
	rec := make([]byte, 5000)
	for i := range int64(20_000) {
		if err := p.Add(rec, tfrecord.Position{Record: i}); err != nil {
			t.Fatal(err)
		}
		made := p.work.Len() + len(p.Free)
		if p.Current != nil {
			made++
		}
		if made > p.most+1 || p.most > 2*runtime.GOMAXPROCS(0) {
			t.Fatalf("%d batches, want at most %d", made, p.most+1)
		}
	}
}
