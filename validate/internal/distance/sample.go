package distance

import "github.com/tfparse/tfparse/validate/internal/view"

// A Sample is how many values a side has, and of how many records they are. Values of one
// record may all be equal, so that a record counts as one where values are compared with
// what chance does.
type Sample struct{ Values, Records float64 }

// independent is how many values count as independent ones.
func (s Sample) independent() float64 { return min(s.Values, s.Records) }

// SampleOf says how many values and records a feature has. Weights do not count: the same
// records with other weights vary as much, or more.
func SampleOf(f *view.Feature) Sample {
	c := f.Common()
	s := Sample{Values: float64(c.GetTotNumValues()), Records: float64(c.GetNumNonMissing())}
	if s.Values == 0 { // older statistics do not have it
		s.Values = s.Records * float64(c.GetAvgNumValues())
	}
	if n := float64(f.Dataset.Stats.GetNumExamples()); n > 0 {
		s.Records = min(s.Records, n) // those of a struct may be many in each
	}
	return s
}
