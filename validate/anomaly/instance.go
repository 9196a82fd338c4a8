package anomaly

import (
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
)

// ofDataSets are the types of reasons that make no sense for one record.
var ofDataSets = map[pb.AnomalyInfo_Type]bool{
	pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT:         true,
	pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_PRESENT:           true,
	pb.AnomalyInfo_FEATURE_TYPE_NOT_PRESENT:                  true,
	pb.AnomalyInfo_SCHEMA_TRAINING_SERVING_SKEW:              true,
	pb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING:           true,
	pb.AnomalyInfo_COMPARATOR_TREATMENT_DATA_MISSING:         true,
	pb.AnomalyInfo_COMPARATOR_L_INFTY_HIGH:                   true,
	pb.AnomalyInfo_COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH: true,
	pb.AnomalyInfo_COMPARATOR_LOW_NUM_EXAMPLES:               true,
	pb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES:              true,
	pb.AnomalyInfo_NO_DATA_IN_SPAN:                           true,
	pb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES:                  true,
	pb.AnomalyInfo_DATASET_HIGH_NUM_EXAMPLES:                 true,
}

// ValidateInstance is Validate for the statistics of a single record: reasons that
// only a whole data set can give are left out. Package validate/record is the faster
// way to ask, and knows more. TensorFlow Data Validation's name is validate_instance.
func ValidateInstance(stats *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*pb.Anomalies, error) {
	if opts != nil && opts.Report != nil {
		o := *opts
		o.Report = func(f Finding) {
			if !ofDataSets[f.Type] || f.Path == nil {
				opts.Report(f)
			}
		}
		return validateInstance(stats, schema, &o)
	}
	return validateInstance(stats, schema, opts)
}

func validateInstance(stats *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*pb.Anomalies, error) {
	a, err := Validate(stats, schema, opts)
	if err != nil {
		return nil, err
	}
	drop := func(r *pb.AnomalyInfo_Reason) bool { return ofDataSets[r.GetType()] }
	a.AnomalyInfo = slices.DeleteFunc(a.AnomalyInfo, func(e *pb.Anomalies_AnomalyInfoEntry) bool {
		n := len(e.Value.Reason)
		if e.Value.Reason = slices.DeleteFunc(e.Value.Reason, drop); len(e.Value.Reason) < n {
			rules.Describe(e.Value)
		}
		return len(e.Value.Reason) == 0
	})
	return a, nil
}
