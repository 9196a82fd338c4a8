// Package judge stands between the statistics of records, which take records apart, and
// what checks records: it is told what there is while it is at hand.
package judge

// A Judge is told of the features of one Example after another, all of which have the
// form that every writer writes: every name once. It keeps nothing of the values. When a
// method returns false it is not told the rest of the record, of which something is to be
// said. It is for one goroutine.
type Judge interface {
	// Number returns what the features of a name are told as; it is negative if
	// something is to be said of any such feature.
	Number(name string) int32
	// Start begins a record.
	Start()
	// Unset tells of a feature without a kind.
	Unset(number int32) bool
	// Ints, Floats and Bytes tell of the values of a feature.
	Ints(number int32, v []int64) bool
	Floats(number int32, v []float32) bool
	Bytes(number int32, v [][]byte) bool
	// End reports whether there is nothing to be said of the record.
	End() bool
}
