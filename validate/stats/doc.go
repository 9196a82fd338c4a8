// Package stats makes statistics of records, in one pass and mergeable, in the
// messages of TensorFlow Metadata: what TensorFlow Data Validation calls
// generate_statistics, without TensorFlow.
//
//	acc, err := stats.New(nil)
//	...
//	for rec, err := range r.All() {
//		...
//		if err := acc.Add(rec); err != nil {
//			log.Print(r.WrapError(err)) // where it is; it adds nothing, and counts as bad
//		}
//	}
//	list, err := acc.Statistics()
//
// # What is described
//
// Each feature has its type, presence and numbers of values; numbers have mean,
// deviation, zeros, minimum, median and maximum, and histograms of equal width and
// equal weight; strings have the number of different ones, the most frequent ones,
// lengths, and the number of those that are not UTF-8. Statistics can be weighted,
// and made of slices of the data. A Schema says which numbers are categories, which
// bytes are images, and which features belong together.
//
// Options.SampleRate describes a part of the records, which is the same whatever their
// order. Accumulator.Detailed returns details that the messages cannot hold:
// integers that no float64 equals.
//
// A feature is named by its path: one step for a feature of an Example or a
// context, and two for the others. The feature lists of a SequenceExample are
// children of a struct called ##SEQUENCE##, as in TensorFlow Data Validation; the
// features of the examples of an ExampleListWithContext are children of a struct
// called ##EXAMPLES##, which has as many values as there are examples. A child is
// missing where its parent has a value and it has none.
//
// # Merging
//
// An Accumulator is added to with Add or Merge, written with MarshalBinary and
// read with UnmarshalBinary. The same records, split in the same way and merged
// in the same order, give the same bytes, on any machine. Split in another way
// they give the same counts, means and deviations within 1e-12, and what is estimated within its error.
//
// # Memory
//
// Each feature has a bound, and never takes much more than the values that it was given:
//
//   - numbers take at most 0.3 MB: quantiles are exact while there are at most 8,192 different
//     ones, whatever their number. Then a KLL sketch keeps them, and ranks are off by at most 0.0004 of
//     all values, but for one in a thousand. As much again is taken for weights;
//   - strings take at most 6.5 MB: they are counted exactly while there are at most 65,536 different ones
//     and 4 MiB of text. Then counts are never too small, and too large by at most one thousandth of the number of
//     values, or two parts in as many labels as 4 MiB hold; rare labels are left out, and those of half a MiB and
//     more; and the number of different labels has a standard error of 0.8 percent.
//
// Accumulator.Errors says what they have come to. There is one of these for each feature, and one more in each slice
// that has the feature. Options.MaxFeatures bounds their number: a record that brings one too many ends the run with
// ErrFeatures. So many names are most likely data, as where each word of a text is the name of a feature.
//
// # TensorFlow Data Validation
//
// DIFFERENCES.md in this folder lists the differences from what TensorFlow Data Validation 1.16.1 gives, whose tools read the
// messages all the same.
//
// An Accumulator belongs to one goroutine.
package stats
