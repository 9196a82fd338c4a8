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

// What can be wrong besides what a record itself has wrong.
var (
	// ErrWeight: a record without exactly one weight.
	ErrWeight = errors.New("stats: a weight is not exactly one number")
	// ErrKind: a feature list with values of two types.
	ErrKind = errors.New("stats: a feature has values of two types")
	// ErrFeatures: records have more features than Options.MaxFeatures, which ends the run.
	ErrFeatures = errors.New("stats: too many features")
	// ErrSlices: a record that is in more than a thousand slices of one Slice.
	ErrSlices = errors.New("stats: too many slices")
	// ErrOptions: options that contradict themselves, or accumulators of
	// different options.
	ErrOptions = errors.New("stats: options")
	// ErrState: bytes that MarshalBinary has not written.
	ErrState = errors.New("stats: not an accumulator")
)

// A Slice describes the records by the values of some features: for each
// combination of their values one slice, called by names and values joined with
// "_". A feature that stands for nil may have any value. A record is in as many
// slices as it has combinations, and in none if it lacks one of the features.
type Slice map[string][]string

// Options say what is computed. A nil *Options, and any field that is zero, is its default. docs/tfdv.md has the names
// that they have in the StatsOptions of TensorFlow Data Validation.
type Options struct {
	// Message is what the records are: example.TypeExample (the default), TypeSequence or
	// TypeExampleList.
	Message example.MessageType `json:"message,omitempty"`

	// Schema says which numbers are categories and which bytes are images, and
	// which features make up sparse and weighted features.
	Schema *metadatapb.Schema `json:"-"`

	// Features, if it is not empty, names the features that are described, as "image/*" and "-image/encoded", which is left out.
	// Others may hold anything, but for weights, and features that make slices or are parts of sparse and weighted features.
	Features []string       `json:"features,omitempty"`
	listed   *namelist.List // Features

	// Weight names the feature that has the weight of the record. WeightOf names that of single features by their names.
	Weight   string            `json:"weight,omitempty"`
	WeightOf map[string]string `json:"weight_of,omitempty"`

	Slices []Slice `json:"slices,omitempty"`

	// MaxSlices is how many slices of each Slice are described. One that makes more is left out, all of
	// its slices: their records count in all other statistics, and LostSlices has it. 1000
	MaxSlices int `json:"max_slices,omitempty"`

	TopValues     int     `json:"top_values,omitempty"`     // most frequent values that are listed; 20
	RankedValues  int     `json:"ranked_values,omitempty"`  // buckets of rank histograms; 1000
	MinCount      float64 `json:"min_count,omitempty"`      // of a value in these lists; 1
	MinWeight     float64 `json:"min_weight,omitempty"`     // of a value in weighted lists; 0
	Buckets       int     `json:"buckets,omitempty"`        // of histograms of equal width; 10
	Quantiles     int     `json:"quantiles,omitempty"`      // buckets of histograms of equal weight; 100
	LengthBuckets int     `json:"length_buckets,omitempty"` // buckets of histograms of numbers of values; 10

	// SampleRate is which part of the records is described, from 0 to 1, which is all of
	// them; 1. A hash of its bytes decides about each record, so that the same records
	// are in the sample whatever their order and however they are split; of equal ones
	// all are, or none. What is not in the sample is not looked at, even if it is
	// damaged: Examples and Bad count the rest, and Skipped counts it.
	SampleRate float64 `json:"sample_rate,omitempty"`

	// DetectDomains looks for images, text and times.
	DetectDomains bool `json:"detect_domains,omitempty"`

	// Vocabularies are the tokens of vocabularies by name, in the order of their numbers,
	// which begin with 0: those that a natural_language_domain of the Schema names.
	// Without one there is nothing that a number could stand for, and any text is a token of it. They are part
	// of the state of an Accumulator.
	Vocabularies map[string][]string `json:"vocabularies,omitempty"`

	// MaxFeatures is how many features there may be, counted in all records and once more in each slice that has them. It
	// bounds memory, see the package comment. Beyond it the run ends with ErrFeatures: names look like data. 100000
	MaxFeatures int `json:"max_features,omitempty"`
}

// shown is how many of the most frequent labels are counted in any case.
func (o *Options) shown() int { return min(o.TopValues, 1000) }

const maxBuckets = 10000

// DefaultMaxFeatures is that of Options.MaxFeatures.
const DefaultMaxFeatures = 100_000

// resolve returns a copy with defaults filled in.
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
		return nil, fmt.Errorf("%w: there are no statistics of records of type %s", ErrOptions, r.Message)
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

// encodedOptions are options in the form of a state.
type encodedOptions struct {
	*Options
	SchemaBytes []byte `json:"schema,omitempty"`
}

// encode writes resolved options: equal ones as equal bytes.
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

// DefaultQuantiles is that of Options.Quantiles: TensorFlow Data Validation's 10 would leave the distance
// between two sets of statistics open, by up to 0.2 of Kolmogorov and Smirnov's, for a kilobyte or two less of each feature.
const DefaultQuantiles = 100

// SlicesOf returns the slices that a SlicingConfig describes. The error is ErrOptions: slice_keys_sql is not supported.
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
		if len(s) > 0 { // one without features is all records
			all = append(all, s)
		}
	}
	return all, nil
}

// An OptionError says which option two accumulators have different values of; it is
// [ErrOptions]. Of several it is the first by name.
type OptionError struct {
	Option string // as it is called in JSON: "top_values"
	// Have is the value of the Accumulator that was to be added to, Got that of the
	// other, in JSON. One that is not set is "", and both are for the "schema", which is not shown.
	Have, Got string
}

// Error gives the option, and both values where they are known.
func (e *OptionError) Error() string {
	if e.Have == "" && e.Got == "" {
		return fmt.Sprintf("%v: the accumulators have a different %s", ErrOptions, e.Option)
	}
	shown := func(v string) string {
		if v == "" {
			return "not set"
		}
		return v
	}
	return fmt.Sprintf("%v: the accumulators have a different %s: %s and %s", ErrOptions, e.Option, shown(e.Have), shown(e.Got))
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// differing makes an OptionError of the options of two accumulators, as encode writes
// them.
func differing(have, got []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(have, &a) != nil || json.Unmarshal(got, &b) != nil {
		return ErrOptions // not what encode writes
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
