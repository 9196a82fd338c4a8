package tfrecord

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sort"
	"sync"
)

// A cursor is a decoder at some place of a compressed stream, between two
// checkpoints. A later access to what follows goes on from there.
type cursor struct {
	segment int   // it began at index.points[segment]
	at      int64 // place in the uncompressed stream of the next byte
	in      input
	dec     decoders
	src     io.Reader
}

// cursors are those that no access is using.
type cursors struct {
	mu   sync.Mutex
	list []*cursor
}

// take returns the cursor that is nearest before off in segment; else one
// that is somewhere else, with ok false. It may be a new one.
func (l *cursors) take(segment int, off int64) (c *cursor, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	best := -1
	for i, c := range l.list {
		if c.segment == segment && c.at <= off && (best < 0 || c.at > l.list[best].at) {
			best = i
		}
	}
	if ok = best >= 0; !ok {
		if len(l.list) < runtime.GOMAXPROCS(0) {
			return new(cursor), false
		}
		best = 0 // the one that has not been used for longest
	}
	c = l.list[best]
	l.list = append(l.list[:best], l.list[best+1:]...)
	return c, ok
}

// put gives a cursor back. No more are kept than can be in use at a time.
func (l *cursors) put(c *cursor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < runtime.GOMAXPROCS(0) {
		l.list = append(l.list, c)
	}
}

// freeDecoders is recordhooks.FreeDecoders.
func (x *Indexed) freeDecoders() {
	x.idle.mu.Lock()
	defer x.idle.mu.Unlock()
	x.idle.list = nil
}

// decode fills p with the uncompressed stream from off on, as read does.
func (x *Indexed) decode(p []byte, off int64, e *Error) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		segment := sort.Search(len(x.index.points), func(i int) bool { return x.index.points[i].plain > at }) - 1
		end := x.index.stream
		if segment+1 < len(x.index.points) {
			end = x.index.points[segment+1].plain
		}
		c, ok := x.idle.take(segment, at)
		if !ok {
			err = c.begin(x, segment)
		}
		var k int
		if err == nil {
			k, err = c.read(p[n:min(int64(len(p)), int64(n)+end-at)], at)
		}
		n += k
		if err != nil {
			err = c.fault(err, x.index.comp, e)
			break
		}
		x.idle.put(c)
	}
	return n, err
}

// begin puts the cursor at a checkpoint.
func (c *cursor) begin(x *Indexed, segment int) (err error) {
	p := x.index.points[segment]
	c.segment, c.at = segment, p.plain
	c.in.reset(io.NewSectionReader(x.r, p.packed, x.size-p.packed), nil, nil)
	maxBlock := min(max(x.limit+HeaderSize+FooterSize, 64<<20), math.MaxInt32)
	c.src, err = c.dec.open(x.index.comp, &c.in, maxBlock)
	if err == nil && p.inside {
		var window []byte
		if window, err = unpackWindow(p.window); err != nil {
			return badIndex("checkpoint %d: its window: %v", segment, err)
		}
		err = c.dec.deflate.begin(p.bit, window)
	}
	return err
}

// read fills p with what is at the place at of the uncompressed stream, which is not before c.at.
func (c *cursor) read(p []byte, at int64) (int, error) {
	if _, err := io.CopyN(io.Discard, c.src, at-c.at); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(c.src, p)
	c.at = at + int64(n)
	return n, err
}

// fault sets in e what err, from a decoder, means.
func (c *cursor) fault(err error, comp Compression, e *Error) error {
	e.Compressed = c.in.consumed()
	switch {
	case err == io.EOF, errors.Is(err, ErrIndex):
		return err
	case c.in.failed != nil && c.in.failed != io.ErrUnexpectedEOF:
		e.Class = 0
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Class = Truncated
		return &fault{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the %v stream ends too early", comp)}
	default:
		e.Class = Codec
		return &fault{sentinel: ErrCodec, detail: fmt.Sprintf("%v stream: %v", comp, err), cause: err}
	}
}
