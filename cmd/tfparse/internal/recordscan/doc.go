// Package recordscan reads the records of several inputs, one after the other, by package
// dataset, and calls a [Visitor] for what it finds: files, records, and faults.
//
// In the strict mode a file ends at its first fault. In the stepping mode damage is
// skipped, so that every fault but a failing source is followed by whatever is intact
// behind it. Whether a fault ends the scan is for the Visitor to say.
//
// [Guess] stands between a scan and a Visitor that needs to know which message
// the records of a file hold.
package recordscan
