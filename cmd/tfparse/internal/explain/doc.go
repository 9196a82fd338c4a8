// Package explain says how one record fits a spec, feature by feature: what it has
// under every key that the feature reads, how the partitions divide it into rows, what comes out,
// or which rule is broken and what would satisfy it.
//
// Every feature is parsed by itself, by the parser that is used for all, so that one
// fault does not hide the others. It is for people: nothing here is fast.
package explain
