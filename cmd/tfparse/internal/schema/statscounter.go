package schema

import (
	"context"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// newStatsCounter returns a counter that makes statistics, and where they are put.
func newStatsCounter(o *stats.Options, jobs int, skipped func(*scan.Fault) error) (*scan.Counter[*stats.Accumulator], *stats.Accumulator, error) {
	result, err := stats.New(o)
	if err != nil {
		return nil, nil, err
	}
	look := func(p *scan.Portion[*stats.Accumulator], rec []byte, pos tfrecord.Position) {
		if err := p.Sum.Add(rec); err != nil {
			p.Then(func() error { return skipped(scan.Misfit(pos, err)) })
		}
	}
	c := &scan.Counter[*stats.Accumulator]{Fresh: result.Fresh, Look: look, Merge: result.Merge}
	c.Start(context.Background(), jobs, 2*jobs)
	return c, result, nil
}
