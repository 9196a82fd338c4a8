package specprint

import "github.com/tfparse/tfparse/example"

// pythonHead and pythonTail are the text before and after the features.
var pythonHead = map[example.MessageType]string{
	example.TypeExample:  `"""Parses tf.train.Example records."""` + "\nimport tensorflow as tf\n\n",
	example.TypeSequence: `"""Parses tf.train.SequenceExample records."""` + "\nimport tensorflow as tf\n\n",
	example.TypeExampleList: `"""Parses ExampleListWithContext records, as TensorFlow Ranking has them."""` +
		"\nimport tensorflow as tf\nfrom google.protobuf import descriptor_pb2\n\n",
}

var pythonTail = map[example.MessageType]string{
	example.TypeExample: `

def parse(serialized):
    """Parses a vector of records: a dict of tensors by name."""
    return tf.io.parse_example(serialized, FEATURES)
`,
	example.TypeSequence: `

def parse(serialized):
    """Parses a vector of records: dicts of the context, of the feature lists, and of the lengths of dense feature lists."""
    return tf.io.parse_sequence_example(serialized, CONTEXT or None, SEQUENCE or None)
`,
	example.TypeExampleList: `

def _split(serialized):
    """Splits records into their contexts and a ragged tensor of their examples, both still serialized."""
    source = descriptor_pb2.FileDescriptorSet()
    file = source.file.add(name="lists.proto", package="lists", syntax="proto2")
    message = file.message_type.add(name="List")
    message.field.add(name="context", number=2, label="LABEL_OPTIONAL", type="TYPE_BYTES")
    message.field.add(name="examples", number=1, label="LABEL_REPEATED", type="TYPE_BYTES")
    sizes, (context, examples) = tf.io.decode_proto(serialized, "lists.List", ["context", "examples"], [tf.string, tf.string],
                                                    descriptor_source=b"bytes://" + source.SerializeToString())
    return tf.reshape(context, [-1]), tf.RaggedTensor.from_tensor(examples, lengths=sizes[:, 1])


def _group(column, lists):
    """Puts what was parsed of single examples back into the lists that they came from."""
    if not isinstance(column, tf.SparseTensor):
        return lists.with_values(column)
    example = column.indices[:, :1]
    record = tf.gather(lists.value_rowids(), example)
    indices = tf.concat([record, example - tf.gather(lists.row_starts(), record), column.indices[:, 1:]], axis=1)
    shape = tf.concat([lists.bounding_shape(out_type=tf.int64), column.dense_shape[1:]], axis=0)
    return tf.SparseTensor(indices, column.values, shape)


def parse(serialized):
    """Parses a vector of records: dicts of the context and of the examples, whose tensors have the examples as second axis."""
    context, lists = _split(serialized)
    columns = tf.io.parse_example(lists.values, EXAMPLES) if EXAMPLES else {}
    return (tf.io.parse_example(context, CONTEXT) if CONTEXT else {}, {name: _group(c, lists) for name, c in columns.items()})
`,
}
