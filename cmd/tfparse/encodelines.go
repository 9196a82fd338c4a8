package main

import (
	"fmt"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/raggedjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// encode hands its lines to a pool, in batches whose text is records. What bounds
// its memory: a worker is given so many bytes of lines at a time, and a longer line
// is encoded where it is.
const lineBytes = 256 << 10

// A made is a record in the text of a batch: where it ends, and which line it is of.
type made struct{ end, line int }

// A sighting is a kind that the features of a line have and that, as far as the
// worker remembers, those of no line before had.
type sighting struct {
	line int // in the batch
	recordjson.Sighting
}

// add takes a line.
func (c *encode) add(name string, n int64, line []byte) error {
	pos := tfrecord.Position{Name: name, Record: -1, Offset: -1}
	switch undecided := c.enc != nil && !c.enc.Decided(); {
	case undecided:
		b := &batch{records: line, ends: []int{len(line)}, positions: []tfrecord.Position{pos}, lines: []int64{n}}
		(&textLines{c.enc, int64(c.max)}).format(b)
		if err := c.finish(b); err != nil || !c.enc.Decided() {
			return err
		}
		return c.useFork()
	case len(line) > lineBytes:
		if err := c.pool.drain(); err != nil {
			return err
		}
		b := c.pool.batch()
		b.records, b.ends = append(b.records, line...), append(b.ends, len(line))
		b.positions, b.lines = append(b.positions, pos), append(b.lines, n)
		c.pool.here.format(b)
		err := c.finish(b)
		if cap(b.records) <= 4*lineBytes {
			c.pool.free = append(c.pool.free, b)
		}
		return err
	}
	p := c.pool
	if p.current == nil {
		p.current = p.batch()
	}
	b := p.current
	b.records = append(b.records, line...)
	b.ends = append(b.ends, len(b.records))
	b.positions, b.lines = append(b.positions, pos), append(b.lines, n)
	if len(b.records) < lineBytes && len(b.ends) < batchRecords {
		return nil
	}
	return p.submit()
}

// The encoders of a stream.
type forks struct {
	sync.Mutex
	all []*recordjson.Encoder
}

// useFork makes the workers encode what follows as c.enc would.
func (c *encode) useFork() error {
	return c.pool.use(&style{func() formatter {
		enc := c.enc.Fork()
		c.forks.Lock()
		defer c.forks.Unlock()
		c.forks.all = append(c.forks.all, enc)
		return &textLines{enc, int64(c.max)}
	}})
}

// finish writes the records of a batch, and deals with the lines that made none,
// in the order of the lines.
func (c *encode) finish(b *batch) error {
	begin, seen := 0, 0
	sight := func(line int) error { // of lines up to that one
		for ; seen < len(b.sightings) && b.sightings[seen].line <= line; seen++ {
			s := &b.sightings[seen]
			told := c.kind.add(b.positions[s.line].Name, b.lines[s.line], &s.Sighting)
			switch {
			case told == "":
			case c.strict:
				return misfitOf(b.positions[s.line].Name, b.lines[s.line], fmt.Errorf("%s", told))
			case c.kind.told <= maxKindsTold:
				c.env.console.Print(fmt.Sprintf("%s: line %d: %s", b.positions[s.line].Name, b.lines[s.line], told))
			}
		}
		return nil
	}
	misfits := b.misfits
	for _, m := range b.made {
		for len(misfits) > 0 && misfits[0].at <= begin {
			if err := c.fault(misfits[0].fault); err != nil {
				return err
			}
			misfits = misfits[1:]
		}
		if err := sight(m.line); err != nil {
			return err
		}
		if err := c.out.write(b.text[begin:m.end]); err != nil {
			return err
		}
		c.progress.Records(1)
		begin = m.end
	}
	for _, m := range misfits {
		if err := c.fault(m.fault); err != nil {
			return err
		}
	}
	return nil
}

// misfit notes that line i of a batch makes no record.
func (b *batch) misfit(i int, err error) {
	b.misfits = append(b.misfits, misfit{len(b.text), misfitOf(b.positions[i].Name, b.lines[i], err)})
}

// A textLines encodes lines without a spec. It goes through a whole batch: its
// records are not much larger than its lines, and what enc remembers holds for
// later batches only.
type textLines struct {
	enc *recordjson.Encoder
	max int64
}

func (f *textLines) format(b *batch) {
	for ; b.next < len(b.ends); b.next++ {
		start := len(b.text)
		text, err := f.enc.Append(b.text, b.record(b.next))
		if err == nil {
			if err = checkSize(len(text)-start, f.max); err != nil {
				f.enc.Forget()
			}
		}
		if err != nil {
			b.misfit(b.next, err)
			continue
		}
		b.text = text
		b.made = append(b.made, made{len(text), b.next})
		for _, s := range f.enc.Sightings() {
			b.sightings = append(b.sightings, sighting{b.next, s})
		}
	}
}

func checkSize(size int, limit int64) error {
	if int64(size) > limit {
		return fmt.Errorf("record of %d bytes exceeds the size limit of %d", size, limit)
	}
	return nil
}

// A rowLines encodes lines that are rows of a spec. It gathers some and makes
// columns of them, from which the records are written.
type rowLines struct {
	reader *raggedjson.Reader
	max    int64
	faults []error // of each line
}

func newRowLines(parser *feature.Parser, limit int64) *rowLines {
	return &rowLines{reader: raggedjson.NewReader(parser), max: limit}
}

func (f *rowLines) format(b *batch) {
	for !b.full() {
		// A short line may stand for long defaults: lines are no limit.
		f.reader.Reset()
		f.faults = f.faults[:0]
		for i := b.next; i < len(b.ends) && f.reader.Size() < rowsBytes; i++ {
			f.faults = append(f.faults, f.reader.Append(b.record(i)))
		}
		batch, err := f.reader.Batch()
		row := 0
		for _, fault := range f.faults {
			i := b.next
			if b.full() {
				break // and the others are read again
			}
			b.next++
			text := b.text
			if fault == nil {
				if fault = err; err == nil {
					text, fault = batch.AppendRecord(b.text, row)
				}
				row++
			}
			if fault == nil {
				fault = checkSize(len(text)-len(b.text), f.max)
			}
			if fault != nil {
				b.misfit(i, fault)
				continue
			}
			b.text = text
			b.made = append(b.made, made{len(text), i})
		}
	}
}
