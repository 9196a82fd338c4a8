package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// After damage in gzip or zstd, decoding can continue at the next member or frame. A decoder notices damage late, often far
// after it and after the start of members that are intact. So an input keeps the last bytes that it delivered, and the search
// begins in them:
//
//	decoding     the decoder fails                   rewind to just after the start of its member, within the budget
//	searching    a magic number that decodes         decoding, with a new member
//	             the end of the input                stopped: nothing follows, and endOffset is set

const (
	backlogSize = 256 << 10 // backlogSize is the number of bytes of the compressed input that are kept.
	// minRewindCost is the minimum that a rewind takes from the budget. Without it a hostile stream,
	// in which something that looks like a member fails every few bytes, would have each byte read
	// many times.
	minRewindCost = 16 << 10
	// rereadRate is the number of bytes that may be read again for each new byte. With 1, intact members between
	// many damaged ones were missed.
	rereadRate = 16
	// probeSize is the number of bytes after a gzip magic number that must decode before they count as a member.
	probeSize = 128
)

// backlog keeps the last bytes that an input delivered, for rewind.
type backlog struct {
	enabled      bool          // set by Recover
	recent       []byte        // at least the last backlogSize bytes
	rereadBudget int64         // number of bytes that may be read again
	budgetedTo   int64         // offset in the input that the budget accounts for
	probe        deflateReader // decodes what may be a gzip member
}

// appendRecent adds bytes that were delivered.
func (b *backlog) appendRecent(p []byte) {
	if !b.enabled {
		return
	}
	if len(b.recent)+len(p) > 2*backlogSize {
		n := copy(b.recent, b.recent[max(0, len(b.recent)-backlogSize):])
		b.recent = b.recent[:n]
	}
	b.recent = append(b.recent, p...)
}

// rewind makes the decoder read again from offset at, or as near after it as the backlog and the
// budget allow.
func (in *input) rewind(at int64) {
	b := &in.backlog
	stopped := in.consumed()
	b.rereadBudget = min(b.rereadBudget+rereadRate*max(0, stopped-b.budgetedTo), backlogSize)
	b.budgetedTo = max(b.budgetedTo, stopped)
	if b.rereadBudget < minRewindCost {
		return
	}
	at = max(at, stopped-b.rereadBudget, in.delivered-int64(len(b.recent)))
	if at >= stopped {
		return
	}
	b.rereadBudget -= max(stopped-at, minRewindCost)
	again := b.recent[int64(len(b.recent))-(in.delivered-at):]
	in.pending = append(bytes.Clone(again), in.pending...)
	b.recent = b.recent[:len(b.recent)-len(again)]
	in.delivered = at
	in.buffered.Reset(in)
}

// resumeAtMember continues at the next gzip member or zstd frame after damage, and reports whether
// there is one. missing is the number of bytes of the uncompressed stream before it that are lost,
// as far as that is known. The window must be empty.
func (r *Reader) resumeAtMember() (missing int64, ok bool) {
	in := &r.input
	stuck := r.decoders.deflate != nil && r.decoders.deflate.err == r.window.err || r.decoders.zstd != nil && r.decoders.zstd.err == r.window.err
	if !in.backlog.enabled || in.readErr != nil || in.endOffset > 0 || !stuck {
		return 0, false
	}
	stopped := in.consumed()
	var begin, decoded int64
	magic := zstdMagic[:]
	if r.codec == GZIP {
		z := r.decoders.deflate
		magic, begin, decoded = []byte{0x1f, 0x8b, 8}, z.memberStart, int64(z.memberSize)
		if z.err == errStreamSum || z.err == errStreamSize {
			begin = stopped // the member was read to its end
		}
	} else {
		begin = r.decoders.zstd.frameStart
	}
	if begin < stopped {
		in.rewind(begin + 1)
	}
	from := in.consumed()
	trailer, found := in.findMagic(magic, func(b []byte) bool { return r.codec == ZSTD || in.backlog.probeGzip(b) })
	if !found {
		in.endOffset = stopped
		return 0, false
	}
	if r.codec == GZIP {
		z := r.decoders.deflate
		z.reset(in.buffered, GZIP)
		z.input, z.beforeFirst = in, false
		// The four bytes before a member are the size of the previous member.
		packed := in.consumed() - from
		if size := int64(binary.LittleEndian.Uint32(trailer[:])); size > decoded && size-decoded <= 1032*(packed+backlogSize) {
			missing = size - decoded
		}
	} else {
		r.decoders.zstd.reset(in)
	}
	return missing, true
}

// findMagic moves to the next occurrence of magic where accept returns true for the bytes that
// follow. It returns the four bytes before that magic number.
func (in *input) findMagic(magic []byte, accept func(b []byte) bool) (before [4]byte, ok bool) {
	for {
		b, err := in.buffered.Peek(max(len(magic), min(in.buffered.Buffered(), in.buffered.Size())))
		if len(b) < len(magic) {
			return before, false
		}
		i := bytes.Index(b, magic)
		if i < 0 {
			i = len(b) - len(magic) + 1
			keepLastFour(&before, b[:i])
			in.buffered.Discard(i)
			if err != nil {
				return before, false
			}
			continue
		}
		keepLastFour(&before, b[:i])
		in.buffered.Discard(i)
		b, _ = in.buffered.Peek(probeSize)
		if accept(b) {
			return before, true
		}
		keepLastFour(&before, b[:1])
		in.buffered.Discard(1)
	}
}

// keepLastFour updates before, the last four bytes that were skipped, with b.
func keepLastFour(before *[4]byte, b []byte) {
	if len(b) >= 4 {
		copy(before[:], b[len(b)-4:])
		return
	}
	copy(before[:], before[len(b):])
	copy(before[4-len(b):], b)
}

// probeGzip reports whether p can be the first bytes of a gzip member.
func (b *backlog) probeGzip(p []byte) bool {
	b.probe.reset(bufio.NewReaderSize(bytes.NewReader(p), 16), GZIP)
	_, err := io.Copy(io.Discard, &b.probe)
	return err == nil || err == io.ErrUnexpectedEOF
}
