// Package infer makes a spec by looking at records: the type of every feature,
// whether it always has as many values, and which int64 features are not data but
// say how others are partitioned into rows.
//
//	in := infer.New(example.TypeExample, nil)
//	for record, err := range r.All() {
//		…
//		if err := in.Add(record); err != nil {
//			return r.WrapError(err)
//		}
//	}
//	spec, err := in.Spec()
//	fmt.Fprint(os.Stderr, in.Report())
//
// The spec parses every record that was added. Of other records of the same
// origin it is a guess, and Report says what it rests on.
//
// # Features
//
// A feature that every record has, always with the same number of values, is
// FixedLen: a scalar if that number is 1, and a vector if it is another one and
// more than one record says so. In the feature lists of a SequenceExample the
// same goes for steps, and gives FixedLenSequence. Everything else is VarLen, or
// Ragged if the options say so. A feature with values of different types, or never
// with any, is left out.
//
// # Partitions
//
// TensorFlow keeps ragged data as flat values and int64 features that partition them into
// rows, and nothing in a record says which partitions which. So every int64 feature is
// tried as each of the five encodings against the values of every other, and
// against the rows that every other would make, where rows are partitioned again:
//
//	row_splits      ascend from 0 to the number of items
//	row_lengths     add up to the number of items
//	row_limits      ascend to the number of items
//	row_starts      ascend from 0 and stay within the number of items
//	value_row_ids   ascend; one for each item
//
// where items are values, rows of another partition, or blocks of k values (then the
// innermost partition is a uniform_row_length k). A wrong pair takes a column away, so
// one is only believed if it holds in every record, and then only if that is no accident:
//
//   - It says something in some record: there are two or more rows, and one of them
//     has two or more items. Lists of zeros and ones are flags more often than lengths,
//     1 2 3 4 are limits of anything, and zeros are no row_starts.
//   - It holds for enough different numbers of items. How many depends on the
//     encoding, row_splits being hard to meet by accident, and on names:
//     "steps/lengths" is expected to partition "steps/words", and "…/lengths" to be lengths.
//     One is enough where both agree, three are needed for unnamed row_lengths.
//   - row_starts and value_row_ids have names that say so. row_starts only bound the
//     number of items, and every feature that ascends may be value_row_ids of those
//     beside it, as BERT's token_type_ids are. row_starts must also leave no more
//     than half of the items to the last rows, and be too large for some other records.
//   - A list that always has the same number of rows has a name that says so, if it is
//     row_limits, or if only the number of items varies in it. A crop [0, n], a shape
//     [n, 0] and a span [start, n] are such lists, and no partitions.
//
// A pair that holds without that is reported, and what would partition its rows, too. It stays
// a column, and so do the values.
//
// Where several partitions fit the same values, that of the closest name is taken,
// then row_splits before row_lengths, row_limits, value_row_ids and row_starts, then
// the first name. The others are reported. One partition may partition several features. A
// feature that is used as a partition is no column of its own.
//
// TensorFlow Datasets calls the values of a ragged feature X X/ragged_flat_values, and
// its row lengths X/ragged_row_lengths_0 and so on, the outermost first. Such names
// decide: those pairs are believed if they hold, whatever they say, and no others are.
//
// Flags, positions and sums are distinguished from partitions by these rules in random sets of
// 1,000 records and more, see TestPlanted. What counts the items of a list, as a bag of
// words counts its tokens, adds up as row_lengths do, and is taken for them.
//
// # Limits
//
// Memory does not grow with the number of records. It holds some hundred bytes for
// each name, at most 16,384 pairs that may still hold, up to 100 times the record
// at hand, and, since the last new feature appeared, up to 128 records (steps,
// examples) of counts, or fewer where they have more than 65,536 features together.
// Only features that appear for the first time within the same such 128 records are
// tried against each other: of those the first 1,000 of type int64 as partitions, and
// of the pairs that do not fail at once 65,536, those of close names first. A record
// that would bring more names than Options.MaxFeatures is an error.
package infer
