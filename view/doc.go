// Package view serves the records of TFRecord files as pages for a browser: a table of records with a detail pane, a
// gallery of images, statistics, findings, a comparison of two data sets, and a search by expressions.
//
// [New] returns an http.Handler. It has no authentication: a service mounts it under its own authentication, and a
// program for one user wraps it in a [Guard], as the command tfparse view does. [Handler.WritePage] writes one page
// that needs no server.
//
// # Access to records
//
// A record has the number that package tfrecord gives it. Files are read on demand, so a data set of any size opens at
// once. The index beside a file is used; otherwise one is built in the background, and the records that it has so far
// can be read meanwhile. From the first damage on, the rows are those of [tfrecord.Reader.Recover]: damaged records and
// skipped ranges are rows in their places. A file ends where it ended when it was opened.
//
// # Memory and limits
//
// An index takes two to four bytes a record, and about 20 KiB for each MiB of gzip; beyond 64 MiB those of files that
// were not used for long are dropped and built again. An answer has at most 16 MiB of records, a search reads 24 MiB
// ahead. Sixteen requests are answered at once, four of them searches or downloads. Options has the limits for bytes,
// pixels and time.
//
// # Answers
//
// The page asks for JSON below api/, with paths relative to its own, so that a handler can have any prefix. Files are
// named by number, features by group and name. All answers have a Content-Security-Policy without exceptions and fixed
// content types; no bytes of a record are sent as HTML or SVG.
package view
