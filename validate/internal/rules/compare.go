package rules

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A side is the two data sets that are compared.
type side struct {
	treatment, control string
	data               *view.Dataset
	empty              bool            // there are control data, without examples
	counted            distance.Source // the numbers of the control data; may be nil
}

// compare compares the feature with that of the control data, for drift and for skew.
func (e *entry) compare() {
	drift := e.distances(e.feature.DriftComparator, side{"current", "previous", e.Previous, e.EmptyPrevious, e.CountedPrevious})
	skew := e.distances(e.feature.SkewComparator, side{"training", "serving", e.Serving, e.EmptyServing, e.CountedServing})
	if len(drift)+len(skew) > 0 {
		e.drift = &pb.DriftSkewInfo{Path: e.view.Path.Proto(), DriftMeasurements: drift, SkewMeasurements: skew}
	}
}

// distances checks the distances that a comparator bounds.
func (e *entry) distances(c *pb.FeatureComparator, s side) (all []*pb.DriftSkewInfo_Measurement) {
	linf, nad, jsd := c.GetInfinityNorm(), c.GetNormalizedAbsDifference(), c.GetJensenShannonDivergence()
	hasLinf, hasNad, hasJsd := linf != nil && linf.Threshold != nil, nad != nil && nad.Threshold != nil, jsd != nil && jsd.Threshold != nil
	if !hasLinf && !hasNad && !hasJsd || s.data == nil && !s.empty {
		return nil
	}
	control := s.data.ByPath(e.view.Path)
	if control == nil {
		if hasLinf {
			linf.Threshold = nil
		}
		if hasJsd {
			jsd.Threshold = nil
		}
		e.report(&compareTexts.noControl, s.control)
		return nil
	}
	add := func(t pb.DriftSkewInfo_Measurement_Type, value, threshold float64) bool {
		all = append(all, &pb.DriftSkewInfo_Measurement{Type: t.Enum(), Value: &value, Threshold: &threshold})
		return value > threshold
	}
	if !e.Compat {
		return e.common(c, s, control)
	}
	a, b := e.view.Labels(), control.Labels()
	if hasLinf {
		threshold := linf.GetThreshold()
		label, d := distance.LInfinity(a, b)
		if add(pb.DriftSkewInfo_Measurement_L_INFTY, d, threshold) {
			linf.Threshold = &d
			e.report(&compareTexts.highLinf, s.treatment, s.control, cformat.Six(d), cformat.Six(threshold), label)
		}
	}
	if hasNad {
		threshold := nad.GetThreshold()
		label, d := distance.NormalizedDifference(a, b)
		if add(pb.DriftSkewInfo_Measurement_NORMALIZED_ABSOLUTE_DIFFERENCE, d, threshold) {
			nad.Threshold = &d
			e.report(&compareTexts.highDifference, s.treatment, s.control, cformat.Six(d), cformat.Six(threshold), label)
		}
	}
	if !hasJsd {
		return all
	}
	threshold := jsd.GetThreshold()
	if d, ok := distance.JensenShannon(e.view, control, jsd.GetSource().GetType()); ok {
		if add(pb.DriftSkewInfo_Measurement_JENSEN_SHANNON_DIVERGENCE, d, threshold) {
			jsd.Threshold = &d
			e.report(&compareTexts.highDivergence, s.treatment, s.control, cformat.Six(d), cformat.Six(threshold))
		}
	}
	return all
}

// significance is the probability that two samples of one distribution have any distance above
// its noise level, as in package drift.
const significance = 0.01

// Alpha is the part of the significance that one of several comparisons has.
func Alpha(comparisons int) float64 { return significance / float64(max(comparisons, 1)) }

// common checks distances that are measured as package drift does: labels where a list may be incomplete, and numbers
// at common borders, whatever the source of the comparator is. Native: what is above a threshold is reported only if it
// is above what chance explains.
func (e *entry) common(c *pb.FeatureComparator, s side, control *view.Feature) (all []*pb.DriftSkewInfo_Measurement) {
	linf, nad, jsd := c.GetInfinityNorm(), c.GetNormalizedAbsDifference(), c.GetJensenShannonDivergence()
	o, _ := distance.Between(e.view, control, [2]distance.Source{e.Counted, s.counted}, Alpha(cmp.Or(e.Compared, len(e.view.Dataset.Features))))
	if (linf != nil && linf.Threshold != nil || nad != nil && nad.Threshold != nil) && o.Largest == nil {
		// Between numbers it would be 0, whatever they are.
		e.report(&compareTexts.notLabels, s.treatment, s.control)
	}
	check := func(t pb.DriftSkewInfo_Measurement_Type, threshold **float64, m *distance.Measured, high *text, label bool) {
		if m == nil || *threshold == nil {
			return
		}
		d, limit := m.Value, **threshold
		all = append(all, &pb.DriftSkewInfo_Measurement{Type: t.Enum(), Value: &d, Threshold: &limit})
		if d > limit && m.Above() {
			args := []any{s.treatment, s.control, cformat.Six(d), cformat.Six(limit)}
			switch {
			case label:
				args = append(args, m.Label)
			default:
				chance := distance.ChanceText(m.Raw, m.Chance, [2]float64{distance.SampleOf(e.view).Values, distance.SampleOf(control).Values})
				if chance != "" {
					chance = " (" + chance + ")"
				}
				args = append(args, chance)
			}
			*threshold = &d
			e.report(high, args...)
		}
	}
	if linf != nil {
		check(pb.DriftSkewInfo_Measurement_L_INFTY, &linf.Threshold, o.Largest, &compareTexts.highLinf, true)
	}
	if nad != nil {
		check(pb.DriftSkewInfo_Measurement_NORMALIZED_ABSOLUTE_DIFFERENCE, &nad.Threshold, o.Normalized, &compareTexts.highDifference, true)
	}
	if jsd != nil {
		check(pb.DriftSkewInfo_Measurement_JENSEN_SHANNON_DIVERGENCE, &jsd.Threshold, o.JensenShannon, &compareTexts.highDivergence, false)
		if name := e.view.Dataset.Stats.GetName(); o.Few && jsd.Threshold != nil && (name == "" || name == view.AllExamples) { // many slices are small
			e.report(&compareTexts.fewValues, s.treatment, s.control)
		}
		if o.JensenShannon == nil && jsd.Threshold != nil {
			// TensorFlow Data Validation says nothing where it measured nothing.
			e.report(&compareTexts.noDivergence, s.treatment, s.control)
		}
	}
	return all
}

// derived checks that a feature which is derived from others is marked as such.
func (e *entry) derived() {
	f := e.feature
	if source := e.view.Stats.GetValidationDerivedSource(); source != nil && f.ValidationDerivedSource == nil {
		e.markDerived(source)
		e.report(&typeTexts.noSource)
	}
	if f.ValidationDerivedSource != nil && f.GetLifecycleStage() != pb.LifecycleStage_VALIDATION_DERIVED && !Ignored(f) {
		f.LifecycleStage = pb.LifecycleStage_VALIDATION_DERIVED.Enum()
		e.report(&typeTexts.notDerived)
	}
}

func (e *entry) markDerived(source *pb.DerivedFeatureSource) { markDerived(e.feature, source) }

func markDerived(f *pb.Feature, source *pb.DerivedFeatureSource) {
	f.LifecycleStage = pb.LifecycleStage_VALIDATION_DERIVED.Enum()
	f.ValidationDerivedSource = proto.CloneOf(source)
}
