//go:build !race

package testkit

// Race reports a build with the race detector: sync.Pool drops things at random there, so
// that allocations cannot be counted, and lent memory is overwritten when the loan ends.
const Race = false
