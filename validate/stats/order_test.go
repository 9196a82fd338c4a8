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
