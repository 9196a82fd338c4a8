package encode

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature/raggedjson"
)

// rowsBytes is how many bytes of columns are made of rows at a time.
const rowsBytes = 1 << 20

// textBytes is how long records become before they are written.
const textBytes = 1 << 20

// records are what lines become.
type records struct {
	bytes     []byte
	made      []madeRecord
	sightings []sighting
}

// A madeRecord is a record: where it ends, and which line of the batch it is of.
type madeRecord struct{ end, line int }

// A sighting is a kind that the features of a line have and that, as far as the
// worker remembers, those of no line before had.
type sighting struct {
	line int // in the batch
	recordjson.NewKind
}

type batch = scan.Batch[records]

// refuse notes that line i of a batch makes no record.
func refuse(b *batch, i int, err error) {
	rec := &b.Records[i]
	b.Misfits = append(b.Misfits, scan.BatchMisfit{At: len(b.Result.bytes), Fault: misfitOf(rec.Name, rec.Record, err)})
}

// The encoders of a stream.
type forks struct {
	sync.Mutex
	all []*recordjson.Encoder
}

// worker returns what makes records of lines, or takes the records that rows of CSV are.
func (c *encode) worker(t example.MessageType) func(*batch) {
	limit := c.reading.MaxRecord()
	switch {
	case t == example.TypeExample:
		return func(b *batch) { takeRows(b, limit) }
	case c.parser != nil:
		return (&rowLines{reader: raggedjson.NewReader(c.parser), max: limit}).work
	}
	c.forks.Lock()
	defer c.forks.Unlock()
	if !c.enc.Decided() && len(c.forks.all) > 0 { // there is one worker
		return (&textLines{c.forks.all[0], limit}).work
	}
	enc := c.enc.Fork()
	c.forks.all = append(c.forks.all, enc)
	return (&textLines{enc, limit}).work
}

// takeRows takes records as they are.
func takeRows(b *batch, limit int64) {
	for ; b.Next < len(b.Records) && len(b.Result.bytes) < textBytes; b.Next++ {
		rec := &b.Records[b.Next]
		if err := checkSize(len(rec.Bytes), limit); err != nil {
			b.Refuse(len(b.Result.bytes), rec, err)
			continue
		}
		b.Result.bytes = append(b.Result.bytes, rec.Bytes...)
		b.Result.made = append(b.Result.made, madeRecord{len(b.Result.bytes), b.Next})
	}
}

// emit writes the records of a batch, and deals with the lines that made none,
// in the order of the lines.
func (c *encode) emit(b *batch) error {
	made := &b.Result
	begin, seen := 0, 0
	sight := func(line int) error { // of lines up to that one
		for ; seen < len(made.sightings) && made.sightings[seen].line <= line; seen++ {
			s := &made.sightings[seen]
			at := &b.Records[s.line]
			warning := c.kind.add(at.Name, at.Record, &s.NewKind)
			switch {
			case warning == "":
			case c.strict:
				return misfitOf(at.Name, at.Record, errors.New(warning))
			case c.kind.mixed <= maxKindWarnings:
				c.env.Console.Print(fmt.Sprintf("%s: line %d: %s", at.Name, at.Record, warning))
			}
		}
		return nil
	}
	misfits := b.Misfits
	for _, m := range made.made {
		for ; len(misfits) > 0 && misfits[0].At <= begin; misfits = misfits[1:] {
			if err := c.src.Report(misfits[:1]); err != nil {
				return err
			}
		}
		if err := sight(m.line); err != nil {
			return err
		}
		if err := c.out.Write(made.bytes[begin:m.end]); err != nil {
			return err
		}
		begin = m.end
	}
	if err := c.src.Report(misfits); err != nil {
		return err
	}
	if made.bytes, made.made, made.sightings = made.bytes[:0], made.made[:0], made.sightings[:0]; cap(made.bytes) > 4*textBytes {
		made.bytes = nil
	}
	return nil
}

// A textLines encodes lines without a spec. It goes through a whole batch: its
// records are not much larger than its lines, and what enc remembers holds for
// later batches only.
type textLines struct {
	enc *recordjson.Encoder
	max int64
}

func (f *textLines) work(b *batch) {
	made := &b.Result
	for ; b.Next < len(b.Records); b.Next++ {
		start := len(made.bytes)
		text, err := f.enc.Append(made.bytes, b.Records[b.Next].Bytes)
		if err == nil {
			if err = checkSize(len(text)-start, f.max); err != nil {
				f.enc.Forget()
			}
		}
		if err != nil {
			refuse(b, b.Next, settled(err))
			continue
		}
		made.bytes = text
		made.made = append(made.made, madeRecord{len(text), b.Next})
		for _, s := range f.enc.NewKinds() {
			made.sightings = append(made.sightings, sighting{b.Next, s})
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

func (f *rowLines) work(b *batch) {
	made := &b.Result
	for b.Next < len(b.Records) && len(made.bytes) < textBytes {
		// A short line may encode long defaults, so the limit is in bytes of records.
		f.reader.Reset()
		f.faults = f.faults[:0]
		for i := b.Next; i < len(b.Records) && f.reader.Size() < rowsBytes; i++ {
			f.faults = append(f.faults, f.reader.Append(b.Records[i].Bytes))
		}
		batch, err := f.reader.Batch()
		row := 0
		for _, fault := range f.faults {
			i := b.Next
			if len(made.bytes) >= textBytes {
				break // and the others are read again
			}
			b.Next++
			text := made.bytes
			if fault == nil {
				if fault = err; err == nil {
					text, fault = batch.AppendRecord(made.bytes, row)
				}
				row++
			}
			if fault == nil {
				fault = checkSize(len(text)-len(made.bytes), f.max)
			}
			if fault != nil {
				refuse(b, i, fault)
				continue
			}
			made.bytes = text
			made.made = append(made.made, madeRecord{len(text), i})
		}
	}
}
