package canonical

// The shape of a message is a hash of the names of its features, of the parts that they stand
// in, and of their kinds; of a feature list, of the kinds that its steps have. Their order and
// their values do not count. Messages with the same names and kinds have the same shape, others
// have the same one by chance alone: once in 2^60 pairs, and two names in one message have
// the same hash once in 2^31. Shapes differ from process to process. It is a by-product of
// the check that no name stands twice, and saves a look at every name of every message.

// ExampleShape is [CheckExample], and returns the shape of the message.
func ExampleShape(msg []byte) (shape uint64, ok bool) { return checkExample(msg, nil) }

// SequenceShape is ExampleShape for a SequenceExample.
func SequenceShape(msg []byte) (shape uint64, ok bool) { return checkSequence(msg, nil) }

// ListShape is ExampleShape for an ExampleListWithContext, whose examples count as one part: the
// shape has each feature of each example.
func ListShape(msg []byte) (shape uint64, ok bool) { return checkList(msg, nil) }
