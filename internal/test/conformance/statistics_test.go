package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/proto/slicingpb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// recordTypes are the messages by their names in the vectors.
var recordTypes = map[string]example.MessageType{"example": example.TypeExample, "sequence_example": example.TypeSequence}

// generateStatistics compares two ways to the same statistics with those that the case expects: record by record, and with
// the accumulator written and read in the middle and at the end. Where package stats answers otherwise, a rule of
// statistics_rules_test.go says so.
func generateStatistics(c *testkit.Case) error {
	o, err := statsOptions(c)
	if err != nil {
		return err
	}
	files, err := inputRecords(c)
	if err != nil {
		return err
	}
	got, bad, err := accumulate(&o.Options, files, false)
	if err != nil {
		return fmt.Errorf("unexpected error: %w", err)
	}
	if err := expectStatistics(c, o, got, bad, files); err != nil {
		return err
	}
	again, _, err := accumulate(&o.Options, files, true)
	if err != nil {
		return err
	}
	if d := diff(got, again); d != "" {
		return fmt.Errorf("not the same after it was written and read: %s", d)
	}
	return nil
}

// accumulate makes statistics: an accumulator for each file, merged in order. bad is the error of the first record that was
// refused.
func accumulate(o *stats.Options, files [][][]byte, written bool) (list *metadatapb.DatasetFeatureStatisticsList, bad, err error) {
	all, err := stats.New(o)
	if err != nil {
		return nil, nil, err
	}
	for i, records := range files {
		acc := all.Fresh()
		for _, r := range records {
			if err := acc.Add(r); bad == nil {
				bad = err
			}
		}
		if written {
			b, err := acc.MarshalBinary()
			if err != nil {
				return nil, nil, err
			}
			acc = &stats.Accumulator{}
			if err := acc.UnmarshalBinary(b); err != nil {
				return nil, nil, err
			}
			if b2, err := acc.MarshalBinary(); err != nil || string(b) != string(b2) {
				return nil, nil, fmt.Errorf("file %d: read and written again it is another: %v", i, err)
			}
		}
		if err := all.Merge(acc); err != nil {
			return nil, nil, err
		}
	}
	list, err = all.Statistics()
	return list, bad, err
}

// statisticsOptions are the options of a case.
type statisticsOptions struct {
	stats.Options
	sketch bool // its labels are counted by sketches
}

