package tfrecord

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdWindow bounds the memory that the head of a zstd frame can ask for before
// any of its content has arrived. It is what every decoder must support, and
// what the zstd levels up to 19 stay within.
const zstdWindow = 8 << 20

// A zstdReader decodes zstd frames, one after the other. It gives the library one frame at a time, so
// that it is known where each begins: there decoding can begin too, for an [Index] and behind damage.
type zstdReader struct {
	d      *zstd.Decoder
	in     *input
	start  int64 // place in it where the frame began
	frame  zstdFrame
	begun  bool // d is in a frame
	err    error
	points *pointCollector // gets the positions where frames begin; usually nil
}

func newZstdReader() (*zstdReader, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	return &zstdReader{d: d}, err
}

func (z *zstdReader) reset(in *input) {
	*z = zstdReader{d: z.d, in: in, frame: zstdFrame{r: in.br}}
}

func (z *zstdReader) Read(p []byte) (int, error) {
	for z.err == nil {
		if !z.begun {
			z.err = z.next()
			continue
		}
		n, err := z.d.Read(p)
		if err == io.EOF {
			z.begun, err = false, nil
		}
		if err != nil && n == 0 {
			// What was decoded before a bad frame checksum is given out by the
			// next call; records have checksums of their own.
			if n, _ = z.d.Read(p); n > 0 {
				return n, nil
			}
		}
		if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = fmt.Errorf("%w (the limit is %d MiB)", err, zstdWindow>>20)
		}
		z.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, z.err
}

// next begins the next frame. It returns io.EOF when there is none.
func (z *zstdReader) next() error {
	if _, err := z.frame.r.Peek(1); err != nil {
		return err
	}
	z.start = z.in.consumed()
	if z.points != nil {
		z.points.start()
	}
	z.frame = zstdFrame{r: z.frame.r}
	z.begun = true
	return z.d.Reset(&z.frame)
}

// A zstdFrame reads the bytes of one frame, and ends where that ends (RFC 8878, section 3.1).
type zstdFrame struct {
	r        *bufio.Reader
	part     zstdPart
	left     int64 // bytes of the part before
	checksum bool  // one follows the last block
}

// A zstdPart is what of a frame comes next.
type zstdPart uint8

const (
	zstdHead zstdPart = iota
	zstdBlock
	zstdChecksum
	zstdEnd
)

var zstdMagic = [4]byte{0x28, 0xb5, 0x2f, 0xfd}

func (f *zstdFrame) Read(p []byte) (int, error) {
	for f.left == 0 {
		if f.part == zstdEnd {
			return 0, io.EOF
		}
		if err := f.advance(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// advance looks at what comes next and sets how long it is. What is cut or no zstd is left to the decoder.
func (f *zstdFrame) advance() error {
	switch f.part {
	case zstdHead:
		h, err := f.r.Peek(8)
		if len(h) == 0 {
			return err
		}
		switch {
		case len(h) == 8 && binary.LittleEndian.Uint32(h)&^0xf == 0x184d2a50: // to be skipped
			f.left, f.part = 8+int64(binary.LittleEndian.Uint32(h[4:])), zstdEnd
		case len(h) >= 5 && [4]byte(h) == zstdMagic:
			d := h[4]
			f.left = 5 + int64([...]int{0, 1, 2, 4}[d&3]) + int64([...]int{0, 2, 4, 8}[d>>6])
			if single := d&0x20 != 0; !single {
				f.left++ // the window
			} else if d>>6 == 0 {
				f.left++ // the size of the content
			}
			f.checksum, f.part = d&4 != 0, zstdBlock
		default:
			f.left = int64(len(h))
		}
	case zstdBlock:
		h, err := f.r.Peek(3)
		if len(h) < 3 {
			if len(h) == 0 {
				return err
			}
			f.left = int64(len(h))
			return nil
		}
		b := int64(h[0]) | int64(h[1])<<8 | int64(h[2])<<16
		f.left = 3 + b>>3
		if kind := b >> 1 & 3; kind == 1 {
			f.left = 4 // one byte, repeated
		}
		if b&1 != 0 {
			f.part = zstdChecksum
		}
	case zstdChecksum:
		f.part = zstdEnd
		if f.checksum {
			f.left = 4
		}
	}
	return nil
}
