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

// namedRanges returns the ranges that the inputs name.
func namedRanges(in []Input, counts []int64) ([][]Range, error) {
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

// withinSlices chooses among the records of slices. choose is called with the number of records in the slice of each input,
// and its ranges are moved to their positions in the files.
func withinSlices(in []Input, counts []int64, choose func(counts []int64) [][]Range) ([][]Range, error) {
	slices, err := namedRanges(in, counts)
	if err != nil {
		return nil, err
	}
	selected := make([]int64, len(in))
	for i, r := range slices {
		selected[i] = r[0].End - r[0].First
	}
	chosen := choose(selected)
	for i := range chosen {
		for k := range chosen[i] {
			chosen[i][k].First += slices[i][0].First
			chosen[i][k].End += slices[i][0].First
		}
	}
	return chosen, nil
}

// lastRanges returns the ranges of the last n records of all inputs together.
func lastRanges(counts []int64, n int64) [][]Range {
	chosen := make([][]Range, len(counts))
	for i, count := range slices.Backward(counts) {
		k := min(n, count)
		chosen[i] = []Range{{First: count - k, End: count}}
		n -= k
	}
	return chosen
}

// sampleRanges returns the ranges of n random records of all inputs together.
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

// chooseOrdinals returns k random ordinals below total, in ascending order.
func chooseOrdinals(total, k int64, seed uint64) []int64 {
	l := newKeySampler(k, seed)
	for i := range total {
		if key, wins := l.draw(); wins {
			if int64(len(l.heap)) == l.n {
				l.heap[0] = sampledRecord{ordinal: i, key: key}
				heap.Fix(&l.heap, 0)
			} else {
				heap.Push(&l.heap, sampledRecord{ordinal: i, key: key})
			}
		}
	}
	ordinals := make([]int64, len(l.heap))
	for i, k := range l.sortedRecords() {
		ordinals[i] = k.ordinal
	}
	return ordinals
}

// A recordSampler selects some of the records that are read from front to end, and keeps copies of them.
type recordSampler interface {
	// add is called with every record. It copies a record that it keeps.
	add(k sampledRecord)
	// all returns the selected records in the order of the input, and how many should have been selected.
	all() (chosen []sampledRecord, want int64)
}

// A sampledRecord is a copy of a selected record.
type sampledRecord struct {
	ordinal int64  // ordinal among the records of all files
	key     uint64 // random number of the record
	file    *File
	pos     tfrecord.Position
	record  []byte
}

// A tailBuffer keeps the last n records within a limit of bytes.
type tailBuffer struct {
	n        int64           // number of records to keep
	maxBytes int64           // limit for bytes
	ring     []sampledRecord // the records from index first on
	first    int             // ring[:first] was dropped, but not yet deleted
	bytes    int64           // size of the kept records
	count    int64           // number of added records
}

func (l *tailBuffer) add(k sampledRecord) {
	l.count++
	if l.n == 0 {
		return
	}
	k.record = slices.Clone(k.record)
	l.ring = append(l.ring, k)
	l.bytes += int64(len(k.record))
	for int64(len(l.ring)-l.first) > l.n || l.bytes > l.maxBytes && l.first < len(l.ring) {
		l.bytes -= int64(len(l.ring[l.first].record))
		l.ring[l.first] = sampledRecord{}
		l.first++
	}
	if l.first > 16 && l.first > len(l.ring)/2 {
		l.ring = slices.Delete(l.ring, 0, l.first)
		l.first = 0
	}
}

func (l *tailBuffer) all() ([]sampledRecord, int64) { return l.ring[l.first:], min(l.n, l.count) }

// A keySampler is a reservoir sampler: it gives each record a random key and selects the n records with the smallest
// keys. So every set of n records is equally likely. The set depends on the seed and the number of records only, not on
// how they are read.
type keySampler struct {
	n      int64     // number of records to select
	random *rand.PCG // source of the keys
	count  int64     // number of keys drawn
	heap   keyHeap   // the selected records so far
}

// keyHeap is a heap of records with the largest key first.
type keyHeap []sampledRecord

func (w keyHeap) Len() int           { return len(w) }
func (w keyHeap) Less(i, j int) bool { return w[i].key > w[j].key }
func (w keyHeap) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *keyHeap) Push(x any)        { *w = append(*w, x.(sampledRecord)) }
func (w *keyHeap) Pop() any {
	last := len(*w) - 1
	k := (*w)[last]
	(*w)[last] = sampledRecord{}
	*w = (*w)[:last]
	return k
}

