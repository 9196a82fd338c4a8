// Package slicingpb is the generated Go of slicing_spec.proto: the SlicingConfig
// of tfx_bsl, which says how a data set is sliced, in its wire form and with its
// text form, under names of our own.
package slicingpb
