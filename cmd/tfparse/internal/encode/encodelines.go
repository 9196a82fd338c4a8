package encode

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature/raggedjson"
)

// rowsBytes limits the columns that a rowEncoder parses at once, in bytes.
const rowsBytes = 1 << 20

// textBytes is the size of encoded records, in bytes, at which a worker returns to have them written.
const textBytes = 1 << 20

// An encodedBatch is the records encoded from a batch of lines.
type encodedBatch struct {
	bytes   []byte // concatenated records
	records []encodedRecord
	kinds   []lineKind // in the order of the lines
}

// An encodedRecord is the end of a record in encodedBatch.bytes, and the index of its line in the batch.
type encodedRecord struct{ end, line int }

// A lineKind is a kind of a feature in a line that is new to the worker's encoder.
type lineKind struct {
	line int // index in the batch
	recordjson.NewKind
}

// A batch is a batch of lines and the records encoded from them.
type batch = scan.Batch[encodedBatch]

// refuseLine adds the fault of line i of a batch.
func refuseLine(b *batch, i int, err error) {
	rec := &b.Records[i]
	line, err := placeInFile(rec, err)
	b.Misfits = append(b.Misfits, scan.BatchMisfit{At: len(b.Result.bytes), Fault: lineFault(rec.Name, line, addFlagHint(err))})
}

// An encoderList is the encoders of all workers.
type encoderList struct {
	sync.Mutex
	all []*recordjson.Encoder
}

// newWorker returns a function that encodes batches of lines. Rows of CSV and of files with columns are records already, so it
// copies them.
func (c *encode) newWorker(t example.MessageType) func(*batch) {
	limit := c.reading.MaxRecord()
	switch {
	case t == example.TypeExample, c.columns:
		return func(b *batch) { copyRows(b, limit) }
	case c.parser != nil:
		return (&rowEncoder{reader: raggedjson.NewReader(c.parser), limit: limit}).encodeRows
	}
	c.encoders.Lock()
	defer c.encoders.Unlock()
	if !c.enc.Decided() && len(c.encoders.all) > 0 { // run has set one worker, which keeps its encoder
		return (&lineEncoder{enc: c.encoders.all[0], messages: messageReader{typ: c.typ}, limit: limit}).encodeLines
	}
	enc := c.enc.Fork()
	c.encoders.all = append(c.encoders.all, enc)
	return (&lineEncoder{enc: enc, described: c.described, messages: messageReader{typ: c.typ}, limit: limit}).encodeLines
}

// copyRows copies the records of CSV rows.
func copyRows(b *batch, limit int64) {
	for ; b.Next < len(b.Records) && len(b.Result.bytes) < textBytes; b.Next++ {
		rec := &b.Records[b.Next]
		if err := checkSize(len(rec.Bytes), limit); err != nil {
			b.Refuse(len(b.Result.bytes), rec, err)
			continue
		}
		b.Result.bytes = append(b.Result.bytes, rec.Bytes...)
		b.Result.records = append(b.Result.records, encodedRecord{len(b.Result.bytes), b.Next})
	}
}

