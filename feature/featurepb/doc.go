// Package featurepb converts specs from and to TensorFlow's own protocol buffers.
//
// # Schemas
//
// FromSchema reads the Schema of TensorFlow Metadata, which TensorFlow Data Validation
// and TensorFlow Extended store with a data set as schema.pbtxt or schema.pb. The
// columns are those of TensorFlow Extended (tfx_bsl 1.16.1):
//
//   - A tensor of the tensor_representation_group with the key "" becomes FixedLen
//     (dense_tensor), VarLen (varlen_sparse_tensor), Sparse (sparse_tensor) or Ragged
//     (ragged_tensor), with the dtypes of its features. Other groups are ignored.
//   - A feature that no tensor of the group reads gets a default representation: a
//     sparse_feature is Sparse, with 1 + the maximum of the int_domain of each index as
//     its size; a feature with a shape is FixedLen, and its presence.min_fraction must
//     be 1; any other is VarLen, or Ragged without partitions if the schema sets
//     represent_variable_length_as_ragged. Features that are deprecated, or whose
//     lifecycle_stage excludes them, are omitted.
//   - A feature ##SEQUENCE## of type STRUCT makes the schema describe
//     SequenceExamples: the features in its struct_domain are the feature lists, which
//     become Ragged, and all others are the context.
//
// A FixedLen or VarLen column has the name of its feature, any other the name of its
// tensor. A default fills all values of a shape.
//
// FromSchema rejects some schemas that TensorFlow Extended accepts although its parser
// then fails on every record or silently drops a value: duplicate features and tensors,
// a partition or an index that is not of type INT, a sparse tensor of unknown size, a
// default outside its type. It does not check the representation of features that the
// group already reads; TensorFlow Extended does. Row splits are int64 regardless of
// row_partition_dtype.
//
// ToSchema is the inverse. A schema has no FixedLenSequence, only two of the six
// partitions, only Ragged for feature lists, and no list of examples.
//
// # Parser configurations
//
// FromParserConfig reads an ExampleParserConfiguration, which has only FixedLen and
// VarLen. As TensorFlow's Python writes it, a shape whose first dimension is -1 means
// FixedLenSequence, and a default without values means no default. The names of output
// tensors are ignored.
//
// # Limits
//
// The functions detect whether the input is text or binary. Unknown fields are errors.
// Messages nest at most 100 deep, as in other implementations of protobuf; the defaults
// of a document have at most 2^20 values in total; at most 100 faults of a document are
// reported. Memory is proportional to the size of the input and of the defaults.
//
// The package links the protobuf runtime. It registers only names of this module.
package featurepb
