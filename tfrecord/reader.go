package tfrecord

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/storage"
)

// ReaderOptions are the settings of a [Reader]. A nil *ReaderOptions and zero fields select the
// defaults.
type ReaderOptions struct {
	Name          string      // name of the stream, for the positions in errors
	Compression   Compression // zero: detect the codec
	MaxRecordSize int64       // limit on the size of a payload; zero: [MaxRecordSize]
	SkipChecksums bool        // do not compare the two checksums of a record
	BufferSize    int         // size of one read from the source; zero: 256 KiB
}

// A Reader reads records from a stream, compressed or not.
//
// Next lends a record: it is valid until the next call of a method that reads, and must not be
// written to. Race builds overwrite it when the loan ends. If the source is an uncompressed
// [*bytes.Reader], records are views of its bytes.
//
// A Reader buffers: it may read more from its source than the records that it has returned. It
// holds one record at a time and at most about twice its size, whatever a header claims. It is not
// safe for concurrent use.
type Reader struct {
	window   window        // buffer of the uncompressed stream
	input    input         // the compressed stream
	decoders decoders      // reused for every stream
	opts     ReaderOptions // as given, with the name of the current stream

	maxPayload    uint64              // limit on the size of a payload
	codec         Compression         // codec of the stream; Auto until it is known
	started       bool                // openStream was called
	err           error               // sticky; io.EOF at the end
	pos           Position            // position of the last record that was returned, skipped or at fault
	nextRecord    int64               // ordinal of the next record
	compressedPos int64               // offset in the compressed input near the record at pos; -1 if not compressed
	lent          []byte              // the record on loan, in race builds
	checkpoints   *checkpointRecorder // records checkpoints for BuildIndex; usually nil
	file          io.Closer           // the file of Open; nil if the source belongs to the caller
}

// NewReader returns a Reader of the records in src. It reads nothing yet.
func NewReader(src io.Reader, opts *ReaderOptions) *Reader {
	r := new(Reader)
	if opts != nil {
		r.opts = *opts
	}
	r.maxPayload = MaxRecordSize
	if r.opts.MaxRecordSize > 0 {
		r.maxPayload = uint64(r.opts.MaxRecordSize)
	}
	r.maxPayload = min(r.maxPayload, math.MaxInt64-HeaderSize-FooterSize)
	r.window.readSize = defaultBufferSize
	if r.opts.BufferSize > 0 {
		r.window.readSize = max(r.opts.BufferSize, prefixSize)
	}
	r.Reset(src, r.opts.Name)
	return r
}

// Open opens a file of records. The positions in errors have its name, unless opts has another name.
func Open(name string, opts *ReaderOptions) (*Reader, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = name
	}
	r := NewReader(f, &o)
	r.file = f
	return r, nil
}

func init() {
	recordhooks.SetMemory = func(reader any, memory recordhooks.Memory) {
		reader.(*Reader).window.memory = memory
	}
	recordhooks.HasNext = func(reader any) bool { return reader.(*Reader).hasNext() }
	recordhooks.GrowIndex = func(r io.ReaderAt, size int64, opts any, grow func(snapshot func() any)) (any, error) {
		return growIndex(r, size, opts.(*IndexOptions), grow)
	}
	recordhooks.FreeDecoders = func(indexed any) { indexed.(*Indexed).freeDecoders() }
}

// Reset makes r read src, called name, from its beginning with the same options. It keeps the
// buffers of r.
func (r *Reader) Reset(src io.Reader, name string) {
	r.endLoan()
	r.window.reset(src)
	r.opts.Name = name
	r.codec, r.started, r.err = Auto, false, nil
	r.nextRecord, r.compressedPos = 0, -1
	r.pos = Position{Name: name, Record: -1}
}

