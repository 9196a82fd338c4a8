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

// An Index holds the offset of every record of a stream, so that [OpenIndexed] can read any record without the
// records before it. It takes two to four bytes of memory for each record of less than 2 MiB, and for compressed
// streams up to 32 KiB for each MiB of records.
//
// It identifies the data that it was made for by their size, their modification time, and checksums of their first
// and last 4 KiB. [OpenIndexed] compares them and refuses the index if one of them differs. A copy of a file has
// another modification time unless the tool preserves it, as cp -p does: [IndexedOptions.OnModTime] accepts the
// index for a copy after it has checked some records.
//
// An Index is immutable and safe for concurrent use. With [IndexedOptions].Partial it has only the
// entries that Load has read.
type Index struct {
	codec       Compression   // codec of the data
	origin      fingerprint   // the data it was made for
	count       int64         // number of records
	streamSize  int64         // size of the uncompressed stream in bytes
	sizes       []byte        // sizes of the payloads, as varints
	groups      []indexGroup  // one for every groupSize records
	checkpoints []checkpoint  // where a decoder can begin; empty for None
	partial     *partialIndex // where entries are read from on demand, in place of sizes and groups; usually nil
}

// groupSize is the number of records that share one absolute offset: a record is located by adding
// at most groupSize sizes, in about 100 ns.
const groupSize = 128

// indexGroup locates the first of groupSize records.
type indexGroup struct {
	offset  int64 // offset of the record in the uncompressed stream
	sizesAt int   // position of its size in Index.sizes
}

// fingerprint identifies data, to detect that they were changed after an index was made.
type fingerprint struct {
	size       int64  // in bytes; -1 for an index from the text form, which has no fingerprint
	modTime    int64  // in nanoseconds since 1970; 0: unknown
	head, tail uint32 // CRC-32C of the first and last fingerprintBytes bytes
}

// fingerprintBytes is the number of bytes that are compared at either end of the data: few enough to be cheap
// over a network.
const fingerprintBytes = 4 << 10

