// Package partial has the files that --partial writes on each of several machines, and that the merge subcommand of the verb
// reads: the results of some files, from which it prints what one process prints that reads all of them.
//
// A part is a TFRecord. Its first record is a line that identifies it, followed by a [Header]; the others are results in their bytes
// form, in the order of the files.
package partial