// Next returns the next record, lent until the next call.
//
// The error is [io.EOF] if the stream ends between two records, and an [*Error] otherwise. After an
// error of class [PayloadCRC] Next continues with the following record; every other error is
// returned again.
func (r *Reader) Next() ([]byte, error) {
	r.endLoan()
	// The fast path: the whole record is in the window.
	b := r.window.buf[r.window.r:r.window.w]
	if len(b) < HeaderSize+FooterSize || r.err != nil || !r.started {
		return r.readRecord(false)
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-HeaderSize-FooterSize) || n > r.maxPayload {
		return r.readRecord(false)
	}
	end := HeaderSize + int(n)
	p := b[HeaderSize:end:end]
	if !r.opts.SkipChecksums && (lengthCRC(n) != binary.LittleEndian.Uint32(b[8:]) ||
		maskedCRC(p) != binary.LittleEndian.Uint32(b[end:])) {
		return r.readRecord(false)
	}
	r.pos.Record = r.nextRecord
	r.pos.Offset = r.window.base + int64(r.window.r)
	r.nextRecord++
	r.window.r += end + FooterSize
	r.lendRecord(p)
	return p, nil
}

// Skip skips the next record. It verifies the header and neither copies nor verifies the payload,
// so it also skips a damaged one. Errors are those of Next.
func (r *Reader) Skip() error {
	r.endLoan()
	_, err := r.readRecord(true)
	return err
}

// hasNext implements recordhooks.HasNext.
func (r *Reader) hasNext() bool {
	r.endLoan()
	if r.err != nil {
		return r.err != io.EOF
	}
	if !r.started {
		r.openStream()
	}
	return r.window.fill(1) || r.window.err != io.EOF
}

// All returns the remaining records, each lent until the next iteration. The last pair has the error
// that ended the reading, unless that was the end of the stream. The sequence can be ranged over
// once.
//
//	for rec, err := range r.All() {
//		if err != nil {
//			return err
//		}
//		…
//	}
func (r *Reader) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			p, err := r.Next()
			if err == io.EOF {
				return
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// Pos returns the position of the last record that was returned, skipped or at fault. Its Record is
// -1 before the first.
func (r *Reader) Pos() Position { return r.pos }

// Offset returns the offset of the next record in the uncompressed stream.
func (r *Reader) Offset() int64 { return r.window.offset() }

// WrapError adds the position of the last record to an error of its consumer. It returns nil for
// nil.
func (r *Reader) WrapError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Position: r.pos, Compressed: -1, Err: err}
}

// Compression returns the codec of the stream, as given in the options or detected. It is [Auto]
// before the first record is read.
func (r *Reader) Compression() Compression { return r.codec }

// Close closes the file of [Open] and ends the loan of the last record. After [NewReader] it does
// nothing: the source belongs to the caller.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	r.endLoan()
	return r.file.Close()
}

// lendRecord remembers a record that race builds overwrite when its loan ends.
func (r *Reader) lendRecord(p []byte) {
	if poisonLent && !r.window.borrowed && r.window.memory == nil {
		r.lent = p
	}
}

// endLoan overwrites the last record in race builds.
func (r *Reader) endLoan() {
	if poisonLent {
		poison(r.lent)
		r.lent = nil
	}
}