// statsOptions reads the options of generate_statistics, which have the names of docs/tfdv.md.
func statsOptions(c *testkit.Case) (*statisticsOptions, error) {
	var o struct {
		Features      []string            `json:"feature_allowlist"`
		Weight        string              `json:"weight_feature"`
		WeightOf      map[string]string   `json:"per_feature_weight_override"`
		Schema        string              `json:"schema"`
		Slices        []map[string]*[]any `json:"slices"`
		Slicing       string              `json:"slicing_config"`
		TopValues     int                 `json:"num_top_values"`
		RankedValues  int                 `json:"num_rank_histogram_buckets"`
		MinCount      float64             `json:"frequency_threshold"`
		MinWeight     float64             `json:"weighted_frequency_threshold"`
		Buckets       int                 `json:"num_histogram_buckets"`
		Quantiles     int                 `json:"num_quantiles_histogram_buckets"`
		LengthBuckets int                 `json:"num_values_histogram_buckets"`
		DetectDomains bool                `json:"enable_semantic_domain_stats"`
		Vocabularies  map[string][]string `json:"vocabularies"`
		Sketch        bool                `json:"use_sketch_based_topk_uniques"`
		BatchSize     int                 `json:"desired_batch_size"`     // has no effect
		NoHistograms  []string            `json:"no_histograms_for"`      // nor has this
		Epsilon       float64             `json:"epsilon"`                // nor this: the sketch has one size
		InferTypes    bool                `json:"infer_type_from_schema"` // is for CSV
	}
	if err := c.Decode("options", &o); err != nil {
		return nil, err
	}
	out := &statisticsOptions{sketch: o.Sketch, Options: stats.Options{
		Features: o.Features, Weight: o.Weight, WeightOf: o.WeightOf, TopValues: o.TopValues, RankedValues: o.RankedValues,
		MinCount: o.MinCount, MinWeight: o.MinWeight, Buckets: o.Buckets, Quantiles: o.Quantiles, LengthBuckets: o.LengthBuckets,
		DetectDomains: o.DetectDomains, Vocabularies: o.Vocabularies,
	}}
	if out.Quantiles == 0 {
		out.Quantiles = 10 // row 31
	}
	if c.Has("record_type") {
		var name string
		if err := c.Decode("record_type", &name); err != nil {
			return nil, err
		}
		var ok bool
		if out.Message, ok = recordTypes[name]; !ok {
			return nil, testkit.Fault(fmt.Errorf("record type %q", name))
		}
	}
	if o.Schema != "" {
		out.Schema = &metadatapb.Schema{}
		if err := pbtext.Unmarshal([]byte(o.Schema), out.Schema); err != nil {
			return nil, testkit.Fault(err)
		}
	}
	for _, features := range o.Slices {
		s := stats.Slice{}
		for name, values := range features {
			s[name] = nil
			if values != nil {
				s[name] = []string{}
				for _, v := range *values {
					s[name] = append(s[name], fmt.Sprint(v))
				}
			}
		}
		out.Slices = append(out.Slices, s)
	}
	if o.Slicing != "" {
		config := &slicingpb.SlicingConfig{}
		if err := pbtext.Unmarshal([]byte(o.Slicing), config); err != nil {
			return nil, testkit.Fault(err)
		}
		more, err := stats.SlicesOf(config)
		if err != nil {
			return nil, err
		}
		out.Slices = append(out.Slices, more...)
	}
	return out, nil
}

// inputRecords returns the records of the input of a case, file by file.
func inputRecords(c *testkit.Case) ([][][]byte, error) {
	var in struct {
		Records *[][]byte `json:"records"`
		Files   []string  `json:"files"`
	}
	if err := c.Decode("input", &in); err != nil {
		return nil, err
	}
	if in.Records != nil {
		return [][][]byte{*in.Records}, nil
	}
	var out [][][]byte
	for _, name := range in.Files {
		path, err := c.Path(name)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, testkit.Fault(err)
		}
		r := tfrecord.NewReader(f, &tfrecord.ReaderOptions{Name: name})
		var records [][]byte
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, testkit.Fault(errors.Join(err, f.Close()))
			}
			records = append(records, bytes.Clone(rec))
		}
		if err := f.Close(); err != nil {
			return nil, testkit.Fault(err)
		}
		out = append(out, records)
	}
	if len(out) == 0 {
		return nil, testkit.Unknown("the input")
	}
	return out, nil
}

// wantedStatistics returns the statistics that a case expects, nil if TensorFlow Data Validation fails.
func wantedStatistics(c *testkit.Case) (*metadatapb.DatasetFeatureStatisticsList, error) {
	if c.Want().Fail {
		return nil, nil
	}
	text, err := expectedText(c, "statistics")
	if err != nil {
		return nil, err
	}
	want := &metadatapb.DatasetFeatureStatisticsList{}
	return want, testkit.Fault(pbtext.Unmarshal(text, want))
}

// diff says where messages differ. It asks proto.Equal first, which has the same
// answer, in a tenth of the time that cmp takes.
func diff(want, got proto.Message) string {
	if proto.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateNaNs())
}

// sortDatasets gives slices an order: theirs does not count.
func sortDatasets(list *metadatapb.DatasetFeatureStatisticsList) {
	slices.SortFunc(list.Datasets, func(a, b *metadatapb.DatasetFeatureStatistics) int { return strings.Compare(a.Name, b.Name) })
}

// shorten cuts a long text.
func shorten(s string) string {
	const most = 6000
	if len(s) > most {
		return s[:most] + "\n… and " + strconv.Itoa(len(s)-most) + " bytes more"
	}
	return s
}
