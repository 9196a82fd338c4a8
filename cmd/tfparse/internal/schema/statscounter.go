package schema

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/validate/stats"
)

// newStatsCounter returns a counter that makes statistics, and where they are put.
func newStatsCounter(o *stats.Options, jobs int, lost func(*recordscan.Fault) error) (*parallel.Counter[*stats.Accumulator], *stats.Accumulator, error) {
	result, err := stats.New(o)
	if err != nil {
		return nil, nil, err
	}
	c := &parallel.Counter[*stats.Accumulator]{Fresh: result.Fresh, Look: (*stats.Accumulator).Add, Merge: result.Merge, Lost: lost}
	c.Start(jobs)
	return c, result, nil
}
