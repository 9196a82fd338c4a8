// Package partial reads and writes the files of --partial, which divides the work of a verb among machines. Each
// machine writes a part: the results of some files. The merge subcommand of the verb reads the parts and prints what
// one process prints for all files.
//
// A part is a TFRecord. Its first record is the magic line and a [Header]; each other record is the binary form of a
// [Result], in the order of the files.
package partial
