package statsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// write writes files of records, each of several chunks; in the second one are records
// that are no Examples, and damage. There is an empty one, and one that is not there.
func write(t *testing.T) (in []scan.Input) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	for i := range 4 {
		name := filepath.Join(dir, fmt.Sprint("file", i))
		var b bytes.Buffer
		w := tfrecord.NewWriter(&b, nil)
		for n := range []int{3000, 5000, 0, 2000}[i] {
			e := example.Example{
				"id":   {Int64s: []int64{int64(n)}},
				"x":    {Floats: []float32{rnd.Float32(), rnd.Float32() * 1e6}},
				"word": {Bytes: [][]byte{fmt.Appendf(nil, "word %d", rnd.IntN(5000))}},
				"text": {Bytes: [][]byte{bytes.Repeat([]byte{'a'}, 300)}},
			}
			rec, err := e.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 && n%700 == 699 {
				rec = []byte{0x0a, 0x05, 0xff}
			}
			if err := w.WriteRecord(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			for _, at := range []int{100000, 900000, 1000000} {
				b.Bytes()[at] ^= 1
			}
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		in = append(in, scan.Input{Name: name})
	}
	return slices.Insert(in, 3, scan.Input{Name: filepath.Join(dir, "missing")})
}

// outcome is all that a run says, in order.
func outcome(t *testing.T, jobs int, in []scan.Input, change func(*job)) (reported []string, state []byte, err error) {
	t.Helper()
	var all *stats.Accumulator
	j := &job{
		scan: scan.OldOptions{Step: true}, jobs: jobs, portion: 256 << 10,
		check: func(rec []byte, pos tfrecord.Position) (func() error, bool) {
			if pos.Record%1000 != 17 {
				return nil, true
			}
			size := len(rec)
			return func() error {
				reported = append(reported, fmt.Sprintf("%v of %d bytes", pos, size))
				return nil
			}, pos.Record != 1017
		},
		skipped: func(f *scan.Fault) error { reported = append(reported, "skipped: "+f.Error()); return nil },
		refused: func(f *scan.Fault) error { reported = append(reported, "refused: "+f.Error()); return nil },
	}
	j.file = func(part *stats.Accumulator) error {
		if part == nil {
			reported = append(reported, "no records")
			return nil
		}
		reported = append(reported, fmt.Sprintf("%d records", part.Examples()))
		if all == nil {
			all = part.Fresh()
		}
		return all.Merge(part)
	}
	if change != nil {
		change(j)
	}
	if err := j.run(context.Background(), in); err != nil {
		return reported, nil, err
	}
	if state, err = all.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	return reported, state, nil
}

// TestJobs proves that however many goroutines work, the statistics are the same to the
// byte, and what is reported is the same in the same order.
func TestJobs(t *testing.T) {
	in := write(t)
	reported, state, err := outcome(t, 1, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(reported) < 20 {
		t.Errorf("%d things are reported: %q", len(reported), reported)
	}
	for _, jobs := range []int{2, 3, 8} {
		for range 3 {
			alsoReported, alsoState, err := outcome(t, jobs, in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(reported, alsoReported) {
				t.Errorf("%d goroutines report\n%q, one\n%q", jobs, alsoReported, reported)
			}
			if !bytes.Equal(state, alsoState) {
				t.Errorf("%d goroutines make other statistics", jobs)
			}
		}
	}
}

// TestStop proves that an error ends the run, whatever it is about, and that nothing
// behind it is reported.
func TestStop(t *testing.T) {
	in := write(t)
	enough := errors.New("enough")
	for name, change := range map[string]func(*job){
		"skipped": func(j *job) { j.skipped = func(*scan.Fault) error { return enough } },
		"refused": func(j *job) { j.refused = func(*scan.Fault) error { return enough } },
		"begin":   func(j *job) { j.begin = func(example.MessageType) error { return enough } },
		"file":    func(j *job) { j.file = func(*stats.Accumulator) error { return enough } },
		"check": func(j *job) {
			j.check = func(_ []byte, pos tfrecord.Position) (func() error, bool) {
				if pos.Record < 1500 {
					return nil, true
				}
				return func() error { return enough }, true
			}
		},
	} {
		want, _, err := outcome(t, 1, in, change)
		if !errors.Is(err, enough) {
			t.Errorf("%s: the error is %v", name, err)
		}
		got, _, err := outcome(t, 4, in, change)
		if !errors.Is(err, enough) || !slices.Equal(got, want) {
			t.Errorf("%s: %v after %q, wanted %q", name, err, got, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{stats: stats.Options{}, jobs: 3}
	j.check = func([]byte, tfrecord.Position) (func() error, bool) { cancel(); return nil, true }
	j.skipped = func(*scan.Fault) error { return nil }
	j.refused, j.file = j.skipped, func(*stats.Accumulator) error { return nil }
	if err := j.run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is interrupted ends with %v", err)
	}
}
