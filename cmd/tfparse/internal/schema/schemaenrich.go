package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	schemas "github.com/tfparse/tfparse/validate/schema"
)

// toSchema writes the schema of a spec and of the statistics of the same records: the
// spec says types, shapes and tensors, and the statistics presence, numbers of values
// and domains. Lists of examples have no schema that is a spec too: theirs is that of the statistics.
func (c *schema) toSchema(spec feature.Spec, why *reasoning) ([]byte, error) {
	statsource.Conflicts(c.env, c.counts, &c.counted, nil)
	statsource.Caveats(c.env, c.counts)
	list, err := c.counts.StatisticsWith(c.jobs)
	if err != nil {
		return nil, err
	}
	opts := c.options()
	if c.message == example.TypeExampleList {
		if slices.ContainsFunc(c.inferrer.Report().Pairs, func(p infer.Pair) bool { return p.Chosen }) {
			c.env.Console.Print("a schema has no columns of lists of examples: the row partitions are not in it")
		}
		if c.explain {
			why.begin(list)
			opts.Explain = why.add
		}
		s, err := schemas.Infer(list, opts)
		if err != nil {
			return nil, err
		}
		return pbtext.Marshal(s), nil
	}
	s, err := c.columns(spec)
	if err != nil {
		return nil, err
	}
	opts.NoShape = true
	if c.explain {
		why.begin(list)
		columns := statsource.IndexFeatures(s.GetFeature())
		opts.Explain = func(d schemas.Decision) {
			f := columns.At(d.Path...)
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
	s.Feature = append(s.Feature, leftOut(s.GetFeature(), by.GetFeature(), c.mixed(false), domains)...)
	c.addLists(s, by, domains)
	for _, d := range by.GetStringDomain() {
		if domains[d.GetName()] {
			s.StringDomain = append(s.StringDomain, d)
		}
	}
	return pbtext.Marshal(s), nil
}

// columns returns the schema of a spec, and names the columns that no schema can have, such as those whose name is not UTF-8. Their features are in the
// statistics.
func (c *schema) columns(spec feature.Spec) (*pb.Schema, error) {
	if len(spec.Features)+len(spec.Context)+len(spec.Sequence) == 0 {
		return &pb.Schema{}, nil
	}
	s, err := featurepb.ToSchemaMessage(spec)
	if err == nil {
		return s, nil
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	spec.Features, spec.Context, spec.Sequence = maps.Clone(spec.Features), maps.Clone(spec.Context), maps.Clone(spec.Sequence)
	groups := map[feature.Group]feature.Features{feature.InFeatures: spec.Features, feature.InContext: spec.Context, feature.InSequence: spec.Sequence}
	dropped := 0
	for _, fault := range all {
		e, ok := errors.AsType[*feature.SpecError](fault)
		if !ok || e.Whole || groups[e.Group][e.Feature] == nil {
			continue
		}
		delete(groups[e.Group], e.Feature)
		dropped++
		c.env.Console.Print(console.OneLine(fmt.Sprintf("the schema has no column for it: %v", e)))
	}
	if dropped == 0 {
		return nil, cli.BadSpec("--emit "+emissionNames[c.emit], err)
	}
	return c.columns(spec)
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
// it new: features that never have a kind, those of several types, and those that no column of a schema can have. Those of several types are disabled:
// a tensor of them could not be read. It notes the shared domains that they have.
func leftOut(features, by []*pb.Feature, mixed, domains map[string]bool) (out []*pb.Feature) {
	known := statsource.IndexFeatures(features)
	for _, b := range by {
		if b.GetStructDomain() != nil || known.At(b.GetName()) != nil {
			continue
		}
		if mixed[b.GetName()] {
			b = &pb.Feature{Name: b.Name, Type: b.Type, LifecycleStage: pb.LifecycleStage_DISABLED.Enum()}
		}
		out = append(out, b)
		domains[b.GetDomain()] = true
	}
	return out
}

// addLists is leftOut for feature lists. Those of several types stay out, because readers do
// not ask whether a list is disabled.
func (c *schema) addLists(s, by *pb.Schema, domains map[string]bool) {
	const lists = "##SEQUENCE##"
	from := statsource.IndexFeatures(by.GetFeature()).At(lists)
	if from == nil {
		return
	}
	to := statsource.IndexFeatures(s.GetFeature()).At(lists)
	mixed := c.mixed(true)
	out := leftOut(to.GetStructDomain().GetFeature(), from.GetStructDomain().GetFeature(), mixed, domains)
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
