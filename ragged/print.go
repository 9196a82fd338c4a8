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

// NumPy's rules for printing an array, which TensorFlow uses too.
const (
	lineWidth   = 75   // columns
	cellsShown  = 1000 // an array with more values is abbreviated
	edgeItems   = 3    // items shown at each end of every axis of an abbreviated array
	lastBracket = 1    // columns for the bracket or comma after a value
)

// String returns TensorFlow's text, the str() of Python. The verb %v and fmt.Println print
// the short text of Format instead.
//
// A ragged tensor is <tf.RaggedTensor …>, a dense one tf.Tensor(…), in the layout of NumPy:
// numbers in columns, floats with at most eight decimals. Of an array with more than 1000
// values only the first and last three items of every axis are shown. But every row of a
// ragged axis is an array of its own, so the text can be as long as the data.
func (t Tensor[T]) String() string {
	if len(t.parts) == 0 {
		return denseText(t.Values(), t.Shape())
	}
	p := arrayPrinter[T]{values: t.Values(), cell: cellText[T], sep: ", "}
	return string(append(p.appendArray([]byte("<tf.RaggedTensor "), t.numpyArray()), '>'))
}

// denseText returns the text of a dense tensor.
func denseText[T any](values []T, shape []int) string {
	p := arrayPrinter[T]{values: values, cell: denseCells(values, shape), sep: " "}
	const open = "tf.Tensor("
	text := []byte(open)
	switch {
	case len(shape) == 0:
		text = append(text, cellText(values[0])...)
	case len(values) == 0:
		text = append(text, "[]"...)
	default:
		text = p.appendArray(text, &numpyArray{shape: shape})
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

// String returns TensorFlow's text; see Tensor.String. For an invalid tensor it contains the
// error.
func (s Sparse[T]) String() string {
	if err := s.check(); err != nil {
		return "SparseTensor(" + err.Error() + ")"
	}
	return fmt.Sprintf("SparseTensor(indices=%s, values=%s, dense_shape=%s)",
		denseText(s.Indices, []int{len(s.Values), len(s.Shape)}), denseText(s.Values, []int{len(s.Values)}), denseText(s.Shape, []int{len(s.Shape)}))
}

// Format writes a sparse tensor. The verbs v and s write one short line, with indices and
// values as %v writes tensors. The flag + writes the text of String.
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

// A numpyArray is an array of RaggedTensor.numpy. Its elements are values or, if rows differ
// in length, arrays: rows of another array.
type numpyArray struct {
	shape []int
	first int         // index of the first element: of a value or of a row
	part  Partition   // divides the other array into rows; not used for values
	rows  *numpyArray // the other array; nil if the elements are values
}

// size returns the number of elements.
func (b *numpyArray) size() int { return size(b.shape) }

// slice returns items lo to hi-1 of axis 0.
func (b *numpyArray) slice(lo, hi int) *numpyArray {
	out := *b
	out.first += lo * size(b.shape[1:])
	out.shape = append([]int{hi - lo}, b.shape[1:]...)
	return &out
}

// numpyArray returns the array of a tensor. From the innermost partition outwards, rows
// become an axis of the array if all rows of the partition have the same length.
func (t Tensor[T]) numpyArray() *numpyArray {
	lo, hi := t.items()
	b := &numpyArray{shape: append([]int{hi - lo}, t.inner...)}
	parts := t.Partitions()
	for _, p := range slices.Backward(parts) {
		n := p.NumRows()
		switch {
		case n == 0:
			b = &numpyArray{shape: append([]int{0, 0}, b.shape[1:]...)}
		case n*p.RowLen(0) == p.NumValues() && p.MaxLen() == p.RowLen(0):
			b.shape = append([]int{n, p.RowLen(0)}, b.shape[1:]...)
		default:
			b = &numpyArray{shape: []int{n}, part: p, rows: b}
		}
	}
	return b
}

// An arrayPrinter writes the arrays of one tensor.
type arrayPrinter[T any] struct {
	values []T            // flat values of the tensor
	cell   func(T) string // returns the text of a value
	sep    string         // between values on one line
}

// appendArray appends the text of an array: lines without a final newline. All parts are
// appended to one slice, since values may be large, such as images.
func (p *arrayPrinter[T]) appendArray(dst []byte, b *numpyArray) []byte {
	if b.size() == 0 {
		return append(dst, emptyText(b.shape)...)
	}
	return p.appendAxis(dst, b, 0, b.first, " ", lineWidth, b.size() > cellsShown)
}

// emptyText returns the nested list of a shape with a size of 0, abbreviated if it is long.
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

// appendAxis appends the items of an axis; first is the index of their first element. Lines
// after the first begin with indent, which is as wide as the brackets before the first item.
func (p *arrayPrinter[T]) appendAxis(dst []byte, b *numpyArray, axis, first int, indent string, width int, cut bool) []byte {
	n, stride := b.shape[axis], size(b.shape[axis+1:])
	dst = append(dst, '[')
	if axis == len(b.shape)-1 {
		l := lineWriter{dst: dst, start: len(dst) - len(indent), indent: indent, width: width - lastBracket}
		for i := 0; i < n; i++ {
			if cut && n > 2*edgeItems && i == edgeItems {
				l.addWord("...")
				l.dst = append(l.dst, p.sep...)
				i = n - edgeItems
			}
			l.addWord(p.elementText(b, first+i))
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
		dst = p.appendAxis(dst, b, axis+1, first+i*stride, indent+" ", width-1, cut)
		if i < n-1 {
			dst = append(dst, newlines...)
		}
	}
	return append(dst, ']')
}

// elementText returns the text of an element.
func (p *arrayPrinter[T]) elementText(b *numpyArray, cell int) string {
	if b.rows == nil {
		return p.cell(p.values[cell])
	}
	return string(p.appendArray(nil, b.rows.slice(b.part.Bounds(cell))))
}

// A lineWriter fills lines with words.
type lineWriter struct {
	dst    []byte // the text so far
	start  int    // index in dst where the line starts; the first line has no indent in dst, so start is before it
	indent string // indent of lines after the first
	width  int    // limit of the length of a line
}

// column returns the length of the current line.
func (l *lineWriter) column() int { return len(l.dst) - l.start }

// addWord adds a word, on a new line if it does not fit the current one. A word of several
// lines keeps its form: its lines are indented, and the next word is to the right of its
// longest line.
func (l *lineWriter) addWord(word string) {
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
func (l *lineWriter) breakLine(next string) {
	for len(l.dst) > max(l.start, 0) && l.dst[len(l.dst)-1] == ' ' {
		l.dst = l.dst[:len(l.dst)-1]
	}
	l.dst = append(l.dst, '\n')
	l.start = len(l.dst)
	l.dst = append(l.dst, next...)
}

// String returns TensorFlow's text: the row splits in columns, or the number of rows and
// their length.
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
	l := lineWriter{start: -len(" "), indent: " ", width: lineWidth - lastBracket}
	for i, s := range splits {
		if i > 0 {
			l.dst = append(l.dst, ' ')
		}
		if cut && i == edgeItems {
			l.addWord("...")
			l.dst = append(l.dst, ' ')
		}
		l.addWord(fmt.Sprintf("%*d", columns, s))
	}
	return "tf.RowPartition(row_splits=[" + string(l.dst) + "])"
}

// Format writes a tensor. The verbs v and s write one short line in the form of tf.print,
// for logs: at most the first and last three items of every axis (fewer for many axes), and
// at most 60 bytes of a string. A precision is the number of items: %.5v. The flag + writes
// the text of String, the flag # a description of the shape.
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
		s := summaryWriter[T]{items: items, short: true}
		_, _ = f.Write(s.append(nil, t))
	}
}

// pow returns n to the power of k, with k limited to 12.
func pow(n, k int) int {
	p := 1
	for range min(k, 12) {
		p *= n
	}
	return p
}

// Summary returns the tensor on one line, as tf.print and tf.strings.format write it:
// [[1, 2, ..., 8, 9], [], [10]], with at most n items at each end of every axis, or all
// items if n is not positive. Strings are in single quotes and complete, floats have six
// decimals.
func (t Tensor[T]) Summary(n int) string {
	s := summaryWriter[T]{items: n}
	return string(s.append(nil, t))
}

// A summaryWriter writes a tensor on one line.
type summaryWriter[T any] struct {
	items int  // items shown at each end of every axis; all items if not positive
	short bool // abbreviate strings
}

// maxShortText is the maximum number of bytes of a value that %v writes.
const maxShortText = 60

func (s *summaryWriter[T]) append(dst []byte, t Tensor[T]) []byte {
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

// cutText returns a text, or its beginning and dots if it has more than maxShortText bytes.
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

// cellText returns NumPy's text of a value: the shortest form of a float with a point or an
// exponent, a byte string as a Python literal.
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

// plainText returns the text of a value in tf.strings.as_string, and strings in single
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

// fixedFloat writes a float with six decimals, or inf, -inf or nan.
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

// pythonBytes returns bytes as a Python literal, such as b'abc'.
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
