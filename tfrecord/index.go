package tfrecord

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// An Index says where each record of a stream begins, so that [OpenIndexed] can
// read any of them without those before it. It takes two to four bytes of memory
// for each record of less than 2 MiB, and for compressed streams up to 32 KiB for
// each MiB of records.
//
// It also stores the size of the data it was made for, their modification time, and
// checksums of their first and last 4 KiB. [Index.Check] compares them and refuses the
// index if one has changed. A copy of the file has another modification time unless the
// tool keeps it, as cp -p does: [IndexedOptions.OnModTime] accepts the index for it, after a
// look at some records.
//
// An Index does not change and is safe for concurrent use. One that [IndexedOptions].Partial reads in parts has
// only the entries that Load has read.
type Index struct {
	comp   Compression
	data   fingerprint
	count  int64
	stream int64       // size of the uncompressed stream
	sizes  []byte      // of the payloads, as varints
	groups []group     // one for every groupSize records
	points []point     // where a decoder can begin; none for None
	parts  *indexParts // where sizes and groups are read from when they are needed; nil: they are here
}

// groupSize is how many records one absolute offset is kept for: a record is found
// by adding at most groupSize sizes, in about 100 ns.
const groupSize = 128

type group struct {
	offset int64 // of the first record, in the uncompressed stream
	at     int   // of its size, in sizes
}

// A fingerprint is compared to find out whether data have changed since an index
// was made.
type fingerprint struct {
	size       int64 // -1: nothing is known, as of an index in text form
	modTime    int64 // in nanoseconds since 1970; 0: unknown
	head, tail uint32
}

// fingerprintBytes is how many bytes at the start and at the end of the data are
// compared: few enough for a record that is read over a network.
const fingerprintBytes = 4 << 10

// fingerprintOf reads the first and the last bytes of data of a given size.
func fingerprintOf(r io.ReaderAt, size int64, modTime time.Time) (fingerprint, error) {
	f := fingerprint{size: size, modTime: nanoseconds(modTime)}
	b := make([]byte, min(size, fingerprintBytes))
	for _, part := range []struct {
		at  int64
		sum *uint32
	}{{0, &f.head}, {size - int64(len(b)), &f.tail}} {
		if n, err := readAt(r, b, part.at); err == io.EOF {
			return f, fmt.Errorf("the data end at byte %d of %d: %w", part.at+int64(n), size, io.ErrUnexpectedEOF)
		} else if err != nil {
			return f, err
		}
		*part.sum = castagnoli.Sum(b)
	}
	return f, nil
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// IndexOptions are the settings of [BuildIndex]. A nil *IndexOptions and every
// zero field mean the default.
type IndexOptions struct {
	Name          string      // of the data, for the positions in errors
	Compression   Compression // zero: find out from the first bytes
	MaxRecordSize int64       // limit on a payload; zero: the constant of that name
	ModTime       time.Time   // when the data were last modified; zero: unknown, and not compared later
}

// indexBuffer is how much is read at once. Records of four times as much are not
// read but skipped where nothing is compressed; for short ones a smaller buffer
// would cost more calls than it saves bytes.
const indexBuffer = 32 << 10

// BuildIndex reads size bytes of data once and returns their index. It compares the
// checksums of the lengths, and not those of the payloads: where nothing is compressed it
// goes from header to header and does not read long payloads.
//
// Damage is an [*Error], and so is a stream that is cut: there is no index for
// less than all of the data.
func BuildIndex(r io.ReaderAt, size int64, opts *IndexOptions) (*Index, error) {
	var o IndexOptions
	if opts != nil {
		o = *opts
	}
	x := new(Index)
	var err error
	if x.data, err = fingerprintOf(r, size, o.ModTime); err != nil {
		return nil, named(o.Name, err)
	}
	rd := NewReader(io.NewSectionReader(r, 0, size), &ReaderOptions{
		Name: o.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, BufferSize: indexBuffer})
	rd.points = &pointCollector{data: r, size: size}
	for {
		at := rd.Offset()
		if err := rd.Skip(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		x.add(rd.Offset() - at)
	}
	x.comp = rd.comp
	x.points = rd.points.points
	if n := len(x.points); n > 1 && x.points[n-1].plain == x.stream {
		x.points = x.points[:n-1] // nothing is behind it
	}
	return x, nil
}

// add adds a record that takes size bytes of the stream.
func (x *Index) add(size int64) {
	if x.count%groupSize == 0 {
		x.groups = append(x.groups, group{x.stream, len(x.sizes)})
	}
	x.sizes = binary.AppendUvarint(x.sizes, uint64(size-HeaderSize-FooterSize))
	x.count++
	x.stream += size
}

// Len returns the number of records.
func (x *Index) Len() int64 { return x.count }

// Compression returns the codec of the data.
func (x *Index) Compression() Compression { return x.comp }

// StreamSize returns the size of the uncompressed stream in bytes.
func (x *Index) StreamSize() int64 { return x.stream }

// Checkpoints returns at how many places a decoder can begin: one access costs
// what it takes to decode from one to the next. It is 0 for data that are not compressed,
// and 1 where everything has to be decoded from the start.
func (x *Index) Checkpoints() int { return len(x.points) }

// Entry returns where record i is in the uncompressed stream: the offset of its
// header, and its size with header and footer. It panics if there is no record i.
func (x *Index) Entry(i int64) (offset, size int64) {
	if i < 0 || i >= x.count {
		panic(fmt.Sprintf("tfrecord: record %d of an index of %d", i, x.count))
	}
	var b []byte
	if x.parts != nil {
		offset, b = x.parts.group(i / groupSize)
	} else {
		g := x.groups[i/groupSize]
		offset, b = g.offset, x.sizes[g.at:]
	}
	for i %= groupSize; ; i-- {
		n, k := binary.Uvarint(b)
		size = int64(n) + HeaderSize + FooterSize
		if i == 0 {
			return offset, size
		}
		offset += size
		b = b[k:]
	}
}

// Find returns the ordinal of the record that the byte at offset of the
// uncompressed stream belongs to: Len if it is behind the last one, and 0 if it is negative.
func (x *Index) Find(offset int64) int64 {
	if offset >= x.stream {
		return x.count
	}
	g := max(0, sort.Search(len(x.groups), func(g int) bool { return x.groups[g].offset > offset })-1)
	i, end := int64(g)*groupSize, x.groups[g].offset
	for b := x.sizes[x.groups[g].at:]; ; i++ {
		n, k := binary.Uvarint(b)
		if end += int64(n) + HeaderSize + FooterSize; end > offset {
			return i
		}
		b = b[k:]
	}
}

// check returns an error that wraps [ErrIndex] if the index was made for other data than
// size bytes in r, last modified at modTime. Modification times are compared unless one of
// them, now or when the index was made, is zero; if they alone differ, it also wraps [ErrModTime].
func (x *Index) check(r io.ReaderAt, size int64, modTime time.Time) error {
	if x.data.size < 0 { // only what the records add up to is known
		if size != x.stream {
			return indexFault("it describes %d bytes, and the data have %d", x.stream, size)
		}
		return nil
	}
	if size != x.data.size {
		return indexFault("it was made for %d bytes, and the data have %d", x.data.size, size)
	}
	f, err := fingerprintOf(r, size, modTime)
	switch {
	case err != nil:
		return err
	case f.head != x.data.head:
		return indexFault("the first bytes of the data are not those that it was made for")
	case f.tail != x.data.tail:
		return indexFault("the last bytes of the data are not those that it was made for")
	case f.modTime != 0 && x.data.modTime != 0 && f.modTime != x.data.modTime:
		e := indexFault("it was made for data last modified at %s, and these were at %s", stamp(x.data.modTime), stamp(f.modTime))
		e.cause = ErrModTime
		return e
	}
	return nil
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05.999999999") }

// indexFault says why an index does not fit.
func indexFault(format string, args ...any) *fault {
	return &fault{sentinel: ErrIndex, detail: "the index is out of date: " + fmt.Sprintf(format, args...)}
}

// group makes the groups from the sizes, which were read from somewhere. It returns
// an error if they are not count varints, or if they add up to more than there can be.
func (x *Index) group() error {
	x.groups = slices.Grow(x.groups[:0], len(x.sizes)/groupSize/2)
	count := int64(0)
	x.stream = 0
	for at := 0; at < len(x.sizes); count++ {
		if count%groupSize == 0 {
			x.groups = append(x.groups, group{x.stream, at})
		}
		n, k := binary.Uvarint(x.sizes[at:])
		if k <= 0 || n > math.MaxInt64-HeaderSize-FooterSize || x.stream > math.MaxInt64-HeaderSize-FooterSize-int64(n) {
			return badIndex("entry %d: no size of a record", count)
		}
		x.stream += int64(n) + HeaderSize + FooterSize
		at += k
	}
	if count != x.count {
		return badIndex("it states %d records and has sizes for %d", x.count, count)
	}
	return nil
}
