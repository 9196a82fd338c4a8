package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Update changes the schema so that the statistics fit it: it adds entries of new features, widens constraints, and deprecates
// required features without statistics.
func (s *Schema) Update(c *Config, d *view.Dataset) {
	c.Data(d)
	for _, f := range d.Roots() {
		if !f.Hidden || !c.Compat { // TensorFlow Data Validation does not visit hidden features
			s.update(c, f)
		}
	}
	if !c.Compat {
		for path, reasons := range s.checkUnused(c, d, true) { // native: TensorFlow Data Validation does not check unused entries
			for _, r := range reasons {
				c.decide(path, "changed", r.Type.String(), "%s", r.Text())
			}
		}
	}
	for _, path := range s.Absent(d, c.Environment, c.Compat) {
		s.Deprecate(path)
		c.decide(path, "stage", pb.LifecycleStage_DEPRECATED.String(), "it is required, but has no statistics")
	}
}

// update updates the entries of a feature and its children.
func (s *Schema) update(c *Config, f *view.Feature) {
	switch {
	case !s.Knows(f.Path):
		s.create(c, f)
	case s.Ignores(f.Path) && !c.Compat:
		return
	default:
		// TensorFlow Data Validation reports name collisions even for ignored entries.
		for _, r := range s.apply(c, f, true).Reasons {
			c.decide(f.Path, "changed", r.Type.String(), "%s", r.Text())
		}
		if s.Ignores(f.Path) {
			return
		}
	}
	c.NeedChildren(f)
	for _, child := range f.Children {
		s.update(c, child)
	}
}

// create adds the entry of a feature from its statistics.
func (s *Schema) create(c *Config, v *view.Feature) {
	c.need(v)
	if c.orphan == nil && len(v.Path) > 1 && !s.Knows(v.Path.Parent()) {
		c.orphan = v
	}
	c.decideParents(s, v.Path)
	f := s.addEntry(v.Path)
	f.Type = v.Type().Enum()
	c.decide(v.Path, "type", v.Type().String(), kindText(v))
	c.setPresence(f, v)
	if source := v.Stats.GetValidationDerivedSource(); source != nil {
		markDerived(f, source)
		c.decide(v.Path, "stage", f.GetLifecycleStage().String(), "the statistics mark it as derived")
	}
	chosen, why := s.createDomain(c, f, v)
	c.decide(v.Path, "domain", chosen, "%s", why)
}

// createDomain sets the domain of a new entry, if its values suggest one. It returns the domain and the reason in
// words.
func (s *Schema) createDomain(c *Config, f *pb.Feature, v *view.Feature) (chosen, why string) {
	switch {
	case setSemanticDomain(c.Compat, f, v):
		return domainName(f), "detected in the values"
	case v.InvalidUTF8():
		return "none", fmt.Sprintf("not text: %d values are not UTF-8", v.Stats.GetStringStats().GetInvalidUtf8Count())
	case v.Kind() == pb.FeatureNameStatistics_BYTES:
		return "none", "values of type BYTES are not counted"
	}
	labels := v.Labels()
	if d := boolDomain(v, labels); d != nil {
		f.DomainInfo = &pb.Feature_BoolDomain{BoolDomain: d}
		if len(labels) == 0 {
			return "bool_domain", "the values are 0 or 1"
		}
		return "bool_domain", distinctText(v, labels) + ", words for true and false"
	}
	if v.Kind() == pb.FeatureNameStatistics_STRING {
		if r, _, ok := labelRange(labels); ok {
			f.DomainInfo = &pb.Feature_IntDomain{IntDomain: &pb.IntDomain{}}
			return "int_domain", fmt.Sprintf("%s, all of them integers (%d to %d)", distinctText(v, labels), r.Min, r.Max)
		}
	}
	switch {
	case len(labels) == 0 && c.Margin != nil && setRange(f, v, *c.Margin):
		return rangeDomainText(f), rangeWhy(v, *c.Margin)
	case len(labels) == 0:
		return "none", numbersText(v)
	case c.EnumLimit < 0:
		return "none", distinctText(v, labels) + ", and string domains are disabled"
	case len(labels) > c.EnumLimit:
		return "none", fmt.Sprintf("%s, more than %d", distinctText(v, labels), c.EnumLimit)
	}
	name := s.addDomain(v.Path.String(), labels)
	f.DomainInfo = &pb.Feature_Domain{Domain: name}
	return fmt.Sprintf("string_domain %q", name), fmt.Sprintf("%s, at most %d", distinctText(v, labels), c.EnumLimit)
}

