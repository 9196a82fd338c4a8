package rules

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// compare compares the feature with that of the control data, for drift and for skew.
func (e *entry) compare() {
	drift, skew := e.distances(e.feature.DriftComparator, &e.Drift), e.distances(e.feature.SkewComparator, &e.Skew)
	if len(drift)+len(skew) > 0 {
		e.drift = &pb.DriftSkewInfo{Path: e.view.Path.Proto(), DriftMeasurements: drift, SkewMeasurements: skew}
	}
}

// distances checks the distances that a comparator bounds. In native mode they are measured as package drift does, whatever
// the source of the comparator is, and what is above a threshold is reported only if it is above what chance explains.
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
	case hasLinf || hasNad: // between numbers it would be 0, whatever they are
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
	if name := e.view.Dataset.Stats.GetName(); o.Few && (name == "" || name == view.AllExamples) { // many slices are small
		e.report("fewToCompare", s.Names[0], s.Names[1])
	}
	if o.JensenShannon == nil && !e.Compat { // TensorFlow Data Validation says nothing where it measured nothing
		e.report("noDivergence", s.Names[0], s.Names[1])
	}
	return all
}

// measure measures all distances of the feature from that of the control data.
func (e *entry) measure(control *view.Feature, s *Control, source pb.HistogramSelection_Type) distance.Distances {
	if e.Compat {
		return distance.Compatible(e.view, control, source)
	}
	o, _ := distance.Between(e.view, control, [2]distance.Source{e.Counted, s.Counted}, Alpha(cmp.Or(e.Compared, len(e.view.Dataset.Features))))
	return o
}

// significance is the probability that two samples of one distribution have any distance above
// its noise level, as in package drift.
const significance = 0.01

// Alpha is the part of the significance that one of several comparisons has.
func Alpha(comparisons int) float64 { return significance / float64(max(comparisons, 1)) }

// derived checks that a feature which is derived from others is marked as such.
func (e *entry) derived() {
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

func markDerived(f *pb.Feature, source *pb.DerivedFeatureSource) {
	f.LifecycleStage = pb.LifecycleStage_VALIDATION_DERIVED.Enum()
	f.ValidationDerivedSource = proto.CloneOf(source)
}

// Dataset checks the number of examples against the constraints of the schema.
func (s *Schema) Dataset(c *Config, d *view.Dataset) (reasons []Reason) {
	constraints := s.Message.GetDatasetConstraints()
	n := d.NumExamples()
	reasons = c.ratio(constraints.GetNumExamplesDriftComparator(), n, c.Drift.Data, "previous span", reasons)
	reasons = c.ratio(constraints.GetNumExamplesVersionComparator(), n, c.PreviousVersion, "previous version", reasons)
	if constraints == nil {
		return reasons
	}
	if constraints.MinExamplesCount == nil && c.Compat {
		return reasons // it does not look at the maximum then
	}
	if constraints.MinExamplesCount != nil && n < float64(constraints.GetMinExamplesCount()) {
		reasons = append(reasons, c.reason("fewExamples", cformat.Six(n), constraints.GetMinExamplesCount()))
	}
	if constraints.MaxExamplesCount != nil && n > float64(constraints.GetMaxExamplesCount()) {
		reasons = append(reasons, c.reason("manyExamples", cformat.Six(n), constraints.GetMaxExamplesCount()))
	}
	return reasons
}

// ratio checks how many examples there are for each that there was.
func (c *Config) ratio(bounds *pb.NumericValueComparator, n float64, control *view.Dataset, name string, reasons []Reason) []Reason {
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

// A Pair is the data and what they are compared with, of which all examples are here.
type Pair struct {
	Names         [2]string // as texts name them
	Data, Against *pb.DatasetFeatureStatistics
	Partial       [2]bool // there are slices that the statistics of Data, or of Against, leave out
}

// OneSided is the reason that only one of both has a slice: the control data, or the data if lost is false. It is a warning
// if a second sample of the same data may be without the slice too, or its statistics leave slices out; slices is how many there are.
func (c *Config) OneSided(p Pair, slice *pb.DatasetFeatureStatistics, lost bool, slices int) Reason {
	t, has, lacks, partial := "newSlice", p.Data, p.Against, p.Partial[1]
	if lost {
		t, has, lacks, partial = "lostSlice", p.Against, p.Data, p.Partial[0]
	}
	n, of := float64(slice.GetNumExamples()), float64(has.GetNumExamples())
	chance := ""
	sure := of > 0 && distance.Share(n/of, 0, of, float64(lacks.GetNumExamples()), Alpha(slices)).Above()
	switch {
	case partial:
		sure, chance = false, ", or their statistics leave it out"
	case !sure:
		chance = ", which may be chance"
	}
	r := c.reason(t, p.Names[0], p.Names[1], counted(n), counted(of), chance)
	r.Warning = !sure
	return r
}
