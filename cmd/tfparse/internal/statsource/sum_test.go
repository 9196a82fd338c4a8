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

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
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

// A diary is what a run says, line by line.
type diary []string

func (d *diary) Write(b []byte) (int, error) {
	*d = append(*d, string(b))
	return len(b), nil
}

// outcome is all that a run says, in order.
func outcome(t *testing.T, jobs int, in []scan.Input, change func(*Gatherer)) (reported []string, state []byte, err error) {
	t.Helper()
	said := &diary{}
	e := &cli.Env{Ctx: t.Context(), Stderr: said, Console: console.New(said, "tfparse")}
	g := &Gatherer{Env: e, Reading: newFlags(t), Jobs: jobs, portion: 256 << 10}
	g.Check = func(rec scan.Record) (func() error, bool) {
		if rec.Record%1000 != 17 {
			return nil, true
		}
		size, pos := len(rec.Bytes), rec.Position
		return func() error {
			*said = append(*said, fmt.Sprintf("%v of %d bytes", pos, size))
			return nil
		}, rec.Record != 1017
	}
	g.Part = func(r *partial.Result) error {
		if r.Statistics == nil {
			*said = append(*said, "no records")
		} else {
			*said = append(*said, fmt.Sprintf("%d records", r.Statistics.Examples()))
		}
		return nil
	}
	if change != nil {
		change(g)
	}
	if err := g.Read(in, example.TypeAuto); err != nil {
		return *said, nil, err
	}
	if state, err = g.Result.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	return *said, state, nil
}

// newFlags returns flags of a verb that skips damage.
func newFlags(t *testing.T) *scan.Flags {
	t.Helper()
	r := &scan.Flags{OnError: cli.Skip}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	r.Add(fs)
	if err := fs.Parse([]string{"--progress=never", "--max-messages=1000"}); err != nil {
		t.Fatal(err)
	}
	return r
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
	for name, change := range map[string]func(*Gatherer){
		"skipped": func(g *Gatherer) { g.Reading.OnError = cli.Stop },
		"begin":   func(g *Gatherer) { g.Begin = func(example.MessageType) error { return enough } },
		"part":    func(g *Gatherer) { g.Part = func(*partial.Result) error { return enough } },
		"check": func(g *Gatherer) {
			g.Check = func(rec scan.Record) (func() error, bool) {
				if rec.Record < 1500 {
					return nil, true
				}
				return func() error { return enough }, true
			}
		},
	} {
		want, _, err := outcome(t, 1, in, change)
		_, isFault := errors.AsType[*scan.Fault](err)
		if !errors.Is(err, enough) && !(name == "skipped" && isFault) {
			t.Errorf("%s: the error is %v", name, err)
		}
		got, _, other := outcome(t, 4, in, change)
		if fmt.Sprint(other) != fmt.Sprint(err) || !slices.Equal(got, want) {
			t.Errorf("%s: %v after %q, wanted %q", name, other, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := outcome(t, 3, in, func(g *Gatherer) {
		g.Env.Ctx = ctx
		g.Check = func(scan.Record) (func() error, bool) { cancel(); return nil, true }
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is interrupted ends with %v", err)
	}
}
