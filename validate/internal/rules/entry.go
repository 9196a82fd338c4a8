package rules

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An entry is the entry of a feature while rules are applied to it.
type entry struct {
	*Config
	schema  *Schema
	keep    bool                        // changes are made to the schema itself
	feature *pb.Feature                 // the schema's own, or a copy
	domains map[string]*pb.StringDomain // copies of shared domains
	view    *view.Feature
	reasons []Reason
	drift   *pb.DriftSkewInfo
}

func (e *entry) report(t string, args ...any) { e.reasons = append(e.reasons, e.reason(t, args...)) }

// atLeast reports what is below a minimum that is set, and lowers the minimum. It returns whether it did.
func atLeast[T cmp.Ordered](e *entry, least **T, got T, text string, args ...any) bool {
	if *least == nil || !(got < **least) {
		return false
	}
	e.report(text, args...)
	*least = &got
	return true
}

// atMost reports what is above a maximum that is set, and raises the maximum.
func atMost[T cmp.Ordered](e *entry, most **T, got T, text string, args ...any) {
	if *most != nil && got > **most {
		e.report(text, args...)
		*most = &got
	}
}

// domain returns a shared string domain that may be changed, or nil.
func (e *entry) domain(name string) *pb.StringDomain {
	d := e.schema.domains[name]
	if e.keep || d == nil {
		return d
	}
	if e.domains[name] == nil {
		if e.domains == nil {
			e.domains = map[string]*pb.StringDomain{}
		}
		e.domains[name] = proto.CloneOf(d)
	}
	return e.domains[name]
}

// An Outcome is what rules have to say of one feature.
type Outcome struct {
	Reasons    []Reason
	Drift      *pb.DriftSkewInfo // what was measured, or nil
	Deprecated bool              // the rules ignore the feature
}

// Check applies the rules to a feature that the schema knows. The schema stays as it
// is.
func (s *Schema) Check(c *Config, f *view.Feature) Outcome { return s.apply(c, f, false) }

// apply applies the rules, and keeps the changes if asked to.
func (s *Schema) apply(c *Config, f *view.Feature, keep bool) Outcome {
	key := f.Path.String()
	feature, sparse, weighted := s.features[key], s.sparse[key], s.weighted[key]
	switch {
	case weighted != nil && (c.Compat || !IgnoredStage(weighted.GetLifecycleStage())):
		// Native: ignored features are not checked.
		if (feature != nil || sparse != nil) && !IgnoredStage(weighted.GetLifecycleStage()) {
			if keep {
				weighted.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum()
				if feature != nil {
					deprecate(feature)
				}
				if sparse != nil {
					deprecateSparse(sparse)
				}
			}
			return Outcome{Reasons: []Reason{c.reason("weightedCollision")}, Deprecated: true}
		}
		reasons := c.weighted(f)
		if keep && len(reasons) > 0 {
			weighted.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum()
		}
		return Outcome{Reasons: reasons}
	case sparse != nil && !ignoredSparse(sparse):
		if feature != nil && !Ignored(feature) {
			if keep {
				deprecateSparse(sparse)
				deprecate(feature)
			}
			return Outcome{Reasons: []Reason{c.reason("sparseCollision")}, Deprecated: true}
		}
		reasons := c.sparse(f)
		if keep && len(reasons) > 0 {
			deprecateSparse(sparse)
		}
		return Outcome{Reasons: reasons, Deprecated: len(reasons) > 0 && feature == nil}
	case feature == nil:
		if keep && c.Compat {
			s.create(c, f) // of a sparse feature that is ignored
		}
		return Outcome{}
	}
	if !keep {
		feature = proto.CloneOf(feature)
	}
	e := &entry{Config: c, schema: s, keep: keep, feature: feature, view: f}
	structure := feature.GetStructDomain()
	e.check()
	if keep && structure != nil && feature.GetStructDomain() == nil {
		s.forget(f.Path, structure)
	}
	return Outcome{Reasons: e.reasons, Drift: e.drift, Deprecated: Ignored(feature)}
}

// check applies all rules in their order.
func (e *entry) check() {
	e.sane()
	if Ignored(e.feature) {
		return
	}
	e.need(e.view)
	if e.view.Present() == 0 {
		if e.schema.Requires(e.feature, e.Environment) || !e.Compat && requiredInGroup(e.feature) && e.view.Missing() > 0 {
			e.report("notPresent", counted(e.view.Present()+e.view.Missing())+" "+unitOf(e.view))
			deprecate(e.feature)
		}
		return
	}
	e.environment()
	e.valueCounts()
	e.shape()
	e.embedding()
	e.presence()
	e.kind()
	e.domainRules()
	e.unique()
	e.compare()
	e.derived()
}

func deprecateSparse(f *pb.SparseFeature) {
	f.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum()
}

// sparse checks that the parts of a sparse feature fit together. Its statistics are
// custom ones, and the reasons follow their order.
func (c *Config) sparse(f *view.Feature) (reasons []Reason) {
	for _, s := range f.Stats.GetCustomStats() {
		switch name := s.GetName(); name {
		case "missing_value":
			if s.GetNum() != 0 {
				reasons = append(reasons, c.reason("sparseValue", cformat.Six(s.GetNum())))
			}
		case "missing_index":
			for _, b := range s.GetRankHistogram().GetBuckets() {
				if n := int64(b.GetSampleCount()); n != 0 {
					reasons = append(reasons, c.reason("sparseIndex", n, b.GetLabel()))
				}
			}
		case "max_length_diff", "min_length_diff":
			for _, b := range s.GetRankHistogram().GetBuckets() {
				if b.GetSampleCount() != 0 {
					reasons = append(reasons, c.reason("sparseLength", b.GetLabel(), name, int64(b.GetSampleCount())))
				}
			}
		}
	}
	return reasons
}

// weighted checks that every value of a weighted feature has a weight.
func (c *Config) weighted(f *view.Feature) (reasons []Reason) {
	var least, most int64
	for _, s := range f.Stats.GetCustomStats() {
		n := s.GetNum()
		if n == 0 {
			continue
		}
		switch s.GetName() {
		case "missing_value":
			reasons = append(reasons, c.reason("weightedValue", cformat.Six(n)))
		case "missing_weight":
			reasons = append(reasons, c.reason("weightedWeight", cformat.Six(n)))
		case "min_weight_length_diff":
			least = int64(n)
		case "max_weight_length_diff":
			most = int64(n)
		}
	}
	if least != 0 || most != 0 {
		reasons = append(reasons, c.reason("weightedLength", least, most))
	}
	return reasons
}
