package tfrecord

import (
	"encoding/binary"
	"io"
	"iter"
	"math"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// Recovered is an intact record or a part of the stream that was skipped.
type Recovered struct {
	Pos     Position      // of the record, or of the beginning of the skipped range
	Record  []byte        // lent until the sequence goes on; nil for a skipped range
	Skipped *SkippedRange // nil for a record
}

// A SkippedRange is a part of the uncompressed stream in which no record is intact.
type SkippedRange struct {
	Begin, End int64  // [Begin, End), which may be empty; End is -1 when the rest of the stream cannot be had
	Records    int64  // how many records it held; -1 when unknown
	Err        *Error // what is wrong at Begin
}

// Recover returns what is intact in a damaged stream, and which ranges were
// skipped, in order. Where nothing is damaged it yields the records that a [Reader]
// returns.
//
// A record whose payload alone is damaged, or which is longer than
// MaxRecordSize allows, is skipped if a sound record or the end follows
// where its length says. After any other damage the next
// record is the first whose length checksum and payload checksum both hold; by
// chance that happens once in 2^64 bytes. Bytes inside the payload of a record
// with a damaged header can be records themselves, in files that hold other
// files: those are then returned as if they were records of this stream.
//
// In the snappy framing a corrupt block is skipped too, and counts with
// the size it states, as long as the sizes in front of the blocks are intact. In gzip and zstd what follows
// damage can be decoded from the next member or frame on; a gzip member counts with the size that it
// states at its end, a zstd frame with what was decoded. In zlib, and in a stream of one member or frame, nothing behind
// the damage can be decoded. Where only a checksum of the compression is wrong, the range is empty and no
// record is lost.
//
// A record above the limit is looked over before anything is decided, as far as
// the limit or 8 MiB; of a longer one the length is taken at its word, up to the
// constant MaxRecordSize, since its checksum holds. If nothing sound follows
// then, all of it is part of the skipped range.
//
// The ordinals in positions count a range of unknown size as one record.
// Checksums are always compared. Time is linear in the
// size of the stream, whatever it holds. Memory is bounded by the longest
// record that a header with a sound checksum announces, within MaxRecordSize,
// and by what has arrived. An error of the source ends the sequence with a
// skipped range. The sequence can be ranged over once. Nothing may have been read from r
// before. For several streams one after the other, with Reset between them, memory is
// made once.
func (r *Reader) Recover() iter.Seq[Recovered] {
	return func(yield func(Recovered) bool) {
		c := recovery{r: r, credit: math.MaxInt64 / 2}
		r.in.back.on = true
		r.start()
		for c.step(yield) {
		}
		r.endLoan()
	}
}

// A recovery goes through the window of a Reader. Everything before the first
// unread byte has been yielded, except for what scan is walking over.
type recovery struct {
	r        *Reader
	sums     rangeSums
	computed uint32 // masked checksum of the payload last looked at
	credit   int64  // how long a payload may be to be read for its checksum alone
}

// step yields the record at the start of the window, or what is skipped up to the
// next one. It returns false at the end.
func (c *recovery) step(yield func(Recovered) bool) bool {
	r, w := c.r, &c.r.w
	r.endLoan()
	r.near = w.packedNear(w.offset())
	if !w.fill(1) && w.err == io.EOF {
		return false
	}
	r.pos.Record, r.pos.Offset = r.next, w.offset()
	r.next++
	size, ok := c.header(0)
	if ok {
		if p, ok := c.payload(size); ok {
			w.r += int(size)
			r.lend(p)
			return yield(Recovered{Pos: r.pos, Record: p})
		}
		if c.follows(size) {
			skipped := SkippedRange{Begin: r.pos.Offset, End: r.pos.Offset + size, Records: 1}
			skipped.Err, _ = c.fault(ok)
			w.r += int(size)
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
	}
	if size, long := c.tooLong(0); long && w.fill(min(size, c.ahead())) {
		skipped := SkippedRange{Begin: r.pos.Offset, Records: 1}
		skipped.Err, _ = c.fault(false)
		if size > c.ahead() {
			if w.discard(size) > 0 || !c.follows(0) {
				return c.resynchronise(skipped.Begin, skipped.Err, false, yield)
			}
			skipped.End = w.offset()
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
		if c.follows(size) {
			w.r += int(size)
			skipped.End = w.offset()
			return yield(Recovered{Pos: r.pos, Skipped: &skipped})
		}
	}
	err, cut := c.fault(ok)
	return c.resynchronise(r.pos.Offset, err, cut, yield)
}

// resynchronise yields what is skipped from begin, where err is what is wrong, up
// to the next intact record. cut: the stream is known to end before any. It
// returns false at the end.
func (c *recovery) resynchronise(begin int64, err *Error, cut bool, yield func(Recovered) bool) bool {
	r, w := c.r, &c.r.w
	skipped := SkippedRange{Begin: begin, Records: -1, Err: err}
	found := c.scan()
	if skipped.End = w.offset(); skipped.End == skipped.Begin {
		skipped.Records = 0
	}
	if found || w.err == io.EOF {
		return yield(Recovered{Pos: r.pos, Skipped: &skipped}) && found
	}
	// The stream cannot be read to its end. Unless that is what is wrong at the
	// begin of the range already, it is a range of its own.
	if !cut {
		if !yield(Recovered{Pos: r.pos, Skipped: &skipped}) {
			return false
		}
		r.pos.Record, r.pos.Offset = r.next, w.offset()
		rest := SkippedRange{Begin: r.pos.Offset, Records: -1, End: -1} // the caller may keep the first range
		rest.Err, _ = c.fault(false)
		yield(Recovered{Pos: r.pos, Skipped: &rest})
		return false
	}
	skipped.End = -1
	yield(Recovered{Pos: r.pos, Skipped: &skipped})
	return false
}

// header looks at the header i bytes into the window. It reports whether it is
// sound and the stream holds as much as it says, and the size of the record.
func (c *recovery) header(i int64) (size int64, ok bool) {
	w := &c.r.w
	if !w.fill(i + HeaderSize) {
		return 0, false
	}
	h := w.bytes()[i:]
	n := binary.LittleEndian.Uint64(h)
	if n > c.r.limit || !soundHeader(h) {
		return 0, false
	}
	size = HeaderSize + int64(n) + FooterSize
	return size, w.fill(i + size)
}

// tooLong looks at the header i bytes into the window. It reports whether that is
// sound and of a record above the limit, and the size of that record. What no
// record can be, by the limit that holds unless another is set, is none.
func (c *recovery) tooLong(i int64) (size int64, ok bool) {
	w := &c.r.w
	if !w.fill(i + HeaderSize) {
		return 0, false
	}
	h := w.bytes()[i:]
	n := binary.LittleEndian.Uint64(h)
	if n <= c.r.limit || n > MaxRecordSize || !soundHeader(h) {
		return 0, false
	}
	return HeaderSize + int64(n) + FooterSize, true
}

// ahead is how many bytes of a record above the limit are looked over, so that
// nothing in them is lost if its length lies.
func (c *recovery) ahead() int64 { return int64(max(c.r.limit, 8<<20)) }

// follows reports whether the stream ends i bytes into the window, or a sound
// header stands there, with a whole record unless that is above the limit.
func (c *recovery) follows(i int64) bool {
	w := &c.r.w
	if !w.fill(i+1) && w.err == io.EOF {
		return true
	}
	_, ok := c.header(i)
	if !ok {
		_, ok = c.tooLong(i)
	}
	return ok
}

// payload returns the payload of the record at the start of the window, which
// is there as a whole, and whether it is intact.
func (c *recovery) payload(size int64) ([]byte, bool) {
	w := &c.r.w
	end := int(size) - FooterSize
	b := w.bytes()
	p := b[HeaderSize:end:end]
	// To read each payload is quadratic where sound headers claim long payloads that overlap
	// (see rangeSums). But where nothing is damaged it takes a third of the time. So a
	// payload is read if as many bytes were intact since the last one that was not.
	short := len(p) < 4*sumStep
	var sum uint32
	if short || size <= c.credit {
		sum = castagnoli.Sum(p)
	} else {
		sum = c.sums.sum(w, w.offset()+HeaderSize, w.offset()+int64(end))
	}
	c.computed = mask(sum)
	intact := c.computed == binary.LittleEndian.Uint32(b[end:])
	switch {
	case !intact && !short:
		c.credit = 0
	case intact && c.credit < math.MaxInt64/2:
		c.credit += size
	}
	return p, intact
}

// fault says what is wrong with the record at the start of the window. sound
// is what header said of it, and then payload was asked. cut: the stream ends inside it.
func (c *recovery) fault(sound bool) (e *Error, cut bool) {
	r, b := c.r, c.r.w.bytes()
	var err error
	switch {
	case sound:
		stored := binary.LittleEndian.Uint32(b[HeaderSize+binary.LittleEndian.Uint64(b):])
		return r.fault(PayloadCRC, checksumFault(ErrDataChecksum, stored, c.computed)), false
	case len(b) < HeaderSize:
		cut, err = true, r.ended(truncatedHeader(len(b)))
	case !soundHeader(b):
		err = r.badHeader()
	default:
		n := binary.LittleEndian.Uint64(b)
		if n > r.limit {
			err = r.fail(TooLong, tooLongFault(n, int64(r.limit)))
		} else {
			cut, err = true, r.ended(truncatedRecord(int64(len(b))-HeaderSize, int64(n)+FooterSize))
		}
	}
	r.err = nil // the recovery goes on
	return err.(*Error), cut
}

// scan moves the window on to the next intact record,
// past its first byte. It returns false when there is none, with the window at
// the end of what could be read.
func (c *recovery) scan() bool {
	w := &c.r.w
	w.r = min(w.r+1, w.w)
	for {
		if !w.fill(HeaderSize + FooterSize) {
			w.r = w.w
			if !c.r.resume() {
				return false
			}
			continue
		}
		b := w.bytes()
		i := nextHeader(b, c.r.limit)
		w.r += i
		if i > len(b)-HeaderSize-FooterSize {
			continue
		}
		if size, ok := c.header(0); ok {
			if _, ok := c.payload(size); ok {
				return true
			}
		}
		w.r++
	}
}

// nextHeader returns the place in b of the first sound header that has at
// least a footer behind it, or of the first one that cannot be judged yet.
func nextHeader(b []byte, limit uint64) int {
	last := len(b) - HeaderSize - FooterSize
	i := 0
	for i <= last {
		// A length below 2^40 ends in three zeros, which most places do not have.
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
		if soundHeader(b[i:]) {
			return i
		}
		i++
	}
	return min(i, last+1)
}
