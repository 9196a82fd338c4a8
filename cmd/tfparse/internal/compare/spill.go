package compare

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// A ref is a record by its key and its content.
type ref struct {
	key, content [2]uint64 // of a hash
	record       int64
	file         int32 // in the inputs of its side
	side         int32
}

const refSize = 48

func (a *ref) compare(b *ref) int {
	return cmp.Or(slices.Compare(a.key[:], b.key[:]), slices.Compare(a.content[:], b.content[:]),
		cmp.Compare(a.side, b.side), cmp.Compare(a.file, b.file), cmp.Compare(a.record, b.record))
}

// A sorter sorts refs in bounded memory. What there is no room for is written, in sorted runs, to
// one temporary file, which has no name any more while it is used, where the system allows that.
type sorter struct {
	most int // refs in memory
	refs []ref
	file *os.File
	runs []io.Reader
	size int64 // of the file
}

func newSorter(memory int64) *sorter {
	return &sorter{most: int(max(min(memory/refSize, 1<<31-1), 1<<10))}
}

func (s *sorter) add(r ref) error {
	if len(s.refs) == s.most {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if len(s.refs) == cap(s.refs) { // no larger than there is room for
		s.refs = slices.Grow(s.refs, max(min(len(s.refs), s.most-len(s.refs)), 1))
	}
	s.refs = append(s.refs, r)
	return nil
}

// spill writes a run.
func (s *sorter) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "tfparse-diff-")
		if err != nil {
			return fmt.Errorf("a temporary file for --by: %w", err)
		}
		s.file = f
		os.Remove(f.Name()) // where that fails, as on Windows, close removes it
	}
	slices.SortFunc(s.refs, func(a, b ref) int { return a.compare(&b) })
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), 1<<20)
	var b []byte
	for i := range s.refs {
		r := &s.refs[i]
		b = b[:0]
		for _, word := range [...]uint64{r.key[0], r.key[1], r.content[0], r.content[1], uint64(r.record)} {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(r.file))
		b = binary.LittleEndian.AppendUint32(b, uint32(r.side))
		w.Write(b)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("the temporary file of --by: %w", err)
	}
	n := int64(len(s.refs)) * refSize
	s.runs = append(s.runs, io.NewSectionReader(s.file, s.size, n))
	s.size += n
	s.refs = s.refs[:0]
	return nil
}

// each calls yield for all refs in order. It is called once.
func (s *sorter) each(yield func(ref) error) error {
	if s.file == nil {
		slices.SortFunc(s.refs, func(a, b ref) int { return a.compare(&b) })
		for _, r := range s.refs {
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.refs = nil
	buffer := min(max(s.most*refSize/len(s.runs), 4<<10), 256<<10)
	var h runs
	for _, r := range s.runs {
		run := &run{r: bufio.NewReaderSize(r, buffer)}
		if ok, err := run.next(); err != nil {
			return err
		} else if ok {
			h = append(h, run)
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		if err := yield(h[0].first); err != nil {
			return err
		}
		ok, err := h[0].next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return nil
}

// close removes the temporary file.
func (s *sorter) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// A run is a sorted part of the temporary file.
type run struct {
	r     *bufio.Reader
	first ref
}

func (r *run) next() (bool, error) {
	var b [refSize]byte
	if _, err := io.ReadFull(r.r, b[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("the temporary file of --by: %w", err)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	r.first = ref{
		key: [2]uint64{word(0), word(1)}, content: [2]uint64{word(2), word(3)}, record: int64(word(4)),
		file: int32(binary.LittleEndian.Uint32(b[40:])), side: int32(binary.LittleEndian.Uint32(b[44:])),
	}
	return true, nil
}

// runs is a heap of runs, the one with the first ref on top.
type runs []*run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return h[i].first.compare(&h[j].first) < 0 }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *runs) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
