package anomaly

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// Options say how statistics are validated. The zero value has no environment and
// nothing to compare with.
type Options struct {
	Compat bool // exactly as TensorFlow Data Validation 1.16.1 does

	// Environment is one of the default environments of the schema, or empty.
	Environment string

	// Previous are the statistics that drift is measured from, Serving those for skew,
	// PreviousVersion those for the number of examples.
	Previous, Serving, PreviousVersion *pb.DatasetFeatureStatisticsList

	// Details are those of the statistics, and of Previous and Serving, if they were just made of
	// records: drift and skew of numbers are then measured between common borders, not from histograms of quantiles, and
	// texts list the numbers of values that were seen, not their range. They
	// may be nil, and are not used with Compat.
	Details, PreviousDetails, ServingDetails *stats.Details

	// Severity is that of reasons of a type; UNKNOWN ones are none. Without it, it is
	// ERROR. What is wrong with the whole data set is always ERROR with Compat.
	Severity map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity

	// Slices checks every slice of the statistics too: a feature F of a slice S is reported under the name slice(S)::F, and
	// compared with the slice of the same name in Previous and Serving. Constraints of the data set are those of all examples.
	//
	// A slice that only one of two data sets has is reported once, under the name slice(S)::, as
	// COMPARATOR_CONTROL_DATA_MISSING or COMPARATOR_TREATMENT_DATA_MISSING: a warning if the slice is so
	// small that a sample of the same data may be without it, else an error. It is compared with
	// the schema alone. Control data that are one data set are compared with all examples, and no slice is
	// missing from them.
	//
	// With Compat this is validate_corresponding_slices: all examples are a slice too, one that only one side has is one
	// without features, or without control data, the baseline is the schema with the features of every slice, without environments
	// and constraints of the data set, and asking for an environment fails.
	Slices bool

	// Report, if not nil, gets every reason of the anomalies in the result, in the order of the features, those of the
	// data set last; and then those of slices.
	Report func(Finding)
}

// controls are the statistics that the data are compared with, by their names in errors.
func (o *Options) controls() (names []string, lists []**pb.DatasetFeatureStatisticsList) {
	return []string{"previous", "serving", "previous version"}, []**pb.DatasetFeatureStatisticsList{&o.Previous, &o.Serving, &o.PreviousVersion}
}

// Validate compares statistics with a schema. Of several data sets the one with the
// name "All Examples" counts. A feature that does not fit has an entry in the result,
// in the order of the paths; nothing is changed.
//
// It fails if the statistics are ambiguous, or the environment is not in the schema.
// TensorFlow Data Validation's name is validate_statistics.
func Validate(statistics *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*pb.Anomalies, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Compat && o.Slices {
		var err error
		if statistics, schema, err = flattenAll(statistics, schema, &o); err != nil {
			return nil, err
		}
	}
	all, err := view.Default(statistics)
	if err != nil {
		return nil, err
	}
	if o.Environment != "" && !slices.Contains(schema.GetDefaultEnvironment(), o.Environment) {
		return nil, fmt.Errorf("anomaly: the environment %q is not in the schema, which has %q", o.Environment, schema.GetDefaultEnvironment())
	}
	var controls [3]*pb.DatasetFeatureStatistics
	names, lists := o.controls()
	for i, list := range lists {
		if *list == nil {
			continue
		}
		if controls[i], err = view.Default(*list); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
	}
	v, err := newValidation(all, controls, schema, &o)
	if err != nil {
		return nil, err
	}
	result := &pb.Anomalies{BaselineSchema: &pb.Anomalies_Baseline{Baseline: proto.CloneOf(schema)}}
	if err := v.run(result); err != nil || o.Compat || !o.Slices || len(statistics.GetDatasets()) < 2 {
		return result, err
	}
	return result, addSlices(result, statistics, controls, schema, &o)
}

