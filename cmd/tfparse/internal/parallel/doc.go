// Package parallel has what verbs with --jobs do with records: a [Pool] formats them as text, a
// [Counter] sums them up. Both divide records into portions that a queue of package ordered
// works on, and use the results in the order of the records.
package parallel
