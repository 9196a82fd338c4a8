// Package report writes statistics as one page of HTML that a person reads: what
// the data set holds, a chart and a table for every feature, what is wrong with it
// beside it, and two data sets side by side. It takes the place of what TensorFlow
// Data Validation calls visualize_statistics.
//
// # The page
//
// The page is one file. It loads nothing, and its own Content-Security-Policy
// forbids it to: no style and no script runs but the two that are in it. All there is
// to see is in the markup, and stays there without the script, which sorts, searches
// and filters. Every chart has a name, a description and a table of its numbers.
//
// The same input gives the same bytes; there is no time in them, unless Input.Note
// tells one.
//
// # Hostile input
//
// Names and values are data whatever they look like: html/template escapes them for
// the place they stand in. Those with characters that cannot be seen, or that change
// the direction of the text, or that are not UTF-8, are shown as quoted strings of Go.
// Long ones are cut.
//
// The page grows with the features and not with their values: a feature takes some
// 4 KB, for each data set. After the first MaxFeatures the page says how many it leaves
// out.
package report
