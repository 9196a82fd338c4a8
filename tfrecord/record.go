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

// Sizes of the parts of a record in bytes, and the default limit on the size of a payload.
const (
	HeaderSize    = 12        // uint64 length, uint32 masked CRC-32C of the length
	FooterSize    = 4         // uint32 masked CRC-32C of the payload
	MaxRecordSize = 1<<31 - 1 // the most a protobuf message may have
)

// maskDelta is added to every checksum.
const maskDelta = 0xa282ead8

// maskCRC masks a CRC-32C as TFRecord stores it.
func maskCRC(crc uint32) uint32 { return (crc>>15 | crc<<17) + maskDelta }

// maskedCRC returns the masked CRC-32C (Castagnoli) of b.
func maskedCRC(b []byte) uint32 { return maskCRC(castagnoli.Sum(b)) }

// lengthTable[i][x] is the contribution of byte i of a length to its checksum, if the byte is x.
// Every record has such a checksum, and for eight bytes a call into hash/crc32 takes longer than
// the checksum itself.
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

// lengthCRC returns the maskedCRC of the eight bytes of n, little endian.
func lengthCRC(n uint64) uint32 {
	n ^= 0xffffffff // the initial value of the CRC
	t := &lengthTable
	c := t[0][byte(n)] ^ t[1][byte(n>>8)] ^ t[2][byte(n>>16)] ^ t[3][byte(n>>24)] ^
		t[4][byte(n>>32)] ^ t[5][byte(n>>40)] ^ t[6][byte(n>>48)] ^ t[7][n>>56]
	return maskCRC(^c)
}

// validHeader reports whether the length at the start of b matches its checksum.
func validHeader(b []byte) bool {
	return lengthCRC(binary.LittleEndian.Uint64(b)) == binary.LittleEndian.Uint32(b[8:HeaderSize])
}

// nearlyValidHeader reports whether the header at the start of b differs from a valid one in a
// single bit. The probability of that in random bytes is 2^-25.
func nearlyValidHeader(b []byte) bool {
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

// foreignChecksum returns a word for the checksums of a stream that begins with b, if they are computed in a known
// way that is not TensorFlow's; else it returns "".
func foreignChecksum(b []byte) string {
	n, stored := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	crc := crc32.ChecksumIEEE(b[:8])
	switch p := b[HeaderSize:]; {
	case n > MaxRecordSize:
	case stored == castagnoli.Sum(b[:8]):
		return "crc-unmasked"
	case stored == crc || stored == maskCRC(crc):
		return "crc-32"
	case stored == 0 && n > 0 && len(p) > 0 && p[0] == 0x0a:
		// Other binary formats have zeros there too. Field 1 of a message, and a second checksum, are stronger signs.
		if footer := p[min(n, uint64(len(p))):]; allZero(footer[:min(len(footer), FooterSize)]) {
			return "crc-zero"
		}
	}
	return ""
}

func allZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// AppendRecord appends payload as one record to dst and returns the extended slice.
func AppendRecord(dst, payload []byte) []byte {
	at, end := len(dst), len(dst)+HeaderSize+len(payload)
	dst = slices.Grow(dst, HeaderSize+len(payload)+FooterSize)[:end+FooterSize]
	binary.LittleEndian.PutUint64(dst[at:], uint64(len(payload)))
	binary.LittleEndian.PutUint32(dst[at+8:], lengthCRC(uint64(len(payload))))
	binary.LittleEndian.PutUint32(dst[end:], maskCRC(castagnoli.Copy(dst[at+HeaderSize:end], payload)))
	return dst
}

func appendHeader(dst []byte, size int) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(size))
	return binary.LittleEndian.AppendUint32(dst, lengthCRC(uint64(size)))
}

// ConsumeRecord parses the record at the start of b. It returns its payload, a view of b, and the
// size of the record.
//
// The error is [io.EOF] if b is empty and [io.ErrUnexpectedEOF] if b ends inside the record; it
// wraps [ErrLengthChecksum] or [ErrDataChecksum] if a checksum does not match. With ErrDataChecksum
// n is the size of the record, so that the next one can be read; with every other error n is 0.
func ConsumeRecord(b []byte) (payload []byte, n int, err error) {
	if len(b) < HeaderSize+FooterSize {
		return nil, 0, shortRecord(b)
	}
	size := binary.LittleEndian.Uint64(b)
	if !validHeader(b) {
		return nil, 0, lengthError(b)
	}
	if size > uint64(len(b)-HeaderSize-FooterSize) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	end := HeaderSize + int(size)
	payload = b[HeaderSize:end:end]
	if stored, computed := binary.LittleEndian.Uint32(b[end:]), maskedCRC(payload); stored != computed {
		return nil, end + FooterSize, checksumError(ErrDataChecksum, stored, computed)
	}
	return payload, end + FooterSize, nil
}

// shortRecord returns the error of fewer bytes than any record has.
func shortRecord(b []byte) error {
	if len(b) == 0 {
		return io.EOF
	}
	if len(b) >= HeaderSize && !validHeader(b) {
		return lengthError(b)
	}
	return io.ErrUnexpectedEOF
}

// readAt fills p. An error means that p is not full.
func readAt(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		err = nil
	} else if err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}
