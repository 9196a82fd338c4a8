package feed

import (
	"context"
	"io"
)

// A RecordReader reads the records of a file of another format than TFRecord. Its methods are described
// with dataset.RecordReader.
type RecordReader interface {
	Next() ([]byte, error)
	Pos() (record, offset int64)
	Skipped() (records, end int64)
}

// format reads a file by a RecordReader. Its records are copied, since it lends one at a time.
func (f *fileReader) format(ctx context.Context, file int, r RecordReader) error {
	used := 0 // of f.buf
	for {
		rec, err := r.Next()
		number, offset := r.Pos()
		at := Place{file, number, offset}
		switch {
		case err == io.EOF:
			return io.EOF
		case f.yield == nil:
			return errStopped
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if !f.s.cfg.Recover {
				return f.s.fileError(file, err)
			}
			if number >= 0 { // else it is about the file, and named by whoever reports it
				err = f.s.fileError(file, err)
			}
			records, end := r.Skipped()
			if end < 0 || number >= f.from.next { // else it was reported before
				f.skip(&Skipped{at, end, records, err})
			}
			if end < 0 {
				return io.EOF
			}
			continue
		}
		choice := f.choose(number)
		switch choice {
		case LeaveFile:
			return io.EOF
		case LeaveOut:
			f.stats.Records++
			if err := f.from.check(number, offset); err != nil {
				return err
			}
			continue
		}
		if f.buf == nil || len(rec) > len(f.buf.bytes)-used {
			if _, err := f.memory(len(rec)); err != nil {
				return err
			}
			f.end(&f.old)
			used = 0
		}
		n := copy(f.buf.bytes[used:], rec)
		if err := f.add(f.buf.bytes[used:used+n:used+n], at); err != nil {
			return err
		}
		used += n
		if choice == ReadRecord {
			f.flush() // the next choice may depend on it
		}
		if f.yield == nil {
			return errStopped
		}
	}
}
