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
)

// ReaderOptions are the settings of a [Reader]. A nil *ReaderOptions and every
// zero field mean the default.
type ReaderOptions struct {
	Name          string      // of the stream, for the positions in errors
	Compression   Compression // zero: find out from the first bytes
	MaxRecordSize int64       // limit on a payload; zero: the constant of that name
	SkipChecksums bool        // do not compare the two checksums of a record
	BufferSize    int         // of one read from the source; zero: 256 KiB
}

// A Reader reads records from a stream, compressed or not.
//
// The record that Next returns is lent: it is good until the next call of a
// method that reads, and it must not be written to. Race builds overwrite it
// when the loan ends. When the source is a [*bytes.Reader] that is not
// compressed, records are lent from the bytes it was made of.
//
// A Reader buffers: it may read more from its source than the records it has
// returned. It holds one record at a time and no more than about twice its
// size, whatever its header claims. It is not safe for concurrent use.
type Reader struct {
	w    window
	in   input
	dec  decoders
	opts ReaderOptions

	limit   uint64      // on a payload
	comp    Compression // Auto before start
	started bool
	err     error // sticky; io.EOF at the end
	pos     Position
	next    int64           // ordinal of the next record
	near    int64           // where its header is in compressed input, about; -1 when not compressed
	lent    []byte          // the record on loan, when it is to be spoiled
	points  *pointCollector // notes places in the compressed stream; usually nil
	file    io.Closer       // what Open opened; nil for a source of the caller
}

// NewReader returns a Reader of the records in src. It reads nothing yet.
func NewReader(src io.Reader, opts *ReaderOptions) *Reader {
	r := new(Reader)
	if opts != nil {
		r.opts = *opts
	}
	r.limit = MaxRecordSize
	if r.opts.MaxRecordSize > 0 {
		r.limit = uint64(r.opts.MaxRecordSize)
	}
	r.limit = min(r.limit, math.MaxInt64-HeaderSize-FooterSize)
	r.w.chunk = defaultBufferSize
	if r.opts.BufferSize > 0 {
		r.w.chunk = max(r.opts.BufferSize, headSize)
	}
	r.Reset(src, r.opts.Name)
	return r
}

func init() {
	recordhooks.SetMemory = func(reader any, memory recordhooks.Memory) {
		reader.(*Reader).w.memory = memory
	}
	recordhooks.HasNext = func(reader any) bool { return reader.(*Reader).hasNext() }
	recordhooks.FreeDecoders = func(indexed any) { indexed.(*Indexed).freeDecoders() }
}

// Reset makes r read src, named name, from its start, with the options it was
// made with. It keeps the memory of r.
func (r *Reader) Reset(src io.Reader, name string) {
	r.endLoan()
	r.w.reset(src)
	r.opts.Name = name
	r.comp, r.started, r.err = Auto, false, nil
	r.next, r.near = 0, -1
	r.pos = Position{Name: name, Record: -1}
}

// Next returns the next record, lent until the next call.
//
// The error is [io.EOF] when the stream ends between two records, and an
// [*Error] otherwise. After an error of class [PayloadCRC] Next can be called
// for the record that follows; any other error stays.
func (r *Reader) Next() ([]byte, error) {
	r.endLoan()
	// The usual case: the record lies in the window as a whole.
	b := r.w.buf[r.w.r:r.w.w]
	if len(b) < HeaderSize+FooterSize || r.err != nil || !r.started {
		return r.read(false)
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-HeaderSize-FooterSize) || n > r.limit {
		return r.read(false)
	}
	end := HeaderSize + int(n)
	p := b[HeaderSize:end:end]
	if !r.opts.SkipChecksums && (lengthCRC(n) != binary.LittleEndian.Uint32(b[8:]) ||
		maskedCRC(p) != binary.LittleEndian.Uint32(b[end:])) {
		return r.read(false)
	}
	r.pos.Record = r.next
	r.pos.Offset = r.w.base + int64(r.w.r)
	r.next++
	r.w.r += end + FooterSize
	r.lend(p)
	return p, nil
}

// Skip skips the next record. It checks the header and neither copies
// nor checks the payload, so it also skips a damaged one. Errors are
// those of Next.
func (r *Reader) Skip() error {
	r.endLoan()
	_, err := r.read(true)
	return err
}

// hasNext is recordhooks.HasNext.
func (r *Reader) hasNext() bool {
	r.endLoan()
	if r.err != nil {
		return r.err != io.EOF
	}
	if !r.started {
		r.start()
	}
	return r.w.fill(1) || r.w.err != io.EOF
}

