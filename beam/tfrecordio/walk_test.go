package tfrecordio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// A heard is what reading has delivered: records and failures with their positions, as text.
type heard struct {
	lines    []string
	ordinals bool // of records, also
}

func (h *heard) record(rec []byte, pos tfrecord.Position) error {
	if !h.ordinals {
		pos.Record = 0
	}
	h.lines = append(h.lines, fmt.Sprintf("%012d %v %x", pos.Offset, pos.Record, rec))
	return nil
}

func (h *heard) skipped(f Failure) error {
	h.lines = append(h.lines, fmt.Sprintf("%012d %+v", f.Offset, f))
	return nil
}

// indexed writes a file of records of many sizes, with its index, and returns the file and where each record begins.
func indexed(t *testing.T, name string, records int) (data []byte, offsets []int64) {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, nil)
	for i := range records {
		offsets = append(offsets, w.Offset())
		if err := w.WriteRecord(bytes.Repeat([]byte{byte(i)}, i*i%97)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := tfrecord.BuildIndex(bytes.NewReader(b.Bytes()), int64(b.Len()), nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for n, data := range map[string][]byte{name: b.Bytes(), name + tfrecord.IndexExtension: file} {
		if err := os.WriteFile(n, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes(), append(offsets, int64(b.Len()))
}

// The parts of a file together have the records and the skipped ranges of the file read as a whole: each once, with the same positions, for
// parts of every size, whichever byte is damaged after the index was made. Bytes around the borders of parts are
// damaged alone, and with the bytes up to the next border.
func TestParts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	intact, offsets := indexed(t, name, 40)
	for _, size := range []int64{1, 300, 1000, int64(len(intact)) - 1, int64(len(intact))} {
		if err := os.WriteFile(name, intact, 0o644); err != nil {
			t.Fatal(err)
		}
		parts, err := divide(t.Context(), File{Name: name}, size)
		if err != nil {
			t.Fatal(err)
		}
		if size == 1 && len(parts) != 40 || size == int64(len(intact)) && len(parts) != 0 {
			t.Fatalf("%d parts of %d bytes", len(parts), size)
		}
		check := func(damage string, ordinals bool) {
			whole, divided := heard{ordinals: ordinals}, heard{ordinals: ordinals}
			if err := (span{File: File{Name: name}}).walk(t.Context(), nil, whole.record, whole.skipped); err != nil {
				t.Fatal(err)
			}
			for _, p := range slices.Backward(parts) {
				if err := p.walk(t.Context(), nil, divided.record, divided.skipped); err != nil {
					t.Fatal(err)
				}
			}
			if slices.Sort(divided.lines); len(parts) > 0 && !slices.Equal(whole.lines, divided.lines) {
				t.Fatalf("parts of %d bytes, %s:\ngot  %q\nwant %q", size, damage, divided.lines, whole.lines)
			}
		}
		check("nothing damaged", true)
		step := 1
		if size != 300 {
			step = 61
		}
		for i := 0; i < len(intact); i += step {
			data := bytes.Clone(intact)
			data[i] ^= 1
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprintf("byte %d damaged", i), true)
		}
		for _, at := range offsets[:len(offsets)-1] {
			data := bytes.Clone(intact)
			for i := max(at-5, 0); i < min(at+200, int64(len(data))); i++ {
				data[i] ^= 0x55
			}
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			// A part begins with the ordinal of the index, and a reader counts a range of unknown size as one record.
			check(fmt.Sprintf("bytes from %d on damaged", at), false)
		}
	}
}

// A file that has another size than when it was divided is not read by its old borders.
func TestPartsChanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	data, _ := indexed(t, name, 40)
	parts, err := divide(t.Context(), File{Name: name}, 500)
	if err != nil || len(parts) < 2 {
		t.Fatal(parts, err)
	}
	if err := os.WriteFile(name, data[:len(data)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	var h heard
	if err := parts[1].walk(t.Context(), nil, h.record, h.skipped); err == nil || len(h.lines) > 0 {
		t.Fatal(h.lines, err)
	}
	// Nor is its index used again, or one that is damaged.
	for _, damaged := range []bool{false, true} {
		if damaged {
			if err := os.WriteFile(name+tfrecord.IndexExtension, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if parts, err := divide(t.Context(), File{Name: name}, 500); len(parts) != 0 || !errors.Is(err, tfrecord.ErrIndex) {
			t.Fatal(parts, err)
		}
	}
}
