// Package schema infers a schema from statistics of a data set, updates one so that
// statistics fit it, and checks one for sense. The package prototext of protobuf-go
// reads and writes the text form.
//
// Memory: nothing of the arguments is changed or kept, and results share nothing with
// them.
package schema

import (
	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// MaxStringDomain is how many values a feature may have to get a string domain, where
// the options do not say.
const MaxStringDomain = 100

// Options say how a schema is made of statistics.
type Options struct {
	// MaxStringDomain is the greatest number of values that makes a string domain; 0
	// is 100, and with less than 0 there are no string domains. Strings that all stand
	// for true and false, or for integers, make other domains.
	MaxStringDomain int

	// NoShape leaves the shape out of a feature that always has as many values, and
	// says how many there are instead.
	NoShape bool

	// MinFractionSlack, if not nil, makes every feature that has values required in some examples: in the
	// share that has it now, less the slack, a number from 0 to 1. With nil only features that no example lacks are required, in all
	// examples. A feature that may be missing gets no shape.
	MinFractionSlack *float64

	// RangeMargin, if not nil, gives numbers without another domain a domain from the least to the greatest value, widened
	// on either side by this share of the difference of the two, or of the value if there is one only, but not past 0 if no value is below 0, or none above. It is not negative.
	// Floats without NaN get disallow_nan with it.
	RangeMargin *float64

	// Compat does exactly as TensorFlow Data Validation 1.16.1 does. Inference differs in rare features: without it,
	// a feature need not be there at all if n of N examples have it and (1-n/N)^N, the probability that
	// a sample of the same size lacks it, is 1e-6 or more, which is so of up to 13 of many examples. For an update the differences
	// are those of package anomaly.
	Compat bool

	// Explain, if not nil, gets every decision when it is made, feature by
	// feature, in an order that depends on the arguments only.
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

// A Decision is one thing that an inferred or updated schema says of a feature, and
// why.
type Decision struct {
	Path   []string // of the feature
	About  string   // type, presence, values, domain, stage; changed where an update had to change what was there; left out
	Chosen string   // as in "required (min_fraction 1, min_count 1)", or the name of the anomaly that the change does away with
	Why    string   // as in "in 12 of 12 examples"
}

// PathString returns the path with dots, as anomalies have it.
func (d Decision) PathString() string { return view.Path(d.Path).String() }

// Infer makes a schema of statistics: the type of every feature, whether it is always
// there, with how many values, and which values there are if those are few strings. Of
// several data sets the one with the name "All Examples" counts.
//
// Statistics of one sample are a sample: look at the schema before you rely on it.
// TensorFlow Data Validation's name is infer_schema.
func Infer(stats *pb.DatasetFeatureStatisticsList, opts *Options) (*pb.Schema, error) {
	d, err := view.Default(stats)
	if err != nil {
		return nil, err
	}
	// Entries of sparse and weighted features are no features.
	part := &pb.DatasetFeatureStatistics{Name: d.GetName(), NumExamples: d.GetNumExamples(), WeightedNumExamples: d.GetWeightedNumExamples()}
	for _, f := range d.GetFeatures() {
		if f.GetStats() != nil {
			part.Features = append(part.Features, f)
		}
	}
	c := opts.config()
	if c.Why != nil {
		leftOut(d, c.Why)
	}
	return update(&pb.Schema{}, part, &c)
}

// leftOut reports the entries that are no features.
func leftOut(d *pb.DatasetFeatureStatistics, why func(rules.Decision)) {
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

// Update returns a schema that the statistics fit: it adds features that are new,
// widens what is too narrow for the values and marks required features that are gone
// as deprecated. New features get no shape. TensorFlow Data Validation's name is
// update_schema.
func Update(schema *pb.Schema, stats *pb.DatasetFeatureStatisticsList, opts *Options) (*pb.Schema, error) {
	d, err := view.Default(stats)
	if err != nil {
		return nil, err
	}
	c := opts.config()
	c.Shape = false
	return update(proto.CloneOf(schema), d, &c)
}

func update(schema *pb.Schema, stats *pb.DatasetFeatureStatistics, c *rules.Config) (*pb.Schema, error) {
	d, err := view.New(stats)
	if err != nil {
		return nil, err
	}
	rules.NewSchema(schema).Update(c, d)
	return schema, c.Err()
}
