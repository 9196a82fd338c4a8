package feature

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// A Spec says which features of a message become columns, and how. It is plain
// data: a Go literal, a JSON document (see [Spec.UnmarshalJSON]), or read from
// TensorFlow's own forms by package featurepb. NewParser checks and compiles it.
//
// Which members are set decides which message the records are:
//
//	Features              tf.train.Example
//	Context, Sequence     tf.train.SequenceExample, with either or both
//	Examples, Context     ExampleListWithContext, where Context may be absent
//
// Context and Sequence are spaces of their own: the same name may stand in both.
type Spec struct {
	Features Features // of an Example
	Context  Features // of a SequenceExample or of an ExampleListWithContext
	Sequence Features // the feature lists of a SequenceExample
	Examples Features // of every Example in an ExampleListWithContext
}

// Features gives the kind of column for every name. The name is the key in the
// message too, unless the kind has keys of its own.
type Features map[string]Feature

// A Feature is one of [FixedLen], [FixedLenSequence], [VarLen], [Sparse] and [Ragged].
type Feature interface{ dtype() DType }

// DTypeOf returns the type of the values of the feature's column.
func DTypeOf(f Feature) DType { return f.dtype() }

// FixedLen is a feature with a known number of values: the product of Shape. The
// column is dense, of shape [rows]+Shape.
//
// Without a default the feature is required. A default has exactly as many values
// as the shape, is of the column's type, and stands in for an absent feature and,
// except in the context of a SequenceExample, for one without kind. An empty list
// is a wrong count and no reason to use the default. A default without values
// (for a shape of size 0) is none.
type FixedLen struct {
	DType   DType
	Shape   []int         // nil is a scalar
	Default example.Value // zero: the feature is required
}

// FixedLenSequence is a feature of any number of blocks of equal shape.
// The column is dense, of shape [rows, longest]+Shape: rows with fewer blocks than
// the longest are padded. Column.Lengths has the true number of blocks of each row and
// Column.Ragged the column without padding.
//
// In Features, Context of a list and Examples the blocks stand in one list whose
// length must be a multiple of the block's; in Sequence every step is one block.
type FixedLenSequence struct {
	DType        DType
	Shape        []int         // of one block; nil is a scalar. It has at least one value
	Default      example.Value // the padding, one value; zero pads with 0 or "". Not in Sequence
	AllowMissing bool          // in Sequence, an absent list is one without steps. Elsewhere always so
}

// VarLen is a feature of any number of values. The column is sparse, of shape
// [rows, longest] (in Sequence [rows, most steps, longest]); Column.Ragged has it
// as rows of different lengths.
type VarLen struct {
	DType DType
}

// Sparse is a feature made of several: one with values, and one of int64 for every
// dimension with the values' indices in it. The column is sparse, of shape
// [rows]+Size.
//
// Indices and values of a record are equally many, and every index lies within its
// size. Entries are sorted by their indices, row by row; entries with the same
// indices are all kept and stay in order.
type Sparse struct {
	DType     DType
	IndexKeys []string // the keys of the indices, one for each dimension
	ValueKey  string   // the key of the values
	Size      []int64  // of every dimension
	Sorted    bool     // entries keep the order that they have in the record
}

// Ragged is a feature of values that partitions divide into rows, those into longer
// rows, and so on. The column is ragged, with one level that says which rows
// belong to which record and then one for each partition.
//
// Partitions are listed from the outermost to the innermost. The innermost counts
// values, any other the rows of the next inner one. Lengths at the end of the list
// that are uniform become dense inner dimensions.
type Ragged struct {
	DType      DType
	ValueKey   string      // the key of the values; "" is the name of the column
	Partitions []Partition // outermost first
}

func (f FixedLen) dtype() DType         { return f.DType }
func (f FixedLenSequence) dtype() DType { return f.DType }
func (f VarLen) dtype() DType           { return f.DType }
func (f Sparse) dtype() DType           { return f.DType }
func (f Ragged) dtype() DType           { return f.DType }

// InnerShape returns the uniform lengths at the end of the partitions, which are dense
// inner dimensions of the column. The memory is new.
func (f Ragged) InnerShape() []int {
	var shape []int
	for _, p := range slices.Backward(f.Partitions) {
		n, ok := p.(UniformRowLength)
		if !ok {
			break
		}
		shape = append(shape, int(n))
	}
	slices.Reverse(shape)
	return shape
}

// valueKey returns the key of the values of the column called name.
func (f Ragged) valueKey(name string) string {
	if f.ValueKey == "" {
		return name
	}
	return f.ValueKey
}

