// Package view looks at statistics the way validation does: as a tree of features,
// by weight where there are weights, with labels in byte order.
//
// A view keeps the statistics it was made of and does not change them.
package view
