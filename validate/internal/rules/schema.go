// Package rules holds what a schema asks of statistics, rule by rule, and what
// each rule would change in the schema.
//
// A rule looks at one feature of the statistics and at its entry in the schema. It
// gives reasons, why the two do not fit, and changes the entry so that they do.
// Validating is to throw the changed entries away, updating a schema to keep them,
// and inferring one is to update an empty one.
//
// The order of the rules, their triggers and the texts are those of TensorFlow Data
// Validation 1.16.1 where Config.Compat is set. Otherwise the rules have its
// deliberate exceptions, each marked "native" where it stands, and texts of our own.
package rules

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Schema is a schema whose entries are found by path.
type Schema struct {
	Message  *pb.Schema
	features map[string]*pb.Feature
	sparse   map[string]*pb.SparseFeature
	weighted map[string]*pb.WeightedFeature
	domains  map[string]*pb.StringDomain
}

// NewSchema looks at a schema, which it keeps. Where a name is there twice the first
// one counts.
func NewSchema(m *pb.Schema) *Schema {
	s := &Schema{
		Message: m, features: map[string]*pb.Feature{}, sparse: map[string]*pb.SparseFeature{},
		weighted: map[string]*pb.WeightedFeature{}, domains: map[string]*pb.StringDomain{},
	}
	s.index(nil, m.GetFeature(), m.GetSparseFeature())
	for _, w := range m.GetWeightedFeature() {
		if key := (view.Path{w.GetName()}).String(); s.weighted[key] == nil {
			s.weighted[key] = w
		}
	}
	for _, d := range m.GetStringDomain() {
		if s.domains[d.GetName()] == nil {
			s.domains[d.GetName()] = d
		}
	}
	return s
}

func (s *Schema) index(parent view.Path, features []*pb.Feature, sparse []*pb.SparseFeature) {
	for _, f := range features {
		path := parent.Child(f.GetName())
		if s.features[path.String()] == nil {
			s.features[path.String()] = f
			s.index(path, f.GetStructDomain().GetFeature(), f.GetStructDomain().GetSparseFeature())
		}
	}
	for _, f := range sparse {
		if key := parent.Child(f.GetName()).String(); s.sparse[key] == nil {
			s.sparse[key] = f
		}
	}
}

// Knows reports whether the schema has an entry of any kind for a path.
func (s *Schema) Knows(p view.Path) bool {
	key := p.String()
	return s.features[key] != nil || s.sparse[key] != nil || s.weighted[key] != nil
}

// Feature returns the entry of a feature, or nil.
func (s *Schema) Feature(p view.Path) *pb.Feature { return s.features[p.String()] }

// Ignores reports whether the entry of a path is ignored. An
// entry of a feature is asked before one of a sparse feature.
func (s *Schema) Ignores(p view.Path) bool {
	if f := s.features[p.String()]; f != nil {
		return Ignored(f)
	}
	if f := s.sparse[p.String()]; f != nil {
		return ignoredSparse(f)
	}
	return false
}

// Ignored reports whether a feature is in a stage that is ignored.
func Ignored(f *pb.Feature) bool { return f.GetDeprecated() || IgnoredStage(f.GetLifecycleStage()) }

func ignoredSparse(f *pb.SparseFeature) bool {
	return f.GetDeprecated() || IgnoredStage(f.GetLifecycleStage())
}

// IgnoredStage reports whether what has a stage is ignored.
func IgnoredStage(s pb.LifecycleStage) bool {
	switch s {
	case pb.LifecycleStage_PLANNED, pb.LifecycleStage_ALPHA, pb.LifecycleStage_DEPRECATED, pb.LifecycleStage_DEBUG_ONLY, pb.LifecycleStage_DISABLED:
		return true
	}
	return false
}

// InEnvironment reports whether a feature belongs to an environment. All belong to
// the environment "", which is none.
func (s *Schema) InEnvironment(f *pb.Feature, environment string) bool {
	switch {
	case environment == "" || slices.Contains(f.GetInEnvironment(), environment):
		return true
	case slices.Contains(f.GetNotInEnvironment(), environment):
		return false
	}
	return slices.Contains(s.Message.GetDefaultEnvironment(), environment)
}

