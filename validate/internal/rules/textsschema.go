package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// schemaTexts are about a schema that contradicts itself. A verb counts its argument.
var schemaTexts = struct {
	noName, noType, noTypeButDomain, negativeFraction, largeFraction, negativeCount, crossedCounts  text
	negativeCountAt, crossedCountsAt, negativeShape, domainOfOtherType, noSuchDomain, unknownDomain text
	constraintsOfDomain, constraintsWithoutDomain, sameBool, repeatedValues                         text
}{
	noName: text{
		kind:   pb.AnomalyInfo_FEATURE_MISSING_NAME,
		short:  "unspecified name (maybe meant to be the empty string): find name rather than deprecating.",
		native: "The schema has a feature without a name.",
		want:   "a name", got: "none",
	},
	noType: text{
		kind:   pb.AnomalyInfo_FEATURE_MISSING_TYPE,
		short:  "unspecified type: determine the type and set it, rather than deprecating.",
		native: "The schema has no type for the feature.",
		want:   "a type", got: "none",
	},
	noTypeButDomain: text{
		kind:   pb.AnomalyInfo_FEATURE_MISSING_TYPE,
		short:  "unspecified type: inferring the type to be BYTES, given the domain specified.",
		native: "The schema has no type for the feature, whose domain is one of BYTES.",
		want:   "a type", got: "none",
	},
	negativeFraction: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "min_fraction should not be negative: clear is equal to zero",
		native: "The min_fraction of the presence is negative.",
		want:   "a min_fraction of at least 0", got: "a negative one",
	},
	largeFraction: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "min_fraction should not greater than 1",
		native: "The min_fraction of the presence is above 1.",
		want:   "a min_fraction of at most 1", got: "a larger one",
	},
	negativeCount: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "ValueCount.min should not be negative",
		native: "The min of the value_count is negative.",
		want:   "a min of at least 0", got: "a negative one",
	},
	crossedCounts: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "ValueCount.max should not be less than min",
		native: "The max of the value_count is less than the min.",
		want:   "a max of at least the min", got: "a smaller one",
	},
	negativeCountAt: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "ValueCounts.min should not be negative",
		long:   "ValueCounts.min at level %[1]d should not be negative.",
		native: "The min of the value_counts at level %[1]d is negative.",
		want:   "a min of at least 0 at level %[1]d", got: "a negative one",
	},
	crossedCountsAt: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "ValueCounts.max should not be less than min",
		long:   "ValueCounts.max at level %[1]d should not be less than min.",
		native: "The max of the value_counts at level %[1]d is less than the min.",
		want:   "a max of at least the min at level %[1]d", got: "a smaller one",
	},
	negativeShape: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "Shape.dim.size must be a positive integer",
		native: "A dim of the shape is not positive.",
		want:   "dims of at least 1", got: "a smaller one",
	},
	domainOfOtherType: text{
		kind:   pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE,
		short:  "The domain does not match the type",
		long:   "The domain \"%[1]s\" does not match the type: %[2]v",
		native: "The %[1]s does not fit the type %[2]v.",
		want:   "a domain of the type %[2]v", got: "%[1]s",
	},
	noSuchDomain: text{
		kind:   pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION,
		short:  "missing domain: %[1]s",
		native: "The schema has no string_domain \"%[1]s\".",
		want:   "the string_domain \"%[1]s\"", got: "none",
	},
	unknownDomain: text{
		kind:  pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION,
		short: "internal issue: unknown domain_info type",
		want:  "a domain with rules", got: "%[1]s",
	},
	constraintsOfDomain: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "distribution constraints not supported for %[1]s domains.",
		native: "The distribution_constraints need a domain of strings, and the feature has a %[1]s domain.",
		want:   "a domain of strings", got: "a %[1]s domain",
	},
	constraintsWithoutDomain: text{
		kind:   pb.AnomalyInfo_INVALID_SCHEMA_SPECIFICATION,
		short:  "distribution constraints require domain or string domain.",
		native: "The distribution_constraints need a domain of strings, and the feature has none.",
		want:   "a domain of strings", got: "none",
	},
	sameBool: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_INVALID_CONFIG,
		short:  "Malformed BoolDomain",
		native: "True and false are both \"%[1]s\".",
		want:   "different values for true and false", got: "\"%[1]s\" for both",
	},
	repeatedValues: text{
		kind:   pb.AnomalyInfo_INVALID_DOMAIN_SPECIFICATION,
		short:  "Malformed StringDomain",
		native: "Values stand in the domain more than once: %[1]s.",
		want:   "every value once", got: "more than once: %[1]s",
	},
}
