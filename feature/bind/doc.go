// Package bind decodes records directly into Go structs, and encodes structs as records.
// It is for services that know at compile time which features they read:
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
// Each struct type has a [feature.Spec], which Codec.Spec returns, for programs that read
// the same records in batches, as JSON, or with TensorFlow. Records are parsed by the rules
// of package feature: for missing and empty features, features of another kind, and the
// checks of rows. A codec adds only the Go types.
//
// # Go types
//
// V below is the type of a value: a number, bool, string or []byte, or a type defined as
// one of these. An array has a fixed number of values, a slice any number:
//
//	field                 feature                   in the record
//	V                     FixedLen, shape []        one value, unless there is a default
//	[n]V, [n][m]V         FixedLen, shape [n], …    n values, n*m values, unless there is a default
//	*V                    VarLen                    one value, or none: nil
//	*[n]V                 Ragged, uniform n         n values, or none: nil
//	[]V                   Ragged                    any number of values
//	[][n]V                Ragged, uniform n         any number of rows of n values
//	[][]V, [][][]V, …     Ragged, with a partition  values, and under other keys the
//	[][n][]V, [][][n]V    for each inner dimension  row partitions
//
// and the values are
//
//	V                     in the record             allowed values
//	int64                 int64                     all
//	int … int32, uint …   int64                     in the range of the type, else ErrRange
//	bool                  int64                     0 and 1, else ErrRange
//	float32               float32                   all, bit for bit
//	float64               float32                   all; a NaN keeps no payload bits
//	string, []byte        string                    all, of any bytes
//
// When encoding, a uint or uint64 above the range of int64 is ErrRange too, and so is a
// float64 that is not exactly a float32: 0.5 is exact, 0.1 is not. The option round
// rounds it instead.
//
// New rejects all other types: maps, interfaces, complex numbers, pointers to slices,
// arrays of slices, arrays of bytes, and slices of 8-bit unsigned numbers other than
// []byte. Sparse features have no Go type: read their keys as slices.
//
// Slices of predeclared types are copied in one piece; slices of defined types are copied
// value by value through reflection.
//
// # Tags
//
// A tag is the name of the feature, then options, separated by commas:
//
//	name                    the key in the record, and the name in the spec
//	default=text            value of an absent feature, for every value of an array
//	value_key=key           of a slice: the key of the values, if it differs from the name
//	row_lengths=key         of a slice inside another: its partition; also row_splits,
//	                        row_starts, row_limits, value_row_ids. For several, the
//	                        partition of the outer slices comes first. Fields may share
//	                        a key
//	uniform_row_length=n    the same for slices that all have length n
//	round                   of a float64: round it for encoding
//	allow_missing           in sequence, of slices of V or [n]V: the list may be absent
//
// A name or text that is empty, contains a comma or begins with a quote is written in
// single quotes, with the escapes of a Go string:
//
//	Place string `tfparse:"'city, street',default=''"`
//
// Every exported field needs a tag; "-" marks a field that is not a feature. The fields
// of an embedded struct without a tag are treated as fields of the outer struct. Fields that
// are not exported are ignored. Two fields cannot have the same feature.
//
// # Parts of a record
//
// The struct above reads Examples. For other messages, a struct has one field per part
// of the message, with a tag without a name:
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
// In the context and in examples the types have the meaning above. In sequence every
// field is a slice with one element per step:
//
//	[]V, [][n]V             FixedLenSequence, shape [], [n]    one value, n values in every step
//	[][]V, [][][n]V …       Ragged                             []V, [][n]V … as above in every step
//
// # Memory
//
// A Codec is immutable and safe for concurrent use. Records are copied, and *T belongs to
// the caller; Decode reuses the memory of *T. The strings of one record share one
// allocation, and so may the inner slices of one field: their capacities are clipped, so
// that an append to one never overwrites another. The cost and the limits of a record are
// those of package feature: see [feature.ParserOptions].
package bind
