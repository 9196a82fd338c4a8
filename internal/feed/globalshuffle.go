package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// globalShuffle returns the records of an epoch in one random order: the record at place i is record permute(i) of
// all files. It reads ranges of that order ahead, each in the order of the files, so that compressed files are
// decoded forwards:
//
//	reporting files   one call of nextRecord for each       open the file, report its beginning
//	reading           the current range has a record        return it, or skip it if it is damaged
//	                  the range is used up                  plan and submit ranges within the budget, wait for the next
//	                  no range is left                      report the ends of the files, io.EOF
type globalShuffle struct {
	stream        *Stream             // its settings and budget
	set           *indexedSet         // the files
	permute       func(i int64) int64 // nil until all files are open
	reportedFiles int                 // number of files whose beginning was reported

	nextPlace int64 // place in the order of the next record
	step      int64 // distance to the next place of this shard
	end       int64 // places from here on are not read
	plannedTo int64 // first place of the next range
	rangeSize int   // maximum number of records in the next range

	pool    *ordered.Pool[*orderRange] // reads ranges
	limit   int                        // maximum number of ranges in the pool
	planned *orderRange                // next range, which waits for the budget; may be nil
	current *orderRange                // range whose records are being returned; may be nil
	taken   int                        // number of records of current that were returned
	damaged []int64                    // by file: number of skipped records
}

// orderRange is consecutive records of the order that are read together.
type orderRange struct {
	refs    []recordRef // all records of the range
	bytes   int64       // total size of the records, which is charged to the budget
	bufSize int64       // size of buf: total size of the records without their own memory
	end     int64       // place after the last record
	buf     *Buffer     // memory of the records; nil until they are read
	records []recordRef // refs without the records that Filter rejects
}

// recordRef is one record of an orderRange.
type recordRef struct {
	place        int64 // place in the order
	file         int   // index in Config.Names
	record       int64 // ordinal in the file
	offset       int64 // offset of the header in the uncompressed stream
	size         int64 // in bytes, with header and footer
	ownMemory    bool  // item has its own memory, which grows while the record is read
	item         Item  // the record, after it was read
	err          error // why the record cannot be returned
	filterFailed bool  // err is that of Filter
}

// Sizes of ranges. The first is short, so that the first record comes early. In compressed files a longer range
// decodes less for each record: the bytes between two checkpoints are decoded once for all records of the range.
const (
	firstRange      = 16       // records of the first range
	plainRange      = 1 << 10  // maximum number of records, uncompressed
	compressedRange = 1 << 14  // maximum number of records, compressed
	compressedBytes = 16 << 20 // maximum size of the records, compressed
)

func (s *Stream) newGlobalShuffle() *globalShuffle {
	if s.indexed == nil {
		s.indexed = newIndexedSet(s)
	}
	c := &s.cfg
	p := &globalShuffle{stream: s, set: s.indexed, nextPlace: c.Shard, step: c.Shards, end: math.MaxInt64, rangeSize: firstRange, limit: 1, damaged: make([]int64, len(c.Names))}
	if s.countsPlaces() {
		p.nextPlace += min(c.Skip, math.MaxInt64/p.step-1) * p.step
		if c.Take >= 0 && c.Take < (math.MaxInt64-p.nextPlace)/p.step {
			p.end = p.nextPlace + c.Take*p.step
		}
	}
	if c.Readers > 0 {
		p.limit = c.Readers + 1
	}
	return p
}

// countsPlaces reports whether every place of the order has a record, so that Skip and Take count places, and the
// records that they leave out are not read.
func (s *Stream) countsPlaces() bool { return s.cfg.Filter == nil && !s.cfg.Recover }

// restoreState moves to the position of a State.
func (p *globalShuffle) restoreState(st *State) error {
	if err := p.stream.openIndexed(); err != nil {
		return err
	}
	if n := p.set.total(); st.Total > 0 && st.Total != n {
		return fmt.Errorf("%w: %d records, now %d", ErrState, st.Total, n)
	}
	p.nextPlace = st.Next
	return nil
}

// start begins to read. All files are open.
func (p *globalShuffle) start() {
	n := p.set.total()
	p.permute = newPermutation(n, p.stream.cfg.Seed, p.stream.epoch).at
	p.end, p.plannedTo = min(p.end, n), p.nextPlace
	p.pool = ordered.New(p.stream.ctx, p.stream.cfg.Readers, p.limit, func() func(*orderRange) error { return p.readRange })
}

