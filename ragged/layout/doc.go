// Package layout computes the memory positions of the elements of dense arrays: XLA's
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
// Dimensions may be padded to a larger size, or divided into tiles, which are stored
// one after another; then some cells of the buffer are not elements. The text form is
// XLA's:
//
//	f32[3,5]{1,0}             f32[3,5]{0,1:T(8,128)}             (f32[2]{0}, s32[])
//
// Parse and the constructors check everything, so every Shape is valid: its sizes, in
// elements and in bytes, fit an int64.
//
// # Use
//
// [Shape.Linear] and [Shape.MultiIndex] convert an index to a position in the buffer
// and back; [Shape.Logical] and [Shape.Memory] visit all elements. [Relayout] moves data
// from one layout to another. With [Shape.Strides] package ragged writes a ragged tensor
// into a layout.
//
// # Lifetimes and limits
//
// A Shape never changes and may be shared. A rank and the nesting of tuples are at most
// 64, the number of sizes in all tiles of a layout at most 256. Elements of less than a
// byte have sizes and a text, but their data cannot be moved.
package layout
