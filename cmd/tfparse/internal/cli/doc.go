// Package cli is the framework of the command: the table of commands, from which it makes help, manual pages and
// completion, the flags and exit codes that verbs share, messages, and outputs that appear only when they are complete.
// It does not depend on records and features.
package cli
