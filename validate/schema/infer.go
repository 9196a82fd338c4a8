// Package schema infers a schema from the statistics of a data set, updates a schema so that
// statistics fit it, and finds errors in a schema. Package prototext of protobuf-go reads and
// writes the text form of a schema.
//
// Functions do not change or retain their arguments, and results do not alias them.
package schema

import (
	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// MaxStringDomain is the default of Options.MaxStringDomain.
const MaxStringDomain = 100

// Options configure inference and updates.
type Options struct {
	// MaxStringDomain is the maximum number of values of a string domain: features with more
	// values get no string domain. 0 is 100; with a negative number no feature gets a string
	// domain. Strings that are all booleans or all integers get another domain.
	MaxStringDomain int

	// NoShape writes a value count instead of a shape for a feature with a constant number of
	// values.
	NoShape bool

	// MinFractionSlack, a number from 0 to 1, sets min_fraction of every feature with values to
	// the share of examples that have the feature now, minus the slack. If it is nil, only
	// features present in all examples are required, with a min_fraction of 1. A feature that
	// may be missing gets no shape.
	MinFractionSlack *float64

	// RangeMargin, if not nil, adds a domain to numbers without another domain: from the minimum
	// to the maximum, widened on both sides. The margin is this fraction of maximum - minimum, or
	// of the value if all values are equal. A domain does not cross 0 unless the values do. Floats
	// without NaN get disallow_nan. RangeMargin must not be negative.
	RangeMargin *float64

	// Compat produces the result of TensorFlow Data Validation 1.16.1. Inference differs only for
	// rare features: without Compat, a feature in n of N examples is optional if (1-n/N)^N, the
	// probability that a sample of the same size lacks it, is at least 1e-6. For large N that is
	// n up to 13. For updates the differences are those of package anomaly.
	Compat bool

	// Explain, if not nil, is called for every decision, feature by feature, in an order that
	// depends only on the arguments.
	Explain func(Decision)
}

func (o *Options) config() rules.Config {
	if o == nil {
		o = &Options{}
	}
	c := rules.Config{Compat: o.Compat, EnumLimit: o.MaxStringDomain, Shape: !o.NoShape, Slack: o.MinFractionSlack, Margin: o.RangeMargin}
	if o.MaxStringDomain == 0 {
		c.EnumLimit = MaxStringDomain
	}
	if explain := o.Explain; explain != nil {
		c.Why = func(d rules.Decision) { explain(Decision{d.Path, d.About, d.Chosen, d.Why}) }
	}
	return c
}

// A Decision explains one property of a feature in an inferred or updated schema.
type Decision struct {
	Path   []string // path of the feature
	About  string   // type, presence, values, domain, stage, changed (by an update) or left out
	Chosen string   // such as "required (min_fraction 1, min_count 1)"; for a change, the anomaly that it removes
	Why    string   // such as "in 12 of 12 examples"
}

// PathString returns the path with dots between steps, as in anomalies.
func (d Decision) PathString() string { return view.Path(d.Path).String() }

// Infer infers a schema from statistics, like infer_schema of TensorFlow Data Validation: the type
// and presence of every feature, the number of its values, and a domain of few strings. If the list
// has several data sets, it uses the data set called "All Examples".
//
// The statistics are those of a sample: review the schema before you rely on it.
func Infer(stats *pb.DatasetFeatureStatisticsList, opts *Options) (*pb.Schema, error) {
	d, err := view.Default(stats)
	if err != nil {
		return nil, err
	}
	// Skip entries of sparse and weighted features.
	part := &pb.DatasetFeatureStatistics{Name: d.GetName(), NumExamples: d.GetNumExamples(), WeightedNumExamples: d.GetWeightedNumExamples()}
	for _, f := range d.GetFeatures() {
		if f.GetStats() != nil {
			part.Features = append(part.Features, f)
		}
	}
	c := opts.config()
	if c.Why != nil {
		explainLeftOut(d, c.Why)
	}
	return updateSchema(&pb.Schema{}, part, &c)
}

// explainLeftOut explains the entries of sparse and weighted features, which Infer skips.
func explainLeftOut(d *pb.DatasetFeatureStatistics, why func(rules.Decision)) {
	for _, f := range d.GetFeatures() {
		path := view.Of(f.GetPath())
		if len(path) == 0 {
			path = view.Path{f.GetName()}
		}
		if f.GetStats() == nil {
			why(rules.Decision{Path: path, About: "left out", Chosen: "no entry", Why: "there are no statistics of its own, as with sparse and weighted features"})
		}
	}
}

// Update returns a schema that the statistics fit, like update_schema of TensorFlow Data Validation.
// It adds new features, relaxes constraints that the values violate, and marks missing required
// features as deprecated. New features get no shape.
func Update(schema *pb.Schema, stats *pb.DatasetFeatureStatisticsList, opts *Options) (*pb.Schema, error) {
	d, err := view.Default(stats)
	if err != nil {
		return nil, err
	}
	c := opts.config()
	c.Shape = false
	return updateSchema(proto.CloneOf(schema), d, &c)
}

func updateSchema(schema *pb.Schema, stats *pb.DatasetFeatureStatistics, c *rules.Config) (*pb.Schema, error) {
	d, err := view.New(stats)
	if err != nil {
		return nil, err
	}
	rules.NewSchema(schema).Update(c, d)
	return schema, c.Err()
}
