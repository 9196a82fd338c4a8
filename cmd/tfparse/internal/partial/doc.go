// Package partial has the files that --partial writes on each of several machines, and that the verb with the word merge behind it
// reads: the results of some files, from which it prints what one process prints that reads all of them.
//
// A part is a TFRecord. Its first record is a [Header], behind a line that says what it is; the others are results in their bytes
// form, in the order of the files.
package partial
