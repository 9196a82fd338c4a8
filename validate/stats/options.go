package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/namelist"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/proto/slicingpb"
)

// Errors of this package. Records that cannot be decoded cause an *example.Error.
var (
	// ErrWeight means that a record does not have exactly one weight.
	ErrWeight = errors.New("stats: a weight is not exactly one number")
	// ErrKind means that a feature list has values of two types.
	ErrKind = errors.New("stats: a feature list has values of two types")
	// ErrFeatures means that the records have more features than Options.MaxFeatures. It ends the run.
	ErrFeatures = errors.New("stats: too many features")
	// ErrSlices means that a record is in more than a thousand slices of one Slice.
	ErrSlices = errors.New("stats: too many slices")
	// ErrOptions means that options are invalid, or that accumulators have different options.
	ErrOptions = errors.New("stats: options")
	// ErrState means that bytes are not an encoded Accumulator.
	ErrState = errors.New("stats: not an accumulator")
)

// A Slice divides the records by the values of some features: each combination of their values is one slice, whose name is the
// names and values joined with "_". The map has the allowed values of each feature; nil allows all. A record with several
// combinations is in several slices. A record that lacks one of the features is in none.
type Slice map[string][]string

// Options configure the statistics. A nil *Options, and a field that is zero, mean the defaults. docs/tfdv.md has the corresponding
// names in the StatsOptions of TensorFlow Data Validation.
type Options struct {
	// Message is the message type of the records: example.TypeExample (the default), TypeSequence or TypeExampleList.
	Message example.MessageType `json:"message,omitempty"`

	// Schema specifies which numbers are categories, which bytes are images, and which features form sparse and weighted
	// features.
	Schema *metadatapb.Schema `json:"-"`

	// Features selects features by name. Patterns such as "image/*" and exclusions such as "-image/encoded" are allowed; empty
	// selects all. The values of other features are not decoded, except for weights and for features of slices and of sparse and
	// weighted features.
	Features []string       `json:"features,omitempty"`
	listed   *namelist.List // parsed Features

	// Weight names the feature that contains the weight of a record. WeightOf maps the name of a feature to the name of the
	// feature that contains its weight, if that is not Weight.
	Weight   string            `json:"weight,omitempty"`
	WeightOf map[string]string `json:"weight_of,omitempty"`

	Slices []Slice `json:"slices,omitempty"`

	// MaxSlices is the maximum number of slices of each Slice. If a Slice produces more, all its slices are left out, and LostSlices
	// returns it. Its records count in all other statistics. The default is 1000.
	MaxSlices int `json:"max_slices,omitempty"`

	TopValues     int     `json:"top_values,omitempty"`     // number of most frequent values to list; default 20
	RankedValues  int     `json:"ranked_values,omitempty"`  // number of buckets in rank histograms; default 1000
	MinCount      float64 `json:"min_count,omitempty"`      // minimum count of a value in both lists; default 1
	MinWeight     float64 `json:"min_weight,omitempty"`     // minimum weight of a value in weighted lists; default 0
	Buckets       int     `json:"buckets,omitempty"`        // number of buckets of equal width; default 10
	Quantiles     int     `json:"quantiles,omitempty"`      // number of buckets of equal weight; default 100
	LengthBuckets int     `json:"length_buckets,omitempty"` // number of buckets for numbers of values; default 10

	// SampleRate is the share of records in the sample; the default is 1, all records. A hash of its bytes decides whether a record
	// is in the sample, so that the sample does not depend on the order of the records or on how they are split. Equal records
	// are all in the sample, or all outside. Records outside the sample are not decoded, even if they are damaged. Skipped counts
	// them; Examples and Bad do not.
	SampleRate float64 `json:"sample_rate,omitempty"`

	// DetectDomains detects images, text and times.
	DetectDomains bool `json:"detect_domains,omitempty"`

	// Vocabularies has the tokens of each vocabulary that a natural_language_domain of the Schema names. The number of a token is its
	// index. Without a vocabulary, numbers have no text, and any text is a token. An encoded Accumulator contains the vocabularies.
	Vocabularies map[string][]string `json:"vocabularies,omitempty"`

	// MaxFeatures is the maximum number of features, counted once for all records and once more for each slice that contains them. It
	// limits memory: see the package comment. Above it the run ends with ErrFeatures, since so many names are most likely data.
	// The default is 100000.
	MaxFeatures int `json:"max_features,omitempty"`
}

// minLabels returns how many of the most frequent labels have counters in any case.
func (o *Options) minLabels() int { return min(o.TopValues, 1000) }

const maxBuckets = 10000

// DefaultMaxFeatures is the default of Options.MaxFeatures.
const DefaultMaxFeatures = 100_000

