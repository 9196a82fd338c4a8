// Package bind decodes records straight into Go structs, and encodes structs as
// records. It is for services that know at compile time which features they read:
//
//	type Request struct {
//		User  string    `tfparse:"user"`
//		Age   int       `tfparse:"age,default=0"`
//		Tags  []string  `tfparse:"tags"`
//		Steps [][]int64 `tfparse:"steps/tokens,row_lengths=steps/lengths"`
//	}
//
//	codec, err := bind.New[Request](nil) // once
//	err = codec.Decode(record, &request)  // for every request
//
// A struct type stands for a [feature.Spec], which Spec returns: a program that
// reads the same records in batches, as JSON, or with TensorFlow uses that. Package
// feature says what a spec means, and every record is parsed as it says: what a
// feature that is missing, empty or of another kind means, and how rows are checked.
// A codec adds the Go types, and nothing else.
//
// # What a Go type means
//
// A value, V below, is a number, bool, string or []byte, or of a type defined as one of
// these. Arrays have their number of values, slices have any:
//
//	field                 feature                   what the record has
//	V                     FixedLen, shape []        one value, unless there is a default
//	[n]V, [n][m]V         FixedLen, shape [n], …    n values, n*m values, unless there is a default
//	*V                    VarLen                    one value, or none: nil
//	*[n]V                 Ragged, uniform n         n values, or none: nil
//	[]V                   Ragged                    any number of values
//	[][n]V                Ragged, uniform n         any number of rows of n values
//	[][]V, [][][]V, …     Ragged, with a partition  values, and under other keys how they are
//	[][n][]V, [][][n]V    for each inner dimension  partitioned into rows
//
// and the values are
//
//	V                     in the record             of them
//	int64                 int64                     all
//	int … int32, uint …   int64                     those in the range of the type, else ErrRange
//	bool                  int64                     0 and 1, else ErrRange
//	float32               float32                   all, bit for bit
//	float64               float32                   all; a NaN stays one, but not bit for bit
//	string, []byte        string                    all, of any bytes
//
// The other way, a uint or uint64 beyond the range of int64 is ErrRange too, and so is a
// float64 that is not exactly a float32: 0.5 is, 0.1 is not. The option round
// allows it to be rounded.
//
// Maps, interfaces, complex numbers, pointers to slices, arrays of slices, arrays of
// bytes, and slices of 8-bit unsigned numbers other than []byte mean nothing: New
// refuses them. Sparse features have no Go type: read their keys as slices.
//
// Slices of types that Go has a name for are copied in one piece; of a type of
// your own, value by value through reflection.
//
// # Tags
//
// A tag is the name of the feature, then options, with commas between:
//
//	name                    the key in the record, and the name in the spec
//	default=text            what an absent feature has, in every value of an array
//	value_key=key           of a slice: the key of the values, if it is not the name
//	row_lengths=key         of a slice inside another: what partitions it; also row_splits,
//	                        row_starts, row_limits, value_row_ids. For several, the
//	                        partition of the outer slices comes first. Fields may share
//	                        a key
//	uniform_row_length=n    the same for slices that are all of length n
//	round                   of a float64: it is rounded to be encoded
//	allow_missing           in sequence, of slices of V or [n]V: the list may be absent
//
// A name or text that is empty, has a comma or begins with a quote stands in single
// quotes, with the escapes of a Go string:
//
//	Place string `tfparse:"'city, street',default=''"`
//
// Every exported field has a tag, if only "-" for one that is no feature. The fields of
// an embedded struct without a tag are taken as if they stood outside. Fields that are
// not exported are left alone. No two fields have the same feature.
//
// # Parts of a record
//
// A struct as above reads Examples. One whose fields are the parts of another message
// names them in tags without a name:
//
//	type Session struct { // a SequenceExample
//		Context struct {
//			User string `tfparse:"user"`
//		} `tfparse:",context"`
//		Lists struct {
//			Clicked []bool      `tfparse:"clicked"`
//			Vectors [][8]float32 `tfparse:"vectors"`
//			Words   [][]string   `tfparse:"words"`
//		} `tfparse:",sequence"`
//	}
//
//	type Query struct { // an ExampleListWithContext
//		Context  QueryFeatures `tfparse:",context"`
//		Documents []Document   `tfparse:",examples"`
//	}
//
// In the context and in examples types mean what they mean above. In sequence every
// field is a slice with an element for each step:
//
//	[]V, [][n]V             FixedLenSequence, shape [], [n]    one value, n values in every step
//	[][]V, [][][n]V …       Ragged                             in every step what []V, [][n]V … have above
//
// # Memory
//
// A Codec is immutable and safe for concurrent use. Records are copied, and *T belongs
// to the caller; Decode uses the memory again that it finds there. Strings of one
// record share one piece of memory, and so may the inner slices of one field:
// their capacities are clipped, so that appending to one never writes into another.
// What a record costs, and its limits, are those of package feature: see
// [feature.ParserOptions].
package bind
