// Package cli is what every verb of the command stands on: the table of commands that help,
// manual pages and completion are made from, flags and exit codes that verbs share, messages,
// and outputs that appear only when they are complete. It knows neither records nor features.
package cli
