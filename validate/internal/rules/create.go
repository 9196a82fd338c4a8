package rules

import (
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
		s.update(c, f)
	}
	if !c.Compat {
		for range s.insane(c, d, true) { // native: TensorFlow Data Validation leaves them
		}
	}
	for _, path := range s.Absent(d, c.Environment) {
		s.Deprecate(path)
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
		s.apply(c, f, true)
		if s.Ignores(f.Path) {
			return
		}
	}
	for _, child := range f.Children {
		s.update(c, child)
	}
}

// create makes the entry of a feature from its statistics.
func (s *Schema) create(c *Config, v *view.Feature) {
	c.need(v)
	f := s.add(v.Path)
	f.Type = v.Type().Enum()
	setPresence(f, v, c.Shape)
	if source := v.Stats.GetValidationDerivedSource(); source != nil {
		markDerived(f, source)
	}
	if setSemanticDomain(c.Compat, f, v) || v.InvalidUTF8() || v.Kind() == pb.FeatureNameStatistics_BYTES {
		return
	}
	labels := v.Labels()
	if d := boolDomain(v, labels); d != nil {
		f.DomainInfo = &pb.Feature_BoolDomain{BoolDomain: d}
		return
	}
	if v.Kind() == pb.FeatureNameStatistics_STRING {
		if _, _, ok := labelRange(labels); ok {
			f.DomainInfo = &pb.Feature_IntDomain{IntDomain: &pb.IntDomain{}}
			return
		}
	}
	if len(labels) > 0 && len(labels) <= c.EnumLimit {
		f.DomainInfo = &pb.Feature_Domain{Domain: s.addDomain(v.Path.String(), labels)}
	}
}

// setPresence says how often a feature is there, and with how many values.
func setPresence(f *pb.Feature, v *view.Feature, shape bool) {
	p := &pb.FeaturePresence{MinCount: proto.Int64(0)}
	f.PresenceConstraints = &pb.Feature_Presence{Presence: p}
	n := v.Present()
	if n >= 1 {
		p.MinCount = proto.Int64(1)
	}
	if !(n > 0) {
		return
	}
	if v.Missing() == 0 {
		p.MinFraction = proto.Float64(1)
	}
	if shape {
		setShape(f, v)
	}
	if f.ShapeType == nil {
		setCounts(f, v)
	}
}

var (
	trueWords  = []string{"TRUE", "true", "SET", "set", "1", ""}
	falseWords = []string{"FALSE", "false", "CLEAR", "clear", "0"}
)

// boolDomain returns the domain of a feature whose values mean true and false, else
// nil: integers of which the greatest is 1 and none is negative, or one word for each.
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
