package anomaly

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// addSlices adds the anomalies of each slice of the statistics to result. all is the control data of all
// examples. It validates the slices one by one. TensorFlow Data Validation combines all slices in one
// data set and copies the schema for each slice: a thousand copies for a thousand slices.
func addSlices(result *pb.Anomalies, statistics *pb.DatasetFeatureStatisticsList, all [3]*pb.DatasetFeatureStatistics, schema *pb.Schema, opts *Options) error {
	mine, err := newSliceList(statistics)
	if err != nil {
		return fmt.Errorf("anomaly: %w", err)
	}
	var others [2]sliceList
	names, lists := opts.controls()
	for i := range others {
		if others[i], err = newSliceList(*lists[i]); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	compared := 0
	for _, d := range statistics.GetDatasets() {
		compared += len(d.GetFeatures())
	}
	for _, d := range mine.all {
		name := d.GetName()
		o := *opts
		if opts.Report != nil {
			o.Report = func(f Finding) {
				f.Slice = name
				opts.Report(f)
			}
		}
		v, err := newValidation(d, [3]*pb.DatasetFeatureStatistics{others[0].byName[name], others[1].byName[name]}, schema, &o)
		one := &pb.Anomalies{}
		if err == nil {
			v.isSlice, v.config.Compared = true, compared
			err = v.fillResult(one)
		}
		if err != nil {
			return fmt.Errorf("slice %q: %w", name, err)
		}
		for _, e := range one.AnomalyInfo {
			path := view.InSlice(name, view.Of(e.GetValue().GetPath()))
			e.Key, e.Value.Path = proto.String(path.String()), path.Proto()
		}
		for _, info := range one.DriftSkewInfo {
			info.Path = view.InSlice(name, view.Of(info.GetPath())).Proto()
		}
		result.AnomalyInfo = append(result.AnomalyInfo, one.AnomalyInfo...)
		result.DriftSkewInfo = append(result.DriftSkewInfo, one.DriftSkewInfo...)
	}
	o := *opts
	if opts.Report != nil {
		o.Report = func(f Finding) {
			f.Slice, f.Path = strings.TrimSuffix(strings.TrimPrefix(f.Path[0], "slice("), ")::"), nil
			opts.Report(f)
		}
	}
	v := &validation{opts: &o, features: map[string]*featureAnomalies{}}
	whole, _ := view.Default(statistics) // Validate has checked the error
	partial := func(d *stats.Details) bool { return d != nil && d.OutsideSlices > 0 }
	for i, details := range []*stats.Details{o.PreviousDetails, o.ServingDetails} {
		names := [][2]string{rules.DriftNames, rules.SkewNames}[i]
		v.addOneSided(rules.Pair{Names: names, Data: whole, Against: all[i], Partial: [2]bool{partial(o.Details), partial(details)}}, mine, others[i])
	}
	v.addFeatures(result)
	return nil
}

// A sliceList holds the slices of statistics, without the slice of all examples.
type sliceList struct {
	all    []*pb.DatasetFeatureStatistics
	byName map[string]*pb.DatasetFeatureStatistics
}

// newSliceList returns the slices of list. A list of one data set has no slices.
func newSliceList(list *pb.DatasetFeatureStatisticsList) (l sliceList, err error) {
	if len(list.GetDatasets()) < 2 {
		return l, nil
	}
	l.byName = map[string]*pb.DatasetFeatureStatistics{}
	for _, d := range list.GetDatasets() {
		if l.byName[d.GetName()] != nil {
			return l, fmt.Errorf("duplicate slice %q", d.GetName())
		}
		if l.byName[d.GetName()] = d; d.GetName() != view.AllExamples {
			l.all = append(l.all, d)
		}
	}
	delete(l.byName, view.AllExamples)
	return l, nil
}

// addOneSided adds a reason for each slice that only one of two data sets has. It adds none if the control
// data have no slices.
func (v *validation) addOneSided(p rules.Pair, mine, others sliceList) {
	if len(others.all) == 0 {
		return
	}
	n := 1 + len(mine.all) // number of different slices, including all examples
	for _, d := range others.all {
		if mine.byName[d.GetName()] == nil {
			n++
		}
	}
	for _, d := range mine.all {
		if others.byName[d.GetName()] == nil {
			v.addReasons(view.Path{SlicePrefix(d.GetName())}, []rules.Reason{v.config.OneSided(p, d, false, n)})
		}
	}
	for _, d := range others.all {
		if mine.byName[d.GetName()] == nil {
			v.addReasons(view.Path{SlicePrefix(d.GetName())}, []rules.Reason{v.config.OneSided(p, d, true, n)})
		}
	}
}

// SlicePrefix returns the prefix that Options.Slices adds to the first step of a path.
func SlicePrefix(slice string) string { return view.SlicePrefix(slice) }

// CutSlice splits the first step of a path into the slice, which Options.Slices has added as a prefix,
// and the rest. known is the set of slice names; the longest match wins. Without a match, slice is
// empty.
func CutSlice(step string, known map[string]bool) (slice, rest string) {
	return view.CutSlice(step, known)
}

// flattenAll combines the slices in one data set, as TensorFlow Data Validation does, for the statistics,
// the statistics in the options, and the schema. It replaces o.Report, to set Finding.Slice.
func flattenAll(statistics *pb.DatasetFeatureStatisticsList, schema *pb.Schema, o *Options) (*pb.DatasetFeatureStatisticsList, *pb.Schema, error) {
	var names []string
	_, lists := o.controls()
	for _, list := range append([]**pb.DatasetFeatureStatisticsList{&statistics}, lists...) { // the order of names in the schema
		if *list == nil {
			continue
		}
		var err error
		if *list, err = flattenSlices(*list, &names); err != nil {
			return nil, nil, err
		}
	}
	if report := o.Report; report != nil {
		known := map[string]bool{}
		for _, name := range names {
			known[name] = true
		}
		o.Report = func(f Finding) {
			if len(f.Path) > 0 {
				f.Slice, f.Path[0] = CutSlice(f.Path[0], known)
				if len(f.Path) == 1 && f.Path[0] == "" {
					f.Path = nil
				}
			}
			report(f)
		}
	}
	return statistics, replicateSchema(schema, names), nil
}

// flattenSlices combines the statistics of all slices, and adds their names to names.
func flattenSlices(list *pb.DatasetFeatureStatisticsList, names *[]string) (*pb.DatasetFeatureStatisticsList, error) {
	all, err := view.Default(list)
	if err != nil {
		return nil, err
	}
	flat := &pb.DatasetFeatureStatistics{Name: all.GetName(), NumExamples: all.GetNumExamples(), WeightedNumExamples: all.GetWeightedNumExamples()}
	for _, d := range list.GetDatasets() {
		if !slices.Contains(*names, d.GetName()) {
			*names = append(*names, d.GetName())
		}
		tree, err := view.New(d)
		if err != nil {
			return nil, fmt.Errorf("slice %q: %w", d.GetName(), err)
		}
		for _, f := range tree.Features {
			stats := proto.CloneOf(f.Stats)
			stats.FieldId = &pb.FeatureNameStatistics_Path{Path: view.InSlice(d.GetName(), f.Path).Proto()}
			flat.Features = append(flat.Features, stats)
		}
	}
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{flat}}, nil
}

// replicateSchema returns a schema with a copy of the features for every slice. As in TensorFlow Data
// Validation, environments and data set constraints are lost.
func replicateSchema(schema *pb.Schema, names []string) *pb.Schema {
	schema = proto.CloneOf(schema)
	all := &pb.Schema{StringDomain: schema.StringDomain, FloatDomain: schema.FloatDomain, IntDomain: schema.IntDomain}
	for _, name := range names {
		prefix := SlicePrefix(name)
		for _, f := range proto.CloneOf(schema).GetFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.Feature = append(all.Feature, f)
		}
		for _, f := range proto.CloneOf(schema).GetSparseFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.SparseFeature = append(all.SparseFeature, f)
		}
		for _, f := range proto.CloneOf(schema).GetWeightedFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.WeightedFeature = append(all.WeightedFeature, f)
		}
	}
	return all
}
