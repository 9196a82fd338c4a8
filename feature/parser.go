package feature

import (
	"errors"
	"iter"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/ragged"
)

// ParserOptions bounds what a spec and one record may ask for. Zero fields take the
// defaults.
// Whatever is not listed here is bounded by the size of the record: a value or a
// step takes at least a byte of it.
type ParserOptions struct {
	// MaxRows is how many rows one record may declare in a partition by
	// value_row_ids. The default is 1<<20.
	MaxRows int
	// MaxSteps is how many steps a feature list, and how many examples a list of
	// examples may have. The default is 1<<24.
	MaxSteps int
	// MaxPadded is how many values, padding included, the dense form of a
	// FixedLenSequence column may have in a batch: one long record makes it as
	// large as if all were. The default is 1<<26.
	MaxPadded int
	// MaxDepth is how deep a feature of the spec may nest: how many partitions a Ragged
	// one, how many dimensions a shape, and how many index keys a Sparse one may have.
	// The default is 64. A spec with more makes no sense to the parser.
	MaxDepth int

	// AliasRecords keeps byte strings where they are in the records instead of copying
	// them. Then a record given to Append must not change as long as any string of the
	// batch, or taken from it, is in use: not one that a reader lends until its next
	// record, but one that is the caller's own, such as tfrecord.Reader.AppendNext
	// gives. A string keeps its whole record in memory. Where package unsafe is not
	// to be used (build tag purego) strings are copied one by one.
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
	spec     Spec
	message  example.MessageType
	opts     ParserOptions
	tables   [4]keyTable // by Group
	columns  []plan      // by group, then name
	byName   [4]map[string]int
	groups   [4][]int    // the columns of each
	direct   [4][]direct // those of them that the fast path makes of one key
	late     [4][]int    // the others
	kept     [4][]int    // the slots that these read
	padded   []int       // the columns that are padded
	hollow   []hollow    // the columns that are dense and have no values
	uses     [4][]use    // the same keys, as encoding needs them
	keys     int         // how many uses there are
	singles  sync.Pool   // of *Batch, for ParseSingle
	batches  sync.Pool   // of *Batch, for Parse
	encoders sync.Pool   // of *encoder
}

// A hollow column is dense and has no values, as of shape [n 0]. No tensor has more than
// ragged.MaxEmptyRows rows then, which bounds the rows of a batch.
type hollow struct{ column, rows int }

// emptyRows returns the product of the sizes that are not 0.
func emptyRows(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= max(d, 1)
	}
	return n
}

// NewParser compiles a spec. If the spec makes no sense the error is the join of a
// *SpecError for every fault. The spec is copied as far as needed: it may be
// changed afterwards.
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
				p.hollow = append(p.hollow, hollow{len(p.columns) - 1, ragged.MaxEmptyRows / emptyRows(c.inner)})
			}
		}
	}
	for g := range p.uses {
		p.uses[g] = p.keyUses(Group(g))
		p.planFast(Group(g))
	}
	return p, nil
}

// Spec returns a copy of the spec that the parser was made from.
func (p *Parser) Spec() Spec { return p.spec.clone() }

// Options returns the limits and settings of the parser, with the defaults filled in.
func (p *Parser) Options() ParserOptions { return p.opts }

// Message returns the type of the records that the parser reads.
func (p *Parser) Message() example.MessageType { return p.message }

// Parse parses records into a new Batch. If one does not fit, the error says
// which, and wraps an *Error.
func (p *Parser) Parse(records ...[]byte) (*Batch, error) {
	b := p.empty()
	defer b.Release()
	for i, r := range records {
		if err := b.Append(r); err != nil {
			return nil, recordError(i, err)
		}
	}
	return b.Take(), nil
}

// Batches parses a stream of records into batches of n; the last one may be
// shorter. A batch is the caller's for good, or until Batch.Release gives its memory to a
// later one: releasing each batch is what makes a loop run without garbage. The sequence
// ends after the first error, of the stream or of a record that does not fit; use Append
// to go on after those. Records before the error come first, in a batch of their own. It
// panics if n is not positive.
func (p *Parser) Batches(records iter.Seq2[[]byte, error], n int) iter.Seq2[*Batch, error] {
	if n <= 0 {
		panic("feature: Batches of no records")
	}
	return func(yield func(*Batch, error) bool) {
		b := p.empty()
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
				b = p.empty()
			}
		}
		if b.Len() > 0 {
			yield(b, nil)
		}
	}
}

// ParseSingle parses one record. The columns have no batch axis: they are what
// TensorFlow's parse_single_example and parse_single_sequence_example give. They
// share no memory with the parser or the record, unless strings alias records (see
// ParserOptions).
//
// It is made for services that parse one request at a time. One that keeps a
// Batch for each goroutine can do without any allocation: Reset, Append, Row(0).
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

// clone copies everything that NewParser keeps of a spec.
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
