// Package records has the verbs that show records: cat, head, tail,
// get, sample and explain.
package records
