// Package content encodes records in a normal form, by which verbs compare and hash records. Two records have the same
// content if and only if their normal forms are the same bytes, however a writer ordered and packed them.
//
// The normal form is the message in protobuf's deterministic encoding, as [example.Example], [example.Sequence] and
// [example.ExampleList] encode themselves after decoding:
//
//   - features and feature lists sorted by the bytes of their names, each name once: of a repeated
//     name the last one counts, as everywhere in package example
//   - numbers packed, every varint and every length as short as possible
//   - no unknown fields; no map of features, or of feature lists, that is empty
//
// An absent feature, a feature without a kind and a feature of a kind without values differ, as they do in TensorFlow. Floats are compared by their bits: 0 and -0 differ, and so do two NaNs with
// different bits. An empty context of an ExampleListWithContext differs from an absent one.
// The normal form of a record of type raw is the record.
package content
