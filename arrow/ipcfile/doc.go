// Package ipcfile writes and reads Arrow IPC streams and files.
//
// A stream is for pipes, a file (.arrow) for programs that map it into memory. Both have a schema message and then the
// record batches. The Writer adds metadata that other readers ignore: to each batch the position of the next record, from
// which a reader can continue later, and to an empty batch at the end the number of rows. An output without its end
// marker, as after a killed writer, is an error of the Reader.
//
// The Reader reads streams and files of any writer, from a pipe too. It allocates memory as bytes arrive, not by the
// lengths that messages claim. Unions are errors. A panic of the Arrow library becomes an error.
package ipcfile
