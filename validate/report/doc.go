// Package report writes statistics as one HTML page: an overview of the data set, a chart, a
// table and the findings for every feature, and up to six data sets side by side. It replaces
// visualize_statistics of TensorFlow Data Validation. [WriteSkew] writes a page without a script
// that compares the records of two data sets by key.
//
// # The page
//
// The page is one file. It loads no other resources: its Content-Security-Policy allows only its
// own style and script. All content is in the markup and remains visible without the script,
// which sorts, searches and filters. Every chart has a name, a description and its numbers.
//
// A page with more than 200 features stays fast. The script builds the statistics and charts of
// a feature when the reader scrolls near it, and adds table rows when the reader reaches the
// last one. It builds the table of a chart's numbers when the reader opens it. Chromium renders
// 3,000 features in one to two seconds, a fifth of the time for all their elements. Without
// the script, the page contains all elements from the start.
//
// A table with the number of findings by feature and rule comes first. Features with errors come
// before features with warnings, then features without findings. Among these, features that cannot
// be compared come first, then those with the largest distance between the data sets. The reader
// can choose another order, as in Facets Overview.
//
// Histograms show the full range of the values. If nearly all values would be in one bar, they
// show bins between the 1st and the 99th percentile, and labelled bins for the values outside.
// For the whole page, the reader can choose one of these two, a logarithmic axis, or quantile
// bins; the browser remembers the choice. Integers with up to 50 different values have a bar for
// each value. Without Side.Details the different values are unknown; then integers have a bar for
// each value if their range is below 50. All data sets have the same bins, so that equal data
// look equal. Values are counted if Side.Details has them. Else bars are estimated from the
// histograms in the statistics, and a note says so; with a quantile histogram of 100 buckets the
// bars are exact to 1%.
//
// Between data sets, the distances are below the charts. Features whose distances chance explains are marked, and the reader can
// hide them. High shares of missing values and zeros have the colour of warnings. Values that are not text are named by their content
// and size, a row for each value.
//
// A server can make links from bars, frequent values, missing values and zeros to the records (Input.Link), and send the style and
// the script as files of their own (Input.Served, Asset).
//
// The same input gives the same bytes. They contain no time unless Input.Note does.
//
// # Hostile input
//
// Names and values are always text: html/template escapes them for their context. Strings with
// invisible characters, with characters that change the direction of text, or with invalid
// UTF-8 are shown as quoted Go strings. Long strings are cut.
//
// The size of the page depends on the number of features, not on their values: about 4 KB for a
// feature, 2 KB more for each further data set, and up to twice that with a choice of
// histograms. After the first MaxFeatures features, the page says how many features it omits.
package report
