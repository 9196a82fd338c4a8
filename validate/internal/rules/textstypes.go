package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// typeTexts are about types, domains and different values. A verb counts its argument.
var typeTexts = struct {
	otherType, severalTypes, domainOfBytes, semanticDomain, lowUnique, highUnique, noUnique, noSource text
	notDerived                                                                                        text
}{
	otherType: text{
		kind:   pb.AnomalyInfo_UNEXPECTED_DATA_TYPE,
		short:  "Unexpected data type",
		long:   "Expected data of type: %[1]v but got %[2]s",
		native: "The values are of type %[2]s, where %[1]v is expected.",
		want:   "values of type %[1]v", got: "%[2]s",
	},
	severalTypes: text{
		kind:  pb.AnomalyInfo_UNEXPECTED_DATA_TYPE,
		short: "Values of several types",
		native: "The feature has values of several types; records with each: %[1]s. The other findings are about those of " +
			"the first type.",
		want: "values of one type", got: "%[1]s",
	},
	domainOfBytes: text{
		kind:   pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE,
		short:  "Invalid domain type",
		long:   "Data is marked as BYTES with incompatible domain_info: %[1]s",
		native: "The values are opaque bytes, and the schema has a %[2]s for them.",
		want:   "a domain of bytes", got: "%[2]s",
	},
	semanticDomain: text{
		kind:   pb.AnomalyInfo_SEMANTIC_DOMAIN_UPDATE,
		short:  "Updated semantic domain",
		long:   "Updated semantic domain for feature: %[1]s",
		native: "The values look like those of a %[2]s, which the schema does not say.",
		want:   "a %[2]s in the schema", got: "none",
	},
	lowUnique: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_UNIQUE,
		short:  "Low number of unique values",
		long:   "Expected at least %[1]d unique values but found only %[2]d.",
		native: "There are %[2]d different values, where at least %[1]d are expected.",
		want:   "at least %[1]d different values", got: "%[2]d",
	},
	highUnique: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_HIGH_UNIQUE,
		short:  "High number of unique values",
		long:   "Expected no more than %[1]d unique values but found %[2]d.",
		native: "There are %[2]d different values, where at most %[1]d are expected.",
		want:   "at most %[1]d different values", got: "%[2]d",
	},
	noUnique: text{
		kind:  pb.AnomalyInfo_FEATURE_TYPE_NO_UNIQUE,
		short: "No unique values",
		long: "UniqueConstraints specified for the feature, but unique values were not counted (i.e., feature is not string " +
			"or categorical).",
		native: "The schema has unique_constraints, and different values were not counted: the feature is neither a string " +
			"nor categorical.",
		want: "a feature that is a string or categorical", got: "another one",
	},
	noSource: text{
		kind:   pb.AnomalyInfo_DERIVED_FEATURE_INVALID_SOURCE,
		short:  "Derived source not set in schema.",
		long:   "Derived source not set in schema.",
		native: "The schema has no validation_derived_source for the feature, which the statistics show as derived.",
		want:   "a validation_derived_source", got: "none",
	},
	notDerived: text{
		kind:   pb.AnomalyInfo_DERIVED_FEATURE_BAD_LIFECYCLE,
		short:  "Derived feature has wrong lifecycle.",
		long:   "Derived feature has wrong lifecycle.",
		native: "The feature is derived, and its lifecycle_stage is not VALIDATION_DERIVED.",
		want:   "lifecycle_stage VALIDATION_DERIVED", got: "another one",
	},
}
