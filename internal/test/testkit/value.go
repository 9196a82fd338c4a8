package testkit

// A Value is one value of the vectors: an argument, or a result. The types
// below are all there are.
type Value interface{ value() }

// Dense is a tensor without ragged axes, row-major.
type Dense struct {
	DType string
	Shape []int64
	// Values is a slice of the Go type that DType names: []int64, []int32,
	// []float32, []float64, []bool, []string (any bytes), and so on.
	Values any
}

// Ragged is a tensor of flat values and partitions, outermost first.
type Ragged struct {
	Partitions []Partition
	Flat       Dense
	// SplitsDType is the type of the row splits in memory, "int64" or "int32".
	// In a result it may be empty: then it is not compared.
	SplitsDType string
}

// A Partition divides values into rows.
type Partition struct {
	Splits  []int64 // NRows + 1 numbers, the first 0; filled for uniform ones too
	Uniform bool    // known to have rows of one length
	Length  int64   // that length
	NRows   int64
}

// Sparse is a sparse tensor.
type Sparse struct {
	Indices    [][]int64
	DenseShape []int64
	DType      string
	Values     any // as in Dense
}

// Shape is a static shape. A dimension that is ragged or unknown is -1. Known
// is false if even the rank is unknown.
type Shape struct {
	Dims  []int64
	Known bool
}

// RowPartition is a partition by itself.
type RowPartition struct {
	Partition
	DType string // of the row splits; in a result it may be empty
}

// DynamicShape is the shape of a ragged tensor with the lengths of its rows.
type DynamicShape struct {
	Partitions []Partition
	Inner      []int64
	DType      string // of the row splits; in a result it may be empty
}

// RaggedSpec is a static description of a ragged tensor.
type RaggedSpec struct {
	Shape      Shape
	DType      string
	RaggedRank int64
}

// Dataset is a source and the steps that are applied to it.
type Dataset struct {
	Source Value
	Then   []Step
}

// A Step is one method of a dataset.
type Step struct {
	Name string
	Args []Value
}

// Slice is a slice of an index; nil is absent.
type Slice struct{ Start, Stop, Step *int64 }

// OddSlice is a slice of an index with a bound that is no integer, as it is
// written. Go has no such key: it stands where an error is expected.
type OddSlice string

// The simple values.
type (
	List     []Value
	Dict     map[string]Value
	String   string // UTF-8
	Int      int64
	Float    float64
	Bool     bool
	Null     struct{}
	DType    string
	Fn       string // a function, by its name
	NewAxis  struct{}
	Ellipsis struct{}
)

func (Dense) value()        {}
func (Ragged) value()       {}
func (Sparse) value()       {}
func (Shape) value()        {}
func (RowPartition) value() {}
func (DynamicShape) value() {}
func (RaggedSpec) value()   {}
func (Dataset) value()      {}
func (Slice) value()        {}
func (OddSlice) value()     {}
func (List) value()         {}
func (Dict) value()         {}
func (String) value()       {}
func (Int) value()          {}
func (Float) value()        {}
func (Bool) value()         {}
func (Null) value()         {}
func (DType) value()        {}
func (Fn) value()           {}
func (NewAxis) value()      {}
func (Ellipsis) value()     {}

// SplitsOf returns a partition with the given row splits that is not known to
// be uniform.
func SplitsOf(splits ...int64) Partition {
	return Partition{Splits: splits, NRows: int64(len(splits)) - 1}
}

// UniformOf returns a partition of nrows rows of one length.
func UniformOf(length, nrows int64) Partition {
	p := Partition{Uniform: true, Length: length, NRows: nrows, Splits: make([]int64, nrows+1)}
	for i := range p.Splits {
		p.Splits[i] = int64(i) * length
	}
	return p
}
