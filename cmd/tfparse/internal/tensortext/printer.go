package tensortext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Options are the options of a Printer.
type Options struct {
	// JSON has the options for values and positions in JSON. Typed and Select are ignored.
	JSON recordjson.Options
	// Pad is the value of missing cells. It must be valid for the dtype of each padded column:
	// an integer, a number or any text. With nil, JSON is padded with 0 or "", and text is not
	// padded.
	Pad *string
}

// A Printer prints batches of one spec. It is safe for concurrent use.
type Printer struct {
	opts    Options
	message example.MessageType
	pad     padding
}

// ErrDecoded: the strings of a column are decoded, and its rows may have different shapes.
var ErrDecoded = errors.New("decoded strings print with --format json only")

// NewPrinter returns a printer of batches of the parser. It returns an *Error for the first
// column that is decoded, or whose dtype cannot hold the padding, or whose padding cannot be printed with the
// options.
func NewPrinter(parser *feature.Parser, opts *Options) (*Printer, error) {
	p := &Printer{opts: *opts, message: parser.Message()}
	for name, c := range parser.NewBatch().Columns().All() {
		if feature.DecodeOf(c.Spec()) != nil {
			return nil, &Error{c.Group(), name, ErrDecoded}
		}
	}
	if opts.Pad == nil {
		return p, nil
	}
	for name, c := range parser.NewBatch().Columns().All() {
		if c.Form() == feature.DenseForm {
			continue
		}
		err := p.pad.parseText(*opts.Pad, c.DType())
		switch {
		case err != nil:
		case c.DType() == feature.Float32:
			_, err = recordjson.AppendFloat32(nil, p.pad.float32, opts.JSON.NaN)
		case c.DType() == feature.String:
			_, err = recordjson.AppendText(nil, p.pad.string, opts.JSON.Bytes)
		}
		if err != nil {
			return nil, &Error{c.Group(), name, err}
		}
	}
	return p, nil
}

// AppendText appends a batch as text, with a newline. It returns an *Error if a column would be
// too large with its padding.
func (p *Printer) AppendText(dst []byte, b *feature.Batch) ([]byte, error) {
	text := fmt.Appendf(dst, "rows: %d\n", b.Len())
	var lengths []byte
	for name, c := range b.Columns().All() {
		group := ""
		if c.Group() != feature.InFeatures {
			group = c.Group().String() + "."
		}
		tensor, err := p.formatColumn(c)
		if err != nil {
			return dst, &Error{c.Group(), name, err}
		}
		text = append(append(append(text, group...), nameText(name)...), ": "...)
		text = append(append(text, tensor...), '\n') // tensor may be long
		if n, ok := c.Lengths(); ok && c.Group() == feature.InSequence {
			lengths = fmt.Appendf(lengths, "lengths.%s: %s\n", nameText(name), n.String())
		}
	}
	return append(append(text, lengths...), '\n'), nil
}

// formatColumn returns a column as TensorFlow prints it, padded if Options.Pad is set.
func (p *Printer) formatColumn(c feature.Column) (string, error) {
	switch c.DType() {
	case feature.Int64:
		return tensorText(c, p.opts.Pad != nil, p.pad.int64)
	case feature.Float32:
		return tensorText(c, p.opts.Pad != nil, p.pad.float32)
	}
	return tensorText(c, p.opts.Pad != nil, p.pad.string)
}

func tensorText[T feature.Element](c feature.Column, padded bool, pad T) (string, error) {
	switch {
	case padded:
		t, err := denseTensor(c, pad)
		return t.String(), err
	case c.Form() == feature.SparseForm:
		s, _ := feature.SparseOf[T](c)
		return s.String(), nil
	}
	t, _ := feature.TensorOf[T](c)
	return t.String(), nil
}

// nameText returns a name, quoted if it is ambiguous or not printable.
func nameText(name string) string {
	plain := utf8.ValidString(name) && !strings.ContainsAny(name, `:"`) && name != ""
	for _, r := range name {
		plain = plain && unicode.IsPrint(r)
	}
	if plain {
		return name
	}
	return strconv.Quote(name)
}

// AppendDense appends a batch as Tensor JSON with dense tensors, without a newline. It prints
// positions if the options say so. It returns an *Error if a column would be too large with its
// padding.
func (p *Printer) AppendDense(dst []byte, b *feature.Batch, positions []tfrecord.Position) ([]byte, error) {
	line := append(dst, '{')
	if p.opts.JSON.Position {
		line = jsonscan.AppendPositions(line, len(positions), func(i int) (string, int64, int64) {
			return positions[i].Name, positions[i].Record, positions[i].Offset
		})
	}
	line = strconv.AppendInt(append(line, `"rows":`...), int64(b.Len()), 10)
	groups := []feature.Group{feature.InFeatures}
	switch p.message {
	case example.TypeSequence:
		groups = []feature.Group{feature.InContext, feature.InSequence}
	case example.TypeExampleList:
		groups = []feature.Group{feature.InContext, feature.InExamples}
	}
	var lengths []byte
	for _, g := range groups {
		title := g.String()
		if g == feature.InFeatures {
			title = "columns"
		}
		line = append(append(append(line, `,"`...), title...), `":{`...)
		for name, c := range b.Columns().In(g).All() {
			var err error
			if line, err = p.appendDense(appendMember(line, name, g), c); err != nil {
				return dst, &Error{g, name, err}
			}
			if n, ok := c.Lengths(); ok && g == feature.InSequence {
				lengths = n.AppendJSON(appendMember(lengths, name, g), appendInt)
			}
		}
		line = append(line, '}')
	}
	if p.message == example.TypeSequence {
		line = append(append(append(line, `,"lengths":{`...), lengths...), '}')
	}
	return append(line, '}'), nil
}

// appendMember appends the name of a member of an object, after a comma if needed.
func appendMember(dst []byte, name string, g feature.Group) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	if g == feature.InFeatures {
		dst = jsonscan.AppendTopName(dst, []byte(name))
	} else {
		dst = jsonscan.AppendName(dst, []byte(name))
	}
	return append(dst, ':')
}

// appendDense appends a column as a dense tensor. The caller leaves out records with values that
// cannot be printed with the options.
func (p *Printer) appendDense(dst []byte, c feature.Column) ([]byte, error) {
	json := &p.opts.JSON
	switch c.DType() {
	case feature.Int64:
		return appendColumn(dst, c, p.pad.int64, func(dst []byte, v int64) []byte {
			return recordjson.AppendInt64(dst, v, json.Int64)
		})
	case feature.Float32:
		return appendColumn(dst, c, p.pad.float32, func(dst []byte, v float32) []byte {
			dst, _ = recordjson.AppendFloat32(dst, v, json.NaN)
			return dst
		})
	}
	return appendColumn(dst, c, p.pad.string, func(dst []byte, v string) []byte {
		dst, _ = recordjson.AppendText(dst, v, json.Bytes)
		return dst
	})
}

func appendColumn[T feature.Element](dst []byte, c feature.Column, pad T, elem func([]byte, T) []byte) ([]byte, error) {
	t, err := denseTensor(c, pad)
	if err != nil {
		return dst, err
	}
	return t.AppendJSON(dst, elem), nil
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }
