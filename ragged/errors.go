package ragged

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/ragged/internal/limit"
)

var (
	// ErrPartition is wrapped by every error about a row partition.
	ErrPartition = errors.New("ragged: invalid row partition")

	// ErrShape is wrapped by every error about values, partitions or operands
	// that do not fit together.
	ErrShape = errors.New("ragged: values do not fit the shape")

	// ErrIndex is wrapped by every error about a key, an index or an axis that
	// a tensor does not have.
	ErrIndex = errors.New("ragged: index out of range")
)

// A PartitionError says where an encoding of a row partition breaks its rule.
// It wraps ErrPartition.
type PartitionError struct {
	Encoding string // "row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids", "uniform_row_length"
	Index    int    // position in the encoding; -1 when the fault is not in one entry
	Want     string // the rule, such as "at least 4"
	Got      int64
}

// Error gives the encoding, the position, and what was wanted and got.
func (e *PartitionError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("%v: %s: want %s, got %d", ErrPartition, e.Encoding, e.Want, e.Got)
	}
	return fmt.Sprintf("%v: %s[%d]: want %s, got %d", ErrPartition, e.Encoding, e.Index, e.Want, e.Got)
}

// Unwrap returns ErrPartition.
func (e *PartitionError) Unwrap() error { return ErrPartition }

// An AxisError says that an axis is not one the tensor has. It wraps ErrIndex.
type AxisError struct {
	Name  string // the argument, such as "axis" or "outer axis"
	Axis  int
	Limit int // axes from -Limit to Limit-1 are accepted
}

// Error gives the axis and the accepted range.
func (e *AxisError) Error() string {
	return fmt.Sprintf("%v: %s: want from %d to %d, got %d", ErrIndex, e.Name, -e.Limit, e.Limit-1, e.Axis)
}

// Unwrap returns ErrIndex.
func (e *AxisError) Unwrap() error { return ErrIndex }

// A SizeError says that a dense result would be too large for the values and rows that
// it is made of. It wraps ErrShape.
type SizeError struct {
	Op    string // the operation, such as "to dense"
	Sizes []int  // of the axes of the result
	Limit int    // the greatest number of values that it may have
}

// Error gives the operation, the sizes and the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: %v: sizes %v make more than %d values", e.Op, ErrShape, e.Sizes, e.Limit)
}

// Unwrap returns ErrShape.
func (e *SizeError) Unwrap() error { return ErrShape }

// tooLarge adds an operation to an error of package limit.
func tooLarge(op string, err error) error {
	if e, ok := errors.AsType[*limit.Error](err); ok {
		return &SizeError{Op: op, Sizes: e.Sizes, Limit: e.Limit}
	}
	return err
}

// axisIn makes an axis that may count from the end positive.
func axisIn(name string, axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, &AxisError{Name: name, Axis: axis, Limit: rank}
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

func shapeErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrShape, fmt.Sprintf(format, args...))
}

func indexErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrIndex, fmt.Sprintf(format, args...))
}
