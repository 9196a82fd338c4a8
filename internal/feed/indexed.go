package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"sync"
	"time"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Indexes keeps the indexes of files for the streams that follow. The zero value is empty.
type Indexes struct {
	mu    sync.Mutex
	named map[string]*tfrecord.Index
}

func (x *Indexes) get(name string) *tfrecord.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.named[name]
}

func (x *Indexes) put(name string, index *tfrecord.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.named == nil {
		x.named = map[string]*tfrecord.Index{}
	}
	x.named[name] = index
}

// An indexedSet is the files of a stream whose records are read in any order.
type indexedSet struct {
	s       *Stream
	files   []indexedFile // opened so far, by index of their names
	begins  []int64       // how many records are before each of them, and in all of them
	packed  bool          // one is compressed
	handles handles
}

// An indexedFile is a file that was opened once.
type indexedFile struct {
	records *tfrecord.Indexed // nil: it could not be opened, and is skipped
	err     error             // why
	modTime error             // that its index is of another modification time
	ratio   float64           // stored bytes for each byte of the uncompressed stream
}

func newIndexedSet(s *Stream) *indexedSet {
	return &indexedSet{s: s, begins: []int64{0}, handles: handles{s: s}}
}

// total returns how many records the opened files have.
func (x *indexedSet) total() int64 { return x.begins[len(x.files)] }

// open opens the next file. With Config.Recover one that cannot be opened has no records.
func (x *indexedSet) open() error {
	file := len(x.files)
	c := &x.s.cfg
	at := &fileAt{handles: &x.handles, file: file}
	h, err := x.handles.acquire(at)
	var f indexedFile
	switch {
	case err != nil && x.s.ctx.Err() != nil:
		return context.Cause(x.s.ctx)
	case err != nil && c.Recover:
		f.err = err
	case err != nil:
		return x.s.fileError(file, err)
	default:
		defer x.handles.release(h)
		if f.records, err = x.index(file, at, func(err error) { f.modTime = err }); err != nil {
			return err
		}
		index := f.records.Index()
		f.ratio = float64(at.size) / max(float64(index.StreamSize()), 1)
		at.records = f.records
		x.packed = x.packed || index.Compression() != tfrecord.None
	}
	n := int64(0)
	if f.records != nil {
		n = f.records.Len()
	}
	x.files = append(x.files, f)
	x.begins = append(x.begins, x.begins[file]+n)
	return nil
}

// openIndexed opens all files.
func (s *Stream) openIndexed() error {
	if s.indexed == nil {
		s.indexed = newIndexedSet(s)
	}
	for len(s.indexed.files) < len(s.cfg.Names) {
		if err := s.indexed.open(); err != nil {
			return err
		}
	}
	return nil
}

// reread returns a record that was read before.
func (x *indexedSet) reread(at Place) (Item, error) {
	records := x.files[at.File].records
	if records == nil || at.Record >= records.Len() {
		return Item{}, fmt.Errorf("%w: %s has no record %d", ErrState, x.s.cfg.Names[at.File], at.Record)
	}
	rec, err := records.AppendAt(nil, at.Record)
	return Item{Record: rec, Place: Place{at.File, at.Record, records.Pos(at.Record).Offset}}, err
}

