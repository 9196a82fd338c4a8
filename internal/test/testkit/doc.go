// Package testkit is what the tests of this module share: it reads the vectors
// (cases that TensorFlow ran, one JSON object a line), compares what our code
// gives with what they expect, counts the outcomes, and damages bytes on
// purpose.
//
// # Vectors
//
// A folder of vectors has one folder for each family (container, parse,
// ragged, layout, validation), and in it files *.jsonl or *.jsonl.gz. The
// first line of a file is a header: the family, the version of the format (1),
// what made the file, and the number of cases. Every other line is one case:
// its name, tags, inputs, and an expected value or an error. The member "ours"
// replaces the expectation where we deliberately differ from TensorFlow.
//
// Folder returns the folder that is read: testdata/vectors of this module, or the
// one that the environment variable TFPARSE_VECTORS names.
//
// # Suites
//
// A Suite runs one family. It finds the Check of a case by a member of the
// case, such as "op", and prints for every file how many cases there are, how
// many passed, failed or were unknown. A wrong outcome and an unknown kind of
// case both fail the test. So do a header that counts other than the lines, a
// name that occurs twice, an unknown member, and an exception that is
// no longer needed.
//
// Nothing here imports a package of ours, so any test may use it.
package testkit
