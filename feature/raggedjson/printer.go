package raggedjson

import (
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Printer prints the rows and batches of one spec. It refers to the batch that was
// loaded last. Not safe for concurrent use.
type Printer struct {
	opts    recordjson.Options            // zero: the defaults; Typed and Select are ignored
	message example.MessageType           // type of the records that the spec parses
	columns []column                      // in the order of the batch
	groups  [feature.InExamples + 1][]int // by group: indices in columns
	rows    int                           // number of rows of the current batch
	inRow   bool                          // AppendRow is running: renderings apply
	prefix  []byte                        // buffer: the first coordinates of an entry
}

// NewPrinter returns a Printer for batches of the parser. It ignores Options.Typed and
// Options.Select. A nil opts means the defaults.
func NewPrinter(parser *feature.Parser, opts *recordjson.Options) *Printer {
	p := &Printer{message: parser.Message()}
	if opts != nil {
		p.opts = *opts
	}
	for _, c := range parser.NewBatch().Columns().All() {
		p.groups[c.Group()] = append(p.groups[c.Group()], len(p.columns))
		p.columns = append(p.columns, newColumn(c, &p.opts))
	}
	return p
}

// ValidateBatch reports padding that the options reject. Rows have no padding.
func (p *Printer) ValidateBatch() error {
	for i := range p.columns {
		if c := &p.columns[i]; c.padErr != nil {
			return &recordjson.Error{Path: example.PathTo(part(c.group), c.plain), Err: c.padErr}
		}
	}
	return nil
}

// Load sets the batch to print. The batch must not be changed or reset while it is
// printed.
func (p *Printer) Load(b *feature.Batch) {
	p.rows = b.Len()
	i := 0
	for _, c := range b.Columns().All() {
		p.columns[i].load(c)
		i++
	}
}

// part returns the name of a group in errors.
func part(g feature.Group) string {
	if g == feature.InFeatures {
		return ""
	}
	return g.String()
}

// AppendRow appends row i of the batch as one line of JSON, without the newline. It
// prints the position if Options.Position is set. It fails with a [*recordjson.Error]
// at a value that the options reject, and returns dst unchanged.
func (p *Printer) AppendRow(dst []byte, i int, pos tfrecord.Position) ([]byte, error) {
	line := append(dst, '{')
	if p.opts.Position {
		line = jsonscan.AppendPosition(line, pos.Name, pos.Record, pos.Offset)
	}
	p.inRow = true
	line, err := p.appendMessage(line, i)
	p.inRow = false
	if err != nil {
		return dst, err
	}
	return append(line, '}'), nil
}

func (p *Printer) appendMessage(dst []byte, row int) ([]byte, error) {
	var err error
	if p.message == example.TypeExample {
		return p.appendGroup(dst, feature.InFeatures, row, row)
	}
	if p.message == example.TypeSequence || len(p.groups[feature.InContext]) > 0 {
		dst = append(comma(dst), `"context":{`...)
		if dst, err = p.appendGroup(dst, feature.InContext, row, row); err != nil {
			return dst, err
		}
		dst = append(dst, '}')
	}
	if p.message == example.TypeSequence {
		dst = append(comma(dst), `"sequence":{`...)
		for i, k := range p.groups[feature.InSequence] {
			if i > 0 {
				dst = append(dst, ',')
			}
			c := &p.columns[k]
			dst = append(dst, c.name...)
			if c.decoded {
				dst, err = p.appendDecoded(dst, c, row)
			} else {
				dst, err = p.appendItems(dst, c, 0, row)
			}
			if err != nil {
				return dst, p.place(err, c, row, "")
			}
		}
		return append(dst, '}'), nil
	}
	if len(p.groups[feature.InExamples]) == 0 {
		return dst, nil
	}
	dst = append(comma(dst), `"examples":[`...)
	lo, hi := p.columns[p.groups[feature.InExamples][0]].units(row)
	for u := lo; u < hi; u++ {
		if u > lo {
			dst = append(dst, ',')
		}
		if dst, err = p.appendGroup(append(dst, '{'), feature.InExamples, row, u); err != nil {
			if e, ok := err.(*recordjson.Error); ok {
				e.Part = "examples[" + strconv.Itoa(u-lo) + "]"
			}
			return dst, err
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// appendGroup appends the members of one unit of a row.
func (p *Printer) appendGroup(dst []byte, g feature.Group, row, unit int) ([]byte, error) {
	for _, k := range p.groups[g] {
		c := &p.columns[k]
		if c.rendering != nil && c.rendering.Hidden && p.inRow {
			continue
		}
		dst = append(comma(dst), c.name...)
		var err error
		switch {
		case c.decoded:
			dst, err = p.appendDecoded(dst, c, row)
		case c.rendering != nil && c.rendering.Shape != nil:
			dst, err = p.appendReshaped(dst, c, row)
		default:
			dst, err = p.appendItems(dst, c, c.first(), unit)
		}
		if err != nil {
			return dst, p.place(err, c, row, part(g))
		}
	}
	return dst, nil
}

// comma appends the comma between two members.
func comma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		return append(dst, ',')
	}
	return dst
}

// appendItems appends row i at a level of a column as a list of rows of the next level;
// below the last level, cell i.
func (p *Printer) appendItems(dst []byte, c *column, level, i int) ([]byte, error) {
	if level == len(c.levels) {
		return p.appendCell(dst, c, 0, i*c.cell)
	}
	lo, hi := c.levels[level].at(i), c.levels[level].at(i+1)
	if level+1 == len(c.levels) {
		switch {
		case c.sparse:
			return p.appendEntries(dst, c, lo, hi)
		case len(c.shape) == 0:
			return p.appendList(dst, c, lo, hi)
		}
	}
	dst = append(dst, '[')
	for j := lo; j < hi; j++ {
		if j > lo {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = p.appendItems(dst, c, level+1, j); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendCell appends a cell, or the part of it below its first axes, as nested lists. axis is the first axis to
// write, at is the index of the first value.
func (p *Printer) appendCell(dst []byte, c *column, axis, at int) ([]byte, error) {
	switch len(c.shape) - axis {
	case 0:
		return p.appendValues(dst, c, at, at+1)
	case 1:
		return p.appendList(dst, c, at, at+c.shape[axis])
	}
	step := 1
	for _, d := range c.shape[axis+1:] {
		step *= d
	}
	dst = append(dst, '[')
	for j := range c.shape[axis] {
		if j > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = p.appendCell(dst, c, axis+1, at+j*step); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendEntries appends the entries of a sparse feature.
func (p *Printer) appendEntries(dst []byte, c *column, lo, hi int) ([]byte, error) {
	dst = append(dst, `{"indices":[`...)
	for j := lo; j < hi; j++ {
		if j > lo {
			dst = append(dst, ',')
		}
		dst = jsonscan.AppendInts(append(dst, '['), c.index[j*c.dims:(j+1)*c.dims])
		dst = append(dst, ']')
	}
	dst = append(dst, `],"values":`...)
	dst, err := p.appendList(dst, c, lo, hi)
	return append(dst, '}'), err
}

// place adds the position in the row to the error of a value that cannot be printed.
func (p *Printer) place(err error, c *column, row int, part string) error {
	bad, ok := err.(*valueError)
	if !ok {
		return err
	}
	first := c.rowsAt(len(c.levels), row) * c.cell
	if c.group == feature.InSequence {
		part = c.group.String()
	}
	path := example.PathTo(part, c.plain)
	path.Value = bad.index - first
	return &recordjson.Error{Path: path, Err: bad.err}
}
