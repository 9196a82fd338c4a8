package tensortext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// Options are the options of a Printer.
type Options struct {
	// JSON has the options for values in JSON. The others are ignored.
	JSON recordjson.Options
	// Pad is the value of missing cells. It must be valid for the dtype of each padded column:
	// an integer, a number or any text. With nil, JSON is padded with 0 or "", and text is not
	// padded.
	Pad *string
}

// A Printer prints batches of one spec. It is safe for concurrent use.
type Printer struct {
	opts Options
	pad  padding
}

// ErrDecoded: the strings of a column are decoded, and its rows may have different shapes.
var ErrDecoded = errors.New("decoded strings print with --format json only")

// NewPrinter returns a printer of batches of the parser. The error names the first
// column that is decoded, or whose dtype cannot hold the padding, or whose padding cannot be printed with the
// options.
func NewPrinter(parser *feature.Parser, opts *Options) (*Printer, error) {
	p := &Printer{opts: *opts}
	for _, c := range parser.NewBatch().Columns().All() {
		if feature.DecodeOf(c.Spec()) != nil {
			return nil, columnError(c, ErrDecoded)
		}
	}
	if opts.Pad == nil {
		return p, nil
	}
	for _, c := range parser.NewBatch().Columns().All() {
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
			return nil, columnError(c, err)
		}
	}
	return p, nil
}

// AppendText appends a batch as text, with a newline. It returns an error if a column would be
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
			return dst, columnError(c, err)
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

// AppendDense appends a column as the Tensor JSON of a dense tensor, for [raggedjson.Printer.AppendBatchFunc]. It returns an error
// if the column would be too large with its padding. The caller leaves out records with values that cannot be printed with the
// options.
func (p *Printer) AppendDense(dst []byte, c feature.Column) ([]byte, error) {
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
		return dst, columnError(c, err)
	}
	return t.AppendJSON(dst, elem), nil
}
