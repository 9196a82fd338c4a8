// Package scan leads from the arguments of a verb to records. It has the flags for reading, looks up names, opens
// files, detects the message type, selects records, handles faults, and runs the goroutines that work on records.
package scan
