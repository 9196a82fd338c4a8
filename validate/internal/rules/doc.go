// Package rules holds what a schema asks of statistics, rule by rule, and what
// each rule would change in the schema.
//
// A rule looks at one feature of the statistics and at its entry in the schema. It
// gives reasons, why the two do not fit, and changes the entry so that they do.
// Validating is to throw the changed entries away, updating a schema to keep them,
// and inferring one is to update an empty one.
//
// The order of the rules, their triggers and the texts are those of TensorFlow Data
// Validation 1.16.1 where Config.Compat is set. Otherwise the rules have its
// deliberate exceptions, each marked "native" where it stands, and texts of our own.
package rules
