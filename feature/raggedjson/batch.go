package raggedjson

import (
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// AppendBatch appends the batch in Tensor JSON, without the newline. If Options.Position
// is set, it prints positions, those of the rows, as lists. It fails like AppendRow;
// to avoid that, print each row before adding it to the batch.
func (p *Printer) AppendBatch(dst []byte, positions []tfrecord.Position) ([]byte, error) {
	return p.AppendBatchFunc(dst, positions, nil)
}

// AppendBatchFunc is AppendBatch with another form of the columns: appendColumn appends each. It returns
// an error of appendColumn as it is.
func (p *Printer) AppendBatchFunc(dst []byte, positions []tfrecord.Position, appendColumn func(dst []byte, c feature.Column) ([]byte, error)) ([]byte, error) {
	line := append(dst, '{')
	if p.opts.Position {
		line = jsonscan.AppendPositions(line, len(positions), func(i int) (string, int64, int64) {
			return positions[i].Name, positions[i].Record, positions[i].Offset
		})
	}
	line = append(line, `"rows":`...)
	line = strconv.AppendInt(line, int64(p.rows), 10)
	groups := []feature.Group{feature.InFeatures}
	switch p.message {
	case example.TypeSequence:
		groups = []feature.Group{feature.InContext, feature.InSequence}
	case example.TypeExampleList:
		groups = []feature.Group{feature.InContext, feature.InExamples}
	}
	var err error
	for _, g := range groups {
		name := g.String()
		if g == feature.InFeatures {
			name = "columns"
		}
		line = append(append(append(line, `,"`...), name...), `":{`...)
		for _, k := range p.groups[g] {
			c := &p.columns[k]
			line = append(comma(line), c.name...)
			if appendColumn != nil {
				line, err = appendColumn(line, c.source)
			} else {
				line, err = p.appendColumn(line, c)
			}
			if err != nil {
				return dst, p.place(err, c, 0, part(g))
			}
		}
		line = append(line, '}')
	}
	if p.message == example.TypeSequence {
		line = p.appendLengths(line)
	}
	return append(line, '}'), nil
}

// appendLengths appends the lengths of padded feature lists without padding.
func (p *Printer) appendLengths(dst []byte) []byte {
	dst = append(dst, `,"lengths":{`...)
	for _, k := range p.groups[feature.InSequence] {
		c := &p.columns[k]
		if !c.padded {
			continue
		}
		dst = append(comma(dst), c.name...)
		dst = append(dst, `{"dense":{"dtype":"int64","shape":[`...)
		dst = strconv.AppendInt(dst, int64(p.rows), 10)
		dst = append(dst, `],"values":[`...)
		for i := range p.rows {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(c.levels[0].at(i+1)-c.levels[0].at(i)), 10)
		}
		dst = append(dst, `]}}`...)
	}
	return append(dst, '}')
}

// appendColumn appends a column in the form of its kind.
func (p *Printer) appendColumn(dst []byte, c *column) ([]byte, error) {
	switch {
	case c.decoded:
		return p.appendDecodedColumn(dst, c)
	case c.form == feature.SparseForm:
		return p.appendSparse(dst, c)
	}
	partitions := len(c.levels)
	if c.padded {
		partitions--
	}
	end := "}"
	if partitions == 0 {
		dst = append(dst, `{"dense":`...)
	} else {
		dst = append(dst, `{"ragged":{"partitions":[`...)
		n := p.rows
		for i := range partitions {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.levels[i].appendPartition(dst, n)
			n = c.levels[i].at(n)
		}
		dst = append(dst, `],"flat_values":`...)
		end = "}}"
	}
	dst, err := p.appendFlat(dst, c, partitions)
	return append(dst, end...), err
}

// appendPartition appends the first n rows of a level.
func (l *level) appendPartition(dst []byte, n int) []byte {
	if l.splits == nil {
		dst = append(dst, `{"uniform_row_length":`...)
		dst = strconv.AppendInt(dst, int64(l.length), 10)
		dst = append(dst, `,"nrows":`...)
		dst = strconv.AppendInt(dst, int64(n), 10)
		return append(dst, '}')
	}
	dst = jsonscan.AppendInts(append(dst, `{"row_splits":[`...), l.splits[:n+1])
	return append(dst, `]}`...)
}

// appendFlat appends the dense tensor below the given number of partitions.
func (p *Printer) appendFlat(dst []byte, c *column, partitions int) ([]byte, error) {
	dst = append(dst, `{"dtype":"`...)
	dst = append(dst, c.dtype.String()...)
	dst = append(dst, `","shape":[`...)
	n := c.rowsAt(partitions, p.rows)
	dst = strconv.AppendInt(dst, int64(n), 10)
	longest := 0
	if c.padded {
		longest = c.longest(partitions, n)
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, int64(longest), 10)
	}
	for _, d := range c.shape {
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, int64(d), 10)
	}
	dst = append(dst, `],"values":`...)
	var err error
	if c.padded {
		dst, err = p.appendPadded(dst, c, n, longest)
	} else {
		dst, err = p.appendList(dst, c, 0, n*c.cell)
	}
	return append(dst, '}'), err
}

// appendPadded appends the values of n rows at the last level, padded to the length of the
// longest row.
func (p *Printer) appendPadded(dst []byte, c *column, n, longest int) ([]byte, error) {
	dst = append(dst, '[')
	l := &c.levels[len(c.levels)-1]
	for i := range n {
		lo, hi := l.at(i)*c.cell, l.at(i+1)*c.cell
		if i > 0 && longest > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = p.appendValues(dst, c, lo, hi); err != nil {
			return dst, err
		}
		for j := hi - lo; j < longest*c.cell; j++ {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, c.padding...)
		}
	}
	return append(dst, ']'), nil
}

// appendSparse appends a column as values and their coordinates.
func (p *Printer) appendSparse(dst []byte, c *column) ([]byte, error) {
	dst = append(dst, `{"sparse":{"indices":[`...)
	last := len(c.levels) - 1
	start := len(dst)
	for row := range p.rows {
		lo, hi := c.units(row)
		for u := lo; u < hi; u++ {
			first, end := c.levels[last].at(u), c.levels[last].at(u+1)
			if first == end {
				continue
			}
			p.prefix = strconv.AppendInt(append(p.prefix[:0], '['), int64(row), 10)
			if c.nested {
				p.prefix = strconv.AppendInt(append(p.prefix, ','), int64(u-lo), 10)
			}
			p.prefix = append(p.prefix, ',')
			for j := first; j < end; j++ {
				if len(dst) > start {
					dst = append(dst, ',')
				}
				dst = append(dst, p.prefix...)
				if c.sparse {
					dst = jsonscan.AppendInts(dst, c.index[j*c.dims:(j+1)*c.dims])
				} else {
					dst = jsonscan.AppendInt(dst, int64(j-first))
				}
				dst = append(dst, ']')
			}
		}
	}
	dst = append(dst, `],"dense_shape":[`...)
	dst = strconv.AppendInt(dst, int64(p.rows), 10)
	if c.nested {
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, int64(c.longest(0, p.rows)), 10)
	}
	dst = append(dst, ',')
	if c.sparse {
		dst = jsonscan.AppendInts(dst, c.sizes)
	} else {
		dst = strconv.AppendInt(dst, int64(c.longest(last, c.rowsAt(last, p.rows))), 10)
	}
	dst = append(dst, `],"dtype":"`...)
	dst = append(dst, c.dtype.String()...)
	dst = append(dst, `","values":`...)
	dst, err := p.appendList(dst, c, 0, c.rowsAt(len(c.levels), p.rows))
	return append(dst, "}}"...), err
}