// readRecord is the slow path: it reads or skips one record step by step, and returns all errors of Next and Skip.
func (r *Reader) readRecord(skip bool) ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if !r.started {
		r.openStream()
	}
	r.compressedPos = r.window.compressedNear(r.window.offset())
	whole := r.window.fill(HeaderSize)
	have := r.window.w - r.window.r
	if have == 0 && r.window.err == io.EOF {
		r.err = io.EOF
		return nil, r.err
	}
	r.pos.Record, r.pos.Offset = r.nextRecord, r.window.offset()
	if !whole {
		return nil, r.streamEndError(truncatedHeader(have))
	}
	h := r.window.unread()
	n := binary.LittleEndian.Uint64(h)
	switch {
	case !validHeader(h) && (!r.opts.SkipChecksums || r.pos.Offset == 0 && n > r.maxPayload):
		return nil, r.headerError()
	case n > r.maxPayload:
		return nil, r.failRecord(TooLong, tooLongError(n, int64(r.maxPayload)))
	}
	if skip {
		r.window.r += HeaderSize
		if left := r.window.discard(int64(n) + FooterSize); left > 0 {
			want := int64(n) + FooterSize
			return nil, r.streamEndError(truncatedRecord(want-left, want))
		}
		r.nextRecord++
		return nil, nil
	}
	if !r.window.fill(int64(n) + HeaderSize + FooterSize) {
		return nil, r.streamEndError(truncatedRecord(int64(r.window.w-r.window.r)-HeaderSize, int64(n)+FooterSize))
	}
	b := r.window.unread()
	end := HeaderSize + int(n)
	p := b[HeaderSize:end:end]
	r.window.r += end + FooterSize
	r.nextRecord++
	if !r.opts.SkipChecksums {
		if stored, computed := binary.LittleEndian.Uint32(b[end:]), maskedCRC(p); stored != computed {
			return nil, r.recordError(PayloadCRC, checksumError(ErrDataChecksum, stored, computed))
		}
	}
	r.lendRecord(p)
	return p, nil
}

// openStream detects the codec and puts its decoder between the source and the window.
func (r *Reader) openStream() {
	r.started = true
	r.window.inspectSource()
	r.codec = r.opts.Compression
	if r.codec == Auto {
		r.codec = r.detectCodec()
	}
	if r.codec == None {
		return
	}
	r.input.reset(r.window.src, nil, r.window.err)
	if r.window.borrowed {
		r.input.pending = r.window.unread()
	} else {
		r.input.pending = append(r.input.pending, r.window.unread()...)
	}
	maxBlock := min(max(int64(r.maxPayload)+HeaderSize+FooterSize, 64<<20), math.MaxInt32)
	dec, err := r.decoders.openDecoder(r.codec, &r.input, maxBlock)
	if r.checkpoints != nil && err == nil {
		r.checkpoints.attach(&r.decoders, r.codec, &r.input, dec)
		dec = r.checkpoints
	}
	buf := r.window.buf
	r.window.reset(dec)
	if r.window.memory != nil {
		r.window.buf = buf // it has no record
	}
	r.window.compressedOffset = r.input.consumed
	r.window.err = err
}

// detectCodec reads as little of the source as it needs. It returns None for unknown streams; their
// first header is an error then.
func (r *Reader) detectCodec() Compression {
	for want := int64(HeaderSize); ; want = 2 * int64(len(r.window.unread())) {
		whole := !r.window.fill(want)
		c, more := sniffCodec(r.window.unread(), whole || want >= maxSniffSize)
		if c != Auto {
			return c
		}
		if !more {
			return None
		}
	}
}

// resumeAfterDamage continues after damage of the compression: at the next snappy block, gzip member or zstd frame,
// with the offset that the stream would have there if the lost part has the size that its header or trailer states.
// It reports whether that is possible. The window must be empty.
func (r *Reader) resumeAfterDamage() bool {
	if r.window.err == io.EOF {
		return false
	}
	var size int64
	var ok bool
	switch r.codec {
	case SNAPPY:
		size, ok = r.decoders.snappy.skipCorruptBlock()
	case GZIP, ZSTD:
		size, ok = r.resumeAtMember()
	}
	if ok {
		r.window.base += size
		r.window.err = nil
	}
	return ok
}

// recordError returns the error of the record at r.pos.
func (r *Reader) recordError(class Class, err error) *Error {
	return &Error{Position: r.pos, Class: class, Compressed: r.compressedPos, Err: err}
}

// failRecord is recordError for a sticky error.
func (r *Reader) failRecord(class Class, err error) error {
	r.err = r.recordError(class, err)
	return r.err
}

