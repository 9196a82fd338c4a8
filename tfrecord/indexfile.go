package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// The form of an index in a file. Numbers are little endian, varints those of
// protobuf:
//
//	offset  size  field
//	0       8     "TFRINDEX"
//	8       4     version, 2
//	12      4     codec, as the constants of Compression
//	16      8     size of the data; -1 when unknown
//	24      8     time of their last modification, in nanoseconds since 1970; 0 when unknown
//	32      4     CRC-32C of their first bytes
//	36      4     CRC-32C of their last bytes
//	40      8     number of records
//	48      8     size s of the sizes
//	56      8     size of the uncompressed stream
//	64      4     number of bytes that each checksum of the data covers
//	68      4     CRC-32C of everything before it
//	72      20g   groups, one for every 128 records: see appendGroupTable
//	72+20g  s     sizes of the payloads, a varint each
//	…       …     checkpoints, to the end: see appendCheckpoint
//	end-4   4     CRC-32C of everything before it
//
// The groups let a reader find a record without the sizes before it: see partialIndex.
const (
	indexMagic   = "TFRINDEX"
	indexVersion = 2
	indexHead    = 72 // size of the fields before the groups, in bytes
	groupBytes   = 20 // size of a group, in bytes
)

// IndexExtension is appended to the name of a file for the name of its index.
const IndexExtension = ".tfindex"

// MarshalBinary implements [encoding.BinaryMarshaler]: it returns the file form, which ReadIndex
// reads.
func (x *Index) MarshalBinary() ([]byte, error) {
	if x.partial != nil {
		return nil, errors.New("tfrecord: a partial index cannot be written")
	}
	le := binary.LittleEndian
	b := append(make([]byte, 0, indexHead+groupBytes*len(x.groups)+len(x.sizes)+FooterSize), indexMagic...)
	b = le.AppendUint32(b, indexVersion)
	b = le.AppendUint32(b, uint32(x.codec))
	b = le.AppendUint64(b, uint64(x.origin.size))
	b = le.AppendUint64(b, uint64(x.origin.modTime))
	b = le.AppendUint32(b, x.origin.head)
	b = le.AppendUint32(b, x.origin.tail)
	b = le.AppendUint64(b, uint64(x.count))
	b = le.AppendUint64(b, uint64(len(x.sizes)))
	b = le.AppendUint64(b, uint64(x.streamSize))
	b = le.AppendUint32(b, fingerprintBytes)
	b = le.AppendUint32(b, castagnoli.Sum(b))
	b = x.appendGroupTable(b)
	b = append(b, x.sizes...)
	last := checkpoint{}
	for _, p := range x.checkpoints {
		b = appendCheckpoint(b, last, p)
		last = p
	}
	return le.AppendUint32(b, castagnoli.Sum(b)), nil
}

// appendGroupTable appends for each group the offset of its first record in the stream (8 bytes),
// the position of its sizes in the sizes (8 bytes), and the CRC-32C of both numbers and of its
// sizes (4 bytes).
func (x *Index) appendGroupTable(b []byte) []byte {
	le := binary.LittleEndian
	for i, g := range x.groups {
		end := len(x.sizes)
		if i+1 < len(x.groups) {
			end = x.groups[i+1].sizesAt
		}
		b = le.AppendUint64(b, uint64(g.offset))
		b = le.AppendUint64(b, uint64(g.sizesAt))
		b = le.AppendUint32(b, groupChecksum(b[len(b)-16:], x.sizes[g.sizesAt:end]))
	}
	return b
}

// groupChecksum returns the CRC-32C of the two numbers of a group and its sizes.
func groupChecksum(place, sizes []byte) uint32 {
	return castagnoli.Update(castagnoli.Sum(place), sizes)
}

