package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
)

// file is an open object. All reads return one version of the object, normally the version of the first response. Read is for one
// goroutine; ReadAt may be called concurrently.
type file struct {
	store  *cachedStore       // sends requests; has the cached attributes
	at     address            // of the object
	ctx    context.Context    // context of all requests
	cancel context.CancelFunc // cancels ctx; closes the file

	mu     sync.Mutex // guards the fields up to first
	info   *info      // the version that is read; until pinned, the entry in the cache, which may be old, or nil
	pinned bool       // the version is fixed
	unseen bool       // the pinned version comes from the cache, and no response has confirmed it yet

	first    *transfer  // started by open; nil after a read has taken it
	sequence *readAhead // serves Read; nil before the first Read
	cursor   cursor     // serves sequential calls of ReadAt
}

func newFile(ctx context.Context, s *cachedStore, at address, i *info) *file {
	f := &file{store: s, at: at, info: i}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// open sends the request for the first Read. Its response also has the attributes.
func (f *file) open() error {
	f.first = newTransfer(f, 0, -1)
	err := f.first.connect()
	if err != nil {
		f.cancel()
	}
	return err
}

// takeFirst returns the transfer that open started. Later calls return nil.
func (f *file) takeFirst() *transfer {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.first
	f.first = nil
	return t
}

// attributes returns the attributes of the version that is read, and whether the version is fixed.
func (f *file) attributes() (a attributes, pinned bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.pinned {
		return attributes{size: -1}, false
	}
	return f.info.attributes, true
}

// pin fixes the version to that of a response, unless it is already fixed.
func (f *file) pin(a attributes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unseen = false; !f.pinned {
		f.info, f.pinned = newInfo(f.at.key, a), true
	}
}

// Stat returns the attributes of the version that is read. It fixes the version.
func (f *file) Stat() (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.pinned && time.Since(f.info.fetched) > maxAge {
		a, err := f.store.stat(f.ctx, f.at)
		if err != nil {
			return nil, pathError("stat", f.at.name, err)
		}
		f.info = newInfo(f.at.key, a)
	} else if !f.pinned {
		f.unseen = true
	}
	f.pinned = true
	return f.info, nil
}

// recheck requests the attributes again if the version comes from the cache and no response has confirmed it: the object has changed since,
// or listings format versions differently. It reports whether the object still has the same size.
func (f *file) recheck() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.unseen {
		return false
	}
	f.unseen = false
	a, err := f.store.stat(f.ctx, f.at)
	if err != nil || a.size != f.info.size {
		return false
	}
	f.info = newInfo(f.at.key, a)
	return true
}

// Read reads the next bytes of the object.
func (f *file) Read(p []byte) (int, error) {
	if f.sequence == nil {
		t := f.takeFirst()
		if t == nil {
			t = newTransfer(f, 0, -1)
		}
		f.sequence = newReadAhead(t)
	}
	n, err := f.sequence.Read(p)
	return n, f.readError(err)
}

func (f *file) readError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	return pathError("read", f.at.name, err)
}

// Close ends all requests.
func (f *file) Close() error {
	f.cancel()
	if t := f.takeFirst(); t != nil {
		t.close()
	}
	if f.sequence != nil {
		f.sequence.close()
	}
	f.cursor.close()
	return nil
}

// ReadAt sends a request for the range, or continues one request if the ranges are sequential.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, pathError("read", f.at.name, errors.New("negative offset"))
	}
	if t := f.takeFirst(); t != nil {
		t.close() // its response would be the whole object
	}
	if _, err := f.Stat(); err != nil { // ranges need the size
		return 0, err
	}
	a, _ := f.attributes()
	if a.size < 0 {
		return 0, pathError("read", f.at.name, errors.New("unknown size: can only be read sequentially"))
	}
	want := p
	if rest := max(a.size-off, 0); int64(len(p)) > rest {
		want = p[:rest]
	}
	if len(want) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n, err := f.readRange(want, off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, f.readError(err)
}

func (f *file) readRange(p []byte, off int64) (int, error) {
	if n, err, ok := f.cursor.read(f, p, off); ok {
		return n, err
	}
	t := newTransfer(f, off, off+int64(len(p)))
	defer t.close()
	n, err := io.ReadFull(t, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: the object ends at byte %d", ErrChanged, off+int64(n))
	}
	return n, err
}

// cursor serves sequential calls of ReadAt, with small gaps, from one request.
type cursor struct {
	mu    sync.Mutex
	last  int64      // end of the previous range
	times int        // number of sequential ranges in a row
	ahead *readAhead // the request; nil: none
	at    int64      // position of ahead
}

const (
	// cursorGap is the largest gap, in bytes, that is read and dropped instead of a new request, if reads have at least cursorLong bytes.
	// Shorter reads are usually random access, as in an index.
	cursorGap  = 1 << 20
	cursorLong = 4 << 10
	// cursorAfter is the number of sequential reads after which one request serves all further sequential reads.
	cursorAfter = 3
)

// read reads a range from the cursor. ok is false if the cursor cannot serve the range.
func (c *cursor) read(f *file, p []byte, off int64) (n int, err error, ok bool) {
	if !c.mu.TryLock() { // another goroutine uses the cursor
		return 0, nil, false
	}
	defer c.mu.Unlock()
	gap := off - c.last
	follows := gap >= 0 && (gap <= int64(len(p)) || len(p) >= cursorLong && gap <= cursorGap)
	c.last = off + int64(len(p))
	if !follows {
		c.times = 0
		c.drop()
		return 0, nil, false
	}
	if c.times++; c.times < cursorAfter {
		return 0, nil, false
	}
	if c.ahead == nil || off < c.at || off-c.at > cursorGap {
		c.drop()
		c.ahead, c.at = newReadAhead(newTransfer(f, off, -1)), off
	}
	skipped, err := io.CopyN(io.Discard, c.ahead, off-c.at)
	c.at += skipped
	if err == nil {
		n, err = io.ReadFull(c.ahead, p)
		c.at += int64(n)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: the object ends at byte %d", ErrChanged, c.at)
	}
	if err != nil {
		c.drop()
	}
	return n, err, true
}

// drop ends the request.
func (c *cursor) drop() {
	if c.ahead != nil {
		c.ahead.close()
		c.ahead = nil
	}
}

func (c *cursor) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}