// index finds the index of a file, or makes it: that of an earlier stream, the one beside the file. onModTime
// is that of [tfrecord.IndexedOptions].
func (x *indexedSet) index(file int, at *fileAt, onModTime func(error)) (*tfrecord.Indexed, error) {
	c := &x.s.cfg
	name := c.Names[file]
	opts := tfrecord.IndexedOptions{Name: name, Compression: c.Reader.Compression, MaxRecordSize: c.Reader.MaxRecordSize, OnModTime: onModTime}
	if !storage.Remote(name) { // there it is the time of the upload
		opts.ModTime = at.modTime
	}
	if opts.Index = c.Indexes.get(name); opts.Index != nil {
		if records, err := tfrecord.OpenIndexed(at, at.size, &opts); !errors.Is(err, tfrecord.ErrIndex) {
			return records, err
		}
		opts.Index = nil // the file has changed since
	}
	rc, err := c.Open(x.s.ctx, name+tfrecord.IndexExtension)
	switch {
	case err == nil:
		opts.Index, err = tfrecord.ReadIndex(rc)
		rc.Close()
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, tfrecord.IndexExtension, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	records, err := tfrecord.OpenIndexed(at, at.size, &opts)
	if err == nil {
		c.Indexes.put(name, records.Index())
	}
	return records, err
}

// find returns the file and the ordinal of a record of all files together.
func (x *indexedSet) find(i int64) (file int, record int64) {
	file = sort.Search(len(x.files), func(f int) bool { return x.begins[f+1] > i })
	return file, i - x.begins[file]
}

// A fileAt reads a file at any place. The file is open when it is read from, and some others that
// were read from lately are.
type fileAt struct {
	handles *handles
	file    int
	size    int64
	modTime time.Time
	known   bool              // size and modTime are
	records *tfrecord.Indexed // that read it; nil at first
}

// ReadAt implements [io.ReaderAt].
func (a *fileAt) ReadAt(p []byte, off int64) (int, error) {
	if err := a.handles.s.ctx.Err(); err != nil {
		return 0, err
	}
	h, err := a.handles.acquire(a)
	if err != nil {
		return 0, err
	}
	defer a.handles.release(h)
	return h.at.ReadAt(p, off)
}

// mostHandles is how many files are open, and have decoders, at once, unless more are read from at once.
const mostHandles = 128

// handles are the open files of an indexedSet. It is safe for concurrent use.
type handles struct {
	s    *Stream
	mu   sync.Mutex
	open []*handle // that of the last use comes last
}

type handle struct {
	of   *fileAt
	rc   io.Closer
	at   io.ReaderAt
	uses int
}

// errNotRegular is the error of a file that cannot be read in any order.
var errNotRegular = errors.New("records in any order need a regular file")

// acquire returns the open file. It must be released.
func (l *handles) acquire(a *fileAt) (*handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, h := range l.open {
		if h.of == a {
			h.uses++
			copy(l.open[i:], l.open[i+1:])
			l.open[len(l.open)-1] = h
			return h, nil
		}
	}
	c := &l.s.cfg
	rc, err := c.Open(l.s.ctx, c.Names[a.file])
	if err != nil {
		return nil, err
	}
	at, size, modTime, err := readerAt(rc)
	if err == nil && a.known && (size != a.size || !modTime.Equal(a.modTime)) {
		err = fmt.Errorf("%s: %w: the file was changed while it was read", c.Names[a.file], tfrecord.ErrIndex)
	}
	if err != nil {
		rc.Close()
		return nil, err
	}
	a.size, a.modTime, a.known = size, modTime, true
	for i := 0; len(l.open) >= mostHandles && i < len(l.open); {
		if h := l.open[i]; h.uses > 0 {
			i++
		} else {
			h.rc.Close()
			if h.of.records != nil {
				recordhooks.FreeDecoders(h.of.records)
			}
			l.open = append(l.open[:i], l.open[i+1:]...)
		}
	}
	h := &handle{of: a, rc: rc, at: at, uses: 1}
	l.open = append(l.open, h)
	return h, nil
}

func (l *handles) release(h *handle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.uses--
}

// close closes the files; they are opened again when they are read from.
func (l *handles) close() {
	for _, h := range l.open {
		h.rc.Close()
	}
	l.open = nil
}

// readerAt returns how a file is read in any order.
func readerAt(rc io.ReadCloser) (at io.ReaderAt, size int64, modTime time.Time, err error) {
	at, ok := rc.(io.ReaderAt)
	if !ok {
		return nil, 0, modTime, errNotRegular
	}
	if f, ok := rc.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := f.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = errNotRegular
		}
		if err != nil {
			return nil, 0, modTime, err
		}
		return at, info.Size(), info.ModTime(), nil
	}
	if f, ok := rc.(io.Seeker); ok {
		size, err := f.Seek(0, io.SeekEnd)
		return at, size, modTime, err
	}
	return nil, 0, modTime, errNotRegular
}
