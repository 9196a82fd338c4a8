package tfrecord

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sort"
	"sync"

	"github.com/klauspost/compress/flate"
)

const (
	// startSpacing is the minimum distance, in the uncompressed stream, of checkpoints that take a few
	// bytes: starts of gzip members, zlib streams, snappy blocks and zstd frames.
	startSpacing = 64 << 10
	// blockSpacing is the minimum distance of checkpoints between two deflate blocks, which need a window of 32
	// KiB. Decoding 1 MiB takes about 3 ms.
	blockSpacing = 1 << 20
	windowSize   = 32 << 10 // windowSize is how far back a deflate block can refer.
	// verifySize is the number of bytes that must decode correctly from a place between two blocks before the place
	// becomes a checkpoint.
	verifySize = 4 << 10
)

// checkpointRecorder reads from a decoder and records the places of the stream where decoding can
// begin. It lies between the decoder and the window of a Reader; the decoder calls markStart and
// endBlock.
type checkpointRecorder struct {
	data        io.ReaderAt  // the compressed data, to verify a candidate
	size        int64        // size of data in bytes
	input       *input       // the compressed stream that decoder reads
	decoder     io.Reader    // source of the uncompressed stream
	offset      int64        // offset in the uncompressed stream of the next byte
	checkpoints []checkpoint // in the order of their offsets

	streamStart int64          // offset where the current member, stream or frame began
	candidate   blockCandidate // the place between two deflate blocks that is being verified
}

// attach makes src, which is the decoder for c, report to the recorder.
func (pc *checkpointRecorder) attach(d *decoders, c Compression, in *input, src io.Reader) {
	pc.input, pc.decoder = in, src
	switch c {
	case GZIP, ZLIB:
		d.deflate.recorder = pc
	case SNAPPY:
		d.snappy.recorder = pc
	case ZSTD:
		d.zstd.recorder = pc
	}
}

// Read reads from the decoder.
func (pc *checkpointRecorder) Read(p []byte) (int, error) {
	n, err := pc.decoder.Read(p)
	if pc.candidate.pending {
		// The candidate may be anywhere in these bytes, or after them.
		lo := min(max(pc.candidate.offset-pc.offset, 0), int64(n))
		hi := min(max(pc.candidate.offset+verifySize-pc.offset, 0), int64(n))
		pc.candidate.decoded = append(pc.candidate.decoded, p[lo:hi]...)
		if len(pc.candidate.decoded) == verifySize {
			pc.verifyCandidate()
		}
	}
	pc.offset += int64(n)
	return n, err
}

// markStart is called by a decoder at the start of a block, member, stream or frame.
func (pc *checkpointRecorder) markStart() {
	pc.candidate = blockCandidate{decoded: pc.candidate.decoded[:0], window: pc.candidate.window[:0], decoder: pc.candidate.decoder}
	p := checkpoint{offset: pc.offset, compressed: pc.input.consumed()}
	last := len(pc.checkpoints) - 1
	// A checkpoint between two blocks is valid only up to the end of its stream. So the next
	// stream has a checkpoint at its start, however near that is.
	if last < 0 || p.offset-pc.checkpoints[last].offset >= startSpacing || pc.checkpoints[last].midStream && p.offset > pc.checkpoints[last].offset {
		pc.checkpoints = append(pc.checkpoints, p)
	}
	pc.streamStart = p.offset
}

// newInflater returns a decoder for the next deflate stream that calls endBlock.
func (pc *checkpointRecorder) newInflater(r *bufio.Reader) io.ReadCloser {
	return flate.NewReaderOpts(r, flate.WithEobCallback(pc.endBlock))
}

// blockCandidate is a place between two deflate blocks that may become a checkpoint. The bytes that the decoder
// returns next verify it.
type blockCandidate struct {
	pending  bool         // the candidate waits for its bytes
	offset   int64        // offset in the uncompressed stream
	consumed int64        // bytes of the data that the decoder had taken
	bit      uint8        // bit of a byte at which the block ended, as the library says
	window   []byte       // bytes decoded before the place, up to windowSize
	decoded  []byte       // bytes decoded after the place, up to verifySize
	decoder  blockResumer // for verifyCandidate; made once
}

