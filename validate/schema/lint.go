package schema

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Problem is something in a schema that makes no sense, whatever the data are.
type Problem struct {
	Type pb.AnomalyInfo_Type
	Path []string // of the feature; empty for the whole schema
	Text string
}

// Error says where the problem is and what it is.
func (p Problem) Error() string {
	if len(p.Path) == 0 {
		return p.Text
	}
	return view.Path(p.Path).String() + ": " + p.Text
}

// Lint looks for what makes no sense in a schema by itself: a domain that is not there
// or not of the type, bounds that cross, names that are there twice, environments that
// are not declared. The problems are in the order of the schema.
func Lint(schema *pb.Schema) []Problem {
	var all []Problem
	s := rules.NewSchema(proto.CloneOf(schema))
	for path, reasons := range s.Insane(&rules.Config{}, nil) {
		for _, r := range reasons {
			text := r.Long
			if text == "" {
				text = r.Short
			}
			all = append(all, Problem{r.Type, path, text})
		}
	}
	l := linter{schema: schema, used: map[string]bool{}}
	l.features(nil, schema.GetFeature(), schema.GetSparseFeature(), schema.GetWeightedFeature())
	l.domains()
	return append(all, l.problems...)
}

type linter struct {
	schema   *pb.Schema
	used     map[string]bool // string domains
	problems []Problem
}

func (l *linter) report(t pb.AnomalyInfo_Type, path view.Path, format string, args ...any) {
	l.problems = append(l.problems, Problem{t, path, fmt.Sprintf(format, args...)})
}

func (l *linter) features(parent view.Path, features []*pb.Feature, sparse []*pb.SparseFeature, weighted []*pb.WeightedFeature) {
	kinds := map[string]string{}
	take := func(name, kind string, collision pb.AnomalyInfo_Type) {
		if other, ok := kinds[name]; ok {
			l.report(collision, parent.Child(name), "there is a %s and a %s of this name", other, kind)
			return
		}
		kinds[name] = kind
	}
	for _, f := range features {
		path := parent.Child(f.GetName())
		take(f.GetName(), "feature", pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION)
		if d, ok := f.GetDomainInfo().(*pb.Feature_Domain); ok {
			l.used[d.Domain] = true
		}
		for _, env := range slices.Concat(f.GetInEnvironment(), f.GetNotInEnvironment()) {
			if !slices.Contains(l.schema.GetDefaultEnvironment(), env) {
				l.report(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, path, "the environment %q is no default_environment: it cannot be selected", env)
			}
		}
		l.features(path, f.GetStructDomain().GetFeature(), f.GetStructDomain().GetSparseFeature(), nil)
	}
	for _, f := range sparse {
		take(f.GetName(), "sparse_feature", pb.AnomalyInfo_SPARSE_FEATURE_NAME_COLLISION)
		l.parts(parent.Child(f.GetName()), f, features)
	}
	for _, f := range weighted {
		take(f.GetName(), "weighted_feature", pb.AnomalyInfo_WEIGHTED_FEATURE_NAME_COLLISION)
		for _, p := range []*pb.Path{f.GetFeature(), f.GetWeightFeature()} {
			if rules.NewSchema(l.schema).Feature(view.Of(p)) == nil {
				l.report(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, parent.Child(f.GetName()), "there is no feature %s", view.Of(p))
			}
		}
	}
}

// parts checks that a sparse feature is made of features.
func (l *linter) parts(path view.Path, f *pb.SparseFeature, features []*pb.Feature) {
	names := []string{f.GetValueFeature().GetName()}
	for _, i := range f.GetIndexFeature() {
		names = append(names, i.GetName())
	}
	for _, name := range names {
		if !slices.ContainsFunc(features, func(f *pb.Feature) bool { return f.GetName() == name }) {
			l.report(pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, path, "there is no feature %q", name)
		}
	}
}

func (l *linter) domains() {
	seen := map[string]bool{}
	for _, d := range l.schema.GetStringDomain() {
		switch name := d.GetName(); {
		case seen[name]:
			l.report(pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, nil, "there are two string domains %q; the first one counts", name)
		case !l.used[name]:
			l.report(pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, nil, "no feature has the string domain %q", name)
		}
		seen[d.GetName()] = true
	}
}
