// Package summary sums up what records hold: their sizes, and the features in
// their messages. What it keeps is bounded, whatever the records are.
package summary