// fingerprintOf reads the first and the last bytes of data of a given size.
func fingerprintOf(r io.ReaderAt, size int64, modTime time.Time) (fingerprint, error) {
	f := fingerprint{size: size, modTime: unixNano(modTime)}
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

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// IndexOptions are the settings of [BuildIndex]. A nil *IndexOptions and zero fields select the
// defaults.
type IndexOptions struct {
	Name          string      // name of the data, for the positions in errors
	Compression   Compression // zero: detect the codec
	MaxRecordSize int64       // limit on the size of a payload; zero: [MaxRecordSize]
	ModTime       time.Time   // when the data were last modified; zero: unknown, and not compared later
}

// indexBuffer is the size of one read. Uncompressed records of four times this size are skipped by
// seeking; for short records a smaller buffer would cost more calls than it saves bytes.
const indexBuffer = 32 << 10

// BuildIndex reads size bytes of data once and returns their index. It compares the checksums of
// the lengths, but not those of the payloads: in uncompressed data it seeks from header to header
// past long payloads.
//
// Damaged and truncated streams are an [*Error]: an index always covers all of the data.
func BuildIndex(r io.ReaderAt, size int64, opts *IndexOptions) (*Index, error) {
	x, err := growIndex(r, size, opts, func(func() any) {})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// growIndex is BuildIndex, with recordhooks.GrowIndex.
func growIndex(r io.ReaderAt, size int64, opts *IndexOptions, grow func(snapshot func() any)) (x *Index, err error) {
	var o IndexOptions
	if opts != nil {
		o = *opts
	}
	x = new(Index)
	if x.origin, err = fingerprintOf(r, size, o.ModTime); err != nil {
		return x, nameError(o.Name, err)
	}
	rd := NewReader(io.NewSectionReader(r, 0, size), &ReaderOptions{
		Name: o.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, BufferSize: indexBuffer})
	rd.checkpoints = &checkpointRecorder{data: r, size: size}
	snapshot := func() any { // stays valid, since slices are only appended to
		x.codec, x.checkpoints = rd.codec, rd.checkpoints.checkpoints
		return new(*x)
	}
	for err == nil {
		at := rd.Offset()
		if err = rd.Skip(); err == nil {
			x.addRecord(rd.Offset() - at)
			if x.count%64 == 0 || rd.Offset()>>20 != at>>20 {
				grow(snapshot)
			}
		}
	}
	snapshot()
	if n := len(x.checkpoints); err == io.EOF && n > 1 && x.checkpoints[n-1].offset == x.streamSize {
		x.checkpoints = x.checkpoints[:n-1] // no record follows it
	}
	if err == io.EOF {
		err = nil
	}
	return x, err
}

// addRecord adds a record that takes size bytes of the stream.
func (x *Index) addRecord(size int64) {
	if x.count%groupSize == 0 {
		x.groups = append(x.groups, indexGroup{x.streamSize, len(x.sizes)})
	}
	x.sizes = binary.AppendUvarint(x.sizes, uint64(size-HeaderSize-FooterSize))
	x.count++
	x.streamSize += size
}

// Len returns the number of records.
func (x *Index) Len() int64 { return x.count }

// Compression returns the codec of the data.
func (x *Index) Compression() Compression { return x.codec }

// StreamSize returns the size of the uncompressed stream in bytes.
func (x *Index) StreamSize() int64 { return x.streamSize }

// Checkpoints returns the number of places where a decoder can begin. One access decodes from the last checkpoint
// before the record. It is 0 for uncompressed data, and 1 if everything has to be decoded from the start.
func (x *Index) Checkpoints() int { return len(x.checkpoints) }

// Entry returns the offset of the header of record i in the uncompressed stream, and the size of
// the record with header and footer. It panics if there is no record i.
func (x *Index) Entry(i int64) (offset, size int64) {
	if i < 0 || i >= x.count {
		panic(fmt.Sprintf("tfrecord: record %d of an index of %d", i, x.count))
	}
	var b []byte
	if x.partial != nil {
		offset, b = x.partial.findGroup(i / groupSize)
	} else {
		g := x.groups[i/groupSize]
		offset, b = g.offset, x.sizes[g.sizesAt:]
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

// Find returns the ordinal of the record that contains the byte at offset of the uncompressed
// stream: Len if the offset is after the last record, and 0 if it is negative.
func (x *Index) Find(offset int64) int64 {
	if offset >= x.streamSize {
		return x.count
	}
	g := max(0, sort.Search(len(x.groups), func(g int) bool { return x.groups[g].offset > offset })-1)
	i, end := int64(g)*groupSize, x.groups[g].offset
	for b := x.sizes[x.groups[g].sizesAt:]; ; i++ {
		n, k := binary.Uvarint(b)
		if end += int64(n) + HeaderSize + FooterSize; end > offset {
			return i
		}
		b = b[k:]
	}
}

// checkData returns an error that wraps [ErrIndex] if the index was made for other data than size
// bytes in r, last modified at modTime. Modification times are compared if both are known; if only
// they differ, the error also wraps [ErrModTime].
func (x *Index) checkData(r io.ReaderAt, size int64, modTime time.Time) error {
	if x.origin.size < 0 { // only the sum of the record sizes is known
		if size != x.streamSize {
			return outdatedIndex("it describes %d bytes, and the data have %d", x.streamSize, size)
		}
		return nil
	}
	if size != x.origin.size {
		return outdatedIndex("it was made for %d bytes, and the data have %d", x.origin.size, size)
	}
	f, err := fingerprintOf(r, size, modTime)
	switch {
	case err != nil:
		return err
	case f.head != x.origin.head:
		return outdatedIndex("the first bytes of the data have changed")
	case f.tail != x.origin.tail:
		return outdatedIndex("the last bytes of the data have changed")
	case f.modTime != 0 && x.origin.modTime != 0 && f.modTime != x.origin.modTime:
		e := outdatedIndex("data modified at %[2]s, index made for %[1]s", formatTime(x.origin.modTime), formatTime(f.modTime))
		e.cause = ErrModTime
		return e
	}
	return nil
}

func formatTime(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05.999999999")
}

// outdatedIndex is the error of an index of other data.
func outdatedIndex(format string, args ...any) *detailedError {
	return &detailedError{sentinel: ErrIndex, detail: "the index is out of date: " + fmt.Sprintf(format, args...)}
}

// buildGroups makes the groups from sizes that were read from a file. It returns an error unless
// they are count varints with a sum that fits into an int64.
func (x *Index) buildGroups() error {
	x.groups = slices.Grow(x.groups[:0], len(x.sizes)/groupSize/2)
	count := int64(0)
	x.streamSize = 0
	for at := 0; at < len(x.sizes); count++ {
		if count%groupSize == 0 {
			x.groups = append(x.groups, indexGroup{x.streamSize, at})
		}
		n, k := binary.Uvarint(x.sizes[at:])
		if k <= 0 || n > math.MaxInt64-HeaderSize-FooterSize || x.streamSize > math.MaxInt64-HeaderSize-FooterSize-int64(n) {
			return damagedIndex("entry %d: invalid size of a record", count)
		}
		x.streamSize += int64(n) + HeaderSize + FooterSize
		at += k
	}
	if count != x.count {
		return damagedIndex("want sizes of %d records, got %d", x.count, count)
	}
	return nil
}
