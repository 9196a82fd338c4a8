package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

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
//	64      4     how many bytes the checksums of the data are of
//	68      4     CRC-32C of everything before it
//	72      20g   groups, one for every 128 records: see appendGroups
//	72+20g  s     sizes of the payloads, a varint each
//	…       …     checkpoints, to the end: see appendPoint
//	end-4   4     CRC-32C of everything before it
//
// The groups let a reader find a record without the sizes before it: see indexParts.
const (
	indexMagic   = "TFRINDEX"
	indexVersion = 2
	indexHead    = 72
	groupBytes   = 20
)

// IndexExtension is what the name of the index of a file has behind the name
// of the file.
const IndexExtension = ".tfindex"

// MarshalBinary returns the index in its file form, which ReadIndex reads. It implements
// [encoding.BinaryMarshaler].
func (x *Index) MarshalBinary() ([]byte, error) {
	if x.parts != nil {
		return nil, errors.New("tfrecord: only a part of the index was read")
	}
	le := binary.LittleEndian
	b := append(make([]byte, 0, indexHead+groupBytes*len(x.groups)+len(x.sizes)+FooterSize), indexMagic...)
	b = le.AppendUint32(b, indexVersion)
	b = le.AppendUint32(b, uint32(x.comp))
	b = le.AppendUint64(b, uint64(x.data.size))
	b = le.AppendUint64(b, uint64(x.data.modTime))
	b = le.AppendUint32(b, x.data.head)
	b = le.AppendUint32(b, x.data.tail)
	b = le.AppendUint64(b, uint64(x.count))
	b = le.AppendUint64(b, uint64(len(x.sizes)))
	b = le.AppendUint64(b, uint64(x.stream))
	b = le.AppendUint32(b, fingerprintBytes)
	b = le.AppendUint32(b, castagnoli.Sum(b))
	b = x.appendGroups(b)
	b = append(b, x.sizes...)
	last := point{}
	for _, p := range x.points {
		b = appendPoint(b, last, p)
		last = p
	}
	return le.AppendUint32(b, castagnoli.Sum(b)), nil
}

// appendGroups appends for each group where its first record is in the stream (8 bytes), where its sizes begin in the sizes (8 bytes),
// and the CRC-32C of both and of its sizes.
func (x *Index) appendGroups(b []byte) []byte {
	le := binary.LittleEndian
	for i, g := range x.groups {
		end := len(x.sizes)
		if i+1 < len(x.groups) {
			end = x.groups[i+1].at
		}
		b = le.AppendUint64(b, uint64(g.offset))
		b = le.AppendUint64(b, uint64(g.at))
		b = le.AppendUint32(b, groupSum(b[len(b)-16:], x.sizes[g.at:end]))
	}
	return b
}

func groupSum(place, sizes []byte) uint32 {
	return castagnoli.Update(castagnoli.Sum(place), sizes)
}

// ReadIndex reads an index from r, to the end of r: in the form of MarshalBinary, or in the text form of AppendText. An error about
// the bytes wraps [ErrIndex]. Memory is about what r holds; of what does not begin as an index, such as
// the data themselves, only the beginning is read.
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
	if err := x.parse(b); err != nil {
		return nil, err
	}
	return x, nil
}

// parse takes the file form and keeps b.
func (x *Index) parse(b []byte) error {
	*x = Index{}
	le := binary.LittleEndian
	switch {
	case len(b) < len(indexMagic) || string(b[:len(indexMagic)]) != indexMagic:
		return badIndex("it does not begin with %s", indexMagic)
	case len(b) < indexHead+FooterSize:
		return badIndex("it has %d bytes, and the shortest has %d", len(b), indexHead+FooterSize)
	case le.Uint32(b[8:]) != indexVersion:
		return badIndex("it has version %d, want %d", le.Uint32(b[8:]), indexVersion)
	}
	end := len(b) - FooterSize
	if stored, computed := le.Uint32(b[end:]), castagnoli.Sum(b[:end]); stored != computed {
		return badIndex("its checksum does not match: stored %#08x, computed %#08x", stored, computed)
	}
	n, stream, err := x.parseHead(b[:indexHead])
	if err != nil {
		return err
	}
	groups := groupsOf(x.count)
	if rest := int64(end - indexHead); groups > rest/groupBytes || n > rest-groups*groupBytes {
		return badIndex("it states %d bytes of sizes and has %d", n, rest-min(groups, rest/groupBytes)*groupBytes)
	}
	at := int64(indexHead) + groups*groupBytes
	x.sizes = b[at : at+n : at+n]
	if err := x.group(); err != nil {
		return err
	}
	if x.stream != stream || !bytes.Equal(x.appendGroups(nil), b[indexHead:at]) {
		return badIndex("its groups are not those of its sizes")
	}
	if x.comp == None && x.data.size >= 0 && x.stream != x.data.size {
		return badIndex("its records take %d bytes of %d", x.stream, x.data.size)
	}
	return x.parsePoints(b[at+n : end])
}

