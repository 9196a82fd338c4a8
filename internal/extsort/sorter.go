package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
)

// A Sorter sorts items by the bytes of their keys in bounded memory: what does not fit goes
// to a temporary file as sorted runs, which are merged in the end. Items with equal keys stay in the order
// in which they were added.
//
// Values may be large, keys should not be: a merge holds one key and a buffer of each run, but one value in all. If that
// does not fit, neighbouring runs are merged into a second file first, which for a time takes as much room as the first.
type Sorter struct {
	ctx    context.Context
	memory int64  // limit in bytes, of items before the merge and of keys and buffers in it
	beside string // the file that temporary files are made next to

	Added int64 // number of items
	Size  int64 // bytes of their values

	used   int64    // bytes of memory that items take, with what is left free behind them in full blocks
	items  []item   // since the last run was written
	blocks [][]byte // memory of the items, used again for the next run
	block  int      // index in blocks of the one that is being filled
	keyMax int      // length of the longest key

	runs  []run                 // in the order in which their items were added
	files []*atomicfile.Scratch // hold the runs; the last is written to
	end   int64                 // size of the last file
	out   *bufio.Writer         // to the last file
	buf   []byte                // for the lengths and the sum of an item
	value []byte                // the value that merge hands out, if it is longer than a buffer
}

// An item is a key and what belongs to it, one after the other.
type item struct {
	prefix uint64 // of the key, big-endian: most comparisons need no more
	data   []byte // key and value
	key    uint32 // length of the key
	order  uint32 // in which it was added
}

// A run is a sorted sequence of items in a temporary file. An item is the length of its key (4 bytes) and of its value (8
// bytes), both little-endian, the key, the value, and the CRC-32C of all these.
type run struct {
	file     *atomicfile.Scratch
	at, size int64 // bytes of the file
}

const (
	itemSize    = 80 // of an item, in a slice that has grown to twice its size
	blockSize   = 1 << 20
	headSize    = 12 // the two lengths
	sumSize     = 4
	leastBuffer = 16 << 10 // of a run that is merged
	mostBuffer  = 256 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// New returns a Sorter that takes about memory bytes. Temporary files are made beside the file output; where that is "", "-" (standard
// output) or one of a store, in the directory of the system for such files. It must be closed.
func New(ctx context.Context, memory int64, output string) *Sorter {
	if output == "" || output == "-" || storage.Remote(output) {
		output = filepath.Join(os.TempDir(), "tfparse")
	}
	return &Sorter{ctx: ctx, memory: memory, beside: output}
}

// Add adds an item. It copies.
func (s *Sorter) Add(key, value []byte) error {
	size := int64(len(key)+len(value)) + itemSize
	if len(s.items) > 0 && (s.used+size > s.memory || len(s.items) == math.MaxInt32) {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.Added++
	s.Size += int64(len(value))
	s.keyMax = max(s.keyMax, len(key))
	if size > s.memory { // is a run of its own, without a copy in memory
		return s.write(func(put func(key, value []byte) error) error { return put(key, value) })
	}
	s.used += size
	data := s.alloc(len(key) + len(value))
	data = append(append(data, key...), value...)
	s.items = append(s.items, item{keyPrefix(key), data, uint32(len(key)), uint32(len(s.items))})
	return nil
}

// alloc returns memory for n bytes: of a block, or its own if a quarter of the blocks could otherwise stay free.
func (s *Sorter) alloc(n int) []byte {
	size := int(min(blockSize, s.memory/8))
	if n > size/4 {
		return make([]byte, 0, n)
	}
	for ; s.block < len(s.blocks); s.block++ {
		b := s.blocks[s.block]
		if free := cap(b) - len(b); free < n {
			s.used += int64(free)
			continue
		}
		s.blocks[s.block] = b[:len(b)+n]
		return b[len(b) : len(b) : len(b)+n]
	}
	b := make([]byte, n, size)
	s.blocks = append(s.blocks, b)
	return b[:0:n]
}

func keyPrefix(key []byte) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

func (s *Sorter) sortItems() {
	slices.SortFunc(s.items, func(a, b item) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		if c := bytes.Compare(a.data[:a.key], b.data[:b.key]); c != 0 {
			return c
		}
		return cmp.Compare(a.order, b.order)
	})
}

// spill writes what is in memory to the temporary file.
func (s *Sorter) spill() error {
	err := s.write(s.eachItem)
	clear(s.items)
	s.items, s.used, s.block = s.items[:0], 0, 0
	for i, b := range s.blocks {
		s.blocks[i] = b[:0]
	}
	return err
}

// eachItem sorts the items in memory and calls yield for them.
func (s *Sorter) eachItem(yield func(key, value []byte) error) error {
	s.sortItems()
	for _, it := range s.items {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := yield(it.data[:it.key], it.data[it.key:]); err != nil {
			return err
		}
	}
	return nil
}

// openFile makes a temporary file for the next runs.
func (s *Sorter) openFile() error {
	f, err := atomicfile.NewScratch(s.beside)
	if err != nil {
		return s.fileError("write", err)
	}
	s.files, s.end = append(s.files, f), 0
	if s.out == nil {
		s.out = bufio.NewWriterSize(f, mostBuffer)
	}
	s.out.Reset(f)
	return nil
}

// write appends a run to the last file.
func (s *Sorter) write(each func(put func(key, value []byte) error) error) error {
	if len(s.files) == 0 {
		if err := s.openFile(); err != nil {
			return err
		}
	}
	r := run{file: s.files[len(s.files)-1], at: s.end}
	err := each(func(key, value []byte) error {
		s.buf = appendHead(s.buf[:0], len(key), len(value))
		sum := crc32.Update(crc32.Update(crc32.Update(0, castagnoli, s.buf), castagnoli, key), castagnoli, value)
		s.out.Write(s.buf)
		s.out.Write(key)
		s.out.Write(value)
		s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], sum)
		r.size += headSize + int64(len(key)+len(value)) + sumSize
		if _, err := s.out.Write(s.buf); err != nil { // of any of the four
			return s.fileError("write", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return s.fileError("write", err)
	}
	s.end += r.size
	s.runs = append(s.runs, r)
	return nil
}

func appendHead(b []byte, key, value int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(key))
	return binary.LittleEndian.AppendUint64(b, uint64(value))
}

// Each calls yield for all items in order; what it is given is lent for the call.
func (s *Sorter) Each(yield func(key, value []byte) error) error {
	if len(s.runs) == 0 {
		return s.eachItem(yield)
	}
	if len(s.items) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.items, s.blocks = nil, nil
	most := int(max(s.memory/int64(leastBuffer+s.keyMax), 2))
	for len(s.runs) > most {
		if err := s.mergeRuns(most); err != nil {
			return err
		}
	}
	return s.merge(s.runs, yield)
}

// mergeRuns merges up to most neighbouring runs each, until there are at most so many, or all are
// merged and their file is of no more use.
func (s *Sorter) mergeRuns(most int) error {
	if err := s.openFile(); err != nil {
		return err
	}
	old := s.runs
	s.runs = nil
	for len(old) > 0 && len(s.runs)+len(old) > most {
		n := min(most, len(old), len(s.runs)+len(old)-most+1)
		if err := s.write(func(put func(key, value []byte) error) error { return s.merge(old[:n], put) }); err != nil {
			return err
		}
		old = old[n:]
	}
	if len(old) == 0 {
		s.files[0].Close()
		s.files = s.files[1:]
	}
	s.runs = append(s.runs, old...)
	return nil
}

// fileError is an error of a temporary file, whose name says nothing: its directory does.
func (s *Sorter) fileError(action string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("temporary file in %s: cannot %s: %w", filepath.Dir(s.beside), action, err)
}

// Close removes the temporary files.
func (s *Sorter) Close() {
	for _, f := range s.files {
		f.Close()
	}
	*s = Sorter{Added: s.Added, Size: s.Size}
}

// merge calls yield for the items of runs, in order.
func (s *Sorter) merge(runs []run, yield func(key, value []byte) error) error {
	h := make(runHeap, 0, len(runs))
	buffer := min(max(s.memory/int64(len(runs)+1), leastBuffer), mostBuffer)
	for i, r := range runs {
		in := bufio.NewReaderSize(io.NewSectionReader(r.file, r.at, r.size), int(min(buffer, r.size)))
		reader := &runReader{in: in, rest: r.size, order: i}
		if err := reader.nextKey(); err != nil {
			return s.fileError("read", err)
		}
		h = append(h, reader)
	}
	heap.Init(&h)
	for len(h) > 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		r := h[0]
		value, err := r.readValue(&s.value)
		if err != nil {
			return s.fileError("read", err)
		}
		if err := yield(r.key, value); err != nil {
			return err
		}
		switch err := r.nextKey(); err {
		case nil:
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return s.fileError("read", err)
		}
	}
	return nil
}

