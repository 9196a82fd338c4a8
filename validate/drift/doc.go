// Package drift measures how far two data sets are apart, feature by feature, from
// their statistics.
//
// There are five measures. Three are those of TensorFlow Data Validation:
//
//   - L-infinity: the largest difference between the shares that a label has in the
//     one and in the other. Labels only.
//   - Normalised absolute difference: the largest difference between the counts of a
//     label, divided by the sum of all counts of both. Labels only. It sees that a data
//     set grew, which the other two do not.
//   - Jensen-Shannon divergence, to the base 2: of the labels, or of the histograms of
//     the numbers. Between 0 and 1. Of histograms it is approximate: values are taken
//     to be spread evenly inside a bucket. NaN, +Inf and -Inf are three values of their
//     own; all of a bucket that reaches to an infinity lies there.
//
// They are of the values that are there, and do not see those that are missing. The
// others do:
//
//   - Presence: the difference between the shares of the examples that have the
//     feature; in a struct, of the structs.
//   - Emptiness: the difference between the shares of the examples that have the
//     feature, but no value of it: an empty list, or lists that are all empty. It is
//     taken from the histogram of the numbers of values. It is exact where no list has
//     several values, where lists are short, and where as many are empty as a
//     bucket counts, a tenth unless statistics were made with other buckets. Else it is
//     within the half of that.
//
// A feature that only one data set has, or has values of, or whose type changed, is
// listed: no distance measures that, and a model cannot read it as before.
//
// Labels are those of the rank histograms, which statistics cut off at a number of
// values: the measures are then those of the most frequent.
package drift
