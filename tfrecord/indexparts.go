package tfrecord

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// wholeIndex is how large an index file is that is read at once, also where a part would do.
const wholeIndex = 16 << 10

// indexParts reads an index file group by group, so that one record of many costs some hundred bytes of the index. Only
// indexes of uncompressed data are read so.
type indexParts struct {
	r       io.ReaderAt
	name    string // of the file, for errors
	at      int64  // of the groups, in the file
	size    int64  // of the sizes, which are behind the groups
	count   int64  // of groups
	records int64  // in all groups
	stream  int64  // size of the records

	mu     sync.Mutex
	loaded map[int64]loadedGroup // by ordinal
}

type loadedGroup struct {
	offset int64  // of the first record, in the stream
	sizes  []byte // of its payloads
}

// readIndexParts reads the head of an index file of some size. It returns nil if all of the file is to be read: it is short,
// of compressed data, or not an index.
func readIndexParts(r io.ReaderAt, size int64, name string) (*Index, error) {
	if size <= wholeIndex {
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
	if x.comp != None {
		return nil, nil
	}
	groups := groupsOf(x.count)
	if rest := size - indexHead - FooterSize; groups > rest/groupBytes || sizes != rest-groups*groupBytes {
		return nil, badIndex("it states %d records and %d bytes of sizes, and has %d bytes", x.count, sizes, size)
	}
	if x.data.size >= 0 && stream != x.data.size {
		return nil, badIndex("its records take %d bytes of %d", stream, x.data.size)
	}
	x.stream = stream
	x.parts = &indexParts{r: r, name: name, at: indexHead, size: sizes, count: groups, records: x.count, stream: stream, loaded: map[int64]loadedGroup{}}
	return x, nil
}

// Load reads the entries of the records from begin up to end, without end, of an index that is read in parts. Of any other it has them.
func (x *Index) Load(begin, end int64) error {
	if x.parts == nil || begin >= end {
		return nil
	}
	if begin < 0 || end > x.count {
		panic(fmt.Sprintf("tfrecord: records %d to %d of an index of %d", begin, end, x.count))
	}
	if err := x.parts.load(begin/groupSize, (end-1)/groupSize+1); err != nil {
		return named(x.parts.name, err)
	}
	return nil
}

// group returns where the first record of a group is, and the sizes of its records. It panics if it is not loaded.
func (p *indexParts) group(g int64) (offset int64, sizes []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.loaded[g]
	if !ok {
		panic(fmt.Sprintf("tfrecord: records of group %d of an index are not loaded", g))
	}
	return l.offset, l.sizes
}

// load reads the groups from first up to end, without end, by two reads.
func (p *indexParts) load(first, end int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for first < end && p.has(first) {
		first++
	}
	for first < end && p.has(end-1) {
		end--
	}
	if first == end {
		return nil
	}
	table := make([]byte, (min(end+1, p.count)-first)*groupBytes) // the file is as large
	if _, err := readAt(p.r, table, p.at+first*groupBytes); err != nil {
		return err
	}
	le := binary.LittleEndian
	from, to := int64(le.Uint64(table[8:])), p.size
	if end < p.count {
		to = int64(le.Uint64(table[(end-first)*groupBytes+8:]))
	}
	if from < 0 || to < from || to > p.size {
		return badIndex("group %d has its sizes at %d to %d of %d", first, from, to, p.size)
	}
	sizes := make([]byte, to-from)
	if _, err := readAt(p.r, sizes, p.at+p.count*groupBytes+from); err != nil {
		return err
	}
	for g := first; g < end; g++ {
		row := table[(g-first)*groupBytes:]
		begin, stop := int64(le.Uint64(row[8:])), to
		if g+1 < end {
			stop = int64(le.Uint64(row[groupBytes+8:]))
		}
		if begin < from || stop < begin || stop > to {
			return badIndex("group %d has its sizes at %d to %d of %d", g, begin, stop, p.size)
		}
		own := sizes[begin-from : stop-from]
		if stored, computed := le.Uint32(row[16:]), groupSum(row[:16], own); stored != computed {
			return badIndex("the checksum of group %d does not match: stored %#08x, computed %#08x", g, stored, computed)
		}
		offset := int64(le.Uint64(row))
		if err := p.check(g, offset, own); err != nil {
			return err
		}
		p.loaded[g] = loadedGroup{offset, own}
	}
	return nil
}

// check returns an error unless a group has sizes of as many records as it should, which are in the stream.
func (p *indexParts) check(g, offset int64, sizes []byte) error {
	records, end := int64(0), offset
	for b := sizes; len(b) > 0; records++ {
		n, k := binary.Uvarint(b)
		if k <= 0 || end < 0 || n > uint64(p.stream) {
			return badIndex("group %d: no size of a record", g)
		}
		end += int64(n) + HeaderSize + FooterSize
		b = b[k:]
	}
	if records != min(p.records-g*groupSize, groupSize) || offset < 0 || end < 0 || end > p.stream {
		return badIndex("group %d has %d records, to byte %d of %d", g, records, end, p.stream)
	}
	return nil
}

func (p *indexParts) has(g int64) bool {
	_, ok := p.loaded[g]
	return ok
}
