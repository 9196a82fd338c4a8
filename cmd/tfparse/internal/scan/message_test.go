package scan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

func sampleMessages(t *testing.T) (ex, seq, list, junk []byte) {
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
	list = must(example.ExampleList{Examples: []example.Example{e, e}}.MarshalBinary())
	return ex, seq, list, []byte("\x0a\x05")
}

func repeat(rec []byte, n int) (all [][]byte) {
	for range n {
		all = append(all, rec)
	}
	return all
}

func TestGuess(t *testing.T) {
	ex, seq, list, junk := sampleMessages(t)
	two, err := example.Example{"a": example.Int64s(1), "b": example.Strings("x")}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := []byte("\x1a\x01x\x20\x05")                   // fields 3 and 4
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
		typ     string // "": Type is never called
		misfits string // ordinals of the records that are skipped
		bad     string // ordinals of those that v.Record has to refuse
	}{
		{proves: "no records, no type"},
		{proves: "examples", recs: repeat(ex, 3), typ: "example"},
		{proves: "sequences", recs: repeat(seq, 3), typ: "sequence"},
		{proves: "lists", recs: repeat(list, 3), typ: "elwc"},
		{proves: "empty records are examples", recs: repeat(nil, 3), typ: "example"},
		{proves: "an example among sequences is one without lists", recs: join(repeat(ex, 3), repeat(seq, 1)), typ: "sequence"},
		{proves: "nothing fits", recs: repeat(junk, 2), misfits: "0+2"},
		{proves: "nothing fits, more than is held", recs: repeat(junk, 70), misfits: "0+70"},
		{proves: "unknown fields are no evidence", recs: repeat(other, 70), misfits: "0+70"},
		{proves: "nor are empty records", recs: join(repeat(nil, 3), repeat(other, 3)), misfits: "0+6"},
		{proves: "one feature is", recs: join(repeat(other, 3), repeat(ex, 1)), typ: "example", misfits: "0 1 2"},
		{proves: "unknown fields only are no Example, wherever they stand", recs: join(repeat(ex, 70), repeat(other, 1), repeat(ex, 1)), typ: "example", misfits: "70"},
		{proves: "what is left of damaged messages is evidence", recs: repeat(two[:len(two)-1], 2), typ: "example", bad: "0 1"},
		{proves: "messages without features are examples", recs: repeat([]byte("\x0a\x00"), 3), typ: "example"},
		{proves: "empty records are not counted", recs: join(repeat(nil, 500), repeat(seq, 2)), typ: "sequence"},
		{proves: "too many of them are examples", recs: join(repeat(nil, guessEvents), repeat(seq, 2)), typ: "example", misfits: "1024 1025"},
		{proves: "what fits decides", recs: join(repeat(junk, 2), repeat(seq, 2), repeat(junk, 1)), typ: "sequence", bad: "0 1 4"},
		{proves: "first nothing, then something", recs: join(repeat(junk, 64), repeat(list, 2)), typ: "elwc", misfits: "0+64"},
		{proves: "the most decide where there is no common type", recs: join(repeat(list, 2), repeat(seq, 3)), typ: "sequence", misfits: "0 1"},
		{proves: "an unknown field is no fault, wherever it stands", recs: join(repeat(ex, 64), repeat(more, 1), repeat(ex, 1), repeat(more, 1)), typ: "example"},
		{proves: "an unknown field among the first", recs: join(repeat(more, 1), repeat(ex, 64)), typ: "example"},
		{proves: "an unknown field hides no sequence", recs: repeat(append(seq[:len(seq):len(seq)], 0x1a, 0), 2), typ: "sequence"},
		{proves: "where a record stands does not matter", recs: join(repeat(sick, 1), repeat(ex, 70), repeat(seq, 1), repeat(sick, 1)), typ: "example", misfits: "0 71 72"},
		{proves: "a later record with more fields is no example", recs: join(repeat(ex, 64), repeat(seq, 1), repeat(ex, 1)), typ: "example", misfits: "64"},
	} {
		t.Run(c.proves, func(t *testing.T) {
			v := &recorder{}
			in := file(t, tfrecord.None, c.recs...)
			if err := v.read(t, example.TypeAuto, in, in); err != nil {
				t.Fatal(err)
			}
			for i, got := range v.files { // twice the same: nothing is kept from file to file
				if got.typ != c.typ || strings.Join(got.misfits, " ") != c.misfits || strings.Join(got.bad, " ") != c.bad || got.n != len(c.recs) {
					t.Errorf("file %d: got %+v", i, got)
				}
			}
		})
	}

	// A type that is named is not doubted, but for records that hold nothing of it.
	v := &recorder{}
	if err := v.read(t, example.TypeExample, file(t, tfrecord.None, other, seq, nil, ex, other)); err != nil {
		t.Fatal(err)
	}
	if got := v.files[0]; got.typ != "example" || got.n != 5 || strings.Join(got.misfits, " ") != "0 4" || !errors.Is(v.skipped, ErrForeign) {
		t.Errorf("got %+v", got)
	}
	v = &recorder{}
	if err := v.read(t, example.TypeRaw, file(t, tfrecord.None, junk, seq)); err != nil {
		t.Fatal(err)
	}
	if got := v.files[0]; got.typ != "raw" || got.n != 2 || got.misfits != nil {
		t.Errorf("got %+v", got)
	}
}