// newKeySampler returns a sampler of n records.
func newKeySampler(n int64, seed uint64) *keySampler {
	return &keySampler{n: n, random: rand.NewPCG(seed, 0)}
}

// draw returns the key of the next record, and reports whether the record is selected so far. The caller then pushes
// it, and drops the record with the largest key if there are more than n.
func (l *keySampler) draw() (key uint64, selected bool) {
	l.count++
	key = l.random.Uint64()
	return key, int64(len(l.heap)) < l.n || l.n > 0 && key < l.heap[0].key
}

// sortedRecords returns the selected records in the order of their ordinals.
func (l *keySampler) sortedRecords() []sampledRecord {
	slices.SortFunc(l.heap, func(a, b sampledRecord) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return l.heap
}

// A sampleBuffer keeps the records that a keySampler selects within a limit of bytes. Beyond the limit it keeps those
// with the smallest keys.
type sampleBuffer struct {
	*keySampler
	maxBytes int64  // limit for bytes
	bytes    int64  // size of the kept records
	full     bool   // records were dropped because of maxBytes
	limit    uint64 // if full: records with this key or a larger one are dropped
}

func (s *sampleBuffer) add(k sampledRecord) {
	key, wins := s.draw()
	if !wins || s.full && key >= s.limit {
		return
	}
	k.key, k.record = key, slices.Clone(k.record)
	heap.Push(&s.heap, k)
	s.bytes += int64(len(k.record))
	for int64(len(s.heap)) > s.n || s.bytes > s.maxBytes && len(s.heap) > 0 {
		tooMany := int64(len(s.heap)) > s.n
		lost := heap.Pop(&s.heap).(sampledRecord)
		s.bytes -= int64(len(lost.record))
		if !tooMany {
			s.full, s.limit = true, lost.key
		}
	}
}

func (s *sampleBuffer) all() ([]sampledRecord, int64) { return s.sortedRecords(), min(s.n, s.count) }

// A sampleReader reads the inputs from front to end, and then returns the records that a recordSampler has selected. It
// handles faults while it reads.
type sampleReader struct {
	source *Source // handles faults
	stream *stream // reads the inputs from front to end
	order  *Order  // of kind lastRecords or sampled

	read    bool            // whether the inputs were read to the end
	chosen  []sampledRecord // selected records that were not returned yet
	file    *File           // of the records being returned
	current event           // the event that next returned
}

// next implements [reader].
func (r *sampleReader) next() (*event, error) {
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
		r.current = event{kind: evEnd, file: r.file}
		r.file = nil
	case next == nil:
		return nil, io.EOF
	case r.file == nil:
		r.file = next
		r.current = event{kind: evBegin, file: next}
	default:
		r.current = event{kind: evRecord, rec: r.chosen[0].record, pos: r.chosen[0].pos}
		r.chosen[0].record = nil
		r.chosen = r.chosen[1:]
	}
	return &r.current, nil
}

// readAll reads the inputs to the end, and selects records.
func (r *sampleReader) readAll() error {
	var k recordSampler = &tailBuffer{n: r.order.n, maxBytes: int64(r.order.memory)}
	if r.order.kind == sampled {
		k = &sampleBuffer{keySampler: newKeySampler(r.order.n, r.order.seed), maxBytes: int64(r.order.memory)}
	}
	var file *File
	for n := int64(0); ; {
		ev, err := r.stream.next()
		if err == io.EOF {
			break
		}
		switch {
		case err != nil:
			return err
		case ev.kind == evBegin:
			file = ev.file
		case ev.kind == evFault:
			if err := r.source.fault(ev.fault); err != nil {
				return err
			}
		case ev.kind == evRecord && file.records != nil && // not in the slice
			(ev.pos.Record < file.records.First || ev.pos.Record >= file.records.End):
		case ev.kind == evRecord:
			k.add(sampledRecord{ordinal: n, file: file, pos: ev.pos, record: ev.rec})
			n++
		}
	}
	chosen, want := k.all()
	if n := int64(len(chosen)); n < want {
		memory, _ := r.order.memory.MarshalText()
		return fmt.Errorf("%s do not fit into --memory %s, only %d; raise it",
			cli.Plural(want, "record"), memory, n)
	}
	r.chosen = chosen
	return nil
}

// close implements [reader].
func (r *sampleReader) close() { r.stream.close() }
