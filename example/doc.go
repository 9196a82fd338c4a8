// Package example decodes and encodes the messages that TensorFlow keeps its
// training data in: Example, SequenceExample and ExampleListWithContext. It
// works on bytes and needs no protobuf runtime.
//
// # Messages
//
// All three are maps from names to lists of values, on the wire:
//
//	Example                 0A len Features
//	SequenceExample         0A len Features (context)   12 len FeatureLists
//	ExampleListWithContext  0A len Example, repeated    12 len Example (context)
//	Features                0A len entry, repeated      entry: 0A len name  12 len Feature
//	FeatureLists            0A len entry, repeated      entry: 0A len name  12 len FeatureList
//	FeatureList             0A len Feature, repeated    each is a step
//	Feature                 one of 0A len BytesList, 12 len FloatList, 1A len Int64List, or nothing
//	BytesList               0A len bytes, repeated
//	FloatList               0A len packed, 4 bytes each, little-endian; or 0D and 4 bytes, repeated
//	Int64List               0A len packed varints; or 08 varint, repeated
//
// {"a": int64 [1, 2]} is 0A 0D 0A 0B 0A 01 61 12 06 1A 04 0A 02 01 02.
//
// A feature may be absent, or present without a kind ([Unset]), or of a kind
// without values. TensorFlow treats the three differently, and so does this
// package. Fields and entries may come in any order and repeat; of a
// repeated name the last feature counts. The concatenation of two encodings is
// one message with the entries of both, unless both are lists with a context.
//
// # Three ways to read
//
// A [Scanner] walks the encoded features, in wire order, and allocates nothing;
// [Feature.AppendInt64s], AppendFloats and AppendBytes append the values of a feature to slices
// of the caller. [MessageType.Collect] and [MessageType.Lookup] treat the message as a
// map: names sorted, repeated names resolved. [Example], [Sequence] and
// [ExampleList] own their data and are the most convenient; they have methods to
// encode. A [Builder] encodes an Example without a map.
//
// # Editing encoded messages
//
// An [Edit] sets, renames and deletes single features of an encoded message and copies
// the rest byte for byte, at about the speed of scanning it.
//
// # Lifetimes
//
// A Scanner, a Feature, a FeatureList, an Entry, and the []byte that they return are lent: they alias the message,
// and are valid until it changes. Values of an owned form never alias a message. Views and owned forms may be read
// by several goroutines; a Scanner, a Builder and an Edit are for one goroutine.
//
// # Which bytes are accepted
//
// TensorFlow's parser is not a conforming protobuf decoder, and the two disagree
// on unusual and damaged bytes. Bytes that both read alike are accepted; bytes
// that one refuses are accepted only if nothing was dropped, clamped or wrapped to
// read them; bytes that they read differently are refused with [ErrAmbiguous].
// DIALECT.md in this folder has the details, the function of each
// check, and every difference from TensorFlow with its reason and its test.
//
// The content of a feature is checked only when it is decoded. A feature that is
// not decoded may contain anything, as long as the fields around it are valid; to
// check everything, call [MessageType.Validate].
//
// # Encoding
//
// Encodings are deterministic: names are sorted by their bytes, lists packed, keys before
// values, and empty messages omitted. protobuf-go writes the same bytes with its option
// Deterministic.
//
// # Limits
//
// No allocation is sized by a number in the message alone: lists grow with their
// values. An encoded message has at most 2 GiB - 1 bytes, the limit of protobuf. Groups
// in unknown fields nest at most 10,000 deep.
package example
