package ragged

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged/internal/dtype"
)

// The rules by which NumPy lays out an array, and TensorFlow with it.
const (
	lineWidth   = 75   // columns
	cellsShown  = 1000 // an array of more cells is cut
	edgeItems   = 3    // of the items at both ends of every axis
	lastBracket = 1    // column kept for the bracket or comma after a cell
)

// String returns TensorFlow's text, as str() of Python gives it; fmt.Println and the
// verb %v print the short text of Format instead. It is in the layout of NumPy: a ragged
// one as <tf.RaggedTensor …>, where rows that all have one length look like
// a dense block; a dense one as tf.Tensor(…), with its numbers in columns and floats
// of at most eight decimals. An array of more than 1000 cells is cut to the first and
// last three of every axis; but every row of a ragged axis is an array of its own,
// so that the text can be as long as the data. The verb %v gives a short text.
func (t Tensor[T]) String() string {
	if len(t.parts) == 0 {
		return denseText(t.Values(), t.Shape())
	}
	p := printer[T]{values: t.Values(), cell: cellText[T], sep: ", "}
	return string(append(p.block([]byte("<tf.RaggedTensor "), t.blocks()), '>'))
}

// denseText returns a dense tensor as TensorFlow prints it.
func denseText[T any](values []T, shape []int) string {
	p := printer[T]{values: values, cell: denseCells(values, shape), sep: " "}
	const open = "tf.Tensor("
	text := []byte(open)
	switch {
	case len(shape) == 0:
		text = append(text, cellText(values[0])...)
	case len(values) == 0:
		text = append(text, "[]"...)
	default:
		text = p.block(text, &block{shape: shape})
	}
	if bytes.IndexByte(text, '\n') >= 0 {
		text = slices.Insert(text, len(open), '\n')
	}
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		sizes += ","
	}
	text = append(text, ", shape=("...)
	text = append(text, sizes...)
	text = append(text, "), dtype="...)
	return string(append(append(text, dtype.Name[T]()...), ')'))
}

// String returns the tensor as TensorFlow prints it; see Tensor.String. Of one whose
// parts do not fit together it says so.
func (s Sparse[T]) String() string {
	if err := s.check(); err != nil {
		return "SparseTensor(" + err.Error() + ")"
	}
	return fmt.Sprintf("SparseTensor(indices=%s, values=%s, dense_shape=%s)",
		denseText(s.Indices, []int{len(s.Values), len(s.Shape)}), denseText(s.Values, []int{len(s.Values)}), denseText(s.Shape, []int{len(s.Shape)}))
}

// Format writes a sparse tensor. For the verbs v and s it is one short line, in which
// indices and values are written as %v writes tensors, so that it never floods a log.
// The flag + gives the text of String.
func (s Sparse[T]) Format(f fmt.State, verb rune) {
	switch {
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(ragged.Sparse[%s]=%v)", verb, dtype.Name[T](), s.Shape)
	case f.Flag('+') || s.check() != nil:
		_, _ = io.WriteString(f, s.String())
	default:
		indices, values := dense(s.Indices, []int{len(s.Values), len(s.Shape)}), Vector(s.Values...)
		fmt.Fprintf(f, "SparseTensor(indices=%v, values=%v, dense_shape=%v)", indices, values, s.Shape)
	}
}

// A block is an array as RaggedTensor.numpy makes it: values, or rows of another
// block where these are not all of one length.
type block struct {
	shape []int
	first int       // the first cell: a value, or a row
	part  Partition // if of is not nil: how that block is cut into rows
	of    *block
}

// size returns the number of cells.
func (b *block) size() int { return size(b.shape) }

// slice returns the items from lo up to but without hi along the first axis.
func (b *block) slice(lo, hi int) *block {
	out := *b
	out.first += lo * size(b.shape[1:])
	out.shape = append([]int{hi - lo}, b.shape[1:]...)
	return &out
}

// blocks returns the block of a tensor. Whether rows stack is decided for all rows
// of a partition together, from the innermost one outwards.
func (t Tensor[T]) blocks() *block {
	lo, hi := t.items()
	b := &block{shape: append([]int{hi - lo}, t.inner...)}
	parts := t.Partitions()
	for _, p := range slices.Backward(parts) {
		n := p.NumRows()
		switch {
		case n == 0:
			b = &block{shape: append([]int{0, 0}, b.shape[1:]...)}
		case n*p.RowLen(0) == p.NumValues() && p.MaxLen() == p.RowLen(0):
			b.shape = append([]int{n, p.RowLen(0)}, b.shape[1:]...)
		default:
			b = &block{shape: []int{n}, part: p, of: b}
		}
	}
	return b
}

// A printer lays out the blocks of one tensor.
type printer[T any] struct {
	values []T
	cell   func(T) string
	sep    string
}

