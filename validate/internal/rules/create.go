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

// Update changes the schema so that the statistics fit it: it adds what is new, widens
// what is too narrow and deprecates what is gone.
func (s *Schema) Update(c *Config, d *view.Dataset) {
	c.Data(d)
	for _, f := range d.Roots() {
		if !f.Hidden || !c.Compat { // TensorFlow Data Validation does not come by
			s.update(c, f)
		}
	}
	if !c.Compat {
		for path, reasons := range s.insane(c, d, true) { // native: TensorFlow Data Validation leaves them
			for _, r := range reasons {
				c.decide(path, "changed", r.Type.String(), "%s", r.Text())
			}
		}
	}
	for _, path := range s.Absent(d, c.Environment, c.Compat) {
		s.Deprecate(path)
		c.decide(path, "stage", pb.LifecycleStage_DEPRECATED.String(), "it is required, and the statistics do not have it")
	}
}

func (s *Schema) update(c *Config, f *view.Feature) {
	switch {
	case !s.Knows(f.Path):
		s.create(c, f)
	case s.Ignores(f.Path) && !c.Compat:
		return
	default:
		// TensorFlow Data Validation looks at names that collide even here.
		for _, r := range s.apply(c, f, true).Reasons {
			c.decide(f.Path, "changed", r.Type.String(), "%s", r.Text())
		}
		if s.Ignores(f.Path) {
			return
		}
	}
	c.Below(f)
	for _, child := range f.Children {
		s.update(c, child)
	}
}

// create makes the entry of a feature from its statistics.
func (s *Schema) create(c *Config, v *view.Feature) {
	c.need(v)
	if c.orphan == nil && len(v.Path) > 1 && !s.Knows(v.Path.Parent()) {
		c.orphan = v
	}
	c.decideParents(s, v.Path)
	f := s.add(v.Path)
	f.Type = v.Type().Enum()
	c.decide(v.Path, "type", v.Type().String(), kindText(v))
	c.setPresence(f, v)
	if source := v.Stats.GetValidationDerivedSource(); source != nil {
		markDerived(f, source)
		c.decide(v.Path, "stage", f.GetLifecycleStage().String(), "the statistics say that it is derived from others")
	}
	chosen, why := s.createDomain(c, f, v)
	c.decide(v.Path, "domain", chosen, "%s", why)
}

// createDomain gives the entry of a feature a domain, if its values make one. It
// returns which, and why.
func (s *Schema) createDomain(c *Config, f *pb.Feature, v *view.Feature) (chosen, why string) {
	switch {
	case setSemanticDomain(c.Compat, f, v):
		return domainName(f), "the statistics found it in the values"
	case v.InvalidUTF8():
		return "none", fmt.Sprintf("not text: %d values are not UTF-8", v.Stats.GetStringStats().GetInvalidUtf8Count())
	case v.Kind() == pb.FeatureNameStatistics_BYTES:
		return "none", "bytes whose values were not counted make none"
	}
	labels := v.Labels()
	if d := boolDomain(v, labels); d != nil {
		f.DomainInfo = &pb.Feature_BoolDomain{BoolDomain: d}
		if len(labels) == 0 {
			return "bool_domain", "none is less than 0, and the greatest is 1"
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
		return "none", distinctText(v, labels) + ", and no string domains are wanted"
	case len(labels) > c.EnumLimit:
		return "none", fmt.Sprintf("%s, more than %d", distinctText(v, labels), c.EnumLimit)
	}
	name := s.addDomain(v.Path.String(), labels)
	f.DomainInfo = &pb.Feature_Domain{Domain: name}
	return fmt.Sprintf("string_domain %q", name), fmt.Sprintf("%s, at most %d", distinctText(v, labels), c.EnumLimit)
}

// setPresence says how often a feature is there, and with how many values.
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
		p.MinFraction = fractionLess(n/(n+v.Missing()), *c.Slack)
	}
	if !c.Compat && p.MinFraction == nil && rare(v) != "" {
		p.MinCount = proto.Int64(0) // TensorFlow Data Validation requires it once
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

var (
	trueWords  = []string{"TRUE", "true", "SET", "set", "1", ""}
	falseWords = []string{"FALSE", "false", "CLEAR", "clear", "0"}
)

// boolDomain returns the domain of a feature whose values mean true and false, else
// nil: integers from 0 to 1, with a 1 among them, or one word for each.
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

// mayLack is the probability from which on a schema does not require that a feature is there at all: a team
// that checks a thousand features each night for a year would else have a false alarm of it.
const mayLack = 1e-6

// chanceOfNone is the probability that a sample of the same size, drawn from the records with replacement, lacks a
// feature: (1-n/N)^N, where n of N records have it. It is the chance that a bootstrap sample has none of n items
// (Efron, Bootstrap Methods: Another Look at the Jackknife, 1979), about e^-n: it is below 1e-6 from 14 records of many on.
//
// Of a feature in a struct, n is the least number of records that its structs may be in: those of one record may
// all be alike.
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

// rare says why a feature is not required, "" if it is.
func rare(v *view.Feature) string {
	chance := chanceOfNone(v)
	if chance < mayLack {
		return ""
	}
	return fmt.Sprintf("; a sample of the same data lacks it with a probability of %s, which is not below %v", cformat.Six(chance), mayLack)
}

// fractionLess is a share less some slack, with six digits; nil if nothing is left. It is rounded down, so that
// the data that it is of pass.
func fractionLess(fraction, slack float64) *float64 {
	least := math.Floor((fraction-slack)*1e6) / 1e6
	if !(least > 0) {
		return nil
	}
	return proto.Float64(least)
}

// margins returns the range of numbers with a margin, a share of its width; of a single value, a share of that.
// The margin ends at 0 where all values are on one side of it: a fare, a count or a duration below 0 is a fault, however small.
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

// setRange gives the entry of numbers a domain that is their range with a margin, without NaN if there is none. It reports
// whether there are numbers to make it of.
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
			d.DisallowNan = proto.Bool(true) // a NaN is in no range
		}
		f.DomainInfo = &pb.Feature_FloatDomain{FloatDomain: d}
		return true
	}
	return false
}

// hasHistogramsWithoutNaN reports whether statistics say that there is no NaN.
func hasHistogramsWithoutNaN(n *pb.NumericStatistics) bool {
	for _, h := range n.GetHistograms() {
		if h.GetNumNan() > 0 {
			return false
		}
	}
	return len(n.GetHistograms()) > 0
}

// outward is the nearest float32 that is not less than v, or not greater for a negative direction.
func outward(v, direction float64) float32 {
	f := float32(v)
	if (float64(f)-v)*direction < 0 {
		f = math.Nextafter32(f, float32(math.Inf(int(direction))))
	}
	return f
}

// rangeDomainText is a domain of numbers.
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

// rangeWhy says what a domain of numbers is made of.
func rangeWhy(v *view.Feature, margin float64) string {
	n := v.Stats.GetNumStats()
	least, most := cformat.Six(n.GetMin()), cformat.Six(n.GetMax())
	if v.Type() == pb.FeatureType_INT { // six digits of an ID do not say which
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
