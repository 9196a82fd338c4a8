// Package extsort sorts any number of items in bounded memory, with temporary files.
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

// A Sorter sorts items by the bytes of their keys in bounded memory:
//
//	adding    Add copies items to memory; when memory is full, it sorts the items and writes them to a temporary file
//	          as a run
//	merging   Each writes the remaining items as a run and merges all runs; without a run it sorts the items in memory.
//	          If there are too many runs, it merges neighbouring runs into a second file first, which for a time takes
//	          as much space as the first
//
// Items with equal keys stay in the order in which they were added. Values may be large, keys should not be: a
// merge holds one key and a buffer of each run, and only one value.
type Sorter struct {
	ctx    context.Context // ends Each and the writing of runs
	memory int64           // limit in bytes: for items before the merge, for keys and buffers during it
	target string          // temporary files are made beside this name

	Added int64 // number of items added
	Size  int64 // total bytes of the values added

	used       int64    // bytes of memory that the items take, with the unused ends of full blocks
	items      []item   // items added since the last run
	blocks     [][]byte // memory of the items, reused for the next run
	blockIndex int      // index of the block that is being filled
	keyMax     int      // length of the longest key

	runs  []run                 // in the order in which their items were added
	files []*atomicfile.Scratch // temporary files with the runs; new runs are written to the last file
	end   int64                 // size of the last file in bytes
	out   *bufio.Writer         // writes to the last file
	buf   []byte                // for the lengths and the checksum of an item
	value []byte                // value that mergeEach yields, if it is longer than a buffer
}

// item is a key and its value.
type item struct {
	prefix uint64 // first 8 bytes of the key, big endian: most comparisons need no more
	data   []byte // key and value
	key    uint32 // length of the key
	order  uint32 // index among the items in memory: it orders equal keys
}

// run is a sorted sequence of items in a temporary file. An item is the length of its key (4 bytes) and of its
// value (8 bytes), both little endian, the key, the value, and the CRC-32C of all these.
type run struct {
	file         *atomicfile.Scratch
	offset, size int64 // bytes of the file
}

// Sizes in bytes.
const (
	itemSize  = 80 // an item, twice: append may double the slice
	blockSize = 1 << 20
	headSize  = 12        // length of the key and length of the value
	sumSize   = 4         // checksum
	minBuffer = 16 << 10  // minimum buffer of a run that is merged
	maxBuffer = 256 << 10 // maximum buffer of a run, and buffer for writing
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// New returns a Sorter that takes about memory bytes. Temporary files are made beside the file output; if that is
// "", "-" (standard output) or a file of a store, in the system's directory for temporary files. The Sorter must be
// closed.
func New(ctx context.Context, memory int64, output string) *Sorter {
	if output == "" || output == "-" || storage.Remote(output) {
		output = filepath.Join(os.TempDir(), "tfparse")
	}
	return &Sorter{ctx: ctx, memory: memory, target: output}
}

// Add adds a copy of an item.
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
	if size > s.memory { // the item becomes a run of its own, without a copy in memory
		return s.writeRun(func(put func(key, value []byte) error) error { return put(key, value) })
	}
	s.used += size
	data := s.allocate(len(key) + len(value))
	data = append(append(data, key...), value...)
	s.items = append(s.items, item{keyPrefix(key), data, uint32(len(key)), uint32(len(s.items))})
	return nil
}

// allocate returns memory for n bytes, from a block if n is at most a quarter of a block: larger items could leave
// too much of the blocks unused.
func (s *Sorter) allocate(n int) []byte {
	size := int(min(blockSize, s.memory/8))
	if n > size/4 {
		return make([]byte, 0, n)
	}
	for ; s.blockIndex < len(s.blocks); s.blockIndex++ {
		b := s.blocks[s.blockIndex]
		if free := cap(b) - len(b); free < n {
			s.used += int64(free)
			continue
		}
		s.blocks[s.blockIndex] = b[:len(b)+n]
		return b[len(b) : len(b) : len(b)+n]
	}
	b := make([]byte, n, size)
	s.blocks = append(s.blocks, b)
	return b[:0:n]
}

// keyPrefix returns the first 8 bytes of a key as a big-endian integer.
func keyPrefix(key []byte) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// sortItems sorts the items in memory.
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

// spill writes the items in memory as a run.
func (s *Sorter) spill() error {
	err := s.writeRun(s.eachItem)
	clear(s.items)
	s.items, s.used, s.blockIndex = s.items[:0], 0, 0
	for i, b := range s.blocks {
		s.blocks[i] = b[:0]
	}
	return err
}

// eachItem sorts the items in memory and yields them.
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
	f, err := atomicfile.NewScratch(s.target)
	if err != nil {
		return s.fileError("write", err)
	}
	s.files, s.end = append(s.files, f), 0
	if s.out == nil {
		s.out = bufio.NewWriterSize(f, maxBuffer)
	}
	s.out.Reset(f)
	return nil
}

