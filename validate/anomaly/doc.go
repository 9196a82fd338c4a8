// Package anomaly validates the statistics of a data set against a schema, like
// validate_statistics of TensorFlow Data Validation.
//
// Statistics, schema and result are messages of TensorFlow Metadata, which TensorFlow's
// programs also read and write. With [Options.Compat] the result equals that of TensorFlow
// Data Validation 1.16.1, including its quirks. Without it the result differs on purpose:
//
//   - Texts contain the expected and the observed value.
//   - The whole schema is checked for errors, not only the entries of features that occur.
//     The text names a missing domain. A value that a domain lists twice and a true_value
//     equal to the false_value are reported.
//   - For a feature inside a struct, min_fraction is a fraction of the structs, not of the
//     examples.
//   - unique_constraints without max has no maximum. max_examples_count applies even without
//     min_examples_count.
//   - Labels of categorical floats, and of integers with a bool_domain, are read.
//     2^63-1 is above a lower maximum. Values that the rank histogram omits are reported if
//     some of them must be outside the domain.
//   - A slice that only one of two data sets has is one anomaly, not one for each feature.
//   - A distance that cannot be measured is a warning. Control data without examples count
//     as missing. Distances are those of package drift, and are reported only if chance does
//     not explain them.
//
// [CheckRules] checks statistics against rules of package expr, such as max(trip_miles) < 500.
//
// Functions do not change or retain their arguments, and results do not alias them.
package anomaly
