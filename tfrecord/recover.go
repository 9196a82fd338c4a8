package tfrecord

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// Recovered is one result of [Reader.Recover]: an intact record or a skipped range.
type Recovered struct {
	Pos     Position      // position of the record, or of the beginning of the skipped range
	Record  []byte        // valid until the next element; nil for a skipped range
	Skipped *SkippedRange // nil for a record
}

// A SkippedRange is a part of the uncompressed stream without an intact record.
type SkippedRange struct {
	Begin, End int64  // [Begin, End), which may be empty; End is -1 if the rest of the stream is lost
	Records    int64  // number of records in the range; -1 if unknown
	Err        *Error // what is wrong at Begin
}

// Recover returns the intact records of a damaged stream and the skipped ranges, in order. For an
// undamaged stream it returns the records that Next returns.
//
// A record whose payload is damaged, or whose size exceeds MaxRecordSize, is skipped alone if a
// valid record or the end of the stream follows where its length says. After any other damage
// reading continues with the next record whose two checksums match; the probability of a false
// match is 2^-64 for each byte. If a file contains other TFRecord files, records inside the payload
// of a record with a damaged header are returned as records of this stream.
//
// In the snappy framing a corrupt block is skipped with the size that it states, if the sizes of
// the blocks are intact. In gzip and zstd decoding continues at the next member or frame; a gzip
// member counts with the size in its trailer, a zstd frame with what was decoded. In zlib, and in a
// stream of one member or frame, everything after the damage is lost. If only a checksum of the
// compression is wrong, the skipped range is empty and no record is lost.
//
// A record above the limit is searched for records in its first bytes, up to the limit or 8 MiB, whichever is more.
// The length of a longer record is trusted up to [MaxRecordSize], since its checksum matches. If no valid record
// follows it, the whole record is skipped.
//
// Ordinals count a range of unknown size as one record. Checksums are always compared. Time is
// linear in the size of the stream for any content. Memory is bounded by the longest record that a
// valid header announces, within MaxRecordSize, and by what has arrived. An error of the source
// ends the sequence with a skipped range. The sequence can be ranged over once, and nothing may
// have been read from r before; Reset starts another stream with the same buffers.
func (r *Reader) Recover() iter.Seq[Recovered] {
	return func(yield func(Recovered) bool) {
		c := recovery{reader: r, readCredit: math.MaxInt64 / 2}
		r.input.backlog.enabled = true
		r.openStream()
		for c.recoverNext(yield) {
		}
		r.endLoan()
	}
}

// recovery is the state of Recover. It moves through the window of a Reader:
//
//	at a record    headerAt and checkPayload succeed        yield it, stay
//	               a record or the end follows its length   yield a skipped record, stay
//	               otherwise                                findIntact
//	findIntact     an intact record is found                yield the skipped range, at a record
//	               the stream ends                          resumeAfterDamage, or yield the range and end
//
// Everything before the first unread byte was yielded, except for the range that findIntact is skipping.
type recovery struct {
	reader     *Reader   // its window has the stream
	sums       rangeSums // checksums of payloads that overlap
	payloadCRC uint32    // masked checksum of the payload that checkPayload saw last
	readCredit int64     // maximum size of a record whose payload is read for its checksum; see checkPayload
}

