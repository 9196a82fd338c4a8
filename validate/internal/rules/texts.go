package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A text is how a reason is printed.
type text struct {
	kind    pb.AnomalyInfo_Type
	short   string
	long    string // that of TensorFlow Data Validation 1.16.1, word for word: people and programs look for it
	native  string // ours, where it says more
	warning bool
}

// outOfDomain and the like are said of several types.
const (
	outOfRange = "Out-of-range values"
	invalid    = "Invalid values"
	notBoolean = "Non-boolean values"
	notFit     = "Mismatched value nest level"
	gone       = "Column dropped"
)

// texts are all the texts there are. A verb counts its argument.
var texts = struct {
	newColumn, notInEnvironment, missing, notPresent                                                              text
	fewValues, manyValues, fewValuesAt, manyValuesAt, oneCountForLevels, otherLevels                              text
	shapeVaries, shapeDiffers, fewPresent, lowFraction, notEverywhere                                             text
	otherType, severalTypes, domainOfBytes, semanticDomain, lowUnique, highUnique, noUnique, noSource, notDerived text
	invalidUTF8, unknownValues, hiddenValues, smallInt, bigInt, notInt, notInt64                                  text
	hasNaN, notFloat, smallFloat, bigFloat, hasInf                                                                text
	boolSmall, boolBig, boolFloat, boolFloats, boolFraction, boolString                                           text
	fewImages, largeImage, noLanguage, lowCoverage, shortTokens, rareToken, commonToken, fewTokens, manyTokens    text
	sparseCollision, sparseValue, sparseIndex, sparseLength                                                       text
	weightedCollision, weightedValue, weightedWeight, weightedLength                                              text
	noName, noType, noTypeButDomain, negativeFraction, largeFraction, negativeCount, crossedCounts                text
	negativeCountAt, crossedCountsAt, negativeShape, domainOfOtherType, noSuchDomain, unknownDomain               text
	constraintsOfDomain, constraintsWithoutDomain, sameBool, repeatedValues                                       text
	highLinf, highDifference, highDivergence, noControl, notLabels, noDivergence                                  text
	noExamplesBefore, highRatio, lowRatio, fewExamples, manyExamples                                              text
}{
	newColumn: text{kind: pb.AnomalyInfo_SCHEMA_NEW_COLUMN, short: "New column", long: "New column (column in data but not in schema)",
		native: "The feature is in %[1]s, and not in the schema."},
	notInEnvironment: text{kind: pb.AnomalyInfo_SCHEMA_NEW_COLUMN, short: "Column missing in environment",
		long:   "New column %[1]v found in data but not in the environment %[2]s in the schema.",
		native: "The feature is in %[3]s, and the schema excludes it from the environment \"%[2]s\"."},
	missing: text{kind: pb.AnomalyInfo_SCHEMA_MISSING_COLUMN, short: gone, long: "Column is completely missing",
		native: "The schema requires the feature, and no record has it."},
	notPresent: text{kind: pb.AnomalyInfo_FEATURE_TYPE_NOT_PRESENT, short: gone, long: "The feature was not present in any examples.",
		native: "The schema requires the feature, and none of %[1]s has it."},

	fewValues: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, short: "Missing values", long: "Some examples have fewer values than expected.",
		native: "Some records have only %[1]d values, where at least %[2]d are expected; numbers of values seen: %[3]s."},
	manyValues: text{kind: pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES, short: "Superfluous values", long: "Some examples have more values than expected.",
		native: "Some records have %[1]d values, where at most %[2]d are expected; numbers of values seen: %[3]s."},
	fewValuesAt: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, short: "Missing values",
		long:   "Some examples have fewer values than expected at nestedness level %[3]d.",
		native: "Some lists have only %[1]d values at nesting level %[3]d (from 0), where at least %[2]d are expected; numbers of values seen: %[4]s."},
	manyValuesAt: text{kind: pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES, short: "Superfluous values",
		long:   "Some examples have more values than expected at nestedness level %[3]d.",
		native: "Some lists have %[1]d values at nesting level %[3]d (from 0), where at most %[2]d are expected; numbers of values seen: %[4]s."},
	oneCountForLevels: text{kind: pb.AnomalyInfo_VALUE_NESTEDNESS_MISMATCH, short: notFit,
		long:   "This feature has a value_count, but the nestedness level of the feature > 1. For features with nestedness levels greater than 1, value_counts, not value_count, should be specified.",
		native: "The schema has a value_count, for one level of nesting, and the values have %[1]d levels: value_counts is needed. The numbers of values were not checked."},
	otherLevels: text{kind: pb.AnomalyInfo_VALUE_NESTEDNESS_MISMATCH, short: notFit,
		long:   "The values have a different nest level than expected. Value counts will not be checked.",
		native: "The values have %[1]d levels of nesting, where %[2]d are expected. The numbers of values were not checked."},

	shapeVaries: text{kind: pb.AnomalyInfo_INVALID_FEATURE_SHAPE, short: "Feature shape dropped",
		long:   "The feature has a shape, but it's not always present (if the feature is nested, then it should always be present at each nested level) or its value lengths vary.",
		native: "The shape has %[1]d values in every record, and the feature is missing in %[2]s; numbers of values seen: %[3]s."},
	shapeDiffers: text{kind: pb.AnomalyInfo_INVALID_FEATURE_SHAPE, short: "Feature shape dropped",
		long:   "The feature has fixed value length %[1]d but it's not compatible with the specified shape.",
		native: "The feature always has %[1]d values, where its shape has %[2]d."},
	fewPresent: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_PRESENT, short: gone,
		long:   "The feature was present in fewer examples than expected: minimum count = %[1]d, actual = %[2]d",
		native: "The feature is in %[2]d records, where at least %[1]d are expected."},
	lowFraction: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT, short: gone,
		long:   "The feature was present in fewer examples than expected: minimum fraction = %[1]s, actual = %[2]s",
		native: "The feature is missing in %[5]s: it is in a fraction of %[6]s, where at least %[7]s is expected."},
	notEverywhere: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT, short: gone,
		long:   "The feature was expected everywhere, but was missing in %[1]s examples.",
		native: "The feature is missing in %[2]s, where it is expected in all."},

	otherType: text{kind: pb.AnomalyInfo_UNEXPECTED_DATA_TYPE, short: "Unexpected data type", long: "Expected data of type: %[1]v but got %[2]s",
		native: "The values are of type %[2]s, where %[1]v is expected."},
	severalTypes: text{kind: pb.AnomalyInfo_UNEXPECTED_DATA_TYPE, short: "Values of several types",
		native: "The feature has values of several types; records with each: %[1]s. The other findings are about those of the first type."},
	domainOfBytes: text{kind: pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE, short: "Invalid domain type",
		long:   "Data is marked as BYTES with incompatible domain_info: %[1]s",
		native: "The values are opaque bytes, and the schema has a %[2]s for them."},
	semanticDomain: text{kind: pb.AnomalyInfo_SEMANTIC_DOMAIN_UPDATE, short: "Updated semantic domain",
		long:   "Updated semantic domain for feature: %[1]s",
		native: "The values look like those of a %[2]s, which the schema does not say."},
	lowUnique: text{kind: pb.AnomalyInfo_FEATURE_TYPE_LOW_UNIQUE, short: "Low number of unique values",
		long:   "Expected at least %[1]d unique values but found only %[2]d.",
		native: "There are %[2]d different values, where at least %[1]d are expected."},
	highUnique: text{kind: pb.AnomalyInfo_FEATURE_TYPE_HIGH_UNIQUE, short: "High number of unique values",
		long:   "Expected no more than %[1]d unique values but found %[2]d.",
		native: "There are %[2]d different values, where at most %[1]d are expected."},
	noUnique: text{kind: pb.AnomalyInfo_FEATURE_TYPE_NO_UNIQUE, short: "No unique values",
		long:   "UniqueConstraints specified for the feature, but unique values were not counted (i.e., feature is not string or categorical).",
		native: "The schema has unique_constraints, and different values were not counted: the feature is neither a string nor categorical."},
	noSource: text{kind: pb.AnomalyInfo_DERIVED_FEATURE_INVALID_SOURCE, short: "Derived source not set in schema.", long: "Derived source not set in schema.",
		native: "The schema has no validation_derived_source for the feature, which the statistics show as derived."},
	notDerived: text{kind: pb.AnomalyInfo_DERIVED_FEATURE_BAD_LIFECYCLE, short: "Derived feature has wrong lifecycle.", long: "Derived feature has wrong lifecycle.",
		native: "The feature is derived, and its lifecycle_stage is not VALIDATION_DERIVED."},

	invalidUTF8: text{kind: pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, short: "Invalid UTF8 strings", long: "Found strings that were not valid UTF8 strings.",
		native: "%[1]d values are not valid UTF-8."},
	unknownValues: text{kind: pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES, short: "Unexpected string values",
		long:   "Examples contain values missing from the schema: %[1]s. ",
		native: "%[2]s of %[3]s values are not in the domain: %[1]s."},
	hiddenValues: text{kind: pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES, short: "Unexpected string values",
		native: "There are %[1]d different values, of which the rank histogram shows %[2]d: at least %[3]d of the others are missing from the schema."},
	smallInt: text{kind: pb.AnomalyInfo_INT_TYPE_SMALL_INT, short: outOfRange, long: "Unexpectedly small value: %[1]d.",
		native: "Unexpectedly small value: %[1]d, where at least %[2]d is expected."},
	bigInt: text{kind: pb.AnomalyInfo_INT_TYPE_BIG_INT, short: outOfRange, long: "Unexpectedly large value: %[1]d.",
		native: "Unexpectedly large value: %[1]d, where at most %[2]d is expected."},
	notInt: text{kind: pb.AnomalyInfo_INT_TYPE_NOT_INT_STRING, short: invalid, long: "String values that were not ints were found, such as \"%[1]s\".",
		native: "Some strings are not integers, such as \"%[1]s\"."},
	notInt64: text{kind: pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE, short: invalid,
		long:   "Integer had values that were not valid Int64, such as \"%[1]s\".",
		native: "Some values are not 64-bit integers, such as \"%[1]s\"."},

	hasNaN: text{kind: pb.AnomalyInfo_FLOAT_TYPE_HAS_NAN, short: invalid, long: "Float feature has NaN values.",
		native: "%[1]s are NaN, where the schema has disallow_nan."},
	notFloat: text{kind: pb.AnomalyInfo_FLOAT_TYPE_STRING_NOT_FLOAT, short: invalid, long: "String values that were not floats were found, such as \"%[1]s\".",
		native: "Some strings are not numbers, such as \"%[1]s\"."},
	smallFloat: text{kind: pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, short: outOfRange,
		long:   "Unexpectedly low values: %[1]s<%[2]s(upto six significant digits)",
		native: "Unexpectedly small value: %[1]s, where at least %[2]s is expected."},
	bigFloat: text{kind: pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, short: outOfRange,
		long:   "Unexpectedly high value: %[1]s>%[2]s(upto six significant digits)",
		native: "Unexpectedly large value: %[1]s, where at most %[2]s is expected."},
	hasInf: text{kind: pb.AnomalyInfo_FLOAT_TYPE_HAS_INF, short: invalid, long: "Float feature has Inf values.",
		native: "The values range from %[1]s to %[2]s, where the schema has disallow_inf."},

	boolSmall: text{kind: pb.AnomalyInfo_BOOL_TYPE_SMALL_INT, short: notBoolean,
		long:   "Integers (such as %[1]s) not in {0, 1}: converting to an integer.",
		native: "Some values are neither 0 nor 1, such as %[1]s."},
	boolBig: text{kind: pb.AnomalyInfo_BOOL_TYPE_BIG_INT, short: notBoolean,
		long:   "Integers (such as %[1]s) not in {0, 1}: converting to an integer.",
		native: "Some values are neither 0 nor 1, such as %[1]s."},
	boolFloat: text{kind: pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, short: notBoolean,
		long:   "Floats (such as %[1]s) not in {0, 1}: converting to float_domain.",
		native: "Some values are neither 0 nor 1, such as %[1]s."},
	boolFloats: text{kind: pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, short: notBoolean,
		long:   "Float values %[1]s not in {0, 1}: converting to float_domain.",
		native: "Some values are neither 0 nor 1, but %[1]s."},
	boolFraction: text{kind: pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, short: notBoolean,
		long:   "Float values falling between 0 and 1: converting to float_domain.",
		native: "Some values lie between 0 and 1, where 0 or 1 is expected."},
	boolString: text{kind: pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_STRING, short: notBoolean, long: "Saw unexpected value \"%[1]s\" instead of %[2]s.",
		native: "Some values are \"%[1]s\", where %[2]s is expected."},

	fewImages: text{kind: pb.AnomalyInfo_LOW_SUPPORTED_IMAGE_FRACTION, short: "Low supported image fraction",
		long:   "Fraction of values containing TensorFlow supported images: %[1]s is lower than the threshold set in the Schema: %[2]s.",
		native: "A fraction of %[1]s of the values are images that TensorFlow can decode, where at least %[2]s is expected."},
	largeImage: text{kind: pb.AnomalyInfo_MAX_IMAGE_BYTE_SIZE_EXCEEDED, short: "Num bytes exceeds the max byte size.",
		long:   "The largest image has bytes: %[1]d. The max allowed byte size is: %[2]d.",
		native: "The largest image has %[1]d bytes, where at most %[2]d are expected."},
	noLanguage: text{kind: pb.AnomalyInfo_STATS_NOT_AVAILABLE, short: "Natural language stats are not computed.",
		long:   "Constraints specified in natural language domain cannot be verified because natural language stats have not been computed.",
		native: "The constraints of the natural_language_domain were not checked: the statistics have nothing about tokens."},
	lowCoverage: text{kind: pb.AnomalyInfo_FEATURE_COVERAGE_TOO_LOW, short: "Feature coverage is too low.",
		long:   "Fraction of tokens in the vocabulary: %[1]s is lower than the threshold set in the Schema: %[2]s.",
		native: "A fraction of %[1]s of the tokens is in the vocabulary, where at least %[2]s is expected."},
	shortTokens: text{kind: pb.AnomalyInfo_FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH, short: "Average token length is too short.",
		long:   "Average token length is: %[1]s which is lower than the threshold set in the Schema: %[2]s.",
		native: "The average length of a token is %[1]s, where at least %[2]s is expected."},
	rareToken: text{kind: pb.AnomalyInfo_SEQUENCE_VALUE_TOO_SMALL_FRACTION, short: "Value occurs in too small a fraction of sequences.",
		long:   "Fraction of sequences with value: %[1]s is: %[2]s which is lower than the threshold set in the Schema: %[3]s.",
		native: "A fraction of %[2]s of the sequences has the token %[1]s, where at least %[3]s is expected."},
	commonToken: text{kind: pb.AnomalyInfo_SEQUENCE_VALUE_TOO_LARGE_FRACTION, short: "Value occurs in too large a fraction of sequences.",
		long:   "Fraction of sequences with value: %[1]s is: %[2]s which is higher than the threshold set in the Schema: %[3]s.",
		native: "A fraction of %[2]s of the sequences has the token %[1]s, where at most %[3]s is expected."},
	fewTokens: text{kind: pb.AnomalyInfo_SEQUENCE_VALUE_TOO_FEW_OCCURRENCES, short: "Value has too few per-sequence occurrences.",
		long:   "Value: %[1]s occurs at least: %[2]s times within a sequence, which is lower than the threshold set in the Schema: %[3]d.",
		native: "Some sequences have the token %[1]s only %[2]s times, where at least %[3]d are expected."},
	manyTokens: text{kind: pb.AnomalyInfo_SEQUENCE_VALUE_TOO_MANY_OCCURRENCES, short: "Value has too many per-sequence occurrences.",
		long:   "Value: %[1]s occurs at most: %[2]s times within a sequence, which is higher than the threshold set in the Schema: %[3]d.",
		native: "Some sequences have the token %[1]s %[2]s times, where at most %[3]d are expected."},

	sparseCollision: text{kind: pb.AnomalyInfo_SPARSE_FEATURE_NAME_COLLISION, short: "Sparse feature name collision", long: "Sparse feature name collision.",
		native: "The schema has a feature and a sparse feature of this name."},
	sparseValue: text{kind: pb.AnomalyInfo_SPARSE_FEATURE_MISSING_VALUE, short: "Missing value feature", long: "Found %[1]s examples missing value feature",
		native: "%[1]s records have indices and no value feature."},
	sparseIndex: text{kind: pb.AnomalyInfo_SPARSE_FEATURE_MISSING_INDEX, short: "Missing index feature",
		long:   "Found %[1]d examples missing index feature: %[2]s",
		native: "%[1]d records lack the index feature %[2]s."},
	sparseLength: text{kind: pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH, short: "Length mismatch between value and index feature",
		long:   "Mismatch between index feature: %[1]s and value column, with %[2]s = %[3]d",
		native: "The index feature %[1]s and the value feature have different numbers of values: %[2]s is %[3]d."},
	weightedCollision: text{kind: pb.AnomalyInfo_WEIGHTED_FEATURE_NAME_COLLISION, short: "Weighted feature name collision", long: "Weighted feature name collision.",
		native: "The schema has a weighted feature and another feature of this name."},
	weightedValue: text{kind: pb.AnomalyInfo_WEIGHTED_FEATURE_MISSING_VALUE, short: "Missing value feature", long: "Found %[1]s examples missing value feature.",
		native: "%[1]s records have weights and no value feature."},
	weightedWeight: text{kind: pb.AnomalyInfo_WEIGHTED_FEATURE_MISSING_WEIGHT, short: "Missing weight feature", long: "Found %[1]s examples missing weight feature.",
		native: "%[1]s records lack the weight feature."},
	weightedLength: text{kind: pb.AnomalyInfo_WEIGHTED_FEATURE_LENGTH_MISMATCH, short: "Length mismatch between value and weight feature",
		long:   "Mismatch between weight and value feature with min_weight_length_diff = %[1]d and max_weight_length_diff = %[2]d.",
		native: "Weights and values have different numbers of values: the difference is %[1]d at least and %[2]d at most."},

	noName: text{kind: pb.AnomalyInfo_FEATURE_MISSING_NAME,
		short:  "unspecified name (maybe meant to be the empty string): find name rather than deprecating.",
		native: "The schema has a feature without a name."},
	noType: text{kind: pb.AnomalyInfo_FEATURE_MISSING_TYPE, short: "unspecified type: determine the type and set it, rather than deprecating.",
		native: "The schema has no type for the feature."},
	noTypeButDomain: text{kind: pb.AnomalyInfo_FEATURE_MISSING_TYPE, short: "unspecified type: inferring the type to be BYTES, given the domain specified.",
		native: "The schema has no type for the feature, whose domain is one of BYTES."},
	negativeFraction: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "min_fraction should not be negative: clear is equal to zero",
		native: "The min_fraction of the presence is negative."},
	largeFraction: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "min_fraction should not greater than 1",
		native: "The min_fraction of the presence is above 1."},
	negativeCount: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "ValueCount.min should not be negative",
		native: "The min of the value_count is negative."},
	crossedCounts: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "ValueCount.max should not be less than min",
		native: "The max of the value_count is less than the min."},
	negativeCountAt: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "ValueCounts.min should not be negative", long: "ValueCounts.min at level %[1]d should not be negative.",
		native: "The min of the value_counts at level %[1]d is negative."},
	crossedCountsAt: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "ValueCounts.max should not be less than min", long: "ValueCounts.max at level %[1]d should not be less than min.",
		native: "The max of the value_counts at level %[1]d is less than the min."},
	negativeShape: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "Shape.dim.size must be a positive integer",
		native: "A dim of the shape is not positive."},
	domainOfOtherType: text{kind: pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE, short: "The domain does not match the type", long: "The domain \"%[1]s\" does not match the type: %[2]v",
		native: "The %[1]s does not fit the type %[2]v."},
	noSuchDomain: text{kind: pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, short: "missing domain: %[1]s",
		native: "The schema has no string_domain \"%[1]s\"."},
	unknownDomain: text{kind: pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, short: "internal issue: unknown domain_info type", native: "there are no rules for a %[1]s"},
	constraintsOfDomain: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "distribution constraints not supported for %[1]s domains.",
		native: "The distribution_constraints need a domain of strings, and the feature has a %[1]s domain."},
	constraintsWithoutDomain: text{kind: pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION, short: "distribution constraints require domain or string domain.",
		native: "The distribution_constraints need a domain of strings, and the feature has none."},
	sameBool: text{kind: pb.AnomalyInfo_BOOL_TYPE_INVALID_CONFIG, short: "Malformed BoolDomain",
		native: "True and false are both \"%[1]s\"."},
	repeatedValues: text{kind: pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION, short: "Malformed StringDomain",
		native: "Values stand in the domain more than once: %[1]s."},

	highLinf: text{kind: pb.AnomalyInfo_COMPARATOR_L_INFTY_HIGH, short: "High Linfty distance between %[1]s and %[2]s",
		long: "The Linfty distance between %[1]s and %[2]s is %[3]s (up to six significant digits), above the threshold %[4]s. The feature value with maximum difference is: %[5]s"},
	highDifference: text{kind: pb.AnomalyInfo_COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH, short: "High normalized absolute difference between %[1]s and %[2]s",
		long: "The normalized absolute difference between %[1]s and %[2]s is %[3]s (up to six significant digits), above the threshold %[4]s. The feature value with maximum difference is: %[5]s"},
	highDivergence: text{kind: pb.AnomalyInfo_COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH, short: "High approximate Jensen-Shannon divergence between %[1]s and %[2]s",
		long: "The approximate Jensen-Shannon divergence between %[1]s and %[2]s is %[3]s (up to six significant digits), above the threshold %[4]s."},
	noControl: text{kind: pb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING, short: "%[1]s data missing", long: "%[1]s data is missing."},
	notLabels: text{kind: pb.AnomalyInfo_STATS_NOT_AVAILABLE, short: "Distance not applicable", warning: true,
		native: "infinity_norm and normalized_abs_difference compare labels, and the feature has none in the %[1]s or the %[2]s data: use jensen_shannon_divergence for numbers."},
	noDivergence: text{kind: pb.AnomalyInfo_STATS_NOT_AVAILABLE, short: "Distance not applicable", warning: true,
		native: "jensen_shannon_divergence needs labels, or histograms of numbers, in the %[1]s and in the %[2]s data."},

	noExamplesBefore: text{kind: pb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES, short: "High num examples in current dataset versus the %[1]s, which has 0.",
		long:   "The %[1]s has 0 examples, so there is a high number of examples in the current dataset versus the %[1]s.",
		native: "The %[1]s has no examples, and the current data set has some."},
	highRatio: text{kind: pb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES, short: "High num examples in current dataset versus the %[1]s.",
		long:   "The ratio of num examples in the current dataset versus the %[1]s is %[2]s (up to six significant digits), which is above the threshold %[3]s.",
		native: "The data set has %[2]s times as many examples as the %[1]s, where at most %[3]s is expected."},
	lowRatio: text{kind: pb.AnomalyInfo_COMPARATOR_LOW_NUM_EXAMPLES, short: "Low num examples in current dataset versus the %[1]s.",
		long:   "The ratio of num examples in the current dataset versus the %[1]s is %[2]s (up to six significant digits), which is below the threshold %[3]s.",
		native: "The data set has %[2]s times as many examples as the %[1]s, where at least %[3]s is expected."},
	fewExamples: text{kind: pb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES, short: "Low num examples in dataset.",
		long:   "The dataset has %[1]s examples, which is fewer than expected.",
		native: "The dataset has %[1]s examples, where at least %[2]d are expected."},
	manyExamples: text{kind: pb.AnomalyInfo_DATASET_HIGH_NUM_EXAMPLES, short: "High num examples in dataset.",
		long:   "The dataset has %[1]s examples, which is more than expected.",
		native: "The dataset has %[1]s examples, where at most %[2]d are expected."},
}

// NewColumn is the reason that a feature is not in the schema.
func (c *Config) NewColumn(f *view.Feature) Reason {
	c.needAll(f)
	return c.reason(&texts.newColumn, presentIn(f))
}

// Missing is the reason that statistics lack a feature that the schema requires.
func (c *Config) Missing() Reason { return c.reason(&texts.missing) }
