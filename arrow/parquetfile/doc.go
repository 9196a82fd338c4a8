// Package parquetfile writes record batches as Parquet files, and reads Parquet files of any writer.
//
// Files have one row group for about 96 MB of columns, compressed with zstd at its fastest level, dictionaries for
// text only, and the Arrow schema in their metadata, without which readers see 32-bit lists and no fixed sizes. The
// columns of a row group are encoded by several goroutines.
//
// Reading holds a few MB of each column at a time. A panic of the Arrow library about a broken file becomes an error.
package parquetfile