// recoverNext yields the record at the start of the window, or the range that is skipped before the next record. It
// returns false at the end.
func (c *recovery) recoverNext(yield func(Recovered) bool) bool {
	r, w := c.reader, &c.reader.window
	r.endLoan()
	r.compressedPos = w.compressedNear(w.offset())
	if !w.fill(1) && w.err == io.EOF {
		return false
	}
	r.pos.Record, r.pos.Offset = r.nextRecord, w.offset()
	r.nextRecord++
	size, ok := c.headerAt(0)
	if ok {
		if p, ok := c.checkPayload(size); ok {
			w.r += int(size)
			r.lendRecord(p)
			return yield(Recovered{Pos: r.pos, Record: p})
		}
		if c.recordFollows(size) {
			skipped := SkippedRange{Begin: r.pos.Offset, End: r.pos.Offset + size, Records: 1}
			skipped.Err, _ = c.damageError(ok)
			w.r += int(size)
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
	}
	if size, long := c.tooLongAt(0); long && w.fill(min(size, c.lookAhead())) {
		skipped := SkippedRange{Begin: r.pos.Offset, Records: 1}
		skipped.Err, _ = c.damageError(false)
		if size > c.lookAhead() {
			if w.discard(size) > 0 || !c.recordFollows(0) {
				return c.skipToIntact(skipped.Begin, skipped.Err, false, yield)
			}
			skipped.End = w.offset()
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
		if c.recordFollows(size) {
			w.r += int(size)
			skipped.End = w.offset()
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
	}
	err, cut := c.damageError(ok)
	return c.skipToIntact(r.pos.Offset, err, cut, yield)
}

// skipToIntact yields the range from begin, where err is, to the next intact record. cut: the stream ends inside
// the record at begin. It returns false at the end.
func (c *recovery) skipToIntact(begin int64, err *Error, cut bool, yield func(Recovered) bool) bool {
	r, w := c.reader, &c.reader.window
	skipped := SkippedRange{Begin: begin, Records: -1, Err: err}
	found := c.findIntact()
	if skipped.End = w.offset(); skipped.End == skipped.Begin {
		skipped.Records = 0
	}
	if found || w.err == io.EOF {
		return yield(Recovered{Pos: r.pos, Skipped: &skipped}) && found
	}
	// The stream cannot be read to its end. That is a range of its own, unless it
	// is the error at the beginning of this range.
	if !cut {
		if !yield(Recovered{Pos: r.pos, Skipped: &skipped}) {
			return false
		}
		r.pos.Record, r.pos.Offset = r.nextRecord, w.offset()
		rest := SkippedRange{Begin: r.pos.Offset, Records: -1, End: -1} // the caller may keep the first range
		rest.Err, _ = c.damageError(false)
		yield(Recovered{Pos: r.pos, Skipped: &rest})
		return false
	}
	skipped.End = -1
	yield(Recovered{Pos: r.pos, Skipped: &skipped})
	return false
}

// headerAt reports whether there is a valid header i bytes into the window with a complete record,
// and returns the size of the record.
func (c *recovery) headerAt(i int64) (size int64, ok bool) {
	w := &c.reader.window
	if !w.fill(i + HeaderSize) {
		return 0, false
	}
	h := w.unread()[i:]
	n := binary.LittleEndian.Uint64(h)
	if n > c.reader.maxPayload || !validHeader(h) {
		return 0, false
	}
	size = HeaderSize + int64(n) + FooterSize
	return size, w.fill(i + size)
}

// tooLongAt reports whether there is a valid header of a record above the limit i bytes into the
// window, and returns the size of the record. A length above MaxRecordSize is taken for damage.
func (c *recovery) tooLongAt(i int64) (size int64, ok bool) {
	w := &c.reader.window
	if !w.fill(i + HeaderSize) {
		return 0, false
	}
	h := w.unread()[i:]
	n := binary.LittleEndian.Uint64(h)
	if n <= c.reader.maxPayload || n > MaxRecordSize || !validHeader(h) {
		return 0, false
	}
	return HeaderSize + int64(n) + FooterSize, true
}

// lookAhead is the number of bytes of a record above the limit that are searched for records, in case its length is
// wrong.
func (c *recovery) lookAhead() int64 { return int64(max(c.reader.maxPayload, 8<<20)) }

// recordFollows reports whether, i bytes into the window, the stream ends or has a valid header and a complete
// record. A record above the limit need not be complete.
func (c *recovery) recordFollows(i int64) bool {
	w := &c.reader.window
	if !w.fill(i+1) && w.err == io.EOF {
		return true
	}
	_, ok := c.headerAt(i)
	if !ok {
		_, ok = c.tooLongAt(i)
	}
	return ok
}

// checkPayload returns the payload of the complete record at the start of the window, and whether
// it is intact.
func (c *recovery) checkPayload(size int64) ([]byte, bool) {
	w := &c.reader.window
	end := int(size) - FooterSize
	b := w.unread()
	p := b[HeaderSize:end:end]
	// Reading each payload is quadratic if valid headers claim long payloads that overlap: see
	// rangeSums. In intact streams it takes a third of the time of rangeSums. So a payload is
	// read if at least as many bytes were intact since the last damaged one.
	short := len(p) < 4*sumSpacing
	var sum uint32
	if short || size <= c.readCredit {
		sum = castagnoli.Sum(p)
	} else {
		sum = c.sums.sumRange(w, w.offset()+HeaderSize, w.offset()+int64(end))
	}
	c.payloadCRC = maskCRC(sum)
	intact := c.payloadCRC == binary.LittleEndian.Uint32(b[end:])
	switch {
	case !intact && !short:
		c.readCredit = 0
	case intact && c.readCredit < math.MaxInt64/2:
		c.readCredit += size
	}
	return p, intact
}

// damageError returns the error of the record at the start of the window. complete: headerAt
// returned true, and checkPayload was called. cut: the stream ends inside the record.
func (c *recovery) damageError(complete bool) (e *Error, cut bool) {
	r, b := c.reader, c.reader.window.unread()
	var err error
	switch {
	case complete:
		stored := binary.LittleEndian.Uint32(b[HeaderSize+binary.LittleEndian.Uint64(b):])
		return r.recordError(PayloadCRC, checksumError(ErrDataChecksum, stored, c.payloadCRC)), false
	case len(b) < HeaderSize:
		cut, err = true, r.streamEndError(truncatedHeader(len(b)))
	case !validHeader(b):
		err = r.headerError()
	default:
		n := binary.LittleEndian.Uint64(b)
		if n > r.maxPayload {
			err = r.failRecord(TooLong, tooLongError(n, int64(r.maxPayload)))
		} else {
			cut, err = true, r.streamEndError(truncatedRecord(int64(len(b))-HeaderSize, int64(n)+FooterSize))
		}
	}
	r.err = nil // the recovery continues
	return err.(*Error), cut
}

// findIntact moves the window past its first byte to the next intact record. If there is none it
// returns false, with the window at the end of what could be read.
func (c *recovery) findIntact() bool {
	w := &c.reader.window
	w.r = min(w.r+1, w.w)
	for {
		if !w.fill(HeaderSize + FooterSize) {
			w.r = w.w
			if !c.reader.resumeAfterDamage() {
				return false
			}
			continue
		}
		b := w.unread()
		i := findHeader(b, c.reader.maxPayload)
		w.r += i
		if i > len(b)-HeaderSize-FooterSize {
			continue
		}
		if size, ok := c.headerAt(0); ok {
			if _, ok := c.checkPayload(size); ok {
				return true
			}
		}
		w.r++
	}
}

// findHeader returns the position in b of the first valid header that has at least a footer after
// it, or the first position that needs more bytes than b has.
func findHeader(b []byte, limit uint64) int {
	last := len(b) - HeaderSize - FooterSize
	i := 0
	for i <= last {
		// A length below 2^40 ends in three zero bytes, which are rare elsewhere.
		if limit < 1<<40 {
			switch {
			case b[i+7] != 0:
				i += 3
				continue
			case b[i+6] != 0:
				i += 2
				continue
			case b[i+5] != 0:
				i++
				continue
			}
		}
		if validHeader(b[i:]) {
			return i
		}
		i++
	}
	return min(i, last+1)
}

// sumSpacing is the distance of the offsets whose checksums rangeSums keeps.
const sumSpacing = 1 << 10

// rangeSums computes the CRC-32C of ranges that overlap, in time that does not depend on their
// lengths.
//
// In a damaged stream any offset can have a header that claims a long payload, and a hostile stream can have one
// every twelve bytes. Reading each payload for its checksum would be quadratic. But a CRC is linear: the checksums
// of [0, a) and [0, b) determine that of [a, b). So rangeSums keeps one checksum for every sumSpacing bytes and
// reads each byte once.
type rangeSums struct {
	start int64    // stream offset of sums[0]
	sums  []uint32 // sums[i] is the CRC-32C up to start + i*sumSpacing, from a fixed offset on
}

// sumRange returns the CRC-32C of [a, b), which lies in the unread bytes of w. a must not decrease
// from call to call.
func (t *rangeSums) sumRange(w *window, a, b int64) uint32 {
	data := func(lo, hi int64) []byte { return w.buf[lo-w.base : hi-w.base] }
	last := t.start + int64(len(t.sums)-1)*sumSpacing
	if len(t.sums) == 0 || a < t.start || a > last {
		t.start, t.sums, last = a, append(t.sums[:0], 0), a
	}
	for last+sumSpacing <= b {
		t.sums = append(t.sums, castagnoli.Update(t.sums[len(t.sums)-1], data(last, last+sumSpacing)))
		last += sumSpacing
	}
	i := int((a - t.start + sumSpacing - 1) / sumSpacing) // index of the first sum at or after a
	at := t.start + int64(i)*sumSpacing
	if at > b {
		return castagnoli.Sum(data(a, b))
	}
	j := int((b - t.start) / sumSpacing) // index of the last sum at or before b
	head := castagnoli.Sum(data(a, at))
	whole := castagnoli.Update(t.sums[j], data(t.start+int64(j)*sumSpacing, b))
	// With s = [start, at) and t = [at, b): whole is the sum of s+t, and the result is the sum of head+t.
	sum := appendZeros(t.sums[i]^head, b-at) ^ whole
	if i > 1024 && i > len(t.sums)/2 {
		t.sums = slices.Delete(t.sums, 0, i)
		t.start = at
	}
	return sum
}

// appendZeros returns the contribution of bytes with checksum crc to the checksum of these bytes followed by n
// other bytes: the CRC of a+b is appendZeros(CRC of a, len(b)) ^ CRC of b.
//
// In polynomials over GF(2) that is crc times x^(8n) modulo the CRC-32C polynomial.
func appendZeros(crc uint32, n int64) uint32 {
	for k := 3; n > 0; n, k = n>>1, k+1 {
		if n&1 != 0 {
			crc = multiplyPoly(xToThe2k[k], crc)
		}
	}
	return crc
}

// xToThe2k[k] is x^(2^k) modulo the polynomial.
var xToThe2k = func() (t [67]uint32) {
	t[0] = 1 << 30 // x: bits are reflected, x^0 is the top bit
	for k := 1; k < len(t); k++ {
		t[k] = multiplyPoly(t[k-1], t[k-1])
	}
	return t
}()

// multiplyPoly returns a times b modulo the polynomial.
func multiplyPoly(a, b uint32) uint32 {
	var p uint32
	for m := uint32(1) << 31; m != 0; m >>= 1 {
		if a&m != 0 {
			p ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.Castagnoli
		} else {
			b >>= 1
		}
	}
	return p
}
