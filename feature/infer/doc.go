// Package infer infers a spec from records: the type of each feature, whether it always
// has the same number of values, and which int64 features are not data but partition the
// values of others into rows.
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
// The spec parses every record that was added. For other records of the same origin it
// is a guess; Report gives the evidence.
//
// # Features
//
// A feature that every record has, with the same number of values, is FixedLen: a
// scalar if that number is 1, else a vector if at least two records have it. The same
// rule for the steps of a feature list gives FixedLenSequence. Any other feature is
// VarLen, or Ragged if the options say so. A feature with values of different types, or
// without values in all records, is omitted.
//
// # Partitions
//
// TensorFlow stores ragged data as flat values and int64 features that partition them
// into rows. Records do not say which feature partitions which. So infer tries every
// int64 feature as each of the five encodings against the values of every other
// feature, and against the rows of every other partition, for nested partitions:
//
//	row_splits      ascend from 0 to the number of items
//	row_lengths     add up to the number of items
//	row_limits      ascend to the number of items
//	row_starts      ascend from 0 and stay within the number of items
//	value_row_ids   ascend; one for each item
//
// where an item is a value, a row of another partition, or a block of k values (then the
// innermost partition is a uniform_row_length k). A wrong pair removes a column, so infer
// accepts a pair only if it holds in every record and an accident is unlikely:
//
//   - In some record it has two or more rows, and one of them has two or more items.
//     Lists of zeros and ones are more often flags than lengths, 1 2 3 4 fit as limits
//     of anything, and zeros are not evidence for row_starts.
//   - It holds for enough different numbers of items. The required number depends on the
//     encoding, since row_splits rarely fit by accident, and on names: "steps/lengths"
//     probably partitions "steps/words", and "…/lengths" are probably lengths. If both
//     names agree, one number is enough; row_lengths with other names need three.
//   - row_starts and value_row_ids must have names that say so. row_starts only bound
//     the number of items, and any ascending feature may be value_row_ids of a feature
//     of the same length, such as BERT's token_type_ids. The last rows of row_starts may
//     have at most half of the items, and row_starts must not fit the items of some other records.
//   - A list that always has the same number of rows must have a name that says so, if
//     it would be row_limits or if only the number of items varies. A crop [0, n], a
//     shape [n, 0] and a span [start, n] are such lists and are not partitions.
//
// A pair that holds without this evidence is reported, and so is a pair that would
// partition its rows. Both features stay columns.
//
// If several partitions fit the same values, infer chooses the one with the most similar
// name, then row_splits before row_lengths, row_limits, value_row_ids and row_starts, then
// the first name. The others are reported. One partition may partition several features. A
// feature that is a partition is not a column.
//
// TensorFlow Datasets names the values of a ragged feature X X/ragged_flat_values, and
// its row lengths X/ragged_row_lengths_0 and so on, the outermost first. These names
// decide: such pairs are accepted if they hold, and no other pairs of these features are.
//
// In random sets of 1,000 records and more, these rules distinguish flags, positions and
// sums from partitions: see TestPlanted. A feature that counts the items of a list, as a
// bag of words counts its tokens, has the same sum as row_lengths and is mistaken for them.
//
// # Limits
//
// Memory does not grow with the number of records. It is a few hundred bytes per
// name, at most 16,384 pairs that may still hold, up to 100 times the size of the current
// record, and counts for up to 128 records (steps, examples) since the last new feature
// appeared, or fewer records if they have more than 65,536 features together. Only
// features that first appear within the same 128 records are tried against each other:
// the first 1,000 int64 features as partitions, and of the pairs that do not fail at
// once the first 65,536, those with similar names first. A record that would add more
// names than Options.MaxFeatures is an error.
package infer
