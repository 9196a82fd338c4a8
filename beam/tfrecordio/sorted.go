package tfrecordio

import (
	"context"

	"github.com/tfparse/tfparse/internal/extsort"
)

// sortRecords sorts the values of a group, which are a key of a fixed size and a record, by the keys in
// bounded memory, and calls use with a function that goes through the records.
func sortRecords(ctx context.Context, key int, memory int64, keyed func(*[]byte) bool, use func(sorted func(put func(rec []byte) error) error) (written, error)) (written, error) {
	sorter := extsort.New(ctx, memory, "")
	defer sorter.Close()
	var v []byte
	for keyed(&v) {
		if err := sorter.Add(v[:key], v[key:]); err != nil {
			return written{}, err
		}
	}
	return use(func(put func(rec []byte) error) error {
		return sorter.Each(func(_, rec []byte) error { return put(rec) })
	})
}
