package tfstats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// A fileWork has the settings for the work on each file. The pipeline sends it to the workers as JSON.
type fileWork struct {
	Read       tfrecordio.ReadOptions
	Type       example.MessageType // type of the records; TypeAuto: detect it for each file
	Statistics []byte              // options of the statistics: an encoded accumulator without records
	Check      *recordCheck        // nil: records are not checked
}

// A recordCheck has the settings for checking records. The schema is in the options of the statistics.
type recordCheck struct {
	Environment string
	Ignore      []string
	Pairs       [][]byte            // encoded infer.Pair
	PairsOf     example.MessageType // type of the records that Pairs apply to
	MaxFindings int                 // maximum number of findings kept for each feature and rule
}

// newFindings returns an empty summary of findings, or nil if records are not checked.
func (w *fileWork) newFindings() *record.Summary {
	if w.Check == nil {
		return nil
	}
	return record.NewSummary(w.Check.MaxFindings)
}

// newChecker returns a checker for records of a type.
func (c *recordCheck) newChecker(o *stats.Options, t example.MessageType) (*record.Checker, error) {
	const maxPerRecord = 1000 // maximum number of findings for a record, as in tfparse validate
	checking := record.Options{Message: t, Environment: c.Environment, Ignore: c.Ignore, MaxFindings: maxPerRecord}
	if t == c.PairsOf {
		for _, b := range c.Pairs {
			var p infer.Pair
			if err := p.UnmarshalBinary(b); err != nil {
				return nil, err
			}
			checking.Pairs = append(checking.Pairs, p)
		}
	}
	return record.NewChecker(o.Schema, &checking)
}

// A fileReader reads one file.
type fileReader struct {
	work    *fileWork                // settings for all files; not changed
	options *stats.Accumulator       // accumulator without records, for its options
	failed  func(tfrecordio.Failure) // emits a failure

	typ     example.MessageType // type of the records; TypeAuto: not known yet
	held    []heldRecord        // the first records, kept until the type is known
	size    int                 // bytes of held
	filled  int                 // number of held records that are not empty
	unknown int64               // number of earlier records whose type could not be detected

	result      fileResult         // statistics are nil until the type is known
	checker     *record.Checker    // nil: records are not checked, or the type is not known yet
	portion     *stats.Accumulator // statistics of the records since the last portion
	portionSize int                // bytes of these records, plus perRecord for each record
}

// A heldRecord is a copy of a record.
type heldRecord struct {
	rec []byte
	pos tfrecord.Position
}

// Limits on the records that the type of a file is detected from, as in the command.
const (
	guessFilled  = 64
	guessRecords = 1024
	guessBytes   = 4 << 20
)

// Records are added in portions that are merged in order. The last digits of a mean and the contents of a sketch depend on the portions: with
// the portions of tfparse stats, the result is the same byte for byte.
const (
	portionBytes = 2 << 20
	perRecord    = 32 // bytes that each record counts in addition to its size
)

// misfitClass is the class of intact records that do not fit.
const misfitClass = "message"

var (
	errForeign = errors.New("record is of another type than the other records of the file")
	errUnread  = errors.New("not an Example, unlike the other records; set the record type")
)

// readFile reads the file.
func (r *fileReader) readFile(ctx context.Context, f tfrecordio.File) error {
	r.result.findings = r.work.newFindings()
	if r.work.Type != example.TypeAuto {
		if err := r.setType(r.work.Type); err != nil {
			return err
		}
	}
	err := f.Each(ctx, &r.work.Read, func(rec []byte, pos tfrecord.Position) error {
		if r.typ == example.TypeAuto {
			return r.holdRecord(ctx, rec, pos)
		}
		return r.addRecord(ctx, rec, pos)
	}, func(f tfrecordio.Failure) error {
		r.failed(f)
		return nil
	})
	if err == nil && r.typ == example.TypeAuto {
		err = r.release(ctx)
	}
	if err == nil && r.portion != nil {
		err = r.result.statistics.Merge(r.portion)
	}
	if err != nil {
		return err
	}
	if r.unknown > 0 {
		r.reportMisfit(ctx, tfrecordio.Failure{File: f.Name, Record: -1, Offset: -1, Records: r.unknown, Error: fmt.Sprintf("%s: %d records of an unknown type", f.Name, r.unknown)})
	}
	return nil
}