// streamEndError returns why the stream ended inside the record at r.pos, or before it without
// io.EOF. short is the error of a truncated stream.
func (r *Reader) streamEndError(short error) error {
	err := r.window.err
	compressed := r.window.compressedOffset != nil
	class := Codec
	switch {
	case err == ErrTooLarge:
		return r.failRecord(TooLong, err) // no memory can hold the record
	case compressed && r.input.readErr != nil && r.input.readErr != io.ErrUnexpectedEOF,
		!compressed && err != io.EOF && err != io.ErrUnexpectedEOF,
		err == io.ErrNoProgress, err == errReadCount:
		return r.failRecord(0, err) // the source itself failed
	case !compressed:
		if looks := r.identifyStart(); looks != "" {
			return r.notTFRecordError(looks, short)
		}
		return r.failRecord(Truncated, short)
	case err == io.EOF: // the compressed stream is complete, the records in it are not
		if looks := r.identifyStart(); looks != "" {
			return r.notTFRecordError(looks, short)
		}
		return r.failRecord(Truncated, short)
	case errors.Is(err, io.ErrUnexpectedEOF):
		class = Truncated
		err = &detailedError{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the %v stream ends too early", r.codec)}
	default:
		err = &detailedError{sentinel: ErrCodec, detail: fmt.Sprintf("%v stream: %v", r.codec, err), cause: err}
	}
	r.compressedPos = r.input.consumed()
	if r.atStart() {
		if looks := Identify(r.input.peekPrefix()); looks != "" && looks != r.codec.String() {
			err = &detailedError{sentinel: ErrCodec, cause: err,
				detail: fmt.Sprintf("not a %v stream: it looks like %s", r.codec, formatNames[looks])}
			e := r.recordError(Codec, err)
			e.LooksLike = looks
			r.err = e
			return e
		}
	}
	return r.failRecord(class, err)
}

// headerError returns the error of the header at the start of the window, whose length does not
// match its checksum.
func (r *Reader) headerError() error {
	if !r.atStart() || nearlyValidHeader(r.window.unread()) {
		if allZero(r.window.unread()[:HeaderSize]) {
			r.window.fill(maxSniffSize) // to say where the zeros end
		}
		return r.failRecord(LengthCRC, lengthError(r.window.unread()))
	}
	if e := r.window.err; e != nil && e != io.EOF && r.opts.Compression == Auto && r.codec == None {
		// The source failed before anything was known.
		if e == io.ErrUnexpectedEOF {
			return r.failRecord(Truncated, e)
		}
		return r.failRecord(0, e)
	}
	return r.notTFRecordError(r.identifyStart(), lengthError(r.window.unread()))
}

// notTFRecordError returns the error of a stream that does not begin with a record. looks is from
// Identify.
func (r *Reader) notTFRecordError(looks string, cause error) error {
	detail := fmt.Sprintf("not a TFRecord, or damaged in its first header: %v", trimPrefix(cause))
	if looks != "" {
		detail = fmt.Sprintf("not a TFRecord: it looks like %s", formatNames[looks])
		if r.codec != None {
			detail = fmt.Sprintf("not a TFRecord inside %v: it looks like %s", r.codec, formatNames[looks])
		}
	}
	e := r.recordError(NotTFRecord, &detailedError{sentinel: ErrNotTFRecord, detail: detail, cause: cause})
	e.LooksLike = looks
	r.err = e
	return e
}

// atStart reports whether the record at r.pos is the first one and nothing was consumed.
func (r *Reader) atStart() bool { return r.pos.Offset == 0 && r.window.offset() == 0 }

// identifyStart identifies the beginning of the stream if it is not a record; else it returns "".
func (r *Reader) identifyStart() string {
	if !r.atStart() {
		return ""
	}
	r.window.fill(prefixSize)
	b := r.window.unread()
	switch {
	case len(b) < HeaderSize:
		return Identify(b)
	case validHeader(b):
		return ""
	}
	return cmp.Or(Identify(b), foreignChecksum(b))
}
