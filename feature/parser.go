package feature

import (
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/ragged"
)

// ParserOptions has the limits of a spec and of one record. Zero fields are the defaults.
// Everything else is limited by the size of the record: a value or a step takes at least
// one byte of it.
type ParserOptions struct {
	// MaxRows is the maximum number of rows that one record may declare in a partition by value_row_ids. The
	// default is 1<<20.
	MaxRows int
	// MaxSteps is the maximum number of steps in a feature list, and of examples in a list of examples. The default
	// is 1<<24.
	MaxSteps int
	// MaxPadded is the maximum number of values, padding included, in the dense form of a FixedLenSequence column
	// of a batch: padding makes every record as long as the longest. The default is 1<<26.
	MaxPadded int
	// MaxDepth is the maximum number of partitions of a Ragged feature, of dimensions of a shape, and of index keys
	// of a Sparse feature. The default is 64. NewParser refuses a spec with more.
	MaxDepth int

	// AliasRecords makes strings views of the records in place of copies. A record given to Append must not change
	// as long as any string of the batch is in use: it must belong to the caller, like one from
	// tfrecord.Indexed.AppendAt, and not be lent by a reader. A string keeps its whole record in memory. With the
	// build tag purego, which excludes package unsafe, strings are copied one by one.
	AliasRecords bool
}

func (o *ParserOptions) withDefaults() ParserOptions {
	var d ParserOptions
	if o != nil {
		d = *o
	}
	for _, f := range []struct {
		v   *int
		def int
	}{{&d.MaxRows, 1 << 20}, {&d.MaxSteps, 1 << 24}, {&d.MaxPadded, 1 << 26}, {&d.MaxDepth, 64}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	return d
}

// A Parser is a compiled Spec. It is immutable and safe for concurrent use; the
// memory that parsing needs is in the Batch.
type Parser struct {
	spec    Spec                // own copy of the spec, which compiled features share; never changed
	message example.MessageType // type of the records
	opts    ParserOptions       // with the defaults filled in

	columns []columnPlan      // by group, then name
	byName  [4]map[string]int // by Group: the indices of columns
	tables  [4]keyTable       // by Group: the keys of the message

	groupColumns  [4][]int          // by Group: the columns, as indices
	directColumns [4][]directColumn // by Group: the columns that the fast path adds first
	lateColumns   [4][]int          // by Group: the other columns, which read several keys or share a key
	lateSlots     [4][]int          // by Group: the slots that lateColumns read
	paddedColumns []int             // the columns of all groups that are padded
	emptyColumns  []emptyColumn     // the columns without values

	decodedColumns []int // the columns with Decode

	keyUses [4][]keyUse // by Group: the keys as Batch.AppendRecord writes them
	numKeys int         // number of keys in all groups

	singles  sync.Pool // of *Batch, for ParseSingle
	batches  sync.Pool // of *Batch that were released, for Parse and Batches
	encoders sync.Pool // of *encoder
}

// An emptyColumn is dense and has no values, as of shape [n 0]. It limits the rows of a batch,
// since no tensor without values has more than ragged.MaxEmptyRows rows.
type emptyColumn struct {
	column int // index in Parser.columns
	rows   int // maximum number of rows of a batch
}

// emptyRows returns the product of all sizes in a shape that are not 0.
func emptyRows(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= max(d, 1)
	}
	return n
}

// NewParser compiles a spec, which it copies. If the spec is not valid the error joins a
// *SpecError for each fault.
func NewParser(spec Spec, opts *ParserOptions) (*Parser, error) {
	o := opts.withDefaults()
	err := spec.validate(o.MaxDepth)
	if min(o.MaxRows, o.MaxSteps, o.MaxPadded, o.MaxDepth) < 0 {
		err = errors.Join(err, errors.New("feature: negative limit in the options"))
	}
	if err != nil {
		return nil, err
	}
	p := &Parser{spec: spec.clone(), message: spec.Message(), opts: o}
	for g, fs := range p.spec.Groups() {
		p.byName[g] = make(map[string]int, len(fs))
		for name, f := range fs.sorted() {
			p.byName[g][name] = len(p.columns)
			p.columns = append(p.columns, p.compile(g, name, f))
			c := &p.columns[len(p.columns)-1]
			if _, err := ragged.SizeOf(c.inner); err != nil { // only where int has 32 bits: see maxElements
				return nil, &SpecError{Group: g, Feature: name, Err: err}
			}
			if c.cell == 0 && len(c.levels) == 0 {
				p.emptyColumns = append(p.emptyColumns, emptyColumn{len(p.columns) - 1, ragged.MaxEmptyRows / emptyRows(c.inner)})
			}
		}
	}
	for i := range p.columns {
		p.compileDecode(i)
	}
	for g := range p.keyUses {
		p.keyUses[g] = p.compileUses(Group(g))
		p.compileFastPath(Group(g))
	}
	return p, nil
}

