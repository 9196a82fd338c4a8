package tfrecord

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
)

const defaultBufferSize = 256 << 10

// alignment is of the memory that is read into: some systems copy files to it
// twice as fast as to a place a few bytes further on.
const alignment = 64

// A window is the part of a stream that has been read and not yet consumed.
//
// It grows only when it is full of bytes that have arrived, and then to no
// more than twice its size: a length that lies costs no memory.
type window struct {
	src    io.Reader
	buf    []byte // buf[r:w] is unread
	r, w   int
	base   int64                       // place of buf[0] in the stream
	err    error                       // what src ended with; the bytes before it are in buf
	own    []byte                      // our memory, when buf is not ours
	lent   bool                        // buf belongs to a *bytes.Reader: it must not be written to
	chunk  int                         // how much one read asks for
	memory func(n int) ([]byte, error) // other than buf, when that is full; nil: buf is used again
	begun  int                         // with memory: where in buf the unread bytes were when buf was taken
	seeker io.Seeker                   // src, when it is a regular file, or a part of something, of size bytes
	size   int64

	// For a decoder as src: where its input was before each of the last two reads.
	consumed func() int64
	marks    [2]mark
}

// A mark pairs places in the stream and in the compressed input behind it.
type mark struct{ plain, packed int64 }

// reset makes w read src from its place 0, after begin where src is not a decoder
// of ours. It keeps the memory, if that is its own.
func (w *window) reset(src io.Reader) {
	buf := w.buf
	switch {
	case w.memory != nil:
		buf = nil
	case w.lent:
		buf = w.own
	}
	*w = window{src: src, buf: buf, chunk: w.chunk, memory: w.memory}
}

// begin looks at what the source is. It comes before the first read: until then
// the source is the caller's, who may still read from it.
func (w *window) begin() {
	switch src := w.src.(type) {
	case *bytes.Reader:
		if !poisonLent && w.memory == nil {
			// Records can be lent from the caller's memory as well as from
			// ours, and copying them would cost more than checking them.
			w.own, w.buf = w.buf, take(src)
			w.w, w.err, w.lent = len(w.buf), io.EOF, true
		}
	case *os.File:
		if fi, err := src.Stat(); err == nil && fi.Mode().IsRegular() {
			w.seeker, w.size = src, fi.Size()
		}
	case *io.SectionReader:
		w.seeker, w.size = src, src.Size()
	}
}

// take empties b and returns the bytes it held. They are the slice that
// b was made of: a bytes.Reader writes them all in one call.
func take(b *bytes.Reader) []byte {
	var t taker
	b.WriteTo(&t) // cannot fail
	return t.b
}

type taker struct{ b []byte }

func (t *taker) Write(p []byte) (int, error) {
	t.b = p
	return len(p), nil
}

// bytes returns what is unread.
func (w *window) bytes() []byte { return w.buf[w.r:w.w] }

// offset is the place in the stream of the first unread byte.
func (w *window) offset() int64 { return w.base + int64(w.r) }

// fill reads until at least n bytes are unread, and reports whether they are.
// If not, w.err says why.
func (w *window) fill(n int64) bool {
	for int64(w.w-w.r) < n {
		if w.err != nil {
			return false
		}
		w.read(n)
	}
	return true
}

var errRead = errors.New("tfrecord: source returned an impossible count from Read")

// read asks src once for more bytes; n is how many are wanted in all.
func (w *window) read(n int64) {
	w.reserve(n)
	if w.err != nil {
		return
	}
	end := int64(w.w) + max(int64(w.chunk), n-int64(w.w-w.r))
	if end > int64(len(w.buf)) {
		end = int64(len(w.buf))
	}
	if w.consumed != nil {
		w.marks[0] = w.marks[1]
		w.marks[1] = mark{w.base + int64(w.w), w.consumed()}
	}
	k, err := read(w.src, w.buf[w.w:end])
	w.w += k
	w.err = err
}

