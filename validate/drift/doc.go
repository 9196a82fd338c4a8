// Package drift measures the distance between two data sets, feature by feature, from
// their statistics.
//
// Three measures are those of TensorFlow Data Validation:
//
//   - L-infinity: the largest difference between the shares of a label in the two data
//     sets. Labels only.
//   - Normalized absolute difference: the largest difference between the counts of a
//     label, divided by the sum of all counts of both data sets. Labels only. Unlike the other
//     measures, it detects that a data set has grown.
//   - Jensen-Shannon divergence, base 2, of labels or of numbers. Between 0 and 1.
//
// Two more measures apply to the same values:
//
//   - Population stability index: the sum of (p-q)·ln(p/q) over the cells of the
//     divergence. A cell that is empty on one side counts as half a value. It is at least 0
//     and has no maximum; 0.1 is usually called a change, and 0.25 a large change.
//   - Kolmogorov-Smirnov distance: the largest difference between the cumulative
//     distributions. Numbers only, without NaN. Between 0 and 1.
//
// These measures ignore missing values. Two other measures detect missing values:
//
//   - Presence: the difference between the shares of examples in which the feature is
//     present. For a feature in a struct, the shares of structs.
//   - Emptiness: the difference between the shares of examples in which the feature is
//     present without a value: an empty list, or only empty lists. It is computed from the
//     histogram of the numbers of values. It is exact if no list has several values, if
//     lists are short, or if the share of empty lists is a multiple of the share of a
//     bucket, which is a tenth by default. Else the error is at most half a bucket.
//
// A feature is listed without distances if only one data set has it, if only one data set has
// values of it, or if its type changed: a model cannot read such a feature as before.
//
// # Numbers
//
// The divergence and the stability index of numbers use at most 20 cells, whose borders
// divide the numbers of both sides together into equal shares. If the smaller side has fewer
// than 40 numbers, there is one cell for every two numbers, and at least 3 cells. Distances
// with different numbers of cells are not comparable. NaN, -Inf and +Inf have separate cells.
// With Options.Details the numbers in each cell are counted. With statistics alone, quantile
// histograms are interpolated as if values were spread evenly inside a bucket, and
// Distance.Error is the maximum error. Statistics with 1,000 quantiles are nearly as good as
// records.
//
// # Labels
//
// Labels come from the rank histograms, which statistics limit to a number of labels. If one
// side does not list a label, its count is assumed to be the possible count nearest to the
// other side. Labels that neither side lists count as one label.
//
// # Noise
//
// Two samples of one distribution differ, too, and smaller samples differ more. The divergence
// between 10 numbers and 1,000 of the same distribution is 0.13 on average. This average,
// Distance.Chance, depends on the sizes and not on the data. It is subtracted from the
// divergence and the stability index, which are then nearly unbiased where the sides differ
// (Miller, Note on the Bias of Information Estimates, 1955, is the first term). With fewer
// than 5 values on a side, both mean nothing: see Feature.TooFew.
//
// Distance.Noise is a critical value: with probability Report.Significance, two samples of one
// distribution exceed it in any feature of a report. Each distance of each feature has an equal
// part of that probability. A feature has drifted if a distance exceeds both its noise and its
// threshold. The critical values come from
//
//   - the normal approximation of the binomial distribution for shares (presence, emptiness,
//     labels), corrected for the choice of the label that differs most;
//   - a chi-squared distribution for the divergence and the stability index (Menéndez et al., The
//     Jensen-Shannon Divergence, 1997; Grosse et al., Analysis of symbolic sequences using the
//     Jensen-Shannon divergence, 2002). If cells have few values, its mean and variance are
//     those of random divisions of all values between the sides, exactly (permutation test);
//   - Smirnov's test (1948) for the Kolmogorov-Smirnov distance.
//
// Records are assumed to be independent. The values of one record are not: they count as one.
// Weights are ignored.
package drift