// Spec returns a copy of the spec that the parser was made from.
func (p *Parser) Spec() Spec { return p.spec.clone() }

// Options returns the limits and settings of the parser, with the defaults filled in.
func (p *Parser) Options() ParserOptions { return p.opts }

// Message returns the type of the records that the parser reads.
func (p *Parser) Message() example.MessageType { return p.message }

// Parse parses records into a new Batch. The error of a record that does not fit is an *Error
// with its index.
func (p *Parser) Parse(records ...[]byte) (*Batch, error) {
	b := p.emptyBatch()
	defer b.Release()
	for i, r := range records {
		if err := b.Append(r); err != nil {
			return nil, recordError(i, err)
		}
	}
	return b.Take(), nil
}

// Batches parses a stream of records into batches of n; the last one may be shorter. A batch belongs to the caller.
// Batch.Release returns its memory for a later batch, so that a loop makes no garbage. The sequence ends after the
// first error, of the stream or of a record that does not fit; to continue after such errors use Append. Records
// before the error come first, in a batch of their own. It panics if n is not positive.
func (p *Parser) Batches(records iter.Seq2[[]byte, error], n int) iter.Seq2[*Batch, error] {
	if n <= 0 {
		panic("feature: Batches of no records")
	}
	return func(yield func(*Batch, error) bool) {
		b := p.emptyBatch()
		count := 0
		for r, err := range records {
			if err == nil {
				if err = b.Append(r); err != nil {
					err = recordError(count, err)
				}
			}
			if err != nil {
				if b.Len() == 0 || yield(b, nil) {
					yield(nil, err)
				}
				return
			}
			if count++; b.Len() == n {
				if !yield(b, nil) {
					return
				}
				b = p.emptyBatch()
			}
		}
		if b.Len() > 0 {
			yield(b, nil)
		}
	}
}

// ParseSingle parses one record. The columns have no batch axis: they equal those of TensorFlow's
// parse_single_example and parse_single_sequence_example. They share no memory with the parser or the record,
// unless strings alias records (see ParserOptions).
//
// It is for services that parse one request at a time. A service that keeps a Batch for each
// goroutine parses without allocations: Reset, Append, Row(0).
func (p *Parser) ParseSingle(record []byte) (Columns, error) {
	b, _ := p.singles.Get().(*Batch)
	if b == nil {
		b = p.NewBatch()
	}
	defer p.singles.Put(b)
	b.Reset()
	if err := b.Append(record); err != nil {
		return Columns{}, err
	}
	return b.take().Row(0), nil
}

// clone returns a deep copy of a spec.
func (s Spec) clone() Spec {
	for g := InFeatures; g <= InExamples; g++ {
		fs := s.Group(g)
		if *fs == nil {
			continue
		}
		c := make(Features, len(*fs))
		for name, f := range *fs {
			c[name] = cloneFeature(f)
		}
		*fs = c
	}
	return s
}

// A columnKind says how the features of one unit become a row. A unit has one set of
// features: it is a record, a step of the feature lists, or an example of a list.
type columnKind uint8

const (
	fixedKind    columnKind = iota // cell values, or the default
	sequenceKind                   // any number of blocks of cell values
	varLenKind                     // any number of values
	sparseKind                     // values and indices
	raggedKind                     // values and partitions
)

// A columnPlan is a compiled Feature. Its column has levels of rows, from the outermost to the
// innermost, and then cells of some values each:
//
//	                    Features, Context           Sequence, Examples
//	FixedLen            rows                        rows > units
//	FixedLenSequence    rows > blocks               Examples: rows > units > blocks
//	                                                Sequence: rows > units, each one block
//	VarLen, Sparse      rows > values               rows > units > values
//	Ragged              rows > items > … > cells    rows > units > items > … > cells
//
// Each ">" is a level. The uniform partitions at the end of a Ragged feature are the shape of
// the cell; the other partitions have a level each, uniform ones included.
type columnPlan struct {
	group  Group      // map of the spec that has the feature
	name   string     // name in the spec; the keys in records may differ
	spec   Feature    // shares memory with Parser.spec; nil if NewColumn made the column
	kind   columnKind // how a unit becomes a row
	dtype  DType      // type of the values in records; String for a feature with Decode
	form   Form       // form in a batch; Column.Form makes RaggedForm without levels dense
	inner  []int      // the shape of a cell
	cell   int        // number of values in a cell
	levels []int64    // by level: the uniform row length, or -1
	nested bool       // level 0 divides the units of each record
	padded bool       // the dense form pads the innermost level

	valueSlot  int             // the slot of the values
	indexSlots []int           // of a Sparse feature: the slots of its indices
	sizes      []int64         // of a Sparse feature: its Size
	sorted     bool            // of a Sparse feature: entries stay in the order of the record
	parts      []partitionPlan // of a Ragged feature: all partitions, outermost first

	required       bool          // an absent feature, or feature list, is an error
	unsetIsAbsent  bool          // a feature without kind counts as absent
	defaultValue   example.Value // replaces an absent feature; or the padding
	defaultStrings []string      // defaultValue, if values are strings

	decode   *decodePlan // of a feature with Decode
	multiKey bool        // it is one of Parser.lateColumns
	op       valueOp     // how the fast path adds the values
}

