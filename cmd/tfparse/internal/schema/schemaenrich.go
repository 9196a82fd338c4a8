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

// toSchema returns the schema from a spec and from the statistics of the same records. Types, shapes and tensors come from the
// spec; presence, numbers of values and domains from the statistics. For ExampleListWithContexts everything comes from the
// statistics, since schemas cannot express their columns.
func (c *schema) toSchema(spec feature.Spec, why *explanation) ([]byte, error) {
	statsource.Conflicts(c.env, c.counts, &c.countedRecords, nil)
	statsource.Caveats(c.env, c.counts)
	list, err := c.counts.StatisticsWith(c.jobs)
	if err != nil {
		return nil, err
	}
	opts := c.schemaOptions()
	if c.recordType == example.TypeExampleList {
		if slices.ContainsFunc(c.inferrer.Report().Pairs, func(p infer.Pair) bool { return p.Chosen }) {
			c.env.Console.Print("row partitions are left out: a schema has no columns for ExampleListWithContexts")
		}
		if c.explain {
			why.addHeader(list)
			opts.Explain = why.addDecision
		}
		s, err := schemas.Infer(list, opts)
		if err != nil {
			return nil, err
		}
		return pbtext.Marshal(s), nil
	}
	s, err := c.columnSchema(spec)
	if err != nil {
		return nil, err
	}
	opts.NoShape = true
	if c.explain {
		why.addHeader(list)
		columns := statsource.IndexFeatures(s.GetFeature())
		opts.Explain = func(d schemas.Decision) {
			f := columns.At(d.Path...)
			if f != nil && d.About != "type" && (d.About != "values" || f.GetShape() == nil) {
				why.addDecision(d)
			}
		}
	}
	by, err := schemas.Infer(list, opts)
	if err != nil {
		return nil, err
	}
	domains := map[string]bool{}
	addConstraints(s.GetFeature(), by.GetFeature(), domains)
	s.Feature = append(s.Feature, missingFeatures(s.GetFeature(), by.GetFeature(), c.mixedTypes(false), domains)...)
	c.addMissingLists(s, by, domains)
	for _, d := range by.GetStringDomain() {
		if domains[d.GetName()] {
			s.StringDomain = append(s.StringDomain, d)
		}
	}
	return pbtext.Marshal(s), nil
}

// columnSchema returns the schema of a spec. It leaves out columns that a schema cannot express, such as names that are not
// UTF-8, and prints a warning for each.
func (c *schema) columnSchema(spec feature.Spec) (*pb.Schema, error) {
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
		c.env.Console.Print(console.OneLine(fmt.Sprintf("left out of the schema: %v", e)))
	}
	if dropped == 0 {
		return nil, cli.BadSpec("--emit "+emissionNames[c.emit], err)
	}
	return c.columnSchema(spec)
}

// schemaOptions returns the options for inferring a schema from statistics.
func (c *schema) schemaOptions() *schemas.Options {
	opts := &schemas.Options{Compat: c.compat.TFDV(), MaxStringDomain: c.maxDomain, NoShape: c.noShape}
	if c.flagGiven("min-fraction-slack") {
		opts.MinFractionSlack = &c.slack
	}
	if c.flagGiven("range-margin") {
		opts.RangeMargin = &c.margin
	}
	if c.maxDomain == 0 {
		opts.MaxStringDomain = -1
	}
	return opts
}

// addConstraints adds to features the constraints in by, the schema from statistics: presence, shapes and domains. It adds the
// names of the used domains to domains. For features that only by has, see missingFeatures.
func addConstraints(features, by []*pb.Feature, domains map[string]bool) {
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
		if dense { // a shape requires presence in every record
			f.GetPresence().MinFraction = proto.Float64(1)
		}
		if f.ShapeType == nil {
			f.ShapeType = b.ShapeType
		}
		switch {
		case f.GetStructDomain() != nil:
			addConstraints(f.GetStructDomain().GetFeature(), b.GetStructDomain().GetFeature(), domains)
		case f.DomainInfo == nil:
			f.DomainInfo = b.DomainInfo
			domains[f.GetDomain()] = true
		}
	}
}

// missingFeatures returns the features in by that features lacks, so that validate does not report them as new: those that never
// have a kind, those in mixed, and those that columnSchema left out. Features in mixed have several types and are disabled, since
// they cannot be read as a tensor. It adds the names of the used domains to domains.
func missingFeatures(features, by []*pb.Feature, mixed, domains map[string]bool) (out []*pb.Feature) {
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

// addMissingLists adds missingFeatures for feature lists. It leaves out lists of several types, because readers do not check
// whether a list is disabled.
func (c *schema) addMissingLists(s, by *pb.Schema, domains map[string]bool) {
	const lists = "##SEQUENCE##"
	from := statsource.IndexFeatures(by.GetFeature()).At(lists)
	if from == nil {
		return
	}
	to := statsource.IndexFeatures(s.GetFeature()).At(lists)
	mixed := c.mixedTypes(true)
	out := missingFeatures(to.GetStructDomain().GetFeature(), from.GetStructDomain().GetFeature(), mixed, domains)
	out = slices.DeleteFunc(out, func(f *pb.Feature) bool { return mixed[f.GetName()] })
	if to == nil && len(out) > 0 {
		from.GetStructDomain().Feature = nil
		to, s.Feature = from, append(s.Feature, from)
	}
	if len(out) > 0 {
		to.GetStructDomain().Feature = append(to.GetStructDomain().GetFeature(), out...)
	}
}

// mixedTypes returns the names of the features, or of the feature lists, with values of several types.
func (c *schema) mixedTypes(lists bool) map[string]bool {
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