// ReadIndex reads an index from r, to the end of r: the form of MarshalBinary or the text form of
// AppendText. An error about the bytes wraps [ErrIndex]. Memory is about the size of the index; of
// data that are not an index only the beginning is read.
func ReadIndex(r io.Reader) (*Index, error) {
	br := bufio.NewReader(r)
	if first, err := br.Peek(1); len(first) > 0 && bytes.ContainsAny(first, " \t\r\n0123456789") {
		return readTextIndex(br)
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	r = br
	b := make([]byte, indexHead)
	n, err := io.ReadFull(r, b)
	b = b[:n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
	case err != nil:
		return nil, err
	case string(b[:len(indexMagic)]) == indexMagic:
		rest, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		b = append(b, rest...)
	}
	x := new(Index)
	if err := x.parseFile(b); err != nil {
		return nil, err
	}
	return x, nil
}

// parseFile parses the file form and keeps b.
func (x *Index) parseFile(b []byte) error {
	*x = Index{}
	le := binary.LittleEndian
	switch {
	case len(b) < len(indexMagic) || string(b[:len(indexMagic)]) != indexMagic:
		return damagedIndex("it does not begin with %s", indexMagic)
	case len(b) < indexHead+FooterSize:
		return damagedIndex("want at least %[2]d bytes, got %[1]d", len(b), indexHead+FooterSize)
	case le.Uint32(b[8:]) != indexVersion:
		return damagedIndex("want version %[2]d, got %[1]d", le.Uint32(b[8:]), indexVersion)
	}
	end := len(b) - FooterSize
	if stored, computed := le.Uint32(b[end:]), castagnoli.Sum(b[:end]); stored != computed {
		return damagedIndex("checksum mismatch: stored %#08x, computed %#08x", stored, computed)
	}
	n, stream, err := x.parseHead(b[:indexHead])
	if err != nil {
		return err
	}
	groups := groupCount(x.count)
	if rest := int64(end - indexHead); groups > rest/groupBytes || n > rest-groups*groupBytes {
		return damagedIndex("want %d bytes of sizes, got %d", n, rest-min(groups, rest/groupBytes)*groupBytes)
	}
	at := int64(indexHead) + groups*groupBytes
	x.sizes = b[at : at+n : at+n]
	if err := x.buildGroups(); err != nil {
		return err
	}
	if x.streamSize != stream || !bytes.Equal(x.appendGroupTable(nil), b[indexHead:at]) {
		return damagedIndex("groups do not match the sizes")
	}
	if x.codec == None && x.origin.size >= 0 && x.streamSize != x.origin.size {
		return damagedIndex("records have %d bytes, the data have %d", x.streamSize, x.origin.size)
	}
	return x.parseCheckpoints(b[at+n : end])
}

// groupCount returns the number of groups for a number of records.
func groupCount(records int64) int64 { return records/groupSize + min(records%groupSize, 1) }

// parseHead parses the first indexHead bytes. It returns the size of the sizes and the size of the stream, in
// bytes.
func (x *Index) parseHead(b []byte) (sizes, stream int64, err error) {
	le := binary.LittleEndian
	c := le.Uint32(b[12:])
	if c == uint32(Auto) || c >= uint32(len(compressionNames)) {
		return 0, 0, damagedIndex("unknown codec %d", c)
	}
	x.codec = Compression(c)
	x.origin = fingerprint{size: int64(le.Uint64(b[16:])), modTime: int64(le.Uint64(b[24:])), head: le.Uint32(b[32:]), tail: le.Uint32(b[36:])}
	x.count, sizes, stream = int64(le.Uint64(b[40:])), int64(le.Uint64(b[48:])), int64(le.Uint64(b[56:]))
	if stored, computed := le.Uint32(b[68:]), castagnoli.Sum(b[:68]); stored != computed {
		return 0, 0, damagedIndex("header checksum mismatch: stored %#08x, computed %#08x", stored, computed)
	}
	if x.count < 0 || sizes < x.count || stream < 0 || le.Uint32(b[64:]) != fingerprintBytes {
		return 0, 0, damagedIndex("impossible header: %d records, %d bytes of sizes", x.count, sizes)
	}
	return sizes, stream, nil
}

// damagedIndex is the error of an index file that cannot be parsed.
func damagedIndex(format string, args ...any) error {
	return &detailedError{sentinel: ErrIndex, detail: "not an index, or damaged: " + fmt.Sprintf(format, args...)}
}

// checkpoint is a place of a compressed stream where a decoder can begin.
type checkpoint struct {
	offset     int64  // offset in the uncompressed stream
	compressed int64  // offset in the data of the byte with the first bit
	midStream  bool   // between two blocks of one deflate stream; else at the start of a stream, block or frame
	bit        uint8  // with midStream: the first bit in the byte
	window     []byte // with midStream: up to 32 KiB before offset, compressed
}

// appendCheckpoint appends p, which follows last:
//
//	varint  distance from last in the uncompressed stream
//	varint  distance from last in the data
//	byte    0; with midStream: 8 + bit
//	varint  with midStream: size of the window, and the window
func appendCheckpoint(b []byte, last, p checkpoint) []byte {
	b = binary.AppendUvarint(b, uint64(p.offset-last.offset))
	b = binary.AppendUvarint(b, uint64(p.compressed-last.compressed))
	if !p.midStream {
		return append(b, 0)
	}
	b = append(b, 8+p.bit)
	b = binary.AppendUvarint(b, uint64(len(p.window)))
	return append(b, p.window...)
}

// parseCheckpoints parses the checkpoints. The windows are views of b.
func (x *Index) parseCheckpoints(b []byte) error {
	last := checkpoint{}
	for len(b) > 0 {
		p := last
		for _, place := range [...]*int64{&p.offset, &p.compressed} {
			d, k := binary.Uvarint(b)
			if k <= 0 || d > math.MaxInt64-uint64(*place) {
				return damagedIndex("checkpoint %d: invalid offset", len(x.checkpoints))
			}
			*place += int64(d)
			b = b[k:]
		}
		if len(b) == 0 {
			return damagedIndex("checkpoint %d: truncated", len(x.checkpoints))
		}
		flags := b[0]
		b = b[1:]
		p.midStream, p.bit, p.window = flags != 0, flags&7, nil
		if p.midStream {
			n, k := binary.Uvarint(b)
			if flags&^7 != 8 || k <= 0 || n > uint64(len(b)-k) || x.codec != GZIP && x.codec != ZLIB {
				return damagedIndex("checkpoint %d: invalid window", len(x.checkpoints))
			}
			p.window, b = b[k:k+int(n):k+int(n)], b[k+int(n):]
		}
		first := len(x.checkpoints) == 0
		if first && (p.offset != 0 || p.compressed != 0 || p.midStream) || !first && p.offset <= last.offset ||
			p.offset > x.streamSize || p.compressed > x.origin.size {
			return damagedIndex("checkpoint %d: impossible offset %d, byte %d of the data", len(x.checkpoints), p.offset, p.compressed)
		}
		x.checkpoints = append(x.checkpoints, p)
		last = p
	}
	if (x.codec == None) != (len(x.checkpoints) == 0) {
		return damagedIndex("%d checkpoints for codec %v", len(x.checkpoints), x.codec)
	}
	return nil
}

// AppendText appends the text form of the index to b: one line for each record with its offset and its size with
// header and footer, in decimal. tfrecord2idx of NVIDIA DALI writes this form, and DALI and the PyTorch package
// "tfrecord" read it. For compressed data it returns an error.
//
//	0 21
//	21 16
func (x *Index) AppendText(b []byte) ([]byte, error) {
	if x.codec != None {
		return b, errors.New("tfrecord: an index of " + x.codec.String() + " data has no text form")
	}
	offset := int64(0)
	for sizes := x.sizes; len(sizes) > 0; {
		n, k := binary.Uvarint(sizes)
		size := int64(n) + HeaderSize + FooterSize
		b = append(strconv.AppendInt(b, offset, 10), ' ')
		b = append(strconv.AppendInt(b, size, 10), '\n')
		offset, sizes = offset+size, sizes[k:]
	}
	return b, nil
}

// readTextIndex reads the text form to the end of br. It accepts any white space between numbers.
// They must describe all records in order, from offset 0 on; otherwise the error wraps [ErrIndex].
// The text has no fingerprint of the data: only their size is compared.
func readTextIndex(br *bufio.Reader) (*Index, error) {
	x := &Index{codec: None, origin: fingerprint{size: -1}}
	for {
		offset, err := readTextNumber(br)
		if err == io.EOF {
			return x, nil
		}
		var size int64
		if err == nil {
			size, err = readTextNumber(br)
		}
		switch {
		case err == io.EOF:
			return nil, damagedIndex("entry %d: no size after the offset", x.count)
		case errors.Is(err, strconv.ErrSyntax), errors.Is(err, strconv.ErrRange):
			return nil, damagedIndex("entry %d: %v", x.count, err)
		case err != nil:
			return nil, err
		case offset != x.streamSize:
			return nil, damagedIndex("entry %d: want offset %[3]d, got %[2]d", x.count, offset, x.streamSize)
		case size < HeaderSize+FooterSize || size > math.MaxInt64-x.streamSize:
			return nil, damagedIndex("entry %d: invalid size %d", x.count, size)
		}
		x.addRecord(size)
	}
}

// readTextNumber reads a number and the white space around it. It returns io.EOF if there is none.
func readTextNumber(br *bufio.Reader) (int64, error) {
	var digits []byte
	for {
		c, err := br.ReadByte()
		switch {
		case err == io.EOF && len(digits) > 0:
			return strconv.ParseInt(string(digits), 10, 64)
		case err != nil:
			return 0, err
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if len(digits) > 0 {
				return strconv.ParseInt(string(digits), 10, 64)
			}
		case len(digits) == 20: // longer than any number of 64 bits
			return 0, strconv.ErrRange
		default:
			digits = append(digits, c)
		}
	}
}
