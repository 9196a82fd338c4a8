package ipcfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/arrow/recordbatch"
)

// ErrFormat is the error of bytes that are not an Arrow IPC stream or file, or a damaged one.
var ErrFormat = errors.New("not an intact Arrow IPC file or stream")

// magic is at the beginning of a file, with two bytes of padding, and at its end.
const magic = "ARROW1"

// continuation precedes the length of a message since version 0.15 of Arrow.
const continuation = 1<<32 - 1

// A Reader reads the record batches of a stream or a file.
type Reader struct {
	schema *arrow.Schema                     // of all batches
	next   func() (arrow.RecordBatch, error) // reads a batch; io.EOF after the last one
	rows   int64                             // number of rows read so far
	batch  int                               // index of the next batch
}

// NewReader returns a Reader of a stream or a file, and reads the schema. The first bytes decide which of them r is. If r
// can seek, it is read from its beginning, and a file through its index. A file from a pipe is read in order, which fails
// for files of polars: they have no schema at their beginning.
func NewReader(r io.Reader) (out *Reader, err error) {
	defer recoverError(&err)
	if f, ok := r.(io.ReadSeeker); ok {
		if at, ok := r.(io.ReaderAt); ok {
			head := make([]byte, len(magic))
			size, err := f.Seek(0, io.SeekEnd)
			if err == nil {
				if _, err := f.Seek(0, io.SeekStart); err != nil {
					return nil, err
				}
				if _, err := at.ReadAt(head, 0); err == nil && string(head) == magic {
					return newFile(at, size)
				}
			}
		}
	}
	m := &messageReader{in: bufio.NewReaderSize(r, 1<<16)}
	head, err := m.in.Peek(8)
	if m.file = bytes.HasPrefix(head, []byte(magic)); m.file {
		m.in.Discard(8)
	} else if len(head) < 8 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%w: %d bytes: %w", ErrFormat, len(head), err)
	}
	in, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(&m.memory))
	if err != nil {
		return nil, fmt.Errorf("%w: schema: %w", ErrFormat, err)
	}
	return &Reader{schema: in.Schema(), next: func() (arrow.RecordBatch, error) {
		if in.Next() {
			return in.RecordBatch(), nil
		}
		if err := in.Err(); err != nil {
			return nil, err
		}
		if err := m.checkEnd(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}}, nil
}

// newFile returns a Reader of a file through its index.
func newFile(r io.ReaderAt, size int64) (*Reader, error) {
	section := func(offset, n int64) ([]byte, error) {
		if offset < 0 || n < 0 || n > size || offset > size-n {
			return nil, fmt.Errorf("%w: %d bytes at offset %d in a file of %d", ErrFormat, n, offset, size)
		}
		b := make([]byte, n)
		_, err := r.ReadAt(b, offset)
		return b, err
	}
	end, err := section(size-10, 10)
	if err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	index, err := section(size-10-length, length)
	if err != nil || string(end[4:]) != magic {
		return nil, fmt.Errorf("%w: index of the file: %w", ErrFormat, io.ErrUnexpectedEOF)
	}
	dictionaries, blocks := checkIndex(index)
	limit := &limitedAllocator{}
	checkBlock := func(b block) error {
		meta, err := section(b.offset, int64(b.length))
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(meta) == continuation {
			meta = meta[4:]
		}
		checkMetadata(meta[4:])
		return nil
	}
	total := int64(0) // size of all dictionaries, which the library reads at once
	for _, b := range dictionaries {
		if err := checkBlock(b); err != nil {
			return nil, err
		}
		if b.body < 0 || b.body > size-total {
			return nil, fmt.Errorf("%w: dictionaries are larger than the file of %d bytes", ErrFormat, size)
		}
		total += b.body
	}
	limit.reset(int(total))
	in, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(limit), ipc.WithBodySizeLimit(0))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	i := -1
	return &Reader{schema: in.Schema(), next: func() (arrow.RecordBatch, error) {
		if i++; i == len(blocks) {
			return nil, io.EOF
		}
		if err := checkBlock(blocks[i]); err != nil {
			return nil, err
		}
		limit.reset(int(min(blocks[i].body, size)))
		return in.RecordBatchAt(i)
	}}, nil
}

