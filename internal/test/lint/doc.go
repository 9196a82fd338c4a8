// Package lint holds the rules of this repository that a program can check:
// which package imports which, what may reach the protobuf registry, where doc
// comments stand, how long a file may be, what lies in testdata. It has tests
// only.
//
// A rule is a function from a tree of files to the faults in it. TestRules runs
// every rule on the repository, TestRulesBite on samples with one fault each,
// so that no rule can pass because it looks at nothing.
package lint
