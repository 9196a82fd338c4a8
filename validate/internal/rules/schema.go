// Package rules checks statistics against a schema, and updates the schema so that they fit.
//
// A rule compares one feature of the statistics with its entry in the schema. If they do not fit, it reports a Reason and changes
// the entry so that they do. Validation discards the changed entries, an update of a schema keeps them, and inference is the
// update of an empty schema.
//
// With Config.Compat the order of the rules, their conditions and their texts are those of TensorFlow Data Validation 1.16.1.
// The native mode without it has our own texts and deliberate differences, each marked "native" in the code.
package rules

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Schema is a schema with an index of its entries.
type Schema struct {
	Message  *pb.Schema
	features map[string]*pb.Feature // entries by view.Path.String, as in sparse and weighted
	sparse   map[string]*pb.SparseFeature
	weighted map[string]*pb.WeightedFeature
	domains  map[string]*pb.StringDomain // shared domains by name
}

// NewSchema indexes a schema, which it retains. Of several entries with the same name it uses the first entry.
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

// index adds the entries of the struct parent, and of the structs in it.
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

// Ignores reports whether the entry of a path is ignored. The entry of a feature takes precedence over that of a sparse
// feature.
func (s *Schema) Ignores(p view.Path) bool {
	if f := s.features[p.String()]; f != nil {
		return Ignored(f)
	}
	if f := s.sparse[p.String()]; f != nil {
		return ignoredSparse(f)
	}
	return false
}

// Ignored reports whether a feature is deprecated or in an ignored stage.
func Ignored(f *pb.Feature) bool { return f.GetDeprecated() || IgnoredStage(f.GetLifecycleStage()) }

// ignoredSparse is Ignored for a sparse feature.
func ignoredSparse(f *pb.SparseFeature) bool {
	return f.GetDeprecated() || IgnoredStage(f.GetLifecycleStage())
}

// IgnoredStage reports whether entries in a lifecycle stage are ignored.
func IgnoredStage(s pb.LifecycleStage) bool {
	switch s {
	case pb.LifecycleStage_PLANNED, pb.LifecycleStage_ALPHA, pb.LifecycleStage_DEPRECATED, pb.LifecycleStage_DEBUG_ONLY, pb.LifecycleStage_DISABLED:
		return true
	}
	return false
}

// InEnvironment reports whether a feature belongs to an environment. All features belong to the environment "".
func (s *Schema) InEnvironment(f *pb.Feature, environment string) bool {
	switch {
	case environment == "" || slices.Contains(f.GetInEnvironment(), environment):
		return true
	case slices.Contains(f.GetNotInEnvironment(), environment):
		return false
	}
	return slices.Contains(s.Message.GetDefaultEnvironment(), environment)
}

// Requires reports whether the statistics must contain a feature.
func (s *Schema) Requires(f *pb.Feature, environment string) bool {
	p := f.GetPresence()
	return !Ignored(f) && (p.GetMinCount() > 0 || p.GetMinFraction() > 0) && s.InEnvironment(f, environment)
}

// requiredInGroup reports whether every group, such as a struct, must contain f. TensorFlow Data Validation ignores
// this setting.
func requiredInGroup(f *pb.Feature) bool { return !Ignored(f) && f.GetGroupPresence().GetRequired() }

// Absent returns the paths of required features without statistics, in the order of the schema. In native mode it
// includes the features that a present group must contain.
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

// deprecate sets the stage of a feature to DEPRECATED.
func deprecate(f *pb.Feature) { f.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum() }

// addEntry adds an entry for a path, and entries for missing parents.
func (s *Schema) addEntry(p view.Path) *pb.Feature {
	f := &pb.Feature{Name: proto.String(p.Last())}
	s.features[p.String()] = f
	if len(p) == 1 {
		s.Message.Feature = append(s.Message.Feature, f)
		return f
	}
	parent := s.features[p.Parent().String()]
	if parent == nil {
		parent = s.addEntry(p.Parent())
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

// removeFromIndex removes the entries in a struct domain that the feature parent has lost.
func (s *Schema) removeFromIndex(parent view.Path, d *pb.StructDomain) {
	for _, f := range d.GetFeature() {
		path := parent.Child(f.GetName())
		delete(s.features, path.String())
		s.removeFromIndex(path, f.GetStructDomain())
	}
	for _, f := range d.GetSparseFeature() {
		delete(s.sparse, parent.Child(f.GetName()).String())
	}
}

// addDomain adds a string domain of labels and returns its name: name, with a number if the schema already has that name.
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

// dropDomain removes a string domain and all references to it.
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

// StringDomain returns the shared string domain called name, or nil.
func (s *Schema) StringDomain(name string) *pb.StringDomain { return s.domains[name] }
