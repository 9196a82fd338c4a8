package feature

import (
	"slices"

	"github.com/tfparse/tfparse/example"
)

// A kind is what is done with the features of one unit. A unit is what carries one
// set of them: a record, a step of the feature lists, an example of a list.
type kind uint8

const (
	fixedKind    kind = iota // exactly cell values, or the default
	sequenceKind             // any number of blocks of cell values
	varLenKind               // any number of values
	sparseKind               // values and indices
	raggedKind               // values and partitions
)

// A plan is a compiled Feature: one column. Its data are levels of rows, from the
// outermost to the innermost, over blocks of cell values:
//
//	                    Features, Context           Sequence, Examples
//	FixedLen            rows                        rows > units
//	FixedLenSequence    rows > blocks               Examples: rows > units > blocks
//	                                                Sequence: rows > units, each one block
//	VarLen, Sparse      rows > values               rows > units > values
//	Ragged              rows > items > … > cells    rows > units > items > … > cells
//
// Every ">" is a level. Partitions that are not at the end of the list, uniform
// ones included, have a level each; those at the end make the cell.
type plan struct {
	group  Group
	name   string
	spec   Feature
	kind   kind
	dtype  DType
	form   Form
	inner  []int   // the shape of a cell
	cell   int     // its values
	levels []int64 // the uniform length of each level, -1 if it has none
	nested bool    // level 0 has the units of each record
	padded bool    // the dense form of the innermost level is made by padding
	values int     // slot of the values

	required bool          // an absent feature, or list, is an error
	noKind   bool          // a feature without kind is as good as absent
	def      example.Value // what stands for an absent one, or the padding
	defText  []string      // the same where values are strings

	indices []int   // slots of a sparse feature's indices
	sizes   []int64 // the limit of each
	sorted  bool

	parts []part // outermost first, those of the cell included

	late bool // it reads several keys: the fast path makes it last
	op   op   // what the fast path does with its values
}

// A part is one partition.
type part struct {
	name   string // in Spec JSON
	slot   int    // of its data; -1 for a uniform one
	length int64  // of a uniform one
}

// compile makes a plan, and gives the keys it reads a slot each.
func (p *Parser) compile(g Group, name string, f Feature) plan {
	t := &p.tables[g]
	c := plan{
		group:  g,
		name:   name,
		spec:   f,
		dtype:  f.dtype(),
		nested: g == InSequence || g == InExamples,
		noKind: g != InSequence && p.message != example.TypeSequence,
	}
	if c.nested {
		c.levels = append(c.levels, -1)
	}
	switch f := f.(type) {
	case FixedLen:
		c.kind, c.inner, c.def = fixedKind, f.Shape, f.Default
		c.values = t.slot(name)
		c.required = f.Default.Len() == 0
	case FixedLenSequence:
		c.kind, c.inner, c.def, c.padded = sequenceKind, f.Shape, f.Default, true
		c.values = t.slot(name)
		if g == InSequence {
			c.kind, c.required = fixedKind, !f.AllowMissing
		} else {
			c.levels = append(c.levels, -1)
		}
	case VarLen:
		c.kind, c.form = varLenKind, SparseForm
		c.values = t.slot(name)
		c.levels = append(c.levels, -1)
	case Sparse:
		c.kind, c.form = sparseKind, SparseForm
		c.values = t.slot(f.ValueKey)
		for _, k := range f.IndexKeys {
			c.indices = append(c.indices, t.slot(k))
		}
		c.sizes, c.sorted = f.Size, f.Sorted
		c.levels = append(c.levels, -1)
	case Ragged:
		c.kind, c.form = raggedKind, RaggedForm
		c.values = t.slot(f.valueKey(name))
		c.levels = append(c.levels, -1)
		c.inner = f.InnerShape()
		for i, q := range f.Partitions {
			n := int64(-1)
			slot := -1
			what, key := PartitionKey(q)
			if u, ok := q.(UniformRowLength); ok {
				n = int64(u)
			} else {
				slot = t.slot(key)
			}
			c.parts = append(c.parts, part{what, slot, n})
			if i < len(f.Partitions)-len(c.inner) {
				c.levels = append(c.levels, n)
			}
		}
	}
	if c.form == DenseForm && c.group == InExamples {
		c.form = RaggedForm
	}
	c.cell = 1
	for _, d := range c.inner {
		c.cell *= d
	}
	for _, s := range c.def.Bytes {
		c.defText = append(c.defText, string(s))
	}
	return c
}

// firstPart returns the level of the outermost partition.
func (c *plan) firstPart() int { return len(c.levels) - (len(c.parts) - len(c.inner)) }

// cloneFeature copies a feature with all its slices.
func cloneFeature(f Feature) Feature {
	switch f := f.(type) {
	case FixedLen:
		f.Shape, f.Default = slices.Clone(f.Shape), cloneValue(f.Default)
		return f
	case FixedLenSequence:
		f.Shape, f.Default = slices.Clone(f.Shape), cloneValue(f.Default)
		return f
	case Sparse:
		f.IndexKeys, f.Size = slices.Clone(f.IndexKeys), slices.Clone(f.Size)
		return f
	case Ragged:
		f.Partitions = slices.Clone(f.Partitions)
		return f
	}
	return f
}

func cloneValue(v example.Value) example.Value {
	v.Int64s, v.Floats, v.Bytes = slices.Clone(v.Int64s), slices.Clone(v.Floats), slices.Clone(v.Bytes)
	for i, s := range v.Bytes {
		v.Bytes[i] = slices.Clone(s)
	}
	return v
}
