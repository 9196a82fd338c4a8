package walk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A diary writes down what a walk tells it.
type diary struct {
	strings.Builder
	files    []File
	onRecord func(rec []byte) error
	onLost   func(*Fault) error
}

func (d *diary) Begin(f *File) error {
	fmt.Fprintf(d, "begin(%s) ", filepath.Base(f.Name))
	return nil
}

func (d *diary) Type(t recordjson.Type) error {
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

func (d *diary) Lost(f *Fault) error {
	fmt.Fprintf(d, "lost(%s %d@%d) ", f.Class, f.Record, f.Offset)
	if d.onLost != nil {
		return d.onLost(f)
	}
	return nil
}

func (d *diary) End(f *File) error {
	d.files = append(d.files, *f)
	d.WriteString("end ")
	return nil
}

func file(t *testing.T, c tfrecord.Compression, recs ...[]byte) inputs.Input {
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
	return inputs.Input{Name: name}
}

func zeros(sizes ...int) (all [][]byte) {
	for _, n := range sizes {
		all = append(all, make([]byte, n))
	}
	return all
}

// walkAll walks and compares the diary, whitespace at its end aside.
func walkAll(t *testing.T, opts *Options, d *diary, v Visitor, want string, in ...inputs.Input) error {
	t.Helper()
	err := Walk(t.Context(), in, opts, v)
	if got := strings.TrimSpace(d.String()); got != want {
		t.Errorf("step %v:\n got %s\nwant %s", opts.Step, got, want)
	}
	return err
}

func TestWalk(t *testing.T) {
	a, b := file(t, tfrecord.None, zeros(3, 0, 10)...), file(t, tfrecord.GZIP, zeros(5)...)
	none := inputs.Input{Name: filepath.Join(t.TempDir(), "none")}
	empty := inputs.Input{Name: "glob*", Err: filelist.ErrNoMatch}
	for _, step := range []bool{false, true} {
		d := &diary{}
		stdin := bytes.NewReader(tfrecord.AppendRecord(nil, []byte("in")))
		err := walkAll(t, &Options{Step: step, Stdin: stdin}, d, d,
			"begin(f3) 0@0:3 1@19:0 2@35:10 end begin(none) lost( -1@-1) end begin(f1) 0@0:5 end begin(-) 0@0:2 end begin(glob*) lost( -1@-1) end",
			a, none, b, inputs.Input{Name: "-"}, empty)
		if err != nil {
			t.Error(err)
		}
		info, _ := os.Stat(b.Name)
		for i, want := range []File{
			{a.Name, true, tfrecord.None, 61, nil}, {none.Name, false, tfrecord.Auto, 0, nil}, {b.Name, true, tfrecord.GZIP, info.Size(), nil},
			{"-", true, tfrecord.None, 18, nil}, {empty.Name, false, tfrecord.Auto, 0, nil},
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
	if err := walkAll(t, &Options{}, d, d, "begin(f3) 0@0:3 lost(payload_crc 1@19) end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	d = &diary{}
	if err := walkAll(t, &Options{Step: true}, d, d, "begin(f3) 0@0:3 lost(payload_crc 1@19) 2@38:3 end begin(f1) 0@0:1 end", bad, good); err != nil {
		t.Error(err)
	}
	// One that does: its error comes back, and says where.
	d = &diary{onLost: func(f *Fault) error { return f }}
	err = walkAll(t, &Options{}, d, d, "begin(f3) 0@0:3 lost(payload_crc 1@19)", bad, good)
	want := bad.Name + ": record 1 (offset 0x13): payload checksum mismatch: stored "
	if !errors.Is(err, tfrecord.ErrDataChecksum) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	// One that has seen enough ends the walk without an error.
	d = &diary{onRecord: func([]byte) error { return ErrStop }}
	if err := walkAll(t, &Options{}, d, d, "begin(f3) 0@0:3", bad, good); err != nil {
		t.Error(err)
	}
	// Payloads that are passed over are not looked at.
	d = &diary{}
	if err := walkAll(t, &Options{Unwanted: func() bool { return true }}, d, d, "begin(f3) 0@0:0 1@19:0 2@38:0 end", bad); err != nil {
		t.Error(err)
	}
	// A source that fails is no damage of the data.
	d = &diary{}
	dir := inputs.Input{Name: filepath.Join(t.TempDir(), "dir")}
	if err := os.Mkdir(dir.Name, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := walkAll(t, &Options{}, d, d, "begin(dir) lost( 0@0) end", dir); err != nil {
		t.Error(err)
	}
}

func TestWalkCancelled(t *testing.T) {
	for _, step := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		d := &diary{onRecord: func([]byte) error { cancel(); return nil }}
		big := file(t, tfrecord.None, zeros(1<<20, 1<<20, 1<<20, 1<<20)...)
		if err := Walk(ctx, []inputs.Input{big}, &Options{Step: step}, d); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if strings.Contains(d.String(), "lost") {
			t.Errorf("step %v: the interruption is reported as a fault: %s", step, d)
		}
	}
}

func messages(t *testing.T) (ex, seq, list, junk []byte) {
	t.Helper()
	must := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	e := example.Example{"a": example.Int64s(1)}
	ex = must(e.MarshalBinary())
	seq = must(example.Sequence{Context: e, Lists: map[string][]example.Value{"s": {example.Int64s(1)}}}.AppendBinary(nil))
	list = must(example.List{Examples: []example.Example{e, e}}.MarshalBinary())
	return ex, seq, list, []byte("\x0a\x05")
}

func repeat(rec []byte, n int) (all [][]byte) {
	for range n {
		all = append(all, rec)
	}
	return all
}

func TestGuess(t *testing.T) {
	ex, seq, list, junk := messages(t)
	more := append(ex[:len(ex):len(ex)], 0x1a, 1, 'x')     // field 3
	sick := append(ex[:len(ex):len(ex)], 0x12, 2, 0x0a, 9) // field 2, of no message
	join := func(parts ...[][]byte) (all [][]byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, c := range []struct {
		proves  string
		recs    [][]byte
		typ     string // "": never told
		misfits string // ordinals of the records that are lost
		bad     string // ordinals of those that v.Record has to judge and refuse
	}{
		{proves: "no records, no type"},
		{proves: "examples", recs: repeat(ex, 3), typ: "example"},
		{proves: "sequences", recs: repeat(seq, 3), typ: "sequence"},
		{proves: "lists", recs: repeat(list, 3), typ: "elwc"},
		{proves: "empty records are examples", recs: repeat(nil, 3), typ: "example"},
		{proves: "an example among sequences is one without lists", recs: join(repeat(ex, 3), repeat(seq, 1)), typ: "sequence"},
		{proves: "nothing fits", recs: repeat(junk, 2), misfits: "0 1"},
		{proves: "nothing fits, more than is held", recs: repeat(junk, 70), misfits: ordinals(0, 70)},
		{proves: "what fits decides", recs: join(repeat(junk, 2), repeat(seq, 2), repeat(junk, 1)), typ: "sequence", bad: "0 1 4"},
		{proves: "first nothing, then something", recs: join(repeat(junk, 64), repeat(list, 2)), typ: "elwc", misfits: ordinals(0, 64)},
		{proves: "the most decide where there is no common type", recs: join(repeat(list, 2), repeat(seq, 3)), typ: "sequence", bad: "0 1"},
		{proves: "an unknown field is no fault, wherever it stands", recs: join(repeat(ex, 64), repeat(more, 1), repeat(ex, 1), repeat(more, 1)), typ: "example"},
		{proves: "an unknown field among the first", recs: join(repeat(more, 1), repeat(ex, 64)), typ: "example"},
		{proves: "an unknown field hides no sequence", recs: repeat(append(seq[:len(seq):len(seq)], 0x1a, 0), 2), typ: "sequence"},
		{proves: "where a record stands does not matter", recs: join(repeat(sick, 1), repeat(ex, 70), repeat(seq, 1), repeat(sick, 1)), typ: "example", misfits: "0 71 72"},
		{proves: "a later record with more fields is no example", recs: join(repeat(ex, 64), repeat(seq, 1), repeat(ex, 1)), typ: "example", misfits: "64"},
	} {
		t.Run(c.proves, func(t *testing.T) {
			v := &judge{}
			in := file(t, tfrecord.None, c.recs...)
			if err := Walk(t.Context(), []inputs.Input{in, in}, &Options{}, Guess(recordjson.Auto, v)); err != nil {
				t.Fatal(err)
			}
			for i, got := range v.files { // twice the same: nothing is kept from file to file
				if got.typ != c.typ || strings.Join(got.misfits, " ") != c.misfits || strings.Join(got.bad, " ") != c.bad || got.n != len(c.recs) {
					t.Errorf("file %d: got %+v", i, got)
				}
			}
		})
	}

	// A type that is named is not doubted.
	v := &judge{}
	if err := Walk(t.Context(), []inputs.Input{file(t, tfrecord.None, junk, seq)}, &Options{}, Guess(recordjson.Raw, v)); err != nil {
		t.Fatal(err)
	}
	if got := v.files[0]; got.typ != "raw" || got.n != 2 || got.misfits != nil {
		t.Errorf("got %+v", got)
	}
}

func ordinals(from, to int) string {
	var s []string
	for i := from; i < to; i++ {
		s = append(s, fmt.Sprint(i))
	}
	return strings.Join(s, " ")
}

// A judge notes, for each file, the type and the records that do not fit it.
type judge struct {
	files []verdict
	typ   example.MessageType
}

type verdict struct {
	typ          string
	n            int
	misfits, bad []string
}

func (j *judge) last() *verdict { return &j.files[len(j.files)-1] }

func (j *judge) Begin(*File) error {
	j.files = append(j.files, verdict{})
	j.typ = 0
	return nil
}

func (j *judge) Type(t recordjson.Type) error {
	j.last().typ = t.String()
	for mt := example.TypeExample; mt <= example.TypeList; mt++ {
		if recordjson.TypeOf(mt) == t {
			j.typ = mt
		}
	}
	return nil
}

func (j *judge) Record(rec []byte, pos tfrecord.Position) error {
	v := j.last()
	v.n++
	if j.typ != 0 && j.typ.Validate(rec) != nil {
		v.bad = append(v.bad, fmt.Sprint(pos.Record))
	}
	return nil
}

func (j *judge) Lost(f *Fault) error {
	v := j.last()
	v.n++
	v.misfits = append(v.misfits, fmt.Sprint(f.Record))
	if f.Class != ClassMessage {
		return f
	}
	return nil
}

func (j *judge) End(*File) error { return nil }

// What is held back is bounded: large records are passed on before there are 64.
func TestGuessBytes(t *testing.T) {
	e := example.Example{"a": example.Bytes(make([]byte, 3<<20))}
	msg, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	d := &diary{onRecord: func([]byte) error { n++; return nil }}
	g := Guess(recordjson.Auto, d)
	g.Begin(&File{})
	for i := range 10 {
		if err := g.Record(msg, tfrecord.Position{Record: int64(i)}); err != nil {
			t.Fatal(err)
		}
		want := 0
		if (i+1)*len(msg) >= guessBytes {
			want = i + 1
		}
		if n != want {
			t.Errorf("after record %d: %d passed on, want %d", i, n, want)
		}
	}
	if cap(g.arena) > keepBytes {
		t.Errorf("%d bytes are kept", cap(g.arena))
	}
}

// Faults come in their place among records that were held back.
func TestGuessOrder(t *testing.T) {
	ex, _, _, _ := messages(t)
	d := &diary{}
	g := Guess(recordjson.Auto, d)
	g.Begin(&File{Name: "x"})
	g.Lost(&Fault{Class: "a", Record: 0})
	g.Record(ex, tfrecord.Position{Record: 1})
	g.Lost(&Fault{Class: "b", Record: 2})
	g.Record(ex, tfrecord.Position{Record: 3})
	g.End(&File{})
	want := fmt.Sprintf("begin(x) lost(a 0@0) example 1@0:%d lost(b 2@0) 3@0:%d end ", len(ex), len(ex))
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d, want)
	}
}

// Faults among the first records do not pile up.
func TestGuessManyFaults(t *testing.T) {
	ex, _, _, _ := messages(t)
	n := 0
	d := &diary{onLost: func(*Fault) error { n++; return nil }}
	g := Guess(recordjson.Auto, d)
	g.Begin(&File{})
	g.Record(ex, tfrecord.Position{})
	for i := range 10 * guessEvents {
		if err := g.Lost(&Fault{Record: int64(i)}); err != nil {
			t.Fatal(err)
		}
		if i+1-n > guessEvents {
			t.Fatalf("%d faults are held back", i+1-n)
		}
	}
}
