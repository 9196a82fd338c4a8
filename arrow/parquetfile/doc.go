// Package parquetfile writes record batches as Parquet files, and reads Parquet files of any writer.
//
// A file has a row group for about 96 MiB of columns. Columns are compressed with zstd at its fastest level; only text has
// dictionaries. The metadata have the Arrow schema: without it readers see 32-bit lists and no fixed sizes.
//
// Reading holds a few MB of columns at a time. A panic of the Arrow library about a broken file becomes an error.
package parquetfile
