package anomaly

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/nearest"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// UncheckedRules counts rules that were not checked in a slice, because a data set that they name
// lacks the slice.
type UncheckedRules struct {
	Slice string
	Data  expr.Data // the data set that lacks the slice
	Rules int       // number of rules
}

// CheckRules checks statistics against rules of package expr. For each violation it adds a reason of
// type CUSTOM_VALIDATION to the anomalies a, as TensorFlow Data Validation does for its
// custom_validation_config, and calls opts.Report. It checks rules in their order, and features in
// the order of the statistics. If statistics have slices, it checks the slice of all examples.
//
// With Options.Slices it then checks each slice of the statistics, in their order, as if the slice
// was the data set; before and serving are the slices with the same name. Rules without a
// statistic of a feature, such as num_examples > 1000, are not checked in slices unless they
// contain the statistic "slice".
//
// Rules may name Options.Previous and Options.Serving as before and serving. They may also name
// features of the schema that the statistics lack; the schema may be nil. The error is an
// *expr.SyntaxError if a rule names an unknown feature, a data set that is not given, or a
// statistic that a feature cannot have. Other errors are about ambiguous statistics.
func CheckRules(a *pb.Anomalies, all *expr.Rules, statistics *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) ([]UncheckedRules, error) {
	c, err := newRuleCheck(a, all, statistics, schema, opts)
	if err != nil {
		return nil, err
	}
	c.checkAll(all.OfStatistics())
	if !c.opts.Slices || len(statistics.GetDatasets()) < 2 {
		return nil, nil
	}
	var sliced [numData]sliceList
	for i, list := range c.lists {
		if sliced[i], err = newSliceList(list); err != nil {
			return nil, fmt.Errorf("%s: %w", dataPhrase[i], err)
		}
	}
	var unchecked []UncheckedRules
	for _, stats := range sliced[expr.Now].all {
		c.data = &ruleData{slice: stats.GetName()}
		for i := range c.data.sets {
			if slice := sliced[i].byName[c.data.slice]; slice != nil {
				if err := c.data.addDataset(i, slice); err != nil {
					return nil, fmt.Errorf("slice %q: %w", c.data.slice, err)
				}
			}
		}
		var skipped [numData]int
		for _, r := range all.OfStatistics() {
			switch missing := c.data.missingDataset(r); {
			case !inSlices(r):
			case missing != expr.Now:
				skipped[missing]++
			default:
				c.checkAll([]*expr.Rule{r})
			}
		}
		for i, n := range skipped {
			if n > 0 {
				unchecked = append(unchecked, UncheckedRules{c.data.slice, expr.Data(i), n})
			}
		}
	}
	return unchecked, nil
}

// inSlices reports whether a rule is checked in slices.
func inSlices(r *expr.Rule) bool {
	return slices.ContainsFunc(r.Statistics(), func(s *expr.Statistic) bool { return s.Named || s.OfEachFeature() || s.Name == "slice" })
}

// missingDataset returns the first data set that a rule names and d lacks, or Now if d lacks none.
func (d *ruleData) missingDataset(r *expr.Rule) expr.Data {
	for _, s := range r.Statistics() {
		if d.sets[s.Data] == nil {
			return s.Data
		}
	}
	return expr.Now
}

// A ruleCheck is one call of CheckRules.
type ruleCheck struct {
	opts   *Options
	result *pb.Anomalies
	lists  [numData]*pb.DatasetFeatureStatisticsList // statistics by expr.Data; nil: not given
	data   *ruleData                                 // data sets of all examples, or of the current slice
}

func newRuleCheck(a *pb.Anomalies, all *expr.Rules, statistics *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*ruleCheck, error) {
	if opts == nil {
		opts = &Options{}
	}
	c := &ruleCheck{opts: opts, result: a, data: &ruleData{}, lists: [numData]*pb.DatasetFeatureStatisticsList{statistics, opts.Previous, opts.Serving}}
	for i, list := range c.lists {
		if list == nil && i != int(expr.Now) {
			continue
		}
		stats, err := view.Default(list)
		if err == nil {
			err = c.data.addDataset(i, stats)
		}
		if err != nil {
			return nil, err
		}
	}
	known := c.data.featureTypes(schema)
	for _, r := range all.OfStatistics() {
		for _, s := range r.Statistics() {
			if text := c.data.unknownName(s, known); text != "" {
				return nil, &expr.SyntaxError{Line: s.Line, Column: s.Column, Message: text}
			}
		}
	}
	return c, nil
}

// unknownName returns an error text if a statistic names an unknown data set or feature, or does not
// apply to the feature; else "".
func (d *ruleData) unknownName(s *expr.Statistic, known map[string]pb.FeatureType) string {
	t, ok := known[s.Feature]
	switch class := ruleStatistics[s.Name].class; {
	case d.sets[s.Data] == nil:
		return fmt.Sprintf("there is no data set %q: %s is not given", s.Data, dataPhrase[s.Data])
	case s.Name == "" || !s.Named: // has(), or a statistic of every feature or of the data set
	case !ok:
		return fmt.Sprintf("there is no feature %q in the statistics%s", s.Feature, nearest.Question(s.Feature, slices.Collect(maps.Keys(known))))
	case !class.allowsType(t):
		return fmt.Sprintf("%s is a statistic of %s, but %s has type %v", s.Name, classNames[class], s.Feature, t)
	}
	return ""
}

