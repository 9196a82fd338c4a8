// Package tally makes statistics of the records of files on several goroutines.
//
// The records of a file are divided into chunks of a fixed size, whose statistics are
// merged in order, and those of the files in the order of the files. So the result is
// the same whatever the number of goroutines, byte for byte, and so is what is reported
// of faults.
package tally
