// Package ipcfile writes and reads Arrow IPC streams and files.
//
// A stream is for pipes, a file (.arrow) for programs that map it into memory. Both have one schema message and then
// the record batches. The Writer adds two things to the metadata of batches, which other readers ignore: the position
// of the next record, so that a reader can go on there later, and at the end an empty batch with the number of rows.
// A stream whose writer was killed lacks that batch and the end marker: the Reader says so, other readers do not.
//
// The Reader takes streams and files of any writer, from a pipe too. It allocates memory as bytes arrive, not by the
// lengths that messages claim. Dictionaries and unions are refused. A panic of the Arrow library becomes an error.
package ipcfile
