package scan

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// Messages is the value of --max-messages.
func (r *Flags) Messages() int { return int(r.messages) }

// SetMessages sets the value of --max-messages.
func (r *Flags) SetMessages(text string) error { return r.messages.UnmarshalText([]byte(text)) }

// MaxRecord is the value of --max-record-size.
func (r *Flags) MaxRecord() int64 { return int64(r.maxRecord) }

// Report deals with faults of files that were read elsewhere as Fault does with each of them.
func (r *Flags) Report(e *cli.Env, faults *Faults) error {
	for _, f := range faults.Kept {
		if err := r.Fault(e, f); err != nil {
			return err
		}
	}
	l, more := &e.Skipped, &faults.More
	l.Misfits += more.Misfits
	l.UnprintedMisfits += more.Misfits
	l.Unfit += more.Unfit
	l.Ranges += more.Ranges
	l.UnprintedRanges += int64(more.Ranges)
	l.Records += more.Records
	l.Bytes += more.Bytes
	l.NoEnd = l.NoEnd || more.NoEnd
	l.Uncount = l.Uncount || more.Uncount
	return nil
}
