package dataset

import (
	"fmt"
	"iter"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// FromBatch is the rows of a parsed batch, one after another, with columns of every form.
// TensorFlow calls it from_tensor_slices of what parse_example returns.
//
// An element is what Batch.Row gives: Int64, Float32, Strings and Column take the name of
// the feature, and In chooses between context and feature lists where both have that
// name. Each row is that of the record alone, as from parse_single_example: without the
// padding that a FixedLenSequence has in the batch, and a sparse row is as long as it has
// values. Batch makes columns as parse_example does, with padding as those
// rows need, and Unbatch takes them apart again. What Map returns needs Components of the
// dataset to be batched, and rows of this parser.
//
// The rows are views, good as long as the batch: until Reset or Release, and for a batch
// that Parser.Batches lends until the next one. Columns that Batch makes are copies, good
// for ever.
func FromBatch(b *feature.Batch) Dataset[feature.Columns] {
	return From(batchRows(b)).WithComponents(columns{b.Parser()})
}

func batchRows(b *feature.Batch) iter.Seq2[feature.Columns, error] {
	return func(yield func(feature.Columns, error) bool) {
		for i := 0; i < b.Len(); i++ {
			if !yield(b.Row(i), nil) {
				return
			}
		}
	}
}

// columns is the only component of elements that are rows, or batches, of a parser. Its
// spec is open: how columns batch is in the parser's.
type columns struct {
	parser *feature.Parser
}

func (c columns) Name() string                                     { return "" }
func (c columns) Spec() Spec                                       { return Spec{} }
func (c columns) like(*feature.Columns) Component[feature.Columns] { return c }
func (c columns) batched(int, bool) Component[feature.Columns]     { return c }
func (c columns) unbatched() Component[feature.Columns]            { return c }

func (c columns) slicer(e *feature.Columns) (int, func(dst *feature.Columns), error) {
	b, row := e.Batch()
	if b == nil || row >= 0 {
		return 0, nil, fmt.Errorf("%w: the columns of one row have no rows", ragged.ErrShape)
	}
	i := 0
	return b.Len(), func(dst *feature.Columns) {
		*dst = b.Row(i)
		i++
	}, nil
}

func (c columns) stack(dst *feature.Columns, elements []feature.Columns, _ bool) error {
	out := c.parser.NewBatch()
	for i, e := range elements {
		if b, row := e.Batch(); b == nil || row < 0 {
			return misfit{i, fmt.Errorf("%w: want the columns of one row", ragged.ErrShape)}
		}
		if err := out.AppendRow(e); err != nil {
			return misfit{i, err}
		}
	}
	*dst = out.Columns()
	return nil
}
