// Package expression has what expressions of this module have in common: tokens, names and literals,
// and conditions joined by "||", "&&" and "!". Package example/filter has expressions about a record,
// package validate/rule about statistics; they add what a condition is.
package expression
