package rules

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// compareControl compares the feature with the control data, for drift and for skew.
func (e *entry) compareControl() {
	drift, skew := e.distances(e.feature.DriftComparator, &e.Drift), e.distances(e.feature.SkewComparator, &e.Skew)
	if len(drift)+len(skew) > 0 {
		e.drift = &pb.DriftSkewInfo{Path: e.view.Path.Proto(), DriftMeasurements: drift, SkewMeasurements: skew}
	}
}

// distances checks the distances that a comparator limits. In native mode they are measured as in package drift, whatever
// source the comparator names, and a distance above its threshold is reported only if it is also above its noise.
func (e *entry) distances(c *pb.FeatureComparator, s *Control) (all []*pb.DriftSkewInfo_Measurement) {
	linf, nad, jsd := c.GetInfinityNorm(), c.GetNormalizedAbsDifference(), c.GetJensenShannonDivergence()
	hasLinf, hasNad, hasJsd := linf != nil && linf.Threshold != nil, nad != nil && nad.Threshold != nil, jsd != nil && jsd.Threshold != nil
	if !hasLinf && !hasNad && !hasJsd || s.Data == nil && !s.Empty {
		return nil
	}
	control := s.Data.ByPath(e.view.Path)
	if control == nil {
		if hasLinf {
			linf.Threshold = nil
		}
		if hasJsd {
			jsd.Threshold = nil
		}
		e.report("noControl", s.Names[1])
		return nil
	}
	check := func(t pb.DriftSkewInfo_Measurement_Type, threshold **float64, m *distance.Measurement, text, detail string) {
		d, limit := m.Value, **threshold
		all = append(all, &pb.DriftSkewInfo_Measurement{Type: t.Enum(), Value: &d, Threshold: &limit})
		if d > limit && (e.Compat || m.Above()) {
			*threshold = &d
			e.report(text, s.Names[0], s.Names[1], cformat.Six(d), cformat.Six(limit), detail)
		}
	}
	o := e.measure(control, s, jsd.GetSource().GetType())
	switch {
	case o.Largest != nil:
	case e.Compat:
		o.Largest, o.Normalized = &distance.Measurement{}, &distance.Measurement{}
	case hasLinf || hasNad: // native: TensorFlow Data Validation measures 0 between numbers
		e.report("notLabels", s.Names[0], s.Names[1])
	}
	if hasLinf && o.Largest != nil {
		check(pb.DriftSkewInfo_Measurement_L_INFTY, &linf.Threshold, o.Largest, "highLinf", o.Largest.Label)
	}
	if hasNad && o.Normalized != nil {
		check(pb.DriftSkewInfo_Measurement_NORMALIZED_ABSOLUTE_DIFFERENCE, &nad.Threshold, o.Normalized, "highDifference", o.Normalized.Label)
	}
	if !hasJsd {
		return all
	}
	if m := o.JensenShannon; m != nil {
		chance := distance.ChanceText(m.Raw, m.Chance, [2]float64{distance.SampleOf(e.view).Values, distance.SampleOf(control).Values})
		if chance != "" {
			chance = " (" + chance + ")"
		}
		check(pb.DriftSkewInfo_Measurement_JENSEN_SHANNON_DIVERGENCE, &jsd.Threshold, m, "highDivergence", chance)
	}
	if name := e.view.Dataset.Stats.GetName(); o.Few && (name == "" || name == view.AllExamples) { // not for slices, many of which are small
		e.report("fewToCompare", s.Names[0], s.Names[1])
	}
	if o.JensenShannon == nil && !e.Compat { // native: TensorFlow Data Validation reports nothing
		e.report("noDivergence", s.Names[0], s.Names[1])
	}
	return all
}

// measure returns the distances between the feature and the same feature of the control data.
func (e *entry) measure(control *view.Feature, s *Control, source pb.HistogramSelection_Type) distance.Distances {
	if e.Compat {
		return distance.Compatible(e.view, control, source)
	}
	o, _ := distance.Between(e.view, control, [2]distance.Source{e.Counted, s.Counted}, Alpha(cmp.Or(e.Compared, len(e.view.Dataset.Features))))
	return o
}

// significance is the probability that two samples of one distribution have any distance above its noise. Package drift
// uses the same probability.
const significance = 0.01

// Alpha returns the significance level of one of several comparisons (Bonferroni correction).
func Alpha(comparisons int) float64 { return significance / float64(max(comparisons, 1)) }

