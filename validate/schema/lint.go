package schema

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Problem is an error in a schema, independent of data.
type Problem struct {
	Type pb.AnomalyInfo_Type
	Path []string // path of the feature; empty for the whole schema
	Text string
}

// Error returns the path and the text of the problem.
func (p Problem) Error() string {
	if len(p.Path) == 0 {
		return p.Text
	}
	return view.Path(p.Path).String() + ": " + p.Text
}

// Lint finds errors in a schema: missing domains, domains of another type, bounds that cross,
// duplicate names, undeclared environments. The problems are in the order of the schema.
func Lint(schema *pb.Schema) []Problem {
	var all []Problem
	s := rules.NewSchema(proto.CloneOf(schema))
	for path, reasons := range s.InvalidEntries(&rules.Config{}, nil) {
		for _, r := range reasons {
			text := r.Long
			if text == "" {
				text = r.Short
			}
			all = append(all, Problem{r.Type, path, text})
		}
	}
	l := linter{schema: schema, usedDomains: map[string]bool{}}
	l.checkFeatures(nil, schema.GetFeature(), schema.GetSparseFeature(), schema.GetWeightedFeature())
	l.checkDomains()
	return append(all, l.problems...)
}

// A linter finds the problems that package rules does not find.
type linter struct {
	schema      *pb.Schema
	usedDomains map[string]bool // names of string domains that a feature uses
	problems    []Problem
}

func (l *linter) addProblem(t pb.AnomalyInfo_Type, path view.Path, format string, args ...any) {
	l.problems = append(l.problems, Problem{t, path, fmt.Sprintf(format, args...)})
}

func (l *linter) checkFeatures(parent view.Path, features []*pb.Feature, sparse []*pb.SparseFeature, weighted []*pb.WeightedFeature) {
	kinds := map[string]string{}
	take := func(name, kind string, collision pb.AnomalyInfo_Type) {
		if other, ok := kinds[name]; ok {
			l.addProblem(collision, parent.Child(name), "there is a %s and a %s of this name", other, kind)
			return
		}
		kinds[name] = kind
	}
	for _, f := range features {
		path := parent.Child(f.GetName())
		take(f.GetName(), "feature", pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION)
		if d, ok := f.GetDomainInfo().(*pb.Feature_Domain); ok {
			l.usedDomains[d.Domain] = true
		}
		for _, env := range slices.Concat(f.GetInEnvironment(), f.GetNotInEnvironment()) {
			if !slices.Contains(l.schema.GetDefaultEnvironment(), env) {
				l.addProblem(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, path, "environment %q is not in default_environment and cannot be selected", env)
			}
		}
		l.checkFeatures(path, f.GetStructDomain().GetFeature(), f.GetStructDomain().GetSparseFeature(), nil)
	}
	for _, f := range sparse {
		take(f.GetName(), "sparse_feature", pb.AnomalyInfo_SPARSE_FEATURE_NAME_COLLISION)
		l.checkSparse(parent.Child(f.GetName()), f, features)
	}
	for _, f := range weighted {
		take(f.GetName(), "weighted_feature", pb.AnomalyInfo_WEIGHTED_FEATURE_NAME_COLLISION)
		for _, p := range []*pb.Path{f.GetFeature(), f.GetWeightFeature()} {
			if rules.NewSchema(l.schema).Feature(view.Of(p)) == nil {
				l.addProblem(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, parent.Child(f.GetName()), "there is no feature %s", view.Of(p))
			}
		}
	}
}

// checkSparse checks that the parts of a sparse feature are features.
func (l *linter) checkSparse(path view.Path, f *pb.SparseFeature, features []*pb.Feature) {
	names := []string{f.GetValueFeature().GetName()}
	for _, i := range f.GetIndexFeature() {
		names = append(names, i.GetName())
	}
	for _, name := range names {
		if !slices.ContainsFunc(features, func(f *pb.Feature) bool { return f.GetName() == name }) {
			l.addProblem(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, path, "there is no feature %q", name)
		}
	}
}

func (l *linter) checkDomains() {
	seen := map[string]bool{}
	for _, d := range l.schema.GetStringDomain() {
		switch name := d.GetName(); {
		case seen[name]:
			l.addProblem(pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, nil, "there are two string domains %q; only the first is used", name)
		case !l.usedDomains[name]:
			l.addProblem(pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, nil, "no feature has the string domain %q", name)
		}
		seen[d.GetName()] = true
	}
}
