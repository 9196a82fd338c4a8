// Package rewrite has the verbs that copy records from files to files: convert, merge, split, filter,
// project, rename, set, sort, shuffle and dedup. A verb copies what it does not change byte for byte.
// The output does not depend on --jobs. Output files get their names only when all are complete.
package rewrite