// holdRecord keeps a record until the type of the file is known.
func (r *fileReader) holdRecord(ctx context.Context, rec []byte, pos tfrecord.Position) error {
	r.held = append(r.held, heldRecord{bytes.Clone(rec), pos})
	if string(rec) != "" && string(rec) != "\x0a\x00" {
		r.filled++
	}
	if r.size += len(rec); r.filled < guessFilled && len(r.held) < guessRecords && r.size < guessBytes {
		return nil
	}
	return r.release(ctx)
}

// release detects the type of the held records, and adds the held records.
func (r *fileReader) release(ctx context.Context) error {
	held := r.held
	r.held, r.size, r.filled = nil, 0, 0
	records := make([][]byte, len(held))
	for i, h := range held {
		records[i] = h.rec
	}
	t, ok := detect.MostLikely(records)
	if !ok {
		r.unknown += int64(len(held))
		return nil
	}
	if err := r.setType(t); err != nil {
		return err
	}
	for _, h := range held {
		if err := r.addRecord(ctx, h.rec, h.pos); err != nil {
			return err
		}
	}
	return nil
}

// setType sets the type of the records of the file, and prepares the result for it. It is called once.
func (r *fileReader) setType(t example.MessageType) (err error) {
	r.typ = t
	o := *r.options.Options()
	o.Message = t
	if r.result.statistics, err = stats.New(&o); err != nil {
		return err
	}
	r.portion = r.result.statistics.Fresh()
	if r.work.Check != nil {
		r.checker, err = r.work.Check.newChecker(&o, t)
	}
	return err
}

// addRecord adds a record to the result.
func (r *fileReader) addRecord(ctx context.Context, rec []byte, pos tfrecord.Position) error {
	var misfit error
	switch {
	case r.work.Type == example.TypeAuto && r.typ == example.TypeExample && !detect.ReadsAll(r.typ, rec):
		misfit = errUnread
	case detect.Foreign(r.typ, rec):
		misfit = errForeign
	default:
		misfit = r.checkRecord(rec, pos)
		if misfit == nil {
			misfit = r.portion.Add(rec)
		}
		r.portionSize += len(rec) + perRecord
	}
	switch {
	case misfit == nil:
	case errors.Is(misfit, stats.ErrFeatures): // records after this one would fail too
		return fmt.Errorf("%s: %w", pos, misfit)
	default:
		r.reportMisfit(ctx, tfrecordio.Failure{File: pos.Name, Record: pos.Record, Offset: pos.Offset, Records: 1, Error: fmt.Sprintf("%s: %v", pos, misfit)})
	}
	if r.portionSize < portionBytes {
		return nil
	}
	err := r.result.statistics.Merge(r.portion)
	r.portion, r.portionSize = r.result.statistics.Fresh(), 0
	return err
}

// checkRecord adds the findings about a record. The error says why the record is not a valid message.
func (r *fileReader) checkRecord(rec []byte, pos tfrecord.Position) error {
	if r.checker == nil {
		return nil
	}
	found := r.checker.Check(rec)
	if i := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == record.BadRecord }); i >= 0 {
		return found[i].Err
	}
	r.result.findings.Add(record.Place{File: pos.Name, Record: pos.Record, Offset: pos.Offset}, len(rec), found)
	return nil
}

// reportMisfit emits a failure about intact records that do not fit.
func (r *fileReader) reportMisfit(ctx context.Context, f tfrecordio.Failure) {
	counters.Skipped.Inc(ctx, 1)
	f.End, f.Class = -1, misfitClass
	r.failed(f)
}
