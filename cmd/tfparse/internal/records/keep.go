package records

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A keeper chooses among records that are read from front to end, and keeps copies of them.
type keeper interface {
	// add is given every record. It may keep a copy.
	add(k kept)
	// all returns what was chosen, in the order of the input, and how many that should be.
	all() (chosen []kept, want int64)
}

// A kept is a record that was chosen.
type kept struct {
	ordinal int64 // among the records of all files
	key     uint64
	file    *recordscan.File
	pos     tfrecord.Position
	record  []byte
}

// A last keeps the last n records, or as many of them as fit into some bytes.
type last struct {
	n, most int64
	ring    []kept // from first on
	first   int
	bytes   int64
	seen    int64
}

func (l *last) add(k kept) {
	l.seen++
	if l.n == 0 {
		return
	}
	k.record = slices.Clone(k.record)
	l.ring = append(l.ring, k)
	l.bytes += int64(len(k.record))
	for int64(len(l.ring)-l.first) > l.n || l.bytes > l.most && l.first < len(l.ring) {
		l.bytes -= int64(len(l.ring[l.first].record))
		l.ring[l.first] = kept{}
		l.first++
	}
	if l.first > 16 && l.first > len(l.ring)/2 {
		l.ring = slices.Delete(l.ring, 0, l.first)
		l.first = 0
	}
}

func (l *last) all() ([]kept, int64) { return l.ring[l.first:], min(l.n, l.seen) }

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
type winners []kept

func (w winners) Len() int           { return len(w) }
func (w winners) Less(i, j int) bool { return w[i].key > w[j].key }
func (w winners) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *winners) Push(x any)        { *w = append(*w, x.(kept)) }
func (w *winners) Pop() any {
	last := len(*w) - 1
	k := (*w)[last]
	(*w)[last] = kept{}
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
func (l *lottery) chosen() []kept {
	slices.SortFunc(l.heap, func(a, b kept) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return l.heap
}

// choose returns k of the numbers below total, in ascending order.
func choose(total, k int64, seed uint64) []int64 {
	l := newLottery(k, seed)
	for i := range total {
		if key, wins := l.draw(); wins {
			if int64(len(l.heap)) == l.n {
				l.heap[0] = kept{ordinal: i, key: key}
				heap.Fix(&l.heap, 0)
			} else {
				heap.Push(&l.heap, kept{ordinal: i, key: key})
			}
		}
	}
	ordinals := make([]int64, len(l.heap))
	for i, k := range l.chosen() {
		ordinals[i] = k.ordinal
	}
	return ordinals
}

// A sampled keeps the records that win a lottery, or as many of those with the smallest numbers as fit
// into some bytes.
type sampled struct {
	*lottery
	most  int64
	bytes int64
	full  bool   // some did not fit
	limit uint64 // if full: those with this number or a larger one do not fit
}

func (s *sampled) add(k kept) {
	key, wins := s.draw()
	if !wins || s.full && key >= s.limit {
		return
	}
	k.key, k.record = key, slices.Clone(k.record)
	heap.Push(&s.heap, k)
	s.bytes += int64(len(k.record))
	for int64(len(s.heap)) > s.n || s.bytes > s.most && len(s.heap) > 0 {
		tooMany := int64(len(s.heap)) > s.n
		lost := heap.Pop(&s.heap).(kept)
		s.bytes -= int64(len(lost.record))
		if !tooMany {
			s.full, s.limit = true, lost.key
		}
	}
}

func (s *sampled) all() ([]kept, int64) { return s.chosen(), min(s.n, s.seen) }

// A keeping is the Visitor that gives a keeper what is read.
type keeping struct {
	keeper
	fault func(*recordscan.Fault) error
	file  *recordscan.File
	seen  int64
}

func (k *keeping) Begin(f *recordscan.File) error { k.file = f; return nil }

func (k *keeping) Record(rec []byte, pos tfrecord.Position) error {
	k.add(kept{ordinal: k.seen, file: k.file, pos: pos, record: rec})
	k.seen++
	return nil
}

func (k *keeping) Skipped(f *recordscan.Fault) error { return k.fault(f) }
func (k *keeping) End(*recordscan.File) error        { return nil }

// walkKept reads the inputs from front to end, and gives v the records that a keeper has chosen.
func (g *chooser) walkKept(e *cli.Env, in []recordscan.Input, v recordscan.Visitor, k keeper) error {
	if g.index != "" {
		return cli.Usagef("%s: --index is for a regular file", in[0].Name)
	}
	if err := g.reading.Walk(e, in, nil, &keeping{keeper: k, fault: g.fault}); err != nil {
		return err
	}
	chosen, want := k.all()
	if n := int64(len(chosen)); n < want {
		memory, _ := g.memory.MarshalText()
		return fmt.Errorf("%s do not fit into --memory %s: %d of them do; raise it, or write the input to a file without compression, where an index finds records",
			cli.Plural(want, "record"), memory, n)
	}
	for len(chosen) > 0 {
		f := chosen[0].file
		if err := v.Begin(f); err != nil {
			return err
		}
		for len(chosen) > 0 && chosen[0].file == f {
			if err := v.Record(chosen[0].record, chosen[0].pos); err != nil {
				return err
			}
			chosen[0].record = nil
			chosen = chosen[1:]
		}
		if err := v.End(f); err != nil {
			return err
		}
	}
	return nil
}

// mustRead reports whether the inputs are read from front to end: where one is CSV, a pipe, a compressed
// file without an index, which would be decoded twice, or a file without an index that may be damaged, since
// no index can be made of the records after a damaged length.
func (g *chooser) mustRead(in []recordscan.Input) bool {
	return slices.ContainsFunc(in, func(i recordscan.Input) bool {
		_, err := storage.Stat(i.Name)
		switch {
		case i.Err != nil:
			return false
		case i.Table != nil:
			return true
		case !i.Regular():
			return err == nil || i.Name == recordscan.Stdin
		case g.index != "" || recordscan.HasIndex(i.Name):
			return false
		case g.reading.OnError == cli.Skip:
			return true
		case g.reading.Compression != tfrecord.Auto:
			return g.reading.Compression != tfrecord.None
		}
		r, err := tfrecord.Open(i.Name, nil)
		if err != nil {
			return false // which is reported later
		}
		defer r.Close()
		_ = r.Skip() // an error too
		return r.Compression() != tfrecord.None && r.Compression() != tfrecord.Auto
	})
}
