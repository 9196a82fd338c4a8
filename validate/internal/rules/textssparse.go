package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// sparseTexts are about sparse and weighted features. A verb counts its argument.
var sparseTexts = struct {
	sparseCollision, sparseValue, sparseIndex, sparseLength, weightedCollision, weightedValue, weightedWeight text
	weightedLength                                                                                            text
}{
	sparseCollision: text{
		kind:   pb.AnomalyInfo_SPARSE_FEATURE_NAME_COLLISION,
		short:  "Sparse feature name collision",
		long:   "Sparse feature name collision.",
		native: "The schema has a feature and a sparse feature of this name.",
		want:   "one feature of this name", got: "a feature and a sparse feature",
	},
	sparseValue: text{
		kind:   pb.AnomalyInfo_SPARSE_FEATURE_MISSING_VALUE,
		short:  "Missing value feature",
		long:   "Found %[1]s examples missing value feature",
		native: "%[1]s records have indices and no value feature.",
		want:   "a value feature beside the indices", got: "none in %[1]s records",
	},
	sparseIndex: text{
		kind:   pb.AnomalyInfo_SPARSE_FEATURE_MISSING_INDEX,
		short:  "Missing index feature",
		long:   "Found %[1]d examples missing index feature: %[2]s",
		native: "%[1]d records lack the index feature %[2]s.",
		want:   "the index feature %[2]s", got: "none in %[1]d records",
	},
	sparseLength: text{
		kind:   pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH,
		short:  "Length mismatch between value and index feature",
		long:   "Mismatch between index feature: %[1]s and value column, with %[2]s = %[3]d",
		native: "The index feature %[1]s and the value feature have different numbers of values: %[2]s is %[3]d.",
		want:   "as many values as indices %[1]s", got: "%[2]s %[3]d",
	},
	weightedCollision: text{
		kind:   pb.AnomalyInfo_WEIGHTED_FEATURE_NAME_COLLISION,
		short:  "Weighted feature name collision",
		long:   "Weighted feature name collision.",
		native: "The schema has a weighted feature and another feature of this name.",
		want:   "one feature of this name", got: "a weighted feature and another one",
	},
	weightedValue: text{
		kind:   pb.AnomalyInfo_WEIGHTED_FEATURE_MISSING_VALUE,
		short:  "Missing value feature",
		long:   "Found %[1]s examples missing value feature.",
		native: "%[1]s records have weights and no value feature.",
		want:   "a value feature beside the weights", got: "none in %[1]s records",
	},
	weightedWeight: text{
		kind:   pb.AnomalyInfo_WEIGHTED_FEATURE_MISSING_WEIGHT,
		short:  "Missing weight feature",
		long:   "Found %[1]s examples missing weight feature.",
		native: "%[1]s records lack the weight feature.",
		want:   "the weight feature", got: "none in %[1]s records",
	},
	weightedLength: text{
		kind:  pb.AnomalyInfo_WEIGHTED_FEATURE_LENGTH_MISMATCH,
		short: "Length mismatch between value and weight feature",
		long: "Mismatch between weight and value feature with min_weight_length_diff = %[1]d and max_weight_length_diff = " +
			"%[2]d.",
		native: "Weights and values have different numbers of values: the difference is %[1]d at least and %[2]d at most.",
		want:   "as many weights as values", got: "a difference of %[1]d to %[2]d",
	},
}
