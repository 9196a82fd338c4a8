// Package metadatapb is the generated Go of path.proto, derived_feature.proto
// and schema.proto: the Schema of TensorFlow Metadata, in its wire form and with
// its text form, under names of our own.
//
// Package feature/featurepb makes specs of it. Text that protobuf-go writes
// varies between builds on purpose: do not compare it.
package metadatapb
