package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/proto/slicingpb"
)

// What can be wrong besides what a record itself has wrong.
var (
	// ErrWeight: a record without exactly one weight.
	ErrWeight = errors.New("stats: a weight is not exactly one number")
	// ErrKind: a feature with values of two types; with Options.TFDV, and where
	// one feature list has both.
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
	// ErrRecord: with Options.TFDV, a record that its decoder refuses.
	ErrRecord = errors.New("stats: not an Example")
)

// A Slice describes the records by the values of some features: for each
// combination of their values one slice, called by names and values joined with
// "_". A feature that stands for nil may have any value. A record is in as many
// slices as it has combinations, and in none if it lacks one of the features.
type Slice map[string][]string

// Options say what is computed; those that TensorFlow Data Validation has in
// StatsOptions carry its names. Its label_feature is not among them: what it computes fails
// there with the version of Beam that it is installed with. A nil *Options, and any field that is zero, is
// its default.
type Options struct {
	// Message is what the records are: example.TypeExample (the default), TypeSequence or
	// TypeExampleList.
	Message example.MessageType `json:"record_type,omitempty"`

	// Schema says which numbers are categories and which bytes are images, and
	// which features make up sparse and weighted features.
	Schema *metadatapb.Schema `json:"-"`

	WeightFeature            string            `json:"weight_feature,omitempty"`
	PerFeatureWeightOverride map[string]string `json:"per_feature_weight_override,omitempty"`

	// FeatureAllowlist, if it is not empty, names the features that are described.
	FeatureAllowlist []string `json:"feature_allowlist,omitempty"`

	Slices        []Slice                  `json:"slices,omitempty"`
	SlicingConfig *slicingpb.SlicingConfig `json:"-"`

	NumTopValues                 int     `json:"num_top_values,omitempty"`                  // 20
	FrequencyThreshold           float64 `json:"frequency_threshold,omitempty"`             // 1
	WeightedFrequencyThreshold   float64 `json:"weighted_frequency_threshold,omitempty"`    // 0; 1 with TFDV
	NumRankHistogramBuckets      int     `json:"num_rank_histogram_buckets,omitempty"`      // 1000
	NumValuesHistogramBuckets    int     `json:"num_values_histogram_buckets,omitempty"`    // 10
	NumHistogramBuckets          int     `json:"num_histogram_buckets,omitempty"`           // 10
	NumQuantilesHistogramBuckets int     `json:"num_quantiles_histogram_buckets,omitempty"` // 100; 10 with TFDV

	// SampleRate is which part of the records is described, from 0 to 1, which is all of
	// them; 1. A hash of its bytes decides about each record, so that the same records
	// are in the sample whatever their order and however they are split; of equal ones
	// all are, or none. With TFDV it decides about whole batches, by their first record. What is not in the sample is not looked at, even if it is
	// damaged: Examples and Bad count the rest, and Skipped counts it.
	SampleRate float64 `json:"sample_rate,omitempty"`

	// EnableSemanticDomainStats looks for images, text and times.
	EnableSemanticDomainStats bool `json:"enable_semantic_domain_stats,omitempty"`

	// SemanticDomainStatsSampleRate is in which part of the records, of those that are
	// described, it looks for them, from 0 to 1; 1. A hash decides, as for SampleRate.
	SemanticDomainStatsSampleRate float64 `json:"semantic_domain_stats_sample_rate,omitempty"`

	// Vocabularies are the tokens of vocabularies by name, in the order of their numbers,
	// which begin with 0: those that a natural_language_domain of the Schema names.
	// TensorFlow Data Validation has files of them, vocab_paths. Without one there is
	// nothing that a number could stand for, and any text is a token of it. They are part
	// of the state of an Accumulator.
	Vocabularies map[string][]string `json:"vocabularies,omitempty"`

	// TFDV gives what TensorFlow Data Validation 1.16.1 gives.
	TFDV bool `json:"tfdv,omitempty"`

	// UseSketchBasedTopKUniques has an effect with TFDV only: labels are
	// replaced as its sketches replace them. They are counted exactly all the
	// same.
	UseSketchBasedTopKUniques bool `json:"use_sketch_based_topk_uniques,omitempty"`

	// MaxSlices is how many slices of each Slice are described. One that makes more is left out, all of
	// its slices: their records count in all other statistics, and LostSlices has it. It has no
	// effect with TFDV. 1000
	MaxSlices int `json:"max_slices,omitempty"`

	// DesiredBatchSize has an effect with TFDV only, where the order of the
	// features, the names of slices and samples depend on batches. 1000
	DesiredBatchSize int `json:"desired_batch_size,omitempty"`

	// MaxFeatures is how many features there may be, counted in all records and once more in each slice that has them. It
	// bounds memory, see the package comment. Beyond it the run ends with ErrFeatures: names look like data. 100000
	MaxFeatures int `json:"max_features,omitempty"`
}

// shown is how many of the most frequent labels are counted in any case.
func (o *Options) shown() int { return min(o.NumTopValues, 1000) }

const maxBuckets = 10000

// DefaultMaxFeatures is that of Options.MaxFeatures.
const DefaultMaxFeatures = 100_000