// block appends the text of a block: lines without a final newline. All of it is
// appended to one slice, and not put together from the text of its parts: cells may
// be images.
func (p *printer[T]) block(dst []byte, b *block) []byte {
	if b.size() == 0 {
		return append(dst, emptyText(b.shape)...)
	}
	return p.axis(dst, b, 0, b.first, " ", lineWidth, b.size() > cellsShown)
}

// emptyText returns the nested list of a shape with a size of 0, cut like any other if
// it is long.
func emptyText(shape []int) string {
	if shape[0] == 0 {
		return "[]"
	}
	item := emptyText(shape[1:])
	if shape[0] > cellsShown {
		edge := strings.Repeat(item+", ", edgeItems)
		return "[" + edge + "..., " + strings.TrimSuffix(edge, ", ") + "]"
	}
	return "[" + strings.Repeat(item+", ", shape[0]-1) + item + "]"
}

// axis lays out what lies below an axis, from a cell on. The indent is what
// further lines begin with; its last column takes the bracket.
func (p *printer[T]) axis(dst []byte, b *block, axis, first int, indent string, width int, cut bool) []byte {
	n, stride := b.shape[axis], size(b.shape[axis+1:])
	dst = append(dst, '[')
	if axis == len(b.shape)-1 {
		l := layout{dst: dst, start: len(dst) - len(indent), indent: indent, width: width - lastBracket}
		for i := 0; i < n; i++ {
			if cut && n > 2*edgeItems && i == edgeItems {
				l.word("...")
				l.dst = append(l.dst, p.sep...)
				i = n - edgeItems
			}
			l.word(p.text(b, first+i))
			if i < n-1 {
				l.dst = append(l.dst, p.sep...)
			}
		}
		return append(l.dst, ']')
	}
	newlines := strings.TrimRight(p.sep, " ") + strings.Repeat("\n", len(b.shape)-axis-1)
	for i := 0; i < n; i++ {
		if i > 0 {
			dst = append(dst, indent...)
		}
		if cut && n > 2*edgeItems && i == edgeItems {
			dst = append(append(append(dst, "..."...), newlines...), indent...)
			i = n - edgeItems
		}
		dst = p.axis(dst, b, axis+1, first+i*stride, indent+" ", width-1, cut)
		if i < n-1 {
			dst = append(dst, newlines...)
		}
	}
	return append(dst, ']')
}

// text returns the text of a cell.
func (p *printer[T]) text(b *block, cell int) string {
	if b.of == nil {
		return p.cell(p.values[cell])
	}
	return string(p.block(nil, b.of.slice(b.part.Bounds(cell))))
}

// A layout fills lines with words.
type layout struct {
	dst    []byte
	start  int // of the line in dst; the first one has the indent before that, unwritten
	indent string
	width  int
}

// column returns the length of the line.
func (l *layout) column() int { return len(l.dst) - l.start }

// word adds a word, on a line of its own if it does not fit this one. A word of
// several lines keeps its form, and what follows begins right of all of them.
func (l *layout) word(word string) {
	longest, last := 0, 0
	for line := range strings.SplitSeq(word, "\n") {
		last = len(line)
		longest = max(longest, last)
	}
	indent := l.indent
	first, more, several := strings.Cut(word, "\n")
	switch {
	case l.column()+longest > l.width && l.column() > len(l.indent):
		l.breakLine(l.indent)
	case several:
		indent = strings.Repeat(" ", l.column())
	}
	l.dst = append(l.dst, first...)
	if !several {
		return
	}
	for line := range strings.SplitSeq(more, "\n") {
		l.breakLine(indent)
		l.dst = append(l.dst, line...)
	}
	l.dst = append(l.dst, strings.Repeat(" ", longest-last)...)
}

// breakLine ends the line and begins another.
func (l *layout) breakLine(next string) {
	for len(l.dst) > max(l.start, 0) && l.dst[len(l.dst)-1] == ' ' {
		l.dst = l.dst[:len(l.dst)-1]
	}
	l.dst = append(l.dst, '\n')
	l.start = len(l.dst)
	l.dst = append(l.dst, next...)
}

// String returns the partition as TensorFlow prints it: the row splits in the
// columns of NumPy, or the number of rows and their length.
func (p Partition) String() string {
	if p.uniform {
		return fmt.Sprintf("tf.RowPartition(nrows=%d, uniform_row_length=%d)", p.nrows, p.rowLen)
	}
	splits := p.AppendSplits(nil)
	cut := len(splits) > cellsShown
	if cut {
		splits = append(splits[:edgeItems:edgeItems], splits[len(splits)-edgeItems:]...)
	}
	columns := len(strconv.FormatInt(splits[len(splits)-1], 10))
	l := layout{start: -len(" "), indent: " ", width: lineWidth - lastBracket}
	for i, s := range splits {
		if i > 0 {
			l.dst = append(l.dst, ' ')
		}
		if cut && i == edgeItems {
			l.word("...")
			l.dst = append(l.dst, ' ')
		}
		l.word(fmt.Sprintf("%*d", columns, s))
	}
	return "tf.RowPartition(row_splits=[" + string(l.dst) + "])"
}

