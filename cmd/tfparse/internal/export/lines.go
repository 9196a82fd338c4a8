package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// lineFormat is the format of JSON lines, as the verb cat prints them.
type lineFormat struct {
	parser   *feature.Parser // parser of the rows; nil: records are printed without a spec
	selected []string        // without a parser: the names of --select and --drop
	columns  renderings      // how columns of a features.json print
}

// newEncoder implements [format].
func (f *lineFormat) newEncoder(t example.MessageType) func(*part, func(int, error)) error {
	if f.parser == nil {
		printer := recordjson.NewPrinter(t, &recordjson.Options{Select: f.selected})
		return func(p *part, refuse func(int, error)) error {
			return appendRows(p, refuse, func(row int) (err error) {
				p.text, err = printer.Append(p.text, p.records[row], tfrecord.Position{})
				return err
			})
		}
	}
	printer := raggedjson.NewPrinter(f.parser, &recordjson.Options{})
	for name, r := range f.columns {
		printer.Render(name, r)
	}
	return func(p *part, refuse func(int, error)) error {
		printer.Load(p.rows)
		return appendRows(p, refuse, func(row int) (err error) {
			p.text, err = printer.AppendRow(p.text, row, tfrecord.Position{})
			return err
		})
	}
}

// appendRows makes the text of a part, a line for each row. appendRow appends the text of one row.
func appendRows(p *part, refuse func(row int, err error), appendRow func(row int) error) error {
	p.text = p.text[:0]
	for row := range p.records {
		if err := appendRow(row); err != nil {
			refuse(row, err)
		}
		p.text = append(p.text, '\n')
	}
	return nil
}

// newWriter implements [format].
func (f *lineFormat) newWriter(out *cli.Output) (fileWriter, error) { return textWriter{out}, nil }

// textWriter writes the text of parts.
type textWriter struct{ out *cli.Output }

func (w textWriter) write(p *part, _ string) error {
	w.out.Buf = append(w.out.Buf, p.text...)
	return w.out.Spill()
}

func (w textWriter) close() error { return nil }

// csvFormat is the format CSV: a column for each feature, and a cell for its value.
type csvFormat struct {
	names  []string            // of the columns
	labels map[string][]string // names of the classes of columns; nil: cells have their numbers
}

// newCSV returns the format for the columns of a parser. labels has the names of classes to write, by column, and printed other names
// of columns, for errors. A nested feature is an error.
func newCSV(parser *feature.Parser, labels map[string][]string, printed map[string]string) (*csvFormat, error) {
	t := &csvFormat{labels: labels}
	for name, c := range parser.NewBatch().Columns().All() {
		flat := c.Group() != feature.InSequence && c.Group() != feature.InExamples && feature.DecodeOf(c.Spec()) == nil
		switch f := c.Spec().(type) {
		case feature.FixedLen:
			flat = flat && len(f.Shape) == 0
		case feature.VarLen:
		default:
			flat = false
		}
		switch shown := jsonscan.AppendName(nil, []byte(cmp.Or(printed[name], name))); {
		case !flat:
			return nil, cli.Usagef("feature %s: CSV has no nested values; use --drop", shown)
		case !utf8.ValidString(name) || strings.Contains(name, "\r"):
			return nil, cli.Usagef("feature %s: CSV cannot hold the name; use --drop", shown)
		}
		t.names = append(t.names, name)
	}
	return t, nil
}

// newWriter implements [format].
func (t *csvFormat) newWriter(out *cli.Output) (fileWriter, error) {
	for i, name := range t.names {
		if i > 0 {
			out.Buf = append(out.Buf, ',')
		}
		out.Buf = appendCell(out.Buf, name)
	}
	if len(t.names) == 1 && t.names[0] == "" { // readers skip blank lines
		out.Buf = append(out.Buf, `""`...)
	}
	out.Buf = append(out.Buf, '\n')
	return textWriter{out}, nil
}

// newEncoder implements [format].
func (t *csvFormat) newEncoder(example.MessageType) func(*part, func(int, error)) error {
	var columns []feature.Column
	return func(p *part, refuse func(int, error)) error {
		columns = columns[:0]
		for _, c := range p.rows.Columns().All() {
			columns = append(columns, c.Ragged())
		}
		return appendRows(p, refuse, func(row int) error {
			start := len(p.text)
			for i, c := range columns {
				if i > 0 {
					p.text = append(p.text, ',')
				}
				var err error
				if p.text, err = appendValue(p.text, c, row, t.labels[t.names[i]]); err != nil {
					return fmt.Errorf("feature %s: %w", jsonscan.AppendName(nil, []byte(t.names[i])), err)
				}
			}
			if len(p.text) == start { // readers skip blank lines
				p.text = append(p.text, `""`...)
			}
			return nil
		})
	}
}

// Errors of strings that CSV cannot hold. Readers such as encoding/csv turn "\r\n" into "\n", even in quotes; pandas, polars and
// DuckDB refuse a file that is not UTF-8.
var (
	errLineBreak = errors.New(`CSV cannot hold "\r\n"`)
	errBinary    = errors.New("CSV cannot hold bytes that are not UTF-8")
)

// appendValue appends the value of a row of a column. A row without a value is an empty cell. labels has the names of classes; nil:
// numbers are written.
func appendValue(dst []byte, c feature.Column, row int, labels []string) ([]byte, error) {
	if c.RaggedRank() > 0 {
		splits, _ := c.Splits(0)
		if n := splits[row+1] - splits[row]; n != 1 {
			if n > 1 {
				return dst, fmt.Errorf("want 1 value in a cell of CSV, got %d", n)
			}
			return dst, nil
		}
		row = int(splits[row])
	}
	if v, ok := feature.FlatOf[int64](c); ok {
		if labels != nil {
			return appendCell(dst, className(labels, v[row])), nil
		}
		return strconv.AppendInt(dst, v[row], 10), nil
	}
	if v, ok := feature.FlatOf[float32](c); ok {
		return appendFloat(dst, float64(v[row])), nil
	}
	v, _ := feature.FlatOf[string](c)
	if strings.Contains(v[row], "\r\n") {
		return dst, errLineBreak
	}
	if !utf8.ValidString(v[row]) {
		return dst, errBinary
	}
	return appendCell(dst, v[row]), nil
}

// appendFloat appends a float32 with a point or an exponent, so that a reader infers a float, and infinities as in JSON.
func appendFloat(dst []byte, v float64) []byte {
	if math.IsInf(v, 0) {
		return append(strconv.AppendFloat(dst, v, 'g', -1, 32), "inity"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'g', -1, 32)
	if !strings.ContainsAny(string(dst[start:]), ".eN") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendCell appends a string as a cell, in quotes if necessary. A byte order mark without quotes is ignored at the beginning.
func appendCell(dst []byte, text string) []byte {
	if !strings.ContainsAny(text, ",\"\r\n\ufeff") {
		return append(dst, text...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}
