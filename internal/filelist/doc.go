// Package filelist turns the names and patterns that a user gives into files.
//
// A pattern is, in this order:
//
//   - "-", standard input;
//   - the name of something that exists: a file stands for itself, a directory
//     for its regular files in order of name. Left out are names that begin
//     with "." or "_" (the marks of job runners, as _SUCCESS), files whose name or
//     content says that they are no TFRecords, as features.json, the index train.index
//     and a text named vocabulary, and what lies in deeper directories;
//   - a sharded name: "train@3" and "train@3.gz" name train-00000-of-00003 to
//     train-00002-of-00003, with the extension at the end of each;
//   - a glob of *, ? and [...], which must match something, and whose
//     wildcards do not match a leading "." (as in a shell); "**", which other
//     programs take for any number of directories, is refused;
//   - a name that does not exist, which is left for the reader to report.
//
// Files that are left out are in List.PassedOver. IsCompanion says which of them nobody expects records of.
//
// So a file that is literally named like a pattern wins over the pattern.
// Shards are ordered by their index, other names by their bytes. Shards are
// recognized with any padding, as train-1-of-3; sharded names stand for five
// digits, as TensorFlow writes them.
//
// A set of shards names its size, so a missing or surplus shard can be noticed: List.Broken
// has every set that a glob, a directory or a sharded name stands for and that
// is not whole, or has a shard whose index is beyond its size. What to do about it is for
// the caller to say.
//
// A pattern that names nothing is not a reason to refuse the others: it becomes
// a File with an error, in its place, so that a reader that skips damage can
// skip it too.
package filelist
