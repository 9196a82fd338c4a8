package statsource

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// portionBytes is the number of bytes of records in a portion. It is the same on all machines, because the last digits
// of means and the contents of sketches depend on it.
const portionBytes = 2 << 20

// A portion is the statistics of consecutive records. One goroutine makes it.
type portion struct {
	statistics *stats.Accumulator // nil: the run fails
	addresses  scan.Addresses     // of the records in statistics
	later      []func() error     // reports about the records, in order; called when the portion is merged
}

// addAll computes the statistics of the records of files on several goroutines. Portions are merged in the order of the
// records, and files in the order of in. So the result and the reports are the same for any number of goroutines, byte
// for byte.
func (g *Gatherer) addAll(in []scan.Input, typ example.MessageType) error {
	var empty *stats.Accumulator // all accumulators are made from it; nil before the first record
	var failed error             // the error of making empty
	begin := func(t example.MessageType) {
		if empty != nil || failed != nil {
			return
		}
		if g.Begin != nil {
			if failed = g.Begin(t); failed != nil {
				return
			}
		}
		o := g.Options
		o.Message = t
		empty, failed = stats.New(&o)
	}
	var current *stats.Accumulator // of the file being read; nil before its first record
	o := &scan.Options{Type: typ, OneType: "statistics need one type", Jobs: g.jobs(), Fault: g.Skipped}
	o.Begin = func(f *scan.File) error {
		if current = nil; f.Type != example.TypeAuto {
			if begin(f.Type); failed == nil {
				current = empty.Fresh()
			}
		}
		return failed
	}
	o.End = func(f *scan.File) error {
		g.File.Records = f.Count
		return g.endFile(current)
	}
	src, err := g.Reading.Open(g.Env, in, o)
	if err != nil {
		return err
	}
	defer src.Close()
	if g.First != nil {
		if err := src.First(firstBytes, g.First); err != nil {
			return err
		}
	}
	if src.Type != example.TypeAuto {
		if begin(src.Type); failed != nil {
			return failed
		}
	}
	sum := &scan.Sum[*portion]{Workers: g.jobs(), Size: cmp.Or(g.portion, portionBytes), Add: g.addRecord}
	sum.Fresh = func(t example.MessageType) *portion {
		if begin(t); failed != nil {
			return &portion{}
		}
		return &portion{statistics: empty.Fresh()}
	}
	sum.Merge = func(p *portion) (reuse bool, err error) {
		for _, report := range p.later {
			if err := report(); err != nil {
				return false, err
			}
		}
		if failed != nil {
			return false, failed
		}
		if current == nil { // the first records of the file were unknown messages
			current = empty.Fresh()
		}
		if err := nameFlag(current.Merge(p.statistics)); err != nil {
			return false, err
		}
		g.File.Addresses.Merge(&p.addresses)
		p.addresses = scan.Addresses{}
		clear(p.later)
		p.later = p.later[:0]
		g.warnLostSlices(current.LostSlices())
		return true, nil
	}
	return sum.Run(src)
}

func (g *Gatherer) jobs() int { return max(g.Jobs, 1) }

// addRecord adds a record to a portion, on any goroutine.
func (g *Gatherer) addRecord(p *portion, rec scan.Record) error {
	if p.statistics == nil { // making empty has failed
		return nil
	}
	addReport := func(report func() error) { p.later = append(p.later, report) }
	if g.Check != nil {
		later, counts := g.Check(rec)
		if later != nil {
			addReport(later)
		}
		if !counts {
			return nil
		}
	}
	p.addresses.Add(rec.Position)
	err, pos := p.statistics.Add(rec.Bytes), rec.Position
	switch {
	case err == nil:
	case errors.Is(err, stats.ErrFeatures):
		addReport(func() error { return scan.Misfit(pos, nameFlag(err)) }) // ends the run, whatever --on-error says
	default:
		addReport(func() error { return g.Skipped(scan.Misfit(pos, err)) })
	}
	return nil
}

// nameFlag adds the flag that raises the limit to an error about too many features.
func nameFlag(err error) error {
	if errors.Is(err, stats.ErrFeatures) {
		return fmt.Errorf("%w (--max-features)", err)
	}
	return err
}

// FirstRecords collects the feature names in the first records.
type FirstRecords struct {
	Counted *stats.Accumulator // nil: there was no record
}

// Look adds a record. It is a function for [Gatherer.First].
func (f *FirstRecords) Look(rec scan.Record) (more bool) {
	if f.Counted == nil {
		var err error
		if f.Counted, err = stats.New(&stats.Options{Message: rec.Type}); err != nil {
			return false
		}
	}
	_ = f.Counted.Add(rec.Bytes) // refused records are reported later
	return f.Counted.Examples() < 100
}