// Requires reports whether statistics must have a feature.
func (s *Schema) Requires(f *pb.Feature, environment string) bool {
	p := f.GetPresence()
	return !Ignored(f) && (p.GetMinCount() > 0 || p.GetMinFraction() > 0) && s.InEnvironment(f, environment)
}

// requiredInGroup reports whether each group, such as a struct, must have a feature. TensorFlow Data Validation does not look at it.
func requiredInGroup(f *pb.Feature) bool { return !Ignored(f) && f.GetGroupPresence().GetRequired() }

// Absent returns the paths of the features that statistics must have and do not, in
// the order of the schema. In native mode these are also the features that a group must have, if it is there.
func (s *Schema) Absent(d *view.Dataset, environment string, compat bool) []view.Path {
	present := map[string]bool{}
	for _, f := range d.Features {
		present[f.Path.String()] = true
	}
	var absent []view.Path
	var walk func(parent view.Path, features []*pb.Feature)
	walk = func(parent view.Path, features []*pb.Feature) {
		for _, f := range features {
			path := parent.Child(f.GetName())
			inGroup := !compat && requiredInGroup(f) && s.InEnvironment(f, environment) && (parent == nil || present[parent.String()])
			if (s.Requires(f, environment) || inGroup) && !present[path.String()] {
				absent = append(absent, path)
			}
			if !Ignored(f) {
				walk(path, f.GetStructDomain().GetFeature())
			}
		}
	}
	walk(nil, s.Message.GetFeature())
	return absent
}

// Deprecate marks the feature with a path as deprecated.
func (s *Schema) Deprecate(p view.Path) {
	if f := s.features[p.String()]; f != nil {
		deprecate(f)
	}
}

func deprecate(f *pb.Feature) { f.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum() }

// add makes an entry for a path, and for parents that have none.
func (s *Schema) add(p view.Path) *pb.Feature {
	f := &pb.Feature{Name: proto.String(p.Last())}
	s.features[p.String()] = f
	if len(p) == 1 {
		s.Message.Feature = append(s.Message.Feature, f)
		return f
	}
	parent := s.features[p.Parent().String()]
	if parent == nil {
		parent = s.add(p.Parent())
		parent.Type = pb.FeatureType_STRUCT.Enum()
	}
	domain := parent.GetStructDomain()
	if domain == nil {
		domain = &pb.StructDomain{}
		parent.DomainInfo = &pb.Feature_StructDomain{StructDomain: domain}
	}
	domain.Feature = append(domain.Feature, f)
	return f
}

// forget takes out of the index what was in the domain of a struct that lost it.
func (s *Schema) forget(parent view.Path, d *pb.StructDomain) {
	for _, f := range d.GetFeature() {
		path := parent.Child(f.GetName())
		delete(s.features, path.String())
		s.forget(path, f.GetStructDomain())
	}
	for _, f := range d.GetSparseFeature() {
		delete(s.sparse, parent.Child(f.GetName()).String())
	}
}

// addDomain makes a string domain of labels. If the name is taken it gets a number.
func (s *Schema) addDomain(name string, labels []view.Label) string {
	unique := name
	for n := 2; s.domains[unique] != nil; n++ {
		unique = fmt.Sprint(name, n)
	}
	d := &pb.StringDomain{Name: &unique}
	for _, l := range labels {
		d.Value = append(d.Value, l.Value)
	}
	s.domains[unique] = d
	s.Message.StringDomain = append(s.Message.StringDomain, d)
	return unique
}

// dropDomain removes a string domain, and what refers to it.
func (s *Schema) dropDomain(name string) {
	same := func(d *pb.StringDomain) bool { return d.GetName() == name }
	s.Message.StringDomain = slices.DeleteFunc(s.Message.StringDomain, same)
	delete(s.domains, name)
	for _, f := range s.features {
		if d, ok := f.GetDomainInfo().(*pb.Feature_Domain); ok && d.Domain == name {
			f.DomainInfo = nil
		}
	}
}

// StringDomain returns the shared string domain of a name, or nil.
func (s *Schema) StringDomain(name string) *pb.StringDomain { return s.domains[name] }
