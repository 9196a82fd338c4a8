// Package tally makes statistics of the records of files on several goroutines: of
// several files at a time, and of one in several parts.
//
// The records of a file are cut into chunks of a fixed size, whose statistics are
// merged in order, and those of the files in the order of the files. So the result is
// the same whatever the number of goroutines, byte for byte, and so is what is told
// of faults.
package tally
