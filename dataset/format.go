package dataset

// A RecordReader reads the records of a file of another format than TFRecord, for [FilesOptions.Format]. A
// recordcsv.Reader is one. It is used by one goroutine.
type RecordReader interface {
	// Next returns the next record, lent until the next call. The error is io.EOF behind the last record.
	Next() ([]byte, error)
	// Pos is the position of the record, or of the error, that Next returned last: the ordinal in the file, which grows, and the
	// byte where it begins. The ordinal of an error that is about the file is -1.
	Pos() (record, offset int64)
	// Skipped says what is lost by the last error of Next: the number of records, -1 if unknown, and
	// where they end. That is -1 if Next cannot go on behind the error.
	Skipped() (records, end int64)
}
