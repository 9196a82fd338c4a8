package main

import (
	"runtime"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// What bounds the memory of a pool; text may be six times as long as a record.
const (
	batchBytes   = 64 << 10 // a worker is given so many bytes of records at a time
	batchRecords = 512      // or so many records
	longRecord   = 64 << 10 // a longer record is formatted where it is
	batchText    = 1 << 20  // with so much text a batch goes on only when that is written
	maxWorkers   = 8        // unless the user asks for more
)

// A formatter makes the text of a batch. It is for one goroutine at a time.
type formatter interface {
	// format appends to b.text, and to b.misfits for records that have none, from
	// record b.next on until b.full; then it is called again, with an empty text.
	format(b *batch)
}

// An each is a formatter that appends the text of one record to dst, and returns
// dst as it was if there is an error.
type each func(dst, rec []byte, pos tfrecord.Position) ([]byte, error)

// A style makes formatters that do the same.
type style struct{ formatter func() formatter }

// A pool formats records on several goroutines and adds their text to an
// output, in order. It is filled by one goroutine, which also writes: when as
// many batches are under way as may be, it waits for the oldest.
type pool struct {
	out    *output
	fault  func(*walk.Fault) error // told of records that have no text, in order
	finish func(*batch) error      // takes the text of a batch, in order: addText, unless it is no text

	style   *style
	here    formatter // for the goroutine that fills
	current *batch
	pending []*batch // under way, oldest first
	free    []*batch
	max     int // batches under way
	most    int // that max may be
	work    chan *batch
	workers sync.WaitGroup
}

// A batch is some records and, once it is done, their text.
type batch struct {
	style     *style
	records   []byte
	ends      []int          // of each record
	next      int            // the first record that was not formatted
	rows      *feature.Batch // instead of the two above: records that have been parsed
	positions []tfrecord.Position
	text      []byte
	misfits   []misfit
	done      chan struct{}

	// Of lines that become records, see encode.
	lines     []int64 // number of each
	made      []made  // the records, whose bytes are the text
	sightings []sighting
}

// A misfit is a record that has no text; it would begin at byte at.
type misfit struct {
	at    int
	fault *walk.Fault
}

// newPool starts a pool. It must be closed.
func newPool(out *output, fault func(*walk.Fault) error) *pool {
	return startPool(min(runtime.GOMAXPROCS(0), maxWorkers), out, fault)
}

// startPool starts a pool of n workers.
func startPool(n int, out *output, fault func(*walk.Fault) error) *pool {
	p := &pool{out: out, fault: fault, max: 2 * n, most: 2 * n, work: make(chan *batch, 2*n)}
	p.finish = p.addText
	for range n {
		p.workers.Go(func() {
			var last *style
			var f formatter
			for b := range p.work {
				if b.style != last {
					last, f = b.style, b.style.formatter()
				}
				f.format(b)
				b.done <- struct{}{}
			}
		})
	}
	return p
}

// use sets how the records that follow are formatted.
func (p *pool) use(s *style) error {
	if err := p.submit(); err != nil {
		return err
	}
	p.style, p.here = s, s.formatter()
	return nil
}

// add takes a record; it copies rec. The error is one of writing, or of fault.
func (p *pool) add(rec []byte, pos tfrecord.Position) error {
	if len(rec) > longRecord {
		if err := p.drain(); err != nil {
			return err
		}
		b := batch{records: rec, ends: []int{len(rec)}, positions: []tfrecord.Position{pos}, text: p.out.buf}
		p.here.format(&b)
		p.out.buf = b.text
		if len(b.misfits) > 0 {
			return p.fault(b.misfits[0].fault)
		}
		return p.out.spill()
	}
	if p.current == nil {
		p.current = p.batch()
	}
	b := p.current
	b.records = append(b.records, rec...)
	b.ends = append(b.ends, len(b.records))
	b.positions = append(b.positions, pos)
	if len(b.records) < batchBytes && len(b.ends) < batchRecords {
		return nil
	}
	return p.submit()
}

// batch returns an empty batch.
func (p *pool) batch() *batch {
	var b *batch
	if n := len(p.free); n > 0 {
		b, p.free = p.free[n-1], p.free[:n-1]
		b.records, b.ends, b.next, b.positions = b.records[:0], b.ends[:0], 0, b.positions[:0]
		b.text, b.misfits = b.text[:0], b.misfits[:0]
		b.lines, b.made, b.sightings = b.lines[:0], b.made[:0], b.sightings[:0]
		if b.rows != nil {
			b.rows.Reset()
		}
	} else {
		b = &batch{done: make(chan struct{}, 1)}
	}
	b.style = p.style
	return b
}

// submit hands the current batch out.
func (p *pool) submit() error {
	if p.current == nil {
		return nil
	}
	for len(p.pending) >= p.max {
		if err := p.retire(); err != nil {
			return err
		}
	}
	p.pending = append(p.pending, p.current)
	p.work <- p.current
	p.current = nil
	return nil
}

// retire waits for the oldest batch and adds its text to the output. A batch whose
// text is too long to be kept is formatted and added in parts.
func (p *pool) retire() error {
	b := p.pending[0]
	p.pending = append(p.pending[:0], p.pending[1:]...)
	<-b.done
	for b.next < len(b.ends) {
		if err := p.finish(b); err != nil {
			return err
		}
		b.text, b.misfits, b.made = b.text[:0], b.misfits[:0], b.made[:0]
		p.work <- b // which has room for all that were pending
		<-b.done
	}
	p.free = append(p.free, b)
	return p.finish(b)
}

// addText adds the text of a batch to the output, and tells of its misfits.
func (p *pool) addText(b *batch) error {
	written := 0
	for _, m := range b.misfits {
		if err := p.write(b.text[written:m.at]); err != nil {
			return err
		}
		written = m.at
		if err := p.fault(m.fault); err != nil {
			return err
		}
	}
	return p.write(b.text[written:])
}

// write adds text to the output.
func (p *pool) write(text []byte) error {
	if len(text) >= spillAt {
		_, err := p.out.Write(text)
		return err
	}
	p.out.buf = append(p.out.buf, text...)
	return p.out.spill()
}

// drain brings the output up to date with what was added.
func (p *pool) drain() error {
	err := p.submit()
	for err == nil && len(p.pending) > 0 {
		err = p.retire()
	}
	return err
}

// close ends the workers. What was not drained is dropped.
func (p *pool) close() {
	close(p.work)
	p.workers.Wait()
}

func (f each) format(b *batch) {
	for !b.full() {
		i := b.next
		b.next++
		var err error
		if b.text, err = f(b.text, b.record(i), b.positions[i]); err != nil {
			b.unfit(i, err)
		}
	}
}

// full reports whether there is nothing left to format, or the text is to be written
// before there is more of it.
func (b *batch) full() bool { return b.next == len(b.ends) || len(b.text) >= batchText }

// record returns record i.
func (b *batch) record(i int) []byte {
	if i == 0 {
		return b.records[:b.ends[0]]
	}
	return b.records[b.ends[i-1]:b.ends[i]]
}

// unfit notes that record i has no text, where that would follow now.
func (b *batch) unfit(i int, err error) {
	b.misfits = append(b.misfits, misfit{len(b.text), walk.Misfit(b.positions[i], err)})
}
