package statsource

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// portionBytes is how many bytes of records are added by one goroutine. It does not depend on the machine, since the last digits of a
// mean, and what sketches keep, depend on it.
const portionBytes = 2 << 20

// A portion is the statistics of some records in a row, and what is to be done about them in their turn.
type portion struct {
	statistics *stats.Accumulator
	addresses  scan.Addresses // of the records that were given to statistics
	later      []func() error
}

// sum makes statistics of the records of files on several goroutines. The portions of a file are merged in order, and the files in their
// order. So the result is the same whatever the number of goroutines, byte for byte, and so is what is reported.
func (g *Gatherer) sum(in []scan.Input, typ example.MessageType) error {
	var empty *stats.Accumulator // which others are made from; nil: no record was found
	var failed error             // to make it
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
	var current *stats.Accumulator // of the file; nil without records
	o := &scan.Options{Type: typ, OneType: "statistics are of one", Jobs: g.jobs(), Fault: g.Skipped}
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
	sum := &scan.Sum[*portion]{Workers: g.jobs(), Size: cmp.Or(g.portion, portionBytes), Add: g.add}
	var spare []*portion // that were merged: they have the names, and memory for the columns, of the next ones
	sum.Fresh = func(t example.MessageType) *portion {
		if begin(t); failed != nil {
			return &portion{}
		}
		if current == nil { // the first records of the file were unknown messages
			current = empty.Fresh()
		}
		if n := len(spare) - 1; n >= 0 {
			p := spare[n]
			spare = spare[:n]
			return p
		}
		return &portion{statistics: empty.Fresh()}
	}
	sum.Merge = func(p *portion) error {
		for _, report := range p.later {
			if err := report(); err != nil {
				return err
			}
		}
		if failed != nil {
			return failed
		}
		if err := named(current.Merge(p.statistics)); err != nil {
			return err
		}
		g.File.Addresses.Merge(&p.addresses)
		p.addresses = scan.Addresses{}
		clear(p.later)
		p.later, spare = p.later[:0], append(spare, p)
		g.lostSlices(current.LostSlices())
		return nil
	}
	return sum.Run(src)
}

func (g *Gatherer) jobs() int { return max(g.Jobs, 1) }

// add adds a record to a portion, on any goroutine.
func (g *Gatherer) add(p *portion, rec scan.Record) error {
	if p.statistics == nil { // the run fails
		return nil
	}
	then := func(report func() error) { p.later = append(p.later, report) }
	if g.Check != nil {
		later, counts := g.Check(rec)
		if later != nil {
			then(later)
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
		then(func() error { return scan.Misfit(pos, named(err)) }) // whatever is done about records that are refused
	case g.Refused != nil:
		then(func() error { return g.Refused(scan.Misfit(pos, err)) })
	default:
		then(func() error { return g.Skipped(scan.Misfit(pos, err)) })
	}
	return nil
}

// named adds the flag to the error about too many features.
func named(err error) error {
	if errors.Is(err, stats.ErrFeatures) {
		return fmt.Errorf("%w (--max-features)", err)
	}
	return err
}

// FirstRecords counts the first records of a file, for the names in them.
type FirstRecords struct {
	Counted *stats.Accumulator // nil: there was no record
}

// Look is [Gatherer.First].
func (f *FirstRecords) Look(rec scan.Record) (more bool) {
	if f.Counted == nil {
		var err error
		if f.Counted, err = stats.New(&stats.Options{Message: rec.Type}); err != nil {
			return false
		}
	}
	_ = f.Counted.Add(rec.Bytes) // others follow
	return f.Counted.Examples() < 100
}
