package dataset_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestFaultInRemainder checks that a record that does not fit is the first error even if its remainder
// is dropped, for any number of workers, and for any records after it.
func TestFaultInRemainder(t *testing.T) {
	p := parser(t)
	var recs [][]byte
	for i := range 10 {
		recs = append(recs, numbered(t, 0, i))
	}
	recs[9] = recs[9][:len(recs[9])-1]
	misfit := stream(t, tfrecord.None, recs...)
	broken := stream(t, tfrecord.None, numbered(t, 0, 10))
	broken[tfrecord.HeaderSize+3] ^= 1
	for what, data := range map[string][]byte{"at the end": misfit, "and damage": append(bytes.Clone(misfit), broken...)} {
		fsys := fstest.MapFS{"f-00000": &fstest.MapFile{Data: data}}
		for workers := range 5 {
			got, err := rowsOf(dataset.NewFiles([]string{"f-00000"}, &dataset.FilesOptions{FS: fsys, Workers: workers + 1, DropRemainder: true}).Batches(t.Context(), p, 8))
			if want := "0/0 0/1 0/2 0/3 0/4 0/5 0/6 0/7"; got != want {
				t.Errorf("%s, %d workers: rows %s, want %s", what, workers+1, got, want)
			}
			te, ok := errors.AsType[*tfrecord.Error](err)
			if _, misfits := errors.AsType[*feature.Error](err); !ok || !misfits || te.Record != 9 {
				t.Errorf("%s, %d workers: error %v, want that of record 9", what, workers+1, err)
			}
		}
	}
	noLeak(t)
}