// A runReader is a run that is merged, between the key and the value of an item.
type runReader struct {
	in     *bufio.Reader
	rest   int64  // bytes of the run that are not read yet
	order  int    // of the run
	prefix uint64 // of key
	key    []byte // owned by the runReader
	size   int64  // of the value
	sum    uint32 // of the lengths and the key
}

// errChanged is the error of a temporary file that does not hold what was written.
var errChanged = errors.New("its content has changed")

// nextKey reads the lengths and the key of the next item. At the end of the run it returns [io.EOF].
func (r *runReader) nextKey() error {
	if r.rest == 0 {
		return io.EOF
	}
	head, err := r.in.Peek(headSize)
	if err != nil {
		return noEOF(err)
	}
	n, size := int64(binary.LittleEndian.Uint32(head)), binary.LittleEndian.Uint64(head[4:])
	if r.rest -= headSize + n + sumSize; r.rest < 0 || size > uint64(r.rest) {
		return errChanged
	}
	r.size, r.sum = int64(size), crc32.Update(0, castagnoli, head)
	r.rest -= r.size
	r.in.Discard(headSize)
	r.key = slices.Grow(r.key[:0], int(n))[:n]
	if _, err := io.ReadFull(r.in, r.key); err != nil {
		return noEOF(err)
	}
	r.sum, r.prefix = crc32.Update(r.sum, castagnoli, r.key), keyPrefix(r.key)
	return nil
}

// readValue reads the value of the item, into buf if it does not fit into the buffer of the run. It is good until nextKey.
func (r *runReader) readValue(buf *[]byte) ([]byte, error) {
	n := int(r.size) + sumSize
	var b []byte
	var err error
	if n <= r.in.Size() {
		b, err = r.in.Peek(n)
		r.in.Discard(len(b))
	} else {
		*buf = slices.Grow((*buf)[:0], n)[:n]
		b = *buf
		_, err = io.ReadFull(r.in, b)
	}
	if err != nil {
		return nil, noEOF(err)
	}
	value := b[:r.size]
	if crc32.Update(r.sum, castagnoli, value) != binary.LittleEndian.Uint32(b[r.size:]) {
		return nil, errChanged
	}
	return value, nil
}

// noEOF is err, but a file that is shorter than what was written has changed.
func noEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errChanged
	}
	return err
}

type runHeap []*runReader

func (h runHeap) Len() int      { return len(h) }
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h runHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	return a.order < b.order
}
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}
