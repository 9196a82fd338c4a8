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

// A file is one version of an object, open for reading: that of its first response. Read belongs to one goroutine; ReadAt may be called by
// several.
type file struct {
	s      *system
	at     address
	ctx    context.Context    // of all requests
	cancel context.CancelFunc // of ctx: it closes the file

	mu     sync.Mutex
	info   *info // of the version that is read; before pinned, what the cache has, which may be old, or nil
	pinned bool  // the version is decided
	unseen bool  // it is that of the cache, and no response has had it

	first    *transfer  // begun by open; nil when a read has taken it over
	sequence *readAhead // of Read; nil before the first
	cursor   cursor     // of ReadAt
}

func newFile(ctx context.Context, s *system, at address, i *info) *file {
	f := &file{s: s, at: at, info: i}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// open sends the request for the first Read, whose response has the attributes.
func (f *file) open() error {
	f.first = newTransfer(f, 0, -1)
	err := f.first.connect()
	if err != nil {
		f.cancel()
	}
	return err
}

// takeFirst returns the transfer that open has begun, once.
func (f *file) takeFirst() *transfer {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.first
	f.first = nil
	return t
}

// attributes returns those of the version that is read, and whether there is one.
func (f *file) attributes() (a attributes, pinned bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.pinned {
		return attributes{size: -1}, false
	}
	return f.info.attributes, true
}

// pin decides on the version of a response, unless there is one.
func (f *file) pin(a attributes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unseen = false; !f.pinned {
		f.info, f.pinned = newInfo(f.at.key, a), true
	}
}

// Stat returns the attributes of the version that is read, which it decides on.
func (f *file) Stat() (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.pinned && time.Since(f.info.fetched) > maxAge {
		a, err := f.s.stat(f.ctx, f.at)
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

// recheck requests the attributes again where no response has had the version that the cache has: the object was changed since, or a listing
// writes versions in another way. It reports whether there is an object of the same size.
func (f *file) recheck() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.unseen {
		return false
	}
	f.unseen = false
	a, err := f.s.stat(f.ctx, f.at)
	if err != nil || a.size != f.info.size {
		return false
	}
	f.info = newInfo(f.at.key, a)
	return true
}

// Read reads on from where the last Read ended.
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

// ReadAt reads at a place: by a request for this range, or where the places follow each other by one request for all of them.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, pathError("read", f.at.name, errors.New("negative offset"))
	}
	if t := f.takeFirst(); t != nil {
		t.close() // it would send all
	}
	if _, err := f.Stat(); err != nil { // a size is needed before there are ranges
		return 0, err
	}
	a, _ := f.attributes()
	if a.size < 0 {
		return 0, pathError("read", f.at.name, errors.New("the server does not say how large it is, so it can only be read from front to end"))
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
		err = fmt.Errorf("%w: it ends at byte %d", ErrChanged, off+int64(n))
	}
	return n, err
}

// A cursor reads places that follow each other, with small gaps, by one request.
type cursor struct {
	mu    sync.Mutex
	last  int64 // where the read before ended
	times int   // that a read began there
	ahead *readAhead
	at    int64 // of ahead
}

const (
	// cursorGap is how many bytes are read and dropped rather than skipped by another request, by reads of cursorLong bytes. Shorter ones
	// are of places here and there, as in an index.
	cursorGap  = 1 << 20
	cursorLong = 4 << 10
	// cursorAfter is how many reads follow each other until all further are one request.
	cursorAfter = 3
)

// read reads if the cursor is at this place. ok is false if it is not.
func (c *cursor) read(f *file, p []byte, off int64) (n int, err error, ok bool) {
	if !c.mu.TryLock() {
		return 0, nil, false // another goroutine reads from it
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
		err = fmt.Errorf("%w: it ends at byte %d", ErrChanged, c.at)
	}
	if err != nil {
		c.drop()
	}
	return n, err, true
}

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
