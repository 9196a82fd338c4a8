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

// WriterOptions are the settings of a [Writer]. A nil *WriterOptions and zero fields select the
// defaults.
type WriterOptions struct {
	Compression Compression // zero: None
	Level       int         // GZIP and ZLIB 1 to 9, ZSTD 1 to 22; zero: default of the codec
	BufferSize  int         // size of one write to the destination; zero: 256 KiB
}

// A Writer writes records to a stream. TensorFlow reads what it writes, except for [ZSTD]; equal
// records give equal bytes.
//
// Close ends the stream. Without it the last records are missing and a compressed stream is
// truncated. A Writer is not safe for concurrent use.
type Writer struct {
	out     io.Writer // the encoder, or the destination
	encoder encoder   // nil if not compressed
	buf     []byte    // frames that were not written to out yet
	bufSize int       // capacity of buf
	offset  int64     // size of the uncompressed stream so far
	err     error     // sticky
	// the file of Create, until Close or Abort; nil if the destination belongs to the caller
	file *atomicfile.File
}

// encoder is a compressor.
type encoder interface {
	io.WriteCloser
	Flush() error
}

var errWriterClosed = errors.New("tfrecord: Writer is closed")

// NewWriter returns a Writer to w. It writes nothing yet. An invalid level is reported by the first
// call of another method.
func NewWriter(w io.Writer, opts *WriterOptions) *Writer {
	var o WriterOptions
	if opts != nil {
		o = *opts
	}
	z := &Writer{out: w, bufSize: defaultBufferSize}
	if o.BufferSize > 0 {
		z.bufSize = o.BufferSize
	}
	z.encoder, z.err = newEncoder(w, o)
	if z.encoder != nil {
		z.out = z.encoder
	}
	return z
}

// Create creates a file of records. The records go to a hidden file beside name, which replaces name when Close has
// written and synced everything. Until then, and after an error or Abort, the old file remains. Hidden files of
// killed processes beside name are removed. A device or a pipe is written to directly, and so is a file descriptor
// of this process, such as /dev/fd/3. If name is a symbolic link, its target is created or replaced.
func Create(name string, opts *WriterOptions) (*Writer, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	w := NewWriter(f, opts)
	if w.err != nil { // invalid options
		f.Abort()
		return nil, w.err
	}
	w.file = f
	return w, nil
}

// newEncoder returns the compressor for the options, nil for none.
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
		return &snappyWriter{out: w}, nil
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

// WriteRecord writes payload as one record. It does not keep payload. After an error the Writer
// cannot be used any more.
func (w *Writer) WriteRecord(payload []byte) error {
	if w.err != nil {
		return w.err
	}
	size := int64(len(payload))
	if w.buf == nil {
		w.buf = make([]byte, 0, w.bufSize)
	}
	if HeaderSize+len(payload)+FooterSize <= cap(w.buf)-len(w.buf) {
		w.buf = AppendRecord(w.buf, payload)
	} else {
		w.buf = appendHeader(w.reserve(HeaderSize), len(payload))
		if len(payload) > cap(w.buf)-len(w.buf) {
			w.flushBuffer()
			w.writeOut(payload)
		} else {
			w.buf = append(w.buf, payload...)
		}
		w.buf = binary.LittleEndian.AppendUint32(w.reserve(FooterSize), maskedCRC(payload))
	}
	if w.err == nil {
		w.offset += HeaderSize + size + FooterSize
	}
	return w.err
}

// Offset returns the offset of the next record in the uncompressed stream.
func (w *Writer) Offset() int64 { return w.offset }

// Flush writes all records so far to the destination, so that a reader of it gets them. It makes
// compression worse.
func (w *Writer) Flush() error {
	w.flushBuffer()
	if w.err == nil && w.encoder != nil {
		w.err = w.encoder.Flush()
	}
	return w.err
}

// Close writes what is buffered and ends the stream. The destination of NewWriter stays open. A
// file of [Create] is synced and gets its name; after an error, now or at an earlier write, there
// is no new file. A second call, and a call after Abort, does nothing.
func (w *Writer) Close() error {
	if w.err == errWriterClosed {
		return nil
	}
	w.flushBuffer()
	if w.encoder != nil {
		// Also after an error: a compressor may hold resources.
		if err := w.encoder.Close(); w.err == nil {
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

// Abort drops the file of [Create]: an old file of that name remains. After Close and after
// [NewWriter] it does nothing, so it can be deferred.
func (w *Writer) Abort() error {
	if w.file != nil {
		w.file.Abort()
		w.file, w.err = nil, errWriterClosed
	}
	return nil
}

// reserve returns the buffer with capacity for n more bytes.
func (w *Writer) reserve(n int) []byte {
	if cap(w.buf)-len(w.buf) < n {
		w.flushBuffer()
	}
	return w.buf
}

// flushBuffer writes the buffer to out.
func (w *Writer) flushBuffer() {
	if len(w.buf) > 0 {
		w.writeOut(w.buf)
		w.buf = w.buf[:0]
	}
}

// writeOut writes p to out, unless an earlier write failed.
func (w *Writer) writeOut(p []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// snappyWriter writes TensorFlow's block framing in blocks of snappyBlockSize, the largest that
// TensorFlow reads. Records may cross blocks.
type snappyWriter struct {
	out        io.Writer // the destination
	block      []byte    // content of the current block
	compressed []byte    // buffer for the compressed block with its size
	err        error     // sticky
}

func (z *snappyWriter) Write(p []byte) (int, error) {
	done := 0
	for len(p) > 0 && z.err == nil {
		if z.block == nil {
			z.block = make([]byte, 0, snappyBlockSize)
		}
		n := min(len(p), snappyBlockSize-len(z.block))
		z.block = append(z.block, p[:n]...)
		p = p[n:]
		done += n
		if len(z.block) == snappyBlockSize {
			z.Flush()
		}
	}
	return done, z.err
}

// Flush ends the current block.
func (z *snappyWriter) Flush() error {
	if z.err != nil || len(z.block) == 0 {
		return z.err
	}
	if z.compressed == nil {
		z.compressed = make([]byte, 4+snappy.MaxEncodedLen(snappyBlockSize))
	}
	block := snappy.Encode(z.compressed[4:], z.block)
	binary.BigEndian.PutUint32(z.compressed, uint32(len(block)))
	z.block = z.block[:0]
	_, z.err = z.out.Write(z.compressed[:4+len(block)])
	return z.err
}

func (z *snappyWriter) Close() error { return z.Flush() }
