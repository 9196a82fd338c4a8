package tfrecord

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
)

// TensorFlow's block framing, repeated to the end of the file:
//
//	compressed size c, uint32 big endian
//	c bytes, one raw snappy block: varint uncompressed size u, then tags
//
// There is no magic, no checksum and no end mark.

// snappyBlockSize is the largest uncompressed block that TensorFlow reads. TensorFlow's own writer makes larger
// blocks from large payloads.
const snappyBlockSize = 262144

var (
	errSnappySize  = errors.New("snappy block states an impossible size")
	errSnappyEmpty = errors.New("snappy block of size 0")
	errSnappyBlock = errors.New("corrupt snappy block")
)

// checkSnappySizes checks the two sizes of a block, before anything is allocated for them.
func checkSnappySizes(c, u uint64, maxBlock int64) error {
	switch {
	case u > uint64(maxBlock):
		return fmt.Errorf("snappy block of %d bytes is above the limit of %d", u, maxBlock)
	case u > 22*c, // the densest tag makes 64 bytes of 3
		c > 64+2*u: // an encoder adds a sixth at most
		return errSnappySize
	}
	return nil
}

// snappyReader decodes TensorFlow's block framing.
type snappyReader struct {
	source       *bufio.Reader       // source of the blocks
	maxBlock     int64               // limit on the uncompressed size of a block
	compressed   []byte              // one block as it is in the file
	decoded      []byte              // the same block, decoded
	pending      []byte              // the bytes of decoded that were not returned yet
	blockSize    int64               // uncompressed size of the current block, to skip it if it is corrupt
	noValidBlock bool                // no block has had valid sizes yet
	err          error               // returned by every Read until skipCorruptBlock clears it
	recorder     *checkpointRecorder // is told where blocks begin; usually nil
}

// reset makes z read blocks from r. It keeps the buffers.
func (z *snappyReader) reset(r *bufio.Reader, maxBlock int64) {
	*z = snappyReader{source: r, maxBlock: maxBlock, compressed: z.compressed[:0], decoded: z.decoded[:0], noValidBlock: true}
}

// Read implements [io.Reader].
func (z *snappyReader) Read(p []byte) (int, error) {
	for len(z.pending) == 0 {
		if z.err != nil {
			return 0, z.err
		}
		z.err = z.readBlock()
	}
	n := copy(p, z.pending)
	z.pending = z.pending[n:]
	return n, nil
}

// readBlock reads and decodes the next block.
func (z *snappyReader) readBlock() error {
	if z.recorder != nil {
		z.recorder.markStart()
	}
	h, err := z.source.Peek(4)
	if len(h) < 4 {
		if err == io.EOF && len(h) > 0 {
			z.source.Discard(len(h))
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	c := binary.BigEndian.Uint32(h)
	z.source.Discard(4)
	if c == 0 {
		return errSnappyEmpty
	}
	h, err = z.source.Peek(int(min(c, binary.MaxVarintLen32)))
	if err != nil {
		return noEOF(err)
	}
	u, n := binary.Uvarint(h)
	if err = errSnappySize; n > 0 {
		err = checkSnappySizes(uint64(c), u, z.maxBlock)
	}
	if err != nil {
		// Most damaged sizes lead beyond the end of the file, which is then
		// indistinguishable from a truncated one. At the start of the stream
		// it is not snappy at all.
		if !z.noValidBlock {
			if _, e := io.CopyN(io.Discard, z.source, int64(c)); e == io.EOF {
				return io.ErrUnexpectedEOF
			}
		}
		return err
	}
	z.noValidBlock = false
	if err := z.fetchBlock(int64(c)); err != nil {
		return err
	}
	if z.blockSize = int64(u); u == 0 {
		z.blockSize = int64(c) // for skipCorruptBlock: a corrupt block had content
	}
	if uint64(cap(z.decoded)) < u {
		z.decoded = make([]byte, u)
	}
	plain, err := snappy.Decode(z.decoded[:cap(z.decoded)], z.compressed)
	if err != nil {
		return errSnappyBlock
	}
	z.pending = plain
	return nil
}

// skipCorruptBlock makes the reader continue after the corrupt block that it stopped at, if valid
// sizes or the end follow. It returns the uncompressed size of that block.
func (z *snappyReader) skipCorruptBlock() (size int64, ok bool) {
	if z.err != errSnappyBlock {
		return 0, false
	}
	h, err := z.source.Peek(4 + binary.MaxVarintLen32)
	if len(h) == 0 && err == io.EOF {
		z.err = nil // the corrupt block was the last
		return z.blockSize, true
	}
	if len(h) < 5 {
		return 0, false
	}
	c := binary.BigEndian.Uint32(h)
	u, n := binary.Uvarint(h[4:])
	if c == 0 || n <= 0 || checkSnappySizes(uint64(c), u, z.maxBlock) != nil {
		return 0, false
	}
	z.err = nil
	return z.blockSize, true
}

// fetchBlock reads c bytes into z.compressed, which grows as they arrive.
func (z *snappyReader) fetchBlock(c int64) error {
	z.compressed = z.compressed[:0]
	for int64(len(z.compressed)) < c {
		if len(z.compressed) == cap(z.compressed) {
			size := max(min(c, int64(2*cap(z.compressed))), min(c, 64<<10))
			grown := make([]byte, len(z.compressed), size)
			copy(grown, z.compressed)
			z.compressed = grown
		}
		end := min(c, int64(cap(z.compressed)))
		n, err := io.ReadFull(z.source, z.compressed[len(z.compressed):end])
		z.compressed = z.compressed[:len(z.compressed)+n]
		if err != nil {
			return noEOF(err)
		}
	}
	return nil
}

// decodeSnappyPrefix decodes the first bytes of a block from the first bytes of its encoding, up to
// len(dst). It returns their number; ok is false if no decoder would accept src. It inspects
// a stream before its sizes are trusted.
func decodeSnappyPrefix(dst, src []byte) (n int, ok bool) {
	_, i := binary.Uvarint(src)
	if i <= 0 {
		return 0, i == 0
	}
	src = src[i:]
	for n < len(dst) && len(src) > 0 {
		tag := src[0]
		if tag&3 == 0 { // literal: up to 60 bytes, or the size in 1 to 4 bytes
			size, extra := int(tag>>2)+1, 0
			if tag>>2 >= 60 {
				extra = int(tag>>2) - 59
				if len(src) < 1+extra {
					return n, true
				}
				var wide [8]byte
				copy(wide[:], src[1:1+extra])
				size = int(min(binary.LittleEndian.Uint64(wide[:]), uint64(len(src)))) + 1
			}
			src = src[1+extra:]
			size = min(size, len(src))
			n += copy(dst[n:], src[:size])
			src = src[size:]
			continue
		}
		extra := [...]int{0, 1, 2, 4}[tag&3]
		if len(src) < 1+extra {
			return n, true
		}
		size, off := int(tag>>2)+1, uint32(0)
		switch tag & 3 {
		case 1:
			size, off = int(tag>>2&7)+4, uint32(tag>>5)<<8|uint32(src[1])
		case 2:
			off = uint32(binary.LittleEndian.Uint16(src[1:]))
		case 3:
			off = binary.LittleEndian.Uint32(src[1:])
		}
		if off == 0 || uint64(off) > uint64(n) {
			return n, false
		}
		for ; size > 0 && n < len(dst); size-- {
			dst[n] = dst[n-int(off)]
			n++
		}
		src = src[1+extra:]
	}
	return n, true
}
