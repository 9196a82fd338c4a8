package scan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

var errOdd = errors.New("odd")

// oddText returns a worker that prints the number and the size of each record; those whose number is odd have no text. It leaves
// what is longer than most.
func oddText(odd func(i int64) bool, filler string, most int) func(example.MessageType) func(*Batch[[]byte]) {
	return func(example.MessageType) func(*Batch[[]byte]) {
		return func(b *Batch[[]byte]) {
			for b.Next < len(b.Records) && len(b.Result) < most {
				rec := &b.Records[b.Next]
				b.Next++
				if odd(rec.Record) {
					b.Refuse(len(b.Result), rec, errOdd)
					continue
				}
				b.Result = fmt.Appendf(b.Result, "%d %d%s\n", rec.Record, len(rec.Bytes), filler)
			}
		}
	}
}

// emitTo returns what adds text to a builder, and reports misfits where they belong.
func emitTo(to *strings.Builder, src *Source) func(*Batch[[]byte]) error {
	return func(b *Batch[[]byte]) error {
		written := 0
		for i, m := range b.Misfits {
			to.Write(b.Result[written:m.At])
			written = m.At
			if err := src.Report(b.Misfits[i : i+1]); err != nil {
				return err
			}
		}
		to.Write(b.Result[written:])
		b.Result = b.Result[:0]
		return nil
	}
}

// Text and faults come out in the order of the records, whatever their sizes, and how much text there is of each.
func TestMapOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	odd := func(i int64) bool { return i%97 == 5 }
	for _, size := range []int{0, 1, 2000, longRecord, longRecord + 1, 3 * batchBytes} {
		for _, most := range []int{1, 1000, 1 << 20} {
			for _, workers := range []int{1, 2, 5} {
				var got, want strings.Builder
				rec := make([]byte, size+1)
				s, _ := fakeSource(t, 300, func(i int) event {
					n := r.IntN(size + 1)
					if odd(int64(i)) {
						fmt.Fprintf(&want, "fault %d\n", i)
					} else {
						fmt.Fprintf(&want, "%d %d\n", i, n)
					}
					if i == 250 {
						fmt.Fprintf(&want, "lost %d\n", i)
					}
					return event{rec: rec[:n], pos: tfrecord.Position{Record: int64(i)}} // lent: the next one lies in the same place
				})
				at := s.files.(*fakeReader).at
				lost := false
				s.files.(*fakeReader).at = func(i int) event {
					if i == 252 && !lost { // behind record 250
						lost = true
						s.files.(*fakeReader).i--
						return event{kind: evFault, file: s.file, fault: &Fault{Record: 250}}
					}
					return at(i)
				}
				s.fixed = example.TypeRaw
				s.opts.Fault = func(f *Fault) error {
					if f.Err == nil {
						fmt.Fprintf(&got, "lost %d\n", f.Record)
					} else {
						fmt.Fprintf(&got, "fault %d\n", f.Record)
					}
					return nil
				}
				if err := Map(s, workers, oddText(odd, "", most), emitTo(&got, s)); err != nil || got.String() != want.String() {
					t.Errorf("size %d, text %d, %d workers: %v, output differs: %v", size, most, workers, err, got.String() != want.String())
				}
			}
		}
	}
}

// After a fault that stops, nothing behind it is emitted, and the workers end.
func TestMapStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		var got strings.Builder
		rec := make([]byte, 1000)
		s, _ := fakeSource(t, 100_000, func(i int) event { return event{rec: rec, pos: tfrecord.Position{Record: int64(i)}} })
		s.fixed = example.TypeRaw
		err := Map(s, 3, oddText(func(i int64) bool { return i == 1000 }, "", 1<<20), emitTo(&got, s))
		if !errors.Is(err, errOdd) {
			t.Fatalf("got %v", err)
		}
		if n := strings.Count(got.String(), "\n"); n != 1000 {
			t.Errorf("%d lines, want 1000", n)
		}
	})
}

// An error of emit ends it all, too.
func TestMapEmitFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := fakeSource(t, 1_000_000, func(i int) event { return event{rec: make([]byte, 100)} })
		s.fixed = example.TypeRaw
		err := Map(s, 3, oddText(func(int64) bool { return false }, "", 1<<20), func(*Batch[[]byte]) error { return errOdd })
		if !errors.Is(err, errOdd) || r.i > 100_000 {
			t.Errorf("%d records, %v", r.i, err)
		}
	})
}

// What is under way does not grow with the number of records.
func TestMapMemory(t *testing.T) {
	records := 200_000
	if testing.Short() {
		records = 50_000 // four times the limit
	}
	rec := make([]byte, 5000)
	s, _ := fakeSource(t, records, func(i int) event { return event{rec: rec} })
	s.fixed = example.TypeRaw
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	err := Map(s, 4, oddText(func(int64) bool { return false }, "", 1<<20), func(b *Batch[[]byte]) error {
		n += len(b.Records)
		b.Result = b.Result[:0]
		return nil
	})
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; err != nil || n != records || made > 64<<20 {
		t.Errorf("%d records, %v, %d bytes were made", n, err, made)
	}
}

// Sums do not depend on the number of workers, nor do faults and the ends of files.
func TestSum(t *testing.T) {
	thousands := 30 // of records of a file
	if testing.Short() {
		thousands = 10
	}
	var want string
	for _, workers := range []int{1, 2, 7} {
		for _, typ := range []example.MessageType{example.TypeRaw, example.TypeAuto} {
			ex, _, _, _ := sampleMessages(t)
			var in []Input
			for range 3 {
				in = append(in, file(t, tfrecord.None, repeat(ex, 1000*thousands)...))
			}
			in = append(in, Input{Name: "none"})
			d := &diary{opts: Options{Type: typ}}
			src, err := d.open(t.Context(), in...)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			total := 0
			end := d.opts.End
			d.opts.End = func(f *File) error { fmt.Fprintf(&got, "%d after %d; ", total, f.Index); return end(f) }
			err = (&Sum[*int]{
				Workers: workers, Fresh: func(example.MessageType) *int { return new(int) },
				Add: func(n *int, rec Record) error {
					if rec.Record%1000 == 999 {
						return errOdd
					}
					*n += len(rec.Bytes)
					return nil
				},
				Merge: func(n *int) (bool, error) { total += *n; *n = 0; return true, nil },
			}).Run(src)
			text := got.String() + strings.ReplaceAll(d.String(), " example", "")
			if want == "" {
				want = text
			}
			if err != nil || text != want || strings.Count(text, "skipped") != 3*thousands+1 {
				t.Errorf("%d workers, %v: %v, %d faults", workers, typ, err, strings.Count(text, "skipped"))
			}
		}
	}
}
