package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// columnTexts are about features that only the data or the schema has, or too few records. A verb counts its argument.
var columnTexts = struct {
	newColumn, notInEnvironment, missing, notPresent, fewPresent, lowFraction, notEverywhere text
}{
	newColumn: text{
		kind:   pb.AnomalyInfo_SCHEMA_NEW_COLUMN,
		short:  "New column",
		long:   "New column (column in data but not in schema)",
		native: "The feature is in %[1]s, and not in the schema.",
		want:   "a feature of the schema", got: "another one, in %[1]s",
	},
	notInEnvironment: text{
		kind:   pb.AnomalyInfo_SCHEMA_NEW_COLUMN,
		short:  "Column missing in environment",
		long:   "New column %[1]v found in data but not in the environment %[2]s in the schema.",
		native: "The feature is in %[3]s, and the schema excludes it from the environment \"%[2]s\".",
		want:   "no such feature in the environment \"%[2]s\"", got: "one, in %[3]s",
	},
	missing: text{
		kind:   pb.AnomalyInfo_SCHEMA_MISSING_COLUMN,
		short:  gone,
		long:   "Column is completely missing",
		native: "The schema requires the feature, and no record has it.",
		want:   "a feature that some records have", got: "no record with it",
	},
	notPresent: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_NOT_PRESENT,
		short:  gone,
		long:   "The feature was not present in any examples.",
		native: "The schema requires the feature, and none of %[1]s has it.",
		want:   "a feature that some records have", got: "none of %[1]s with it",
	},
	fewPresent: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_PRESENT,
		short:  gone,
		long:   "The feature was present in fewer examples than expected: minimum count = %[1]d, actual = %[2]d",
		native: "The feature is in %[2]d records, where at least %[1]d are expected.",
		want:   "at least %[1]d records", got: "%[2]d",
	},
	lowFraction: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT,
		short:  gone,
		long:   "The feature was present in fewer examples than expected: minimum fraction = %[1]s, actual = %[2]s",
		native: "The feature is missing in %[3]s (%[6]s), where %[7]s may be missing.",
		want:   "a fraction of at least %[5]s", got: "%[4]s",
	},
	notEverywhere: text{
		kind:   pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT,
		short:  gone,
		long:   "The feature was expected everywhere, but was missing in %[1]s examples.",
		native: "The feature is missing in %[2]s, where none may be missing.",
		want:   "in all records", got: "missing in %[2]s",
	},
}