// blockResumer is a deflate decoder that can begin between two blocks.
type blockResumer interface {
	io.Reader
	ResetCP(r io.Reader, cp flate.InflateCheckpoint) error
}

// endBlock is called by the deflate library at the end of every block.
func (pc *checkpointRecorder) endBlock(cp flate.InflateCheckpoint) {
	plain := pc.streamStart + cp.UncompressedOffset
	if cp.Final || pc.candidate.pending || plain-pc.checkpoints[len(pc.checkpoints)-1].offset < blockSpacing {
		return
	}
	pc.candidate.pending, pc.candidate.offset, pc.candidate.consumed, pc.candidate.bit = true, plain, pc.input.consumed(), cp.BitOffset
	pc.candidate.window = append(pc.candidate.window[:0], cp.Window...)
	pc.candidate.decoded = pc.candidate.decoded[:0]
}

// verifyCandidate makes the candidate a checkpoint if decoding from there returns the bytes that
// followed.
//
// The library (klauspost/compress 1.20.3) says at which bit of a byte the block ended. But its count of bytes may
// be too high, because it counts bytes twice when a stored block follows other blocks. The number of bytes that it
// has read is certain, and it buffers at most 32 bits. That leaves four or five places, which are tried in turn.
func (pc *checkpointRecorder) verifyCandidate() {
	pc.candidate.pending = false
	held := int64(8-pc.candidate.bit) % 8
	b := make([]byte, verifySize)
	for ; held <= 32; held += 8 {
		bits := pc.candidate.consumed*8 - held
		if bits < 0 {
			return
		}
		p := checkpoint{offset: pc.candidate.offset, compressed: bits / 8, midStream: true, bit: uint8(bits % 8)}
		r, err := resumeDeflate(&pc.candidate.decoder, bufio.NewReader(io.NewSectionReader(pc.data, p.compressed, pc.size-p.compressed)), p.bit, pc.candidate.window)
		if err != nil {
			continue
		}
		if _, err := io.ReadFull(r, b); err == nil && bytes.Equal(b, pc.candidate.decoded) {
			p.window = packWindow(pc.candidate.window)
			pc.checkpoints = append(pc.checkpoints, p)
			return
		}
	}
}

// resumeDeflate makes *z begin at a bit of the first byte of r, with a window of the bytes before. A nil *z is
// replaced by a new decoder.
func resumeDeflate(z *blockResumer, r *bufio.Reader, bit uint8, window []byte) (io.Reader, error) {
	cp := flate.InflateCheckpoint{BitOffset: bit, Window: window}
	if *z == nil {
		*z = flate.NewReader(r).(blockResumer)
	}
	return *z, (*z).ResetCP(r, cp)
}

// packWindow compresses a window for the index.
func packWindow(window []byte) []byte {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		z.Write(window) // to memory: cannot fail
		z.Close()
	}
	return b.Bytes()
}

// unpackWindow is the inverse of packWindow. The index may come from anywhere: it decodes no more
// than windowSize bytes.
func unpackWindow(b []byte) ([]byte, error) {
	window := make([]byte, windowSize)
	n, err := io.ReadFull(flate.NewReader(bytes.NewReader(b)), window)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil // a window may be shorter
	}
	return window[:n], err
}

// decoderCursor is a decoder at some offset of a compressed stream. It stays there after an access,
// so that records in order are decoded once.
type decoderCursor struct {
	segment  int       // decoding began at index.checkpoints[segment]
	offset   int64     // offset in the uncompressed stream of the next byte
	input    input     // the compressed data from the checkpoint on
	decoders decoders  // the decoder belongs to it
	decoder  io.Reader // source of the uncompressed stream
}

// decoderPool holds the cursors of an Indexed that no access is using: at most GOMAXPROCS.
type decoderPool struct {
	mu   sync.Mutex       // guards idle
	idle []*decoderCursor // the least recently used comes first
}