// A partitionPlan is a compiled Partition.
type partitionPlan struct {
	name   string // its name in Spec JSON
	slot   int    // the slot of its data; -1 if it is uniform
	length int64  // the uniform row length, or -1
}

// compile compiles a feature, and gives each of its keys a slot.
func (p *Parser) compile(g Group, name string, f Feature) columnPlan {
	t := &p.tables[g]
	c := columnPlan{
		group:         g,
		name:          name,
		spec:          f,
		dtype:         f.dtype(),
		nested:        g == InSequence || g == InExamples,
		unsetIsAbsent: g != InSequence && p.message != example.TypeSequence,
	}
	if c.nested {
		c.levels = append(c.levels, -1)
	}
	switch f := f.(type) {
	case FixedLen:
		c.kind, c.inner, c.defaultValue = fixedKind, f.Shape, f.Default
		c.valueSlot = t.slotOf(name)
		c.required = f.Default.Len() == 0
	case FixedLenSequence:
		c.kind, c.inner, c.defaultValue, c.padded = sequenceKind, f.Shape, f.Default, true
		c.valueSlot = t.slotOf(name)
		if g == InSequence {
			c.kind, c.required = fixedKind, !f.AllowMissing
		} else {
			c.levels = append(c.levels, -1)
		}
	case VarLen:
		c.kind, c.form = varLenKind, SparseForm
		c.valueSlot = t.slotOf(name)
		c.levels = append(c.levels, -1)
	case Sparse:
		c.kind, c.form = sparseKind, SparseForm
		c.valueSlot = t.slotOf(f.ValueKey)
		for _, k := range f.IndexKeys {
			c.indexSlots = append(c.indexSlots, t.slotOf(k))
		}
		c.sizes, c.sorted = f.Size, f.Sorted
		c.levels = append(c.levels, -1)
	case Ragged:
		c.kind, c.form = raggedKind, RaggedForm
		c.valueSlot = t.slotOf(f.valueKey(name))
		c.levels = append(c.levels, -1)
		c.inner = f.InnerShape()
		for i, q := range f.Partitions {
			n := int64(-1)
			slot := -1
			what, key := PartitionKey(q)
			if u, ok := q.(UniformRowLength); ok {
				n = int64(u)
			} else {
				slot = t.slotOf(key)
			}
			c.parts = append(c.parts, partitionPlan{what, slot, n})
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
	for _, s := range c.defaultValue.Bytes {
		c.defaultStrings = append(c.defaultStrings, string(s))
	}
	return c
}

// firstPart returns the level of the outermost partition of a Ragged feature.
func (c *columnPlan) firstPart() int { return len(c.levels) - (len(c.parts) - len(c.inner)) }

// cloneFeature returns a deep copy of a feature.
func cloneFeature(f Feature) Feature {
	switch f := f.(type) {
	case FixedLen:
		f.Shape, f.Default, f.Decode = slices.Clone(f.Shape), cloneValue(f.Default), cloneDecode(f.Decode)
		return f
	case FixedLenSequence:
		f.Shape, f.Default, f.Decode = slices.Clone(f.Shape), cloneValue(f.Default), cloneDecode(f.Decode)
		return f
	case VarLen:
		f.Decode = cloneDecode(f.Decode)
		return f
	case Sparse:
		f.IndexKeys, f.Size = slices.Clone(f.IndexKeys), slices.Clone(f.Size)
		return f
	case Ragged:
		f.Partitions, f.Decode = slices.Clone(f.Partitions), cloneDecode(f.Decode)
		return f
	}
	return f
}

func cloneDecode(d Decode) Decode {
	switch d := d.(type) {
	case DecodeRaw:
		d.Shape = slices.Clone(d.Shape)
		return d
	case DecodeTensor:
		d.Shape = slices.Clone(d.Shape)
		return d
	}
	return nil
}

func cloneValue(v example.Value) example.Value {
	v.Int64s, v.Floats, v.Bytes = slices.Clone(v.Int64s), slices.Clone(v.Floats), slices.Clone(v.Bytes)
	for i, s := range v.Bytes {
		v.Bytes[i] = slices.Clone(s)
	}
	return v
}
