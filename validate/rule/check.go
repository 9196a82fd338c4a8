package rule

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Data is what rules are checked for.
type Data struct {
	Now     *pb.DatasetFeatureStatisticsList // the data set that is checked
	Before  *pb.DatasetFeatureStatisticsList // the previous one; nil: there is none, and no rule may name it
	Serving *pb.DatasetFeatureStatisticsList // that of serving; nil as Before
	Schema  *pb.Schema                       // whose features rules may name although the statistics lack them; nil: none
}

// A Violation is a rule that does not hold.
type Violation struct {
	Rule    string   // its text
	Line    int      // of the rule, from 1
	Slice   string   // that it is about; "": all examples
	Path    []string // of the feature; nil: the whole data set, or slice
	Warning bool
	Text    string // why, with the numbers

	// Expected and Observed are what the rule wants and what the statistics have, in few words: "< 500" and "812".
	Expected, Observed string
}

// Check evaluates the rules, in their order, for features in the order of the statistics. Of statistics with slices it
// takes those of all examples; CheckSlices looks at the slices too. The error is a *SyntaxError
// for a rule that names a feature or a data set that there is not, or a statistic that a feature cannot have; another
// one if statistics are ambiguous.
func (s *Set) Check(d Data) ([]Violation, error) {
	_, all, err := s.checkAll(d)
	return all, err
}

// checkAll is Check; it returns the statistics of all examples, too.
func (s *Set) checkAll(d Data) (*env, []Violation, error) {
	e := &env{}
	for i, list := range d.lists() {
		if list == nil {
			continue
		}
		stats, err := view.Default(list)
		if err == nil {
			err = e.add(which(i), stats)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	known := e.types(d.Schema)
	for _, r := range s.rules {
		if err := r.resolve(e, known); err != nil {
			return nil, nil, err
		}
	}
	all := []Violation{}
	for _, r := range s.rules {
		all = r.check(e, all)
	}
	return e, all, nil
}

// lists are the statistics of the data sets.
func (d *Data) lists() [numData]*pb.DatasetFeatureStatisticsList {
	return [numData]*pb.DatasetFeatureStatisticsList{d.Now, d.Before, d.Serving}
}

// add gives the rules the statistics of a data set.
func (e *env) add(i which, stats *pb.DatasetFeatureStatistics) error {
	v, err := view.NewBy(stats, false)
	if err == nil {
		e.data[i] = newDataset(v)
	}
	return err
}

// types returns the types of all features that rules may name.
func (e *env) types(schema *pb.Schema) map[string]pb.FeatureType {
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
	for _, i := range []which{serving, before, now} {
		if e.data[i] != nil {
			for name, f := range e.data[i].byName {
				known[name] = f.Type()
			}
		}
	}
	return known
}

// resolve checks what a rule names.
func (r *rule) resolve(e *env, known map[string]pb.FeatureType) error {
	for _, x := range r.refs {
		t, ok := known[x.feature]
		switch {
		case e.data[x.data] == nil:
			return r.errorAt(x.at, "there is no data set %q: %s is not given", dataNames[x.data], dataPhrase[x.data])
		case x.name == "" || !x.named: // has, or of every feature, or of the data set
		case !ok:
			return r.errorAt(x.at, "there is no feature %q in the statistics%s", x.feature, near(x.feature, known))
		case !x.of.fits(t):
			return r.errorAt(x.at, "%s is a statistic of %s, and %s has the type %v", x.name, classNames[x.of], x.feature, t)
		}
	}
	return nil
}

// near suggests a name that differs in case, or in one character.
func near(name string, known map[string]pb.FeatureType) string {
	var all []string
	for other := range known {
		if oneEdit(name, other) {
			all = append(all, other)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", slices.Min(all))
}

// oneEdit reports whether a and b are the same but for case, or one character that is other, missing or too much.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	j := 0
	for j < len(x)-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	return i+j >= len(y)-1
}

// check evaluates a rule for every feature that it is about.
func (r *rule) check(e *env, all []Violation) []Violation {
	each := slices.IndexFunc(r.refs, func(x *ref) bool { return !x.named && x.ofFeature() })
	if each < 0 {
		e.feature = nil
		return r.add(e, all)
	}
	for _, f := range e.data[r.refs[each].data].Features {
		e.feature = f
		if !slices.ContainsFunc(r.refs, func(x *ref) bool {
			if x.named || !x.ofFeature() {
				return false
			}
			_, err := x.value(e)
			return err != nil // it does not have the statistic
		}) {
			all = r.add(e, all)
		}
	}
	return all
}

// add evaluates a rule, and adds a violation if it does not hold.
func (r *rule) add(e *env, all []Violation) []Violation {
	ok, err := r.root.holds(e)
	if ok && err == nil {
		return all
	}
	v := Violation{Rule: r.text, Line: r.line, Slice: e.slice, Path: r.path(e), Warning: r.warning}
	if err != nil {
		v.Text, v.Expected, v.Observed = err.Error()+", wanted "+r.text, r.text, err.Error()
	} else {
		v.Text = r.root.why(e)
		v.Expected, v.Observed = r.root.sides(e)
	}
	return append(all, v)
}

// path is the feature that a rule is about: the one that is evaluated, or the first that it names.
func (r *rule) path(e *env) []string {
	if e.feature != nil {
		return slices.Clone(e.feature.Path)
	}
	for _, x := range r.refs {
		if !x.named {
			continue
		}
		for _, d := range e.data {
			if d != nil && d.feature(x.feature) != nil {
				return slices.Clone(d.feature(x.feature).Path)
			}
		}
		return []string{x.feature}
	}
	return nil
}

// Append adds violations to anomalies, as TensorFlow Data Validation adds those of its custom_validation_config: as
// reasons of the type CUSTOM_VALIDATION. A feature F of a slice S has the name slice(S)::F, as anomaly.ValidateSlices
// writes it.
func Append(a *pb.Anomalies, all []Violation) {
	for _, v := range all {
		path := view.Path(v.Path)
		if v.Slice != "" {
			path = view.InSlice(v.Slice, path)
		}
		info := infoOf(a, path)
		severity := pb.AnomalyInfo_ERROR
		if v.Warning {
			severity = pb.AnomalyInfo_WARNING
		}
		if severity > info.GetSeverity() {
			info.Severity = severity.Enum()
		}
		info.Reason = append(info.Reason, &pb.AnomalyInfo_Reason{
			Type: pb.AnomalyInfo_CUSTOM_VALIDATION.Enum(), ShortDescription: proto.String("Rule does not hold"), Description: proto.String(v.Text + "."),
		})
		rules.Describe(info)
	}
}

// infoOf returns the anomaly of a feature, or of the data set, which may be new.
func infoOf(a *pb.Anomalies, path view.Path) *pb.AnomalyInfo {
	if path == nil {
		if a.DatasetAnomalyInfo == nil {
			a.DatasetAnomalyInfo = &pb.AnomalyInfo{}
		}
		return a.DatasetAnomalyInfo
	}
	key := path.Key()
	i := slices.IndexFunc(a.AnomalyInfo, func(e *pb.Anomalies_AnomalyInfoEntry) bool { return e.GetKey() == key })
	if i < 0 {
		i = len(a.AnomalyInfo)
		a.AnomalyInfo = append(a.AnomalyInfo, &pb.Anomalies_AnomalyInfoEntry{Key: proto.String(key), Value: &pb.AnomalyInfo{Path: path.Proto()}})
	}
	return a.AnomalyInfo[i].Value
}
