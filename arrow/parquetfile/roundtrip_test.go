package parquetfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/arrow/ipcfile"
	"github.com/tfparse/tfparse/arrow/parquetfile"
	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A format is one way to write batches and to read them.
type format struct {
	name  string
	write func(w io.Writer, s *arrow.Schema, batches []arrow.RecordBatch) error
	read  func(b []byte, each func(*arrow.Schema, arrow.RecordBatch) error) error
}

// fromPipe reads without seeking.
func fromPipe(f format) format {
	f.read = func(b []byte, each func(*arrow.Schema, arrow.RecordBatch) error) error {
		return readIPC(io.MultiReader(bytes.NewReader(b)), each)
	}
	return f
}

func readIPC(in io.Reader, each func(*arrow.Schema, arrow.RecordBatch) error) error {
	r, err := ipcfile.NewReader(in)
	if err != nil {
		return err
	}
	for rec, err := range r.Batches() {
		if err != nil {
			return err
		}
		if err := each(r.Schema(), rec); err != nil {
			return err
		}
	}
	return nil
}

func ipcFormat(name string, opts ipcfile.WriterOptions) format {
	return format{name, func(out io.Writer, s *arrow.Schema, batches []arrow.RecordBatch) error {
		w, err := ipcfile.NewWriter(out, s, &opts)
		if err != nil {
			return err
		}
		for i, rec := range batches {
			if err := w.Write(rec, fmt.Sprint("record ", i)); err != nil {
				return err
			}
		}
		return w.Close()
	}, func(b []byte, each func(*arrow.Schema, arrow.RecordBatch) error) error {
		return readIPC(bytes.NewReader(b), each)
	}}
}

func parquetFormat(opts parquetfile.WriterOptions) format {
	return format{"parquet", func(out io.Writer, s *arrow.Schema, batches []arrow.RecordBatch) error {
		w, err := parquetfile.NewWriter(out, s, &opts)
		if err != nil {
			return err
		}
		for _, rec := range batches {
			if err := w.Write(rec); err != nil {
				return err
			}
		}
		return w.Close()
	}, func(b []byte, each func(*arrow.Schema, arrow.RecordBatch) error) error {
		r, err := parquetfile.NewReader(bytes.NewReader(b))
		if err != nil {
			return err
		}
		for rec, err := range r.Batches() {
			if err != nil {
				return err
			}
			if err := each(r.Schema(), rec); err != nil {
				return err
			}
		}
		return nil
	}}
}

var formats = []format{
	ipcFormat("stream", ipcfile.WriterOptions{}), ipcFormat("file", ipcfile.WriterOptions{File: true}), ipcFormat("zstd", ipcfile.WriterOptions{Zstd: true}),
	fromPipe(ipcFormat("file from a pipe", ipcfile.WriterOptions{File: true})), parquetFormat(parquetfile.WriterOptions{}),
}

// recordsOf returns the records of a written file.
func recordsOf(f format, b []byte) (records [][]byte, note string, err error) {
	var d *recordbatch.Decoder
	err = f.read(b, func(s *arrow.Schema, rec arrow.RecordBatch) error {
		if d == nil {
			if d, err = recordbatch.NewDecoder(s); err != nil {
				return err
			}
			note = d.Note()
		}
		for record, err := range d.Records(rec) {
			if err != nil {
				return err
			}
			records = append(records, bytes.Clone(record))
		}
		return nil
	})
	return records, note, err
}

func compareRecords(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("record %d:\n%x\nwant\n%x", i, got[i], want[i])
		}
	}
}

// TestRandomSpecs writes batches of random specs in all formats and reads them back: the records are equal, byte for
// byte.
func TestRandomSpecs(t *testing.T) {
	written := 0
	for seed := range uint64(testkit.Rounds(1200)) {
		g := random.New(nil, seed)
		spec := g.Spec()
		s, err := recordbatch.ForSpec(spec, nil)
		if errors.Is(err, recordbatch.ErrType) {
			continue // a name that is not UTF-8
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := feature.NewParser(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		var batches []arrow.RecordBatch
		var want [][]byte
		for range 1 + g.N(3) {
			b := p.NewBatch()
			for range g.N(6) {
				b.Append(g.Record(spec, false)) // a record that does not fit adds nothing
			}
			records, err := b.Encode()
			if err != nil {
				batches = nil
				break // columns that share a key
			}
			rec, err := s.FromBatch(b)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			batches, want = append(batches, rec), append(want, records...)
		}
		if batches == nil {
			continue
		}
		written++
		for _, f := range formats {
			var out bytes.Buffer
			if err := f.write(&out, s.Arrow(), batches); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, f.name, err)
			}
			got, note, err := recordsOf(f, out.Bytes())
			if err != nil || note != "" {
				t.Fatalf("seed %d, %s: %v %q\n%v", seed, f.name, err, note, s.Arrow())
			}
			compareRecords(t, got, want)
			if t.Failed() {
				t.Fatalf("seed %d, %s", seed, f.name)
			}
		}
	}
	if written < testkit.Rounds(1200)/4 {
		t.Errorf("only %d specs were written", written)
	}
}

// TestNoSpec writes Examples without a spec: absent features, and lists of any length.
func TestNoSpec(t *testing.T) {
	var records [][]byte
	for i := range 50 {
		e := example.Example{}
		if i%3 > 0 {
			e["n"] = example.Int64s(make([]int64, i%5)...)
		}
		if i%4 > 0 {
			e["a/b.c d"] = example.Floats(make([]float32, i%4-1)...)
		}
		if i%2 > 0 {
			e["t"] = example.Strings([]string{"é", "", "x"}[:i%4]...)
		}
		e["raw"] = example.Strings("\xff")
		b, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, b)
	}
	kinds := recordbatch.Kinds{}
	for _, r := range records {
		if err := kinds.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s, err := recordbatch.ForKinds(kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Arrow().Field(3).Type.(*arrow.LargeListType).Elem(); got.ID() != arrow.LARGE_STRING {
		t.Errorf("t is %v", got)
	}
	var batches []arrow.RecordBatch
	for part := range 5 {
		rec, err := s.FromRecords(records[part*10 : part*10+10])
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, rec)
	}
	for _, f := range formats {
		var out bytes.Buffer
		if err := f.write(&out, s.Arrow(), batches); err != nil {
			t.Fatal(err)
		}
		got, _, err := recordsOf(f, out.Bytes())
		if err != nil {
			t.Fatal(f.name, err)
		}
		compareRecords(t, got, records)
	}
}
