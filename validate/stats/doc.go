// Package stats computes statistics of records as messages of TensorFlow Metadata, like generate_statistics of TensorFlow
// Data Validation, without TensorFlow. It reads each record once, and statistics of parts can be merged.
//
//	acc, err := stats.New(nil)
//	...
//	for rec, err := range r.All() {
//		...
//		if err := acc.Add(rec); err != nil {
//			log.Print(r.WrapError(err)) // adds the position; the record is rejected
//		}
//	}
//	list, err := acc.Statistics()
//
// # Contents
//
// Each feature has its type, presence and numbers of values. Numbers have their mean, standard deviation, number of zeros,
// minimum, median and maximum, and histograms of equal width and equal weight. Strings have the number of distinct values, the
// most frequent values, the average length, and the number of values that are not UTF-8. Statistics can be weighted, and
// computed for slices of the data. A Schema specifies which numbers are categories, which bytes are images, and which
// features form sparse and weighted features.
//
// Options.SampleRate selects a sample of the records that does not depend on their order. Accumulator.Detailed also returns facts
// that the messages cannot represent, such as integers that are not exact in a float64.
//
// A feature is identified by its path: one step for a feature of an Example or a context, and two steps for other features. The
// feature lists of a SequenceExample are children of a struct called ##SEQUENCE##, as in TensorFlow Data Validation. The
// features of the examples of an ExampleListWithContext are children of a struct called ##EXAMPLES##, whose values are the
// examples. A child counts as missing once for each value of its parent that lacks the child.
//
// # Merging
//
// Add and Merge add to an Accumulator; MarshalBinary encodes it and UnmarshalBinary decodes it. The same records, split in the
// same way and merged in the same order, give the same bytes on any machine. Split in another way, they give the same
// counts, means and deviations within 1e-12, and estimates within their errors.
//
// # Memory
//
// The memory of each feature is bounded, and never much more than its values take:
//
//   - Numbers take at most 0.3 MB. Quantiles are exact up to 8,192 distinct numbers. Above, a KLL sketch has a rank error of
//     at most 0.0004, except for one rank in a thousand. Weights take the same memory again.
//   - Strings take at most 6.5 MB. They are counted exactly up to 65,536 distinct values and 4 MiB of text. Above, counts are
//     too large by at most one thousandth of the number of values, or 2/n of that number if only n labels fit into 4 MiB, and never
//     too small. Rare labels are left out, and so are labels above half a MiB. The number of distinct labels has a standard
//     error of 0.8 percent.
//
// Accumulator.Errors returns the actual errors. A feature takes this memory once, and once more in each slice that contains it.
// Options.MaxFeatures limits the sum: the run ends with ErrFeatures at the first record that exceeds it. So many names are most
// likely data, for example if each word of a text is the name of a feature.
//
// # TensorFlow Data Validation
//
// DIFFERENCES.md in this folder lists the differences from the statistics of TensorFlow Data Validation 1.16.1, whose tools can
// read the messages.
//
// An Accumulator must be used by one goroutine at a time.
package stats