// resolve returns a copy with defaults filled in.
func (o *Options) resolve() (*Options, error) {
	var r Options
	if o != nil {
		r = *o
		r.PerFeatureWeightOverride = maps.Clone(o.PerFeatureWeightOverride)
		r.FeatureAllowlist = slices.Clone(o.FeatureAllowlist)
		r.Vocabularies = cloneVocabularies(o.Vocabularies)
		r.Slices = slices.Clone(o.Slices)
		if o.SlicingConfig != nil {
			r.SlicingConfig = proto.CloneOf(o.SlicingConfig)
		}
	}
	for _, d := range []struct {
		name      string
		v         *int
		otherwise int
		least     int
		most      int
	}{
		{"num_top_values", &r.NumTopValues, 20, 1, 1 << 30},
		{"num_rank_histogram_buckets", &r.NumRankHistogramBuckets, 1000, 1, 1 << 30},
		{"num_values_histogram_buckets", &r.NumValuesHistogramBuckets, 10, 2, maxBuckets},
		{"num_histogram_buckets", &r.NumHistogramBuckets, 10, 1, maxBuckets},
		{"num_quantiles_histogram_buckets", &r.NumQuantilesHistogramBuckets, r.quantiles(), 1, maxBuckets},
		{"desired_batch_size", &r.DesiredBatchSize, 1000, 1, 1 << 30},
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
	if r.FrequencyThreshold == 0 {
		r.FrequencyThreshold = 1
	}
	if r.WeightedFrequencyThreshold == 0 && r.TFDV {
		r.WeightedFrequencyThreshold = 1
	}
	for _, rate := range []struct {
		name string
		v    *float64
	}{{"sample_rate", &r.SampleRate}, {"semantic_domain_stats_sample_rate", &r.SemanticDomainStatsSampleRate}} {
		if *rate.v == 0 {
			*rate.v = 1
		}
		if !(*rate.v > 0 && *rate.v <= 1) {
			return nil, fmt.Errorf("%w: %s is %v, wanted above 0 and at most 1", ErrOptions, rate.name, *rate.v)
		}
	}
	switch r.Message {
	case example.TypeAuto:
		r.Message = example.TypeExample
	case example.TypeExample, example.TypeSequence, example.TypeExampleList:
	default:
		return nil, fmt.Errorf("%w: there are no statistics of records of type %s", ErrOptions, r.Message)
	}
	for _, s := range r.Slices {
		if len(s) == 0 {
			return nil, fmt.Errorf("%w: a slice without features", ErrOptions)
		}
	}
	for _, s := range r.SlicingConfig.GetSlicingSpecs() {
		if s.SliceKeysSql != "" {
			return nil, fmt.Errorf("%w: slice_keys_sql is not supported", ErrOptions)
		}
	}
	if r.TFDV && !r.UseSketchBasedTopKUniques {
		for _, f := range r.Schema.GetFeature() {
			if f.GetFloatDomain().GetIsCategorical() {
				return nil, fmt.Errorf("%w: float feature %q is categorical, which needs use_sketch_based_topk_uniques", ErrOptions, f.GetName())
			}
		}
	}
	return &r, nil
}

// fixed are options in the form of a state.
type fixed struct {
	*Options
	SchemaBytes  []byte `json:"schema,omitempty"`
	SlicingBytes []byte `json:"slicing_config,omitempty"`
}

// weighsBatches reports whether labels of features without weights are weighed all the same: in how many batches they are,
// as TensorFlow Data Validation does where others have weights (top_k_uniques_stats_generator.py).
func (o *Options) weighsBatches() bool {
	return o.TFDV && !o.UseSketchBasedTopKUniques && (o.WeightFeature != "" || len(o.PerFeatureWeightOverride) > 0)
}

// encode writes resolved options: equal ones as equal bytes.
func (o *Options) encode() ([]byte, error) {
	f := fixed{Options: o}
	var err error
	deterministic := proto.MarshalOptions{Deterministic: true}
	if o.Schema != nil {
		if f.SchemaBytes, err = deterministic.Marshal(o.Schema); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if o.SlicingConfig != nil {
		if f.SlicingBytes, err = deterministic.Marshal(o.SlicingConfig); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return json.Marshal(f)
}

func decodeOptions(b []byte) (*Options, error) {
	f := fixed{Options: &Options{}}
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	if f.SchemaBytes != nil {
		f.Schema = &metadatapb.Schema{}
		if err := proto.Unmarshal(f.SchemaBytes, f.Schema); err != nil {
			return nil, err
		}
	}
	if f.SlicingBytes != nil {
		f.SlicingConfig = &slicingpb.SlicingConfig{}
		if err := proto.Unmarshal(f.SlicingBytes, f.SlicingConfig); err != nil {
			return nil, err
		}
	}
	return f.Options.resolve()
}

// DefaultQuantiles is that of Options.NumQuantilesHistogramBuckets: TensorFlow Data Validation's 10 would leave the distance
// between two sets of statistics open, by up to 0.2 of Kolmogorov and Smirnov's, for a kilobyte or two less of each feature.
const DefaultQuantiles = 100

func (o *Options) quantiles() int {
	if o.TFDV {
		return 10
	}
	return DefaultQuantiles
}
