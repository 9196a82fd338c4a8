package extsort

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Sorter sorts items by the bytes of their keys in bounded memory: what does not fit goes
// to temporary files, sorted, which are merged in the end. Items with equal keys stay in the order
// in which they were added.
type Sorter struct {
	ctx    context.Context
	memory int64
	beside string // the file that temporary files are made next to

	Added  int64 // items
	Size   int64 // bytes of their values
	used   int64
	items  []item
	blocks [][]byte // memory of the items
	block  int      // the one that is being filled
	runs   []*atomicfile.Scratch
	buf    []byte
}

// An item is a key and what belongs to it, one behind the other.
type item struct {
	prefix uint64 // of the key, big-endian: most comparisons need no more
	data   []byte
	key    uint32 // its length
	order  uint32 // in which it was added
}

const (
	itemSize  = 80 // of an item, in a slice that has grown to twice its size
	blockSize = 1 << 20
	mostRuns  = 128 // that are merged at once
)

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
	s.used += size
	s.Added++
	s.Size += int64(len(value))
	data := s.alloc(len(key) + len(value))
	data = append(append(data, key...), value...)
	s.items = append(s.items, item{keyPrefix(key), data, uint32(len(key)), uint32(len(s.items))})
	return nil
}

// alloc returns memory for n bytes.
func (s *Sorter) alloc(n int) []byte {
	for ; s.block < len(s.blocks); s.block++ {
		if b := s.blocks[s.block]; cap(b)-len(b) >= n {
			s.blocks[s.block] = b[:len(b)+n]
			return b[len(b) : len(b) : len(b)+n]
		}
	}
	b := make([]byte, n, max(n, int(min(blockSize, s.memory))))
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

// spill writes what is in memory to a temporary file.
func (s *Sorter) spill() error {
	s.sortItems()
	err := s.write(func(put func(key, value []byte) error) error {
		for _, it := range s.items {
			if err := put(it.data[:it.key], it.data[it.key:]); err != nil {
				return err
			}
		}
		return nil
	})
	clear(s.items)
	s.items, s.used, s.block = s.items[:0], 0, 0
	kept := s.blocks[:0]
	for _, b := range s.blocks {
		if cap(b) <= blockSize {
			kept = append(kept, b[:0])
		}
	}
	clear(s.blocks[len(kept):])
	s.blocks = kept
	return err
}

// write writes a run: records of the length of the key, the key and the value.
func (s *Sorter) write(each func(put func(key, value []byte) error) error) error {
	f, err := atomicfile.NewScratch(s.beside)
	if err != nil {
		return s.scratchError(err)
	}
	s.runs = append(s.runs, f)
	w := tfrecord.NewWriter(f, nil)
	n := 0
	err = each(func(key, value []byte) error {
		if n++; n%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		s.buf = binary.AppendUvarint(s.buf[:0], uint64(len(key)))
		s.buf = append(append(s.buf, key...), value...)
		return w.WriteRecord(s.buf)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil && s.ctx.Err() == nil {
		err = s.scratchError(err)
	}
	return err
}

// Each calls yield for all items in order; what it is given is lent for the call.
func (s *Sorter) Each(yield func(key, value []byte) error) error {
	if len(s.runs) == 0 {
		s.sortItems()
		for i, it := range s.items {
			if i%1024 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if err := yield(it.data[:it.key], it.data[it.key:]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(s.items) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.blocks = nil
	for len(s.runs) > mostRuns { // neighbours are merged, so that equal keys keep their order
		old := s.runs
		s.runs = nil
		for len(old) > 0 {
			n := min(mostRuns, len(old))
			if err := s.write(func(put func(key, value []byte) error) error { return s.merge(old[:n], put) }); err != nil {
				s.runs = append(s.runs, old...)
				return err
			}
			for _, f := range old[:n] {
				f.Close()
			}
			old = old[n:]
		}
	}
	return s.merge(s.runs, yield)
}

// scratchError is an error of a temporary file, whose name says nothing: its directory does.
func (s *Sorter) scratchError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("temporary file in %s: cannot write: %w", filepath.Dir(s.beside), err)
}

// Close removes the temporary files.
func (s *Sorter) Close() {
	for _, f := range s.runs {
		f.Close()
	}
	s.runs, s.items, s.blocks = nil, nil, nil
}

// merge calls yield for the items of runs, in order.
func (s *Sorter) merge(runs []*atomicfile.Scratch, yield func(key, value []byte) error) error {
	var h runHeap
	buffer := int(min(max(s.memory/int64(len(runs)+1), 16<<10), 256<<10))
	for i, f := range runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return s.scratchError(err)
		}
		r := &runReader{Reader: tfrecord.NewReader(f, &tfrecord.ReaderOptions{Name: "temporary file", Compression: tfrecord.None, BufferSize: buffer, MaxRecordSize: math.MaxInt64}), run: i}
		switch err := r.next(); err {
		case nil:
			h = append(h, r)
		case io.EOF:
		default:
			return err
		}
	}
	heap.Init(&h)
	for n := 0; len(h) > 0; n++ {
		if n%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		r := h[0]
		if err := yield(r.key, r.value); err != nil {
			return err
		}
		switch err := r.next(); err {
		case nil:
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}

// A runReader is a run that is merged, at one of its items.
type runReader struct {
	*tfrecord.Reader
	run        int
	prefix     uint64
	key, value []byte
}

func (r *runReader) next() error {
	rec, err := r.Next()
	if err != nil {
		return err
	}
	n, size := binary.Uvarint(rec)
	r.key, r.value = rec[size:size+int(n)], rec[size+int(n):]
	r.prefix = keyPrefix(r.key)
	return nil
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
	return a.run < b.run
}
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