// nextRecord implements [recordSequence].
func (p *globalShuffle) nextRecord() (Item, error) {
	if p.reportedFiles < len(p.stream.cfg.Names) {
		return Item{}, p.reportFile()
	}
	if p.permute == nil {
		p.start()
	}
	for {
		if p.current == nil {
			if err := p.nextRange(); err != nil {
				return Item{}, err
			}
		}
		for p.taken < len(p.current.records) {
			r := &p.current.records[p.taken]
			if r.err != nil {
				if err := p.skipOrFail(r); err != nil {
					return Item{}, err
				}
			}
			p.taken++
			p.nextPlace = r.place + p.step
			if r.err == nil {
				return r.item, nil
			}
		}
		p.nextPlace = p.current.end
		p.current.buf.release()
		p.current = nil
	}
}

// reportFile opens the next file, unless an earlier epoch did, and reports its beginning.
func (p *globalShuffle) reportFile() error {
	file := p.reportedFiles
	if len(p.set.files) == file {
		if err := p.set.openNext(); err != nil {
			return err
		}
	}
	p.reportedFiles++
	f := &p.set.files[file]
	p.stream.addEvent(Event{Begin: &FileBegin{file, f.records != nil, f.modTime}})
	if f.err != nil {
		p.stream.addEvent(Event{Skipped: &Skipped{Position{File: file, Record: -1}, -1, -1, f.err}})
	}
	return errEvent
}

// skipOrFail handles a record that cannot be read. It returns nil if the record is skipped.
func (p *globalShuffle) skipOrFail(r *recordRef) error {
	e, ok := errors.AsType[*tfrecord.Error](r.err)
	if p.stream.ctx.Err() != nil {
		return context.Cause(p.stream.ctx)
	}
	if !p.stream.cfg.Recover || !ok || e.Class == 0 && !r.filterFailed {
		p.stream.addEvent(Event{End: p.endOfFile(r.file, r.err)})
		return r.err
	}
	p.damaged[r.file]++
	p.stream.addEvent(Event{Skipped: &Skipped{Position{r.file, r.record, e.Offset}, e.Offset + r.size, 1, r.err}})
	return nil
}

// endOfFile returns the last event of a file.
func (p *globalShuffle) endOfFile(file int, err error) *FileEnd {
	end := &FileEnd{File: file, Err: err}
	if x := p.set.files[file].records; x != nil {
		end.Compression, end.Records = x.Index().Compression(), x.Len()-p.damaged[file]
	}
	return end
}

// nextRange waits for the next range, and submits those after it.
func (p *globalShuffle) nextRange() error {
	for p.pool.Len() < p.limit && (p.planned != nil || p.plannedTo < p.end) {
		if p.planned == nil {
			p.planned = p.planRange()
		}
		if !p.stream.budget.tryReserve(p.planned.bytes) {
			if p.pool.Len() > 0 {
				break
			}
			if p.stream.busyBlocks.Load() > 0 { // busy Blocks may release enough
				select {
				case <-p.stream.freed:
				case <-p.stream.paused:
					return ErrPaused
				case <-p.stream.ctx.Done():
					return context.Cause(p.stream.ctx)
				}
				continue
			}
			p.stream.budget.reserveNow(p.planned.bytes)
		}
		st := p.planned
		p.planned = nil
		if err := p.pool.Submit(st); err != nil {
			p.stream.budget.release(st.bytes)
			return err
		}
	}
	if p.pool.Len() == 0 {
		for file := range p.set.files {
			p.stream.addEvent(Event{End: p.endOfFile(file, nil)})
		}
		return io.EOF
	}
	st, err := p.pool.Next()
	if st == nil {
		return err
	}
	p.current, p.taken = st, 0
	return nil
}

// planRange returns the next range, of at least one record.
func (p *globalShuffle) planRange() *orderRange {
	most, bytes := plainRange, int64(p.stream.cfg.BufferSize)
	if p.set.compressed {
		most, bytes = compressedRange, max(bytes, min(compressedBytes, p.stream.cfg.Budget/int64(2*p.limit)))
	}
	st := &orderRange{refs: make([]recordRef, 0, min(p.rangeSize, most))}
	for p.plannedTo < p.end && len(st.refs) < p.rangeSize {
		r := recordRef{place: p.plannedTo}
		r.file, r.record = p.set.locate(p.permute(p.plannedTo))
		r.offset, r.size = p.set.files[r.file].records.Index().Entry(r.record)
		if len(st.refs) > 0 && r.size > bytes-st.bytes {
			break
		}
		// In compressed data only the index says how long a record is: memory for a long one grows as it
		// is read.
		if r.ownMemory = r.size > int64(p.stream.cfg.BufferSize) && p.set.files[r.file].records.Index().Compression() != tfrecord.None; !r.ownMemory {
			st.bufSize += r.size
		}
		st.refs = append(st.refs, r)
		st.bytes += r.size
		p.plannedTo += p.step
	}
	st.end = p.plannedTo
	p.rangeSize = min(2*p.rangeSize, most)
	return st
}

