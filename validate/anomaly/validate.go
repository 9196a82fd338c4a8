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

// Options configure a validation. The zero value has no environment and no control data.
type Options struct {
	Compat bool // produce the result of TensorFlow Data Validation 1.16.1

	// Environment is one of the default environments of the schema, or empty.
	Environment string

	// Previous is the control data for drift, Serving for skew, and PreviousVersion for the
	// number of examples.
	Previous, Serving, PreviousVersion *pb.DatasetFeatureStatisticsList

	// Details belong to the statistics, to Previous and to Serving. They are available if the
	// statistics were just computed from records; they may be nil, and Compat ignores them. With
	// them, drift and skew of numbers are counted in common bins instead of estimated from
	// quantile histograms, and texts list the observed numbers of values instead of their range.
	Details, PreviousDetails, ServingDetails *stats.Details

	// Severity sets the severity for reasons of a type; UNKNOWN drops them. The default is ERROR,
	// or WARNING for reasons that need not be a problem. With Compat, reasons about the whole data
	// set are always errors.
	Severity map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity

	// Slices also validates every slice of the statistics. A feature F of a slice S is reported
	// under the name slice(S)::F, and compared with the slice of the same name in Previous and
	// Serving. Constraints of the data set apply to all examples only.
	//
	// A slice that only one of two data sets has is reported once, under the name slice(S)::, as
	// COMPARATOR_CONTROL_DATA_MISSING or COMPARATOR_TREATMENT_DATA_MISSING. This is a warning if
	// the slice is so small that a sample of the same data may lack it, else an error. Such a
	// slice is validated without control data. Control data without slices are compared with all
	// examples only.
	//
	// With Compat this is validate_corresponding_slices: all examples are also a slice; a slice of
	// one side only has no features or no control data; the baseline is the schema with the
	// features of every slice, without environments and data set constraints; an environment is
	// an error.
	Slices bool

	// Report, if not nil, is called for every reason of the anomalies in the result: features in
	// their order, then the data set, then slices.
	Report func(Finding)
}

// controls returns the control data and their names in errors.
func (o *Options) controls() (names []string, lists []**pb.DatasetFeatureStatisticsList) {
	return []string{"previous", "serving", "previous version"}, []**pb.DatasetFeatureStatisticsList{&o.Previous, &o.Serving, &o.PreviousVersion}
}

// Validate validates statistics against a schema, like validate_statistics of TensorFlow Data
// Validation. If the list has several data sets, it uses the data set called "All Examples". The
// result has an entry for each feature with an anomaly, in the order of the paths.
//
// It fails if the statistics are ambiguous, or if the environment is not in the schema.
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
		return nil, fmt.Errorf("anomaly: environment %q is not in the schema: want one of %q", o.Environment, schema.GetDefaultEnvironment())
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
	if err := v.fillResult(result); err != nil || o.Compat || !o.Slices || len(statistics.GetDatasets()) < 2 {
		return result, err
	}
	return result, addSlices(result, statistics, controls, schema, &o)
}

// fillResult validates the data set and adds the anomalies to result.
func (v *validation) fillResult(result *pb.Anomalies) error {
	opts := v.opts
	if v.data.Stats.GetNumExamples() == 0 {
		result.DataMissing = proto.Bool(true)
		return nil
	}
	v.config.Data(v.data)
	for _, f := range v.data.Roots() {
		if !f.Hidden || !opts.Compat { // TensorFlow Data Validation does not visit hidden features
			v.checkFeature(f)
		}
	}
	if !opts.Compat && !v.isSlice {
		for path, reasons := range v.schema.InvalidEntries(&v.config, v.data) {
			v.addReasons(path, reasons)
		}
	}
	for _, path := range v.schema.Absent(v.data, opts.Environment, opts.Compat) {
		v.addReasons(path, []rules.Reason{v.config.Missing()})
	}
	if err := v.config.Err(); err != nil {
		return err
	}
	v.addFindings(result)
	return nil
}

// A validation is one call of Validate, or the validation of one slice.
type validation struct {
	opts     *Options                     // copy of the caller's options; a slice has its own Report
	config   rules.Config                 // settings of the rules, with the control data
	schema   *rules.Schema                // index of the caller's schema; only read
	data     *view.Dataset                // the data set or slice to validate
	features map[string]*featureAnomalies // anomalies of each feature, by path as text
	isSlice  bool                         // skip the checks of the schema and of the data set as a whole
}

// featureAnomalies holds the anomalies of one feature, and its drift or skew distance.
type featureAnomalies struct {
	path    view.Path
	new     bool // the feature is not in the schema
	reasons []rules.Reason
	drift   *pb.DriftSkewInfo
}

// isHidden reports whether Options.Severity drops all reasons of a feature. A feature that is not in
// the schema is never hidden.
func (v *validation) isHidden(f *featureAnomalies) bool {
	return !f.new && !slices.ContainsFunc(f.reasons, func(r rules.Reason) bool { return v.severity(r) != pb.AnomalyInfo_UNKNOWN })
}

