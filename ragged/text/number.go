package text

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/dtype"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Number are the types of ToNumber.
type Number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// ToNumber parses every string as a number; blanks around it are ignored. Integers are
// decimal. Floats may be hexadecimal, with or without an exponent, and inf, infinity or nan
// in any case; too large ones become infinite, too small ones 0. Any other string, and an
// integer out of range, is a ragged.ValueError. TensorFlow calls it strings.to_number.
func ToNumber[T Number](t ragged.Tensor[string]) (ragged.Tensor[T], error) {
	values := t.Values()
	out := make([]T, len(values))
	i := -1
	switch out := any(out).(type) {
	case []int32:
		i = parseAll(out, values, func(s string) (int32, error) { n, err := strconv.ParseInt(s, 10, 32); return int32(n), err })
	case []int64:
		i = parseAll(out, values, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	case []uint32:
		i = parseAll(out, values, func(s string) (uint32, error) { n, err := parseUint(s, 32); return uint32(n), err })
	case []uint64:
		i = parseAll(out, values, func(s string) (uint64, error) { return parseUint(s, 64) })
	case []float32:
		i = parseAll(out, values, func(s string) (float32, error) { f, err := parseFloat(s, 32); return float32(f), err })
	case []float64:
		i = parseAll(out, values, func(s string) (float64, error) { return parseFloat(s, 64) })
	}
	if i >= 0 {
		return ragged.Tensor[T]{}, &ragged.ValueError{Err: ragged.ErrValue, Op: "to number", At: []int{i}, Want: "a number of dtype " + dtype.Name[T](), Got: quoted(values[i])}
	}
	return operand.Like(t, out)
}

// parseAll parses strings, and returns the index of the first that is not a number, or -1.
func parseAll[T any](out []T, values []string, parse func(string) (T, error)) int {
	for i, s := range values {
		s = trimLeft(s)
		for s != "" && isBlank(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		var err error
		if out[i], err = parse(s); err != nil {
			return i
		}
	}
	return -1
}

func parseUint(s string, bits int) (uint64, error) {
	if len(s) > 1 && s[0] == '+' {
		s = s[1:]
	}
	return strconv.ParseUint(s, 10, bits)
}

// parseFloat parses a float in the syntax of C++, which differs from Go's in a few cases.
func parseFloat(s string, bits int) (float64, error) {
	if len(s) > 0 {
		// A fast path for most numbers.
		if c := s[len(s)-1]; c >= '0' && c <= '9' && len(s) < 16 && !strings.ContainsAny(s, "xX_") {
			return inRange(strconv.ParseFloat(s, bits))
		}
	}
	if strings.Contains(s, "_") {
		return 0, strconv.ErrSyntax
	}
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, strconv.ErrSyntax
	}
	if len(digits) >= 3 && strings.EqualFold(digits[:3], "nan") {
		if payload := digits[3:]; payload != "" && !isPayload(payload) {
			return 0, strconv.ErrSyntax
		}
		return math.NaN(), nil
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x' && !strings.ContainsAny(digits, "pP") {
		s += "p0"
	}
	return inRange(strconv.ParseFloat(s, bits))
}

// inRange accepts floats out of range: infinities and 0.
func inRange(f float64, err error) (float64, error) {
	if errors.Is(err, strconv.ErrRange) {
		return f, nil
	}
	return f, err
}

// isPayload reports whether a string is a payload after nan: (1).
func isPayload(s string) bool {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}
