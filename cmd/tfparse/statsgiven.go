package main

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// given returns the statistics that the only input is, or nil if the inputs are records
// or parts. What would say how statistics are made is a mistake then.
func (c *statistics) given(in []inputs.Input, merge bool) (*pb.DatasetFeatureStatisticsList, error) {
	if merge {
		name := c.making()
		switch {
		case name != "":
		case c.schemaName != "":
			name = "schema"
		case c.compat.tfdv():
			name = "compat"
		default:
			return nil, nil
		}
		return nil, usagef("--%s says how statistics are made of records, and those who wrote the parts have said it", name)
	}
	list, details, err := c.env.given(in)
	if err != nil {
		return nil, err
	}
	if len(list.GetDatasets()) == 0 {
		return nil, nil // an empty file has no records
	}
	name := c.making()
	if name == "" && c.partial != "" {
		name = "partial"
	}
	if name != "" {
		return nil, usagef("--%s says how statistics are made of records, and %s is statistics", name, in[0].Name)
	}
	c.details = details
	return list, nil
}

// making returns the name of a flag that was given and says how statistics are made, or
// "".
func (c *statistics) making() string {
	o := &c.opts
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"weight", o.WeightFeature != ""}, {"slice", len(c.slices) > 0}, {"features", len(o.FeatureAllowlist) > 0}, {"top", o.NumTopValues != 20},
		{"buckets", o.NumHistogramBuckets != 10}, {"quantiles", o.NumQuantilesHistogramBuckets != 10}, {"domains", o.EnableSemanticDomainStats}, {"vocab", len(c.vocabularies.values) > 0},
		{"sample-rate", o.SampleRate != 1},
	} {
		if option.set {
			return option.name
		}
	}
	return ""
}
