package tfrecord

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// Sizes of the parts of a record, in bytes, and the default limit on a
// payload.
const (
	HeaderSize    = 12        // uint64 length, uint32 masked CRC-32C of the length
	FooterSize    = 4         // uint32 masked CRC-32C of the payload
	MaxRecordSize = 1<<31 - 1 // the most a protobuf message may have
)

const maskDelta = 0xa282ead8

func mask(crc uint32) uint32 { return (crc>>15 | crc<<17) + maskDelta }

// maskedCRC returns the CRC-32C (Castagnoli) of b, masked as TFRecord stores
// it: rotated right by 15 bits, plus 0xa282ead8.
func maskedCRC(b []byte) uint32 { return mask(castagnoli.Sum(b)) }

// lengthTable[i][x] is what byte i of the length, when it is x, adds to the
// checksum of the length. Every record has those eight bytes to check, and for
// so few the call into hash/crc32 costs more than the checksum.
var lengthTable = func() (t [8][256]uint32) {
	for x := range 256 {
		c := castagnoli.Table[x]
		for i := 7; i >= 0; i-- {
			t[i][x] = c
			c = castagnoli.Table[byte(c)] ^ c>>8
		}
	}
	return t
}()

// lengthCRC returns maskedCRC of the eight bytes of n, little endian.
func lengthCRC(n uint64) uint32 {
	n ^= 0xffffffff // the initial value of the CRC
	t := &lengthTable
	c := t[0][byte(n)] ^ t[1][byte(n>>8)] ^ t[2][byte(n>>16)] ^ t[3][byte(n>>24)] ^
		t[4][byte(n>>32)] ^ t[5][byte(n>>40)] ^ t[6][byte(n>>48)] ^ t[7][n>>56]
	return mask(^c)
}

// soundHeader reports whether the header at the start of b has a length that
// fits its checksum.
func soundHeader(b []byte) bool {
	return lengthCRC(binary.LittleEndian.Uint64(b)) == binary.LittleEndian.Uint32(b[8:HeaderSize])
}

// nearHeader reports whether the header at the start of b is one bit away from
// a sound one. By chance that is so once in 2^25 times.
func nearHeader(b []byte) bool {
	n, stored := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:HeaderSize])
	if bits.OnesCount32(stored^lengthCRC(n)) == 1 {
		return true
	}
	for i := range 64 {
		if lengthCRC(n^1<<i) == stored {
			return true
		}
	}
	return false
}

// foreignChecksum names the checksums of a stream that begins with b, if it is records of a writer that computes others than
// TensorFlow's. It returns "" if it does not know them.
func foreignChecksum(b []byte) string {
	n, stored := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	crc := crc32.ChecksumIEEE(b[:8])
	switch p := b[HeaderSize:]; {
	case n > MaxRecordSize:
	case stored == castagnoli.Sum(b[:8]):
		return "crc-unmasked"
	case stored == crc || stored == mask(crc):
		return "crc-32"
	case stored == 0 && n > 0 && len(p) > 0 && p[0] == 0x0a:
		// Other binary formats have zeros there too. Field 1 of a message, and a second checksum, are stronger signs.
		if footer := p[min(n, uint64(len(p))):]; isZero(footer[:min(len(footer), FooterSize)]) {
			return "crc-zero"
		}
	}
	return ""
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// AppendRecord appends payload as one record to dst and returns the extended
// slice. It does not keep payload.
func AppendRecord(dst, payload []byte) []byte {
	at, end := len(dst), len(dst)+HeaderSize+len(payload)
	dst = slices.Grow(dst, HeaderSize+len(payload)+FooterSize)[:end+FooterSize]
	binary.LittleEndian.PutUint64(dst[at:], uint64(len(payload)))
	binary.LittleEndian.PutUint32(dst[at+8:], lengthCRC(uint64(len(payload))))
	binary.LittleEndian.PutUint32(dst[end:], mask(castagnoli.Copy(dst[at+HeaderSize:end], payload)))
	return dst
}

func appendHeader(dst []byte, size int) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(size))
	return binary.LittleEndian.AppendUint32(dst, lengthCRC(uint64(size)))
}

// ConsumeRecord parses the record at the start of b. It returns its payload,
// which aliases b, and the number of bytes that the record takes.
//
// The error is [io.EOF] when b is empty and [io.ErrUnexpectedEOF] when b ends
// inside the record; it wraps [ErrLengthChecksum] or [ErrDataChecksum] when a
// checksum does not fit. With ErrDataChecksum n is the size of the record all
// the same, so that the next one can be read; with every other error n is 0.
func ConsumeRecord(b []byte) (payload []byte, n int, err error) {
	if len(b) < HeaderSize+FooterSize {
		return nil, 0, shortRecord(b)
	}
	size := binary.LittleEndian.Uint64(b)
	if !soundHeader(b) {
		return nil, 0, lengthFault(b)
	}
	if size > uint64(len(b)-HeaderSize-FooterSize) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	end := HeaderSize + int(size)
	payload = b[HeaderSize:end:end]
	if stored, computed := binary.LittleEndian.Uint32(b[end:]), maskedCRC(payload); stored != computed {
		return nil, end + FooterSize, checksumFault(ErrDataChecksum, stored, computed)
	}
	return payload, end + FooterSize, nil
}

// shortRecord says what is wrong with fewer bytes than any record takes.
func shortRecord(b []byte) error {
	if len(b) == 0 {
		return io.EOF
	}
	if len(b) >= HeaderSize && !soundHeader(b) {
		return lengthFault(b)
	}
	return io.ErrUnexpectedEOF
}

// readAt fills p; an error means that it is not full.
func readAt(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		err = nil
	} else if err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}
