package schema_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/schema"
)

// TestRareFeatures checks that a feature is required if fewer than one in a million samples of the same data lack
// it, and optional otherwise. The expected probability is computed with fractions.
func TestRareFeatures(t *testing.T) {
	million := big.NewRat(1, 1_000_000)
	kept, dropped := 0, 0
	for _, examples := range []uint64{1, 2, 7, 12, 20, 100, 1000} {
		for _, n := range []uint64{1, 2, 5, 7, 11, 12, 13, 14, 15, 19, 20, 50, 99, 999} {
			if n > examples {
				continue
			}
			none := big.NewRat(1, 1)
			for range examples {
				none.Mul(none, big.NewRat(int64(examples-n), int64(examples)))
			}
			want := int64(1)
			if none.Cmp(million) >= 0 {
				want = 0
				dropped++
			} else {
				kept++
			}
			data := numbersOf(examples, examples-n, pb.FeatureNameStatistics_INT, 3, 9)
			slack := 0.0
			for name, c := range map[string]struct {
				o    schema.Options
				want int64
			}{"native": {schema.Options{}, want}, "compatible": {schema.Options{Compat: true}, 1}, "with slack": {schema.Options{MinFractionSlack: &slack}, 1}} {
				var why string
				c.o.Explain = func(d schema.Decision) {
					if d.About == "presence" {
						why = d.Chosen + ": " + d.Why
					}
				}
				s, err := schema.Infer(data, &c.o)
				if err != nil {
					t.Fatal(err)
				}
				if got := s.GetFeature()[0].GetPresence().GetMinCount(); got != c.want {
					t.Errorf("%s: %d of %d: min_count %d, wanted %d", name, n, examples, got, c.want)
				}
				if rare := strings.Contains(why, "another sample lacks it with probability"); rare != (c.want == 0) {
					t.Errorf("%s: %d of %d: the reason is %q", name, n, examples, why)
				}
			}
		}
	}
	if kept < 20 || dropped < 20 {
		t.Fatalf("%d features are required and %d are not: the test proves little", kept, dropped)
	}
}

// TestRareInStructs checks features whose structs may all be in one record.
func TestRareInStructs(t *testing.T) {
	for most, want := range map[uint64]int64{1: 1, 20: 0} {
		list := readStatistics(t, fmt.Sprintf(`datasets { num_examples: 1000
			features { path { step: "s" } type: STRUCT struct_stats { common_stats { num_non_missing: 1000 min_num_values: 1 max_num_values: %d tot_num_values: 1000 } } }
			features { path { step: "s" step: "x" } num_stats { common_stats { num_non_missing: 20 num_missing: 980 min_num_values: 1 max_num_values: 1 tot_num_values: 20 } min: 3 max: 9 } } }`, most))
		s, err := schema.Infer(list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.GetFeature()[0].GetStructDomain().GetFeature()[0].GetPresence().GetMinCount(); got != want {
			t.Errorf("up to %d structs in a record: min_count %d, wanted %d", most, got, want)
		}
	}
}

func readStatistics(t testing.TB, text string) *pb.DatasetFeatureStatisticsList {
	t.Helper()
	list := &pb.DatasetFeatureStatisticsList{}
	if err := pbtext.Unmarshal([]byte(text), list); err != nil {
		t.Fatal(err)
	}
	return list
}