// Format writes a tensor. For the verbs v and s it is one short line, as tf.print
// writes it: of every axis at most the first and last three items (fewer below
// many axes), of every string so much as fits a line, so that a large tensor never
// floods a log. A precision chooses the number of items: %.5v. The flag + gives the
// text of String, and # a description of the shape.
func (t Tensor[T]) Format(f fmt.State, verb rune) {
	switch {
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(ragged.Tensor[%s]=%v)", verb, dtype.Name[T](), t.Shape())
	case f.Flag('+'):
		fmt.Fprint(f, t.String())
	case f.Flag('#'):
		fmt.Fprintf(f, "ragged.Tensor[%s]{shape: %v, ragged rank: %d, values: %d}", dtype.Name[T](), t.Shape(), t.RaggedRank(), t.Size())
	default:
		items := 3
		for n := 6; items > 1 && pow(n, t.Rank()) > 300; n -= 2 {
			items--
		}
		if n, ok := f.Precision(); ok && n > 0 {
			items = n
		}
		s := summary[T]{items: items, short: true}
		_, _ = f.Write(s.append(nil, t))
	}
}

// pow returns n to the power of k, or a large number.
func pow(n, k int) int {
	p := 1
	for range min(k, 12) {
		p *= n
	}
	return p
}

// Summary returns the tensor on one line, as tf.print and tf.strings.format write it:
// [[1, 2, ..., 8, 9], [], [10]], with at most n items at both ends of every axis, or all
// of them if n is not positive. Strings are in single quotes, floats have six decimals.
// The length is not limited but by n.
func (t Tensor[T]) Summary(n int) string {
	s := summary[T]{items: n}
	return string(s.append(nil, t))
}

// A summary writes tensors on one line.
type summary[T any] struct {
	items int
	short bool // cut strings
}

// maxShortText is how much of a string %v writes.
const maxShortText = 60

func (s *summary[T]) append(dst []byte, t Tensor[T]) []byte {
	if t.scalar {
		v := t.Item()
		if !s.short {
			return append(dst, plainText(v)...)
		}
		switch text := any(v).(type) {
		case string:
			return append(dst, plainText(cutText(text))...)
		case []byte:
			return append(dst, plainText(cutText(string(text[:min(len(text), maxShortText+1)])))...)
		}
		return append(dst, cutText(plainText(v))...)
	}
	dst = append(dst, '[')
	n := t.Len()
	for i := 0; i < n; i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if s.items > 0 && n > 2*s.items && i == s.items {
			dst = append(dst, "..., "...)
			i = n - s.items
		}
		dst = s.append(dst, t.Row(i))
	}
	return append(dst, ']')
}

// cutText returns a text that fits a line, with dots where it does not.
func cutText(s string) string {
	if len(s) <= maxShortText {
		return s
	}
	n := maxShortText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// cellText returns how NumPy writes a value: floats in their shortest form with a
// point or an exponent, byte strings as in Python.
func cellText[T any](v T) string {
	switch v := any(v).(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case float32:
		return shortestFloat(float64(v), 32, 1e6)
	case float64:
		return shortestFloat(v, 64, 1e16)
	case string:
		return pythonBytes(v)
	case []byte:
		return pythonBytes(string(v))
	}
	return fmt.Sprint(v)
}

// plainText returns how tf.strings.as_string writes a value, and strings in single
// quotes.
func plainText[T any](v T) string {
	switch v := any(v).(type) {
	case float32:
		return fixedFloat(float64(v), 32)
	case float64:
		return fixedFloat(v, 64)
	case string:
		return "'" + singleQuoted.Replace(v) + "'"
	case []byte:
		return "'" + singleQuoted.Replace(string(v)) + "'"
	}
	return fmt.Sprint(v)
}

var singleQuoted = strings.NewReplacer(`'`, `\'`, `\`, `\\`)

// fixedFloat writes six decimals, and names for what is no number.
func fixedFloat(f float64, bits int) string {
	return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'f', 6, bits)), "+")
}

// shortestFloat writes the shortest text that reads back to the same number. From
// the limit on, and below 0.0001, it has an exponent.
func shortestFloat(f float64, bits int, limit float64) string {
	a := max(f, -f)
	switch {
	case f != f || a > 1.7976931348623157e308:
		return fixedFloat(f, bits)
	case a >= limit || a < 1e-4 && a != 0:
		return strconv.FormatFloat(f, 'e', -1, bits)
	}
	s := strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// pythonBytes writes bytes as a Python literal.
func pythonBytes(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	size := len(s) + 3
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == quote || c == '\\' {
			size += 3 // at most
		}
	}
	b := append(make([]byte, 0, size), 'b', quote)
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote || c == '\\':
			b = append(b, '\\', c)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c >= 0x7f:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'x', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, quote))
}
