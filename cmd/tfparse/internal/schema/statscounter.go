package schema

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/validate/stats"
)

// newStatsCounter returns a counter that makes statistics, and where they are put.
func newStatsCounter(o *stats.Options, jobs int, lost func(*walk.Fault) error) (*ordered.Counter[*stats.Accumulator], *stats.Accumulator, error) {
	result, err := stats.New(o)
	if err != nil {
		return nil, nil, err
	}
	c := &ordered.Counter[*stats.Accumulator]{Fresh: result.Fresh, Look: (*stats.Accumulator).Add, Merge: result.Merge, Lost: lost}
	c.Start(jobs)
	return c, result, nil
}
