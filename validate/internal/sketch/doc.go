// Package sketch holds the mergeable parts of statistics: sums, quantiles and
// counts of labels.
//
// Each has a bounded size, and says how far it is from exact: quantiles and labels are exact while different ones are few. All are
// deterministic: the same calls in the same order leave the same state, and the state that is written and read back is the one
// that was written.
package sketch
