package tfrecord

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
)

// defaultBufferSize is the size of one read from a source and of one write to a destination.
const defaultBufferSize = 256 << 10

// alignment is the alignment of the memory that a window reads into. On some systems the kernel
// copies a file to aligned memory twice as fast.
const alignment = 64

// window is a buffered stream: the bytes that were read and not yet consumed.
//
// It grows only when it is full of bytes that have arrived, to at most about twice its size. So a
// length that is merely claimed costs no memory.
type window struct {
	src      io.Reader // source of the bytes
	buf      []byte    // the unread bytes are buf[r:w]
	r, w     int       // 0 <= r <= w <= len(buf)
	base     int64     // stream offset of buf[0]
	err      error     // error that ended src, after the bytes in buf
	ownBuf   []byte    // memory of the window itself; unused with borrowed or memory
	borrowed bool      // buf is the memory of a *bytes.Reader and must not be written to
	readSize int       // size of one read, in bytes
	// returns new buffers, set by recordhooks; nil: ownBuf is reused
	memory    func(n int) ([]byte, error)
	liveStart int       // where the unread bytes began when buf was taken
	seeker    io.Seeker // src, if it is a regular file or a section; else nil
	seekEnd   int64     // size of seeker, in bytes

	// If src is a decoder of this package, returns the number of bytes of its input that it has consumed; else nil.
	compressedOffset func() int64
	offsetPairs      [2]offsetPair // offsets before each of the last two reads, for compressedNear
}

// offsetPair is an offset in the stream and the matching offset in its compressed input.
type offsetPair struct{ stream, compressed int64 }

// reset makes w read src from the beginning. It keeps ownBuf.
func (w *window) reset(src io.Reader) {
	*w = window{src: src, ownBuf: w.ownBuf, readSize: w.readSize, memory: w.memory}
}

// inspectSource looks for sources that can be borrowed from or can seek. It runs before the first
// read and not earlier: until then the caller may still read from the source.
func (w *window) inspectSource() {
	switch src := w.src.(type) {
	case *bytes.Reader:
		if !poisonLent && w.memory == nil {
			// Records are lent from the caller's memory: copying them would
			// take longer than comparing their checksums.
			w.buf = bytesLeft(src)
			w.w, w.err, w.borrowed = len(w.buf), io.EOF, true
		}
	case *os.File:
		if fi, err := src.Stat(); err == nil && fi.Mode().IsRegular() {
			w.seeker, w.seekEnd = src, fi.Size()
		}
	case *io.SectionReader:
		w.seeker, w.seekEnd = src, src.Size()
	}
}

// bytesLeft empties b and returns the bytes that it held, as a view of the slice that b was made
// of: a bytes.Reader writes them all in one call.
func bytesLeft(b *bytes.Reader) []byte {
	var t byteSink
	b.WriteTo(&t) // cannot fail
	return t.data
}

// byteSink keeps the slice that is written to it, without a copy.
type byteSink struct {
	data []byte // lent by the writer
}

func (t *byteSink) Write(p []byte) (int, error) {
	t.data = p
	return len(p), nil
}

// unread returns the bytes that are read and not consumed, as a view.
func (w *window) unread() []byte { return w.buf[w.r:w.w] }

// offset returns the stream offset of the first unread byte.
func (w *window) offset() int64 { return w.base + int64(w.r) }

// fill reads until at least n bytes are unread. If it returns false, w.err says why.
func (w *window) fill(n int64) bool {
	for int64(w.w-w.r) < n {
		if w.err != nil {
			return false
		}
		w.readMore(n)
	}
	return true
}

var errReadCount = errors.New("tfrecord: source returned an impossible count from Read")

// readMore asks src once for more bytes. n is the number of unread bytes that the caller needs in
// all.
func (w *window) readMore(n int64) {
	w.nextBuffer(n)
	if w.err != nil {
		return
	}
	end := int64(w.w) + max(int64(w.readSize), n-int64(w.w-w.r))
	if end > int64(len(w.buf)) {
		end = int64(len(w.buf))
	}
	if w.compressedOffset != nil {
		w.offsetPairs[0] = w.offsetPairs[1]
		w.offsetPairs[1] = offsetPair{w.base + int64(w.w), w.compressedOffset()}
	}
	k, err := readSome(w.src, w.buf[w.w:end])
	w.w += k
	w.err = err
}

// readSome is src.Read(p) for a source that may break the rules of io.Reader: it checks the count,
// and reads again if Read returned neither bytes nor an error.
func readSome(src io.Reader, p []byte) (int, error) {
	for range 100 {
		n, err := src.Read(p)
		if n < 0 || n > len(p) {
			return 0, errReadCount
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// nextBuffer makes space after buf[w] for at least one byte, such that n bytes can be unread in the
// end. It continues in another buffer, or at the beginning of the same one, if there is no space
// for n or too little to be worth a read.
func (w *window) nextBuffer(n int64) {
	live, left := w.w-w.r, len(w.buf)-w.w
	if int64(len(w.buf)-w.r) >= n && left > 0 && 4*left >= min(len(w.buf), w.readSize) && (live > 0 || w.memory != nil) {
		return
	}
	pad := -live & (alignment - 1)
	more := min(int64(live), n-int64(live))
	if w.r > w.liveStart {
		// Recovery looks far ahead after a header that claims a long payload, and then moves on by
		// a few bytes. Without a quarter of free space it would copy everything for every few bytes.
		more = max(more, int64(live/4))
	}
	size := int64(pad) + int64(live) + max(alignment, more)
	if size > math.MaxInt-4096 {
		w.err = ErrTooLarge
		return
	}
	memory := w.memory
	if memory == nil {
		memory = w.growOwnBuf
	}
	buf, err := memory(int(size))
	if err == nil && len(buf) < int(size) {
		err = io.ErrShortBuffer
	}
	if err != nil {
		w.err = err
		return
	}
	copy(buf[pad:], w.buf[w.r:w.w])
	w.base += int64(w.r - pad)
	w.buf, w.r, w.w, w.liveStart = buf, pad, pad+live, pad
}

// growOwnBuf returns ownBuf, which grows if it is smaller than n. If it is the current buffer, nextBuffer moves the
// unread bytes to its beginning.
func (w *window) growOwnBuf(n int) ([]byte, error) {
	if len(w.ownBuf) < n {
		w.ownBuf = make([]byte, max(n, w.readSize))
	}
	return w.ownBuf, nil
}

// compressedNear returns an offset in the compressed input near the stream offset off, at or before
// it; -1 if the stream is not compressed.
func (w *window) compressedNear(off int64) int64 {
	if w.compressedOffset == nil {
		return -1
	}
	if off >= w.offsetPairs[1].stream {
		return w.offsetPairs[1].compressed
	}
	return w.offsetPairs[0].compressed
}

// discard skips n bytes of the stream and returns the number of bytes that were missing.
func (w *window) discard(n int64) int64 {
	for {
		k := min(n, int64(w.w-w.r))
		w.r += int(k)
		if n -= k; n == 0 || w.err != nil {
			return n
		}
		n -= w.seekForward(n)
		w.readMore(1)
	}
}

// seekForward skips up to n bytes by seeking and returns the number of skipped bytes. It leaves one byte to be
// read, which proves that the file is that long.
func (w *window) seekForward(n int64) int64 {
	if w.seeker == nil || n < int64(4*w.readSize) {
		return 0
	}
	at, err := w.seeker.Seek(0, io.SeekCurrent)
	if err != nil || at > w.seekEnd-n {
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
