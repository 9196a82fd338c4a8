package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Dataset checks the number of examples against the constraints of the schema.
func (s *Schema) Dataset(c *Config, d *view.Dataset) (reasons []Reason) {
	constraints := s.Message.GetDatasetConstraints()
	n := d.NumExamples()
	reasons = c.ratio(constraints.GetNumExamplesDriftComparator(), n, c.Drift.Data, "previous span", reasons)
	reasons = c.ratio(constraints.GetNumExamplesVersionComparator(), n, c.PreviousVersion, "previous version", reasons)
	if constraints == nil {
		return reasons
	}
	if constraints.MinExamplesCount == nil && c.Compat {
		return reasons // it does not look at the maximum then
	}
	if constraints.MinExamplesCount != nil && n < float64(constraints.GetMinExamplesCount()) {
		reasons = append(reasons, c.reason("fewExamples", cformat.Six(n), constraints.GetMinExamplesCount()))
	}
	if constraints.MaxExamplesCount != nil && n > float64(constraints.GetMaxExamplesCount()) {
		reasons = append(reasons, c.reason("manyExamples", cformat.Six(n), constraints.GetMaxExamplesCount()))
	}
	return reasons
}

// ratio checks how many examples there are for each that there was.
func (c *Config) ratio(bounds *pb.NumericValueComparator, n float64, control *view.Dataset, name string, reasons []Reason) []Reason {
	if bounds == nil || control == nil {
		return reasons
	}
	before := control.NumExamples()
	if bounds.MaxFractionThreshold != nil {
		switch {
		case before == 0:
			reasons = append(reasons, c.reason("noExamplesBefore", name))
		case n/before > bounds.GetMaxFractionThreshold():
			reasons = append(reasons, c.reason("highRatio", name, cformat.Six(n/before), cformat.Six(bounds.GetMaxFractionThreshold())))
		}
	}
	if bounds.MinFractionThreshold != nil && before != 0 && n/before < bounds.GetMinFractionThreshold() {
		reasons = append(reasons, c.reason("lowRatio", name, cformat.Six(n/before), cformat.Six(bounds.GetMinFractionThreshold())))
	}
	return reasons
}
