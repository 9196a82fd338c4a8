package ragged

import (
	"errors"
	"fmt"
)

var (
	// ErrPartition is wrapped by every error about a row partition.
	ErrPartition = errors.New("ragged: invalid row partition")

	// ErrShape is wrapped by every error about values, partitions or operands
	// that do not fit each other.
	ErrShape = errors.New("ragged: values do not fit the shape")

	// ErrIndex is wrapped by every error about a key, an index or an axis outside
	// the tensor.
	ErrIndex = errors.New("ragged: index out of range")

	// ErrValue is wrapped by every error about a value that an operation does not
	// accept, such as a divisor of 0.
	ErrValue = errors.New("ragged: value not accepted")
)

// A PartitionError gives the entry of an encoding of a row partition that breaks a rule. It
// wraps ErrPartition.
type PartitionError struct {
	Encoding string // "row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids", "uniform_row_length"
	Index    int    // index of the entry; -1 if the error is not about one entry
	Want     string // the rule, such as "at least 4"
	Got      int64  // the entry; if Index is -1, the count or row length that breaks the rule
}

// Error gives the encoding, the index, and what was wanted and got.
func (e *PartitionError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("%v: %s: want %s, got %d", ErrPartition, e.Encoding, e.Want, e.Got)
	}
	return fmt.Sprintf("%v: %s[%d]: want %s, got %d", ErrPartition, e.Encoding, e.Index, e.Want, e.Got)
}

// Unwrap returns ErrPartition.
func (e *PartitionError) Unwrap() error { return ErrPartition }

// An AxisError is about an axis that the tensor does not have. It wraps ErrIndex.
type AxisError struct {
	Name  string // name of the argument, such as "concat: axis"
	Axis  int    // the argument
	Limit int    // axes from -Limit to Limit-1 are accepted
}

// Error gives the axis and the accepted range.
func (e *AxisError) Error() string {
	return fmt.Sprintf("%v: %s: want from %d to %d, got %d", ErrIndex, e.Name, -e.Limit, e.Limit-1, e.Axis)
}

// Unwrap returns ErrIndex.
func (e *AxisError) Unwrap() error { return ErrIndex }

// A ValueError is about a value of an operand that an operation does not accept. The
// packages below this one return it.
type ValueError struct {
	Op   string // the operation, such as "floor divide"
	At   []int  // index of the value on every axis, or only its flat position
	Want string // the rule, such as "a divisor other than 0"
	Got  any    // the value; long strings are cut
	Err  error  // ErrValue, or ErrIndex if the value is an index
}

// Error gives the operation, the coordinates, and what was wanted and got.
func (e *ValueError) Error() string {
	return fmt.Sprintf("%v: %s: at %v: want %s, got %v", e.Err, e.Op, e.At, e.Want, e.Got)
}

// Unwrap returns Err.
func (e *ValueError) Unwrap() error { return e.Err }

// axisIn checks an axis of a tensor of the given rank. It returns axis -1 as rank-1.
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
