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

// A file is one version of an object, open for reading. Read belongs to one goroutine; ReadAt may be called by several.
type file struct {
	s      *system
	at     address
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	info   *info
	pinned bool // info is the version that is read; before, it may be that of a listing

	sequence *readAhead // of Read
	cursor   cursor     // of ReadAt
}

func newFile(ctx context.Context, s *system, at address, i *info) *file {
	f := &file{s: s, at: at, info: i}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// attributes returns those of the version that is read.
func (f *file) attributes() (a attributes, pinned bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.info.attributes, f.pinned
}

// pin decides on a version.
func (f *file) pin(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.pinned {
		f.pinned = true
		if f.info.version == "" && version != "" {
			i := *f.info
			i.version = version
			f.info = &i
		}
	}
}

// refresh requests the attributes again, where no byte was read of the version that a listing had.
func (f *file) refresh(ctx context.Context) error {
	f.s.forget(f.at.name)
	a, err := f.s.stat(ctx, f.at)
	if err != nil {
		return err
	}
	a.fetched = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.info, f.pinned = newInfo(f.at.key, a), true
	return nil
}

// freshFor is how long attributes are returned by Stat without another request.
const freshFor = time.Second

// Stat returns the attributes of the version that is read.
func (f *file) Stat() (fs.FileInfo, error) {
	if a, pinned := f.attributes(); !pinned && time.Since(a.fetched) > freshFor {
		if err := f.refresh(f.ctx); err != nil {
			return nil, pathError("stat", f.at.name, err)
		}
	}
	f.pin("")
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.info, nil
}

// Read reads on from where the last Read ended.
func (f *file) Read(p []byte) (int, error) {
	if f.sequence == nil {
		f.sequence = newReadAhead(f, 0)
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
	t := &transfer{f: f, ctx: f.ctx, at: off, end: off + int64(len(p))}
	defer t.drop()
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
	// cursorGap is how many bytes are read and dropped rather than skipped by another request.
	cursorGap = 1 << 20
	// cursorAfter is how many reads follow each other until all further are one request.
	cursorAfter = 3
)

// read reads if the cursor is at this place. ok is false if it is not.
func (c *cursor) read(f *file, p []byte, off int64) (n int, err error, ok bool) {
	if !c.mu.TryLock() {
		return 0, nil, false // another goroutine reads from it
	}
	defer c.mu.Unlock()
	follows := off >= c.last && off-c.last <= cursorGap
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
		c.ahead, c.at = newReadAhead(f, off), off
	}
	gap, err := io.CopyN(io.Discard, c.ahead, off-c.at)
	c.at += gap
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
