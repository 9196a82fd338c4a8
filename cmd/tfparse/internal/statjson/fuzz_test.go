package statjson_test

import (
	"bytes"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// FuzzUnmarshal reads arbitrary bytes. What is read can be written; that is read as the same.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{
		`{"datasets": [{"name": "a", "num_examples": "3", "features": [{"path": {"step": ["x"]}, "num_stats": {"min": -9223372036854775807, "max": 1e300, "mean": "NaN"}}]}]}`,
		`{"outside_slices": "3", "datasets": [{"features": [{"type": "STRING", "string_stats": {"top_values": [{"value": "\\xff", "frequency": 2}]}}]}]}`,
		`{"datasets": [{"features": [{"customStats": [{"rank_histogram": {"buckets": [{"label": "a"}]}}]}]}]}`,
		`{"datasets": [{"features": [{"custom_stats": [{"any": {"@type": "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics", "rankHistogram": {"buckets": [{"label": "a"}]}}}]}]}]}`,
		`{"datasets": [{"features": [{"custom_stats": [{"any": {"@type": "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics", "min_sequence_length": "1"}}]}]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		first, second := &pb.DatasetFeatureStatisticsList{}, &pb.DatasetFeatureStatisticsList{}
		details, err := statjson.Unmarshal(b, first)
		if err != nil {
			return
		}
		full, err := statjson.Append(nil, first, details)
		if err != nil {
			t.Fatalf("what was read is not written in full: %v", err)
		}
		again := &pb.DatasetFeatureStatisticsList{}
		if details, err = statjson.Unmarshal(full, again); err != nil {
			t.Fatalf("%v: %s", err, full)
		}
		if twice, err := statjson.Append(nil, again, details); err != nil || !bytes.Equal(twice, full) {
			t.Fatalf("%v: %s\nin full is read as\n%s", err, full, twice)
		}
		written, err := statjson.Append(nil, first, nil)
		if err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		if _, err := statjson.Unmarshal(written, second); err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if again, err := statjson.Append(nil, second, nil); err != nil || !bytes.Equal(again, written) {
			t.Fatalf("%v: %s\nis read as\n%s", err, written, again)
		}
	})
}
