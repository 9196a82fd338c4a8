package view

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// maxOpen is the number of files that stay open. A data set can have thousands.
const maxOpen = 64

// A fileAt is a file that is opened when it is read, and closed when many others are open. Its size is that of its
// first opening: a file that grows later ends there. It is safe for concurrent use.
type fileAt struct {
	h    *Handler
	name string

	mu    sync.Mutex
	file  storage.File // nil: not open
	users int          // calls of ReadAt in progress
	info  fs.FileInfo  // of the first opening; nil before
}

// An openFiles has the open files.
type openFiles struct {
	mu    sync.Mutex
	files []*fileAt // the least recently used comes first
}

// acquire opens the file unless it is open. The caller calls release.
func (f *fileAt) acquire() (storage.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		file, info, err := f.h.openFile(f.name)
		switch {
		case err != nil:
			return nil, err
		case f.info == nil:
			f.info = info
		case info.Size() < f.info.Size() || info.Size() == f.info.Size() && !info.ModTime().Equal(f.info.ModTime()):
			file.Close()
			return nil, errors.New("the file has changed; start again")
		}
		f.file = file
	}
	f.users++
	return f.file, nil
}

// release ends a use, and closes files that were not used for long.
func (f *fileAt) release() {
	f.mu.Lock()
	f.users--
	f.mu.Unlock()
	open := &f.h.open
	open.mu.Lock()
	defer open.mu.Unlock()
	if n := len(open.files); n == 0 || open.files[n-1] != f {
		open.files = append(slices.DeleteFunc(open.files, func(other *fileAt) bool { return other == f }), f)
	}
	for i := 0; len(open.files) > maxOpen && i < len(open.files)-1; {
		if open.files[i].closeIdle() {
			open.files = slices.Delete(open.files, i, i+1)
		} else {
			i++
		}
	}
}

// closeIdle closes the file unless it is in use.
func (f *fileAt) closeIdle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users > 0 {
		return false
	}
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
	return true
}

// closeAll closes all files. Nothing uses them any more.
func (o *openFiles) closeAll() (err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		if f.file != nil {
			err = errors.Join(err, f.file.Close())
			f.file = nil
		}
	}
	o.files = nil
	return err
}

// openFile opens a regular file.
func (h *Handler) openFile(name string) (storage.File, fs.FileInfo, error) {
	var file fs.File
	var err error
	if h.opts.FS != nil {
		file, err = h.opts.FS.Open(name)
	} else {
		// A pipe would wait for its writer.
		if info, err := storage.StatContext(h.ctx, name); err == nil && !info.Mode().IsRegular() {
			return nil, nil, errors.New("not a regular file")
		}
		file, err = storage.OpenContext(h.ctx, name)
	}
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok { // the name is beside it
			err = pe.Err
		}
		return nil, nil, err
	}
	info, err := file.Stat()
	at, ok := file.(storage.File)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a regular file")
	case !ok:
		err = fmt.Errorf("%T cannot be read at an offset", file)
	default:
		return at, info, nil
	}
	file.Close()
	return nil, nil, err
}

// ReadAt implements [io.ReaderAt].
func (f *fileAt) ReadAt(b []byte, off int64) (int, error) {
	file, err := f.acquire()
	if err != nil {
		return 0, err
	}
	defer f.release()
	if rest := f.info.Size() - off; int64(len(b)) > rest { // what was appended later
		n, err := file.ReadAt(b[:max(rest, 0)], off)
		if err == nil {
			err = io.EOF
		}
		return n, err
	}
	return file.ReadAt(b, off)
}

// Size returns the size of the file, which it opens.
func (f *fileAt) Size() (int64, error) {
	if _, err := f.acquire(); err != nil {
		return 0, err
	}
	defer f.release()
	return f.info.Size(), nil
}

// modTime returns when the file was modified; zero before it was opened.
func (f *fileAt) modTime() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}

// Limits of scans.
const (
	backgroundScans = 2        // files that are indexed at once
	requestedScans  = 8        // with those that requests wait for
	maxIndexes      = 64 << 20 // bytes of memory for indexes
)

// A scanQueue decides which files are scanned. A file is in requested or background until its scan begins.
type scanQueue struct {
	running sync.WaitGroup // the scans, one goroutine each

	mu         sync.Mutex
	h          *Handler
	requested  []*recordFile // files that requests wait for
	background []*recordFile // the others, in their order
	scans      int           // number of running scans
	limit      int64         // bytes of memory for indexes; those of files that were not used for long are dropped
	bytes      int64         // estimated size of all indexes
	clock      int64         // number of requests
}

// startScans begins to index all files.
func (h *Handler) startScans() {
	q := &h.scans
	q.mu.Lock()
	defer q.mu.Unlock()
	q.h, q.limit = h, cmp.Or(q.limit, maxIndexes)
	q.background = slices.DeleteFunc(slices.Clone(h.files), func(f *recordFile) bool { return f.state == failed })
	q.fill()
}

// request makes the scan of a file begin now, unless it is known.
func (q *scanQueue) request(f *recordFile) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.clock++
	f.seen = q.clock
	if s, _ := f.status(); s.state == waiting && !slices.Contains(q.requested, f) {
		q.requested = append(q.requested, f)
		q.fill()
	}
}

// fill begins scans. The caller holds q.mu.
func (q *scanQueue) fill() {
	for q.h.ctx.Err() == nil {
		var f *recordFile
		switch {
		case len(q.requested) > 0 && q.scans < requestedScans:
			f, q.requested = q.requested[0], q.requested[1:]
			q.background = slices.DeleteFunc(q.background, func(other *recordFile) bool { return other == f })
		case len(q.background) > 0 && q.scans < backgroundScans:
			f, q.background = q.background[0], q.background[1:]
		default:
			return
		}
		q.scans++
		f.update(func() { f.state = scanning })
		q.running.Go(func() {
			f.scan(q.h.ctx)
			q.finish(f)
		})
	}
}

// finish ends the scan of a file, and drops indexes if they take too much memory.
func (q *scanQueue) finish(f *recordFile) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.scans--
	f.cost = f.indexCost()
	q.bytes += f.cost
	for q.bytes > q.limit {
		var oldest *recordFile
		for _, other := range q.h.files {
			if other != f && other.cost > 0 && (oldest == nil || other.seen < oldest.seen) {
				oldest = other
			}
		}
		if oldest == nil {
			break
		}
		q.bytes -= oldest.cost
		oldest.cost = 0
		oldest.dropIndex()
	}
	q.fill()
}

// indexCost estimates the memory of the index of a file that was scanned.
func (f *recordFile) indexCost() int64 {
	s, _ := f.status()
	if s.rows == nil || s.rows == f.part {
		return 0
	}
	x := s.rows.Index()
	cost := 3*x.Len() + 64
	if c := x.Compression(); c == tfrecord.GZIP || c == tfrecord.ZLIB {
		cost += int64(x.Checkpoints()) * 20 << 10
	}
	return cost
}

// dropIndex makes a complete file wait for another scan.
func (f *recordFile) dropIndex() {
	f.update(func() {
		if f.state == complete && f.tail == nil {
			f.state, f.rows, f.known = waiting, nil, 0
		}
	})
}
