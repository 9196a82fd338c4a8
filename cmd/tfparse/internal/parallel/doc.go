// Package parallel has what verbs with --jobs do with records: format them or sum them up on several
// goroutines, and take the results in the order of the records.
package parallel