// setPresence sets the constraints of the presence and of the number of values.
func (c *Config) setPresence(f *pb.Feature, v *view.Feature) {
	p := &pb.FeaturePresence{MinCount: proto.Int64(0)}
	f.PresenceConstraints = &pb.Feature_Presence{Presence: p}
	n := v.Present()
	if n >= 1 {
		p.MinCount = proto.Int64(1)
	}
	if !(n > 0) {
		c.decidePresence(f, v)
		return
	}
	if v.Missing() == 0 {
		p.MinFraction = proto.Float64(1)
	}
	if c.Slack != nil {
		p.MinFraction = reduceFraction(n/(n+v.Missing()), *c.Slack)
	}
	if !c.Compat && p.MinFraction == nil && rareText(v) != "" {
		p.MinCount = proto.Int64(0) // native: TensorFlow Data Validation sets 1
	}
	c.decidePresence(f, v)
	unshaped := ""
	switch {
	case !c.Shape:
	case c.Slack != nil && p.GetMinFraction() < 1:
		unshaped = "it may be missing"
	default:
		unshaped = setShape(f, v)
	}
	if f.ShapeType == nil {
		setCounts(f, v)
	}
	c.decideCounts(f, v, unshaped)
}

// Values of a string feature that mean true and false.
var (
	trueWords  = []string{"TRUE", "true", "SET", "set", "1", ""}
	falseWords = []string{"FALSE", "false", "CLEAR", "clear", "0"}
)

// boolDomain returns the bool domain of a feature, or nil. It is for integers from 0 to 1 that include 1, and for strings whose
// only values are one word of trueWords, one word of falseWords, or both.
func boolDomain(v *view.Feature, labels []view.Label) *pb.BoolDomain {
	switch v.Kind() {
	case pb.FeatureNameStatistics_INT:
		if n := v.Stats.GetNumStats(); n.GetMin() >= 0 && n.GetMax() == 1 {
			return &pb.BoolDomain{}
		}
		return nil
	case pb.FeatureNameStatistics_STRING:
	default:
		return nil
	}
	if len(labels) == 0 {
		return nil
	}
	d := &pb.BoolDomain{}
	for _, l := range labels {
		switch {
		case d.TrueValue == nil && slices.Contains(trueWords, l.Value):
			d.TrueValue = proto.String(l.Value)
		case d.FalseValue == nil && slices.Contains(falseWords, l.Value):
			d.FalseValue = proto.String(l.Value)
		default:
			return nil
		}
	}
	return d
}

// maxFalseAlarm is the maximum probability of a false alarm if the schema requires that a feature is present. With
// 1e-6, a team that checks a thousand features each night has 0.4 false alarms a year.
const maxFalseAlarm = 1e-6

// chanceOfNone returns the probability that a sample of the same size, drawn from the records with replacement, lacks a
// feature: (1-n/N)^N, if n of N records have it. That is the probability that a bootstrap sample has none of n items
// (Efron, Bootstrap Methods: Another Look at the Jackknife, 1979), about e^-n: below 1e-6 if n is at least 14 of many records.
//
// For a feature in a struct, n is the minimum number of records that contain the struct values with the feature, since the values
// of one record may all be alike.
func chanceOfNone(v *view.Feature) float64 {
	n, all := float64(v.Common().GetNumNonMissing()), float64(v.Common().GetNumNonMissing()+v.Common().GetNumMissing())
	if v.Parent != nil {
		if most := float64(v.Parent.Counts()[0].Max); most > 1 {
			n = math.Ceil(n / most)
		}
		if records := float64(v.Dataset.Stats.GetNumExamples()); records > 0 {
			all = min(all, records)
		}
	}
	if v.Common().GetNumMissing() == 0 || n >= all {
		return 0
	}
	return math.Exp(all * math.Log1p(-n/all))
}

// rareText explains why a feature is not required; it returns "" if the feature is required.
func rareText(v *view.Feature) string {
	chance := chanceOfNone(v)
	if chance < maxFalseAlarm {
		return ""
	}
	return fmt.Sprintf("; another sample lacks it with probability %s (at least %v)", cformat.Six(chance), maxFalseAlarm)
}

// reduceFraction returns fraction minus slack, rounded down to six decimals so that the data themselves pass. It returns nil if
// the result is not above 0.
func reduceFraction(fraction, slack float64) *float64 {
	least := math.Floor((fraction-slack)*1e6) / 1e6
	if !(least > 0) {
		return nil
	}
	return proto.Float64(least)
}

