package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// A diary records what a source gives a verb, in order.
type diary struct {
	strings.Builder
	flags    Flags
	opts     Options
	stdin    io.Reader
	files    []File
	onRecord func(rec Record) error // instead of a note
	onFault  func(*Fault) error     // beside a note
}

// quiet returns an environment without output.
func quiet(ctx context.Context, stdin io.Reader) *cli.Env {
	return &cli.Env{Ctx: ctx, Stdin: stdin, Stderr: io.Discard, Console: console.New(io.Discard, "tfparse")}
}

// open opens inputs whose events go to the diary.
func (d *diary) open(ctx context.Context, in ...Input) (*Source, error) {
	d.flags.progress, d.flags.csv = cli.WhenNever, &csvFlags{}
	d.opts.Begin = func(f *File) error {
		fmt.Fprintf(d, "begin(%s) ", filepath.Base(f.Name))
		if d.opts.Type == example.TypeAuto && f.Type != example.TypeAuto {
			fmt.Fprintf(d, "%v ", f.Type)
		}
		return nil
	}
	d.opts.Fault = func(f *Fault) error {
		fmt.Fprintf(d, "skipped(%s %d@%d) ", f.Class, f.Record, f.Offset)
		if d.onFault != nil {
			return d.onFault(f)
		}
		return nil
	}
	d.opts.End = func(f *File) error {
		d.files = append(d.files, *f)
		d.WriteString("end ")
		return nil
	}
	return d.flags.Open(quiet(ctx, d.stdin), in, &d.opts)
}

// read reads inputs.
func (d *diary) read(ctx context.Context, in ...Input) error {
	src, err := d.open(ctx, in...)
	if err != nil {
		return err
	}
	return src.Each(func(rec Record) error {
		if d.onRecord != nil {
			return d.onRecord(rec)
		}
		fmt.Fprintf(d, "%d@%d:%d ", rec.Record, rec.Offset, len(rec.Bytes))
		return nil
	})
}

func file(t *testing.T, c tfrecord.Compression, recs ...[]byte) Input {
	t.Helper()
	name := filepath.Join(t.TempDir(), fmt.Sprint("f", len(recs)))
	w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: c})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.WriteRecord(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return Input{Name: name}
}

func zeros(sizes ...int) (all [][]byte) {
	for _, n := range sizes {
		all = append(all, make([]byte, n))
	}
	return all
}

// readAll reads and compares the diary, whitespace at its end aside.
func (d *diary) readAll(t *testing.T, want string, in ...Input) error {
	t.Helper()
	err := d.read(t.Context(), in...)
	if got := strings.TrimSpace(d.String()); got != want {
		t.Errorf("recover %v:\n got %s\nwant %s", d.opts.Recover, got, want)
	}
	return err
}

// raw returns a diary of records that are not decoded.
func raw(recover bool) *diary {
	return &diary{opts: Options{Type: example.TypeRaw, Recover: recover}}
}

