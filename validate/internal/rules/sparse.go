package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

func deprecateSparse(f *pb.SparseFeature) {
	f.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum()
}

// sparse checks that the parts of a sparse feature fit together. Its statistics are
// custom ones, and the reasons follow their order.
func (c *Config) sparse(f *view.Feature) (reasons []Reason) {
	for _, s := range f.Stats.GetCustomStats() {
		switch name := s.GetName(); name {
		case "missing_value":
			if s.GetNum() != 0 {
				reasons = append(reasons, c.reason("sparseValue", cformat.Six(s.GetNum())))
			}
		case "missing_index":
			for _, b := range s.GetRankHistogram().GetBuckets() {
				if n := int64(b.GetSampleCount()); n != 0 {
					reasons = append(reasons, c.reason("sparseIndex", n, b.GetLabel()))
				}
			}
		case "max_length_diff", "min_length_diff":
			for _, b := range s.GetRankHistogram().GetBuckets() {
				if b.GetSampleCount() != 0 {
					reasons = append(reasons, c.reason("sparseLength", b.GetLabel(), name, int64(b.GetSampleCount())))
				}
			}
		}
	}
	return reasons
}

// weighted checks that every value of a weighted feature has a weight.
func (c *Config) weighted(f *view.Feature) (reasons []Reason) {
	var least, most int64
	for _, s := range f.Stats.GetCustomStats() {
		n := s.GetNum()
		if n == 0 {
			continue
		}
		switch s.GetName() {
		case "missing_value":
			reasons = append(reasons, c.reason("weightedValue", cformat.Six(n)))
		case "missing_weight":
			reasons = append(reasons, c.reason("weightedWeight", cformat.Six(n)))
		case "min_weight_length_diff":
			least = int64(n)
		case "max_weight_length_diff":
			most = int64(n)
		}
	}
	if least != 0 || most != 0 {
		reasons = append(reasons, c.reason("weightedLength", least, most))
	}
	return reasons
}
