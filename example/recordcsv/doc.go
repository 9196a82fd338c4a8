// Package recordcsv converts rows of CSV to records: an [Inferrer] infers the types of the columns, and a [Reader]
// encodes each row as an Example.
//
// # Format
//
// Package encoding/csv parses the rows, by the rules of RFC 4180: cells are separated by a comma or another
// character, a cell in double quotes may contain that character, line breaks and "" for a quote, and lines end with
// a line feed, perhaps with a carriage return before it. A header that looks delimited by semicolons or tabs is an
// error unless [Options] name a delimiter. A byte order mark at the beginning and blank lines are ignored. The
// first row is the header, unless [Options] names the columns. All files of a data set have the same columns in the
// same order.
//
// # Types
//
// Types are those of TensorFlow Data Validation's generate_statistics_from_csv, which Python's int and float
// define, with one exception: digits with leading zeros are a code, such as a postcode, and their column has
// strings. A column is int64 if all of its cells are integers of 64 bits, float32 if all are numbers, else strings;
// a column with an integer beyond 64 bits has strings, so that no digit is lost. The type depends on all rows of
// all files, so the files are read twice. These are integers: 7, +7, " 7 ", 1_000. These are other numbers: 1e3,
// .5, nan, -Infinity. These are neither: 0x10, 1,5, NA. A number is rounded to the nearest float32.
//
// An empty cell is a missing value: a feature without kind, as TensorFlow Extended writes it. So is every cell of
// a column that has no value at all. A space is a string.
//
// A column that the caller wants as int64 may have numbers without a fraction, such as 23.0, which is how pandas
// writes integers beside missing values.
//
// The cells of a column that [Options.Multivalent] names are lists, separated by [Options.SecondaryDelimiter].
// Brackets around a list are not part of it: [1, 2] has two values.
//
// # Differences from TensorFlow Data Validation
//
//	TFDV 1.16.1                                          here
//	a line break in quotes ends the row, and the         it belongs to the cell, except a carriage
//	  text after it is another row or an error             return before the line feed
//	5" pipe and "a"b are cells                           ErrQuote, unless LazyQuotes is set
//	a quote that is never closed repeats its line        ErrQuote
//	a carriage return inside of a line ends the run      it belongs to the cell; in the header ErrHeader
//	a byte order mark is part of the first name          it is ignored
//	a blank first line is the header                     it is ignored
//	cells that are not UTF-8 end the run                 strings of those bytes
//	a cell of more than 131,072 characters ends the run  up to MaxRowSize
//	4,301 digits are a float32, which is infinite        a string, as all integers beyond 64 bits
//	1e39 is an infinite float32                          ErrNumber
//	a multivalent column may be missing                  ErrHeader
//	00501 is the integer 501                             a string, and so is the whole column
//	a;b is the name of one column                        ErrDelimiter, unless Delimiter is set
//	[1, 2, 3] divided by commas is [1, 2 and 3]          a list of 1, 2 and 3; of Python's strings, or of
//	                                                       lists, ErrList
//
// With [Options.TFDV] the last three are as in TFDV.
//
// A test compares everything else with TFDV's results.
//
// # Limits
//
// Memory does not depend on the number of rows: a row takes a few times its own size, which
// [Options.MaxRowSize] limits, and each column some bytes.
package recordcsv
