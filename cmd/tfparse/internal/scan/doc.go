// Package scan is the way from the arguments of a verb to records: flags, names, files, the message that the records
// hold, the records that are wanted, faults, and the goroutines that work on them.
package scan