// Schema returns the schema of the batches.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Batches yields the record batches, each valid until the next. It checks the empty batch at the end of our own files, and
// leaves it out. The sequence ends after the first error.
func (r *Reader) Batches() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for {
			rec, err := r.readBatch()
			if err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// readBatch returns the next batch, or io.EOF.
func (r *Reader) readBatch() (rec arrow.RecordBatch, err error) {
	defer recoverError(&err)
	if rec, err = r.next(); err == io.EOF {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: batch %d: %w", ErrFormat, r.batch, err)
	}
	r.batch++
	r.rows += rec.NumRows()
	end, ok := "", false
	if md, is := rec.(arrow.RecordBatchWithMetadata); is {
		custom := md.Metadata()
		end, ok = custom.GetValue(recordbatch.EndKey)
	}
	if !ok || rec.NumRows() > 0 {
		return rec, nil
	}
	if end != strconv.FormatInt(r.rows, 10) {
		return nil, fmt.Errorf("%w: want %q rows, as the last batch says, got %d", ErrFormat, end, r.rows)
	}
	return r.readBatch()
}

// recoverError turns a panic of the Arrow library about broken data into an error.
func recoverError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrFormat, p)
		if failed, ok := p.(runtime.Error); ok {
			*err = failed
		}
	}
	// The library recovers from some panics itself. The text of a runtime error is about its code.
	if _, ok := errors.AsType[runtime.Error](*err); ok {
		*err = fmt.Errorf("%w: its structure is damaged", ErrFormat)
	}
}

// A messageReader is an ipc.MessageReader that allocates memory as bytes arrive. Unlike the one of the library it tells an
// end marker from the end of a cut stream.
type messageReader struct {
	in     *bufio.Reader    // at the next message
	file   bool             // an index and magic follow the end marker
	memory limitedAllocator // for the buffers of the current message
}

// Retain does nothing: the garbage collector frees the memory.
func (m *messageReader) Retain() {}

// Release does nothing.
func (m *messageReader) Release() {}

// Message returns the next message. It returns io.EOF at the end marker only.
func (m *messageReader) Message() (msg *ipc.Message, err error) {
	defer recoverError(&err)
	length, err := m.readLength()
	if err == nil && length == continuation {
		length, err = m.readLength()
	}
	switch {
	case err != nil:
		return nil, err
	case length == 0:
		return nil, io.EOF
	case length > 1<<28:
		return nil, fmt.Errorf("metadata of %d bytes", length)
	}
	meta, err := m.readBytes(int64(length))
	if err != nil {
		return nil, err
	}
	checkMetadata(meta)
	head := ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(nil))
	if head.BodyLen() < 0 {
		return nil, fmt.Errorf("a message of %d bytes", head.BodyLen())
	}
	body, err := m.readBytes(head.BodyLen())
	if err != nil {
		return nil, err
	}
	m.memory.reset(len(body))
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

// readLength reads the length of the metadata of a message, or a marker.
func (m *messageReader) readLength() (uint32, error) {
	b, err := m.readBytes(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

// readBytes reads n bytes. Memory grows as they arrive.
func (m *messageReader) readBytes(n int64) ([]byte, error) {
	var b []byte
	for int64(len(b)) < n {
		more := int(min(n-int64(len(b)), int64(max(len(b), 1<<20))))
		b = slices.Grow(b, more)
		got, err := io.ReadFull(m.in, b[len(b):len(b)+more])
		b = b[:len(b)+got]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// checkEnd checks the bytes after the end marker: none in a stream; an index, its length and magic in a file.
func (m *messageReader) checkEnd() error {
	var tail []byte
	var n int64
	buf := make([]byte, 1<<15)
	for {
		got, err := m.in.Read(buf)
		n += int64(got)
		tail = append(tail, buf[:got]...)
		tail = tail[max(0, len(tail)-len(magic)-4):]
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !m.file && n > 0:
		return fmt.Errorf("%d bytes after the end of the stream", n)
	case m.file && (len(tail) < len(magic)+4 || string(tail[4:]) != magic || int64(binary.LittleEndian.Uint32(tail)) != n-int64(len(tail))):
		return fmt.Errorf("index of the file: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

// A limitedAllocator limits the memory of compressed buffers, because these claim their size. It panics beyond the limit.
type limitedAllocator struct {
	memory.GoAllocator
	left int // bytes that the current message may still allocate
}

// reset sets the limit for messages with buffers of size bytes: 64 MiB, and 1,024 times the size.
func (a *limitedAllocator) reset(size int) { a.left = 1<<26 + 1024*size }

// Allocate implements [memory.Allocator].
func (a *limitedAllocator) Allocate(size int) []byte {
	if a.left -= size; size < 0 || a.left < 0 {
		panic(fmt.Sprintf("a buffer claims %d bytes", size))
	}
	return a.GoAllocator.Allocate(size)
}

// Reallocate implements [memory.Allocator].
func (a *limitedAllocator) Reallocate(size int, b []byte) []byte {
	if a.left -= max(size-len(b), 0); size < 0 || a.left < 0 {
		panic(fmt.Sprintf("a buffer claims %d bytes", size))
	}
	return a.GoAllocator.Reallocate(size, b)
}
