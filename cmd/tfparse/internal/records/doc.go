// Package records has the verbs that show records: cat, head and explain.
package records
