// Package record checks single records against a schema: the bytes of one Example,
// SequenceExample or ExampleListWithContext, as they came from a file or with a request.
//
//	checker, err := record.NewChecker(schema, nil)
//	…
//	for _, f := range checker.Check(msg) {
//		log.Print(f)
//	}
//
// Rules about a whole data set are not checked: fractions below 1, numbers of
// examples, different values, distributions. These are checked in each record:
//
//   - the bytes are valid;
//   - every feature is in the schema, and in the environment;
//   - those with a min_fraction of 1, or a shape, are there;
//   - types, numbers of values at each level of nesting, shapes;
//   - values are in their domains: ranges, NaN and infinities, strings, booleans,
//     numbers written as strings, sizes of images; images, URLs and times; tokens and their
//     number in a sequence; dimensions of embeddings;
//   - the parts of sparse and weighted features are of one length;
//   - row partitions: lengths add up, splits ascend, and each level fits the next; the
//     number of items is a multiple of a uniform row length. Partitions come from the tensors of
//     the schema, from the Ragged columns of a spec, and from pairs that package
//     feature/infer found in records without a declaration;
//   - the record parses with the spec, if there is one;
//   - rules of package expr about records, such as len(labels) == len(boxes).
//
// In an ExampleListWithContext all of that is checked in the context, and of every example
// by itself. As in statistics the features of the examples stand in the struct
// ##EXAMPLES## of the schema, and findings say in which example they are.
//
// A Checker is immutable and safe for all goroutines. Check allocates nothing for a
// record without findings, but what parsing with Options.Spec needs.
package record
