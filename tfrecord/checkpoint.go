package tfrecord

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"
)

const (
	// pointSpacing is the least distance, in the uncompressed stream, of checkpoints that are
	// a few bytes: begins of gzip members, zlib streams, snappy blocks and zstd frames.
	pointSpacing = 64 << 10
	// windowSpacing is the same for those between deflate blocks, which have a window of
	// 32 KiB. To decode 1 MiB takes about 3 ms.
	windowSpacing = 1 << 20
	windowSize    = 32 << 10
	// trySize is how much must decode to the right bytes from a place between two blocks, so that
	// the place is kept.
	trySize = 4 << 10
)

// A pointCollector stands between a decoder and the window of a Reader and notes
// the places where a decoder can begin.
type pointCollector struct {
	data   io.ReaderAt // what in reads
	size   int64
	in     *input
	src    io.Reader // the decoder
	plain  int64     // place in the uncompressed stream
	points []point

	member int64 // where the deflate stream began that is being decoded
	try    trial
}

// watch makes the collector see the decoder that d opened for c.
func (pc *pointCollector) watch(d *decoders, c Compression, in *input, src io.Reader) {
	pc.in, pc.src = in, src
	switch c {
	case GZIP, ZLIB:
		d.deflate.points = pc
	case SNAPPY:
		d.snappy.points = pc
	case ZSTD:
		d.zstd.points = pc
	}
}

// Read reads from the decoder.
func (pc *pointCollector) Read(p []byte) (int, error) {
	n, err := pc.src.Read(p)
	if pc.try.open {
		// The place may be anywhere in these bytes, or behind them.
		lo := min(max(pc.try.plain-pc.plain, 0), int64(n))
		hi := min(max(pc.try.plain+trySize-pc.plain, 0), int64(n))
		pc.try.got = append(pc.try.got, p[lo:hi]...)
		if len(pc.try.got) == trySize {
			pc.endTrial()
		}
	}
	pc.plain += int64(n)
	return n, err
}

// start is called where a block, member, stream or frame begins.
func (pc *pointCollector) start() {
	pc.try = trial{got: pc.try.got[:0], window: pc.try.window[:0], raw: pc.try.raw}
	p := point{plain: pc.plain, packed: pc.in.consumed()}
	last := len(pc.points) - 1
	// A place inside a stream is good up to the end of that stream only, so behind one the
	// next stream has a checkpoint however short it is.
	if last < 0 || p.plain-pc.points[last].plain >= pointSpacing || pc.points[last].inside && p.plain > pc.points[last].plain {
		pc.points = append(pc.points, p)
	}
	pc.member = p.plain
}

// inflater returns a decoder for the next deflate stream, which calls blockEnd.
func (pc *pointCollector) inflater(r *bufio.Reader) io.ReadCloser {
	return flate.NewReaderOpts(r, flate.WithEobCallback(pc.blockEnd))
}

// A trial is a place between two deflate blocks that may become a checkpoint.
type trial struct {
	open   bool
	plain  int64
	taken  int64 // bytes of the data that the decoder has taken
	bit    uint8
	window []byte // what was decoded before it
	got    []byte // and after it, up to trySize
	raw    resumer
}

// A resumer is a decoder of deflate that can begin between two blocks.
type resumer interface {
	io.Reader
	ResetCP(r io.Reader, cp flate.InflateCheckpoint) error
}

// blockEnd is called at the end of every deflate block.
func (pc *pointCollector) blockEnd(cp flate.InflateCheckpoint) {
	plain := pc.member + cp.UncompressedOffset
	if cp.Final || pc.try.open || plain-pc.points[len(pc.points)-1].plain < windowSpacing {
		return
	}
	pc.try.open, pc.try.plain, pc.try.taken, pc.try.bit = true, plain, pc.in.consumed(), cp.BitOffset
	pc.try.window = append(pc.try.window[:0], cp.Window...)
	pc.try.got = pc.try.got[:0]
}

// endTrial makes the place a checkpoint if decoding from there gives what followed.
//
// The library (klauspost/compress 1.20.3) says at which bit of a byte the block
// ended. But where a stored block follows other blocks it counts bytes twice, so its
// count of bytes may be too high. It is certain how many bytes it has taken; it holds at
// most 32 bits. So the four places that leaves are tried, and one is taken that decodes to the right bytes.
func (pc *pointCollector) endTrial() {
	pc.try.open = false
	held := int64(8-pc.try.bit) % 8
	b := make([]byte, trySize)
	for ; held <= 32; held += 8 {
		bits := pc.try.taken*8 - held
		if bits < 0 {
			return
		}
		p := point{plain: pc.try.plain, packed: bits / 8, inside: true, bit: uint8(bits % 8)}
		r, err := resumeDeflate(&pc.try.raw, bufio.NewReader(io.NewSectionReader(pc.data, p.packed, pc.size-p.packed)), p.bit, pc.try.window)
		if err != nil {
			continue
		}
		if _, err := io.ReadFull(r, b); err == nil && bytes.Equal(b, pc.try.got) {
			p.window = packWindow(pc.try.window)
			pc.points = append(pc.points, p)
			return
		}
	}
}

// resumeDeflate makes *z, or a new decoder in its place, begin at a bit of the first
// byte of r, with a window of what was decoded before.
func resumeDeflate(z *resumer, r *bufio.Reader, bit uint8, window []byte) (io.Reader, error) {
	cp := flate.InflateCheckpoint{BitOffset: bit, Window: window}
	if *z == nil {
		*z = flate.NewReader(r).(resumer)
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

// unpackWindow is the inverse. The index may come from anywhere: no more than a window is decoded.
func unpackWindow(b []byte) ([]byte, error) {
	window := make([]byte, windowSize)
	n, err := io.ReadFull(flate.NewReader(bytes.NewReader(b)), window)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil // a window may be shorter
	}
	return window[:n], err
}
