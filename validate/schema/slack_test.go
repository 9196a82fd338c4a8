package schema_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/schema"
)

// numbersOf returns statistics of one numeric feature.
func numbersOf(examples, missing uint64, t pb.FeatureNameStatistics_Type, least, most float64) *pb.DatasetFeatureStatisticsList {
	n := examples - missing
	common := &pb.CommonStatistics{NumNonMissing: n, NumMissing: missing, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: n}
	f := &pb.FeatureNameStatistics{FieldId: &pb.FeatureNameStatistics_Name{Name: "f"}, Type: t,
		Stats: &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{CommonStats: common, Min: least, Max: most}}}
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: examples, Features: []*pb.FeatureNameStatistics{f}}}}
}

// TestSlackFits checks that data fit the schema inferred from them with any slack and margin: an update changes nothing. A feature that
// is missing more often than the slack allows, or has values outside the margin, does not fit.
func TestSlackFits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range testkit.Rounds(2000) {
		examples := 1 + r.Uint64N(10_000)
		missing := r.Uint64N(examples)
		kind := []pb.FeatureNameStatistics_Type{pb.FeatureNameStatistics_INT, pb.FeatureNameStatistics_FLOAT}[r.IntN(2)]
		least := math.Trunc(r.NormFloat64() * math.Pow(10, float64(r.IntN(12))))
		most := least + math.Trunc(1e6*r.Float64())
		if kind == pb.FeatureNameStatistics_FLOAT {
			least, most = float64(float32(least/1000)), float64(float32(most/1000))
		}
		slack, margin := []float64{0, 0.001, 0.05, 1}[r.IntN(4)], []float64{0, 0.1, 2}[r.IntN(3)]
		name := fmt.Sprintf("missing %d of %d, %v to %v, slack %v, margin %v", missing, examples, least, most, slack, margin)
		data := numbersOf(examples, missing, kind, least, most)
		s, err := schema.Infer(data, &schema.Options{MinFractionSlack: &slack, RangeMargin: &margin})
		if err != nil {
			t.Fatal(err)
		}
		fits := func(data *pb.DatasetFeatureStatisticsList) bool {
			after, err := schema.Update(s, data, nil)
			if err != nil {
				t.Fatal(err)
			}
			return proto.Equal(s, after)
		}
		if !fits(data) {
			t.Fatalf("%s: the data do not fit %v", name, s)
		}
		share := float64(examples-missing) / float64(examples)
		if slack < share-0.01 && !(s.Feature[0].GetPresence().GetMinFraction() > share-slack-2e-6 && s.Feature[0].GetPresence().GetMinFraction() <= share-slack+1e-9) {
			t.Fatalf("%s: min_fraction is %v", name, s.Feature[0].GetPresence().GetMinFraction())
		}
		if least := uint64(float64(examples) * max(0, share-slack)); least > 2 && fits(numbersOf(examples, examples-least+2, kind, data.Datasets[0].Features[0].GetNumStats().Min, most)) {
			t.Fatalf("%s: missing in all but %d fits %v", name, least-2, s)
		}
		width := most - least
		if width == 0 {
			width = math.Abs(most)
		}
		if s.Feature[0].GetBoolDomain() == nil && fits(numbersOf(examples, missing, kind, least, most+margin*width+math.Max(2, math.Abs(most)*1e-5+width*1e-5))) {
			t.Fatalf("%s: a value beyond the margin fits %v", name, s)
		}
	}
}

// TestRangeMargin checks the size of a margin and its limits.
func TestRangeMargin(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most float64
		margin      float64
		low, high   float64
	}{
		{"on both sides of 0", -10, 30, 0.5, -30, 50},
		{"above 0", 100, 200, 0.5, 50, 250},
		{"above 0, near it", 10, 200, 0.5, 0, 295},
		{"from 0", 0, 175, 0.5, 0, 263},
		{"up to 0", -77, 0, 0.5, -116, 0},
		{"below 0, near it", -200, -10, 1, -390, 0},
		{"a single value", 40, 40, 0.5, 20, 60},
		{"a single value, and more than all of it", 40, 40, 2, 0, 120},
		{"a single value below 0", -40, -40, 0.5, -60, -20},
		{"nothing but 0", 0, 0, 0.5, 0, 0},
	} {
		for _, kind := range []pb.FeatureNameStatistics_Type{pb.FeatureNameStatistics_INT, pb.FeatureNameStatistics_FLOAT} {
			s, err := schema.Infer(numbersOf(1000, 0, kind, c.least, c.most), &schema.Options{RangeMargin: &c.margin})
			if err != nil {
				t.Fatal(err)
			}
			f := s.Feature[0]
			low, high := float64(f.GetIntDomain().GetMin()), float64(f.GetIntDomain().GetMax())
			if d := f.GetFloatDomain(); d != nil {
				low, high = math.Floor(float64(d.GetMin())), math.Ceil(float64(d.GetMax()))
			}
			if low != c.low || high != c.high {
				t.Errorf("%s, %v: %v to %v, want %v to %v", c.name, kind, low, high, c.low, c.high)
			}
		}
	}
}

func ExampleInfer_slack() {
	slack, margin := 0.05, 0.1
	s, err := schema.Infer(numbersOf(4000, 1, pb.FeatureNameStatistics_INT, 0, 90), &schema.Options{
		MinFractionSlack: &slack, RangeMargin: &margin,
		Explain: func(d schema.Decision) {
			if d.About == "presence" || d.About == "domain" {
				fmt.Printf("%s: %s: %s\n", d.About, d.Chosen, d.Why)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Feature[0].GetIntDomain().GetMax())
	// Output:
	// presence: required (min_fraction 0.94975, min_count 1): in 3999 of 4000 examples (0.99975), with a slack of 0.05
	// domain: int_domain 0 to 99: the values are 0 to 90, and the margin is 0.1 of that range, but not past 0
	// 99
}
