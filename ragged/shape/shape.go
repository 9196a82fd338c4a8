package shape

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// A Shape is the shape of a tensor with the lengths of all its rows. The zero value
// is the shape of an empty vector.
type Shape struct {
	t ragged.Tensor[struct{}] // a tensor of this shape; its values take no memory
}

// Of returns the shape of a tensor. It shares the partitions. TensorFlow calls it
// DynamicRaggedShape.from_tensor.
func Of[T any](t ragged.Tensor[T]) Shape {
	s, err := operand.Like(t, make([]struct{}, t.Size()))
	if err != nil {
		panic(err.Error()) // the number of values is that of t
	}
	return Shape{s}
}

// New makes a shape from the shape of the flat values and the partitions around them, the
// outermost first. Every partition must have as many values as the next has rows, and the
// last has inner[0] values. Without partitions the inner shape is the whole shape.
// Partitions that do not fit are an error that wraps ragged.ErrShape. TensorFlow calls it
// DynamicRaggedShape, and does not check.
func New(inner []int, parts ...ragged.Partition) (Shape, error) {
	n, err := ragged.SizeOf(inner)
	if err != nil {
		return Shape{}, err
	}
	t, err := ragged.Dense(make([]struct{}, n), slices.Clone(inner)...)
	if err != nil {
		return Shape{}, err
	}
	t, err = ragged.Wrap(t, parts...)
	return Shape{t}, err
}

// FromPartitions makes a shape without uniform inner axes. It needs at least one partition.
// TensorFlow calls it DynamicRaggedShape.from_row_partitions.
func FromPartitions(parts ...ragged.Partition) (Shape, error) {
	if len(parts) == 0 {
		return Shape{}, fmt.Errorf("%w: want at least 1 partition, got 0", ragged.ErrShape)
	}
	return New([]int{parts[len(parts)-1].NumValues()}, parts...)
}

// A Dim is one axis of a shape: a size, or the lengths of its rows.
type Dim struct {
	Size   int   // size of a uniform axis
	Rows   []int // lengths of the rows of a ragged axis
	Ragged bool  // the axis is ragged
}

// Uniform returns a uniform axis.
func Uniform(n int) Dim { return Dim{Size: n} }

// Ragged returns a ragged axis with the given row lengths.
func Ragged(lengths ...int) Dim { return Dim{Rows: lengths, Ragged: true} }

// String returns the axis in Python's notation: 3, or (1, 0, 2).
func (d Dim) String() string {
	if !d.Ragged {
		return strconv.Itoa(d.Size)
	}
	s := make([]string, len(d.Rows))
	for i, n := range d.Rows {
		s[i] = strconv.Itoa(n)
	}
	if len(s) == 1 {
		return "(" + s[0] + ",)"
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// FromLengths makes a shape from axes. The first axis must be uniform; a ragged axis has as
// many rows as the axis above it has items. Axes up to the last ragged axis have partitions.
// TensorFlow calls it DynamicRaggedShape.from_lengths.
func FromLengths(dims ...Dim) (Shape, error) {
	last := 0
	for axis, d := range dims {
		if d.Ragged {
			last = axis
		}
	}
	if len(dims) == 0 {
		return New(nil)
	}
	if dims[0].Ragged {
		return Shape{}, fmt.Errorf("%w: want a uniform first axis, got row lengths %v", ragged.ErrShape, dims[0])
	}
	rows := dims[0].Size
	var parts []ragged.Partition
	for axis, d := range dims[1 : last+1] {
		p, err := d.partition(rows)
		if err != nil {
			return Shape{}, fmt.Errorf("axis %d: %w", axis+1, err)
		}
		parts, rows = append(parts, p), p.NumValues()
	}
	inner := []int{rows}
	for _, d := range dims[last+1:] {
		inner = append(inner, d.Size)
	}
	return New(inner, parts...)
}

// partition returns the partition of an axis with a number of rows.
func (d Dim) partition(rows int) (ragged.Partition, error) {
	if !d.Ragged {
		return ragged.Uniform(int64(d.Size), int64(rows))
	}
	if len(d.Rows) != rows {
		return ragged.Partition{}, fmt.Errorf("%w: want the lengths of %d rows, got %d", ragged.ErrShape, rows, len(d.Rows))
	}
	lengths := make([]int64, len(d.Rows))
	for i, n := range d.Rows {
		lengths[i] = int64(n)
	}
	return ragged.FromRowLengths(lengths)
}

// Rank returns the number of axes. TensorFlow calls it rank.
func (s Shape) Rank() int { return s.t.Rank() }

// NumPartitions returns the number of row partitions. TensorFlow calls it
// num_row_partitions.
func (s Shape) NumPartitions() int { return s.t.RaggedRank() }

// Partitions returns the row partitions, the outermost first. The slice is new.
// TensorFlow calls them row_partitions.
func (s Shape) Partitions() []ragged.Partition { return s.t.Partitions() }

// InnerShape returns the shape of the flat values; without partitions it is the whole
// shape. The slice is new. TensorFlow calls it inner_shape.
func (s Shape) InnerShape() []int { return s.t.Flat().Shape() }

// InnerRank returns the number of axes of the flat values. TensorFlow calls it
// inner_rank.
func (s Shape) InnerRank() int { return s.Rank() - s.NumPartitions() }

// NumElements returns the number of values of a tensor of this shape.
func (s Shape) NumElements() int { return s.t.Size() }

// Dims returns the axes. An axis with a uniform partition has a size, an axis with another
// partition the lengths of its rows. The slices are new. TensorFlow calls it static_lengths.
func (s Shape) Dims() []Dim {
	dims := make([]Dim, 0, s.Rank())
	for axis, n := range s.t.Shape() {
		d := Uniform(n)
		if n < 0 {
			p := s.t.Partition(axis - 1)
			d = Dim{Rows: make([]int, p.NumRows()), Ragged: true}
			for row := range d.Rows {
				d.Rows[row] = p.RowLen(row)
			}
		}
		dims = append(dims, d)
	}
	return dims
}

// String returns TensorFlow's text, with the lengths of all rows. The verb %v writes a short
// text.
func (s Shape) String() string { return s.text(math.MaxInt) }

// text is String, and shows only `ends` lengths at each end of a long ragged axis.
func (s Shape) text(ends int) string {
	dims := make([]string, 0, s.Rank())
	for _, d := range s.Dims() {
		text := d.String()
		if n := len(d.Rows); d.Ragged && n/2 > ends {
			first, last := Ragged(d.Rows[:ends]...).String(), Ragged(d.Rows[n-ends:]...).String()
			text = strings.TrimRight(first, ",)") + ", ..., " + last[1:]
		}
		dims = append(dims, text)
	}
	return fmt.Sprintf("<DynamicRaggedShape lengths=[%s] num_row_partitions=%d>", strings.Join(dims, ", "), s.NumPartitions())
}

// Format writes a shape. The verbs v and s write the text of String with only the first and
// last ten lengths of a ragged axis, for logs. The flag + writes all lengths.
func (s Shape) Format(f fmt.State, verb rune) {
	ends := 10
	switch {
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(shape.Shape=%v)", verb, s.t.Shape())
		return
	case f.Flag('+'):
		ends = math.MaxInt
	}
	_, _ = io.WriteString(f, s.text(ends))
}

// Equal reports whether two shapes have the same axes, however they are stored.
func (s Shape) Equal(o Shape) bool {
	return slices.EqualFunc(s.Dims(), o.Dims(), func(a, b Dim) bool {
		return a.Ragged == b.Ragged && a.Size == b.Size && slices.Equal(a.Rows, b.Rows)
	})
}
