// Package statsource provides the statistics and the schema that verbs work with. It reads them from a file, or
// computes statistics from records.
package statsource
