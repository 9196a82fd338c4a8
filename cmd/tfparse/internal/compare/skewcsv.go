package compare

import (
	"maps"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
)

// typeCSV gives the columns of a side that is CSV the types that the features have in the first records of the other side, where
// that is not CSV: 3 is not 3.0 in records.
func (c *skew) typeCSV(e *cli.Env) error {
	isCSV := func(side int) bool {
		return slices.ContainsFunc(c.in[side], func(i scan.Input) bool { return i.Table != nil })
	}
	if isCSV(0) == isCSV(1) {
		return nil
	}
	kinds := map[string]example.Kind{}
	for side, in := range c.in {
		if isCSV(side) {
			continue
		}
		first := &scan.FirstRecords{}
		if err := c.reading.Walk(e, in, nil, scan.Guess(c.typ, first)); err != nil || first.Counted == nil {
			return err
		}
		list, err := first.Counted.Statistics()
		if err != nil {
			return err
		}
		maps.Copy(kinds, statsource.SeenKinds(list))
	}
	c.reading.Prefer(kinds)
	return nil
}
