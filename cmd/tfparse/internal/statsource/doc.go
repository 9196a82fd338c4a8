// Package statsource gives verbs the statistics and the schema that they start from: read from
// a file, or made of records.
package statsource
