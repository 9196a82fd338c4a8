package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// semanticTexts are about images and natural language. A verb counts its argument.
var semanticTexts = struct {
	fewImages, largeImage, noLanguage, lowCoverage, shortTokens, rareToken, commonToken, fewTokens, manyTokens text
	shortSequence, longSequence, notMeasured, valuesNotMeasured, notChecked                                    text
	unexpected                                                                                                 text
}{
	shortSequence: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES,
		short:  "Sequences are too short.",
		native: "Some sequences have only %[1]d tokens, where at least %[2]d are expected.",
		want:   "sequences of at least %[2]d tokens", got: "%[1]d",
	},
	longSequence: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES,
		short:  "Sequences are too long.",
		native: "Some sequences have %[1]d tokens, where at most %[2]d are expected.",
		want:   "sequences of at most %[2]d tokens", got: "%[1]d",
	},
	notMeasured: text{
		kind:   pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:  "The statistics do not have what the schema asks for.",
		native: "The %[1]s was not checked: statistics have what it needs if they are made with %[2]s.",
		want:   "statistics for the %[1]s", got: "none",
	},
	valuesNotMeasured: text{
		kind:   pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:  "The statistics do not have what the schema asks for.",
		native: "The %[1]s was not checked: statistics have what it needs if they are made with %[2]s.",
		want:   "statistics for the %[1]s", got: "none",
		warning: true,
	},
	notChecked: text{
		kind:   pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:  "The domain is not checked.",
		native: "The values were not checked: %[1]s.",
		want:   "a domain that can be checked", got: "%[1]s",
		warning: true,
	},
	unexpected: text{
		kind:   pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES,
		short:  "Values outside the domain",
		native: "%[1]s of %[2]s values are not %[3]s%[4]s.",
		want:   "%[3]s", got: "%[1]s of %[2]s other values",
	},
	fewImages: text{
		kind:  pb.AnomalyInfo_LOW_SUPPORTED_IMAGE_FRACTION,
		short: "Low supported image fraction",
		long: "Fraction of values containing TensorFlow supported images: %[1]s is lower than the threshold set in the " +
			"Schema: %[2]s.",
		native: "%[3]s of the values are images that TensorFlow can decode, where at least %[4]s are expected.",
		want:   "a fraction of at least %[2]s of images that TensorFlow can decode", got: "%[1]s",
	},
	largeImage: text{
		kind:   pb.AnomalyInfo_MAX_IMAGE_BYTE_SIZE_EXCEEDED,
		short:  "Num bytes exceeds the max byte size.",
		long:   "The largest image has bytes: %[1]d. The max allowed byte size is: %[2]d.",
		native: "The largest image has %[1]d bytes, where at most %[2]d are expected.",
		want:   "at most %[2]d bytes", got: "%[1]d",
	},
	noLanguage: text{
		kind:  pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short: "Natural language stats are not computed.",
		long: "Constraints specified in natural language domain cannot be verified because natural language stats have not " +
			"been computed.",
		native: "The natural_language_domain was not checked: statistics have its tokens if they are made with %[1]s.",
		want:   "statistics of tokens", got: "none",
	},
	lowCoverage: text{
		kind:   pb.AnomalyInfo_FEATURE_COVERAGE_TOO_LOW,
		short:  "Feature coverage is too low.",
		long:   "Fraction of tokens in the vocabulary: %[1]s is lower than the threshold set in the Schema: %[2]s.",
		native: "%[3]s of the tokens are in the vocabulary, where at least %[4]s are expected.",
		want:   "a fraction of at least %[2]s of the tokens in the vocabulary", got: "%[1]s",
	},
	shortTokens: text{
		kind:   pb.AnomalyInfo_FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH,
		short:  "Average token length is too short.",
		long:   "Average token length is: %[1]s which is lower than the threshold set in the Schema: %[2]s.",
		native: "The average length of a token is %[1]s, where at least %[2]s is expected.",
		want:   "an average length of tokens of at least %[2]s", got: "%[1]s",
	},
	rareToken: text{
		kind:   pb.AnomalyInfo_SEQUENCE_VALUE_TOO_SMALL_FRACTION,
		short:  "Value occurs in too small a fraction of sequences.",
		long:   "Fraction of sequences with value: %[1]s is: %[2]s which is lower than the threshold set in the Schema: %[3]s.",
		native: "%[4]s of the sequences have the token %[1]s, where at least %[5]s are expected.",
		want:   "the token %[1]s in a fraction of at least %[3]s of the sequences", got: "%[2]s",
	},
	commonToken: text{
		kind:   pb.AnomalyInfo_SEQUENCE_VALUE_TOO_LARGE_FRACTION,
		short:  "Value occurs in too large a fraction of sequences.",
		long:   "Fraction of sequences with value: %[1]s is: %[2]s which is higher than the threshold set in the Schema: %[3]s.",
		native: "%[4]s of the sequences have the token %[1]s, where at most %[5]s are expected.",
		want:   "the token %[1]s in a fraction of at most %[3]s of the sequences", got: "%[2]s",
	},
	fewTokens: text{
		kind:  pb.AnomalyInfo_SEQUENCE_VALUE_TOO_FEW_OCCURRENCES,
		short: "Value has too few per-sequence occurrences.",
		long: "Value: %[1]s occurs at least: %[2]s times within a sequence, which is lower than the threshold set in the " +
			"Schema: %[3]d.",
		native: "Some sequences have the token %[1]s only %[2]s times, where at least %[3]d are expected.",
		want:   "the token %[1]s at least %[3]d times in a sequence", got: "%[2]s",
	},
	manyTokens: text{
		kind:  pb.AnomalyInfo_SEQUENCE_VALUE_TOO_MANY_OCCURRENCES,
		short: "Value has too many per-sequence occurrences.",
		long: "Value: %[1]s occurs at most: %[2]s times within a sequence, which is higher than the threshold set in the " +
			"Schema: %[3]d.",
		native: "Some sequences have the token %[1]s %[2]s times, where at most %[3]d are expected.",
		want:   "the token %[1]s at most %[3]d times in a sequence", got: "%[2]s",
	},
}
