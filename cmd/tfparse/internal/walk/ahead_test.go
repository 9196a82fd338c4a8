package walk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/tfrecord"
)

// aheadInputs are files with and without records, one that is damaged and one that is
// not there, in standard input too. Bytes of records tell them apart.
func aheadInputs(t *testing.T) (in []inputs.Input, opts func() *Options) {
	t.Helper()
	var recs [][]byte
	for i := range 20 {
		recs = append(recs, bytes.Repeat([]byte{byte(i)}, i*i))
	}
	damaged := file(t, tfrecord.None, recs...)
	b, err := os.ReadFile(damaged.Name)
	if err != nil {
		t.Fatal(err)
	}
	b[1000] ^= 1
	if err := os.WriteFile(damaged.Name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	var stream []byte
	for _, r := range recs[:9] {
		stream = tfrecord.AppendRecord(stream, r)
	}
	in = []inputs.Input{file(t, tfrecord.GZIP, recs[:5]...), file(t, tfrecord.None), damaged,
		{Name: filepath.Join(t.TempDir(), "missing")}, {Name: inputs.Stdin}, file(t, tfrecord.None, recs[:7]...)}
	return in, func() *Options { return &Options{Step: true, Stdin: bytes.NewReader(stream)} }
}

// TestAhead proves that what one has looked at before, and how much of it, does not show
// in what others are told.
func TestAhead(t *testing.T) {
	in, opts := aheadInputs(t)
	var want []string
	o := opts()
	for i := range in {
		var d diary
		d.onRecord = func(rec []byte) error { d.Write(rec); return nil }
		if err := Walk(context.Background(), in[i:i+1], o, &d); err != nil {
			t.Fatal(err)
		}
		want = append(want, d.String())
	}
	for stop := range 50 { // after so many records
		for _, most := range []int{0, 100, 1500, 1 << 20} {
			a := NewAhead(context.Background(), in, opts())
			var first diary
			n := 0
			first.onRecord = func([]byte) error {
				if n++; n == stop {
					return ErrStop
				}
				return nil
			}
			if err := a.Read(&first, most); err != nil {
				t.Fatal(err)
			}
			for i := range in {
				var d diary
				d.onRecord = func(rec []byte) error { d.Write(rec); return nil }
				if err := a.Walk(context.Background(), i, &d); err != nil || d.String() != want[i] {
					t.Fatalf("stopped at record %d, or %d bytes: input %d: %v\n%s\nwanted\n%s", stop, most, i, err, d.String(), want[i])
				}
			}
			a.Close()
		}
	}
}

// TestAheadErrors proves that errors of all who are told end the walk, and are returned;
// and that nothing is left waiting.
func TestAheadErrors(t *testing.T) {
	in, opts := aheadInputs(t)
	broken := errors.New("broken")
	after := func(n int, err error) *diary {
		d := &diary{}
		d.onRecord = func([]byte) error {
			if n--; n < 0 {
				return err
			}
			return nil
		}
		return d
	}
	for n := range 12 {
		a := NewAhead(context.Background(), in, opts())
		if err := a.Read(after(n, broken), 1<<20); !errors.Is(err, broken) {
			t.Errorf("broken at record %d: %v", n, err)
		}
		a.Close()

		a = NewAhead(context.Background(), in, opts())
		if err := a.Read(after(8, ErrStop), 1<<20); err != nil {
			t.Fatal(err)
		}
		if err := a.Walk(context.Background(), 2, after(n, broken)); !errors.Is(err, broken) {
			t.Errorf("broken at record %d later: %v", n, err)
		}
		if err := a.Walk(context.Background(), 0, after(n, ErrStop)); err != nil {
			t.Errorf("stopped at record %d later: %v", n, err)
		}
		a.Close()

		a = NewAhead(context.Background(), in, opts())
		if err := a.Read(after(8, ErrStop), 1<<20); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := a.Walk(ctx, 2, &diary{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		a.Close()
	}
}
