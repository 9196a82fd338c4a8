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

// snappyBlock is the most that TensorFlow's reader takes from one block,
// uncompressed. Its own writer makes bigger ones from big payloads.
const snappyBlock = 262144

var (
	errSnappySize  = errors.New("snappy block states an impossible size")
	errSnappyEmpty = errors.New("snappy block of size 0")
	errSnappyBlock = errors.New("corrupt snappy block")
)

// snappySizes judges the two sizes of a block before anything is allocated
// for them.
func snappySizes(c, u uint64, maxBlock int64) error {
	switch {
	case u > uint64(maxBlock):
		return fmt.Errorf("snappy block of %d bytes is above the limit of %d", u, maxBlock)
	case u > 22*c, // the densest tag makes 64 bytes of 3
		c > 64+2*u: // an encoder adds a sixth at most
		return errSnappySize
	}
	return nil
}

// A snappyReader decodes TensorFlow's block framing.
type snappyReader struct {
	r        *bufio.Reader
	maxBlock int64
	packed   []byte // one block as it is in the file
	plain    []byte // the same, decoded
	left     []byte // the part of plain not yet given out
	size     int64  // what the current block is taken to hold, if it is corrupt
	first    bool   // no block had sizes that can be yet
	err      error
	points   *pointCollector // gets the positions where blocks begin; usually nil
}

func (z *snappyReader) reset(r *bufio.Reader, maxBlock int64) {
	*z = snappyReader{r: r, maxBlock: maxBlock, packed: z.packed[:0], plain: z.plain[:0], first: true}
}

func (z *snappyReader) Read(p []byte) (int, error) {
	for len(z.left) == 0 {
		if z.err != nil {
			return 0, z.err
		}
		z.err = z.block()
	}
	n := copy(p, z.left)
	z.left = z.left[n:]
	return n, nil
}

// block reads and decodes the next block.
func (z *snappyReader) block() error {
	if z.points != nil {
		z.points.start()
	}
	h, err := z.r.Peek(4)
	if len(h) < 4 {
		if err == io.EOF && len(h) > 0 {
			z.r.Discard(len(h))
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	c := binary.BigEndian.Uint32(h)
	z.r.Discard(4)
	if c == 0 {
		return errSnappyEmpty
	}
	h, err = z.r.Peek(int(min(c, binary.MaxVarintLen32)))
	if err != nil {
		return noEOF(err)
	}
	u, n := binary.Uvarint(h)
	if err = errSnappySize; n > 0 {
		err = snappySizes(uint64(c), u, z.maxBlock)
	}
	if err != nil {
		// A size that is damaged most often leads beyond the end, and then the
		// stream is cut as far as anyone can tell. Not so at its start, where
		// it is no snappy at all.
		if !z.first {
			if _, e := io.CopyN(io.Discard, z.r, int64(c)); e == io.EOF {
				return io.ErrUnexpectedEOF
			}
		}
		return err
	}
	z.first = false
	if err := z.fetch(int64(c)); err != nil {
		return err
	}
	if z.size = int64(u); u == 0 {
		z.size = int64(c) // for resume: a corrupt block held something
	}
	if uint64(cap(z.plain)) < u {
		z.plain = make([]byte, u)
	}
	plain, err := snappy.Decode(z.plain[:cap(z.plain)], z.packed)
	if err != nil {
		return errSnappyBlock
	}
	z.left = plain
	return nil
}

// resume makes the reader go on behind the corrupt block that it stopped at,
// if what follows can be a block. It returns the uncompressed size that the
// corrupt one states.
func (z *snappyReader) resume() (size int64, ok bool) {
	if z.err != errSnappyBlock {
		return 0, false
	}
	h, err := z.r.Peek(4 + binary.MaxVarintLen32)
	if len(h) == 0 && err == io.EOF {
		z.err = nil // the corrupt block was the last
		return z.size, true
	}
	if len(h) < 5 {
		return 0, false
	}
	c := binary.BigEndian.Uint32(h)
	u, n := binary.Uvarint(h[4:])
	if c == 0 || n <= 0 || snappySizes(uint64(c), u, z.maxBlock) != nil {
		return 0, false
	}
	z.err = nil
	return z.size, true
}

// fetch reads a block of c bytes into z.packed, growing it as they arrive.
func (z *snappyReader) fetch(c int64) error {
	z.packed = z.packed[:0]
	for int64(len(z.packed)) < c {
		if len(z.packed) == cap(z.packed) {
			size := max(min(c, int64(2*cap(z.packed))), min(c, 64<<10))
			grown := make([]byte, len(z.packed), size)
			copy(grown, z.packed)
			z.packed = grown
		}
		end := min(c, int64(cap(z.packed)))
		n, err := io.ReadFull(z.r, z.packed[len(z.packed):end])
		z.packed = z.packed[:len(z.packed)+n]
		if err != nil {
			return noEOF(err)
		}
	}
	return nil
}

// snappyStart decodes the first bytes of a block from the first bytes of its
// encoding, up to len(dst) of them. It returns how many there are;
// ok is false when no decoder would take these bytes. It serves to look into
// a stream before trusting the sizes it states.
func snappyStart(dst, src []byte) (n int, ok bool) {
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
