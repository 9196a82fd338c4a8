// Package anomaly validates statistics of a data set against a schema: what
// TensorFlow Data Validation calls validate_statistics.
//
// Statistics, schema and result are messages of TensorFlow Metadata, and TensorFlow's
// programs read and write the same. With [Options.Compat] the result is theirs to the
// letter, quirks included, as of version 1.16.1. Without it, it differs on purpose:
//
//   - Texts name what was expected and what was found.
//   - All of the schema is checked for sense, not only entries of features that occur.
//     A domain that is missing is named, a value that stands twice in a domain and a
//     true_value that is the false_value are reported.
//   - min_fraction of a feature inside a struct is of the structs, not of the examples.
//   - unique_constraints without max has none; max_examples_count holds without
//     min_examples_count, too.
//   - Labels of categorical floats, and of integers with a bool_domain, are read.
//     2^63-1 is above a lower maximum. Values that the rank histogram does not show are
//     reported when there must be some outside the domain.
//   - A slice that only one of two data sets has is one anomaly, and not one of each feature.
//   - A distance that cannot be measured is a warning. Control data without examples
//     are missing control data. Distances are those of package drift, and count only if they are
//     above what chance explains.
//
// [CheckRules] checks statistics against rules of package expr, such as max(trip_miles) < 500.
//
// Memory: nothing of the arguments is changed or kept, and the result shares nothing
// with them.
package anomaly
