package records

import (
	"runtime"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// tensorBytes limits the total size of the queued batches, in bytes; a single batch may be larger.
const tensorBytes = 16 << 20

// A tensorBatch is a batch of records and its text.
type tensorBatch struct {
	rows      *feature.Batch
	records   []scan.Record // without their bytes; for faults
	positions []tfrecord.Position
	text      []byte
	err       error // if not nil, the batch is not printed
}

// printBatches prints tensors. Records are parsed by the calling goroutine, which leaves out those that do not fit, so that all
// batches but the last are full. Workers print the batches.
func (c *cat) printBatches(parser *feature.Parser) error {
	opts := &c.printing.opts
	if err := raggedjson.NewPrinter(parser, opts).ValidateBatch(); err != nil {
		return cli.Usagef("padding: %w", err)
	}
	newPrinter, err := c.batches.newPrinter(parser, opts)
	if err != nil {
		return err
	}
	var trial *rowPrinter // finds records with values that cannot be printed; nil: all values can
	if opts.NaN == recordjson.NaNError || opts.Bytes == recordjson.BytesUTF8 {
		trial = newRowPrinter(parser, opts, nil)
	}
	workers := min(runtime.GOMAXPROCS(0), scan.Workers)
	var spare []*tensorBatch
	queue := ordered.NewQueue(c.env.Ctx, workers, 2*workers, func() func(*tensorBatch) error {
		printer := newPrinter()
		return func(b *tensorBatch) error {
			b.text, b.err = printer(b.text[:0], b.rows, b.positions)
			if b.err == nil && c.style != (style{}) {
				b.text = c.style.appendStyled(nil, b.text)
			}
			return nil
		}
	}, func(b *tensorBatch) error {
		spare = append(spare, b)
		for _, rec := range b.records {
			if b.err != nil {
				if err := c.src.Refuse(rec, b.err); err != nil {
					return err
				}
			}
		}
		if b.err != nil {
			return nil
		}
		return c.writeText(b.text)
	})
	defer queue.Close()
	var current *tensorBatch
	submit := func() error {
		b := current
		if current = nil; b == nil || b.rows.Len() == 0 {
			return nil
		}
		return queue.Submit(b)
	}
	for rec, err := range c.src.Records() {
		if err == nil && current == nil {
			if n := len(spare); n > 0 {
				current, spare = spare[n-1], spare[:n-1]
				current.rows.Reset()
				current.records, current.positions = current.records[:0], current.positions[:0]
			} else {
				current = &tensorBatch{rows: parser.NewBatch()}
			}
		}
		if err == nil {
			if unfit := trial.checkRecord(rec); unfit != nil {
				err = c.src.Refuse(rec, unfit)
			} else if unfit := explain.AppendRecord(current.rows, rec.Bytes); unfit != nil {
				err = c.src.Refuse(rec, unfit)
			} else {
				rec.Bytes = nil
				current.records = append(current.records, rec)
				current.positions = append(current.positions, rec.Position)
			}
		}
		if err != nil { // print the records before the error
			if failed := submit(); failed != nil {
				return failed
			}
			if failed := queue.Drain(); failed != nil {
				return failed
			}
			return err
		}
		if current.rows.Len() == c.batch {
			size := current.rows.Size()
			if c.batches.form == formText {
				size *= 4 // a byte of an image prints as \xff
			}
			queue.Limit = min(2*workers, tensorBytes/max(size, 1))
			if err := submit(); err != nil {
				return err
			}
		}
	}
	if err := submit(); err != nil {
		return err
	}
	return queue.Drain()
}

// checkRecord returns the error of printing a record; nil for a nil printer.
func (f *rowPrinter) checkRecord(rec scan.Record) error {
	if f == nil {
		return nil
	}
	b := scan.Batch[[]byte]{Records: []scan.Record{rec}}
	if f.printBatch(&b); len(b.Misfits) > 0 {
		return b.Misfits[0].Fault.Err
	}
	return nil
}