// read is src.Read(p) for a source that need not keep its promises, and that
// may return nothing without an error: it comes back with something.
func read(src io.Reader, p []byte) (int, error) {
	for range 100 {
		n, err := src.Read(p)
		if n < 0 || n > len(p) {
			return 0, errRead
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// reserve makes space behind buf[w:] for at least one byte, so that n can be
// unread in the end.
func (w *window) reserve(n int64) {
	if w.memory != nil {
		w.renew(n)
		return
	}
	live := w.w - w.r
	if live == 0 {
		w.base += int64(w.r)
		w.r, w.w = 0, 0
	}
	if int64(len(w.buf)-w.r) >= n && w.w < len(w.buf) {
		return
	}
	// Moving the unread bytes down pays when enough was consumed since the
	// last move; otherwise a reader that steps through a long lookahead would
	// move it at every step.
	if w.r > 0 && w.r >= live/4 {
		// What is read behind them is to be aligned, if there is room for that.
		pad := -live & (alignment - 1)
		if pad >= w.r || int64(len(w.buf)-pad) < n {
			pad = 0
		}
		copy(w.buf[pad:], w.buf[w.r:w.w])
		w.base += int64(w.r - pad)
		w.r, w.w = pad, pad+live
	}
	if w.w < len(w.buf) {
		return
	}
	size := int64(len(w.buf))
	size = max(min(2*size, n+int64(w.chunk)), size+size/2, int64(w.chunk))
	if size > math.MaxInt-4096 {
		size = math.MaxInt - 4096
		if size <= int64(len(w.buf)) {
			w.err = ErrTooLarge
			return
		}
	}
	grown := make([]byte, size)
	copy(grown, w.buf[w.r:w.w])
	w.base += int64(w.r)
	w.buf, w.r, w.w = grown, 0, live
}

// renew is reserve where what was consumed stays: it continues in other memory when there
// is no space for n, or too little to be worth a read.
func (w *window) renew(n int64) {
	live, left := w.w-w.r, len(w.buf)-w.w
	if int64(len(w.buf)-w.r) >= n && left > 0 && 4*left >= min(len(w.buf), w.chunk) {
		return
	}
	pad := -live & (alignment - 1)
	more := min(int64(live), n-int64(live))
	if w.r > w.begun {
		// A reader that looks far ahead and goes on by a few bytes, as recovery does behind a
		// header that claims a long payload, would otherwise copy all that it looks at for every few bytes.
		more = max(more, int64(live/4))
	}
	size := int64(pad) + int64(live) + max(alignment, more)
	if size > math.MaxInt-4096 {
		w.err = ErrTooLarge
		return
	}
	buf, err := w.memory(int(size))
	if err == nil && len(buf) < int(size) {
		err = io.ErrShortBuffer
	}
	if err != nil {
		w.err = err
		return
	}
	copy(buf[pad:], w.buf[w.r:w.w])
	w.base += int64(w.r - pad)
	w.buf, w.r, w.w, w.begun = buf, pad, pad+live, pad
}

// packedNear returns a place in the compressed input near the place off of
// the stream, -1 when nothing is compressed.
func (w *window) packedNear(off int64) int64 {
	if w.consumed == nil {
		return -1
	}
	if off >= w.marks[1].plain {
		return w.marks[1].packed
	}
	return w.marks[0].packed
}

// discard skips n bytes of the stream and returns how many of them were
// missing.
func (w *window) discard(n int64) int64 {
	for {
		k := min(n, int64(w.w-w.r))
		w.r += int(k)
		if n -= k; n == 0 || w.err != nil {
			return n
		}
		n -= w.seek(n)
		w.read(1)
	}
}

// seek skips up to n bytes of a source that can seek without reading them, and
// returns how many. It leaves one to be read, to see that it is there.
func (w *window) seek(n int64) int64 {
	if w.seeker == nil || n < int64(4*w.chunk) {
		return 0
	}
	at, err := w.seeker.Seek(0, io.SeekCurrent)
	if err != nil || at > w.size-n {
		return 0
	}
	if _, err := w.seeker.Seek(n-1, io.SeekCurrent); err != nil {
		return 0
	}
	w.base += int64(w.w) + n - 1
	w.r, w.w = 0, 0
	if w.memory != nil {
		w.buf = nil
	}
	return n - 1
}