func TestFiles(t *testing.T) {
	a, b := file(t, tfrecord.None, zeros(3, 0, 10)...), file(t, tfrecord.GZIP, zeros(5)...)
	none := Input{Name: filepath.Join(t.TempDir(), "none")}
	empty := Input{Name: "glob*", Err: filelist.ErrNoMatch}
	for _, step := range []bool{false, true} {
		d := raw(step)
		d.stdin = bytes.NewReader(tfrecord.AppendRecord(nil, []byte("in")))
		err := d.readAll(t,
			"begin(f3) 0@0:3 1@19:0 2@35:10 end begin(none) skipped( -1@-1) end begin(f1) 0@0:5 end begin(-) 0@0:2 end begin(glob*) skipped( -1@-1) end",
			a, none, b, Input{Name: "-"}, empty)
		if err != nil {
			t.Error(err)
		}
		info, _ := os.Stat(b.Name)
		for i, want := range []File{
			{Name: a.Name, Opened: true, Codec: tfrecord.None, Stored: 61, Count: 3}, {Name: none.Name},
			{Name: b.Name, Opened: true, Codec: tfrecord.GZIP, Stored: info.Size(), Count: 1},
			{Name: "-", Opened: true, Codec: tfrecord.None, Stored: 18, Count: 1}, {Name: empty.Name},
		} {
			want.Index, want.Type = i, example.TypeRaw
			if d.files[i] != want {
				t.Errorf("recover %v: got %+v, want %+v", step, d.files[i], want)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	bad := file(t, tfrecord.None, zeros(3, 3, 3)...)
	b, err := os.ReadFile(bad.Name)
	if err != nil {
		t.Fatal(err)
	}
	b[19+13] ^= 1
	if err := os.WriteFile(bad.Name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	good := file(t, tfrecord.None, zeros(1)...)

	// A verb that does not mind: the file is over, or is stepped through.
	if err := raw(false).readAll(t, "begin(f3) 0@0:3 skipped(payload_crc 1@19) end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	if err := raw(true).readAll(t, "begin(f3) 0@0:3 skipped(payload_crc 1@19) 2@38:3 end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	// One that does: its error comes back, and says where.
	d := raw(false)
	d.onFault = func(f *Fault) error { return f }
	err = d.readAll(t, "begin(f3) 0@0:3 skipped(payload_crc 1@19)", bad, good)
	want := bad.Name + "#1: record 1 (offset 0x13): payload checksum mismatch: stored "
	if !errors.Is(err, tfrecord.ErrDataChecksum) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	// One that has seen enough ends the loop without an error.
	d = raw(false)
	d.onRecord = func(Record) error { return ErrStop }
	if err := d.readAll(t, "begin(f3)", bad, good); err != nil {
		t.Error(err)
	}
	// Payloads that are left out are not looked at.
	d = raw(false)
	d.opts.Choose = func(int, int64) Choice { return LeaveOut }
	if err := d.readAll(t, "begin(f3) end", bad); err != nil || d.files[0].Count != 3 {
		t.Errorf("%+v, %v", d.files, err)
	}
	// A source that fails is no damage of the data.
	dir := Input{Name: filepath.Join(t.TempDir(), "dir")}
	if err := os.Mkdir(dir.Name, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := raw(false).readAll(t, "begin(dir) skipped( 0@0) end", dir); err != nil {
		t.Error(err)
	}
}

// Ranges, --skip, --limit and --where: each is counted among the records that those before it leave.
func TestSelection(t *testing.T) {
	var recs [][]byte
	for i := range 200 {
		rec, err := example.Example{"x": example.Int64s(int64(i))}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	in := file(t, tfrecord.None, recs...)
	limit := func(n int64) func(*Flags) {
		return func(r *Flags) { r.AddLimit(pflag.NewFlagSet("", 0), n, ""); r.limited.Changed = true }
	}
	for _, c := range []struct {
		proves  string
		records *Range
		where   string
		skip    int64
		limit   func(*Flags)
		want    string
	}{
		{"all", nil, "", 0, nil, "0..199"},
		{"a range", &Range{First: 5, End: 9}, "", 0, nil, "5..8"},
		{"a range behind those that show the type", &Range{First: 100, End: 102}, "", 0, nil, "100 101"},
		{"skip", nil, "", 190, nil, "190..199"},
		{"skip few", nil, "", 3, limit(2), "3 4"},
		{"limit", nil, "", 0, limit(3), "0 1 2"},
		{"no records", nil, "", 0, limit(0), ""},
		{"where", nil, "x > 197", 0, nil, "198 199"},
		{"skip counts what where selects", nil, "x > 3", 2, limit(2), "6 7"},
		{"all together", &Range{First: 10, End: 100}, "x > 50", 1, limit(1), "52"},
	} {
		for _, workers := range []int{0, 1, 3} {
			d := &diary{flags: Flags{Where: c.where, Skip: c.skip}}
			if c.limit != nil {
				c.limit(&d.flags)
			}
			if err := d.flags.checkSelection(nil); err != nil {
				t.Fatal(err)
			}
			one := in
			one.Records = c.records
			src, err := d.open(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			note := func(rec Record) error { got = append(got, rec.Record); return nil }
			if workers == 0 {
				err = src.Each(note)
			} else {
				err = Map(src, workers, func(example.MessageType) func(*Batch[[]int64]) {
					return func(b *Batch[[]int64]) {
						for ; b.Next < len(b.Records); b.Next++ {
							b.Result = append(b.Result, b.Records[b.Next].Record)
						}
					}
				}, func(b *Batch[[]int64]) error {
					got = append(got, b.Result...)
					b.Result = b.Result[:0]
					return nil
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Trim(fmt.Sprint(got), "[]")
			if n := len(got); n > 3 {
				text = fmt.Sprintf("%d..%d", got[0], got[n-1])
				if got[n-1]-got[0] != int64(n-1) {
					t.Errorf("%s: some are left out", c.proves)
				}
			}
			if text != c.want {
				t.Errorf("%s with %d workers: got %s, want %s", c.proves, workers, text, c.want)
			}
		}
	}
}

// A record that is refused does not count for the limit.
func TestRefuse(t *testing.T) {
	for _, workers := range []int{0, 1, 3} {
		d := raw(false)
		d.flags.AddLimit(pflag.NewFlagSet("", 0), 3, "")
		src, err := d.open(t.Context(), file(t, tfrecord.None, zeros(1, 2, 3, 4, 5, 6, 7)...))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		add := func(rec Record) error {
			if rec.Record%2 == 0 {
				return errOdd
			}
			got = append(got, rec.Record)
			return nil
		}
		if workers == 0 {
			err = src.Each(func(rec Record) error {
				if err := add(rec); err != nil {
					return src.Refuse(rec, err)
				}
				return nil
			})
		} else {
			sum := &Sum[*[]int64]{Workers: workers, Fresh: func(example.MessageType) *[]int64 { return new([]int64) }, Merge: func(part *[]int64) (bool, error) { got = append(got, *part...); return false, nil }}
			sum.Add = func(part *[]int64, rec Record) error {
				if rec.Record%2 == 0 {
					return errOdd
				}
				*part = append(*part, rec.Record)
				return nil
			}
			err = sum.Run(src)
		}
		if err != nil || !slices.Equal(got, []int64{1, 3, 5}) {
			t.Errorf("%d workers: %v, %v", workers, got, err)
		}
	}
}

// A inferFile at the first records leaves them where they are, over the ends of files.
func TestFirst(t *testing.T) {
	ex, _, _, _ := sampleMessages(t)
	a, b := file(t, tfrecord.None, repeat(ex, 100)...), file(t, tfrecord.GZIP, repeat(ex, 70)...)
	for _, most := range []int{1, 90, 130, 1000} {
		want, d := &diary{}, &diary{}
		if err := want.read(t.Context(), a, b); err != nil {
			t.Fatal(err)
		}
		src, err := d.open(t.Context(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = src.First(1<<20, func(rec Record) bool { n++; return n < most })
		if err != nil || n != min(most, 170) {
			t.Errorf("%d records, %v", n, err)
		}
		err = src.Each(func(rec Record) error {
			fmt.Fprintf(d, "%d@%d:%d ", rec.Record, rec.Offset, len(rec.Bytes))
			return nil
		})
		if err != nil || d.String() != want.String() {
			t.Errorf("after a look at %d: %v\n got %.200s\nwant %.200s", most, err, d, want)
		}
	}
}

// The memory that files are read into is made once for all, not for each of 10,000 shards.
func TestManyFiles(t *testing.T) {
	in := slices.Repeat([]Input{file(t, tfrecord.None, zeros(3, 0, 10)...)}, 200)
	for _, step := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		d := raw(step)
		d.onRecord = func(Record) error { n++; return nil }
		if err := d.read(t.Context(), in...); err != nil || n != 600 {
			t.Fatalf("%d records, %v", n, err)
		}
		runtime.ReadMemStats(&after)
		if each := int(after.TotalAlloc-before.TotalAlloc) / len(in); each > 8<<10 && !testkit.Race {
			t.Errorf("recover %v: %d bytes of memory for each file", step, each)
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, step := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		d := raw(step)
		d.onRecord = func(Record) error { cancel(); return nil }
		big := file(t, tfrecord.None, zeros(1<<20, 1<<20, 1<<20, 1<<20)...)
		if err := d.read(ctx, big); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if strings.Contains(d.String(), "skipped") {
			t.Errorf("recover %v: the interruption is reported as a fault: %s", step, d)
		}
	}
}
