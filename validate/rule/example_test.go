package rule_test

import (
	"fmt"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/rule"
)

func statisticsOf(examples uint64, max float64) *pb.DatasetFeatureStatisticsList {
	miles := &pb.FeatureNameStatistics{
		FieldId: &pb.FeatureNameStatistics_Name{Name: "trip_miles"},
		Type:    pb.FeatureNameStatistics_FLOAT,
		Stats:   &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{Max: max, CommonStats: &pb.CommonStatistics{NumNonMissing: examples, TotNumValues: examples}}},
	}
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: examples, Features: []*pb.FeatureNameStatistics{miles}}}}
}

// Statistics come from package validate/stats, or from a file.
func ExampleSet_Check() {
	rules, err := rule.Parse("max(trip_miles) < 500\nnum_examples >= 0.9 * num_examples before\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	violations, err := rules.Check(rule.Data{Now: statisticsOf(850, 812), Before: statisticsOf(1000, 90)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range violations {
		fmt.Printf("line %d: %s\n", v.Line, v.Text)
	}
	// Output:
	// line 1: max(trip_miles) is 812, wanted < 500
	// line 2: num_examples is 850, wanted >= 0.9 * num_examples before (num_examples before 1000)
}

func ExampleParse() {
	_, err := rule.Parse("max(trip_miles) <")
	fmt.Println(err)
	// Output:
	// line 1, column 18: want a statistic or a number, got the end
}