// writeBatch writes the records of a batch, and reports its faults and warnings in between, in the order of the lines.
func (c *encode) writeBatch(b *batch) error {
	made := &b.Result
	begin, seen := 0, 0
	warn := func(line int) error { // reports the new kinds found up to this line
		for ; seen < len(made.kinds) && made.kinds[seen].line <= line; seen++ {
			s := &made.kinds[seen]
			at := &b.Records[s.line]
			warning := c.featureKinds.addKind(at.Name, at.Record, &s.NewKind)
			switch {
			case warning == "":
			case c.strict:
				return lineFault(at.Name, at.Record, errors.New(warning))
			case c.featureKinds.mixedFeatures <= maxKindWarnings:
				c.env.Console.Print(fmt.Sprintf("%s: line %d: %s", at.Name, at.Record, warning))
			}
		}
		return nil
	}
	misfits := b.Misfits
	for _, m := range made.records {
		for ; len(misfits) > 0 && misfits[0].At <= begin; misfits = misfits[1:] {
			if err := c.src.Report(misfits[:1]); err != nil {
				return err
			}
		}
		if err := warn(m.line); err != nil {
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
	if made.bytes, made.records, made.kinds = made.bytes[:0], made.records[:0], made.kinds[:0]; cap(made.bytes) > 4*textBytes {
		made.bytes = nil
	}
	return nil
}

// A lineEncoder encodes lines without a spec. It always encodes a whole batch: records are not much larger than lines, and the
// kinds that enc has learned are valid only for later batches.
type lineEncoder struct {
	enc       *recordjson.Encoder
	described *protomessage.Type // for --proto, which enc does not know; nil: none
	messages  messageReader      // for lines that are messages in a form of protobuf
	limit     int64
}

// appendRecord encodes one line, or a message in a form of protobuf.
func (f *lineEncoder) appendRecord(dst, line []byte) ([]byte, error) {
	if f.described != nil {
		msg, err := f.described.Encode(dst, line)
		if err != nil {
			return dst, messageError(err)
		}
		return msg, nil
	}
	typed, ok, err := f.messages.readMessage(line)
	if err != nil {
		return dst, err
	}
	if !ok {
		return f.enc.Append(dst, line)
	}
	msg, err := f.enc.Append(dst, typed)
	if fault, ok := errors.AsType[*recordjson.Error](err); ok {
		fault.Column = 0 // of another text than the user's
	}
	return msg, err
}

func (f *lineEncoder) encodeLines(b *batch) {
	made := &b.Result
	for ; b.Next < len(b.Records); b.Next++ {
		start := len(made.bytes)
		text, err := f.appendRecord(made.bytes, b.Records[b.Next].Bytes)
		if err == nil {
			if err = checkSize(len(text)-start, f.limit); err != nil {
				f.enc.Forget()
			}
		}
		if err != nil {
			refuseLine(b, b.Next, err)
			continue
		}
		made.bytes = text
		made.records = append(made.records, encodedRecord{len(text), b.Next})
		for _, s := range f.enc.NewKinds() {
			made.kinds = append(made.kinds, lineKind{b.Next, s})
		}
	}
}

// addFlagHint adds the flag that resolves an ambiguous line to an error.
func addFlagHint(err error) error {
	switch {
	case errors.Is(err, recordjson.ErrMixedTypes):
		return fmt.Errorf("%w; set --type", err)
	case errors.Is(err, recordjson.ErrMixedKinds):
		return fmt.Errorf("%w; set --kind", err)
	}
	return err
}

func checkSize(size int, limit int64) error {
	if int64(size) > limit {
		return fmt.Errorf("record of %d bytes exceeds the size limit of %d", size, limit)
	}
	return nil
}

// A rowEncoder encodes lines that are rows of a spec. It parses a group of rows into columns and encodes records from the columns.
type rowEncoder struct {
	reader *raggedjson.Reader
	limit  int64
	errs   []error // parse error of each line of the group
}

func (f *rowEncoder) encodeRows(b *batch) {
	made := &b.Result
	for b.Next < len(b.Records) && len(made.bytes) < textBytes {
		// A short line may expand to long defaults, so the limit is on the size of the columns.
		f.reader.Reset()
		f.errs = f.errs[:0]
		for i := b.Next; i < len(b.Records) && f.reader.Size() < rowsBytes; i++ {
			f.errs = append(f.errs, f.reader.Append(b.Records[i].Bytes))
		}
		batch, err := f.reader.Batch()
		row := 0
		for _, fault := range f.errs {
			i := b.Next
			if len(made.bytes) >= textBytes {
				break // the remaining lines are parsed again
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
				fault = checkSize(len(text)-len(made.bytes), f.limit)
			}
			if fault != nil {
				refuseLine(b, i, fault)
				continue
			}
			made.bytes = text
			made.records = append(made.records, encodedRecord{len(text), i})
		}
	}
}
