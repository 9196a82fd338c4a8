// Package feed reads the records of many files as one sequence, within a budget of memory.
//
//	file -> reader -> chunks ─┐
//	file -> reader -> chunks ─┼-> order -> shard, skip, take -> shuffle -> repeat -> blocks
//	file -> reader -> chunks ─┘
//
// # Stages
//
// A reader reads one file into chunks: the records of one buffer, where they lie as in the
// file. Every open file has a reader in a goroutine of its own, which sends the chunks into the
// channel of the file. Without goroutines the same reader runs as a coroutine ([iter.Pull]),
// whenever the next chunk of its file is wanted. So there is one way of reading, and one of
// everything behind it.
//
// All stages behind the chunks are one sequence of calls on one goroutine, see [Stream.Append]:
// they look at one record at a time without copying it. So the order depends neither on the
// number of goroutines nor on which of them is fast. Whoever takes records gets them in a
// [Block], with what happened between them: ranges that were skipped, files that end.
//
// With Config.GlobalShuffle the order is one of all records. Files have indexes then, and what is read
// ahead is stretches of that order, see permuted: each is read in the order of the files into one
// buffer, by a pool of goroutines.
//
// # Memory
//
// A buffer counts against the budget from before it is read into until its last use ends: the
// reader, a chunk that waits in a channel, a Block. A reader that finds the budget spent
// waits. If the stream waits for the very file of that reader, and no Block is in use whose
// end would make room, the reader goes on all the same: otherwise a budget that is spent on
// records that come later would stop everything.
package feed
