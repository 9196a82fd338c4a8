// Package content gives records in one form: two records have the same content if and only if
// that form is the same bytes, however a writer ordered and packed them. Verbs compare records
// and hash them by it.
//
// The form is the message in protobuf's deterministic encoding, as [example.Example],
// [example.Sequence] and [example.ExampleList] encode themselves after decoding:
//
//   - features and feature lists sorted by the bytes of their names, each name once: of a repeated
//     name the last one counts, as everywhere in package example
//   - numbers packed, every varint and every length as short as possible
//   - no unknown fields; no map of features, or of feature lists, that is empty
//
// A feature that is absent, one without a kind, and one of a kind without values differ, as they
// do for TensorFlow. Floats are compared by their bits: 0 and -0 differ, and so do two NaNs with
// different bits. A context of an ExampleListWithContext that is empty differs from none.
// The form of a record of type raw is the record.
package content
