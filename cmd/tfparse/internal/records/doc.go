// Package records has the verbs that print single records: cat, head, tail, get, sample and explain, and extract, which
// writes values to files.
package records
