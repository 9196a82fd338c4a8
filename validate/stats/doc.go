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
// integers that no float64 equals, and labels that are not UTF-8.
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
// they give the same counts, and means and deviations within 1e-12.
//
// # Memory
//
// Counts of different strings, the most frequent ones, and quantiles are exact
// until the accumulator has grown to Options.Memory. Then the largest parts
// become sketches, and what they say is no longer exact:
//
//   - quantiles are off in rank by at most a twelfth of Options.Epsilon of the
//     total, but for one in a thousand, and those with weights by a third; where
//     different numbers are a few thousand they stay exact;
//   - counts of labels are never too small, and too large by at most one
//     thousandth of the number of values, or two parts in as many labels as 4 MiB
//     hold; rare labels are left out, and those of half a MiB and more;
//   - the number of different labels has a standard error of 0.8 percent.
//
// Where that is not enough, the largest sketch becomes half as large, again and
// again, and its error twice: quantiles may be off by a tenth in the end, those with
// weights by more, as many labels are counted as Options.NumTopValues, none of them of
// more than 128 bytes, and the number of different ones is off by 6 percent.
// Accumulator.Errors says what they have come to.
//
// A feature of integers then takes 7 KB, one of labels 13 KB, and 11 KB more with a
// weight. This is reserved when the feature is first seen, and 1 KB in each slice: records
// with new features or slices that do not fit into the memory are refused with
// ErrMemory, and Merge leaves such features and slices out, and all that are new from
// then on. Slices that grow beyond it are left out, the last ones first. What one of two
// describes, and the other may have left out, Merge leaves out of both: so what is listed
// is described of all records, and memory stays bounded whatever the data.
//
// Size is what an accumulator takes: it may be above Options.Memory by what the last
// records have brought, which are looked at when they are a sixteenth of it, or 256 KiB.
// While it is merged into another one both are there. With Options.TFDV records of a
// batch are there, too.
//
// # TensorFlow Data Validation
//
// DIFFERENCES.md in this folder lists the differences. With Options.TFDV they are what TensorFlow Data Validation 1.16.1
// gives, with its median and histograms, its order of features, and its failures
// as errors: the first bad record, a feature of two types, or a missing weight
// ends the run.
//
// An Accumulator belongs to one goroutine.
package stats
