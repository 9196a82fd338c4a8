// Package specprint prints specs as code: as a Go literal, or as a Python module that
// parses the same records with TensorFlow into the same tensors.
//
// (feature.Spec.MarshalJSON prints a spec as JSON, and featurepb.ToSchema as a schema of
// TensorFlow Metadata.)
//
// Equal specs give equal text, and the text contains the whole spec. An invalid spec is
// an error.
package specprint