// margins widens the range of numbers at both ends by margin times its width or, if all numbers are equal, times their value. If
// all numbers are on one side of 0, the range ends at 0: a negative fare, count or duration is wrong, however small. atZero
// reports whether this limited the range.
func margins(n *pb.NumericStatistics, margin float64) (low, high float64, atZero bool) {
	least, most := n.GetMin(), n.GetMax()
	width := most - least
	if width == 0 {
		width = math.Abs(most)
	}
	low, high = least-margin*width, most+margin*width
	switch {
	case least >= 0 && low < 0:
		return 0, high, true
	case most <= 0 && high > 0:
		return low, 0, true
	}
	return low, high, false
}

// setRange sets the domain of numbers to their range with a margin, and disallows NaN if no number is NaN. It reports whether it
// set a domain.
func setRange(f *pb.Feature, v *view.Feature, margin float64) bool {
	n := v.Stats.GetNumStats()
	if n == nil || !(v.Total() > 0) || v.Type() != f.GetType() {
		return false
	}
	low, high, _ := margins(n, margin)
	switch f.GetType() {
	case pb.FeatureType_INT:
		d := &pb.IntDomain{}
		if low = math.Floor(low); low > -1<<63 {
			d.Min = proto.Int64(int64(low))
		}
		if high = math.Ceil(high); high < 1<<63 {
			d.Max = proto.Int64(int64(high))
		}
		f.DomainInfo = &pb.Feature_IntDomain{IntDomain: d}
		return d.Min != nil || d.Max != nil
	case pb.FeatureType_FLOAT:
		d := &pb.FloatDomain{}
		if least := outward(low, -1); !math.IsInf(float64(least), 0) && least == least {
			d.Min = &least
		}
		if most := outward(high, 1); !math.IsInf(float64(most), 0) && most == most {
			d.Max = &most
		}
		if d.Min == nil && d.Max == nil {
			return false
		}
		if hasHistogramsWithoutNaN(n) {
			d.DisallowNan = proto.Bool(true) // no range contains NaN
		}
		f.DomainInfo = &pb.Feature_FloatDomain{FloatDomain: d}
		return true
	}
	return false
}

// hasHistogramsWithoutNaN reports whether the statistics show that no number is NaN.
func hasHistogramsWithoutNaN(n *pb.NumericStatistics) bool {
	for _, h := range n.GetHistograms() {
		if h.GetNumNan() > 0 {
			return false
		}
	}
	return len(n.GetHistograms()) > 0
}

// outward returns the nearest float32 that is not less than v, or for a negative direction not greater than v.
func outward(v, direction float64) float32 {
	f := float32(v)
	if (float64(f)-v)*direction < 0 {
		f = math.Nextafter32(f, float32(math.Inf(int(direction))))
	}
	return f
}

// rangeDomainText describes a domain of numbers.
func rangeDomainText(f *pb.Feature) string {
	bound := func(given bool, text string) string {
		if !given {
			return "any"
		}
		return text
	}
	if d := f.GetIntDomain(); d != nil {
		return fmt.Sprintf("int_domain %s to %s", bound(d.Min != nil, fmt.Sprint(d.GetMin())), bound(d.Max != nil, fmt.Sprint(d.GetMax())))
	}
	d := f.GetFloatDomain()
	text := fmt.Sprintf("float_domain %s to %s", bound(d.Min != nil, cformat.Six(float64(d.GetMin()))), bound(d.Max != nil, cformat.Six(float64(d.GetMax()))))
	if d.GetDisallowNan() {
		text += ", no NaN"
	}
	return text
}

// rangeWhy explains a domain of numbers.
func rangeWhy(v *view.Feature, margin float64) string {
	n := v.Stats.GetNumStats()
	least, most := cformat.Six(n.GetMin()), cformat.Six(n.GetMax())
	if v.Type() == pb.FeatureType_INT { // six digits do not identify an ID
		least, most = strconv.FormatFloat(n.GetMin(), 'f', -1, 64), strconv.FormatFloat(n.GetMax(), 'f', -1, 64)
	}
	text := fmt.Sprintf("the values are %s to %s, and the margin is %s of that range", least, most, cformat.Six(margin))
	if n.GetMin() == n.GetMax() {
		text = fmt.Sprintf("the only value is %s, and the margin is %s of it", least, cformat.Six(margin))
	}
	if _, _, atZero := margins(n, margin); atZero {
		text += ", but not past 0"
	}
	return text
}
