package scan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// TestOneMessage: which files become one. What is known of no record, and unknown messages of which nothing
// is known, go together; a record that is larger than all that is looked at shows what it is too.
func TestOneMessage(t *testing.T) {
	ex, seq, list, _ := sampleMessages(t)
	event := []byte("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0dbrain.Event:2")
	large := append(slices.Clone(ex), ex...)
	for len(large) < 3*lookBytes {
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
		{files: [][][]byte{one(ex), one(nil), one(event)}, want: "f2: unknown messages (TensorBoard event file), and f0 has records of type example"},
		{files: [][][]byte{one(), one(event), one(event), one(ex)}, want: "f3: records of type example, and f1 has unknown messages"},
		{files: [][][]byte{one(event), one(large)}, want: "f1: records of type example"},
		{files: [][][]byte{one(ex), repeat(event, 1000)}, want: "f1: unknown messages"},
		{files: [][][]byte{one(ex), one(seq)}, want: "f1: records of type sequence"},
		{files: [][][]byte{one(list), one(ex)}, want: "f1: records of type example"},
		{files: [][][]byte{one(ex), one(jpeg)}, want: "f1: unknown messages, and"},
	} {
		v := &countingVisitor{}
		o := OneMessage(v)
		n := 0
		err := func() error {
			for i, recs := range c.files {
				f := &OldFile{Name: fmt.Sprintf("f%d", i)}
				err := o.Begin(f)
				for _, rec := range recs {
					err = errors.Join(err, o.Record(rec, tfrecord.Position{Name: f.Name}))
					n++
					if err != nil {
						return err
					}
				}
				if err := errors.Join(err, o.End(f)); err != nil {
					return err
				}
			}
			return nil
		}()
		switch {
		case c.want == "" && (err != nil || v.records != n):
			t.Errorf("%.60q: %v, %d records of %d", c.files, err, v.records, n)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.60q: %v, want %s", c.files, err, c.want)
		}
	}
}

// A countingVisitor counts records.
type countingVisitor struct{ records int }

func (v *countingVisitor) Begin(*OldFile) error { return nil }
func (v *countingVisitor) Record([]byte, tfrecord.Position) error {
	v.records++
	return nil
}
func (v *countingVisitor) Skipped(*Fault) error { return nil }
func (v *countingVisitor) End(*OldFile) error   { return nil }
