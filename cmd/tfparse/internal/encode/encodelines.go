package encode

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// encode hands its lines to a pool, in batches whose text is records. What bounds
// its memory: a worker is given this many bytes of lines at a time, and a longer line
// is encoded where it is.
const (
	lineBytes = 256 << 10
	rowsBytes = 1 << 20 // of columns that are made of rows at a time
)

// add takes a line.
func (c *encode) add(name string, n int64, line []byte) error {
	pos := tfrecord.Position{Name: name, Record: -1, Offset: -1}
	switch undecided := c.enc != nil && !c.enc.Decided(); {
	case undecided:
		b := &scan.OldBatch{Records: line, Ends: []int{len(line)}, Positions: []tfrecord.Position{pos}, Lines: []int64{n}}
		(&textLines{c.enc, c.reading.MaxRecord()}).Format(b)
		if err := c.finish(b); err != nil || !c.enc.Decided() {
			return err
		}
		return c.useFork()
	case len(line) > lineBytes:
		if err := c.pool.Drain(); err != nil {
			return err
		}
		b := c.pool.Batch()
		b.Records, b.Ends = append(b.Records, line...), append(b.Ends, len(line))
		b.Positions, b.Lines = append(b.Positions, pos), append(b.Lines, n)
		c.pool.Here.Format(b)
		err := c.finish(b)
		if cap(b.Records) <= 4*lineBytes {
			c.pool.Free = append(c.pool.Free, b)
		}
		return err
	}
	p := c.pool
	if p.Current == nil {
		p.Current = p.Batch()
	}
	b := p.Current
	b.Records = append(b.Records, line...)
	b.Ends = append(b.Ends, len(b.Records))
	b.Positions, b.Lines = append(b.Positions, pos), append(b.Lines, n)
	if len(b.Records) < lineBytes && len(b.Ends) < scan.BatchRecords {
		return nil
	}
	return p.Submit()
}

// The encoders of a stream.
type forks struct {
	sync.Mutex
	all []*recordjson.Encoder
}

// useFork makes the workers encode what follows as c.enc would.
func (c *encode) useFork() error {
	return c.pool.Use(func() scan.Formatter {
		enc := c.enc.Fork()
		c.forks.Lock()
		defer c.forks.Unlock()
		c.forks.all = append(c.forks.all, enc)
		return &textLines{enc, c.reading.MaxRecord()}
	})
}

// finish writes the records of a batch, and deals with the lines that made none,
// in the order of the lines.
func (c *encode) finish(b *scan.OldBatch) error {
	begin, seen := 0, 0
	sight := func(line int) error { // of lines up to that one
		for ; seen < len(b.Sightings) && b.Sightings[seen].Line <= line; seen++ {
			s := &b.Sightings[seen]
			warning := c.kind.add(b.Positions[s.Line].Name, b.Lines[s.Line], &s.Sighting)
			switch {
			case warning == "":
			case c.strict:
				return misfitOf(b.Positions[s.Line].Name, b.Lines[s.Line], errors.New(warning))
			case c.kind.mixed <= maxKindWarnings:
				c.env.Console.Print(fmt.Sprintf("%s: line %d: %s", b.Positions[s.Line].Name, b.Lines[s.Line], warning))
			}
		}
		return nil
	}
	misfits := b.Misfits
	for _, m := range b.Made {
		for len(misfits) > 0 && misfits[0].At <= begin {
			if err := c.fault(misfits[0].Fault); err != nil {
				return err
			}
			misfits = misfits[1:]
		}
		if err := sight(m.Line); err != nil {
			return err
		}
		if err := c.out.Write(b.Text[begin:m.End]); err != nil {
			return err
		}
		c.progress.Records(1)
		begin = m.End
	}
	for _, m := range misfits {
		if err := c.fault(m.Fault); err != nil {
			return err
		}
	}
	return nil
}

// misfit notes that line i of a batch makes no record.
func noteMisfit(b *scan.OldBatch, i int, err error) {
	b.Misfits = append(b.Misfits, scan.TextMisfit{At: len(b.Text), Fault: misfitOf(b.Positions[i].Name, b.Lines[i], err)})
}

// A textLines encodes lines without a spec. It goes through a whole batch: its
// records are not much larger than its lines, and what enc remembers holds for
// later batches only.
type textLines struct {
	enc *recordjson.Encoder
	max int64
}

func (f *textLines) Format(b *scan.OldBatch) {
	for ; b.Next < len(b.Ends); b.Next++ {
		start := len(b.Text)
		text, err := f.enc.Append(b.Text, b.Record(b.Next))
		if err == nil {
			if err = checkSize(len(text)-start, f.max); err != nil {
				f.enc.Forget()
			}
		}
		if err != nil {
			noteMisfit(b, b.Next, settled(err))
			continue
		}
		b.Text = text
		b.Made = append(b.Made, scan.Made{End: len(text), Line: b.Next})
		for _, s := range f.enc.Sightings() {
			b.Sightings = append(b.Sightings, scan.Sighting{Line: b.Next, Sighting: s})
		}
	}
}

// settled adds to an error the flag that decides what the line leaves open.
func settled(err error) error {
	switch {
	case errors.Is(err, recordjson.ErrMixedTypes):
		return fmt.Errorf("%w; --type settles doubts", err)
	case errors.Is(err, recordjson.ErrMixedKinds):
		return fmt.Errorf("%w; --kind settles doubts", err)
	}
	return err
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

func (f *rowLines) Format(b *scan.OldBatch) {
	for !b.Full() {
		// A short line may stand for long defaults: lines are no limit.
		f.reader.Reset()
		f.faults = f.faults[:0]
		for i := b.Next; i < len(b.Ends) && f.reader.Size() < rowsBytes; i++ {
			f.faults = append(f.faults, f.reader.Append(b.Record(i)))
		}
		batch, err := f.reader.Batch()
		row := 0
		for _, fault := range f.faults {
			i := b.Next
			if b.Full() {
				break // and the others are read again
			}
			b.Next++
			text := b.Text
			if fault == nil {
				if fault = err; err == nil {
					text, fault = batch.AppendRecord(b.Text, row)
				}
				row++
			}
			if fault == nil {
				fault = checkSize(len(text)-len(b.Text), f.max)
			}
			if fault != nil {
				noteMisfit(b, i, fault)
				continue
			}
			b.Text = text
			b.Made = append(b.Made, scan.Made{End: len(text), Line: i})
		}
	}
}
