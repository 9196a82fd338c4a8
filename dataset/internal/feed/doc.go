// Package feed reads the records of many files into one sequence, ahead of the one
// who takes them and within a budget of memory.
//
// # Stages
//
//	files  ->  supply  ->  order  ->  shard, skip, take  ->  shuffle  ->  repeat
//
// A supply has the records of each file by itself; order says which is next. All
// stages but the supply run in the calls of [Stream.Next], and look at one record at a
// time without copying it. One goroutine calls it, or several in turns (see
// [Stream.Begin]). So the sequence is the same whatever their number.
//
// # Two supplies
//
// The direct supply reads a file when a record of it is asked for. It has no goroutines.
//
// The ahead supply has goroutines that each read one file after another, in the
// order of the files. Those that are near they only open: who takes records reads them
// himself, and others, while they wait for their turns, help where several are read.
//
// Both read into slabs, where records stay as they lie in the file. What changes hands
// is a run of records of one slab: one lock for hundreds of records. A slab comes back
// to be filled anew when all its records are done with, and no Held has it. Where
// damage is stepped over, the direct supply lends what tfrecord.Recover lends, and
// the ahead supply copies it to slabs.
//
// # Memory
//
// Every slab counts against the budget from before it is filled until it comes back.
// A reader that finds no room waits. It does not wait if nothing else is held, nor
// if somebody waits for the very file it reads: without that a budget that is
// spent on records that come later would stop everything. Who reads what he takes does
// not wait either, but his turn does not begin while there is no room.
package feed
