// Package ordered has records worked on by several goroutines, with results in the order of the
// records: a Pool for text, a Counter for sums.
package ordered