// checkDerived checks that a feature derived from other features is marked as derived.
func (e *entry) checkDerived() {
	f := e.feature
	if source := e.view.Stats.GetValidationDerivedSource(); source != nil && f.ValidationDerivedSource == nil {
		markDerived(f, source)
		e.report("noSource")
	}
	if f.ValidationDerivedSource != nil && f.GetLifecycleStage() != pb.LifecycleStage_VALIDATION_DERIVED && !Ignored(f) {
		f.LifecycleStage = pb.LifecycleStage_VALIDATION_DERIVED.Enum()
		e.report("notDerived")
	}
}

// markDerived marks a feature as derived, with its source.
func markDerived(f *pb.Feature, source *pb.DerivedFeatureSource) {
	f.LifecycleStage = pb.LifecycleStage_VALIDATION_DERIVED.Enum()
	f.ValidationDerivedSource = proto.CloneOf(source)
}

// Dataset checks the number of examples against the constraints of the schema.
func (s *Schema) Dataset(c *Config, d *view.Dataset) (reasons []Reason) {
	constraints := s.Message.GetDatasetConstraints()
	n := d.NumExamples()
	reasons = c.checkRatio(constraints.GetNumExamplesDriftComparator(), n, c.Drift.Data, "previous span", reasons)
	reasons = c.checkRatio(constraints.GetNumExamplesVersionComparator(), n, c.PreviousVersion, "previous version", reasons)
	if constraints == nil {
		return reasons
	}
	if constraints.MinExamplesCount == nil && c.Compat {
		return reasons // TensorFlow Data Validation ignores the maximum then
	}
	if constraints.MinExamplesCount != nil && n < float64(constraints.GetMinExamplesCount()) {
		reasons = append(reasons, c.reason("fewExamples", cformat.Six(n), constraints.GetMinExamplesCount()))
	}
	if constraints.MaxExamplesCount != nil && n > float64(constraints.GetMaxExamplesCount()) {
		reasons = append(reasons, c.reason("manyExamples", cformat.Six(n), constraints.GetMaxExamplesCount()))
	}
	return reasons
}

// checkRatio checks the ratio n divided by the number of examples of the control data, and appends to reasons.
func (c *Config) checkRatio(bounds *pb.NumericValueComparator, n float64, control *view.Dataset, name string, reasons []Reason) []Reason {
	if bounds == nil || control == nil {
		return reasons
	}
	before := control.NumExamples()
	if bounds.MaxFractionThreshold != nil {
		switch {
		case before == 0:
			reasons = append(reasons, c.reason("noExamplesBefore", name))
		case n/before > bounds.GetMaxFractionThreshold():
			reasons = append(reasons, c.reason("highRatio", name, cformat.Six(n/before), cformat.Six(bounds.GetMaxFractionThreshold())))
		}
	}
	if bounds.MinFractionThreshold != nil && before != 0 && n/before < bounds.GetMinFractionThreshold() {
		reasons = append(reasons, c.reason("lowRatio", name, cformat.Six(n/before), cformat.Six(bounds.GetMinFractionThreshold())))
	}
	return reasons
}

// A Pair is the statistics of all examples of the data and of the control data.
type Pair struct {
	Names         [2]string                    // names of Data and of Against, for texts
	Data, Against *pb.DatasetFeatureStatistics // Against is the control data
	Partial       [2]bool                      // whether the statistics of Data, and of Against, leave slices out
}

// OneSided returns the reason that only one side has a slice: the control data if lost is true, else the data. The reason is a
// warning if the other side may lack the slice by chance, or if the statistics of the other side leave slices out. slices is the
// number of compared slices.
func (c *Config) OneSided(p Pair, slice *pb.DatasetFeatureStatistics, lost bool, slices int) Reason {
	t, has, lacks, partial := "newSlice", p.Data, p.Against, p.Partial[1]
	if lost {
		t, has, lacks, partial = "lostSlice", p.Against, p.Data, p.Partial[0]
	}
	n, total := float64(slice.GetNumExamples()), float64(has.GetNumExamples())
	chance := ""
	sure := total > 0 && distance.Share(n/total, 0, total, float64(lacks.GetNumExamples()), Alpha(slices)).Above()
	switch {
	case partial:
		sure, chance = false, ", or their statistics leave it out"
	case !sure:
		chance = ", which may be chance"
	}
	r := c.reason(t, p.Names[0], p.Names[1], groupDigits(n), groupDigits(total), chance)
	r.Warning = !sure
	return r
}
