package scan

import (
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

// numbered returns the ranges that inputs ask for.
func numbered(in []Input, counts []int64) ([][]Range, error) {
	chosen := make([][]Range, len(in))
	for i, n := range counts {
		all := Range{First: 0, End: n}
		if r := in[i].Records; r != nil && n > 0 {
			var err error
			if all, err = r.Of(n); err != nil {
				return nil, &Fault{File: in[i].Name, Record: -1, Offset: -1, Compressed: -1, Err: err}
			}
		}
		chosen[i] = []Range{all}
	}
	return chosen, nil
}

// lastRanges returns the last n records of all inputs together.
func lastRanges(counts []int64, n int64) [][]Range {
	chosen := make([][]Range, len(counts))
	for i, count := range slices.Backward(counts) {
		k := min(n, count)
		chosen[i] = []Range{{First: count - k, End: count}}
		n -= k
	}
	return chosen
}

// sampleRanges chooses n records of all inputs together.
func sampleRanges(counts []int64, n int64, seed uint64) [][]Range {
	total := int64(0)
	for _, count := range counts {
		total += count
	}
	chosen := make([][]Range, len(counts))
	file, begin := 0, int64(0)
	for _, at := range chooseOrdinals(total, n, seed) {
		for at >= begin+counts[file] {
			begin += counts[file]
			file++
		}
		chosen[file] = append(chosen[file], Range{First: at - begin, End: at - begin + 1})
	}
	return chosen
}

// chooseOrdinals returns k of the numbers below total, in ascending order.
func chooseOrdinals(total, k int64, seed uint64) []int64 {
	l := newLottery(k, seed)
	for i := range total {
		if key, wins := l.draw(); wins {
			if int64(len(l.heap)) == l.n {
				l.heap[0] = keptRecord{ordinal: i, key: key}
				heap.Fix(&l.heap, 0)
			} else {
				heap.Push(&l.heap, keptRecord{ordinal: i, key: key})
			}
		}
	}
	ordinals := make([]int64, len(l.heap))
	for i, k := range l.chosen() {
		ordinals[i] = k.ordinal
	}
	return ordinals
}

// A keeper chooses among records that are read from front to end, and keeps copies of them.
type keeper interface {
	// add is given every record. It may keep a copy.
	add(k keptRecord)
	// all returns what was chosen, in the order of the input, and how many that should be.
	all() (chosen []keptRecord, want int64)
}

// A keptRecord is a copy of a record that was chosen.
type keptRecord struct {
	ordinal int64 // among the records of all files
	key     uint64
	file    *File
	pos     tfrecord.Position
	record  []byte
}

// A tailBuffer keeps the last n records, or as many of them as fit into some bytes.
type tailBuffer struct {
	n, most int64
	ring    []keptRecord // from first on
	first   int
	bytes   int64
	seen    int64
}

func (l *tailBuffer) add(k keptRecord) {
	l.seen++
	if l.n == 0 {
		return
	}
	k.record = slices.Clone(k.record)
	l.ring = append(l.ring, k)
	l.bytes += int64(len(k.record))
	for int64(len(l.ring)-l.first) > l.n || l.bytes > l.most && l.first < len(l.ring) {
		l.bytes -= int64(len(l.ring[l.first].record))
		l.ring[l.first] = keptRecord{}
		l.first++
	}
	if l.first > 16 && l.first > len(l.ring)/2 {
		l.ring = slices.Delete(l.ring, 0, l.first)
		l.first = 0
	}
}

func (l *tailBuffer) all() ([]keptRecord, int64) { return l.ring[l.first:], min(l.n, l.seen) }

// A lottery draws a random number for each record; the n smallest numbers win. So each set of n is as
// likely as any other, and which one it is depends on the seed and on how many records there are, not on
// how they are read.
type lottery struct {
	n      int64
	random *rand.PCG
	seen   int64
	heap   winners
}

// winners is a heap: the largest number is first.
type winners []keptRecord

func (w winners) Len() int           { return len(w) }
func (w winners) Less(i, j int) bool { return w[i].key > w[j].key }
func (w winners) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *winners) Push(x any)        { *w = append(*w, x.(keptRecord)) }
func (w *winners) Pop() any {
	last := len(*w) - 1
	k := (*w)[last]
	(*w)[last] = keptRecord{}
	*w = (*w)[:last]
	return k
}

