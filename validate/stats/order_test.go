package stats_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// Integers that are categories and as frequent stand in the order of numbers, not of
// texts; where no label is frequent enough there is no list, as TensorFlow Data
// Validation 1.16.1 has it.
func TestOrderOfEqualIntegers(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte("feature { name: 'x' type: INT int_domain { is_categorical: true } }"), schema); err != nil {
		t.Fatal(err)
	}
	o := stats.Options{Schema: schema}
	for _, sketches := range []bool{false, true} {
		o.UseSketchBasedTopKUniques = sketches
		native, tfdv := both(t, o, ints(3, 10, -10, -4, 133, 1, 1))
		for list, want := range map[*metadatapb.DatasetFeatureStatisticsList]string{native: "1 133 10 3 -4 -10", tfdv: "1 133 10 3 -4 -10"} {
			if sketches && list == tfdv {
				want = "1 3 133 10 -4 -10" // sketches know texts only
			}
			var all []string
			for _, b := range list.Datasets[0].Features[0].GetStringStats().GetRankHistogram().GetBuckets() {
				all = append(all, b.Label)
			}
			if got := strings.Join(all, " "); got != want {
				t.Errorf("sketches %t: %s, wanted %s", sketches, got, want)
			}
		}
	}
	native, tfdv := both(t, stats.Options{FrequencyThreshold: 2}, record(example.Example{"x": example.Strings("a")}))
	for _, list := range []*metadatapb.DatasetFeatureStatisticsList{native, tfdv} {
		if s := list.Datasets[0].Features[0].GetStringStats(); s.RankHistogram != nil || s.Unique != 1 {
			t.Errorf("%v", s)
		}
	}
}
