package schema

import (
	"context"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// newStatsCounter returns a counter that makes statistics, and where they are put.
func newStatsCounter(o *stats.Options, jobs int, skipped func(*recordscan.Fault) error) (*parallel.Counter[*stats.Accumulator], *stats.Accumulator, error) {
	result, err := stats.New(o)
	if err != nil {
		return nil, nil, err
	}
	look := func(p *parallel.Portion[*stats.Accumulator], rec []byte, pos tfrecord.Position) {
		if err := p.Sum.Add(rec); err != nil {
			p.Then(func() error { return skipped(recordscan.Misfit(pos, err)) })
		}
	}
	c := &parallel.Counter[*stats.Accumulator]{Fresh: result.Fresh, Look: look, Merge: result.Merge}
	c.Start(context.Background(), jobs, 2*jobs)
	return c, result, nil
}