func newLottery(n int64, seed uint64) *lottery {
	return &lottery{n: n, random: rand.NewPCG(seed, 0)}
}

// draw draws the number of the next record. It reports whether that wins so far; then it is to be
// pushed, and the last of the others lost if there are n of them.
func (l *lottery) draw() (key uint64, wins bool) {
	l.seen++
	key = l.random.Uint64()
	return key, int64(len(l.heap)) < l.n || l.n > 0 && key < l.heap[0].key
}

// chosen returns the winners in the order of their ordinals.
func (l *lottery) chosen() []keptRecord {
	slices.SortFunc(l.heap, func(a, b keptRecord) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return l.heap
}

// A sampleBuffer keeps the records that win a lottery, or as many of those with the smallest numbers as fit
// into some bytes.
type sampleBuffer struct {
	*lottery
	most  int64
	bytes int64
	full  bool   // some did not fit
	limit uint64 // if full: those with this number or a larger one do not fit
}

func (s *sampleBuffer) add(k keptRecord) {
	key, wins := s.draw()
	if !wins || s.full && key >= s.limit {
		return
	}
	k.key, k.record = key, slices.Clone(k.record)
	heap.Push(&s.heap, k)
	s.bytes += int64(len(k.record))
	for int64(len(s.heap)) > s.n || s.bytes > s.most && len(s.heap) > 0 {
		tooMany := int64(len(s.heap)) > s.n
		lost := heap.Pop(&s.heap).(keptRecord)
		s.bytes -= int64(len(lost.record))
		if !tooMany {
			s.full, s.limit = true, lost.key
		}
	}
}

func (s *sampleBuffer) all() ([]keptRecord, int64) { return s.chosen(), min(s.n, s.seen) }

// A keptReader reads the inputs from front to end, and then has the records that a keeper has chosen. Faults are dealt with when they
// are read.
type keptReader struct {
	s     *Source
	from  *stream
	order *Order

	read   bool // to the end
	chosen []keptRecord
	file   *File // of the records at hand
	ev     event
}

// next implements [reader].
func (r *keptReader) next() (*event, error) {
	if !r.read {
		r.read = true
		if err := r.readAll(); err != nil {
			return nil, err
		}
	}
	var next *File
	if len(r.chosen) > 0 {
		next = r.chosen[0].file
	}
	switch {
	case r.file != nil && r.file != next:
		r.ev = event{kind: evEnd, file: r.file}
		r.file = nil
	case next == nil:
		return nil, io.EOF
	case r.file == nil:
		r.file = next
		r.ev = event{kind: evBegin, file: next}
	default:
		r.ev = event{kind: evRecord, rec: r.chosen[0].record, pos: r.chosen[0].pos}
		r.chosen[0].record = nil
		r.chosen = r.chosen[1:]
	}
	return &r.ev, nil
}

// readAll reads the inputs.
func (r *keptReader) readAll() error {
	var k keeper = &tailBuffer{n: r.order.n, most: int64(r.order.memory)}
	if r.order.kind == sampled {
		k = &sampleBuffer{lottery: newLottery(r.order.n, r.order.seed), most: int64(r.order.memory)}
	}
	var file *File
	for n := int64(0); ; {
		ev, err := r.from.next()
		if err == io.EOF {
			break
		}
		switch {
		case err != nil:
			return err
		case ev.kind == evBegin:
			file = ev.file
		case ev.kind == evFault:
			if err := r.s.fault(ev.fault); err != nil {
				return err
			}
		case ev.kind == evRecord:
			k.add(keptRecord{ordinal: n, file: file, pos: ev.pos, record: ev.rec})
			n++
		}
	}
	chosen, want := k.all()
	if n := int64(len(chosen)); n < want {
		memory, _ := r.order.memory.MarshalText()
		return fmt.Errorf("%s do not fit into --memory %s: %d of them do; raise it, or write the input to a file without compression, where an index finds records",
			cli.Plural(want, "record"), memory, n)
	}
	r.chosen = chosen
	return nil
}

// close implements [reader].
func (r *keptReader) close() { r.from.close() }
