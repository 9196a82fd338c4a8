package view

import (
	"context"

	"github.com/tfparse/tfparse/tfrecord"
)

// A recordFile gives access to the records of one file by number.
type recordFile struct {
	name string
	set  int // 0: the data set; 1: the one that it is compared with
}

// readRows returns up to n rows from the row with the given number. end says whether the file ends after the last one.
func (f *recordFile) readRows(ctx context.Context, from int64, n int) (rows []row, end bool, err error) {
	r, err := tfrecord.Open(f.name, nil)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	for rec := range r.Recover() {
		switch {
		case rec.Pos.Record < from:
			continue
		case len(rows) == n:
			return rows, false, ctx.Err()
		}
		row := row{number: rec.Pos.Record, offset: rec.Pos.Offset, skipped: rec.Skipped}
		if rec.Skipped != nil {
			row.err = rec.Skipped.Err
		} else {
			row.data = append([]byte{}, rec.Record...)
		}
		rows = append(rows, row)
	}
	return rows, true, ctx.Err()
}
