package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A recordFile gives access to the rows of one file by number. Its scan finds out how many there are:
//
//	waiting    nothing is known; a request or the background begins the scan
//	scanning   rows before known can be read; known grows
//	complete   all rows are known
//	failed     the file cannot be read: rows before known can be, and err says why
//
// Rows are read through an index: the file beside the data, or one that the scan builds. If the scan meets damage, the
// rows from there on belong to a tail, which [tfrecord.Reader.Recover] lists. A complete file goes back to waiting when
// its index is dropped to keep memory low; count and damaged are kept.
type recordFile struct {
	h    *Handler
	name string
	set  int     // index in Handler.sets
	data *fileAt // the bytes
	seen int64   // when its rows were last asked for: a tick of scanQueue.clock; guarded by scanQueue.mu
	cost int64   // estimated size of the index in bytes; guarded by scanQueue.mu

	// part is an index that is read in parts, with open files of its own; nil: none. Only scan and close use it.
	part *tfrecord.Indexed

	read atomic.Int64 // bytes of the file that the scan has read, for its progress

	mu         sync.Mutex     // guards the fields below
	change     chan struct{}  // closed, and replaced, when state or known changes
	faults     map[int64]bool // rows with a damaged payload that reading has found, at most maxFaults
	fileStatus                // status returns a copy
}

// A fileStatus is how far the scan of a file is, and the rows that it knows.
type fileStatus struct {
	state   scanState
	err     error             // why the file cannot be read; nil unless failed
	rows    *tfrecord.Indexed // the rows by index: all, or those before the damage
	latest  *tfrecord.Index   // index of the records so far, while the scan builds it; newer than rows
	known   int64             // number of rows that can be read
	count   int64             // number of all rows; -1: not known yet
	damaged int64             // damaged rows found by the scan, or by reading
	tail    *damagedTail      // rows from the first damage on; nil: none
}

// A scanState is a state of recordFile.
type scanState int

const (
	waiting scanState = iota
	scanning
	complete
	failed
)

// Limits of reading.
const (
	maxPage   = 16 << 20               // bytes of the rows of one call, beyond the first
	patience  = 100 * time.Millisecond // how long a page waits for rows that the scan has not reached
	largeFile = 8 << 20                // an index file of this size is read in parts
	maxFaults = 10_000
)

// newFile returns a file; err says why its name names no file.
func (h *Handler) newFile(name string, set int, err error) *recordFile {
	f := &recordFile{h: h, name: storage.Public(name), set: set, data: &fileAt{h: h, name: name}, change: make(chan struct{}), fileStatus: fileStatus{count: -1}, faults: map[int64]bool{}}
	if err != nil {
		f.state, f.err = failed, err
	}
	return f
}

