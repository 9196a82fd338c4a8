package statjson_test

import (
	"bytes"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// FuzzUnmarshal reads arbitrary bytes. What is read can be written; that is read as the same,
// and has no flag left.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{
		`{"datasets": [{"name": "a", "num_examples": "3", "features": [{"path": {"step": ["x"]}, "num_stats": {"min": -9223372036854775807, "max": 1e300, "mean": "NaN"}}]}]}`,
		`{"datasets": [{"features": [{"type": "STRING", "string_stats": {"top_values": [{"value": "\\xff", "escaped": true, "frequency": 2}]}}]}]}`,
		`{"datasets": [{"features": [{"customStats": [{"rank_histogram": {"buckets": [{"escaped": true, "label": "a"}]}}]}]}]}`,
		`{"datasets": [{"features": [{"custom_stats": [{"any": {"@type": "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics", "min_sequence_length": "1"}}]}]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		first, second := &pb.DatasetFeatureStatisticsList{}, &pb.DatasetFeatureStatisticsList{}
		if statjson.Unmarshal(b, first) != nil {
			return
		}
		written, err := statjson.Append(nil, first, nil)
		if err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		if bytes.Contains(written, []byte(`"escaped":`)) {
			t.Fatalf("a flag is left: %s", written)
		}
		if err := statjson.Unmarshal(written, second); err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if again, err := statjson.Append(nil, second, nil); err != nil || !bytes.Equal(again, written) {
			t.Fatalf("%v: %s\nis read as\n%s", err, written, again)
		}
	})
}
