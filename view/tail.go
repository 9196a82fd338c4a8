package view

import (
	"context"
	"errors"
	"io"
	"iter"
	"sort"
	"sync"

	"github.com/tfparse/tfparse/tfrecord"
)

// A damagedTail lists the rows of a damaged file from the last record before the first damage to the end, as
// [tfrecord.Reader.Recover] returns them. In an uncompressed file reading can begin at marks. In a compressed one it
// begins at the start of the file; one reader waits at its place, so that scrolling down is cheap.
type damagedTail struct {
	file       *recordFile
	first      int64 // number of the first row
	compressed bool

	marksMu sync.Mutex
	marks   []tailMark // in the order of the rows; the first one is for row first, or for row 0 if compressed

	cursorMu sync.Mutex // held while a row is read
	cursor   *tailCursor
	closed   bool // no cursor is opened any more; guarded by cursorMu
}

// A tailMark is an intact record where reading can begin.
type tailMark struct{ row, offset int64 }

// A tailCursor is a reader that waits at a place of the tail.
type tailCursor struct {
	row  int64 // number of the next row
	next func() (tfrecord.Recovered, bool)
	stop func()
	at   tailMark // where it began
}

// Distance of marks: what is read to get at one record is a few times this.
const (
	markRows  = 128
	markBytes = 256 << 10
)

// newTail returns the tail of a file after the rows of its index, from row first on.
func newTail(f *recordFile, first int64, x *tfrecord.Index) *damagedTail {
	t := &damagedTail{file: f, first: first, compressed: x.Compression() > tfrecord.None, marks: []tailMark{{}}}
	if !t.compressed && first < x.Len() {
		offset, _ := x.Entry(first)
		t.marks[0] = tailMark{first, offset}
	}
	return t
}

// rows returns the rows from a mark to the end. Positions are relative to the mark.
func (t *damagedTail) rows(ctx context.Context, at tailMark) (iter.Seq[tfrecord.Recovered], error) {
	size, err := t.file.data.Size()
	if err != nil {
		return nil, err
	}
	opts := &tfrecord.ReaderOptions{Name: t.file.name, MaxRecordSize: t.file.h.opts.MaxBytes}
	if at.offset > 0 {
		opts.Compression = tfrecord.None // in the middle of a file it cannot be detected
	}
	src := &countedAt{ctx, t.file.data, size, &t.file.read}
	return tfrecord.NewReader(io.NewSectionReader(src, at.offset, size-at.offset), opts).Recover(), nil
}

// list makes the rows of the tail known, until the end of the file.
func (t *damagedTail) list(ctx context.Context) error {
	f := t.file
	rows, err := t.rows(ctx, t.marks[0])
	if err != nil {
		return err
	}
	base, last := t.marks[0], t.marks[0]
	next, damaged, published := base.row, int64(0), base.row
	publish := func() {
		f.update(func() { f.known, f.damaged = max(f.known, next), f.damaged+damaged })
		published, damaged = next, 0
	}
	for rec := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, offset := base.row+rec.Pos.Record, base.offset+rec.Pos.Offset
		next = row + 1
		if rec.Skipped != nil {
			if row >= t.first {
				damaged++
			}
		} else if !t.compressed && (row-last.row >= markRows || offset-last.offset >= markBytes) {
			last = tailMark{row, offset}
			t.marksMu.Lock()
			t.marks = append(t.marks, last)
			t.marksMu.Unlock()
		}
		if next-published >= markRows && next > t.first {
			publish()
		}
	}
	if ctx.Err() == nil {
		publish()
	}
	return ctx.Err()
}

// readRow returns a row of the tail.
func (t *damagedTail) readRow(ctx context.Context, number int64) (row, error) {
	t.cursorMu.Lock()
	defer t.cursorMu.Unlock()
	if err := t.seek(number); err != nil {
		return row{}, err
	}
	c := t.cursor
	for {
		if err := ctx.Err(); err != nil {
			return row{}, err
		}
		rec, ok := c.next()
		if !ok {
			t.drop()
			return row{}, errors.Join(t.file.h.ctx.Err(), errNoRecord)
		}
		c.row = c.at.row + rec.Pos.Record + 1
		if c.row <= number {
			continue
		}
		r := row{number: number, offset: c.at.offset + rec.Pos.Offset}
		if rec.Skipped == nil {
			r.data = append([]byte{}, rec.Record...)
			return r, nil
		}
		r.setSkipped(rec.Skipped, c.at)
		return r, nil
	}
}

// setSkipped makes the row one of a skipped range, whose positions are relative to a mark.
func (r *row) setSkipped(s *tfrecord.SkippedRange, at tailMark) {
	e := *s.Err
	e.Offset += at.offset
	if e.Record >= 0 {
		e.Record += at.row
	}
	r.err = &e
	if s.Records == 1 && e.Class == tfrecord.PayloadCRC {
		return
	}
	moved := tfrecord.SkippedRange{Begin: s.Begin + at.offset, End: s.End, Records: s.Records, Err: &e}
	if s.End >= 0 {
		moved.End += at.offset
	}
	r.skipped = &moved
}

// markBefore returns the last mark at or before a row, or the first mark.
func (t *damagedTail) markBefore(number int64) tailMark {
	t.marksMu.Lock()
	defer t.marksMu.Unlock()
	return t.marks[max(0, sort.Search(len(t.marks), func(i int) bool { return t.marks[i].row > number })-1)]
}

// seek makes the cursor one that has not passed a row, and begins as near to it as possible. The caller holds cursorMu.
func (t *damagedTail) seek(number int64) error {
	mark := t.markBefore(number)
	if t.cursor != nil && t.cursor.row <= number && t.cursor.row >= mark.row {
		return nil
	}
	t.drop()
	if t.closed {
		return t.file.h.ctx.Err()
	}
	rows, err := t.rows(t.file.h.ctx, mark)
	if err != nil {
		return err
	}
	t.cursor = &tailCursor{row: mark.row, at: mark}
	t.cursor.next, t.cursor.stop = iter.Pull(rows)
	return nil
}

// drop ends the cursor.
func (t *damagedTail) drop() {
	if t.cursor != nil {
		t.cursor.stop()
		t.cursor = nil
	}
}

// close ends the use of the tail.
func (t *damagedTail) close() {
	t.cursorMu.Lock()
	defer t.cursorMu.Unlock()
	t.drop()
	t.closed = true
}
