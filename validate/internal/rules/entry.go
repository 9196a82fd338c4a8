package rules

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An entry is the state of the rules for one schema entry.
type entry struct {
	*Config
	schema  *Schema                     // has the entry and the shared domains; changed only if keep is set
	keep    bool                        // change the schema itself instead of copies
	feature *pb.Feature                 // the entry: the schema's own, or a copy
	domains map[string]*pb.StringDomain // copies of shared domains by name; unused if keep is set
	view    *view.Feature               // the statistics of the feature
	reasons []Reason                    // the violations so far
	drift   *pb.DriftSkewInfo           // the measured distances; nil: none
}

// report adds a reason with the text t.
func (e *entry) report(t string, args ...any) { e.reasons = append(e.reasons, e.reason(t, args...)) }

// atLeast reports a value below a minimum, and lowers the minimum to the value. It returns whether the value was below the
// minimum. A nil minimum allows all values.
func atLeast[T cmp.Ordered](e *entry, least **T, got T, text string, args ...any) bool {
	if *least == nil || !(got < **least) {
		return false
	}
	e.report(text, args...)
	*least = &got
	return true
}

// atMost reports a value above a maximum, and raises the maximum to the value. A nil maximum allows all values.
func atMost[T cmp.Ordered](e *entry, most **T, got T, text string, args ...any) {
	if *most != nil && got > **most {
		e.report(text, args...)
		*most = &got
	}
}

// sharedDomain returns a shared string domain that may be changed, or nil.
func (e *entry) sharedDomain(name string) *pb.StringDomain {
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

// An Outcome is the result of the rules for one feature.
type Outcome struct {
	Reasons    []Reason
	Drift      *pb.DriftSkewInfo // the measured distances, or nil
	Deprecated bool              // the feature is ignored, or a rule has deprecated it
}

// Check applies the rules to a feature that the schema has an entry for. It does not change the schema.
func (s *Schema) Check(c *Config, f *view.Feature) Outcome { return s.apply(c, f, false) }

// apply applies the rules to a feature. If keep is true, the rules change the schema itself.
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
		reasons := c.checkWeighted(f)
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
		reasons := c.checkSparse(f)
		if keep && len(reasons) > 0 {
			deprecateSparse(sparse)
		}
		return Outcome{Reasons: reasons, Deprecated: len(reasons) > 0 && feature == nil}
	case feature == nil:
		if keep && c.Compat {
			s.create(c, f) // the only entry is an ignored sparse feature
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
		s.removeFromIndex(f.Path, structure)
	}
	return Outcome{Reasons: e.reasons, Drift: e.drift, Deprecated: Ignored(feature)}
}

// check applies all rules in the order of TensorFlow Data Validation.
func (e *entry) check() {
	e.checkEntry()
	if Ignored(e.feature) {
		return
	}
	e.need(e.view)
	if e.view.Present() == 0 {
		if e.schema.Requires(e.feature, e.Environment) || !e.Compat && requiredInGroup(e.feature) && e.view.Missing() > 0 {
			e.report("notPresent", groupDigits(e.view.Present()+e.view.Missing())+" "+unitOf(e.view))
			deprecate(e.feature)
		}
		return
	}
	e.checkEnvironment()
	e.checkValueCounts()
	e.checkShape()
	e.checkEmbedding()
	e.checkPresence()
	e.checkType()
	e.domainRules()
	e.checkUnique()
	e.compareControl()
	e.checkDerived()
}

// deprecateSparse sets the stage of a sparse feature to DEPRECATED.
func deprecateSparse(f *pb.SparseFeature) {
	f.LifecycleStage = pb.LifecycleStage_DEPRECATED.Enum()
}

// checkSparse checks that the value and the indices of a sparse feature have equal lengths. Reasons are in the order of the
// feature's custom statistics.
func (c *Config) checkSparse(f *view.Feature) (reasons []Reason) {
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

// checkWeighted checks that every value of a weighted feature has a weight.
func (c *Config) checkWeighted(f *view.Feature) (reasons []Reason) {
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
