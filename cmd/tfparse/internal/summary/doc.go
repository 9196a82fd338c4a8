// Package summary sums up records: their sizes, and the features in their messages. Its memory is bounded for any data.
package summary
