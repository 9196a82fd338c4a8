package scan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
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
			if err := Walk(t.Context(), []Input{in, in}, &OldOptions{}, Guess(example.TypeAuto, v)); err != nil {
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
	if err := Walk(t.Context(), []Input{file(t, tfrecord.None, other, seq, nil, ex, other)}, &OldOptions{}, Guess(example.TypeExample, v)); err != nil {
		t.Fatal(err)
	}
	if got := v.files[0]; got.typ != "example" || got.n != 5 || strings.Join(got.misfits, " ") != "0 4" || !errors.Is(v.skipped, ErrForeign) {
		t.Errorf("got %+v", got)
	}
	v = &recorder{}
	if err := Walk(t.Context(), []Input{file(t, tfrecord.None, junk, seq)}, &OldOptions{}, Guess(example.TypeRaw, v)); err != nil {
		t.Fatal(err)
	}
	if got := v.files[0]; got.typ != "raw" || got.n != 2 || got.misfits != nil {
		t.Errorf("got %+v", got)
	}
}

// A recorder notes, for each file, the type and the records that do not fit it.
type recorder struct {
	files   []verdict
	typ     example.MessageType
	skipped error
}

type verdict struct {
	typ          string
	n            int
	misfits, bad []string
}

func (j *recorder) last() *verdict { return &j.files[len(j.files)-1] }

func (j *recorder) Begin(*OldFile) error {
	j.files = append(j.files, verdict{})
	j.typ = 0
	return nil
}

func (j *recorder) Type(t example.MessageType) error {
	j.last().typ = t.String()
	for mt := example.TypeExample; mt <= example.TypeExampleList; mt++ {
		if mt == t {
			j.typ = mt
		}
	}
	return nil
}

func (j *recorder) Record(rec []byte, pos tfrecord.Position) error {
	v := j.last()
	v.n++
	if j.typ != 0 && j.typ.Validate(rec) != nil {
		v.bad = append(v.bad, fmt.Sprint(pos.Record))
	}
	return nil
}

func (j *recorder) Skipped(f *Fault) error {
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

func (j *recorder) End(*OldFile) error { return nil }

// A lenientRecorder gets unknown messages.
type lenientRecorder struct {
	recorder
	unknown []Unknown
}

func (w *lenientRecorder) Unknown(u *Unknown) error {
	w.unknown = append(w.unknown, *u)
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
	w := &lenientRecorder{}
	if err := Walk(t.Context(), []Input{in, in}, &OldOptions{}, Guess(example.TypeAuto, w)); err != nil {
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
	if err := Walk(t.Context(), []Input{in}, &OldOptions{}, Guess(example.TypeAuto, v)); err != nil {
		t.Fatal(err)
	}
	want := in.Name + ": 201 records of unknown messages (TensorBoard event file); tfparse cat --type raw prints their bytes"
	if v.skipped.Error() != want || !errors.Is(v.skipped, ErrUnknown) {
		t.Errorf("got  %v\nwant %s", v.skipped, want)
	}

	// In a file that holds Examples, too, they are faults for all.
	mixed := append(slices.Clone(events), ex)
	w = &lenientRecorder{}
	if err := Walk(t.Context(), []Input{file(t, tfrecord.None, mixed...)}, &OldOptions{}, Guess(example.TypeAuto, w)); err != nil {
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
		if err := Walk(t.Context(), []Input{file(t, tfrecord.None, recs...)}, &OldOptions{}, Guess(example.TypeAuto, v)); err != nil {
			t.Fatal(err)
		}
		if v.skipped == nil || !strings.Contains(v.skipped.Error(), ": "+want) {
			t.Errorf("got %v, want %s", v.skipped, want)
		}
	}
}

// The records of unknown messages are not counted without end before anybody hears of it.
func TestUnknownBytes(t *testing.T) {
	d := &diary{onLost: func(f *Fault) error { return f }}
	g := Guess(example.TypeAuto, d)
	g.Begin(&OldFile{Name: "x"})
	rec := make([]byte, 32<<20) // field number 0
	for i := range 100 {
		if err := g.Record(rec, tfrecord.Position{Record: int64(i)}); err != nil {
			if i != unknownBytes/len(rec)-1 || !strings.HasPrefix(err.Error(), "x: at least 8 records of unknown messages (zeros); ") {
				t.Errorf("after %d records: %v", i+1, err)
			}
			return
		}
	}
	t.Error("no error")
}

// What is held back is bounded: large records are passed on before there are 64.
func TestGuessBytes(t *testing.T) {
	e := example.Example{"a": example.Bytes(make([]byte, 3<<20))}
	msg, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	d := &diary{onRecord: func([]byte) error { n++; return nil }}
	g := Guess(example.TypeAuto, d)
	g.Begin(&OldFile{})
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
	ex, _, _, _ := sampleMessages(t)
	d := &diary{}
	g := Guess(example.TypeAuto, d)
	g.Begin(&OldFile{Name: "x"})
	g.Skipped(&Fault{Class: "a", Record: 0})
	g.Record(ex, tfrecord.Position{Record: 1})
	g.Skipped(&Fault{Class: "b", Record: 2})
	g.Record(ex, tfrecord.Position{Record: 3})
	g.End(&OldFile{})
	want := fmt.Sprintf("begin(x) skipped(a 0@0) example 1@0:%d skipped(b 2@0) 3@0:%d end ", len(ex), len(ex))
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d, want)
	}
}

// Faults among the first records do not pile up.
func TestGuessManyFaults(t *testing.T) {
	ex, _, _, _ := sampleMessages(t)
	n := 0
	d := &diary{onLost: func(*Fault) error { n++; return nil }}
	g := Guess(example.TypeAuto, d)
	g.Begin(&OldFile{})
	g.Record(ex, tfrecord.Position{})
	for i := range 10 * guessEvents {
		if err := g.Skipped(&Fault{Record: int64(i)}); err != nil {
			t.Fatal(err)
		}
		if i+1-n > guessEvents {
			t.Fatalf("%d faults are held back", i+1-n)
		}
	}
}
