package raggedjson

import (
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// column is one column of the batch, prepared for the Printer. A unit is the part of a record that has
// one value of the feature: a record, a step, or an example of a list. Below the units are levels of
// rows, and below them cells of equal shape.
type column struct {
	name    []byte        // as a member of an object, with its colon
	plain   string        // name in the spec
	group   feature.Group // map of the spec that has the feature
	dtype   feature.DType // type of the values, before they are decoded
	form    feature.Form  // form in a batch; SparseForm of a VarLen feature too
	nested  bool          // level 0 partitions the units of each record
	padded  bool          // a batch pads the last level
	sparse  bool          // a Sparse feature: values print with their indices
	sizes   []int64       // Size of a Sparse feature
	shape   []int         // shape of a cell
	cell    int           // number of values in a cell
	padding []byte        // the padding value as JSON
	padErr  error         // error of printing the padding value, or nil

	rendering *Rendering // how rows print; may be nil

	decoded bool           // strings are decoded: see appendDecoded
	source  feature.Column // of the current batch

	levels  []level   // row partitions, outermost first
	ints    []int64   // values, if the dtype is int64
	floats  []float32 // values, if the dtype is float32
	strings []string  // values, if the dtype is string
	index   []int64   // of a Sparse feature: dims indices per value
	dims    int       // of a Sparse feature: number of dimensions
}

// level is one row partition.
type level struct {
	splits []int64 // row splits; nil if the level is uniform
	length int     // the uniform row length
}

// at returns the first item of row i.
func (l *level) at(i int) int {
	if l.splits == nil {
		return i * l.length
	}
	return int(l.splits[i])
}

// newColumn returns the printer column of a column of an empty batch.
func newColumn(c feature.Column, opts *recordjson.Options) column {
	col := column{
		plain:  c.Name(),
		group:  c.Group(),
		dtype:  c.DType(),
		form:   c.Form(),
		nested: c.Group() == feature.InSequence || c.Group() == feature.InExamples,
		levels: make([]level, c.RaggedRank()),
		cell:   1,
	}
	switch f := c.Spec().(type) {
	case feature.FixedLen:
		col.shape = f.Shape
	case feature.FixedLenSequence:
		col.shape, col.padded = f.Shape, true
		col.pad(f, opts)
	case feature.Sparse:
		col.sparse, col.sizes, col.dims = true, f.Size, len(f.IndexKeys)
	case feature.Ragged:
		col.shape = f.InnerShape()
	}
	for _, d := range col.shape {
		col.cell *= d
	}
	if col.decoded = feature.DecodeOf(c.Spec()) != nil; col.decoded {
		col.padErr = nil // rows have no padding
	}
	name := []byte(col.plain)
	if col.group == feature.InFeatures {
		col.name = jsonscan.AppendTopName(nil, name)
	} else {
		col.name = jsonscan.AppendName(nil, name)
	}
	col.name = append(col.name, ':')
	return col
}

// pad formats the padding value.
func (c *column) pad(f feature.FixedLenSequence, opts *recordjson.Options) {
	switch f.DType {
	case feature.Int64:
		v := append(f.Default.Int64s, 0)[0]
		c.padding = recordjson.AppendInt64(nil, v, opts.Int64)
	case feature.Float32:
		v := append(f.Default.Floats, 0)[0]
		c.padding, c.padErr = recordjson.AppendFloat32(nil, v, opts.NaN)
	case feature.String:
		v := append(f.Default.Bytes, nil)[0]
		c.padding, c.padErr = recordjson.AppendText(nil, string(v), opts.Bytes)
	}
}

// load refers to the data of a column of the current batch.
func (c *column) load(from feature.Column) {
	c.source = from
	for i := range c.levels {
		c.levels[i].splits, c.levels[i].length = from.Splits(i)
	}
	switch c.dtype {
	case feature.Int64:
		c.ints, _ = feature.FlatOf[int64](from)
	case feature.Float32:
		c.floats, _ = feature.FlatOf[float32](from)
	case feature.String:
		c.strings, _ = feature.FlatOf[string](from)
	}
	if c.sparse {
		at, _ := from.Indices()
		c.index = at.Values()
	}
}

// units returns the range of units of one record.
func (c *column) units(row int) (lo, hi int) {
	if !c.nested {
		return row, row + 1
	}
	return c.levels[0].at(row), c.levels[0].at(row + 1)
}

// first returns the index of the first level below a unit.
func (c *column) first() int {
	if c.nested {
		return 1
	}
	return 0
}

// rowsAt returns the number of rows at a level in the first n records, or of cells below the
// last level.
func (c *column) rowsAt(level, n int) int {
	for i := range level {
		n = c.levels[i].at(n)
	}
	return n
}

// longest returns the length of the longest of the first n rows at a level.
func (c *column) longest(level, n int) int {
	longest := 0
	for i := range n {
		longest = max(longest, c.levels[level].at(i+1)-c.levels[level].at(i))
	}
	return longest
}
