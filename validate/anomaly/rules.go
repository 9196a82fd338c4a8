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

// UncheckedRules are rules that were not checked in a slice, because the slice is not in a data set that they name.
type UncheckedRules struct {
	Slice string
	Data  expr.Data
	Rules int
}

// CheckRules checks statistics against the rules about them, in the order of the rules, for features in the order of the
// statistics. What does not hold is a reason of the type CUSTOM_VALIDATION of the anomalies a, as TensorFlow Data
// Validation adds those of its custom_validation_config, and is given to opts.Report. Of statistics with slices it takes
// those of all examples.
//
// With Options.Slices it then does the same in each slice of the statistics, in their order, as if the slice was the data set:
// before and serving are the slices with the same name. Rules without a statistic of a feature, such as
// num_examples > 1000, are not checked in slices unless they have the statistic "slice".
//
// Rules may name Previous and Serving of the options as before and serving, and features of the schema that the statistics lack; the schema may be nil. The error is an
// *expr.SyntaxError for a rule that names a feature or a data set that is not there, or a statistic that a feature cannot have;
// another one if statistics are ambiguous.
func CheckRules(a *pb.Anomalies, all *expr.Rules, statistics *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) ([]UncheckedRules, error) {
	c, err := newRuleCheck(a, all, statistics, schema, opts)
	if err != nil {
		return nil, err
	}
	c.check(all.OfStatistics())
	if !c.opts.Slices || len(statistics.GetDatasets()) < 2 {
		return nil, nil
	}
	var named [numData]sliceList
	for i, list := range c.lists {
		if named[i], err = newSliceList(list); err != nil {
			return nil, fmt.Errorf("%s: %w", dataPhrase[i], err)
		}
	}
	var unchecked []UncheckedRules
	for _, stats := range named[expr.Now].all {
		c.data = &ruleData{slice: stats.GetName()}
		for i := range c.data.sets {
			if slice := named[i].byName[c.data.slice]; slice != nil {
				if err := c.data.add(i, slice); err != nil {
					return nil, fmt.Errorf("slice %q: %w", c.data.slice, err)
				}
			}
		}
		var lacks [numData]int
		for _, r := range all.OfStatistics() {
			switch missing := c.data.missing(r); {
			case !inSlices(r):
			case missing != expr.Now:
				lacks[missing]++
			default:
				c.check([]*expr.Rule{r})
			}
		}
		for i, n := range lacks {
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

// missing returns the first data set that a rule names and that is not there; Now: there is none.
func (d *ruleData) missing(r *expr.Rule) expr.Data {
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
	lists  [numData]*pb.DatasetFeatureStatisticsList // nil: not given
	data   *ruleData                                 // all examples, or the slice at hand
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
			err = c.data.add(i, stats)
		}
		if err != nil {
			return nil, err
		}
	}
	known := c.data.types(schema)
	for _, r := range all.OfStatistics() {
		for _, s := range r.Statistics() {
			if text := c.data.unknown(s, known); text != "" {
				return nil, &expr.SyntaxError{Line: s.Line, Column: s.Column, Message: text}
			}
		}
	}
	return c, nil
}

// unknown says what a statistic names that is not there, "" if all is.
func (d *ruleData) unknown(s *expr.Statistic, known map[string]pb.FeatureType) string {
	t, ok := known[s.Feature]
	switch class := ruleStatistics[s.Name].of; {
	case d.sets[s.Data] == nil:
		return fmt.Sprintf("there is no data set %q: %s is not given", s.Data, dataPhrase[s.Data])
	case s.Name == "" || !s.Named: // has, or of every feature, or of the data set
	case !ok:
		return fmt.Sprintf("there is no feature %q in the statistics%s", s.Feature, nearest.Question(s.Feature, slices.Collect(maps.Keys(known))))
	case !class.fits(t):
		return fmt.Sprintf("%s is a statistic of %s, and %s has the type %v", s.Name, classNames[class], s.Feature, t)
	}
	return ""
}

// types returns the types of all features that rules may name.
func (e *ruleData) types(schema *pb.Schema) map[string]pb.FeatureType {
	known := map[string]pb.FeatureType{}
	var add func(of view.Path, all []*pb.Feature)
	add = func(of view.Path, all []*pb.Feature) {
		for _, f := range all {
			path := of.Child(f.GetName())
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

// check evaluates rules, each for every feature that it is about.
func (c *ruleCheck) check(all []*expr.Rule) {
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
				return err != nil // it does not have the statistic
			}) {
				c.checkOne(r)
			}
		}
	}
}

// checkOne evaluates a rule for the feature at hand, and adds a reason if it does not hold.
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
		Slice: c.data.slice, Path: c.data.path(r), Type: pb.AnomalyInfo_CUSTOM_VALIDATION, Severity: severity,
		Text: v.Text, Expected: v.Expected, Observed: v.Observed,
	}
	if c.opts.Report != nil {
		c.opts.Report(f)
	}
	addReason(c.result, f)
}

// path is the feature that a rule is about: the one that is evaluated, or the first that it names.
func (d *ruleData) path(r *expr.Rule) []string {
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

// addReason adds a finding to anomalies. A feature F of a slice S has the name slice(S)::F, as Validate writes it.
func addReason(a *pb.Anomalies, f Finding) {
	path := view.Path(f.Path)
	if f.Slice != "" {
		path = view.InSlice(f.Slice, path)
	}
	info := infoOf(a, path)
	if f.Severity > info.GetSeverity() {
		info.Severity = f.Severity.Enum()
	}
	info.Reason = append(info.Reason, &pb.AnomalyInfo_Reason{
		Type: f.Type.Enum(), ShortDescription: proto.String("Rule does not hold"), Description: proto.String(f.Text + "."),
	})
	rules.Describe(info)
}

// infoOf returns the anomaly of a feature, or of the data set, which may be new.
func infoOf(a *pb.Anomalies, path view.Path) *pb.AnomalyInfo {
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
