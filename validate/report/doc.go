// Package report writes statistics as one page of HTML that a person reads: what
// the data set holds, a chart and a table for every feature, what is wrong with it
// beside it, and two data sets side by side. It takes the place of what TensorFlow
// Data Validation calls visualize_statistics. [WriteSkew] writes another, about records of two data
// sets that have the same key: a table and some of the pairs that differ, without a script.
//
// # The page
//
// The page is one file. It loads nothing, and its own Content-Security-Policy
// forbids it to: no style and no script runs but the two that are in it. All there is
// to see is in the markup, and stays there without the script, which sorts, searches
// and filters. Every chart has a name, a description and its numbers.
//
// A page of more than 200 features stays fast: the script builds the statistics and charts of
// a feature when the reader comes near it, and more rows of the table when the reader has
// scrolled to the last of them. The numbers of a chart become a table when they are opened.
// Chromium takes one to two seconds for 3,000 features, a fifth of the time that all their
// elements would take. Without the script all of them are there from the start.
//
// A table of what is wrong comes first, with the number of findings by feature and rule.
// Features with errors come before those with warnings, and these before the others; of those,
// features that cannot be compared come first, and then those with the largest distance between the data sets.
// The reader can sort by other things, as Facets Overview can.
//
// Histograms show the full range of the values. Where nearly all values would be in one
// bar, they show bins between the 1st and the 99th percentile, and the values outside in
// labelled bins at the ends. The reader can choose one of the two for the whole page, or
// a logarithmic axis, or quantile bins, and the browser remembers it. Integers of up to 50
// different values have a bar for each value, wherever they lie. Of statistics without Side.Details the different
// values are not known; then integers between two that are less than 50 apart have a bar each. All data sets have the same bins, so that equal
// data look equal. Values are counted if Side.Details has them; without, bars are estimated
// from the histograms in the statistics, and say so: a quantile histogram of 100 buckets makes
// them exact to 1%.
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
// 4 KB, and 2 KB more for each further data set, and up to twice that with histograms to
// choose from. After the first MaxFeatures the page says how many it leaves out.
package report
