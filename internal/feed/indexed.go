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

// Indexes keeps the indexes of files for later streams. The zero value is empty.
type Indexes struct {
	mu    sync.Mutex                 // guards named
	named map[string]*tfrecord.Index // by name of the file
}

func (x *Indexes) lookUp(name string) *tfrecord.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.named[name]
}

func (x *Indexes) store(name string, index *tfrecord.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.named == nil {
		x.named = map[string]*tfrecord.Index{}
	}
	x.named[name] = index
}

// indexedSet is the files of GlobalShuffle.
type indexedSet struct {
	stream       *Stream
	files        []indexedFile // the files opened so far, by index in Config.Names
	firstRecords []int64       // by file: number of records before it; one more element: number in all files
	compressed   bool          // at least one file is compressed
	handles      handleCache   // the files that are open now
}

// indexedFile is a file that was opened once.
type indexedFile struct {
	records     *tfrecord.Indexed // nil: it could not be opened, and is skipped
	err         error             // why it could not be opened
	modTime     error             // not nil: the index was built at another modification time of the file
	storedRatio float64           // stored bytes for each byte of the uncompressed stream
}

func newIndexedSet(s *Stream) *indexedSet {
	return &indexedSet{stream: s, firstRecords: []int64{0}, handles: handleCache{stream: s}}
}

// total returns the number of records of the files opened so far.
func (x *indexedSet) total() int64 { return x.firstRecords[len(x.files)] }

// openNext opens the next file. With Config.Recover a file that cannot be opened has no records.
func (x *indexedSet) openNext() error {
	file := len(x.files)
	c := &x.stream.cfg
	at := &reopeningFile{handles: &x.handles, file: file}
	h, err := x.handles.acquire(at)
	var f indexedFile
	switch {
	case err != nil && x.stream.ctx.Err() != nil:
		return context.Cause(x.stream.ctx)
	case err != nil && c.Recover:
		f.err = err
	case err != nil:
		return x.stream.fileError(file, err)
	default:
		defer x.handles.release(h)
		if f.records, err = x.openIndex(file, at, func(err error) { f.modTime = err }); err != nil {
			return err
		}
		index := f.records.Index()
		f.storedRatio = float64(at.size) / max(float64(index.StreamSize()), 1)
		at.records = f.records
		x.compressed = x.compressed || index.Compression() != tfrecord.None
	}
	n := int64(0)
	if f.records != nil {
		n = f.records.Len()
	}
	x.files = append(x.files, f)
	x.firstRecords = append(x.firstRecords, x.firstRecords[file]+n)
	return nil
}

// openIndexed opens all files.
func (s *Stream) openIndexed() error {
	if s.indexed == nil {
		s.indexed = newIndexedSet(s)
	}
	for len(s.indexed.files) < len(s.cfg.Names) {
		if err := s.indexed.openNext(); err != nil {
			return err
		}
	}
	return nil
}

// readAgain returns a record that was read before.
func (x *indexedSet) readAgain(at Position) (Item, error) {
	records := x.files[at.File].records
	if records == nil || at.Record >= records.Len() {
		return Item{}, fmt.Errorf("%w: %s has no record %d", ErrState, x.stream.cfg.Names[at.File], at.Record)
	}
	rec, err := records.AppendAt(nil, at.Record)
	return Item{Record: rec, Position: Position{at.File, at.Record, records.Pos(at.Record).Offset}}, err
}

// openIndex opens the records of a file with the index of an earlier stream, the index beside the file, or an index
// that it builds. onModTime becomes OnModTime of [tfrecord.IndexedOptions].
func (x *indexedSet) openIndex(file int, at *reopeningFile, onModTime func(error)) (*tfrecord.Indexed, error) {
	c := &x.stream.cfg
	name := c.Names[file]
	opts := tfrecord.IndexedOptions{Name: name, Compression: c.Reader.Compression, MaxRecordSize: c.Reader.MaxRecordSize, OnModTime: onModTime}
	if !storage.Remote(name) { // in a store it is the time of the upload
		opts.ModTime = at.modTime
	}
	if opts.Index = c.Indexes.lookUp(name); opts.Index != nil {
		if records, err := tfrecord.OpenIndexed(at, at.size, &opts); !errors.Is(err, tfrecord.ErrIndex) {
			return records, err
		}
		opts.Index = nil // the file has changed since
	}
	rc, err := c.Open(x.stream.ctx, name+tfrecord.IndexExtension)
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
		c.Indexes.store(name, records.Index())
	}
	return records, err
}

// locate returns the file and the ordinal in it of record i of all files.
func (x *indexedSet) locate(i int64) (file int, record int64) {
	file = sort.Search(len(x.files), func(f int) bool { return x.firstRecords[f+1] > i })
	return file, i - x.firstRecords[file]
}

// reopeningFile reads a file at any offset. A read opens the file, unless an earlier read left it open.
type reopeningFile struct {
	handles *handleCache      // the files that are open
	file    int               // index in Config.Names
	size    int64             // in bytes
	modTime time.Time         // zero: unknown; another time means that the file was changed
	known   bool              // size and modTime are set
	records *tfrecord.Indexed // the reader of the file; nil until the index is opened
}

// ReadAt implements [io.ReaderAt].
func (a *reopeningFile) ReadAt(p []byte, off int64) (int, error) {
	if err := a.handles.stream.ctx.Err(); err != nil {
		return 0, err
	}
	h, err := a.handles.acquire(a)
	if err != nil {
		return 0, err
	}
	defer a.handles.release(h)
	return h.readerAt.ReadAt(p, off)
}

// maxHandles is the maximum number of files that stay open and keep decoders, unless more are read at once.
const maxHandles = 128

// handleCache holds the open files of an indexedSet. It is safe for concurrent use.
type handleCache struct {
	stream *Stream
	mu     sync.Mutex // guards open and its handles
	open   []*handle  // the most recently used comes last
}

// handle is an open file.
type handle struct {
	file     *reopeningFile
	closer   io.Closer
	readerAt io.ReaderAt
	uses     int // number of reads under way
}

// errNotRegular is the error of a file without random access.
var errNotRegular = errors.New("random access needs a regular file")

// acquire returns the open file, to be released after the read.
func (l *handleCache) acquire(a *reopeningFile) (*handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, h := range l.open {
		if h.file == a {
			h.uses++
			copy(l.open[i:], l.open[i+1:])
			l.open[len(l.open)-1] = h
			return h, nil
		}
	}
	c := &l.stream.cfg
	rc, err := c.Open(l.stream.ctx, c.Names[a.file])
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
	for i := 0; len(l.open) >= maxHandles && i < len(l.open); {
		if h := l.open[i]; h.uses > 0 {
			i++
		} else {
			h.closer.Close()
			if h.file.records != nil {
				recordhooks.FreeDecoders(h.file.records)
			}
			l.open = append(l.open[:i], l.open[i+1:]...)
		}
	}
	h := &handle{file: a, closer: rc, readerAt: at, uses: 1}
	l.open = append(l.open, h)
	return h, nil
}

func (l *handleCache) release(h *handle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.uses--
}

// close closes the files; a later read opens them again.
func (l *handleCache) close() {
	for _, h := range l.open {
		h.closer.Close()
	}
	l.open = nil
}

// readerAt returns the random access of an open file, its size and its modification time.
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
