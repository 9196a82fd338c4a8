package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
)

// A Pair is the data and what they are compared with, of which all examples are here.
type Pair struct {
	Treatment, Control string // as texts name them
	Data, Against      *pb.DatasetFeatureStatistics
}

// Drift and Skew are the pairs that a comparator of that name is about.
func Drift(data, against *pb.DatasetFeatureStatistics) Pair {
	return Pair{"current", "previous", data, against}
}

func Skew(data, against *pb.DatasetFeatureStatistics) Pair {
	return Pair{"training", "serving", data, against}
}

// OneSided is the reason that only one of both has a slice: the control data, or the data if lost is false. It is a warning
// if a second sample of the same data may be without the slice too; slices is how many may be.
func (c *Config) OneSided(p Pair, slice *pb.DatasetFeatureStatistics, lost bool, slices int) Reason {
	t, has, lacks := &texts.newSlice, p.Data, p.Against
	if lost {
		t, has, lacks = &texts.lostSlice, p.Against, p.Data
	}
	n, of := float64(slice.GetNumExamples()), float64(has.GetNumExamples())
	chance := ""
	sure := of > 0 && distance.Share(n/of, 0, of, float64(lacks.GetNumExamples()), alpha(slices)).Above()
	if !sure {
		chance = ", perhaps by chance"
	}
	r := c.reason(t, p.Treatment, p.Control, counted(n), counted(of), chance)
	r.Warning = !sure
	return r
}