// run adds what does not fit to the result.
func (v *validation) run(result *pb.Anomalies) error {
	opts := v.opts
	if v.data.Stats.GetNumExamples() == 0 {
		result.DataMissing = proto.Bool(true)
		return nil
	}
	v.config.Data(v.data)
	for _, f := range v.data.Roots() {
		if !f.Hidden || !opts.Compat { // TensorFlow Data Validation does not come by
			v.walk(f)
		}
	}
	if !opts.Compat && !v.slice {
		for path, reasons := range v.schema.Insane(&v.config, v.data) {
			v.add(path, reasons)
		}
	}
	for _, path := range v.schema.Absent(v.data, opts.Environment, opts.Compat) {
		v.add(path, []rules.Reason{v.config.Missing()})
	}
	if err := v.config.Err(); err != nil {
		return err
	}
	v.fill(result)
	return nil
}

// A validation is one call of Validate.
type validation struct {
	opts   *Options
	config rules.Config
	schema *rules.Schema
	data   *view.Dataset
	found  map[string]*featureAnomalies
	slice  bool // what is said of the schema, and of the data set as a whole, is said of all examples
}

// featureAnomalies are the reasons and distances of one feature.
type featureAnomalies struct {
	path    view.Path
	new     bool // not in the schema
	reasons []rules.Reason
	drift   *pb.DriftSkewInfo
}

// hidden reports whether there is nothing to show of a feature: the caller made its
// severity UNKNOWN. One that is not in the schema is shown all the same.
func (v *validation) hidden(f *featureAnomalies) bool {
	return !f.new && !slices.ContainsFunc(f.reasons, func(r rules.Reason) bool { return v.severity(r) != pb.AnomalyInfo_UNKNOWN })
}

