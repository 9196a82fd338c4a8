// Package sketch holds the mergeable parts of statistics: sums, quantiles and
// counts of labels.
//
// Each is exact until Compact or Coarsen is called on it, and of bounded size and
// stated error from then on; Ranks also while different keys are few. All are deterministic: the same calls in the same order
// leave the same state, and the state that is written and read back is the one
// that was written.
package sketch