// All returns the records that are left, each lent until the loop goes on.
// The last pair carries the error that ended the reading, if it was not the
// end of the stream. The sequence can be ranged over once.
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

// Pos is the position of the record that was last returned, skipped or found
// at fault. Its Record is -1 before the first.
func (r *Reader) Pos() Position { return r.pos }

// Offset is where in the uncompressed stream the next record begins.
func (r *Reader) Offset() int64 { return r.w.offset() }

// WrapError adds the position of the record that was last returned to an
// error that its consumer found. It returns nil for nil.
func (r *Reader) WrapError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Position: r.pos, Compressed: -1, Err: err}
}

// Compression is the codec of the stream: the one that was named, or the one
// that was found. It is [Auto] before the first record is asked for.
func (r *Reader) Compression() Compression { return r.comp }

func (r *Reader) lend(p []byte) {
	if poisonLent && !r.w.lent && r.w.memory == nil {
		r.lent = p
	}
}

func (r *Reader) endLoan() {
	if poisonLent {
		poison(r.lent)
		r.lent = nil
	}
}

// read reads or skips a record step by step and says what is wrong with it.
func (r *Reader) read(skip bool) ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if !r.started {
		r.start()
	}
	r.near = r.w.packedNear(r.w.offset())
	whole := r.w.fill(HeaderSize)
	have := r.w.w - r.w.r
	if have == 0 && r.w.err == io.EOF {
		r.err = io.EOF
		return nil, r.err
	}
	r.pos.Record, r.pos.Offset = r.next, r.w.offset()
	if !whole {
		return nil, r.ended(truncatedHeader(have))
	}
	h := r.w.bytes()
	n := binary.LittleEndian.Uint64(h)
	switch {
	case !soundHeader(h) && (!r.opts.SkipChecksums || r.pos.Offset == 0 && n > r.limit):
		return nil, r.badHeader()
	case n > r.limit:
		return nil, r.fail(TooLong, tooLongFault(n, int64(r.limit)))
	}
	if skip {
		r.w.r += HeaderSize
		if left := r.w.discard(int64(n) + FooterSize); left > 0 {
			want := int64(n) + FooterSize
			return nil, r.ended(truncatedRecord(want-left, want))
		}
		r.next++
		return nil, nil
	}
	if !r.w.fill(int64(n) + HeaderSize + FooterSize) {
		return nil, r.ended(truncatedRecord(int64(r.w.w-r.w.r)-HeaderSize, int64(n)+FooterSize))
	}
	b := r.w.bytes()
	end := HeaderSize + int(n)
	p := b[HeaderSize:end:end]
	r.w.r += end + FooterSize
	r.next++
	if !r.opts.SkipChecksums {
		if stored, computed := binary.LittleEndian.Uint32(b[end:]), maskedCRC(p); stored != computed {
			return nil, r.fault(PayloadCRC, checksumFault(ErrDataChecksum, stored, computed))
		}
	}
	r.lend(p)
	return p, nil
}

// start finds the codec and puts its decoder between the source and the
// window.
func (r *Reader) start() {
	r.started = true
	r.w.begin()
	r.comp = r.opts.Compression
	if r.comp == Auto {
		r.comp = r.sniff()
	}
	if r.comp == None {
		return
	}
	r.in.reset(r.w.src, nil, r.w.err)
	if r.w.lent {
		r.in.pending = r.w.bytes()
	} else {
		r.in.pending = append(r.in.pending, r.w.bytes()...)
	}
	maxBlock := min(max(int64(r.limit)+HeaderSize+FooterSize, 64<<20), math.MaxInt32)
	dec, err := r.dec.open(r.comp, &r.in, maxBlock)
	if r.points != nil && err == nil {
		r.points.watch(&r.dec, r.comp, &r.in, dec)
		dec = r.points
	}
	buf := r.w.buf
	r.w.reset(dec)
	if r.w.memory != nil {
		r.w.buf = buf // no record lies there
	}
	r.w.consumed = r.in.consumed
	r.w.err = err
}

// sniff looks at as little of the source as it can. What it does not know it
// calls None, and the first header will tell.
func (r *Reader) sniff() Compression {
	for want := int64(HeaderSize); ; want = 2 * int64(len(r.w.bytes())) {
		whole := !r.w.fill(want)
		c, more := sniff(r.w.bytes(), whole || want >= sniffMax)
		if c != Auto {
			return c
		}
		if !more {
			return None
		}
	}
}