// writeRun appends a run to the last file.
func (s *Sorter) writeRun(each func(put func(key, value []byte) error) error) error {
	if len(s.files) == 0 {
		if err := s.openFile(); err != nil {
			return err
		}
	}
	r := run{file: s.files[len(s.files)-1], offset: s.end}
	err := each(func(key, value []byte) error {
		s.buf = appendHead(s.buf[:0], len(key), len(value))
		sum := crc32.Update(crc32.Update(crc32.Update(0, castagnoli, s.buf), castagnoli, key), castagnoli, value)
		s.out.Write(s.buf)
		s.out.Write(key)
		s.out.Write(value)
		s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], sum)
		r.size += headSize + int64(len(key)+len(value)) + sumSize
		if _, err := s.out.Write(s.buf); err != nil { // bufio keeps the error of any of the four writes
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

// Each yields all items in order. Key and value are valid until yield returns.
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
	maxRuns := int(max(s.memory/int64(minBuffer+s.keyMax), 2))
	for len(s.runs) > maxRuns {
		if err := s.mergeRuns(maxRuns); err != nil {
			return err
		}
	}
	return s.mergeEach(s.runs, yield)
}

// mergeRuns merges up to maxRuns neighbouring runs at a time into a new file, until at most maxRuns are left. If
// all runs were merged, it removes their old file.
func (s *Sorter) mergeRuns(maxRuns int) error {
	if err := s.openFile(); err != nil {
		return err
	}
	old := s.runs
	s.runs = nil
	for len(old) > 0 && len(s.runs)+len(old) > maxRuns {
		n := min(maxRuns, len(old), len(s.runs)+len(old)-maxRuns+1)
		if err := s.writeRun(func(put func(key, value []byte) error) error { return s.mergeEach(old[:n], put) }); err != nil {
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

// fileError returns an error that names the directory of the temporary file. The name of the file would mean
// nothing to users.
func (s *Sorter) fileError(action string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("temporary file in %s: cannot %s: %w", filepath.Dir(s.target), action, err)
}

// Close removes the temporary files.
func (s *Sorter) Close() {
	for _, f := range s.files {
		f.Close()
	}
	*s = Sorter{Added: s.Added, Size: s.Size}
}

// mergeEach yields the items of runs in order.
func (s *Sorter) mergeEach(runs []run, yield func(key, value []byte) error) error {
	h := make(runHeap, 0, len(runs))
	buffer := min(max(s.memory/int64(len(runs)+1), minBuffer), maxBuffer)
	for i, r := range runs {
		in := bufio.NewReaderSize(io.NewSectionReader(r.file, r.offset, r.size), int(min(buffer, r.size)))
		reader := &runReader{source: in, rest: r.size, order: i}
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

// runReader reads a run during a merge. Between calls of nextKey and readValue it is at the value of an item.
type runReader struct {
	source *bufio.Reader // bytes of the run
	rest   int64         // bytes of the run after the current item
	order  int           // index of the run: it orders equal keys
	prefix uint64        // keyPrefix of key
	key    []byte        // key of the current item, owned by the runReader
	size   int64         // size of its value in bytes
	sum    uint32        // CRC-32C of the lengths and the key
}

// errChanged is the error of a temporary file that does not have the written content.
var errChanged = errors.New("its content has changed")

// nextKey reads the lengths and the key of the next item. At the end of the run it returns [io.EOF].
func (r *runReader) nextKey() error {
	if r.rest == 0 {
		return io.EOF
	}
	head, err := r.source.Peek(headSize)
	if err != nil {
		return noEOF(err)
	}
	n, size := int64(binary.LittleEndian.Uint32(head)), binary.LittleEndian.Uint64(head[4:])
	if r.rest -= headSize + n + sumSize; r.rest < 0 || size > uint64(r.rest) {
		return errChanged
	}
	r.size, r.sum = int64(size), crc32.Update(0, castagnoli, head)
	r.rest -= r.size
	r.source.Discard(headSize)
	r.key = slices.Grow(r.key[:0], int(n))[:n]
	if _, err := io.ReadFull(r.source, r.key); err != nil {
		return noEOF(err)
	}
	r.sum, r.prefix = crc32.Update(r.sum, castagnoli, r.key), keyPrefix(r.key)
	return nil
}

// readValue reads the value of the item, into buf if it does not fit into the buffer of the run. It is valid until
// nextKey.
func (r *runReader) readValue(buf *[]byte) ([]byte, error) {
	n := int(r.size) + sumSize
	var b []byte
	var err error
	if n <= r.source.Size() {
		b, err = r.source.Peek(n)
		r.source.Discard(len(b))
	} else {
		*buf = slices.Grow((*buf)[:0], n)[:n]
		b = *buf
		_, err = io.ReadFull(r.source, b)
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

// noEOF turns the errors of a file that is too short into errChanged.
func noEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errChanged
	}
	return err
}

// runHeap implements [heap.Interface]. The run with the smallest key comes first.
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
