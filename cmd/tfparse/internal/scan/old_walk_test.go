package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// A diary records the calls that a scan makes.
type diary struct {
	strings.Builder
	files    []OldFile
	onRecord func(rec []byte) error
	onLost   func(*Fault) error
}

func (d *diary) Begin(f *OldFile) error {
	fmt.Fprintf(d, "begin(%s) ", filepath.Base(f.Name))
	return nil
}

func (d *diary) Type(t example.MessageType) error {
	fmt.Fprintf(d, "%v ", t)
	return nil
}

func (d *diary) Record(rec []byte, pos tfrecord.Position) error {
	fmt.Fprintf(d, "%d@%d:%d ", pos.Record, pos.Offset, len(rec))
	if d.onRecord != nil {
		return d.onRecord(rec)
	}
	return nil
}

func (d *diary) Skipped(f *Fault) error {
	fmt.Fprintf(d, "skipped(%s %d@%d) ", f.Class, f.Record, f.Offset)
	if d.onLost != nil {
		return d.onLost(f)
	}
	return nil
}

func (d *diary) End(f *OldFile) error {
	d.files = append(d.files, *f)
	d.WriteString("end ")
	return nil
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

// walkAll walks and compares the diary, whitespace at its end aside.
func walkAll(t *testing.T, opts *OldOptions, d *diary, v Visitor, want string, in ...Input) error {
	t.Helper()
	err := Walk(t.Context(), in, opts, v)
	if got := strings.TrimSpace(d.String()); got != want {
		t.Errorf("step %v:\n got %s\nwant %s", opts.Step, got, want)
	}
	return err
}

func TestWalk(t *testing.T) {
	a, b := file(t, tfrecord.None, zeros(3, 0, 10)...), file(t, tfrecord.GZIP, zeros(5)...)
	none := Input{Name: filepath.Join(t.TempDir(), "none")}
	empty := Input{Name: "glob*", Err: filelist.ErrNoMatch}
	for _, step := range []bool{false, true} {
		d := &diary{}
		stdin := bytes.NewReader(tfrecord.AppendRecord(nil, []byte("in")))
		err := walkAll(t, &OldOptions{Step: step, Stdin: stdin}, d, d,
			"begin(f3) 0@0:3 1@19:0 2@35:10 end begin(none) skipped( -1@-1) end begin(f1) 0@0:5 end begin(-) 0@0:2 end begin(glob*) skipped( -1@-1) end",
			a, none, b, Input{Name: "-"}, empty)
		if err != nil {
			t.Error(err)
		}
		info, _ := os.Stat(b.Name)
		for i, want := range []OldFile{
			{a.Name, true, tfrecord.None, 61, 3, nil, example.TypeAuto, Glance{}}, {none.Name, false, tfrecord.Auto, 0, 0, nil, example.TypeAuto, Glance{}}, {b.Name, true, tfrecord.GZIP, info.Size(), 1, nil, example.TypeAuto, Glance{}},
			{"-", true, tfrecord.None, 18, 1, nil, example.TypeAuto, Glance{}}, {empty.Name, false, tfrecord.Auto, 0, 0, nil, example.TypeAuto, Glance{}},
		} {
			if d.files[i] != want {
				t.Errorf("step %v: got %+v, want %+v", step, d.files[i], want)
			}
		}
	}
}

func TestWalkFaults(t *testing.T) {
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

	// A visitor that does not mind: the file is over, or is stepped through.
	d := &diary{}
	if err := walkAll(t, &OldOptions{}, d, d, "begin(f3) 0@0:3 skipped(payload_crc 1@19) end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	d = &diary{}
	if err := walkAll(t, &OldOptions{Step: true}, d, d, "begin(f3) 0@0:3 skipped(payload_crc 1@19) 2@38:3 end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	// One that does: its error comes back, and says where.
	d = &diary{onLost: func(f *Fault) error { return f }}
	err = walkAll(t, &OldOptions{}, d, d, "begin(f3) 0@0:3 skipped(payload_crc 1@19)", bad, good)
	want := bad.Name + ": record 1 (offset 0x13): payload checksum mismatch: stored "
	if !errors.Is(err, tfrecord.ErrDataChecksum) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	// One that has seen enough ends the walk without an error.
	d = &diary{onRecord: func([]byte) error { return ErrStop }}
	if err := walkAll(t, &OldOptions{}, d, d, "begin(f3) 0@0:3", bad, good); err != nil {
		t.Error(err)
	}
	// Payloads that are left out are not looked at.
	d = &diary{}
	leaveOut := func(int, int64) dataset.Choice { return dataset.LeaveOut }
	if err := walkAll(t, &OldOptions{Choose: leaveOut}, d, d, "begin(f3) end", bad); err != nil || d.files[0].Count != 3 {
		t.Errorf("%+v, %v", d.files, err)
	}
	// A source that fails is no damage of the data.
	d = &diary{}
	dir := Input{Name: filepath.Join(t.TempDir(), "dir")}
	if err := os.Mkdir(dir.Name, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := walkAll(t, &OldOptions{}, d, d, "begin(dir) skipped( 0@0) end", dir); err != nil {
		t.Error(err)
	}
}

// The memory that files are read into is made once for all, not for each of 10,000 shards.
func TestWalkManyFiles(t *testing.T) {
	in := slices.Repeat([]Input{file(t, tfrecord.None, zeros(3, 0, 10)...)}, 200)
	for _, step := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		d := &counted{n: &n}
		if err := Walk(t.Context(), in, &OldOptions{Step: step}, d); err != nil || n != 600 {
			t.Fatalf("%d records, %v", n, err)
		}
		runtime.ReadMemStats(&after)
		if each := int(after.TotalAlloc-before.TotalAlloc) / len(in); each > 8<<10 && !testkit.Race {
			t.Errorf("step %v: %d bytes of memory for each file", step, each)
		}
	}
}

// counted counts records.
type counted struct {
	diary
	n *int
}

func (c *counted) Begin(*OldFile) error                   { return nil }
func (c *counted) Record([]byte, tfrecord.Position) error { *c.n++; return nil }
func (c *counted) End(*OldFile) error                     { return nil }

func TestWalkCancelled(t *testing.T) {
	for _, step := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		d := &diary{onRecord: func([]byte) error { cancel(); return nil }}
		big := file(t, tfrecord.None, zeros(1<<20, 1<<20, 1<<20, 1<<20)...)
		if err := Walk(ctx, []Input{big}, &OldOptions{Step: step}, d); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if strings.Contains(d.String(), "skipped") {
			t.Errorf("step %v: the interruption is reported as a fault: %s", step, d)
		}
	}
}
