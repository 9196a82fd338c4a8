//go:build race

package feature_test

// race tells that sync.Pool drops things at random, so that allocations cannot be
// counted.
const race = true
