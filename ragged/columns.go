package ragged

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// denseCells returns the function that writes the values of a dense array, numbers in
// columns. Columns are as wide as the widest value that is shown.
func denseCells[T any](values []T, shape []int) func(T) string {
	if len(shape) == 0 {
		return cellText[T]
	}
	if len(values) > cellsShown {
		values = edges(nil, values, shape)
	}
	switch v := any(values).(type) {
	case []float32:
		return any(floatColumns(v, 32)).(func(T) string)
	case []float64:
		return any(floatColumns(v, 64)).(func(T) string)
	}
	if columns := columnWidth(values); columns > 0 {
		return func(v T) string { return fmt.Sprintf("%*s", columns, cellText(v)) }
	}
	return cellText[T]
}

// edges appends the values that an abbreviated array shows.
func edges[T any](dst, values []T, shape []int) []T {
	if len(shape) == 0 {
		return append(dst, values...)
	}
	stride := len(values) / shape[0]
	for i := 0; i < shape[0]; i++ {
		if shape[0] > 2*edgeItems && i == edgeItems {
			i = shape[0] - edgeItems
		}
		dst = edges(dst, values[i*stride:(i+1)*stride], shape[1:])
	}
	return dst
}

// columnWidth returns the width of every integer or bool of a dense array, 0 for other types.
func columnWidth[T any](values []T) int {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Bool:
		return len("False")
	case reflect.Float32, reflect.Float64, reflect.String, reflect.Slice:
		return 0
	}
	columns := 0
	for _, v := range values {
		columns = max(columns, len(cellText(v)))
	}
	return columns
}

// NumPy's rules for the floats of an array.
const (
	maxDecimals = 8    // a float with more decimals is rounded
	minFixed    = 1e-4 // if a value is below this and not 0, all have exponents
	maxRatio    = 1000 // if the largest is more than this times the smallest, all have exponents
)

// floatColumns returns the function that writes the floats of an array: in their shortest
// form of at most eight decimals, with aligned points; all with an exponent if some are very
// small or very large.
func floatColumns[T float32 | float64](values []T, bits int) func(T) string {
	maxFixed := 1e8
	if bits == 32 {
		maxFixed = 1e6
	}
	var finite []float64
	smallest, largest := math.Inf(1), 0.0
	odd, negative := false, false // there are values that are not finite; there is -inf
	for _, v := range values {
		switch f := float64(v); {
		case math.IsNaN(f) || math.IsInf(f, 0):
			odd, negative = true, negative || f < 0
		default:
			finite = append(finite, f)
			if f != 0 {
				smallest, largest = min(smallest, math.Abs(f)), max(largest, math.Abs(f))
			}
		}
	}
	// NumPy divides in the type of the values, so that float32 may round to maxRatio.
	exponent := largest >= maxFixed || largest > 0 && (T(smallest) < T(minFixed) || float64(T(largest)/T(smallest)) > maxRatio)

	before, after, tail := 0, 0, 0 // columns before the point, after it, and of the exponent
	for _, f := range finite {
		whole, decimals, exp := floatParts(f, bits, exponent)
		before, after, tail = max(before, len(whole)), max(after, len(decimals)), max(tail, len(exp))
	}
	if odd {
		name := len("nan")
		if negative {
			name = len("-inf")
		}
		before = max(before, name-(after+tail+1))
	}
	return func(v T) string {
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprintf("%*s", before+1+after+tail, fixedFloat(f, bits))
		}
		if exponent { // all have the same number of decimals
			s := strconv.FormatFloat(f, 'e', after, 64)
			if after == 0 {
				s = strings.Replace(s, "e", ".e", 1)
			}
			return strings.Repeat(" ", max(0, before+1+after+tail-len(s))) + s
		}
		whole, decimals, _ := floatParts(f, bits, false)
		return fmt.Sprintf("%*s.%-*s", before, whole, after, decimals)
	}
}

// floatParts returns the digits before and after the point, and the exponent.
func floatParts(f float64, bits int, exponent bool) (whole, decimals, exp string) {
	format := byte('f')
	if exponent {
		format = 'e'
	}
	s := strconv.FormatFloat(f, format, -1, bits)
	mantissa, e, _ := strings.Cut(s, "e")
	whole, decimals, _ = strings.Cut(mantissa, ".")
	if len(decimals) > maxDecimals {
		s = strconv.FormatFloat(f, format, maxDecimals, 64)
		mantissa, e, _ = strings.Cut(s, "e")
		whole, decimals, _ = strings.Cut(mantissa, ".")
		decimals = strings.TrimRight(decimals, "0")
	}
	if exponent {
		exp = "e" + e
	}
	return whole, decimals, exp
}
