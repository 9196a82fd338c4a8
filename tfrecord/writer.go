package tfrecord

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/tfparse/tfparse/internal/atomicfile"
)

// WriterOptions are the settings of a [Writer]. A nil *WriterOptions and every
// zero field mean the default.
type WriterOptions struct {
	Compression Compression // zero: None
	Level       int         // GZIP and ZLIB 1 to 9, ZSTD 1 to 22; zero: the codec's default
	BufferSize  int         // of one write to the destination; zero: 256 KiB
}

// A Writer writes records to a stream. What it writes TensorFlow reads, with
// the exception of [ZSTD]; equal records give equal bytes.
//
// Close ends the stream. Without it the last records are not written, and a
// compressed stream is cut. A Writer is not safe for concurrent use.
type Writer struct {
	out   io.Writer
	codec encoder // nil when not compressed
	buf   []byte  // framed bytes, not yet compressed
	size  int     // buf is written when it holds this many bytes
	off   int64
	err   error
	file  *atomicfile.File // what Create made, until Close or Abort; nil for a destination of the caller
}

// An encoder is the part of a compressor that a Writer needs.
type encoder interface {
	io.WriteCloser
	Flush() error
}

var errWriterClosed = errors.New("tfrecord: Writer is closed")

// NewWriter returns a Writer to w. It writes nothing yet; a setting that no
// codec takes is reported by the first call of another method.
func NewWriter(w io.Writer, opts *WriterOptions) *Writer {
	var o WriterOptions
	if opts != nil {
		o = *opts
	}
	z := &Writer{out: w, size: defaultBufferSize}
	if o.BufferSize > 0 {
		z.size = o.BufferSize
	}
	z.codec, z.err = newEncoder(w, o)
	if z.codec != nil {
		z.out = z.codec
	}
	return z
}

// newEncoder makes the compressor that o asks for, nil for none.
func newEncoder(w io.Writer, o WriterOptions) (encoder, error) {
	top := map[Compression]int{GZIP: 9, ZLIB: 9, ZSTD: 22}[o.Compression]
	if o.Level < 0 || o.Level > top {
		return nil, fmt.Errorf("tfrecord: no level %d for compression %v: want 0 to %d", o.Level, o.Compression, top)
	}
	level := o.Level
	if level == 0 {
		level = gzip.DefaultCompression
	}
	switch o.Compression {
	case Auto, None:
		return nil, nil
	case GZIP:
		z, err := gzip.NewWriterLevel(w, level)
		if err != nil {
			return nil, err
		}
		z.ModTime = time.Unix(0, 0) // no time in the header: equal records, equal bytes
		return z, nil
	case ZLIB:
		return zlib.NewWriterLevel(w, level)
	case SNAPPY:
		return &snappyWriter{w: w}, nil
	case ZSTD:
		speed := zstd.SpeedDefault
		if o.Level > 0 {
			speed = zstd.EncoderLevelFromZstd(o.Level)
		}
		return zstd.NewWriter(w, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow/2), zstd.WithZeroFrames(true))
	}
	return nil, fmt.Errorf("tfrecord: cannot write compression %v", o.Compression)
}

// WriteRecord writes payload as one record. It does not keep payload. After an
// error the Writer is of no more use.
func (w *Writer) WriteRecord(payload []byte) error {
	if w.err != nil {
		return w.err
	}
	size := int64(len(payload))
	if w.buf == nil {
		w.buf = make([]byte, 0, w.size)
	}
	if HeaderSize+len(payload)+FooterSize <= cap(w.buf)-len(w.buf) {
		w.buf = AppendRecord(w.buf, payload)
	} else {
		w.buf = appendHeader(w.reserve(HeaderSize), len(payload))
		if len(payload) > cap(w.buf)-len(w.buf) {
			w.drain()
			w.write(payload)
		} else {
			w.buf = append(w.buf, payload...)
		}
		w.buf = binary.LittleEndian.AppendUint32(w.reserve(FooterSize), maskedCRC(payload))
	}
	if w.err == nil {
		w.off += HeaderSize + size + FooterSize
	}
	return w.err
}

// Offset is where in the uncompressed stream the next record begins.
func (w *Writer) Offset() int64 { return w.off }

// Flush hands all records written so far to the destination, so that a reader
// of it can have them. It costs compression.
func (w *Writer) Flush() error {
	w.drain()
	if w.err == nil && w.codec != nil {
		w.err = w.codec.Flush()
	}
	return w.err
}

// Close writes what is buffered and ends the stream. It leaves the
// destination open; but a file of [Create] is synced and gets its name, and if anything
// fails, now or at an earlier write, there is no new file and Close returns the error. A second
// Close, and one after Abort, does nothing.
func (w *Writer) Close() error {
	if w.err == errWriterClosed {
		return nil
	}
	w.drain()
	if w.codec != nil {
		// Also after an error: a compressor may hold on to something.
		if err := w.codec.Close(); w.err == nil {
			w.err = err
		}
	}
	f := w.file
	w.file = nil
	if w.err != nil {
		if f != nil {
			f.Abort()
		}
		return w.err
	}
	w.err = errWriterClosed
	if f != nil {
		return f.Commit()
	}
	return nil
}

// reserve returns the buffer with capacity for n more bytes.
func (w *Writer) reserve(n int) []byte {
	if cap(w.buf)-len(w.buf) < n {
		w.drain()
	}
	return w.buf
}

// drain hands the buffer on.
func (w *Writer) drain() {
	if len(w.buf) > 0 {
		w.write(w.buf)
		w.buf = w.buf[:0]
	}
}

func (w *Writer) write(p []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// A snappyWriter writes TensorFlow's block framing. It cuts blocks at
// snappyBlock wherever that falls: TensorFlow's reader takes no bigger ones,
// and does not mind where they are cut.
type snappyWriter struct {
	w      io.Writer
	plain  []byte
	packed []byte
	err    error
}

func (z *snappyWriter) Write(p []byte) (int, error) {
	done := 0
	for len(p) > 0 && z.err == nil {
		if z.plain == nil {
			z.plain = make([]byte, 0, snappyBlock)
		}
		n := min(len(p), snappyBlock-len(z.plain))
		z.plain = append(z.plain, p[:n]...)
		p = p[n:]
		done += n
		if len(z.plain) == snappyBlock {
			z.Flush()
		}
	}
	return done, z.err
}

// Flush ends the current block.
func (z *snappyWriter) Flush() error {
	if z.err != nil || len(z.plain) == 0 {
		return z.err
	}
	if z.packed == nil {
		z.packed = make([]byte, 4+snappy.MaxEncodedLen(snappyBlock))
	}
	block := snappy.Encode(z.packed[4:], z.plain)
	binary.BigEndian.PutUint32(z.packed, uint32(len(block)))
	z.plain = z.plain[:0]
	_, z.err = z.w.Write(z.packed[:4+len(block)])
	return z.err
}

func (z *snappyWriter) Close() error { return z.Flush() }
