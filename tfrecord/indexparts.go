package tfrecord

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// minPartialSize is the size in bytes up to which an index file is read as a whole, also with
// IndexedOptions.Partial.
const minPartialSize = 16 << 10

// partialIndex reads an index file group by group, so that locating one record reads a few hundred
// bytes. It supports uncompressed data only.
type partialIndex struct {
	file       io.ReaderAt // the index file
	name       string      // name of file, for errors
	groupsAt   int64       // offset of the group table in file; the sizes follow it
	sizesLen   int64       // size of the sizes in bytes
	groupCount int64       // number of groups
	records    int64       // number of records
	streamSize int64       // size of the uncompressed stream in bytes

	mu     sync.Mutex             // guards loaded
	loaded map[int64]partialGroup // by ordinal of the group
}

// partialGroup is a group that was read and verified.
type partialGroup struct {
	offset int64  // offset of the first record in the uncompressed stream
	sizes  []byte // sizes of the payloads, as varints
}

// openPartialIndex reads the head of an index file of a given size. It returns nil if the caller must read the
// whole file: a short file, an index of compressed data, or not an index.
func openPartialIndex(r io.ReaderAt, size int64, name string) (*Index, error) {
	if size <= minPartialSize {
		return nil, nil
	}
	var b [indexHead]byte
	if _, err := readAt(r, b[:], 0); err != nil {
		return nil, err
	}
	if string(b[:len(indexMagic)]) != indexMagic || binary.LittleEndian.Uint32(b[8:]) != indexVersion {
		return nil, nil
	}
	x := new(Index)
	sizes, stream, err := x.parseHead(b[:])
	if err != nil {
		return nil, err
	}
	if x.codec != None {
		return nil, nil
	}
	groups := groupCount(x.count)
	if rest := size - indexHead - FooterSize; groups > rest/groupBytes || sizes != rest-groups*groupBytes {
		return nil, damagedIndex("%d records and %d bytes of sizes in a file of %d bytes", x.count, sizes, size)
	}
	if x.origin.size >= 0 && stream != x.origin.size {
		return nil, damagedIndex("records have %d bytes, the data have %d", stream, x.origin.size)
	}
	x.streamSize = stream
	x.partial = &partialIndex{file: r, name: name, groupsAt: indexHead, sizesLen: sizes, groupCount: groups, records: x.count, streamSize: stream, loaded: map[int64]partialGroup{}}
	return x, nil
}

// Load reads the entries of the records from begin up to end, exclusive, of a partial index; see
// [IndexedOptions].Partial. For other indexes it does nothing.
func (x *Index) Load(begin, end int64) error {
	if x.partial == nil || begin >= end {
		return nil
	}
	if begin < 0 || end > x.count {
		panic(fmt.Sprintf("tfrecord: records %d to %d of an index of %d", begin, end, x.count))
	}
	if err := x.partial.loadGroups(begin/groupSize, (end-1)/groupSize+1); err != nil {
		return nameError(x.partial.name, err)
	}
	return nil
}

// findGroup returns the offset of the first record of a group and the sizes of its records. It
// panics if the group is not loaded.
func (p *partialIndex) findGroup(g int64) (offset int64, sizes []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.loaded[g]
	if !ok {
		panic(fmt.Sprintf("tfrecord: group %d of a partial index is not loaded", g))
	}
	return l.offset, l.sizes
}

// loadGroups reads the groups from first up to end, exclusive, by two reads.
func (p *partialIndex) loadGroups(first, end int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for first < end && p.hasGroup(first) {
		first++
	}
	for first < end && p.hasGroup(end-1) {
		end--
	}
	if first == end {
		return nil
	}
	table := make([]byte, (min(end+1, p.groupCount)-first)*groupBytes) // the file is at least as large
	if _, err := readAt(p.file, table, p.groupsAt+first*groupBytes); err != nil {
		return err
	}
	le := binary.LittleEndian
	from, to := int64(le.Uint64(table[8:])), p.sizesLen
	if end < p.groupCount {
		to = int64(le.Uint64(table[(end-first)*groupBytes+8:]))
	}
	if from < 0 || to < from || to > p.sizesLen {
		return damagedIndex("group %d: sizes at %d to %d of %d", first, from, to, p.sizesLen)
	}
	sizes := make([]byte, to-from)
	if _, err := readAt(p.file, sizes, p.groupsAt+p.groupCount*groupBytes+from); err != nil {
		return err
	}
	for g := first; g < end; g++ {
		row := table[(g-first)*groupBytes:]
		begin, stop := int64(le.Uint64(row[8:])), to
		if g+1 < end {
			stop = int64(le.Uint64(row[groupBytes+8:]))
		}
		if begin < from || stop < begin || stop > to {
			return damagedIndex("group %d: sizes at %d to %d of %d", g, begin, stop, p.sizesLen)
		}
		own := sizes[begin-from : stop-from]
		if stored, computed := le.Uint32(row[16:]), groupChecksum(row[:16], own); stored != computed {
			return damagedIndex("group %d: checksum mismatch: stored %#08x, computed %#08x", g, stored, computed)
		}
		offset := int64(le.Uint64(row))
		if err := p.checkGroup(g, offset, own); err != nil {
			return err
		}
		p.loaded[g] = partialGroup{offset, own}
	}
	return nil
}

// checkGroup returns an error unless a group has sizes for the right number of records, all within
// the stream.
func (p *partialIndex) checkGroup(g, offset int64, sizes []byte) error {
	records, end := int64(0), offset
	for b := sizes; len(b) > 0; records++ {
		n, k := binary.Uvarint(b)
		if k <= 0 || end < 0 || n > uint64(p.streamSize) {
			return damagedIndex("group %d: invalid size of a record", g)
		}
		end += int64(n) + HeaderSize + FooterSize
		b = b[k:]
	}
	if records != min(p.records-g*groupSize, groupSize) || offset < 0 || end < 0 || end > p.streamSize {
		return damagedIndex("group %d: %d records, to byte %d of %d", g, records, end, p.streamSize)
	}
	return nil
}

func (p *partialIndex) hasGroup(g int64) bool {
	_, ok := p.loaded[g]
	return ok
}
