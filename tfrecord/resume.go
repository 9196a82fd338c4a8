package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// Behind damage in gzip or zstd the next member or frame can be decoded again. A decoder notices damage late,
// often far behind it and behind the begin of members that are intact. So the last bytes
// that it was given are kept, and the search begins in them.

const (
	// lookBack is how many bytes of the compressed input are kept.
	lookBack = 256 << 10
	// lookBackCost is the least that looking back is counted for. Otherwise a hostile stream, in which
	// what looks like a member fails every few bytes, would have each byte read many times.
	lookBackCost = 16 << 10
	// againRate is how many bytes may be read again for each that is read the first time. At 1, intact members
	// between many that are damaged were missed.
	againRate = 16
	// trialBytes is from how many bytes of a member it is tried whether they can be one.
	trialBytes = 128
)

// A backlog keeps what an input gave out last.
type backlog struct {
	on     bool
	bytes  []byte // the last ones
	budget int64  // how many bytes may be read again
	last   int64  // place in the input up to which the budget is counted
	trial  deflateReader
}

// keep adds bytes that are given out.
func (b *backlog) keep(p []byte) {
	if !b.on {
		return
	}
	if len(b.bytes)+len(p) > 2*lookBack {
		n := copy(b.bytes, b.bytes[max(0, len(b.bytes)-lookBack):])
		b.bytes = b.bytes[:n]
	}
	b.bytes = append(b.bytes, p...)
}

// rewind makes the decoder read again from the place at on, or as near behind it as was kept and may be.
func (in *input) rewind(at int64) {
	b := &in.back
	stopped := in.consumed()
	b.budget = min(b.budget+againRate*max(0, stopped-b.last), lookBack)
	b.last = max(b.last, stopped)
	if b.budget < lookBackCost {
		return
	}
	at = max(at, stopped-b.budget, in.n-int64(len(b.bytes)))
	if at >= stopped {
		return
	}
	b.budget -= max(stopped-at, lookBackCost)
	again := b.bytes[int64(len(b.bytes))-(in.n-at):]
	in.pending = append(bytes.Clone(again), in.pending...)
	b.bytes = b.bytes[:len(b.bytes)-len(again)]
	in.n = at
	in.br.Reset(in)
}

// resumeMember goes on at the next gzip member or zstd frame behind damage. It reports whether there is one, and how many
// bytes of the uncompressed stream are missing before it, as far as that is known. The window must be empty.
func (r *Reader) resumeMember() (missing int64, ok bool) {
	in := &r.in
	stuck := r.dec.deflate != nil && r.dec.deflate.err == r.w.err || r.dec.zstd != nil && r.dec.zstd.err == r.w.err
	if !in.back.on || in.failed != nil || in.stopped > 0 || !stuck {
		return 0, false
	}
	stopped := in.consumed()
	var begin, decoded int64
	magic := zstdMagic[:]
	if r.comp == GZIP {
		z := r.dec.deflate
		magic, begin, decoded = []byte{0x1f, 0x8b, 8}, z.start, int64(z.size)
		if z.err == errStreamSum || z.err == errStreamSize {
			begin = stopped // the member was read to its end
		}
	} else {
		begin = r.dec.zstd.start
	}
	if begin < stopped {
		in.rewind(begin + 1)
	}
	from := in.consumed()
	trailer, found := in.find(magic, func(b []byte) bool { return r.comp == ZSTD || in.back.gzip(b) })
	if !found {
		in.stopped = stopped
		return 0, false
	}
	if r.comp == GZIP {
		z := r.dec.deflate
		z.reset(in.br, GZIP)
		z.in, z.first = in, false
		// The four bytes before a member are the size of the one before it.
		packed := in.consumed() - from
		if size := int64(binary.LittleEndian.Uint32(trailer[:])); size > decoded && size-decoded <= 1032*(packed+lookBack) {
			missing = size - decoded
		}
	} else {
		r.dec.zstd.reset(in)
	}
	return missing, true
}

// find moves on to the next place where magic stands and sound likes what follows. It returns the four
// bytes before it.
func (in *input) find(magic []byte, sound func(b []byte) bool) (before [4]byte, ok bool) {
	for {
		b, err := in.br.Peek(max(len(magic), min(in.br.Buffered(), in.br.Size())))
		if len(b) < len(magic) {
			return before, false
		}
		i := bytes.Index(b, magic)
		if i < 0 {
			i = len(b) - len(magic) + 1
			passed(&before, b[:i])
			in.br.Discard(i)
			if err != nil {
				return before, false
			}
			continue
		}
		passed(&before, b[:i])
		in.br.Discard(i)
		b, _ = in.br.Peek(trialBytes)
		if sound(b) {
			return before, true
		}
		passed(&before, b[:1])
		in.br.Discard(1)
	}
}

// passed notes the last four of the bytes that were passed.
func passed(before *[4]byte, b []byte) {
	if len(b) >= 4 {
		copy(before[:], b[len(b)-4:])
		return
	}
	copy(before[:], before[len(b):])
	copy(before[4-len(b):], b)
}

// gzip reports whether b can be the first bytes of a gzip member.
func (b *backlog) gzip(p []byte) bool {
	b.trial.reset(bufio.NewReaderSize(bytes.NewReader(p), 16), GZIP)
	_, err := io.Copy(io.Discard, &b.trial)
	return err == nil || err == io.ErrUnexpectedEOF
}
