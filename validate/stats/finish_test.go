package stats_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestOrderOfEqualIntegers checks that categorical integers with equal counts are sorted as numbers, not as texts. It checks
// that there is no list if no label is frequent enough, as in TensorFlow Data Validation 1.16.1.
func TestOrderOfEqualIntegers(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte("feature { name: 'x' type: INT int_domain { is_categorical: true } }"), schema); err != nil {
		t.Fatal(err)
	}
	labels := func(list *metadatapb.DatasetFeatureStatisticsList) (all []string) {
		for _, b := range list.Datasets[0].Features[0].GetStringStats().GetRankHistogram().GetBuckets() {
			all = append(all, b.Label)
		}
		return all
	}
	if got := strings.Join(labels(describe(t, stats.Options{Schema: schema}, ints(3, 10, -10, -4, 133, 1, 1))), " "); got != "1 133 10 3 -4 -10" {
		t.Errorf("%s", got)
	}
	list := describe(t, stats.Options{MinCount: 2}, record(example.Example{"x": example.Strings("a")}))
	if s := list.Datasets[0].Features[0].GetStringStats(); s.RankHistogram != nil || s.Unique != 1 {
		t.Errorf("%v", s)
	}
}

// TestPairOfAFeaturesName checks that a weighted feature with the name of a feature shares its entry: readers of
// statistics expect one entry for a path.
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