// newValidation looks at statistics of one data set, and at those that they are compared with, which may be nil.
func newValidation(d *pb.DatasetFeatureStatistics, controls [3]*pb.DatasetFeatureStatistics, schema *pb.Schema, opts *Options) (v *validation, err error) {
	v = &validation{opts: opts, schema: rules.NewSchema(schema), found: map[string]*featureAnomalies{}}
	v.config = rules.Config{Compat: opts.Compat, Environment: opts.Environment, Drift: rules.Control{Names: rules.DriftNames}, Skew: rules.Control{Names: rules.SkewNames}}
	if v.data, err = view.New(d); err != nil {
		return nil, err
	}
	names, _ := opts.controls()
	data := [3]**view.Dataset{&v.config.Drift.Data, &v.config.Skew.Data, &v.config.PreviousVersion}
	empty := [3]*bool{&v.config.Drift.Empty, &v.config.Skew.Empty, new(bool)}
	for i, control := range controls {
		switch {
		case control == nil:
		case view.Empty(control):
			*empty[i] = !opts.Compat
		default:
			if *data[i], err = view.NewBy(control, v.data.ByWeight); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	for _, d := range []struct {
		details *stats.Details
		to      *distance.Source
	}{{opts.Details, &v.config.Counted}, {opts.PreviousDetails, &v.config.Drift.Counted}, {opts.ServingDetails, &v.config.Skew.Counted}} {
		if d.details != nil {
			*d.to = d.details
		}
	}
	if opts.Details != nil {
		v.config.Lengths = opts.Details.Lengths
	}
	return v, nil
}

func (v *validation) at(path view.Path) *featureAnomalies {
	f := v.found[path.String()]
	if f == nil {
		f = &featureAnomalies{path: path}
		v.found[path.String()] = f
	}
	return f
}

func (v *validation) add(path view.Path, reasons []rules.Reason) {
	if len(reasons) > 0 {
		f := v.at(path)
		f.reasons = append(f.reasons, reasons...)
	}
}

// walk checks a feature and those below it. What is new is reported once, with all
// that is below it.
func (v *validation) walk(f *view.Feature) {
	switch {
	case !v.schema.Knows(f.Path):
		v.add(f.Path, []rules.Reason{v.config.NewColumn(f)})
		v.at(f.Path).new = true
		return
	case v.schema.Ignores(f.Path):
		return
	}
	o := v.schema.Check(&v.config, f)
	v.add(f.Path, o.Reasons)
	if o.Drift != nil {
		v.at(f.Path).drift = o.Drift
	}
	if o.Deprecated && !v.hidden(v.at(f.Path)) {
		return
	}
	v.config.Below(f)
	for _, child := range f.Children {
		v.walk(child)
	}
}

func (v *validation) severity(r rules.Reason) pb.AnomalyInfo_Severity {
	if s, ok := v.opts.Severity[r.Type]; ok {
		return s
	}
	if r.Warning {
		return pb.AnomalyInfo_WARNING
	}
	return pb.AnomalyInfo_ERROR
}

// fill writes what was found into the result.
func (v *validation) fill(result *pb.Anomalies) {
	result.AnomalyNameFormat = pb.Anomalies_SERIALIZED_PATH.Enum()
	v.fillFeatures(result)
	v.fillDataset(result)
}

// fillFeatures adds what was found of features, in the order of their paths.
func (v *validation) fillFeatures(result *pb.Anomalies) {
	all := make([]*featureAnomalies, 0, len(v.found))
	for _, f := range v.found {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *featureAnomalies) int { return a.path.Compare(b.path) })
	for _, f := range all {
		if reasons := v.wanted(f.reasons, v.severity); len(reasons) > 0 && !v.hidden(f) {
			info := rules.Info(reasons, v.severity)
			info.Path = f.path.Proto()
			v.report(f.path, reasons, info, v.severity)
			result.AnomalyInfo = append(result.AnomalyInfo, &pb.Anomalies_AnomalyInfoEntry{Key: proto.String(f.path.String()), Value: info})
		}
		if f.drift != nil {
			result.DriftSkewInfo = append(result.DriftSkewInfo, f.drift)
		}
	}
}

// fillDataset adds what was found of the data set as a whole.
func (v *validation) fillDataset(result *pb.Anomalies) {
	if reasons := v.schema.Dataset(&v.config, v.data); len(reasons) > 0 && !v.slice {
		severity := func(r rules.Reason) pb.AnomalyInfo_Severity {
			if s, ok := v.opts.Severity[r.Type]; ok && !v.opts.Compat {
				return s
			}
			return pb.AnomalyInfo_ERROR
		}
		if reasons = v.wanted(reasons, severity); len(reasons) > 0 {
			result.DatasetAnomalyInfo = rules.Info(reasons, severity)
			v.report(nil, reasons, result.DatasetAnomalyInfo, severity)
		}
	}
}

// wanted are the reasons whose severity is not UNKNOWN. TensorFlow Data Validation leaves
// them beside others, with the severity of those.
func (v *validation) wanted(all []rules.Reason, severity func(rules.Reason) pb.AnomalyInfo_Severity) []rules.Reason {
	if v.opts.Compat {
		return all
	}
	var some []rules.Reason
	for _, r := range all {
		if severity(r) != pb.AnomalyInfo_UNKNOWN {
			some = append(some, r)
		}
	}
	return some
}

// A Finding is one reason of an anomaly, with what the message has no field for.
type Finding struct {
	Slice    string   // with Options.Slices, the slice that it is about; otherwise empty
	Path     []string // of the feature; nil: the data set, or the slice, as a whole
	Type     pb.AnomalyInfo_Type
	Severity pb.AnomalyInfo_Severity // with Compat that of the anomaly, which is the highest of its reasons
	Text     string                  // the description of the reason, or the short one

	// Expected and Observed are what the schema expects and what the statistics have, in few words: "at most 120" and
	// "130". They are of all reasons, in both modes.
	Expected, Observed string
}

// report gives the reasons of an anomaly to Options.Report.
func (v *validation) report(path view.Path, reasons []rules.Reason, info *pb.AnomalyInfo, severity func(rules.Reason) pb.AnomalyInfo_Severity) {
	if v.opts.Report == nil {
		return
	}
	for _, r := range rules.Once(reasons) {
		f := Finding{Path: slices.Clone(path), Type: r.Type, Severity: severity(r), Text: r.Text(), Expected: r.Expected, Observed: r.Observed}
		if v.opts.Compat {
			f.Severity = info.GetSeverity()
		}
		v.opts.Report(f)
	}
}
