// Package specprint writes specs as code: a Go literal, or a Python module that
// parses the same records with TensorFlow into the same tensors.
//
// (A spec as JSON is feature.Spec.MarshalJSON, as a schema of TensorFlow Metadata
// featurepb.ToSchema.)
//
// Equal specs give equal text, and what is printed is all of the spec. A spec that
// is not sound is an error.
package specprint
