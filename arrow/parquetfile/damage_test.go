package parquetfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/tfparse/tfparse/arrow/ipcfile"
	"github.com/tfparse/tfparse/arrow/parquetfile"
	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// smallBatch returns a record batch with a column of each kind, and its records.
func smallBatch(t testing.TB) (*recordbatch.Schema, arrow.RecordBatch, [][]byte) {
	t.Helper()
	var spec feature.Spec
	err := json.Unmarshal([]byte(`{"features":{
		"id":{"fixed_len":{"dtype":"int64","shape":[2]}}, "tags":{"var_len":{"dtype":"string"}},
		"s":{"sparse":{"dtype":"float32","index_key":"i","value_key":"v","size":9}},
		"r":{"ragged":{"dtype":"float32","value_key":"rv","partitions":[{"row_lengths":"rl"}]}}}}`), &spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := recordbatch.ForSpec(spec, &recordbatch.Options{Text: []string{"tags"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBatch()
	for i := range int64(5) {
		e := example.Example{"id": example.Int64s(i, -i), "tags": example.Strings([]string{"a", "é", "ccc"}[:i%4]...), "i": example.Int64s(i), "v": example.Floats(1),
			"rl": example.Int64s(make([]int64, i)...), "rv": example.Floats()}
		if i == 2 {
			e["rl"], e["rv"] = example.Int64s(2, 0, 1), example.Floats(1, 2, 3)
		}
		record, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	records, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.FromBatch(b)
	if err != nil {
		t.Fatal(err)
	}
	return s, rec, records
}

// written returns a batch written in a format.
func written(t testing.TB, f format) (file []byte, records [][]byte) {
	s, rec, records := smallBatch(t)
	var out bytes.Buffer
	if err := f.write(&out, s.Arrow(), []arrow.RecordBatch{rec}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), records
}

// maxDamaged is the limit of memory that reading a small damaged file may allocate.
const maxDamaged = 96 << 20

// readDamaged reads a damaged file and returns its error. It must not panic, nor allocate much.
func readDamaged(t *testing.T, f format, b []byte) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := recordsOf(f, b)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > maxDamaged {
		t.Errorf("%s: %d MB for %d bytes: %v", f.name, n>>20, len(b), err)
	}
	return err
}

// TestCuts cuts files after every byte: each cut is an error.
func TestCuts(t *testing.T) {
	for _, f := range formats {
		file, _ := written(t, f)
		for n, b := range testkit.Cuts(file) {
			if err := readDamaged(t, f, b); err == nil {
				t.Errorf("%s cut at %d of %d: no error", f.name, n, len(file))
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s cut at %d: %q", f.name, n, err)
			}
		}
		if f.name == "stream" || f.name == "zstd" {
			if err := readDamaged(t, f, append(bytes.Clone(file), file...)); err == nil {
				t.Errorf("%s twice: no error", f.name)
			}
		}
	}
}

// TestFlips flips bits: an error, or records.
func TestFlips(t *testing.T) {
	step := 7
	if testkit.Long(t, "bits in between") {
		step = 1
	}
	for _, f := range formats {
		file, _ := written(t, f)
		i := 0
		for n, b := range testkit.Flips(file) {
			if i++; i%step != 0 {
				continue
			}
			if err := readDamaged(t, f, b); err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "runtime error")) {
				t.Errorf("%s bit %d: %q", f.name, n, err)
			}
		}
	}
}

// TestBrokenColumn checks that an error names the column.
func TestBrokenColumn(t *testing.T) {
	f := formats[len(formats)-1]
	file, _ := written(t, f)
	at := bytes.Index(file, []byte("\x28\xb5\x2f\xfd")) // the first page, of column id
	file[at] ^= 1
	err := readDamaged(t, f, file)
	if want := `row group 0: row 0: column "id.list.element": `; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEnd checks the number of rows of the last batch of a stream, and that other writers need not have one.
func TestEnd(t *testing.T) {
	file, records := written(t, formats[0])
	bad := bytes.Replace(file, []byte("\x01\x00\x00\x005\x00"), []byte("\x01\x00\x00\x006\x00"), 1)
	if err := readDamaged(t, formats[0], bad); err == nil || !strings.Contains(err.Error(), `want "6" rows, as the last batch says, got 5`) {
		t.Errorf("another number of rows: %v", err)
	}
	r, err := ipcfile.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rec, err := range r.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		md := rec.(arrow.RecordBatchWithMetadata).Metadata()
		if next, _ := md.GetValue(recordbatch.NextKey); next != "record 0" {
			t.Errorf("metadata %v", md)
		}
	}
	if n != 1 || len(records) != 5 {
		t.Errorf("%d batches", n)
	}
}

// TestRowGroups checks where row groups end.
func TestRowGroups(t *testing.T) {
	s, rec, records := smallBatch(t)
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, s.Arrow(), &parquetfile.WriterOptions{RowGroupBytes: 3 * recordbatch.Size(rec)})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for range 10 {
		if err := w.Write(rec.NewSlice(1, 5)); err != nil {
			t.Fatal(err)
		}
		want = append(want, records[1:]...)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := recordsOf(formats[len(formats)-1], out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	compareRecords(t, got, want)
}

// TestNoRows writes a file without rows: awkward reads it because it has a row group.
func TestNoRows(t *testing.T) {
	s, rec, _ := smallBatch(t)
	for _, batches := range [][]arrow.RecordBatch{nil, {rec.NewSlice(0, 0)}} {
		var out bytes.Buffer
		if err := formats[len(formats)-1].write(&out, s.Arrow(), batches); err != nil {
			t.Fatal(err)
		}
		in, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		records, _, err := recordsOf(formats[len(formats)-1], out.Bytes())
		if in.NumRowGroups() != 1 || len(records) != 0 || err != nil {
			t.Errorf("%d row groups, %d records: %v", in.NumRowGroups(), len(records), err)
		}
	}
}

// checkParquet writes records to Parquet and compares those that come back.
func checkParquet(t *testing.T, s *recordbatch.Schema, want [][]byte) {
	t.Helper()
	rec, err := s.FromRecords(want)
	if err != nil {
		t.Fatal(err)
	}
	parquet := formats[len(formats)-1]
	var out bytes.Buffer
	if err := parquet.write(&out, s.Arrow(), []arrow.RecordBatch{rec}); err != nil {
		t.Fatal(err)
	}
	got, _, err := recordsOf(parquet, out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	compareRecords(t, got, want)
}

// TestLargeDictionary reads a file whose last column begins with a dictionary that is larger than the end of the file.
func TestLargeDictionary(t *testing.T) {
	s, err := recordbatch.ForKinds(recordbatch.Kinds{"s": {Kind: example.BytesList}}, &recordbatch.Options{Text: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for i := range 4000 {
		record, err := example.Example{"s": example.Strings(fmt.Sprintf("word number %d", i%2000))}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, record)
	}
	checkParquet(t, s, want)
}

// TestLargeValue reads a value of more bytes than the library allows in a page by default.
func TestLargeValue(t *testing.T) {
	s, err := recordbatch.ForKinds(recordbatch.Kinds{"s": {Kind: example.BytesList}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 65<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(value) // never fails; not compressible
	record, err := example.Example{"s": example.Bytes(value)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	checkParquet(t, s, [][]byte{record})
}

func fuzzFormat(f *testing.F, formats ...format) {
	for _, format := range formats {
		file, _ := written(f, format)
		f.Add(file)
		f.Add(file[:len(file)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		readDamaged(t, formats[0], b)
	})
}

func FuzzIPC(f *testing.F)     { fuzzFormat(f, formats[:4]...) }
func FuzzParquet(f *testing.F) { fuzzFormat(f, formats[4]) }
