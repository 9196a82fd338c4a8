package stats_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A weighted feature of the name of a feature is described in the same entry: what reads statistics wants one for a path.
func TestPairOfAFeaturesName(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`weighted_feature { name: "a" feature { step: "v" } weight_feature { step: "w" } }`), schema); err != nil {
		t.Fatal(err)
	}
	rec := record(example.Example{"a": example.Int64s(7), "v": example.Int64s(1, 2), "w": example.Floats(1)})
	features := describe(t, stats.Options{Schema: schema}, rec).Datasets[0].Features
	if len(features) != 3 || features[0].GetNumStats().GetMean() != 7 || len(features[0].CustomStats) != 4 {
		t.Errorf("%v", features)
	}
}