// resolve returns a copy with defaults filled in. The error is ErrOptions.
func (o *Options) resolve() (*Options, error) {
	var r Options
	if o != nil {
		r = *o
		r.WeightOf = maps.Clone(o.WeightOf)
		r.Features = slices.Clone(o.Features)
		r.Vocabularies = cloneVocabularies(o.Vocabularies)
		r.Slices = slices.Clone(o.Slices)
	}
	for _, d := range []struct {
		name      string
		v         *int
		otherwise int
		least     int
		most      int
	}{
		{"top_values", &r.TopValues, 20, 1, 1 << 30},
		{"ranked_values", &r.RankedValues, 1000, 1, 1 << 30},
		{"length_buckets", &r.LengthBuckets, 10, 2, maxBuckets},
		{"buckets", &r.Buckets, 10, 1, maxBuckets},
		{"quantiles", &r.Quantiles, DefaultQuantiles, 1, maxBuckets},
		{"max_slices", &r.MaxSlices, 1000, 1, 1 << 30},
		{"max_features", &r.MaxFeatures, DefaultMaxFeatures, 1, 1 << 30},
	} {
		if *d.v == 0 {
			*d.v = d.otherwise
		}
		if *d.v < d.least || *d.v > d.most {
			return nil, fmt.Errorf("%w: %s is %d, wanted %d to %d", ErrOptions, d.name, *d.v, d.least, d.most)
		}
	}
	if r.MinCount == 0 {
		r.MinCount = 1
	}
	if r.SampleRate == 0 {
		r.SampleRate = 1
	}
	if !(r.SampleRate > 0 && r.SampleRate <= 1) {
		return nil, fmt.Errorf("%w: sample_rate is %v, wanted above 0 and at most 1", ErrOptions, r.SampleRate)
	}
	switch r.Message {
	case example.TypeAuto:
		r.Message = example.TypeExample
	case example.TypeExample, example.TypeSequence, example.TypeExampleList:
	default:
		return nil, fmt.Errorf("%w: unsupported message type %s", ErrOptions, r.Message)
	}
	var err error
	if r.listed, err = namelist.Parse(r.Features); err != nil {
		return nil, fmt.Errorf("%w: features: %w", ErrOptions, err)
	}
	for _, s := range r.Slices {
		if len(s) == 0 {
			return nil, fmt.Errorf("%w: a slice without features", ErrOptions)
		}
	}
	return &r, nil
}

// encodedOptions is the JSON form of options in an encoded Accumulator.
type encodedOptions struct {
	*Options
	SchemaBytes []byte `json:"schema,omitempty"`
}

// encode encodes resolved options. Equal options have equal encodings.
func (o *Options) encode() ([]byte, error) {
	e := encodedOptions{Options: o}
	if o.Schema != nil {
		var err error
		if e.SchemaBytes, err = (proto.MarshalOptions{Deterministic: true}).Marshal(o.Schema); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return json.Marshal(e)
}

// decodeOptions decodes and resolves options.
func decodeOptions(b []byte) (*Options, error) {
	e := encodedOptions{Options: &Options{}}
	if err := json.Unmarshal(b, &e); err != nil {
		return nil, err
	}
	if e.SchemaBytes != nil {
		e.Schema = &metadatapb.Schema{}
		if err := proto.Unmarshal(e.SchemaBytes, e.Schema); err != nil {
			return nil, err
		}
	}
	return e.Options.resolve()
}

// DefaultQuantiles is the default of Options.Quantiles. TensorFlow Data Validation's 10 leaves an uncertainty of up to
// 0.2 in the Kolmogorov-Smirnov distance, and saves one or two kilobytes per feature.
const DefaultQuantiles = 100

// SlicesOf returns the slices of a SlicingConfig. The error is ErrOptions for slice_keys_sql, which is not supported.
func SlicesOf(c *slicingpb.SlicingConfig) (all []Slice, err error) {
	for _, spec := range c.GetSlicingSpecs() {
		if spec.SliceKeysSql != "" {
			return nil, fmt.Errorf("%w: slice_keys_sql is not supported", ErrOptions)
		}
		s := Slice{}
		for _, name := range spec.GetFeatureKeys() {
			s[name] = nil
		}
		for _, v := range spec.GetFeatureValues() {
			s[v.GetKey()] = append(s[v.GetKey()], v.GetValue())
		}
		if len(s) > 0 { // a spec without features means all records
			all = append(all, s)
		}
	}
	return all, nil
}

// An OptionError means that two accumulators differ in an option; it wraps [ErrOptions]. If they differ in several options, it names
// the option that is first in alphabetical order.
type OptionError struct {
	Option string // name in JSON: "top_values"
	// Have and Got are the values in JSON: Have is that of the receiver of Merge, Got that of its argument. An option that is
	// not set is "". Both are "" for "schema".
	Have, Got string
}

// Error returns a message with the option and, unless they are empty, both values.
func (e *OptionError) Error() string {
	if e.Have == "" && e.Got == "" {
		return fmt.Sprintf("%v: the accumulators have a different %s", ErrOptions, e.Option)
	}
	text := func(v string) string {
		if v == "" {
			return "not set"
		}
		return v
	}
	return fmt.Sprintf("%v: the accumulators have a different %s: %s and %s", ErrOptions, e.Option, text(e.Have), text(e.Got))
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// differingOption returns the OptionError of two accumulators, from their encoded options.
func differingOption(have, got []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(have, &a) != nil || json.Unmarshal(got, &b) != nil {
		return ErrOptions // not an output of encode
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if string(a[name]) == string(b[name]) {
			continue
		}
		if name == "schema" {
			return &OptionError{Option: name}
		}
		return &OptionError{Option: name, Have: string(a[name]), Got: string(b[name])}
	}
	return ErrOptions
}
