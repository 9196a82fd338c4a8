// Package record checks single records against a schema. A record is one encoded Example,
// SequenceExample or ExampleListWithContext, from a file or from a request.
//
//	checker, err := record.NewChecker(schema, nil)
//	…
//	for _, f := range checker.Check(msg) {
//		log.Print(f)
//	}
//
// A Checker does not check rules about a whole data set: fractions below 1, numbers of
// examples, numbers of different values, distributions. It checks for each record:
//
//   - The bytes are a valid message.
//   - Every feature is in the schema and in the environment.
//   - Features with a min_fraction of 1 or with a shape are present.
//   - Types, shapes, and the number of values at each level of nesting.
//   - Domains of values: ranges, NaN and infinities, strings, booleans, numbers written
//     as strings, images and their sizes, URLs, times, tokens and their number in a
//     sequence, dimensions of embeddings.
//   - The parts of a sparse or weighted feature have the same length.
//   - Row partitions: lengths add up, splits ascend, each level fits the next, and the
//     number of items is a multiple of a uniform row length. Partitions come from the
//     tensors of the schema, from the Ragged columns of a spec, and from pairs that
//     package feature/infer found in records.
//   - The record parses with the spec, if one is given.
//   - Rules of package expr about records, such as len(labels) == len(boxes).
//
// In an ExampleListWithContext the context and each example are checked separately. As in
// statistics, the schema has the features of the examples in the struct ##EXAMPLES##.
// Findings contain the index of the example.
//
// A Checker is immutable and safe for concurrent use. For a record without findings, Check
// allocates only the memory that parsing with Options.Spec needs.
package record