// newValidation prepares the validation of one data set. controls may be nil.
func newValidation(d *pb.DatasetFeatureStatistics, controls [3]*pb.DatasetFeatureStatistics, schema *pb.Schema, opts *Options) (v *validation, err error) {
	v = &validation{opts: opts, schema: rules.NewSchema(schema), features: map[string]*featureAnomalies{}}
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

func (v *validation) featureAt(path view.Path) *featureAnomalies {
	f := v.features[path.String()]
	if f == nil {
		f = &featureAnomalies{path: path}
		v.features[path.String()] = f
	}
	return f
}

func (v *validation) addReasons(path view.Path, reasons []rules.Reason) {
	if len(reasons) > 0 {
		f := v.featureAt(path)
		f.reasons = append(f.reasons, reasons...)
	}
}

// checkFeature checks a feature and its children. A feature that is not in the schema is reported
// once, without its children.
func (v *validation) checkFeature(f *view.Feature) {
	switch {
	case !v.schema.Knows(f.Path):
		v.addReasons(f.Path, []rules.Reason{v.config.NewColumn(f)})
		v.featureAt(f.Path).new = true
		return
	case v.schema.Ignores(f.Path):
		return
	}
	o := v.schema.Check(&v.config, f)
	v.addReasons(f.Path, o.Reasons)
	if o.Drift != nil {
		v.featureAt(f.Path).drift = o.Drift
	}
	if o.Deprecated && !v.isHidden(v.featureAt(f.Path)) {
		return
	}
	v.config.NeedChildren(f)
	for _, child := range f.Children {
		v.checkFeature(child)
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

// addFindings adds the anomalies of all features and of the data set to the result.
func (v *validation) addFindings(result *pb.Anomalies) {
	result.AnomalyNameFormat = pb.Anomalies_SERIALIZED_PATH.Enum()
	v.addFeatures(result)
	v.addDataset(result)
}

// addFeatures adds the anomalies of features to the result, in the order of their paths.
func (v *validation) addFeatures(result *pb.Anomalies) {
	all := make([]*featureAnomalies, 0, len(v.features))
	for _, f := range v.features {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *featureAnomalies) int { return a.path.Compare(b.path) })
	for _, f := range all {
		if reasons := v.selectReasons(f.reasons, v.severity); len(reasons) > 0 && !v.isHidden(f) {
			info := rules.Info(reasons, v.severity)
			info.Path = f.path.Proto()
			v.reportReasons(f.path, reasons, info, v.severity)
			result.AnomalyInfo = append(result.AnomalyInfo, &pb.Anomalies_AnomalyInfoEntry{Key: proto.String(f.path.String()), Value: info})
		}
		if f.drift != nil {
			result.DriftSkewInfo = append(result.DriftSkewInfo, f.drift)
		}
	}
}

// addDataset adds the anomaly of the data set as a whole to the result.
func (v *validation) addDataset(result *pb.Anomalies) {
	if reasons := v.schema.Dataset(&v.config, v.data); len(reasons) > 0 && !v.isSlice {
		severity := func(r rules.Reason) pb.AnomalyInfo_Severity {
			if s, ok := v.opts.Severity[r.Type]; ok && !v.opts.Compat {
				return s
			}
			return pb.AnomalyInfo_ERROR
		}
		if reasons = v.selectReasons(reasons, severity); len(reasons) > 0 {
			result.DatasetAnomalyInfo = rules.Info(reasons, severity)
			v.reportReasons(nil, reasons, result.DatasetAnomalyInfo, severity)
		}
	}
}

// selectReasons returns the reasons whose severity is not UNKNOWN. With Compat it returns all reasons:
// TensorFlow Data Validation drops an anomaly only if all reasons of the anomaly are UNKNOWN.
func (v *validation) selectReasons(all []rules.Reason, severity func(rules.Reason) pb.AnomalyInfo_Severity) []rules.Reason {
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

// A Finding is one reason of an anomaly, with values that the protobuf message has no fields for.
type Finding struct {
	Slice    string                  // name of the slice, with Options.Slices; "" for all examples
	Path     []string                // path of the feature; nil for the whole data set or slice
	Type     pb.AnomalyInfo_Type     // type of the reason; CUSTOM_VALIDATION if CheckRules reports it
	Severity pb.AnomalyInfo_Severity // with Compat, the highest severity of the anomaly's reasons
	Text     string                  // the description of the reason, or the short description

	// Expected is the requirement of the schema, such as "at most 120", and Observed is the value
	// in the statistics, such as "130". All reasons have both, also with Compat.
	Expected, Observed string
}

// reportReasons calls Options.Report for each reason of an anomaly.
func (v *validation) reportReasons(path view.Path, reasons []rules.Reason, info *pb.AnomalyInfo, severity func(rules.Reason) pb.AnomalyInfo_Severity) {
	if v.opts.Report == nil {
		return
	}
	for _, r := range rules.Deduplicate(reasons) {
		f := Finding{Path: slices.Clone(path), Type: r.Type, Severity: severity(r), Text: r.Text(), Expected: r.Expected, Observed: r.Observed}
		if v.opts.Compat {
			f.Severity = info.GetSeverity()
		}
		v.opts.Report(f)
	}
}