// readRange reads the records of a range, on any goroutine.
func (p *globalShuffle) readRange(st *orderRange) error {
	c := &p.stream.cfg
	st.buf = p.stream.newBuffer(st.bufSize)
	st.buf.charge = st.bytes
	slices.SortFunc(st.refs, func(a, b recordRef) int { return cmp.Or(a.file-b.file, cmp.Compare(a.record, b.record)) })
	used := int64(0)
	for i := range st.refs {
		r := &st.refs[i]
		if r.err = p.stream.ctx.Err(); r.err != nil {
			continue
		}
		f := &p.set.files[r.file]
		var room []byte
		if !r.ownMemory {
			room = st.buf.bytes[used:used:min(used+r.size, int64(len(st.buf.bytes)))]
			used += r.size
		}
		rec, err := f.records.AppendAt(room, r.record)
		if c.Progress != nil {
			c.Progress(1, int64(float64(r.offset+r.size)*f.storedRatio)-int64(float64(r.offset)*f.storedRatio))
		}
		at := Position{r.file, r.record, r.offset}
		r.item, r.err = Item{rec[:len(rec):len(rec)], at, st.buf}, err
		if err == nil && c.Filter != nil {
			ok, err := c.Filter(rec)
			if err != nil {
				r.err, r.filterFailed = &tfrecord.Error{Position: p.stream.namedPosition(at), Compressed: -1, Err: err}, true
			} else if !ok {
				r.item.buf = nil
			}
		}
	}
	slices.SortFunc(st.refs, func(a, b recordRef) int { return cmp.Compare(a.place, b.place) })
	st.records = slices.DeleteFunc(st.refs, func(r recordRef) bool { return r.err == nil && r.item.buf == nil })
	return nil
}

// ready reports whether the next record is available without waiting.
func (p *globalShuffle) ready() bool {
	return p.current != nil && p.taken < len(p.current.records) && p.current.records[p.taken].err == nil
}

// close ends the reading, waits for it, and releases what was read.
func (p *globalShuffle) close() {
	if p.pool != nil {
		for _, st := range p.pool.Close() {
			if st.buf != nil {
				st.buf.release()
			} else {
				p.stream.budget.release(st.bytes)
			}
		}
	}
	if p.current != nil {
		p.current.buf.release()
		p.current = nil
	}
	p.set.handles.close()
}

// A permutation is a pseudorandom order of the integers below n, which a seed and an epoch determine. It computes
// each element on demand, in constant memory. It is a Feistel network over an even number of bits; a result that is
// not below n is permuted again until it is (cycle walking). It is immutable.
type permutation struct {
	n    int64
	half uint                  // bits of half an integer
	keys [feistelRounds]uint64 // one for each round
}

// feistelRounds is the number of rounds that mix the halves. Four rounds make a permutation that looks random; with
// eight, permutations of few numbers are uniform too.
const feistelRounds = 8

// newPermutation returns the order of the integers below n for a seed and an epoch.
func newPermutation(n int64, seed uint64, epoch int64) *permutation {
	p := &permutation{n: n, half: uint(max(bits.Len64(uint64(max(n, 1)-1))+1, 8) / 2)}
	r := rand.NewPCG(seed, uint64(epoch))
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// at returns element i of the order. It panics unless 0 <= i < n.
func (p *permutation) at(i int64) int64 {
	if i < 0 || i >= p.n {
		panic("feed: an index outside the permutation")
	}
	mask := uint64(1)<<p.half - 1
	for x := uint64(i); ; {
		left, right := x>>p.half, x&mask
		for _, key := range p.keys {
			left, right = right, left^mix(right^key)&mask
		}
		if x = left<<p.half | right; x < uint64(p.n) {
			return int64(x)
		}
	}
}

// mix is the finalizer of SplitMix64: every bit of x changes about half of the result.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