// A recorder notes, for each file, the type and the records that do not fit it.
type recorder struct {
	files   []verdict
	skipped error
	unknown []Unknown // with lenient
	lenient bool      // unknown messages are no fault
}

type verdict struct {
	typ          string
	n            int
	misfits, bad []string
}

func (j *recorder) last() *verdict { return &j.files[len(j.files)-1] }

// read reads files.
func (j *recorder) read(t *testing.T, typ example.MessageType, in ...Input) error {
	t.Helper()
	flags := &Flags{progress: cli.WhenNever}
	src, err := flags.Open(quiet(t.Context(), nil), in, &Options{
		Type: typ, Unknown: j.lenient, Fault: j.fault,
		Begin: func(*File) error { j.files = append(j.files, verdict{}); return nil },
		End: func(f *File) error {
			if f.Type != example.TypeAuto {
				j.last().typ = f.Type.String()
			}
			if f.Unknown != nil {
				j.unknown = append(j.unknown, *f.Unknown)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	return src.Each(func(rec Record) error {
		v := j.last()
		v.n++
		if messageOf(rec.Type) != 0 && rec.Type.Validate(rec.Bytes) != nil {
			v.bad = append(v.bad, fmt.Sprint(rec.Record))
		}
		return nil
	})
}

func (j *recorder) fault(f *Fault) error {
	v := j.last()
	j.skipped = f
	if f.Records > 0 {
		v.n += int(f.Records)
		v.misfits = append(v.misfits, fmt.Sprintf("%d+%d", max(f.Record, 0), f.Records))
	} else {
		v.n++
		v.misfits = append(v.misfits, fmt.Sprint(f.Record))
	}
	if f.Class != ClassMessage {
		return f
	}
	return nil
}

func TestUnknown(t *testing.T) {
	ex, _, _, _ := sampleMessages(t)
	event := func(step byte) []byte { return append(binary.LittleEndian.AppendUint64([]byte{0x09}, 1), 0x10, step) }
	var events [][]byte
	for i := range 200 {
		events = append(events, event(byte(i%100)))
	}
	events = append(events, nil)
	in := file(t, tfrecord.GZIP, events...)
	w := &recorder{lenient: true}
	if err := w.read(t, example.TypeAuto, in, in); err != nil {
		t.Fatal(err)
	}
	for _, u := range w.unknown {
		if u.File != in.Name || u.Records != 201 || u.Bytes != 200*11+201*16 || u.LooksLike != "tensorboard-event" || u.Sizes.Max != 11 || u.Sizes.Min != 0 {
			t.Errorf("got %+v", u)
		}
	}
	if len(w.unknown) != 2 || w.skipped != nil || w.files[0].typ != "" || w.files[0].n != 0 {
		t.Errorf("called %d times, %+v, %v", len(w.unknown), w.files, w.skipped)
	}

	// Others have them skipped, all at once.
	v := &recorder{}
	if err := v.read(t, example.TypeAuto, in); err != nil {
		t.Fatal(err)
	}
	want := in.Name + ": 201 records of unknown messages (TensorBoard event file); tfparse cat prints them"
	if v.skipped.Error() != want || !errors.Is(v.skipped, ErrUnknown) {
		t.Errorf("got  %v\nwant %s", v.skipped, want)
	}

	// In a file that holds Examples, too, they are faults for all.
	mixed := append(slices.Clone(events), ex)
	w = &recorder{lenient: true}
	if err := w.read(t, example.TypeAuto, file(t, tfrecord.None, mixed...)); err != nil {
		t.Fatal(err)
	}
	if got := w.files[0]; len(w.unknown) != 0 || got.typ != "example" || strings.Join(got.misfits, " ") != "0+192 192 193 194 195 196 197 198 199" {
		t.Errorf("called %d times, %+v", len(w.unknown), got)
	}

	// What records look like that are no protocol buffers.
	for want, recs := range map[string][][]byte{
		"1 record of unknown messages (JSON); ":  {[]byte(`{"a": 1}`)},
		"1 record of unknown messages (text); ":  {[]byte("hello, world")},
		"3 records of unknown messages; ":        {nil, {0xff}, nil},
		"2 records of unknown messages (gzip); ": repeat([]byte("\x1f\x8b\x08\x00\x00\x00"), 2),
	} {
		v := &recorder{}
		if err := v.read(t, example.TypeAuto, file(t, tfrecord.None, recs...)); err != nil {
			t.Fatal(err)
		}
		if v.skipped == nil || !strings.Contains(v.skipped.Error(), ": "+want) {
			t.Errorf("got %v, want %s", v.skipped, want)
		}
	}
}

// A fakeReader has events.
type fakeReader struct {
	n  int // events
	at func(i int) event
	i  int
	ev event
}

func (f *fakeReader) next() (*event, error) {
	if f.i == f.n {
		return nil, io.EOF
	}
	f.ev = f.at(f.i)
	f.i++
	return &f.ev, nil
}

func (f *fakeReader) close() {}

// fakeSource returns a source of events of one file; the first one is its beginning.
func fakeSource(t *testing.T, n int, at func(i int) event) (*Source, *fakeReader) {
	t.Helper()
	one := &File{Name: "x", Opened: true}
	r := &fakeReader{n: n + 1, at: func(i int) event {
		ev := event{kind: evBegin}
		if i > 0 {
			ev = at(i - 1)
		}
		ev.file = one
		return ev
	}}
	s := &Source{env: &cli.Env{Ctx: t.Context()}, flags: &Flags{}, opts: &Options{Fault: func(f *Fault) error { return f }}, files: r, left: math.MaxInt64}
	return s, r
}

// The records of unknown messages are not counted without end before anybody hears of it.
func TestUnknownBytes(t *testing.T) {
	testkit.OneGoroutine(t)
	rec := make([]byte, 32<<20) // field number 0
	s, r := fakeSource(t, 100, func(i int) event { return event{rec: rec, pos: tfrecord.Position{Record: int64(i)}} })
	err := s.Each(func(Record) error { return nil })
	if err == nil || r.i-1 != unknownBytes/len(rec) || !strings.HasPrefix(err.Error(), "x: at least 8 records of unknown messages (zeros); ") {
		t.Errorf("after %d records: %v", r.i-1, err)
	}
}

// What is held back is bounded: large records are passed on before there are 64.
func TestGuessBytes(t *testing.T) {
	e := example.Example{"a": example.Bytes(make([]byte, 3<<20))}
	msg, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s, r := fakeSource(t, 10, func(i int) event { return event{rec: msg, pos: tfrecord.Position{Record: int64(i)}} })
	err = s.Each(func(Record) error {
		n++
		if read := r.i - 1; read > max(n, guessBytes/len(msg)+1) {
			t.Errorf("%d records were read for record %d", read, n)
		}
		return nil
	})
	if err != nil || n != 10 {
		t.Errorf("%d records, %v", n, err)
	}
}

// Faults come in their place among records that were held back.
func TestGuessOrder(t *testing.T) {
	ex, _, _, _ := sampleMessages(t)
	d := &strings.Builder{}
	s, _ := fakeSource(t, 5, func(i int) event {
		switch i {
		case 4:
			return event{kind: evEnd}
		case 0, 2:
			return event{kind: evFault, fault: &Fault{Class: string(rune('a' + i)), Record: int64(i)}}
		}
		return event{rec: ex, pos: tfrecord.Position{Record: int64(i)}}
	})
	s.opts.Begin = func(f *File) error { fmt.Fprintf(d, "begin(%s) %v ", f.Name, f.Type); return nil }
	s.opts.Fault = func(f *Fault) error { fmt.Fprintf(d, "%s ", f.Class); return nil }
	if err := s.Each(func(rec Record) error { fmt.Fprintf(d, "%d ", rec.Record); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := "begin(x) example a 1 c 3 "; d.String() != want {
		t.Errorf("got  %s\nwant %s", d, want)
	}
}

// Faults among the first records do not pile up.
func TestGuessManyFaults(t *testing.T) {
	ex, _, _, _ := sampleMessages(t)
	s, r := fakeSource(t, 10*guessEvents, func(i int) event {
		if i == 0 {
			return event{rec: ex}
		}
		return event{kind: evFault, fault: &Fault{Record: int64(i)}}
	})
	n := 0
	s.opts.Fault = func(*Fault) error {
		if n++; r.i-n > guessEvents+2 {
			t.Fatalf("%d faults are held back", r.i-n)
		}
		return nil
	}
	if err := s.Each(func(Record) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestOneMessage: which files become one. What is known of no record, and unknown messages of which nothing
// is known, go together; a record that is larger than all that is looked at shows what it is too.
func TestOneMessage(t *testing.T) {
	ex, seq, list, _ := sampleMessages(t)
	event := []byte("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0dbrain.Event:2")
	large := append(slices.Clone(ex), ex...)
	for len(large) < 192<<10 {
		large = append(large, ex...)
	}
	jpeg, png := []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01"), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	one := func(recs ...[]byte) [][]byte { return recs }
	for _, c := range []struct {
		files [][][]byte
		want  string // in the error; "": none
	}{
		{files: [][][]byte{one(ex), one(ex, ex), one(large)}},
		{files: [][][]byte{one(seq), one(), one(nil, []byte("\x0a\x00")), one(seq)}},
		{files: [][][]byte{one(event), one(event)}},
		{files: [][][]byte{one(jpeg), one(png), one([]byte("text of a line"))}},
		{files: [][][]byte{one(ex), one(nil), one(event)}, want: "f2: unknown messages (TensorBoard event file), but f0 has records of type example"},
		{files: [][][]byte{one(), one(event), one(event), one(ex)}, want: "f3: records of type example, but f1 has unknown messages"},
		{files: [][][]byte{one(event), one(large)}, want: "f1: records of type example"},
		{files: [][][]byte{one(ex), repeat(event, 1000)}, want: "f1: unknown messages"},
		{files: [][][]byte{one(ex), one(seq)}, want: "f1: records of type sequence"},
		{files: [][][]byte{one(list), one(ex)}, want: "f1: records of type example"},
		{files: [][][]byte{one(ex), one(jpeg)}, want: "f1: unknown messages, but"},
	} {
		var in []Input
		n, want := 0, 0
		for i, recs := range c.files {
			one := file(t, tfrecord.None, recs...)
			name := filepath.Join(filepath.Dir(one.Name), fmt.Sprint("f", i))
			if err := os.Rename(one.Name, name); err != nil {
				t.Fatal(err)
			}
			in, want = append(in, Input{Name: name}), want+len(recs)
		}
		d := &diary{opts: Options{Copy: true}, onRecord: func(Record) error { n++; return nil }}
		err := d.read(t.Context(), in...)
		switch {
		case c.want == "" && (err != nil || n != want):
			t.Errorf("%.60q: %v, %d records of %d", c.files, err, n, want)
		case c.want != "" && (err == nil || !strings.Contains(baseNames(err.Error(), in), c.want)):
			t.Errorf("%.60q: %v, want %s", c.files, err, c.want)
		}
	}
}

// baseNames leaves the directories of inputs out of a text.
func baseNames(text string, in []Input) string {
	for _, i := range in {
		text = strings.ReplaceAll(text, i.Name, filepath.Base(i.Name))
	}
	return text
}