// A Partition says how items are partitioned into rows: one of [RowSplits], [RowLengths],
// [RowStarts], [RowLimits] and [ValueRowIDs], which name an int64 feature, and
// [UniformRowLength]. All positions count from the first item of the record (in
// Sequence: of the step).
type Partition interface{ partition() }

// The six partitions. For the rows [a b] [] [c]:
type (
	RowSplits        string // 0 2 2 3: where every row starts, then the number of items; of no items also nothing
	RowLengths       string // 2 0 1: how many items every row has
	RowStarts        string // 0 2 2: where every row starts
	RowLimits        string // 2 2 3: where every row ends
	ValueRowIDs      string // 0 0 2: the row of every item, ascending; it cannot say that the last rows are empty
	UniformRowLength int64  // the length of all rows, at least 1; no feature
)

func (RowSplits) partition()        {}
func (RowLengths) partition()       {}
func (RowStarts) partition()        {}
func (RowLimits) partition()        {}
func (ValueRowIDs) partition()      {}
func (UniformRowLength) partition() {}

// PartitionKey splits a partition into its name in Spec JSON and its key, "" for a
// uniform one. The name is "" if p is none of the six.
func PartitionKey(p Partition) (name, key string) {
	switch p := p.(type) {
	case RowSplits:
		return "row_splits", string(p)
	case RowLengths:
		return "row_lengths", string(p)
	case RowStarts:
		return "row_starts", string(p)
	case RowLimits:
		return "row_limits", string(p)
	case ValueRowIDs:
		return "value_row_ids", string(p)
	case UniformRowLength:
		return "uniform_row_length", ""
	}
	return "", ""
}

// A Group is one of the four maps of a Spec.
type Group uint8

const (
	InFeatures Group = iota // Spec.Features
	InContext               // Spec.Context
	InSequence              // Spec.Sequence
	InExamples              // Spec.Examples
)

// String returns the group's name in Spec JSON.
func (g Group) String() string {
	return [...]string{"features", "context", "sequence", "examples"}[g&3]
}

// prefix is how an error begins that speaks of a feature in the group.
func (g Group) prefix() string {
	if g == InFeatures {
		return "feature "
	}
	return g.String() + " feature "
}

// Group returns one of the maps of the spec, to be read or set.
func (s *Spec) Group(g Group) *Features {
	return [...]*Features{&s.Features, &s.Context, &s.Sequence, &s.Examples}[g]
}

// Groups yields the maps of the spec that have members, in the order of their
// constants.
func (s Spec) Groups() iter.Seq2[Group, Features] {
	return func(yield func(Group, Features) bool) {
		for g := InFeatures; g <= InExamples; g++ {
			if fs := *s.Group(g); len(fs) > 0 && !yield(g, fs) {
				return
			}
		}
	}
}

// Message returns the type of the records that the spec reads.
func (s Spec) Message() example.MessageType {
	switch {
	case s.Examples != nil:
		return example.TypeExampleList
	case len(s.Context)+len(s.Sequence) > 0:
		return example.TypeSequence
	}
	return example.TypeExample
}

// sorted yields the features in the order of their names.
func (fs Features) sorted() iter.Seq2[string, Feature] {
	return func(yield func(string, Feature) bool) {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			if !yield(name, fs[name]) {
				return
			}
		}
	}
}

// A DType is the type of a column's values. TensorFlow has no others in an
// Example.
type DType uint8

const (
	String  DType = iota + 1 // any bytes, as a Go string; a bytes_list on the wire
	Float32                  // a float_list
	Int64                    // an int64_list
)

// String returns TensorFlow's name for the type: "string", "float32" or "int64".
func (d DType) String() string {
	switch d {
	case String:
		return "string"
	case Float32:
		return "float32"
	case Int64:
		return "int64"
	}
	return fmt.Sprintf("DType(%d)", uint8(d))
}

// MarshalText returns the name of the type. It fails for a value that is none of
// the three.
func (d DType) MarshalText() ([]byte, error) {
	if d < String || d > Int64 {
		return nil, fmt.Errorf("feature: dtype is not set")
	}
	return []byte(d.String()), nil
}

// UnmarshalText sets d from its name.
func (d *DType) UnmarshalText(b []byte) error {
	for t := String; t <= Int64; t++ {
		if string(b) == t.String() {
			*d = t
			return nil
		}
	}
	return fmt.Errorf("feature: dtype %q: want int64, float32 or string", b)
}

// kind is the list that holds values of the type.
func (d DType) kind() example.Kind {
	switch d {
	case String:
		return example.BytesList
	case Float32:
		return example.FloatList
	case Int64:
		return example.Int64List
	}
	return example.Unset
}
