package rules

import pb "github.com/tfparse/tfparse/proto/metadatapb"

// compareTexts are about distances from other data sets, slices, and numbers of examples. A verb counts its argument.
var compareTexts = struct {
	highLinf, highDifference, highDivergence, noControl, newSlice, lostSlice, notLabels, noDivergence, fewValues text
	noExamplesBefore, highRatio, lowRatio, fewExamples, manyExamples                                             text
}{
	highLinf: text{
		kind:  pb.AnomalyInfo_COMPARATOR_L_INFTY_HIGH,
		short: "High Linfty distance between %[1]s and %[2]s",
		long: "The Linfty distance between %[1]s and %[2]s is %[3]s (up to six significant digits), above the threshold " +
			"%[4]s. The feature value with maximum difference is: %[5]s",
		native: "The L-infinity distance between the %[1]s and the %[2]s data is %[3]s, where at most %[4]s is allowed. The " +
			"share of \"%[5]s\" differs most.",
		want: "a distance of at most %[4]s", got: "%[3]s",
	},
	highDifference: text{
		kind:  pb.AnomalyInfo_COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH,
		short: "High normalized absolute difference between %[1]s and %[2]s",
		long: "The normalized absolute difference between %[1]s and %[2]s is %[3]s (up to six significant digits), above the " +
			"threshold %[4]s. The feature value with maximum difference is: %[5]s",
		native: "The normalized absolute difference between the %[1]s and the %[2]s data is %[3]s, where at most %[4]s is " +
			"allowed. The count of \"%[5]s\" differs most.",
		want: "a distance of at most %[4]s", got: "%[3]s",
	},
	highDivergence: text{
		kind:  pb.AnomalyInfo_COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH,
		short: "High approximate Jensen-Shannon divergence between %[1]s and %[2]s",
		long: "The approximate Jensen-Shannon divergence between %[1]s and %[2]s is %[3]s (up to six significant digits), " +
			"above the threshold %[4]s.",
		native: "The Jensen-Shannon divergence between the %[1]s and the %[2]s data is %[3]s%[5]s, where at most %[4]s is allowed.",
		want:   "a distance of at most %[4]s", got: "%[3]s",
	},
	noControl: text{
		kind:   pb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING,
		short:  "%[1]s data missing",
		long:   "%[1]s data is missing.",
		native: "The %[1]s data do not have the feature, so that no distance was measured.",
		want:   "%[1]s data", got: "none",
	},
	newSlice: text{
		kind:   pb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING,
		short:  "New slice",
		native: "The %[1]s data have %[3]s of %[4]s records in the slice, and the %[2]s data have none%[5]s.",
		want:   "records in the slice in the %[2]s data", got: "none",
	},
	lostSlice: text{
		kind:   pb.AnomalyInfo_COMPARATOR_TREATMENT_DATA_MISSING,
		short:  "Slice missing",
		native: "The %[2]s data have %[3]s of %[4]s records in the slice, and the %[1]s data have none%[5]s.",
		want:   "records in the slice in the %[1]s data", got: "none",
	},
	notLabels: text{
		kind:    pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:   "Distance not applicable",
		warning: true,
		native: "infinity_norm and normalized_abs_difference compare labels, and the feature has none in the %[1]s or the " +
			"%[2]s data: use jensen_shannon_divergence for numbers.",
		want: "labels in both data sets", got: "none in the %[1]s or the %[2]s data",
	},
	noDivergence: text{
		kind:    pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:   "Distance not applicable",
		warning: true,
		native:  "jensen_shannon_divergence needs labels, or histograms of numbers, in the %[1]s and in the %[2]s data.",
		want:    "labels, or histograms of numbers, in both data sets", got: "none in the %[1]s or the %[2]s data",
	},
	fewValues: text{
		kind:    pb.AnomalyInfo_STATS_NOT_AVAILABLE,
		short:   "Too few values",
		warning: true,
		native:  "The %[1]s or the %[2]s data have too few values to compare by jensen_shannon_divergence.",
		want:    "at least 5 values in both data sets", got: "fewer",
	},
	noExamplesBefore: text{
		kind:   pb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES,
		short:  "High num examples in current dataset versus the %[1]s, which has 0.",
		long:   "The %[1]s has 0 examples, so there is a high number of examples in the current dataset versus the %[1]s.",
		native: "The %[1]s has no examples, and the current data set has some.",
		want:   "examples in the %[1]s", got: "none",
	},
	highRatio: text{
		kind:  pb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES,
		short: "High num examples in current dataset versus the %[1]s.",
		long: "The ratio of num examples in the current dataset versus the %[1]s is %[2]s (up to six significant digits), " +
			"which is above the threshold %[3]s.",
		native: "The data set has %[2]s times as many examples as the %[1]s, where at most %[3]s is expected.",
		want:   "at most %[3]s times as many examples as the %[1]s", got: "%[2]s",
	},
	lowRatio: text{
		kind:  pb.AnomalyInfo_COMPARATOR_LOW_NUM_EXAMPLES,
		short: "Low num examples in current dataset versus the %[1]s.",
		long: "The ratio of num examples in the current dataset versus the %[1]s is %[2]s (up to six significant digits), " +
			"which is below the threshold %[3]s.",
		native: "The data set has %[2]s times as many examples as the %[1]s, where at least %[3]s is expected.",
		want:   "at least %[3]s times as many examples as the %[1]s", got: "%[2]s",
	},
	fewExamples: text{
		kind:   pb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES,
		short:  "Low num examples in dataset.",
		long:   "The dataset has %[1]s examples, which is fewer than expected.",
		native: "The dataset has %[1]s examples, where at least %[2]d are expected.",
		want:   "at least %[2]d examples", got: "%[1]s",
	},
	manyExamples: text{
		kind:   pb.AnomalyInfo_DATASET_HIGH_NUM_EXAMPLES,
		short:  "High num examples in dataset.",
		long:   "The dataset has %[1]s examples, which is more than expected.",
		native: "The dataset has %[1]s examples, where at most %[2]d are expected.",
		want:   "at most %[2]d examples", got: "%[1]s",
	},
}
