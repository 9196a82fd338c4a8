package anomaly

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// validateEach validates the data sets of a list one by one. TensorFlow Data Validation makes one data set
// of all slices, and a schema with the features of each: with a thousand slices that is a
// thousand schemas.
func validateEach(list *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*pb.Anomalies, error) {
	all, err := view.Default(list)
	if err != nil {
		return nil, err
	}
	previous, err := newControl("previous", opts.Previous)
	if err != nil {
		return nil, err
	}
	serving, err := newControl("serving", opts.Serving)
	if err != nil {
		return nil, err
	}
	result := &pb.Anomalies{BaselineSchema: &pb.Anomalies_Baseline{Baseline: proto.CloneOf(schema)}, AnomalyNameFormat: pb.Anomalies_SERIALIZED_PATH.Enum()}
	compared := 0
	seen := map[string]bool{}
	for _, d := range list.GetDatasets() {
		if seen[d.GetName()] {
			return nil, fmt.Errorf("anomaly: there are two slices %q", d.GetName())
		}
		seen[d.GetName()] = true
		compared += len(d.GetFeatures())
	}
	for _, d := range list.GetDatasets() {
		o := *opts
		if opts.Report != nil {
			o.Report = func(f Finding) {
				f.Slice = d.GetName()
				opts.Report(f)
			}
		}
		o.Previous, o.Serving = previous.list(d, d == all), serving.list(d, d == all)
		v, err := newValidation(listOf(d), schema, &o)
		if err != nil {
			return nil, fmt.Errorf("slice %q: %w", d.GetName(), err)
		}
		v.slice, v.config.Compared = d != all, compared
		one := &pb.Anomalies{}
		if err := v.run(one); err != nil {
			return nil, fmt.Errorf("slice %q: %w", d.GetName(), err)
		}
		if d == all {
			result.DataMissing, result.DatasetAnomalyInfo = one.DataMissing, one.DatasetAnomalyInfo
		}
		move(one, d.GetName())
		result.AnomalyInfo = append(result.AnomalyInfo, one.AnomalyInfo...)
		result.DriftSkewInfo = append(result.DriftSkewInfo, one.DriftSkewInfo...)
	}
	o := *opts
	o.Report = ofSlice(opts.Report, slices.Concat(slices.Collect(maps.Keys(seen)), previous.names, serving.names))
	v := &validation{opts: &o, found: map[string]*found{}}
	partial := func(d *stats.Details) bool { return d != nil && d.OutsideSlices > 0 }
	drift, skew := rules.Drift(all, previous.all), rules.Skew(all, serving.all)
	drift.Partial, skew.Partial = [2]bool{partial(o.Details), partial(o.PreviousDetails)}, [2]bool{partial(o.Details), partial(o.ServingDetails)}
	v.oneSided(list, drift, previous)
	v.oneSided(list, skew, serving)
	v.fillFeatures(result)
	return result, nil
}

func listOf(d *pb.DatasetFeatureStatistics) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{d}}
}

// move gives what was found the names of a slice.
func move(a *pb.Anomalies, slice string) {
	for _, e := range a.AnomalyInfo {
		e.Value.Path = view.InSlice(slice, view.Of(e.GetValue().GetPath())).Proto()
		e.Key = proto.String(view.Of(e.GetValue().GetPath()).String())
	}
	for _, info := range a.DriftSkewInfo {
		info.Path = view.InSlice(slice, view.Of(info.GetPath())).Proto()
	}
}

// A control is what slices are compared with.
type control struct {
	given  bool
	all    *pb.DatasetFeatureStatistics // nil: not given
	slices map[string]*pb.DatasetFeatureStatistics
	names  []string // of slices, in their order
}

func newControl(name string, list *pb.DatasetFeatureStatisticsList) (c control, err error) {
	if list == nil {
		return c, nil
	}
	if c.all, err = view.Default(list); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	c.given, c.slices = true, map[string]*pb.DatasetFeatureStatistics{}
	for _, d := range list.GetDatasets() {
		if d == c.all {
			continue
		}
		if c.slices[d.GetName()] != nil {
			return c, fmt.Errorf("%s: there are two slices %q", name, d.GetName())
		}
		c.slices[d.GetName()] = d
		c.names = append(c.names, d.GetName())
	}
	return c, nil
}

// list is what a slice is compared with, or nil.
func (c *control) list(d *pb.DatasetFeatureStatistics, all bool) *pb.DatasetFeatureStatisticsList {
	switch {
	case !c.given:
		return nil
	case all:
		return listOf(c.all)
	case c.slices[d.GetName()] != nil:
		return listOf(c.slices[d.GetName()])
	}
	return nil
}

// oneSided finds the slices that only one of two data sets has, if both have slices.
func (v *validation) oneSided(list *pb.DatasetFeatureStatisticsList, p rules.Pair, c control) {
	if len(c.names) == 0 || len(list.GetDatasets()) < 2 {
		return
	}
	mine := map[string]bool{}
	for _, d := range list.GetDatasets() {
		mine[d.GetName()] = true
	}
	n := len(mine)
	for _, name := range c.names {
		if !mine[name] {
			n++
		}
	}
	for _, d := range list.GetDatasets() {
		if d != p.Data && c.slices[d.GetName()] == nil {
			v.add(view.Path{SlicePrefix(d.GetName())}, []rules.Reason{v.config.OneSided(p, d, false, n)})
		}
	}
	for _, name := range c.names {
		if !mine[name] {
			v.add(view.Path{SlicePrefix(name)}, []rules.Reason{v.config.OneSided(p, c.slices[name], true, n)})
		}
	}
}
