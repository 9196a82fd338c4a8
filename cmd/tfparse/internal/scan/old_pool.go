package scan

import (
	"context"
	"runtime"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// What bounds the memory of a pool; text may be six times as long as a record.
const (
	oldBatchBytes = 64 << 10 // bytes of records that a worker gets at a time
	BatchRecords  = 512      // records that a worker gets at a time, at most
	oldLongRecord = 64 << 10 // a longer record is formatted where it is
	batchText     = 1 << 20  // a batch with this much text waits until it is written
	maxWorkers    = 8        // unless the user asks for more
)

// A Formatter makes the text of a batch. It is for one goroutine at a time.
type Formatter interface {
	// format appends to b.text, and to b.misfits for records that have none, from
	// record b.next on until b.full; then it is called again, with an empty text.
	Format(b *OldBatch)
}

// An Each is a formatter that appends the text of one record to dst, and returns
// dst as it was if there is an error.
type Each func(dst, rec []byte, pos tfrecord.Position) ([]byte, error)

// A style makes formatters that do the same.
type style struct{ formatter func() Formatter }

// A Pool formats records on several goroutines and adds their text to an
// output, in order. It is filled by one goroutine, which also writes: when as
// many batches are under way as may be, it waits for the oldest.
type Pool struct {
	out    *cli.Output
	fault  func(*Fault) error    // is given the records that have no text, in order
	Finish func(*OldBatch) error // takes the text of a batch, in order: addText, unless it is no text

	style   *style
	Here    Formatter // for the goroutine that fills
	Current *OldBatch
	Free    []*OldBatch
	most    int // batches under way
	work    *ordered.Queue[*OldBatch]
}

// A OldBatch is some records and, once it is done, their text.
type OldBatch struct {
	style     *style
	Records   []byte
	Ends      []int          // of each record
	Next      int            // the first record that was not formatted
	Rows      *feature.Batch // instead of the two above: records that have been parsed
	Positions []tfrecord.Position
	Text      []byte
	Misfits   []TextMisfit

	// Of lines that become records, see encode.
	Lines     []int64 // number of each
	Made      []Made  // the records, whose bytes are the text
	Sightings []Sighting
}

// A TextMisfit is a record that has no text; it would begin at byte at.
type TextMisfit struct {
	At    int
	Fault *Fault
}

// NewPool starts a pool. It must be closed.
func NewPool(out *cli.Output, fault func(*Fault) error) *Pool {
	return StartPool(min(runtime.GOMAXPROCS(0), maxWorkers), out, fault)
}

// StartPool starts a pool of n workers.
func StartPool(n int, out *cli.Output, fault func(*Fault) error) *Pool {
	p := &Pool{out: out, fault: fault, most: 2 * n}
	p.Finish = p.addText
	p.work = ordered.NewQueue(context.Background(), n, p.most, func() func(*OldBatch) error {
		var last *style
		var f Formatter
		return func(b *OldBatch) error {
			if b.style != last {
				last, f = b.style, b.style.formatter()
			}
			f.Format(b)
			return nil
		}
	}, p.use)
	return p
}

// Use sets how the records that follow are formatted: by what formatter makes, which all do the
// same, one for each goroutine.
func (p *Pool) Use(formatter func() Formatter) error {
	if err := p.Submit(); err != nil {
		return err
	}
	p.style, p.Here = &style{formatter}, formatter()
	return nil
}

// Add takes a record; it copies rec. The error is one of writing, or of fault.
func (p *Pool) Add(rec []byte, pos tfrecord.Position) error {
	if len(rec) > oldLongRecord {
		if err := p.Drain(); err != nil {
			return err
		}
		b := OldBatch{Records: rec, Ends: []int{len(rec)}, Positions: []tfrecord.Position{pos}, Text: p.out.Buf}
		p.Here.Format(&b)
		p.out.Buf = b.Text
		if len(b.Misfits) > 0 {
			return p.fault(b.Misfits[0].Fault)
		}
		return p.out.Spill()
	}
	if p.Current == nil {
		p.Current = p.Batch()
	}
	b := p.Current
	b.Records = append(b.Records, rec...)
	b.Ends = append(b.Ends, len(b.Records))
	b.Positions = append(b.Positions, pos)
	if len(b.Records) < oldBatchBytes && len(b.Ends) < BatchRecords {
		return nil
	}
	return p.Submit()
}

// OldBatch returns an empty batch.
func (p *Pool) Batch() *OldBatch {
	var b *OldBatch
	if n := len(p.Free); n > 0 {
		b, p.Free = p.Free[n-1], p.Free[:n-1]
		b.Records, b.Ends, b.Next, b.Positions = b.Records[:0], b.Ends[:0], 0, b.Positions[:0]
		b.Text, b.Misfits = b.Text[:0], b.Misfits[:0]
		b.Lines, b.Made, b.Sightings = b.Lines[:0], b.Made[:0], b.Sightings[:0]
		if b.Rows != nil {
			b.Rows.Reset()
		}
	} else {
		b = &OldBatch{}
	}
	b.style = p.style
	return b
}

// Submit hands the current batch out.
func (p *Pool) Submit() error {
	if p.Current == nil {
		return nil
	}
	b := p.Current
	p.Current = nil
	return p.work.Submit(b)
}

// Limit sets how many batches are under way from now on, if that is fewer than usual.
func (p *Pool) Limit(n int) { p.work.Limit = min(n, p.most) }

// use adds the text of a batch to the output. What is left of a batch whose text is too long to
// be kept is formatted and added here, in parts.
func (p *Pool) use(b *OldBatch) error {
	var f Formatter
	for b.Next < len(b.Ends) {
		if err := p.Finish(b); err != nil {
			return err
		}
		b.Text, b.Misfits, b.Made = b.Text[:0], b.Misfits[:0], b.Made[:0]
		if f == nil {
			f = b.style.formatter()
		}
		f.Format(b)
	}
	p.Free = append(p.Free, b)
	return p.Finish(b)
}

// addText adds the text of a batch to the output, and reports its misfits.
func (p *Pool) addText(b *OldBatch) error {
	written := 0
	for _, m := range b.Misfits {
		if err := p.write(b.Text[written:m.At]); err != nil {
			return err
		}
		written = m.At
		if err := p.fault(m.Fault); err != nil {
			return err
		}
	}
	return p.write(b.Text[written:])
}

// write adds text to the output.
func (p *Pool) write(text []byte) error {
	if len(text) >= cli.SpillAt {
		_, err := p.out.Write(text)
		return err
	}
	p.out.Buf = append(p.out.Buf, text...)
	return p.out.Spill()
}

// Drain brings the output up to date with what was added.
func (p *Pool) Drain() error {
	if err := p.Submit(); err != nil {
		return err
	}
	return p.work.Drain()
}

// Close ends the workers. What was not drained is dropped.
func (p *Pool) Close() { p.work.Close() }

func (f Each) Format(b *OldBatch) {
	for !b.Full() {
		i := b.Next
		b.Next++
		var err error
		if b.Text, err = f(b.Text, b.Record(i), b.Positions[i]); err != nil {
			b.Unfit(i, err)
		}
	}
}

// Full reports whether there is nothing left to format, or the text is to be written
// before there is more of it.
func (b *OldBatch) Full() bool { return b.Next == len(b.Ends) || len(b.Text) >= batchText }

// Record returns record i.
func (b *OldBatch) Record(i int) []byte {
	if i == 0 {
		return b.Records[:b.Ends[0]]
	}
	return b.Records[b.Ends[i-1]:b.Ends[i]]
}

// Unfit notes that record i has no text, where that would follow now.
func (b *OldBatch) Unfit(i int, err error) {
	b.Misfits = append(b.Misfits, TextMisfit{len(b.Text), Misfit(b.Positions[i], err)})
}

// A Made is a record in the text of a batch: where it ends, and which line it is of.
type Made struct{ End, Line int }

// A Sighting is a kind that the features of a line have and that, as far as the
// worker remembers, those of no line before had.
type Sighting struct {
	Line int // in the batch
	recordjson.Sighting
}
