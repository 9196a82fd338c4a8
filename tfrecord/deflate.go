package tfrecord

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

var (
	errGzipHeader   = errors.New("invalid gzip header")
	errZlibHeader   = errors.New("invalid zlib header")
	errZlibDict     = errors.New("zlib stream wants a preset dictionary")
	errStreamSum    = errors.New("checksum of the compressed stream does not match its content")
	errStreamSize   = errors.New("size in the gzip trailer does not match the content")
	errAfterStream  = errors.New("bytes after the end of the compressed stream are neither padding nor another stream")
	errAfterPadding = errors.New("bytes after the zero padding of the compressed stream")
)

// A deflateReader inflates any number of gzip members, or of zlib streams, one
// after the other, and zero padding after the last.
//
// It does the container and leaves deflate to a library. A library's gzip
// reader refuses long names in headers and padding, and a zlib reader stops
// after the first stream without a word. The library is klauspost/compress
// because it inflates faster than the standard one: 1.30 to 1.40 times on 200 MB
// of generated records in gzip, 1.34 in zlib, 1.25 to 1.38 on published gzip
// files of 34 KB (BenchmarkInflate).
type deflateReader struct {
	r      *bufio.Reader
	kind   Compression // GZIP or ZLIB
	fl     io.ReadCloser
	sum    hash.Hash32 // of the content of the member: CRC-32 for GZIP, Adler-32 for ZLIB
	size   uint32      // of the content of the member so far, modulo 2^32
	inside bool        // a member is open
	first  bool        // no member was opened yet
	in     *input      // what r reads; may be nil
	start  int64       // place in it where the member that is open began
	part   bool        // only the rest of a member is read, by resume
	err    error
	buf    [8]byte
	points *pointCollector // gets the positions where streams and blocks begin; usually nil
	resume resumer         // decodes from a checkpoint
}

func (z *deflateReader) reset(r *bufio.Reader, kind Compression) {
	sum := z.sum
	if z.kind != kind {
		sum = crc32.NewIEEE()
		if kind == ZLIB {
			sum = adler32.New()
		}
	}
	*z = deflateReader{r: r, kind: kind, fl: z.fl, sum: sum, first: true, resume: z.resume}
}

// begin makes z decode from a place between two blocks, as far as the stream goes that they belong
// to. It comes after reset.
func (z *deflateReader) begin(bit uint8, window []byte) error {
	_, err := resumeDeflate(&z.resume, z.r, bit, window)
	z.part = true
	return err
}

func (z *deflateReader) Read(p []byte) (int, error) {
	if z.part {
		return z.resume.Read(p)
	}
	for z.err == nil {
		if !z.inside {
			z.err = z.open()
			continue
		}
		n, err := z.fl.Read(p)
		z.sum.Write(p[:n]) // cannot fail
		z.size += uint32(n)
		switch {
		case err == io.EOF:
			z.inside = false
			z.err = z.trailer()
		case err != nil:
			z.err = err
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, z.err
}

// open reads the header of the next member. It returns io.EOF when there is
// none.
func (z *deflateReader) open() error {
	c, err := z.r.ReadByte()
	if err != nil {
		return err
	}
	if !z.first && c == 0 {
		return z.padding()
	}
	z.r.UnreadByte() // cannot fail after ReadByte
	if z.in != nil {
		z.start = z.in.consumed()
	}
	if z.points != nil {
		z.points.start()
	}
	if z.kind == GZIP {
		err = z.gzipHeader()
	} else {
		err = z.zlibHeader()
	}
	if err != nil {
		if !z.first && (err == errGzipHeader || err == errZlibHeader) {
			err = errAfterStream
		}
		return noEOF(err)
	}
	if z.points != nil {
		z.fl = z.points.inflater(z.r) // Reset would drop the callback
	} else if z.fl == nil {
		z.fl = flate.NewReader(z.r)
	} else if err := z.fl.(flate.Resetter).Reset(z.r, nil); err != nil {
		return err
	}
	z.inside, z.first = true, false
	z.sum.Reset()
	z.size = 0
	return nil
}

// padding reads zeros up to the end of the file.
func (z *deflateReader) padding() error {
	for {
		c, err := z.r.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return errAfterPadding
		}
	}
}

// gzipHeader reads the header of a member (RFC 1952, section 2.3):
//
//	1f 8b 08 flags, mtime (4), xfl, os, then as the flags say:
//	extra length (2) and extra, name 00, comment 00, header checksum (2)
func (z *deflateReader) gzipHeader() error {
	const (
		hasChecksum = 1 << 1
		hasExtra    = 1 << 2
		hasName     = 1 << 3
		hasComment  = 1 << 4
		reserved    = 0xe0
	)
	var sum uint32
	next := func() (byte, error) {
		c, err := z.r.ReadByte()
		if err == nil {
			sum = ^(crc32.IEEETable[byte(^sum)^c] ^ ^sum>>8)
		}
		return c, err
	}
	var h [10]byte
	for i := range h {
		c, err := next()
		if err != nil {
			return err
		}
		h[i] = c
		if i < 3 && c != "\x1f\x8b\x08"[i] {
			return errGzipHeader
		}
	}
	flags := h[3]
	if flags&reserved != 0 {
		return errGzipHeader
	}
	if flags&hasExtra != 0 {
		lo, err := next()
		if err != nil {
			return err
		}
		hi, err := next()
		if err != nil {
			return err
		}
		for range int(hi)<<8 | int(lo) {
			if _, err := next(); err != nil {
				return err
			}
		}
	}
	for _, flag := range [...]byte{hasName, hasComment} {
		if flags&flag == 0 {
			continue
		}
		for {
			c, err := next()
			if err != nil {
				return err
			}
			if c == 0 {
				break
			}
		}
	}
	if flags&hasChecksum != 0 {
		want := uint16(sum)
		if _, err := io.ReadFull(z.r, z.buf[:2]); err != nil {
			return err
		}
		if binary.LittleEndian.Uint16(z.buf[:]) != want {
			return errGzipHeader
		}
	}
	return nil
}

// zlibHeader reads the two bytes before a zlib stream (RFC 1950, section 2.2).
func (z *deflateReader) zlibHeader() error {
	cmf, err := z.r.ReadByte()
	if err != nil {
		return err
	}
	if !zlibMethod(cmf) {
		return errZlibHeader
	}
	flg, err := z.r.ReadByte()
	if err != nil {
		return err
	}
	if !zlibMagic(cmf, flg) {
		return errZlibHeader
	}
	if flg&0x20 != 0 {
		return errZlibDict
	}
	return nil
}

func zlibMethod(cmf byte) bool { return cmf&0x0f == 8 && cmf>>4 <= 7 }

func zlibMagic(cmf, flg byte) bool {
	return zlibMethod(cmf) && (uint(cmf)<<8|uint(flg))%31 == 0
}

// trailer checks the checksum, and for gzip the size, behind a member.
func (z *deflateReader) trailer() error {
	if z.kind == ZLIB {
		if _, err := io.ReadFull(z.r, z.buf[:4]); err != nil {
			return noEOF(err)
		}
		if binary.BigEndian.Uint32(z.buf[:]) != z.sum.Sum32() {
			return errStreamSum
		}
		return nil
	}
	if _, err := io.ReadFull(z.r, z.buf[:8]); err != nil {
		return noEOF(err)
	}
	if binary.LittleEndian.Uint32(z.buf[:]) != z.sum.Sum32() {
		return errStreamSum
	}
	if binary.LittleEndian.Uint32(z.buf[4:]) != z.size {
		return errStreamSize
	}
	return nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
