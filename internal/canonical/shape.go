package canonical

// The shape of a message is a hash of the names of its features, of the parts that they stand
// in, and of their kinds; of a feature list, of the kinds that its steps have. Their order and
// their values do not count. Messages with the same names and kinds have the same shape. Two others
// have the same one by chance alone: with a probability of about 2^-60, or 2^-31 for two names
// whose hashes may be equal. Shapes differ from process to process.
//
// The shape is a by-product of the check that no name stands twice. With it the command's verify looks at
// the names of few messages; to look at those of all took 35% more time. summary.TestKinds in the command
// compares the two.

// ExampleShape is [CheckExample], and returns the shape of the message.
func ExampleShape(msg []byte) (shape uint64, ok bool) { return checkExample(msg, nil) }

// SequenceShape is ExampleShape for a SequenceExample.
func SequenceShape(msg []byte) (shape uint64, ok bool) { return checkSequence(msg, nil) }

// ListShape is ExampleShape for an ExampleListWithContext, whose examples count as one part: the
// shape has each feature of each example.
func ListShape(msg []byte) (shape uint64, ok bool) { return checkList(msg, nil) }
