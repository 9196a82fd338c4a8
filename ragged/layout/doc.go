// Package layout says where the elements of a dense array lie in memory: XLA's
// shapes and layouts.
//
// # Model
//
// A [Shape] is an element type, sizes and a [Layout], or a tuple of shapes, or a
// token or an opaque value. A Layout lists the dimensions from the one that
// varies fastest in memory to the slowest:
//
//	a b c      minor_to_major [1 0], "dim 0 is major", the default:  a b c d e f
//	d e f      minor_to_major [0 1], "dim 0 is minor":               a d b e c f
//
// Dimensions may be padded to a larger size, or cut into tiles, which are stored
// one after another; then some cells of the buffer are no elements. The text
// form is XLA's:
//
//	f32[3,5]{1,0}             f32[3,5]{0,1:T(8,128)}             (f32[2]{0}, s32[])
//
// Parse and the constructors check everything, so a Shape that exists is sound:
// its sizes, in elements and in bytes, can be counted in an int64.
//
// # Use
//
// [Shape.Linear] and [Shape.MultiIndex] go from an index to a place in the buffer
// and back; [Shape.Logical] and [Shape.Memory] visit all elements. [Relayout] moves data from
// one layout to another. [Shape.Strides] are what package ragged needs to write a ragged
// tensor straight into a layout. This package knows nothing of ragged tensors:
// what crosses is slices and numbers.
//
// # Lifetimes and limits
//
// A Shape never changes once built and may be shared. A rank and the nesting of
// tuples are at most 64, the sizes of all tiles of a layout at most 256.
// Elements of less than a byte have sizes and a text, but their data is not
// moved.
package layout
