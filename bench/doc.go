// Command bench measures the packages of this repository against other ways to do
// the same work, and prints tables of the ratios. README.md shows how.
//
// The sides of a row of a table do the same work. They process the same bytes, in turns, in one run. Their results
// are compared by checksum before any figure is printed.
package main
