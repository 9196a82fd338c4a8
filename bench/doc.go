// Command bench measures the packages of this repository against other ways to do
// the same work, and prints tables of the ratios. README.md shows how.
//
// What both sides of a row do is done on the same bytes, in turns, in one run, and
// their results are compared by checksum before any figure is printed.
package main
