// Package featurepb reads specs from TensorFlow's own protocol buffers, and writes
// them.
//
// # Schemas
//
// FromSchema reads the Schema of TensorFlow Metadata that TensorFlow Data
// Validation and TensorFlow Extended keep beside a data set, schema.pbtxt or
// schema.pb. The columns are those that TensorFlow Extended makes of the data
// (tfx_bsl 1.16.1 decides):
//
//   - A tensor of the tensor_representation_group whose key is "" becomes
//     FixedLen (dense_tensor), VarLen (varlen_sparse_tensor), Sparse
//     (sparse_tensor) or Ragged (ragged_tensor), and the types of its features say
//     which values it has. Other groups are not looked at.
//   - What that group does not read gets the tensor that the feature asks for: a
//     sparse_feature is Sparse, with 1 + the maximum of the int_domain of each index
//     as its size; a feature with a shape is FixedLen, and then its
//     presence.min_fraction must be 1; any other is VarLen, or Ragged without
//     partitions if the schema sets represent_variable_length_as_ragged. Features
//     that are deprecated, or whose lifecycle_stage says that they should not be read
//     them, are left out.
//   - A feature ##SEQUENCE## of type STRUCT makes it the schema of
//     SequenceExamples: the features in its struct_domain are the feature lists,
//     which become Ragged, and all others are the context.
//
// Columns of FixedLen and VarLen are called by their feature, others by their
// tensor. A default stands at every place of the shape.
//
// Where TensorFlow Extended takes a schema and its parser then fails on every
// record, or a value is silently dropped, FromSchema fails: features and
// tensors that are given twice, a partition or an index that is not of type INT,
// a sparse tensor whose size is not known, a default outside of its type. It does
// not look at features that the group reads already, where TensorFlow Extended
// wants even those to make sense by themselves. Row splits are int64 whatever
// row_partition_dtype says.
//
// ToSchema is the inverse. A schema has no FixedLenSequence, only two of the
// six partitions, nothing but Ragged for feature lists, and no list of examples.
//
// # Parser configurations
//
// FromParserConfig reads an ExampleParserConfiguration, which knows FixedLen and
// VarLen. As TensorFlow's Python writes it, a shape whose first dimension is -1 is a
// FixedLenSequence, and a default without values is none. The names of output
// tensors are not kept.
//
// # Limits
//
// Whether the input is text or binary is found by looking at it. Unknown fields
// are errors that name them. Messages nest at most 100 deep, as in protobuf's other
// implementations; the defaults of a document have at most 2^20 values together; of its
// faults at most 100 are reported. Memory is a multiple of the size of the input and of the
// defaults.
//
// The package links the protobuf runtime. It registers names of our own only.
package featurepb
