// Package metadatapb is the generated Go of path.proto, derived_feature.proto,
// schema.proto, statistics.proto and anomalies.proto: the messages of TensorFlow
// Metadata, in their wire form and with their text form, under names of our own.
//
// Package feature/featurepb makes specs of a Schema. Text that protobuf-go
// writes varies between builds on purpose: do not compare it.
package metadatapb
