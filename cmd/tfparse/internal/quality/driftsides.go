package quality

import (
	"maps"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// sides returns the data sets that the arguments name, with their statistics. Those of CSV come last, since CSV does not say what
// types its columns have: on a day without a fraction a column of amounts would be of another type than in the other data sets.
func (c *driftOf) sides(e *cli.Env, args []string) ([]statsource.Source, error) {
	c.reading.SetTFDV(c.compat.TFDV())
	all := make([]statsource.Source, len(args))
	for i, arg := range args {
		var err error
		if all[i], err = statsource.Expand(e, &c.reading, []string{arg}); err != nil {
			return nil, err
		}
	}
	gather := func(s *statsource.Source) error {
		g := c.gatherer(e, stats.Options{})
		if err := s.Read(e); err != nil {
			return err
		}
		return g.Gather(s, c.typ)
	}
	seen := map[string]example.Kind{}
	var csv []*statsource.Source
	var in []scan.Input
	for i := range all {
		s := &all[i]
		if s.IsCSV() {
			csv, in = append(csv, s), append(in, s.Inputs...)
			continue
		}
		if err := gather(s); err != nil {
			return nil, err
		}
		maps.Copy(seen, statsource.KindsOfStatistics(s.Statistics))
	}
	if !c.compat.TFDV() {
		c.reading.Prefer(seen)
		if err := c.reading.InferTypes(e, in); err != nil {
			return nil, err
		}
	}
	for _, s := range csv {
		if err := gather(s); err != nil {
			return nil, err
		}
	}
	return all, nil
}