// featureTypes returns the types of all features that rules may name, by name.
func (e *ruleData) featureTypes(schema *pb.Schema) map[string]pb.FeatureType {
	known := map[string]pb.FeatureType{}
	var add func(parent view.Path, features []*pb.Feature)
	add = func(parent view.Path, features []*pb.Feature) {
		for _, f := range features {
			path := parent.Child(f.GetName())
			known[path.String()] = f.GetType()
			if len(path) == 1 {
				known[path[0]] = f.GetType()
			}
			add(path, f.GetStructDomain().GetFeature())
		}
	}
	add(nil, schema.GetFeature())
	for _, i := range []expr.Data{expr.Serving, expr.Before, expr.Now} {
		if e.sets[i] != nil {
			for name, f := range e.sets[i].byName {
				known[name] = f.Type()
			}
		}
	}
	return known
}

// checkAll evaluates rules, each for every feature that it applies to.
func (c *ruleCheck) checkAll(all []*expr.Rule) {
	d := c.data
	for _, r := range all {
		each := slices.IndexFunc(r.Statistics(), (*expr.Statistic).OfEachFeature)
		d.feature = nil
		if each < 0 {
			c.checkOne(r)
			continue
		}
		for _, f := range d.sets[r.Statistics()[each].Data].Features {
			d.feature = f
			if !slices.ContainsFunc(r.Statistics(), func(s *expr.Statistic) bool {
				if !s.OfEachFeature() {
					return false
				}
				_, _, err := d.Value(s)
				return err != nil // the feature lacks the statistic
			}) {
				c.checkOne(r)
			}
		}
	}
}

// checkOne evaluates a rule for d.feature, and adds a reason if the rule does not hold.
func (c *ruleCheck) checkOne(r *expr.Rule) {
	v := r.Check(c.data)
	if v == nil {
		return
	}
	severity := pb.AnomalyInfo_ERROR
	if r.Warning {
		severity = pb.AnomalyInfo_WARNING
	}
	if s, ok := c.opts.Severity[pb.AnomalyInfo_CUSTOM_VALIDATION]; ok {
		severity = s
	}
	if severity == pb.AnomalyInfo_UNKNOWN {
		return
	}
	f := Finding{
		Slice: c.data.slice, Path: c.data.rulePath(r), Type: pb.AnomalyInfo_CUSTOM_VALIDATION, Severity: severity,
		Text: v.Text, Expected: v.Expected, Observed: v.Observed,
	}
	if c.opts.Report != nil {
		c.opts.Report(f)
	}
	addReason(c.result, f)
}

// rulePath returns the path of the feature for a finding: d.feature, else the first feature that the
// rule names, else nil.
func (d *ruleData) rulePath(r *expr.Rule) []string {
	if d.feature != nil {
		return slices.Clone(d.feature.Path)
	}
	for _, s := range r.Statistics() {
		if !s.Named {
			continue
		}
		for _, set := range d.sets {
			if set != nil && set.byName[s.Feature] != nil {
				return slices.Clone(set.byName[s.Feature].Path)
			}
		}
		return []string{s.Feature}
	}
	return nil
}

// addReason adds a finding to anomalies. The key of a feature F in a slice S is slice(S)::F, as in Validate.
func addReason(a *pb.Anomalies, f Finding) {
	path := view.Path(f.Path)
	if f.Slice != "" {
		path = view.InSlice(f.Slice, path)
	}
	info := anomalyFor(a, path)
	if f.Severity > info.GetSeverity() {
		info.Severity = f.Severity.Enum()
	}
	info.Reason = append(info.Reason, &pb.AnomalyInfo_Reason{
		Type: f.Type.Enum(), ShortDescription: proto.String("Rule does not hold"), Description: proto.String(f.Text + "."),
	})
	rules.Describe(info)
}

// anomalyFor returns the anomaly of a feature, or of the data set for a nil path. It adds a missing anomaly.
func anomalyFor(a *pb.Anomalies, path view.Path) *pb.AnomalyInfo {
	if path == nil {
		if a.DatasetAnomalyInfo == nil {
			a.DatasetAnomalyInfo = &pb.AnomalyInfo{}
		}
		return a.DatasetAnomalyInfo
	}
	key := path.String()
	i := slices.IndexFunc(a.AnomalyInfo, func(e *pb.Anomalies_AnomalyInfoEntry) bool { return e.GetKey() == key })
	if i < 0 {
		i = len(a.AnomalyInfo)
		a.AnomalyInfo = append(a.AnomalyInfo, &pb.Anomalies_AnomalyInfoEntry{Key: proto.String(key), Value: &pb.AnomalyInfo{Path: path.Proto()}})
	}
	return a.AnomalyInfo[i].Value
}
