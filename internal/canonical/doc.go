// Package canonical reads messages in canonical encoding, which every known writer produces. It is
// four to eight times as fast as a general reader, because it knows which field comes next.
//
// The module distinguishes three encodings, each a special case of the encoding above it:
//
//   - Any encoding: all bytes that protobuf decodes, for example fields in any order, unpacked numbers,
//     several lists in one Feature, which protobuf merges. Only package example reads it.
//   - Canonical encoding: in a map entry the key before its value, and no key twice in a map; in a Feature
//     one list, or nothing; numbers packed in one chunk; tags of one byte. Lengths and varints may have padding.
//   - Shortest canonical encoding: canonical, and no length or varint has padding, and an empty list has no empty
//     chunk. Each value has exactly one such encoding. [Measure] and [ShortestSteps] check it, and package message
//     rewrites values to it.
//
// All three concern values and map entries. The command compares and hashes whole messages in one more
// form (cmd/tfparse/internal/content): features sorted by name, values in their shortest canonical encoding,
// and no unknown fields.
//
// The package has layers; each uses the layers above it:
//
//	Int64, Bytes, AppendFloats, …    the values of one Feature
//	Int64Steps, BytesStep, …         the steps of one feature list, many at a time
//	Index, Walk                      the values of known keys in maps of features or feature lists
//	Names                            a Walk that learns new keys
//
// CheckExample, CheckSequence and CheckList check whole messages. Package message uses Walk and Names to
// split messages into entries.
//
// No function rejects a message for good. Each may report that a message is not canonical; then the
// caller takes the slow path, package example, which reads every encoding. The invariant is that a
// message accepted here has the same meaning there; tests compare the two.
package canonical
