package feature

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// A Spec lists the features of a message that become columns, and the kind of each column. It
// is plain data: a Go literal, a JSON document (see [Spec.UnmarshalJSON]), or made of
// TensorFlow's own forms by package featurepb. NewParser checks and compiles it.
//
// The fields that are set select the message type of the records:
//
//	Features              tf.train.Example
//	Context, Sequence     tf.train.SequenceExample, with either or both
//	Examples, Context     ExampleListWithContext, where Context may be absent
//
// Context and Sequence have separate names: both may have a feature of the same name.
type Spec struct {
	Features Features // of an Example
	Context  Features // of a SequenceExample or of an ExampleListWithContext
	Sequence Features // the feature lists of a SequenceExample
	Examples Features // of every Example in an ExampleListWithContext
}

// Features maps names of columns to the kind of each. The name is also the key in the
// message, unless the kind has keys of its own.
type Features map[string]Feature

// A Feature is one of [FixedLen], [FixedLenSequence], [VarLen], [Sparse] and [Ragged].
type Feature interface{ dtype() DType }

// DTypeOf returns the type of the values of the feature's column.
func DTypeOf(f Feature) DType { return f.dtype() }

// FixedLen is a feature with a known number of values: the product of Shape. The
// column is dense, of shape [rows]+Shape.
//
// Without a default the feature is required. A default has as many values as the shape, of
// the type of the column. It replaces an absent feature and, except in the context of a
// SequenceExample, one without kind. An empty list is an error, also with a default. A
// default without values, for a shape of size 0, does not count as one.
type FixedLen struct {
	DType   DType
	Shape   []int         // nil is a scalar
	Default example.Value // the zero Value is none
	Decode  Decode        // what the strings hold; nil are strings
}

// FixedLenSequence is a feature of any number of blocks of equal shape.
// The column is dense, of shape [rows, longest]+Shape: rows with fewer blocks than
// the longest are padded. Column.Lengths returns the number of blocks of each row and
// Column.Ragged the column without padding.
//
// In Features, Context of a list and Examples the blocks are one list, whose
// length must be a multiple of the block's; in Sequence every step is one block.
type FixedLenSequence struct {
	DType        DType
	Shape        []int         // of one block, which has at least one value; nil is a scalar
	Default      example.Value // the padding, one value; the zero Value pads with 0 or "". Not in Sequence
	AllowMissing bool          // in Sequence: an absent list counts as empty, as elsewhere always
	Decode       Decode        // what the strings hold; nil are strings
}

// VarLen is a feature of any number of values. The column is sparse, of shape
// [rows, longest] (in Sequence [rows, most steps, longest]); Column.Ragged returns
// rows of different lengths.
type VarLen struct {
	DType  DType
	Decode Decode // what the strings hold; nil are strings
}

// Sparse is a column of several features of the message: one with values, and for each
// dimension one of int64 with the indices of the values. The column is sparse, of shape
// [rows]+Size.
//
// A record has as many indices as values in each dimension, and each index is less than the
// size. Entries of a row are sorted by their indices; entries with the same indices are all
// kept, in their order.
type Sparse struct {
	DType     DType
	IndexKeys []string // the keys of the indices, one for each dimension
	ValueKey  string   // the key of the values
	Size      []int64  // of every dimension
	Sorted    bool     // entries stay in the order of the record
}

// Ragged is a feature of flat values and row partitions. The innermost partition divides the
// values into rows; each other one divides the rows of the next inner partition. The column is
// ragged, with a partition for the records and then one for each of the feature. Uniform
// partitions at the end of the list become dense inner dimensions.
type Ragged struct {
	DType      DType
	ValueKey   string      // the key of the values; "" is the name of the column
	Partitions []Partition // outermost first
	Decode     Decode      // what the strings hold; nil are strings
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

// A Partition is a row partition, which divides items into rows: one of [RowSplits],
// [RowLengths], [RowStarts], [RowLimits] and [ValueRowIDs], which name an int64 feature, and
// [UniformRowLength]. Positions count from the first item of the record, in Sequence of the
// step.
type Partition interface{ partition() }

// The six partitions. For the rows [a b] [] [c]:
type (
	RowSplits        string // 0 2 2 3: the start of each row, then the number of items; without items it may be empty
	RowLengths       string // 2 0 1: the number of items in each row
	RowStarts        string // 0 2 2: the start of each row
	RowLimits        string // 2 2 3: the end of each row
	ValueRowIDs      string // 0 0 2: the row of each item, ascending; the last row is not empty
	UniformRowLength int64  // the number of items in every row, at least 1, without a feature
)

func (RowSplits) partition()        {}
func (RowLengths) partition()       {}
func (RowStarts) partition()        {}
func (RowLimits) partition()        {}
func (ValueRowIDs) partition()      {}
func (UniformRowLength) partition() {}

// PartitionKey returns the name of a partition in Spec JSON and its key, "" for
// UniformRowLength. The name of another type is "".
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

// PartitionNames returns the names of the partitions that name a feature, as Spec JSON has them.
func PartitionNames() []string {
	return []string{"row_splits", "row_lengths", "row_starts", "row_limits", "value_row_ids"}
}

// PartitionOf returns the partition with a name of PartitionNames and a key: the inverse of [PartitionKey]. It is nil for
// another name.
func PartitionOf(name, key string) Partition {
	switch name {
	case "row_splits":
		return RowSplits(key)
	case "row_lengths":
		return RowLengths(key)
	case "row_starts":
		return RowStarts(key)
	case "row_limits":
		return RowLimits(key)
	case "value_row_ids":
		return ValueRowIDs(key)
	}
	return nil
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

// prefix is the beginning of errors about a feature of the group.
func (g Group) prefix() string {
	if g == InFeatures {
		return "feature "
	}
	return g.String() + " feature "
}

// Group returns a pointer to one of the maps of the spec.
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

// MarshalText returns the name of the type. Another value than the three is an error.
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