// groupsOf returns how many groups some records have.
func groupsOf(records int64) int64 { return records/groupSize + min(records%groupSize, 1) }

// parseHead takes the head and returns the size of the sizes and that of the stream.
func (x *Index) parseHead(b []byte) (sizes, stream int64, err error) {
	le := binary.LittleEndian
	c := le.Uint32(b[12:])
	if c == uint32(Auto) || c >= uint32(len(compressionNames)) {
		return 0, 0, badIndex("it has the unknown codec %d", c)
	}
	x.comp = Compression(c)
	x.data = fingerprint{size: int64(le.Uint64(b[16:])), modTime: int64(le.Uint64(b[24:])), head: le.Uint32(b[32:]), tail: le.Uint32(b[36:])}
	x.count, sizes, stream = int64(le.Uint64(b[40:])), int64(le.Uint64(b[48:])), int64(le.Uint64(b[56:]))
	if stored, computed := le.Uint32(b[68:]), castagnoli.Sum(b[:68]); stored != computed {
		return 0, 0, badIndex("the checksum of its head does not match: stored %#08x, computed %#08x", stored, computed)
	}
	if x.count < 0 || sizes < x.count || stream < 0 || le.Uint32(b[64:]) != fingerprintBytes {
		return 0, 0, badIndex("it states %d records and %d bytes of sizes", x.count, sizes)
	}
	return sizes, stream, nil
}

// badIndex says what is wrong with the bytes of an index.
func badIndex(format string, args ...any) error {
	return &fault{sentinel: ErrIndex, detail: "not an index, or damaged: " + fmt.Sprintf(format, args...)}
}

// A point is a place where a decoder can begin.
type point struct {
	plain  int64  // in the uncompressed stream
	packed int64  // in the data: the byte that the first bit is in
	inside bool   // between two deflate blocks of one stream; else where a stream, block or frame begins
	bit    uint8  // of packed, inside
	window []byte // up to 32 KiB before plain, compressed, inside
}

// appendPoint appends p, which follows last:
//
//	varint  how far plain is from that of last
//	varint  how far packed is
//	byte    0; inside: 8 + bit
//	varint  size of the window, inside; and the window
func appendPoint(b []byte, last, p point) []byte {
	b = binary.AppendUvarint(b, uint64(p.plain-last.plain))
	b = binary.AppendUvarint(b, uint64(p.packed-last.packed))
	if !p.inside {
		return append(b, 0)
	}
	b = append(b, 8+p.bit)
	b = binary.AppendUvarint(b, uint64(len(p.window)))
	return append(b, p.window...)
}

// parsePoints takes the checkpoints. The windows are views of b.
func (x *Index) parsePoints(b []byte) error {
	last := point{}
	for len(b) > 0 {
		p := last
		for _, place := range [...]*int64{&p.plain, &p.packed} {
			d, k := binary.Uvarint(b)
			if k <= 0 || d > math.MaxInt64-uint64(*place) {
				return badIndex("checkpoint %d: no place", len(x.points))
			}
			*place += int64(d)
			b = b[k:]
		}
		if len(b) == 0 {
			return badIndex("checkpoint %d is cut", len(x.points))
		}
		flags := b[0]
		b = b[1:]
		p.inside, p.bit, p.window = flags != 0, flags&7, nil
		if p.inside {
			n, k := binary.Uvarint(b)
			if flags&^7 != 8 || k <= 0 || n > uint64(len(b)-k) || x.comp != GZIP && x.comp != ZLIB {
				return badIndex("checkpoint %d: no window", len(x.points))
			}
			p.window, b = b[k:k+int(n):k+int(n)], b[k+int(n):]
		}
		first := len(x.points) == 0
		if first && (p.plain != 0 || p.packed != 0 || p.inside) || !first && p.plain <= last.plain ||
			p.plain > x.stream || p.packed > x.data.size {
			return badIndex("checkpoint %d is at %d, byte %d of the data", len(x.points), p.plain, p.packed)
		}
		x.points = append(x.points, p)
		last = p
	}
	if (x.comp == None) != (len(x.points) == 0) {
		return badIndex("it has %d checkpoints for %v", len(x.points), x.comp)
	}
	return nil
}
