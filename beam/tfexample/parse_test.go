package tfexample_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfexample"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// sums sums up the numbers of each row, and marks the rows of batches that are too large.
type sums struct {
	Most  int
	Named string
}

func (f sums) ProcessBatch(_ context.Context, b *feature.Batch, emit func(string)) error {
	if b.Len() == 0 || b.Len() > f.Most {
		return fmt.Errorf("a batch of %d records", b.Len())
	}
	x, err := feature.ColumnOf[int64](b.Columns(), f.Named)
	if err != nil {
		return err
	}
	for i := range b.Len() {
		sum := int64(0)
		for _, v := range x.Row(i).Values() {
			sum += v
		}
		if sum == 13 {
			return errors.New("thirteen")
		}
		emit(fmt.Sprint(sum))
	}
	return nil
}

func init() { tfexample.Register[sums, string]() }

var spec = feature.Spec{Features: feature.Features{"x": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}}}

// record returns a record with rows of numbers.
func record(t *testing.T, rows ...[]int64) []byte {
	t.Helper()
	var values, lengths []int64
	for _, r := range rows {
		values, lengths = append(values, r...), append(lengths, int64(len(r)))
	}
	return encode(t, values, lengths)
}

func encode(t *testing.T, values, lengths []int64) []byte {
	t.Helper()
	rec, err := example.Example{"x": example.Int64s(values...), "n": example.Int64s(lengths...)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// data returns n records and their sums.
func data(t *testing.T, n int) (records [][]byte, want []any) {
	t.Helper()
	for i := range int64(n) {
		records = append(records, record(t, []int64{100, i}, nil, []int64{7 * i}))
		want = append(want, fmt.Sprint(100+8*i))
	}
	return records, want
}

func TestParse(t *testing.T) {
	records, want := data(t, 57)
	misfit := encode(t, []int64{1}, []int64{2})
	for _, size := range []int{1, 8, 1000} {
		p, s := beam.NewPipelineWithRoot()
		out, failures := tfexample.Parse(s, spec, sums{size, "x"}, beam.CreateList(s, append(records, misfit)), &tfexample.Options{BatchSize: size, SkipMisfits: true})
		passert.Equals(s, out, want...)
		passert.Equals(s, failures, tfrecordio.Failure{Record: -1, Offset: -1, End: -1, Records: 1, Class: "message", Error: `feature "x" (key "n"): partition 0: invalid row partition: row_lengths[0]: want 0 to 1, the items that are left, got 2 (byte 9)`})
		pipetest.Run(t, p)
	}
}

// files writes files of records. One file is damaged, and one file has a record that does not fit the spec.
func files(t *testing.T) (pattern string, want []any, failures []any) {
	t.Helper()
	dir := t.TempDir()
	records, want := data(t, 30)
	var b []byte
	for i, rec := range records {
		b = tfrecord.AppendRecord(b, rec)
		if i%10 == 9 {
			name := filepath.Join(dir, fmt.Sprintf("in-%d", i/10))
			if i == 19 {
				at := len(b)
				b = tfrecord.AppendRecord(b, encode(t, []int64{1}, []int64{2}))
				failures = append(failures, fmt.Sprintf("%s 10 %d -1 message", name, at))
				at, end := len(b), 0
				b = tfrecord.AppendRecord(b, records[0])
				end = len(b)
				b[end-1] ^= 1
				failures = append(failures, fmt.Sprintf("%s 11 %d %d payload_crc", name, at, end))
			}
			if err := os.WriteFile(name, b, 0o666); err != nil {
				t.Fatal(err)
			}
			b = nil
		}
	}
	return filepath.Join(dir, "in-*"), want, failures
}

func place(f tfrecordio.Failure) string {
	return fmt.Sprintf("%s %d %d %d %s", f.File, f.Record, f.Offset, f.End, f.Class)
}

func init() { beam.RegisterFunction(place) }

func TestParseFiles(t *testing.T) {
	pattern, want, places := files(t)
	p, s := beam.NewPipelineWithRoot()
	out, failures := tfexample.ParseFiles(s, spec, sums{4, "x"}, tfrecordio.Match(s, nil, pattern), &tfexample.Options{BatchSize: 4, SkipMisfits: true})
	passert.Equals(s, out, want...)
	passert.Equals(s, beam.ParDo(s, place, failures), places...)
	pipetest.Run(t, p)

	// Without SkipMisfits the first failure fails the pipeline, with its position.
	p, s = beam.NewPipelineWithRoot()
	tfexample.ParseFiles(s, spec, sums{1000, "x"}, tfrecordio.Match(s, nil, pattern), nil)
	err := pipetest.Fail(t, p)
	if !strings.Contains(err.Error(), "in-1: record 10 (offset 0x") || !strings.Contains(err.Error(), `feature "x" (key "n")`) {
		t.Errorf("%v", err)
	}
}

// TestParseFails checks that an error of the function fails the pipeline, even at the end of a bundle, and that an invalid spec panics.
func TestParseFails(t *testing.T) {
	for _, size := range []int{1, 100} {
		p, s := beam.NewPipelineWithRoot()
		tfexample.Parse(s, spec, sums{100, "x"}, beam.Create(s, record(t, []int64{6, 7})), &tfexample.Options{BatchSize: size})
		if err := pipetest.Fail(t, p); !strings.Contains(err.Error(), "thirteen") {
			t.Errorf("batches of %d: %v", size, err)
		}
	}
	defer func() {
		if e := recover(); e == nil {
			t.Error("a spec without features is accepted")
		}
	}()
	_, s := beam.NewPipelineWithRoot()
	tfexample.Parse(s, feature.Spec{Features: feature.Features{"x": feature.Ragged{}}}, sums{}, beam.Create(s, []byte{}), nil)
}
