// Package inputs turns the arguments of a command into the files they name.
//
// An argument is, in this order:
//
//   - "-", standard input;
//   - the name of something that exists: a file stands for itself, a directory
//     for its regular files in order of name, without those whose names begin
//     with "." or "_" (the marks that job runners leave, as _SUCCESS) and
//     without what lies in deeper directories;
//   - a shard pattern: "train@3" and "train@3.gz" name train-00000-of-00003 to
//     train-00002-of-00003, with the extension behind each;
//   - a glob of *, ? and [...], which must match something, and whose
//     wildcards do not match a leading "." (as in a shell); "**", which other
//     programs take for any number of directories, is refused;
//   - a name that does not exist, which is left for the reader to report.
//
// An address such as gs://bucket/name is refused with a way to pipe it in.
//
// So a file that is literally named like a pattern wins over the pattern.
// Shards are ordered by their number, other names by their bytes. What is a shard
// is read from names in any padding, as train-1-of-3; patterns stand for names
// with five digits, as TensorFlow writes them.
//
// An argument that names nothing is not a reason to refuse the others: it
// becomes an Input with an error, in its place, so that a reader that steps
// over damage can step over it too.
package inputs
