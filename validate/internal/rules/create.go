package rules

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
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
