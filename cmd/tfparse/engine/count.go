package engine

import (
	"context"
	"errors"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/tfrecord"
)

// Counting says how records are counted.
type Counting struct {
	Verify   bool `json:"verify,omitempty"`   // read payloads and verify their checksums
	Messages bool `json:"messages,omitempty"` // with Verify: find out which messages the files hold
}

// NewCounting returns the work that counts records; see Result.Counts.
func NewCounting(verify bool) *Work {
	return &Work{Counting: &Counting{Verify: verify}, Messages: 20}
}

// count reads a file and counts its records.
func (k *Worker) count(ctx context.Context, in recordscan.Input, r *Result, report func(*recordscan.Fault) error) (*Result, error) {
	v := &countVisitor{result: r, report: report}
	if k.work.Counting.Messages {
		v.message = new(recordscan.MessageFinder)
	}
	o := &recordscan.Options{Reader: k.work.reader(), Step: !k.work.Stop, Glance: true}
	if !k.work.Counting.Verify {
		o.Choose = func(int, int64) dataset.Choice { return dataset.LeaveOut }
	}
	if err := recordscan.Walk(ctx, []recordscan.Input{in}, o, v); err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	return r, nil
}

// A countVisitor makes the Count of a file.
type countVisitor struct {
	result  *Result
	report  func(*recordscan.Fault) error
	message *recordscan.MessageFinder // nil: it is not asked for
}

func (v *countVisitor) Begin(*recordscan.File) error { return nil }

func (v *countVisitor) Record(rec []byte, _ tfrecord.Position) error {
	v.result.Bytes += int64(len(rec))
	if v.message != nil {
		v.message.Add(rec)
	}
	return nil
}

func (v *countVisitor) Skipped(fault *recordscan.Fault) error { return v.report(fault) }

func (v *countVisitor) End(f *recordscan.File) error {
	v.result.Records = f.Count
	n := Count{File: f.Name, Opened: f.Opened, Records: f.Count, Unknown: f.Glance.Unknown, LooksLike: f.Glance.Looks}
	if v.message != nil {
		n.Message = v.message.Message()
	}
	v.result.Counts = append(v.result.Counts, n)
	return nil
}
