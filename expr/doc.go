// Package expr compiles and evaluates expressions: conditions about one record, and rules about records and about the
// statistics of a data set. docs/expressions.md has the grammar, with examples.
//
// [Compile] compiles a condition that selects records, such as
//
//	label == 3 && len(tokens) > 0 && "gluten" in tags
//
// and [Filter.Match] evaluates it for an encoded message. It decodes only the features that the expression names.
//
// [ParseRules] reads a file of rules, one a line:
//
//	len(labels) == len(boxes)     # for each record
//	all(xmin < xmax)              # for each pair of elements of two lists
//	max(trip_miles) < 500         # about the statistics of all records
//
// [Rules.CheckRecord] evaluates the rules about records; package validate/record reports violations as findings. Package
// validate/anomaly evaluates the rules about statistics, with [Rule.Check].
//
// # Limits
//
// An expression has at most 64 KiB, a file of rules 1 MiB, and parentheses and functions nest at most 100 deep.
package expr