// resume goes on behind damage of the compression: at the next snappy block, gzip member or zstd frame, as if what
// is missing had held as many bytes as it states. It reports whether that is possible; the window must be empty.
func (r *Reader) resume() bool {
	if r.w.err == io.EOF {
		return false
	}
	var size int64
	var ok bool
	switch r.comp {
	case SNAPPY:
		size, ok = r.dec.snappy.resume()
	case GZIP, ZSTD:
		size, ok = r.resumeMember()
	}
	if ok {
		r.w.base += size
		r.w.err = nil
	}
	return ok
}

// fault makes the error for the record at r.pos.
func (r *Reader) fault(class Class, err error) *Error {
	return &Error{Position: r.pos, Class: class, Compressed: r.near, Err: err}
}

// fail makes the error for the record at r.pos and keeps it.
func (r *Reader) fail(class Class, err error) error {
	r.err = r.fault(class, err)
	return r.err
}

// ended says why the stream ended inside the record at r.pos, or before it
// although it was not to end there. short describes what is missing.
func (r *Reader) ended(short error) error {
	err := r.w.err
	compressed := r.w.consumed != nil
	class := Codec
	switch {
	case err == ErrTooLarge:
		return r.fail(TooLong, err) // no memory can hold the record
	case compressed && r.in.failed != nil && r.in.failed != io.ErrUnexpectedEOF,
		!compressed && err != io.EOF && err != io.ErrUnexpectedEOF,
		err == io.ErrNoProgress, err == errRead:
		return r.fail(0, err) // the source itself failed
	case !compressed:
		if looks := r.looksLike(); looks != "" {
			return r.notRecords(looks, short)
		}
		return r.fail(Truncated, short)
	case err == io.EOF: // the compressed stream is whole, what is in it is not
		if looks := r.looksLike(); looks != "" {
			return r.notRecords(looks, short)
		}
		return r.fail(Truncated, short)
	case errors.Is(err, io.ErrUnexpectedEOF):
		class = Truncated
		err = &fault{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the %v stream ends too early", r.comp)}
	default:
		err = &fault{sentinel: ErrCodec, detail: fmt.Sprintf("%v stream: %v", r.comp, err), cause: err}
	}
	r.near = r.in.consumed()
	if r.atStart() {
		if looks := Identify(r.in.lookHead()); looks != "" && looks != r.comp.String() {
			err = &fault{sentinel: ErrCodec, cause: err,
				detail: fmt.Sprintf("not a %v stream: it looks like %s", r.comp, lookNames[looks])}
			e := r.fault(Codec, err)
			e.LooksLike = looks
			r.err = e
			return e
		}
	}
	return r.fail(class, err)
}

// badHeader makes the error for the header at the start of the window, whose length does not fit its checksum.
func (r *Reader) badHeader() error {
	if !r.atStart() || nearHeader(r.w.bytes()) {
		if isZero(r.w.bytes()[:HeaderSize]) {
			r.w.fill(sniffMax) // to say where the zeros end
		}
		return r.fail(LengthCRC, lengthFault(r.w.bytes()))
	}
	if e := r.w.err; e != nil && e != io.EOF && r.opts.Compression == Auto && r.comp == None {
		// The source failed before anything was known.
		if e == io.ErrUnexpectedEOF {
			return r.fail(Truncated, e)
		}
		return r.fail(0, e)
	}
	return r.notRecords(r.looksLike(), lengthFault(r.w.bytes()))
}

// notRecords makes the error for a stream that does not begin with a record.
func (r *Reader) notRecords(looks string, cause error) error {
	detail := fmt.Sprintf("not a TFRecord, or damaged in its first header: %v", trimPrefix(cause))
	if looks != "" {
		detail = fmt.Sprintf("not a TFRecord: it looks like %s", lookNames[looks])
		if r.comp != None {
			detail = fmt.Sprintf("not a TFRecord inside %v: it looks like %s", r.comp, lookNames[looks])
		}
	}
	e := r.fault(NotTFRecord, &fault{sentinel: ErrNotTFRecord, detail: detail, cause: cause})
	e.LooksLike = looks
	r.err = e
	return e
}

// atStart reports whether the record at r.pos is the first, and nothing of the
// stream is consumed.
func (r *Reader) atStart() bool { return r.pos.Offset == 0 && r.w.offset() == 0 }

// looksLike identifies what is at the start of the stream, if it is not a
// record.
func (r *Reader) looksLike() string {
	if !r.atStart() {
		return ""
	}
	r.w.fill(headSize)
	b := r.w.bytes()
	switch {
	case len(b) < HeaderSize:
		return Identify(b)
	case soundHeader(b):
		return ""
	}
	return cmp.Or(Identify(b), foreignChecksum(b))
}
