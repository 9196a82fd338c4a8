package schema

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
	schemas "github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// countFor begins the statistics that a schema of records needs besides a spec. Lists
// of examples have no schema that is a spec too.
func (c *schema) countFor(m example.MessageType) error {
	if m == example.TypeExampleList {
		return cli.Usagef("--emit tfmd writes no lists of examples; without it, -o FILE.pbtxt writes a schema of them")
	}
	o := &stats.Options{Memory: int64(statsource.DefaultMemory), Message: m}
	var err error
	c.counted, c.counts, err = newStatsCounter(o, c.jobs, c.Skipped)
	return err
}

// toSchema writes the schema of a spec and of the statistics of the same records: the
// spec says types, shapes and tensors, and the statistics presence, numbers of values
// and domains.
func (c *schema) toSchema(spec feature.Spec, why *reasoning) ([]byte, error) {
	s, err := featurepb.ToSchemaMessage(spec)
	if err != nil {
		return nil, cli.BadSpec("--emit "+emissionNames[c.emit], err)
	}
	statsource.Caveats(c.env, c.counts)
	list, err := c.counts.StatisticsWith(c.jobs)
	if err != nil {
		return nil, err
	}
	opts := c.options()
	opts.NoShape = true
	if c.explain {
		why.begin(list)
		opts.Explain = func(d schemas.Decision) {
			f := statsource.FeatureAt(s.GetFeature(), d.Path)
			if f != nil && d.About != "type" && (d.About != "values" || f.GetShape() == nil) {
				why.add(d)
			}
		}
	}
	by, err := schemas.Infer(list, opts)
	if err != nil {
		return nil, err
	}
	domains := map[string]bool{}
	enrich(s.GetFeature(), by.GetFeature(), domains)
	s.Feature = append(s.Feature, leftOut(s.GetFeature(), by.GetFeature(), c.mixed(false))...)
	c.addLists(s, by)
	for _, d := range by.GetStringDomain() {
		if domains[d.GetName()] {
			s.StringDomain = append(s.StringDomain, d)
		}
	}
	return pbtext.Marshal(s), nil
}

// options are those of a schema that statistics make.
func (c *schema) options() *schemas.Options {
	opts := &schemas.Options{Compat: c.compat.TFDV(), MaxStringDomain: c.maxDomain, NoShape: c.noShape}
	if c.changed("min-fraction-slack") {
		opts.MinFractionSlack = &c.slack
	}
	if c.changed("range-margin") {
		opts.RangeMargin = &c.margin
	}
	if c.maxDomain == 0 {
		opts.MaxStringDomain = -1
	}
	return opts
}

// enrich adds to features what statistics say of them, and notes the shared domains
// that they have then. What the spec leaves out is for leftOut.
func enrich(features, by []*pb.Feature, domains map[string]bool) {
	found := make(map[string]*pb.Feature, len(by))
	for _, b := range by {
		found[b.GetName()] = b
	}
	for _, f := range features {
		b := found[f.GetName()]
		if b == nil {
			continue
		}
		dense := f.GetPresence().GetMinFraction() == 1
		f.PresenceConstraints = b.PresenceConstraints
		if dense { // as the shape needs it
			f.GetPresence().MinFraction = proto.Float64(1)
		}
		if f.ShapeType == nil {
			f.ShapeType = b.ShapeType
		}
		switch {
		case f.GetStructDomain() != nil:
			enrich(f.GetStructDomain().GetFeature(), b.GetStructDomain().GetFeature(), domains)
		case f.DomainInfo == nil:
			f.DomainInfo = b.DomainInfo
			domains[f.GetDomain()] = true
		}
	}
}

// leftOut returns what statistics have and a spec leaves out, so that validate does not call
// it new: features that never have a kind, and those of several types. The latter are disabled:
// a tensor of them could not be read.
func leftOut(features, by []*pb.Feature, mixed map[string]bool) (out []*pb.Feature) {
	for _, b := range by {
		if b.GetStructDomain() != nil || statsource.FeatureAt(features, []string{b.GetName()}) != nil {
			continue
		}
		if mixed[b.GetName()] {
			b = &pb.Feature{Name: b.Name, Type: b.Type, LifecycleStage: pb.LifecycleStage_DISABLED.Enum()}
		}
		out = append(out, b)
	}
	return out
}

// addLists is leftOut for feature lists. Those of several types stay out, because readers do
// not ask whether a list is disabled.
func (c *schema) addLists(s, by *pb.Schema) {
	const lists = "##SEQUENCE##"
	from := statsource.FeatureAt(by.GetFeature(), []string{lists})
	if from == nil {
		return
	}
	to := statsource.FeatureAt(s.GetFeature(), []string{lists})
	mixed := c.mixed(true)
	out := leftOut(to.GetStructDomain().GetFeature(), from.GetStructDomain().GetFeature(), mixed)
	out = slices.DeleteFunc(out, func(f *pb.Feature) bool { return mixed[f.GetName()] })
	if to == nil && len(out) > 0 {
		from.GetStructDomain().Feature = nil
		to, s.Feature = from, append(s.Feature, from)
	}
	if len(out) > 0 {
		to.GetStructDomain().Feature = append(to.GetStructDomain().GetFeature(), out...)
	}
}

// mixed returns the names of the features, or of the feature lists, that have values of several
// types.
func (c *schema) mixed(lists bool) map[string]bool {
	out := map[string]bool{}
	for _, f := range c.inferrer.Report().Features {
		values := f.Units - f.Missing - f.NoKind
		if lists {
			values = f.Steps - f.NoKind
		}
		if lists == (f.Group == feature.InSequence) && f.DType == 0 && values > 0 {
			out[f.Name] = true
		}
	}
	return out
}
