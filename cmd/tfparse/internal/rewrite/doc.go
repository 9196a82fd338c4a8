// Package rewrite has the verbs that write records that they have read: convert, merge, split, filter,
// project, rename, set, sort, shuffle and dedup. What a verb does not change it copies byte for
// byte. What it writes does not depend on --jobs, and takes its names only when all of it is
// complete.
package rewrite
