// Package recordscan calls a [Visitor] for what package dataset reads: files, records and faults.
//
// It adds what a command needs and a program that trains does not. A stream of dataset ends at
// its first error; a scan reports it and goes on with the file behind it. Whether a fault ends the
// scan is for the Visitor to say. Where damage is skipped, every fault but a failing source is
// followed by whatever is intact behind it. [Scan.Peek] shows the beginning before the whole
// is read, and [Guess] gives a Visitor the message that the records of a file hold.
package recordscan
