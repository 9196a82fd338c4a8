package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// valueTexts are about values: strings, numbers and booleans. A verb counts its argument.
var valueTexts = struct {
	invalidUTF8, unknownValues, hiddenValues, smallInt, bigInt, notInt, notInt64, hasNaN, notFloat, smallFloat text
	bigFloat, hasInf, boolSmall, boolBig, boolFloat, boolFloats, boolFraction, boolString                      text
}{
	invalidUTF8: text{
		kind:   pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8,
		short:  "Invalid UTF8 strings",
		long:   "Found strings that were not valid UTF8 strings.",
		native: "%[1]d values are not valid UTF-8.",
		want:   "valid UTF-8", got: "%[1]d other values",
	},
	unknownValues: text{
		kind:   pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES,
		short:  "Unexpected string values",
		long:   "Examples contain values missing from the schema: %[1]s. ",
		native: "%[2]s of %[3]s values are not in the domain: %[1]s.",
		want:   "values of the domain", got: "%[2]s of %[3]s others: %[1]s",
	},
	hiddenValues: text{
		kind:  pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES,
		short: "Unexpected string values",
		native: "There are %[1]d different values, of which the rank histogram shows %[2]d: at least %[3]d of the others are " +
			"missing from the schema.",
		want: "values of the domain", got: "at least %[3]d others",
	},
	smallInt: text{
		kind:   pb.AnomalyInfo_INT_TYPE_SMALL_INT,
		short:  outOfRange,
		long:   "Unexpectedly small value: %[1]d.",
		native: "Unexpectedly small value: %[1]d, where at least %[2]d is expected.",
		want:   "at least %[2]d", got: "%[1]d",
	},
	bigInt: text{
		kind:   pb.AnomalyInfo_INT_TYPE_BIG_INT,
		short:  outOfRange,
		long:   "Unexpectedly large value: %[1]d.",
		native: "Unexpectedly large value: %[1]d, where at most %[2]d is expected.",
		want:   "at most %[2]d", got: "%[1]d",
	},
	notInt: text{
		kind:   pb.AnomalyInfo_INT_TYPE_NOT_INT_STRING,
		short:  invalid,
		long:   "String values that were not ints were found, such as \"%[1]s\".",
		native: "Some strings are not integers, such as \"%[1]s\".",
		want:   "integers", got: "\"%[1]s\"",
	},
	notInt64: text{
		kind:   pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE,
		short:  invalid,
		long:   "Integer had values that were not valid Int64, such as \"%[1]s\".",
		native: "Some values are not 64-bit integers, such as \"%[1]s\".",
		want:   "64-bit integers", got: "\"%[1]s\"",
	},
	hasNaN: text{
		kind:   pb.AnomalyInfo_FLOAT_TYPE_HAS_NAN,
		short:  invalid,
		long:   "Float feature has NaN values.",
		native: "%[1]s are NaN, where the schema has disallow_nan.",
		want:   "no NaN", got: "%[1]s",
	},
	notFloat: text{
		kind:   pb.AnomalyInfo_FLOAT_TYPE_STRING_NOT_FLOAT,
		short:  invalid,
		long:   "String values that were not floats were found, such as \"%[1]s\".",
		native: "Some strings are not numbers, such as \"%[1]s\".",
		want:   "numbers", got: "\"%[1]s\"",
	},
	smallFloat: text{
		kind:   pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT,
		short:  outOfRange,
		long:   "Unexpectedly low values: %[1]s<%[2]s(upto six significant digits)",
		native: "Unexpectedly small value: %[1]s, where at least %[2]s is expected.",
		want:   "at least %[2]s", got: "%[1]s",
	},
	bigFloat: text{
		kind:   pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT,
		short:  outOfRange,
		long:   "Unexpectedly high value: %[1]s>%[2]s(upto six significant digits)",
		native: "Unexpectedly large value: %[1]s, where at most %[2]s is expected.",
		want:   "at most %[2]s", got: "%[1]s",
	},
	hasInf: text{
		kind:   pb.AnomalyInfo_FLOAT_TYPE_HAS_INF,
		short:  invalid,
		long:   "Float feature has Inf values.",
		native: "The values range from %[1]s to %[2]s, where the schema has disallow_inf.",
		want:   "no infinity", got: "%[1]s to %[2]s",
	},
	boolSmall: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_SMALL_INT,
		short:  notBoolean,
		long:   "Integers (such as %[1]s) not in {0, 1}: converting to an integer.",
		native: "Some values are neither 0 nor 1, such as %[1]s.",
		want:   "0 or 1", got: "%[1]s",
	},
	boolBig: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_BIG_INT,
		short:  notBoolean,
		long:   "Integers (such as %[1]s) not in {0, 1}: converting to an integer.",
		native: "Some values are neither 0 nor 1, such as %[1]s.",
		want:   "0 or 1", got: "%[1]s",
	},
	boolFloat: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT,
		short:  notBoolean,
		long:   "Floats (such as %[1]s) not in {0, 1}: converting to float_domain.",
		native: "Some values are neither 0 nor 1, such as %[1]s.",
		want:   "0 or 1", got: "%[1]s",
	},
	boolFloats: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT,
		short:  notBoolean,
		long:   "Float values %[1]s not in {0, 1}: converting to float_domain.",
		native: "Some values are neither 0 nor 1, but %[1]s.",
		want:   "0 or 1", got: "%[1]s",
	},
	boolFraction: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT,
		short:  notBoolean,
		long:   "Float values falling between 0 and 1: converting to float_domain.",
		native: "Some values lie between 0 and 1, where 0 or 1 is expected.",
		want:   "0 or 1", got: "values between them",
	},
	boolString: text{
		kind:   pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_STRING,
		short:  notBoolean,
		long:   "Saw unexpected value \"%[1]s\" instead of %[2]s.",
		native: "Some values are \"%[1]s\", where %[2]s is expected.",
		want:   "%[2]s", got: "\"%[1]s\"",
	},
}
