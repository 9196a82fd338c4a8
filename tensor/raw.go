package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrRaw means that raw bytes do not have the length that their dtype or shape requires.
var ErrRaw = errors.New("raw bytes do not fit")

// IsRaw reports whether tf.io.decode_raw has the dtype: all numbers but uint32, uint64, and those of
// 4 and 8 bits that are not plain integers.
func (d DType) IsRaw() bool {
	switch d {
	case Float16, BFloat16, Float32, Float64, Int8, Int16, Int32, Int64, Uint8, Uint16, Bool, Complex64, Complex128:
		return true
	}
	return false
}

// A SizeError says which number of bytes or elements a dtype or a shape requires. It is an ErrRaw.
type SizeError struct{ Want, Got string }

// Error returns one line: what is wanted, and what there is.
func (e *SizeError) Error() string { return fmt.Sprintf("%v: want %s, got %s", ErrRaw, e.Want, e.Got) }

// Unwrap returns ErrRaw.
func (e *SizeError) Unwrap() error { return ErrRaw }

// Raw makes a tensor of raw elements, as tf.io.decode_raw and tf.reshape do. parts are strings of one
// length, and outer is their shape; the tensor has the shape outer+inner, in which one size may be -1.
// A nil inner is the number of elements in each string. The error is a [*SizeError].
//
// Bytes of the result do not alias the strings.
func Raw(dtype DType, bigEndian bool, parts []string, outer, inner []int64) (Tensor, error) {
	shape, err := RawShape(dtype, parts, outer, inner)
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{DType: dtype, Shape: shape, Bytes: []byte{}}
	if len(parts) > 0 {
		t.Bytes = make([]byte, 0, len(parts)*len(parts[0]))
	}
	for _, s := range parts {
		t.Bytes = append(t.Bytes, s...)
	}
	size := dtype.Size()
	switch dtype {
	case Complex64, Complex128:
		size /= 2 // each half by itself
	case Bool: // TensorFlow keeps other bytes, which NumPy takes for true
		for i, v := range t.Bytes {
			t.Bytes[i] = min(v, 1)
		}
	}
	if bigEndian && size > 1 {
		for element := range slices.Chunk(t.Bytes, size) {
			slices.Reverse(element)
		}
	}
	return t, nil
}

// RawShape returns the shape of the tensor that Raw makes. It reads no element.
func RawShape(dtype DType, parts []string, outer, inner []int64) (Shape, error) {
	n := 0 // bytes of each string
	if len(parts) > 0 {
		n = len(parts[0])
	}
	for i, s := range parts {
		if len(s) != n {
			return nil, &SizeError{fmt.Sprintf("%d bytes, as string 0 has", n), fmt.Sprintf("%d in string %d", len(s), i)}
		}
	}
	size := dtype.Size()
	if size == 0 || dtype == String {
		return nil, fmt.Errorf("tensor: %w: %v", ErrDType, dtype)
	}
	if n%size != 0 {
		return nil, &SizeError{fmt.Sprintf("a multiple of %d bytes, for %v", size, dtype), fmt.Sprint(n)}
	}
	flat := append(slices.Clone(outer), int64(n/size))
	if inner == nil {
		return flat, nil
	}
	return Reshape(flat, append(slices.Clone(outer), inner...))
}

// Reshape returns the shape that tf.reshape gives a tensor of the shape from. One of the sizes may be
// -1: then it is what the number of elements requires, and 1 if another size is 0 and there are no elements.
func Reshape(from Shape, sizes []int64) (Shape, error) {
	to := Shape(slices.Clone(sizes))
	rest := int64(1)              // the product of the sizes other than -1 and 0
	missing, hasZero := -1, false // the axis of the -1
	for i, d := range sizes {
		switch {
		case d == -1 && missing >= 0:
			return nil, &SizeError{"at most one size of -1", fmt.Sprintf("two, axes %d and %d", missing, i)}
		case d == -1:
			missing = i
		case d < 0:
			return nil, &SizeError{"sizes of at least 0", fmt.Sprintf("%d at axis %d", d, i)}
		case d == 0:
			hasZero = true
		case rest > math.MaxInt64/d:
			return nil, &SizeError{"fewer than 2^63 elements", "shape " + to.String()}
		default:
			rest *= d
		}
	}
	elements, outside := int64(1), int64(1) // without sizes of 0, if there is one in sizes
	for _, d := range from {
		elements *= d
		if d > 0 || !hasZero {
			outside *= d
		}
	}
	if missing >= 0 {
		to[missing] = outside / rest
	}
	total := rest
	if missing >= 0 {
		total *= to[missing]
	}
	if hasZero {
		total = 0
	}
	if total != elements {
		want := fmt.Sprintf("%d elements for shape %v", total, append(Shape{}, sizes...))
		if missing >= 0 && !hasZero {
			want = fmt.Sprintf("a multiple of %d elements for shape %v", rest, Shape(sizes))
		}
		return nil, &SizeError{want, fmt.Sprint(elements)}
	}
	return to, nil
}
