package tfrecord

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdWindow limits the memory that the header of a zstd frame can demand. Every decoder must
// support this size, and levels up to 19 stay within it.
const zstdWindow = 8 << 20

// zstdReader decodes a sequence of zstd frames. It passes the library one frame at a time, to know
// where each begins: decoding can start there, for an [Index] and after damage.
type zstdReader struct {
	decoder    *zstd.Decoder       // the library's decoder, reused
	input      *input              // the compressed stream
	frameStart int64               // offset in input where the current frame began
	frame      zstdFrame           // the bytes of the current frame
	inFrame    bool                // decoder has not reached the end of frame
	err        error               // sticky
	recorder   *checkpointRecorder // is told where frames begin; usually nil
}

// newZstdReader returns a zstdReader without input; reset sets it.
func newZstdReader() (*zstdReader, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	return &zstdReader{decoder: d}, err
}

// reset makes z read frames from in.
func (z *zstdReader) reset(in *input) {
	*z = zstdReader{decoder: z.decoder, input: in, frame: zstdFrame{source: in.buffered}}
}

// Read implements [io.Reader].
func (z *zstdReader) Read(p []byte) (int, error) {
	for z.err == nil {
		if !z.inFrame {
			z.err = z.nextFrame()
			continue
		}
		n, err := z.decoder.Read(p)
		if err == io.EOF {
			z.inFrame, err = false, nil
		}
		if err != nil && n == 0 {
			// The next call returns the bytes that were decoded before a bad frame checksum; records have checksums
			// of their own.
			if n, _ = z.decoder.Read(p); n > 0 {
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

// nextFrame begins the next frame. It returns io.EOF if there is none.
func (z *zstdReader) nextFrame() error {
	if _, err := z.frame.source.Peek(1); err != nil {
		return err
	}
	z.frameStart = z.input.consumed()
	if z.recorder != nil {
		z.recorder.markStart()
	}
	z.frame = zstdFrame{source: z.frame.source}
	z.inFrame = true
	return z.decoder.Reset(&z.frame)
}

// zstdFrame reads the bytes of one frame and returns io.EOF at its end (RFC 8878, section 3.1).
type zstdFrame struct {
	source      *bufio.Reader // the compressed stream
	part        zstdPart      // the part after the current part
	partLeft    int64         // bytes of the current part that were not read
	hasChecksum bool          // a checksum follows the last block
}

// zstdPart is a part of a frame.
type zstdPart uint8

const (
	zstdHead zstdPart = iota
	zstdBlock
	zstdChecksum
	zstdEnd
)

var zstdMagic = [4]byte{0x28, 0xb5, 0x2f, 0xfd}

// Read implements [io.Reader].
func (f *zstdFrame) Read(p []byte) (int, error) {
	for f.partLeft == 0 {
		if f.part == zstdEnd {
			return 0, io.EOF
		}
		if err := f.nextPart(); err != nil {
			return 0, err
		}
	}
	n, err := f.source.Read(p[:min(int64(len(p)), f.partLeft)])
	f.partLeft -= int64(n)
	return n, err
}

// nextPart reads the header of the next part and sets its size. It leaves damaged and truncated
// frames to the decoder.
func (f *zstdFrame) nextPart() error {
	switch f.part {
	case zstdHead:
		h, err := f.source.Peek(8)
		if len(h) == 0 {
			return err
		}
		switch {
		case len(h) == 8 && binary.LittleEndian.Uint32(h)&^0xf == 0x184d2a50: // a skippable frame
			f.partLeft, f.part = 8+int64(binary.LittleEndian.Uint32(h[4:])), zstdEnd
		case len(h) >= 5 && [4]byte(h) == zstdMagic:
			d := h[4]
			f.partLeft = 5 + int64([...]int{0, 1, 2, 4}[d&3]) + int64([...]int{0, 2, 4, 8}[d>>6])
			if single := d&0x20 != 0; !single {
				f.partLeft++ // the window
			} else if d>>6 == 0 {
				f.partLeft++ // the size of the content
			}
			f.hasChecksum, f.part = d&4 != 0, zstdBlock
		default:
			f.partLeft = int64(len(h))
		}
	case zstdBlock:
		h, err := f.source.Peek(3)
		if len(h) < 3 {
			if len(h) == 0 {
				return err
			}
			f.partLeft = int64(len(h))
			return nil
		}
		b := int64(h[0]) | int64(h[1])<<8 | int64(h[2])<<16
		f.partLeft = 3 + b>>3
		if kind := b >> 1 & 3; kind == 1 {
			f.partLeft = 4 // one byte, repeated
		}
		if b&1 != 0 {
			f.part = zstdChecksum
		}
	case zstdChecksum:
		f.part = zstdEnd
		if f.hasChecksum {
			f.partLeft = 4
		}
	}
	return nil
}
