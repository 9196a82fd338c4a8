// Package drift measures how far two data sets are apart, feature by feature, from
// their statistics.
//
// Three measures are those of TensorFlow Data Validation:
//
//   - L-infinity: the largest difference between the shares that a label has in the
//     one and in the other. Labels only.
//   - Normalised absolute difference: the largest difference between the counts of a
//     label, divided by the sum of all counts of both. Labels only. It sees that a data
//     set grew, which the others do not.
//   - Jensen-Shannon divergence, to the base 2: of the labels, or of the numbers. Between 0 and 1.
//
// Two more are of the same values:
//
//   - Population stability index: the sum of (p-q)·ln(p/q) over the cells of the
//     divergence, where a cell that is empty on one side counts as half a value. It begins at 0 and has no end;
//     0.1 is usually called a change, and 0.25 a large one.
//   - Kolmogorov-Smirnov: the largest difference between the shares of the numbers up to some
//     value. Numbers only, without NaN. Between 0 and 1.
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
// # Numbers
//
// The divergence and the stability index of numbers are of at most 20 cells, whose borders divide the numbers of both
// sides together into equal shares. Where the smaller side has fewer than 40 numbers there are fewer cells, one for each two of them,
// but at least 3; those of different numbers of cells are not the same measure. NaN, -Inf and +Inf are cells of their own. With
// Options.Details numbers are counted between the borders. With statistics alone their histograms of quantiles
// are read, as if values were spread evenly inside a bucket: Distance.Error is by how much
// that may be wrong. Statistics of 1,000 quantiles are nearly as good as records.
//
// # Labels
//
// Labels are those of the rank histograms, which statistics cut off at a number of
// values. A label that one side does not list is taken to be there as often as it may be to be as near
// to the other side as possible, and those that neither lists are one label.
//
// # Noise
//
// Two samples of one distribution are apart, too: the more, the smaller they are. The divergence of 10 numbers from 1,000 of the same distribution is
// 0.13 in the mean. The mean, Distance.Chance, depends on the sizes, not on the data; it is taken off the divergence and the stability
// index, which are then nearly unbiased where the sides differ (Miller, Note on the Bias of Information Estimates, 1955, is the first term). With
// fewer than 5 values on a side they say nothing: see Feature.TooFew.
//
// Distance.Noise is the level that
// this alone exceeds in any feature of a report with the probability Report.Significance: each distance of each feature has an equal part of it. What has
// a distance above that, and above a threshold, has drifted. The levels are
//
//   - of shares (presence, emptiness, labels) those of the normal approximation of the
//     binomial distribution, where any label may be the one that differs most;
//   - of the divergence and the stability index a chi-squared distribution (Menéndez et al., The Jensen-Shannon
//     Divergence, 1997; Grosse et al., Analysis of symbolic sequences using the Jensen-Shannon divergence, 2002), whose mean and variance
//     are exact where cells have few values: those of random divisions of all values between the sides (permutation test);
//   - of Kolmogorov-Smirnov the critical value of Smirnov's test (1948).
//
// Records are taken to be independent, values of one record are not: there they count as one. Weights do not count.
package drift