// takeNearest returns the idle cursor of the segment that is nearest before off, and true. If there is none it
// returns a new cursor, or a cursor at another offset, and false.
func (l *decoderPool) takeNearest(segment int, off int64) (c *decoderCursor, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	best := -1
	for i, c := range l.idle {
		if c.segment == segment && c.offset <= off && (best < 0 || c.offset > l.idle[best].offset) {
			best = i
		}
	}
	if ok = best >= 0; !ok {
		if len(l.idle) < runtime.GOMAXPROCS(0) {
			return new(decoderCursor), false
		}
		best = 0 // the least recently used
	}
	c = l.idle[best]
	l.idle = append(l.idle[:best], l.idle[best+1:]...)
	return c, ok
}

// putBack makes a cursor idle, or drops it if enough are idle.
func (l *decoderPool) putBack(c *decoderCursor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle) < runtime.GOMAXPROCS(0) {
		l.idle = append(l.idle, c)
	}
}

// freeDecoders implements recordhooks.FreeDecoders.
func (x *Indexed) freeDecoders() {
	x.decoders.mu.Lock()
	defer x.decoders.mu.Unlock()
	x.decoders.idle = nil
}

// readCompressed fills p with the uncompressed stream from off on, as readStream does.
func (x *Indexed) readCompressed(p []byte, off int64, e *Error) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		segment := sort.Search(len(x.index.checkpoints), func(i int) bool { return x.index.checkpoints[i].offset > at }) - 1
		end := x.index.streamSize
		if segment+1 < len(x.index.checkpoints) {
			end = x.index.checkpoints[segment+1].offset
		}
		c, ok := x.decoders.takeNearest(segment, at)
		if !ok {
			err = c.seekCheckpoint(x, segment)
		}
		var k int
		if err == nil {
			k, err = c.readRange(p[n:min(int64(len(p)), int64(n)+end-at)], at)
		}
		n += k
		if err != nil {
			err = c.decodeError(err, x.index.codec, e)
			break
		}
		x.decoders.putBack(c)
	}
	return n, err
}

// seekCheckpoint moves the cursor to a checkpoint.
func (c *decoderCursor) seekCheckpoint(x *Indexed, segment int) (err error) {
	p := x.index.checkpoints[segment]
	c.segment, c.offset = segment, p.offset
	c.input.reset(io.NewSectionReader(x.data, p.compressed, x.size-p.compressed), nil, nil)
	maxBlock := min(max(x.maxPayload+HeaderSize+FooterSize, 64<<20), math.MaxInt32)
	c.decoder, err = c.decoders.openDecoder(x.index.codec, &c.input, maxBlock)
	if err == nil && p.midStream {
		var window []byte
		if window, err = unpackWindow(p.window); err != nil {
			return damagedIndex("checkpoint %d: its window: %v", segment, err)
		}
		err = c.decoders.deflate.beginAtBlock(p.bit, window)
	}
	return err
}

// readRange fills p from offset at of the uncompressed stream, which is not before c.offset.
func (c *decoderCursor) readRange(p []byte, at int64) (int, error) {
	if _, err := io.CopyN(io.Discard, c.decoder, at-c.offset); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(c.decoder, p)
	c.offset = at + int64(n)
	return n, err
}

// decodeError translates err, from a decoder, and sets the class and the compressed offset of e.
func (c *decoderCursor) decodeError(err error, comp Compression, e *Error) error {
	e.Compressed = c.input.consumed()
	switch {
	case err == io.EOF, errors.Is(err, ErrIndex):
		return err
	case c.input.readErr != nil && c.input.readErr != io.ErrUnexpectedEOF:
		e.Class = 0
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Class = Truncated
		return &detailedError{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the %v stream ends too early", comp)}
	default:
		e.Class = Codec
		return &detailedError{sentinel: ErrCodec, detail: fmt.Sprintf("%v stream: %v", comp, err), cause: err}
	}
}
