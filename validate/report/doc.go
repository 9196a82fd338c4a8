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
// Histograms show the full range of the values. Where nearly all values would be in one
// bar, they show bins between the 1st and the 99th percentile, and the values outside in
// labelled bins at the ends. The reader can choose one of the two for the whole page, or
// quantile bins, and the browser remembers it. Between percentiles and in quantile bins two
// data sets have the same bins. The percentiles are estimated from the histograms in the
// statistics; a quantile histogram of 100 buckets makes them exact.
//
// The same input gives the same bytes; there is no time in them, unless Input.Note
// has one.
//
// # Hostile input
//
// Names and values are data whatever they look like: html/template escapes them for
// the place they stand in. Those with characters that cannot be seen, or that change
// the direction of the text, or that are not UTF-8, are shown as quoted strings of Go.
// Long ones are cut.
//
// The page grows with the features and not with their values: a feature takes some
// 4 KB, for each data set, and up to twice that with histograms to choose from. After the first MaxFeatures the page says how many it leaves
// out.
package report
