package tfrecordio

import (
	"context"

	"github.com/tfparse/tfparse/internal/extsort"
)

// sortRecords sorts the records of a group of chunks by their keys, which have a fixed size, in bounded memory, and calls use with
// a function that goes through the records.
func sortRecords(ctx context.Context, key int, memory int64, chunks func(*[]byte) bool, use func(sorted func(put func(rec []byte) error) error) (written, error)) (written, error) {
	sorter := extsort.New(ctx, memory, "")
	defer sorter.Close()
	if err := eachRecord(key, chunks, sorter.Add); err != nil {
		return written{}, err
	}
	return use(func(put func(rec []byte) error) error {
		return sorter.Each(func(_, rec []byte) error { return put(rec) })
	})
}