// named returns an error of reading with the name of the file.
func (f *recordFile) named(err error) error {
	if e, ok := errors.AsType[*tfrecord.Error](err); ok {
		named := *e
		named.Name = f.name
		return &named
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// update changes the guarded fields and closes the channel of status.
func (f *recordFile) update(set func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set()
	close(f.change)
	f.change = make(chan struct{})
}

// scan finds out about the rows of the file.
func (f *recordFile) scan(ctx context.Context) {
	err := f.useIndexFile()
	if err != nil {
		err = f.buildIndex(ctx)
	}
	f.update(func() {
		switch {
		case err == nil:
			f.state, f.count, f.latest = complete, f.known, nil
		case ctx.Err() == nil:
			f.state, f.err = failed, err
		}
	})
}

// useIndexFile reads the index beside the file. An index that does not fit is an error, as none is.
func (f *recordFile) useIndexFile() error {
	if f.part == nil {
		index := &fileAt{h: f.h, name: f.data.name + tfrecord.IndexExtension}
		size, err := index.Size()
		if err != nil {
			return err
		}
		if size < largeFile || f.h.opts.FS != nil {
			x, err := tfrecord.ReadIndex(io.NewSectionReader(index, 0, size))
			if err != nil {
				return err
			}
			return f.useIndex(x)
		}
		f.part, err = tfrecord.OpenIndexedFile(f.data.name, &tfrecord.IndexedOptions{Partial: true, MaxRecordSize: f.h.opts.MaxBytes, OnModTime: func(error) {}})
		if err != nil {
			return err
		}
	}
	f.update(func() { f.rows, f.known = f.part, f.part.Len() })
	return nil
}

// useIndex makes the rows of an index known.
func (f *recordFile) useIndex(x *tfrecord.Index) error {
	rows, err := f.openIndex(x)
	if err == nil {
		f.update(func() { f.rows, f.known = rows, rows.Len() })
	}
	return err
}

// openIndex returns the file with an index.
func (f *recordFile) openIndex(x *tfrecord.Index) (*tfrecord.Indexed, error) {
	size, err := f.data.Size()
	if err != nil {
		return nil, err
	}
	opts := &tfrecord.IndexedOptions{Name: f.name, Index: x, MaxRecordSize: f.h.opts.MaxBytes, OnModTime: func(error) {}}
	if !storage.Remote(f.data.name) { // in a store it is the time of the upload
		opts.ModTime = f.data.modTime()
	}
	return tfrecord.OpenIndexed(f.data, size, opts)
}

// buildIndex builds the index while its rows become known, and lists the rows of a damaged file.
func (f *recordFile) buildIndex(ctx context.Context) error {
	size, err := f.data.Size()
	if err != nil {
		return err
	}
	src := &countedAt{ctx, f.data, size, &f.read}
	next := time.Now() // when rows are made known again
	built, err := recordhooks.GrowIndex(src, size, &tfrecord.IndexOptions{Name: f.name, ModTime: f.data.modTime()}, func(snapshot func() any) {
		if now := time.Now(); now.After(next) {
			next = now.Add(50 * time.Millisecond)
			f.update(func() {
				f.latest = snapshot().(*tfrecord.Index)
				f.known = f.latest.Len() - 1 // the last one belongs to the tail if damage follows
			})
		}
	})
	index := built.(*tfrecord.Index)
	damage, ok := errors.AsType[*tfrecord.Error](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return f.useIndex(index)
	case !ok:
		return err
	}
	rows, openErr := f.openIndex(index)
	if openErr != nil {
		return openErr
	}
	// With damage after it, a record with a damaged payload is a part of the skipped range. So the tail begins with the
	// last record.
	first := max(0, index.Len()-1)
	f.update(func() {
		f.rows, f.known, f.latest = rows, first, nil
		f.tail = newTail(f, first, index)
	})
	if damage.Class == 0 { // the file cannot be read
		f.update(func() { f.tail, f.known = nil, index.Len() })
		return err
	}
	return f.tail.list(ctx)
}

// readRows returns the rows from the one with the given number: n, or fewer if the scan has not found more yet, or if
// they have many bytes; at least one if there is one. end says whether the file ends after the last one. While the
// number is not known it waits for the scan.
func (f *recordFile) readRows(ctx context.Context, from int64, n int) (rows []row, end bool, err error) {
	if from < 0 || n < 0 {
		return nil, false, fmt.Errorf("%w: %d", errNoRecord, from)
	}
	f.h.scans.request(f)
	last := from + int64(n)
	if last < from {
		last = math.MaxInt64
	}
	s, err := f.await(ctx, from, last)
	if err != nil {
		return nil, false, err
	}
	size := 0
	for i := from; i < min(last, s.known) && (size < maxPage || len(rows) == 0); i++ {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		var r row
		if s.tail != nil && i >= s.tail.first {
			if r, err = s.tail.readRow(ctx, i); err != nil {
				return nil, false, err
			}
		} else {
			r = f.readIndexed(s.rows, i)
		}
		rows = append(rows, r)
		size += len(r.data)
	}
	return rows, s.state == complete && from+int64(len(rows)) >= s.known, nil
}

// status returns the state of the file now, and a channel that is closed when it changes.
func (f *recordFile) status() (fileStatus, chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fileStatus, f.change
}

// await waits until the rows up to last are known, or for a moment if the first one is known.
func (f *recordFile) await(ctx context.Context, from, last int64) (fileStatus, error) {
	hurry := time.NewTimer(patience)
	defer hurry.Stop()
	for waited := false; ; {
		s, change := f.status()
		switch {
		case s.state == failed && from >= s.known:
			return s, s.err
		case s.state >= complete || s.known >= last || s.known > from && waited:
			return f.openLatest(s, last)
		}
		if s.state == waiting { // its index was dropped meanwhile
			f.h.scans.request(f)
		}
		select {
		case <-change:
		case <-hurry.C:
			waited = true
		case <-ctx.Done():
			return s, ctx.Err()
		case <-f.h.ctx.Done():
			return s, f.h.ctx.Err()
		}
	}
}

// openLatest makes the rows up to last available through the index that the scan is building.
func (f *recordFile) openLatest(s fileStatus, last int64) (fileStatus, error) {
	if s.latest == nil || s.rows != nil && s.rows.Len() >= min(last, s.known) {
		return s, nil
	}
	var err error
	if s.rows, err = f.openIndex(s.latest); err != nil {
		return s, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.latest != nil { // the scan goes on: later calls use it too, with its decoders
		f.rows = s.rows
	}
	return s, nil
}

// readIndexed reads a row by index.
func (f *recordFile) readIndexed(x *tfrecord.Indexed, number int64) row {
	data, err := x.AppendAt([]byte{}, number) // an empty record is not nil
	if err == nil {
		return row{number: number, offset: x.Pos(number).Offset, data: data}
	}
	r := row{number: number, err: err}
	if e, ok := errors.AsType[*tfrecord.Error](err); ok {
		r.offset = e.Offset
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.faults[number] && len(f.faults) < maxFaults {
		f.faults[number] = true
		f.damaged++
	}
	return r
}

// close ends the use of the file.
func (f *recordFile) close() {
	if s, _ := f.status(); s.tail != nil {
		s.tail.close()
	}
	if f.part != nil {
		f.part.Close()
	}
}

// A countedAt reads from a file until its context ends, and counts the bytes up to the last one read. The last bytes do
// not count, since they are compared first.
type countedAt struct {
	ctx  context.Context
	data *fileAt
	size int64
	read *atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (c *countedAt) ReadAt(b []byte, off int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.data.ReadAt(b, off)
	if end := off + int64(n); end < c.size {
		c.read.Store(max(end, c.read.Load()))
	}
	return n, err
}
