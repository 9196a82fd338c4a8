package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// countTexts are about numbers of values, and shapes. A verb counts its argument.
var countTexts = struct {
	fewValues, manyValues, fewValuesAt, manyValuesAt, oneCountForLevels, otherLevels, shapeVaries, shapeDiffers text
	otherDimension                                                                                              text
}{
	otherDimension: text{
		kind:   pb.AnomalyInfo_EMBEDDING_SHAPE_INVALID,
		short:  "Embedding of another dimension",
		native: "Embeddings of %[1]d values are expected; numbers of values seen: %[2]s.",
		want:   "%[1]d values", got: "%[2]s",
	},
	fewValues: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES,
		short:  "Missing values",
		long:   "Some examples have fewer values than expected.",
		native: "Some records have only %[1]d values, where at least %[2]d are expected; numbers of values seen: %[3]s.",
		want:   "at least %[2]d values", got: "%[1]d",
	},
	manyValues: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES,
		short:  "Superfluous values",
		long:   "Some examples have more values than expected.",
		native: "Some records have %[1]d values, where at most %[2]d are expected; numbers of values seen: %[3]s.",
		want:   "at most %[2]d values", got: "%[1]d",
	},
	fewValuesAt: text{
		kind:  pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES,
		short: "Missing values",
		long:  "Some examples have fewer values than expected at nestedness level %[3]d.",
		native: "Some lists have only %[1]d values at nesting level %[3]d (from 0), where at least %[2]d are expected; " +
			"numbers of values seen: %[4]s.",
		want: "at least %[2]d values at nesting level %[3]d", got: "%[1]d",
	},
	manyValuesAt: text{
		kind:  pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES,
		short: "Superfluous values",
		long:  "Some examples have more values than expected at nestedness level %[3]d.",
		native: "Some lists have %[1]d values at nesting level %[3]d (from 0), where at most %[2]d are expected; numbers of " +
			"values seen: %[4]s.",
		want: "at most %[2]d values at nesting level %[3]d", got: "%[1]d",
	},
	oneCountForLevels: text{
		kind:  pb.AnomalyInfo_VALUE_NESTEDNESS_MISMATCH,
		short: notFit,
		long: "This feature has a value_count, but the nestedness level of the feature > 1. For features with nestedness " +
			"levels greater than 1, value_counts, not value_count, should be specified.",
		native: "The schema has a value_count, for one level of nesting, and the values have %[1]d levels: value_counts is " +
			"needed. The numbers of values were not checked.",
		want: "1 level of nesting", got: "%[1]d",
	},
	otherLevels: text{
		kind:   pb.AnomalyInfo_VALUE_NESTEDNESS_MISMATCH,
		short:  notFit,
		long:   "The values have a different nest level than expected. Value counts will not be checked.",
		native: "The values have %[1]d levels of nesting, where %[2]d are expected. The numbers of values were not checked.",
		want:   "%[2]d levels of nesting", got: "%[1]d",
	},
	shapeVaries: text{
		kind:  pb.AnomalyInfo_INVALID_FEATURE_SHAPE,
		short: "Feature shape dropped",
		long: "The feature has a shape, but it's not always present (if the feature is nested, then it should always be " +
			"present at each nested level) or its value lengths vary.",
		native: "The shape has %[1]d values in every record, and the feature is missing in %[2]s; numbers of values seen: " +
			"%[3]s.",
		want: "%[1]d values in every record", got: "missing in %[2]s; numbers of values seen: %[3]s",
	},
	shapeDiffers: text{
		kind:   pb.AnomalyInfo_INVALID_FEATURE_SHAPE,
		short:  "Feature shape dropped",
		long:   "The feature has fixed value length %[1]d but it's not compatible with the specified shape.",
		native: "The feature always has %[1]d values, where its shape has %[2]d.",
		want:   "%[2]d values", got: "%[1]d",
	},
}
