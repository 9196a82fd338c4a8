package main

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// given returns the statistics that the only input is, or nil if the inputs are records
// or parts. What would say how statistics are made is a mistake then.
func (c *statistics) given(in []inputs.Input, merge bool) (*pb.DatasetFeatureStatisticsList, error) {
	if merge {
		return nil, nil
	}
	list := given(in)
	if len(list.GetDatasets()) == 0 {
		return nil, nil // an empty file has no records
	}
	o := &c.opts
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"weight", o.WeightFeature != ""}, {"slice", len(c.slices) > 0}, {"features", len(o.FeatureAllowlist) > 0}, {"top", o.NumTopValues != 20},
		{"buckets", o.NumHistogramBuckets != 10}, {"quantiles", o.NumQuantilesHistogramBuckets != 10}, {"domains", o.EnableSemanticDomainStats}, {"partial", c.partial != ""},
	} {
		if option.set {
			return nil, usagef("--%s says how statistics are made of records, and %s is statistics", option.name, in[0].Name)
		}
	}
	return list, nil
}
