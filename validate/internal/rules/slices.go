package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
)

// A Pair is the data and what they are compared with, of which all examples are here.
type Pair struct {
	Names         [2]string // as texts name them
	Data, Against *pb.DatasetFeatureStatistics
	Partial       [2]bool // there are slices that the statistics of Data, or of Against, leave out
}

// OneSided is the reason that only one of both has a slice: the control data, or the data if lost is false. It is a warning
// if a second sample of the same data may be without the slice too, or its statistics leave slices out; slices is how many there are.
func (c *Config) OneSided(p Pair, slice *pb.DatasetFeatureStatistics, lost bool, slices int) Reason {
	t, has, lacks, partial := "newSlice", p.Data, p.Against, p.Partial[1]
	if lost {
		t, has, lacks, partial = "lostSlice", p.Against, p.Data, p.Partial[0]
	}
	n, of := float64(slice.GetNumExamples()), float64(has.GetNumExamples())
	chance := ""
	sure := of > 0 && distance.Share(n/of, 0, of, float64(lacks.GetNumExamples()), Alpha(slices)).Above()
	switch {
	case partial:
		sure, chance = false, ", or their statistics leave it out"
	case !sure:
		chance = ", which may be chance"
	}
	r := c.reason(t, p.Names[0], p.Names[1], counted(n), counted(of), chance)
	r.Warning = !sure
	return r
}
