package rules

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// mayLack is the probability from which on a schema does not require that a feature is there at all: a team
// that checks a thousand features each night for a year would else have a false alarm of it.
const mayLack = 1e-6

// chanceOfNone is the probability that a sample of the same size, drawn from the records with replacement, lacks a
// feature: (1-n/N)^N, where n of N records have it. It is the chance that a bootstrap sample has none of n items
// (Efron, Bootstrap Methods: Another Look at the Jackknife, 1979), about e^-n: it is below 1e-6 from 14 records of many on.
//
// Of a feature in a struct, n is the least number of records that its structs may be in: those of one record may
// all be alike.
func chanceOfNone(v *view.Feature) float64 {
	n, all := float64(v.Common().GetNumNonMissing()), float64(v.Common().GetNumNonMissing()+v.Common().GetNumMissing())
	if v.Parent != nil {
		if most := float64(v.Parent.Counts()[0].Max); most > 1 {
			n = math.Ceil(n / most)
		}
		if records := float64(v.Dataset.Stats.GetNumExamples()); records > 0 {
			all = min(all, records)
		}
	}
	if v.Common().GetNumMissing() == 0 || n >= all {
		return 0
	}
	return math.Exp(all * math.Log1p(-n/all))
}

// rare says why a feature is not required, "" if it is.
func rare(v *view.Feature) string {
	chance := chanceOfNone(v)
	if chance < mayLack {
		return ""
	}
	return fmt.Sprintf("; a sample of the same data lacks it with a probability of %s, which is not below %v", cformat.Six(chance), mayLack)
}
