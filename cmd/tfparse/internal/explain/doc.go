// Package explain describes how one record fits a spec, feature by feature: the values under every key that the
// feature reads, how the partitions divide them into rows, and the result, or the broken rule and its remedy.
//
// It parses every feature separately, with the usual parser, so that one fault does not hide the others. It is not
// optimized for speed.
package explain
