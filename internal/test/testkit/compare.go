package testkit

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Rule loosens the comparison of two values. The zero Rule is exact: NaN
// equals NaN, zeros have signs, everything else is ==.
type Rule struct {
	// Approx allows floats to differ by 1e-5 (float32) or 1e-12 (float64)
	// relative, or by 1e-6 or 1e-14 absolute.
	Approx bool
	// KeepUniform allows a result to know that a partition is uniform where the
	// expectation has row splits that say the same.
	KeepUniform bool
}

// RuleOf returns the rule that the tags of a case ask for.
func RuleOf(c *Case) Rule {
	return Rule{Approx: c.Tagged("approx"), KeepUniform: c.Tagged("uniform-lost")}
}

// Diff returns where got differs first from want, or "" if they are the same:
// kind, dtype, shape, partitions and whether they are uniform, values, order.
func (r Rule) Diff(want, got Value) string {
	switch want := want.(type) {
	case Dense:
		if got, ok := got.(Dense); ok {
			return r.dense(want, got)
		}
	case Ragged:
		if got, ok := got.(Ragged); ok {
			return r.ragged(want, got)
		}
	case Sparse:
		if got, ok := got.(Sparse); ok {
			return r.sparse(want, got)
		}
	case Shape:
		if got, ok := got.(Shape); ok {
			return diffShape(want, got)
		}
	case RowPartition:
		if got, ok := got.(RowPartition); ok {
			return first(diffSplitsDType(want.DType, got.DType), r.partition(want.Partition, got.Partition))
		}
	case DynamicShape:
		if got, ok := got.(DynamicShape); ok {
			return first(r.partitions(want.Partitions, got.Partitions),
				diffInts("inner shape", want.Inner, got.Inner), diffSplitsDType(want.DType, got.DType))
		}
	case List:
		if got, ok := got.(List); ok {
			return r.list(want, got)
		}
	case Dict:
		if got, ok := got.(Dict); ok {
			return r.Dicts(want, got)
		}
	case Float:
		if got, ok := got.(Float); ok {
			if !r.same64(float64(want), float64(got)) {
				return fmt.Sprintf("want %v, got %v", float64(want), float64(got))
			}
			return ""
		}
	case String, Int, Bool, Null, DType:
		if want == got {
			return ""
		}
	default:
		return fmt.Sprintf("a %T is nothing that can be expected", want)
	}
	return fmt.Sprintf("want %s, got %s", Format(want), Format(got))
}

// Dicts compares values by name.
func (r Rule) Dicts(want, got map[string]Value) string {
	if w, g := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(w, g) {
		return fmt.Sprintf("want the names %q, got %q", w, g)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if d := r.Diff(want[name], got[name]); d != "" {
			return fmt.Sprintf("%q: %s", name, d)
		}
	}
	return ""
}

func (r Rule) list(want, got List) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want a list of %d, got one of %d", len(want), len(got))
	}
	for i := range want {
		if d := r.Diff(want[i], got[i]); d != "" {
			return fmt.Sprintf("[%d]: %s", i, d)
		}
	}
	return ""
}

func (r Rule) dense(want, got Dense) string {
	return first(diffDType(want.DType, got.DType), diffInts("shape", want.Shape, got.Shape), r.elements(want.Values, got.Values))
}

func (r Rule) ragged(want, got Ragged) string {
	d := first(r.partitions(want.Partitions, got.Partitions), diffSplitsDType(want.SplitsDType, got.SplitsDType))
	if d != "" {
		return d
	}
	if d := r.dense(want.Flat, got.Flat); d != "" {
		return "flat values: " + d
	}
	return ""
}

func (r Rule) partitions(want, got []Partition) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d partitions, got %d", len(want), len(got))
	}
	for i := range want {
		if d := r.partition(want[i], got[i]); d != "" {
			return fmt.Sprintf("partition %d: %s", i, d)
		}
	}
	return ""
}

func (r Rule) partition(want, got Partition) string {
	if want.Uniform != got.Uniform && !(r.KeepUniform && got.Uniform) {
		return fmt.Sprintf("want %s, got %s", formatPartition(want), formatPartition(got))
	}
	if want.Uniform && want.Length != got.Length { // without rows the splits do not tell
		return fmt.Sprintf("want rows of length %d, got %d", want.Length, got.Length)
	}
	return first(diffInts("row splits", want.Splits, got.Splits), diffInts("number of rows", []int64{want.NRows}, []int64{got.NRows}))
}

func (r Rule) sparse(want, got Sparse) string {
	d := first(diffDType(want.DType, got.DType), diffInts("dense shape", want.DenseShape, got.DenseShape))
	if d != "" {
		return d
	}
	if len(want.Indices) != len(got.Indices) {
		return fmt.Sprintf("want %d indices, got %d", len(want.Indices), len(got.Indices))
	}
	for i := range want.Indices {
		if d := diffInts(fmt.Sprintf("index %d", i), want.Indices[i], got.Indices[i]); d != "" {
			return d
		}
	}
	return r.elements(want.Values, got.Values)
}

func (r Rule) elements(want, got any) string {
	switch want := want.(type) {
	case []float32:
		return compare(want, got, r.same32)
	case []float64:
		return compare(want, got, r.same64)
	case []string:
		return compare(want, got, equal)
	case []bool:
		return compare(want, got, equal)
	case []int64:
		return compare(want, got, equal)
	case []int32:
		return compare(want, got, equal)
	case []int16:
		return compare(want, got, equal)
	case []int8:
		return compare(want, got, equal)
	case []uint64:
		return compare(want, got, equal)
	case []uint32:
		return compare(want, got, equal)
	case []uint16:
		return compare(want, got, equal)
	case []uint8:
		return compare(want, got, equal)
	}
	return fmt.Sprintf("a %T holds no elements", want)
}

func equal[T comparable](a, b T) bool { return a == b }

func compare[T any](want []T, got any, same func(a, b T) bool) string {
	g, ok := got.([]T)
	if !ok {
		return fmt.Sprintf("want values in a %T, got a %T", want, got)
	}
	if len(want) != len(g) {
		return fmt.Sprintf("want %d values, got %d", len(want), len(g))
	}
	for i := range want {
		if !same(want[i], g[i]) {
			return fmt.Sprintf("value %d: want %s, got %s", i, formatElement(want[i]), formatElement(g[i]))
		}
	}
	return ""
}

func (r Rule) same32(want, got float32) bool {
	return exactly(float64(want), float64(got)) || r.Approx && near(float64(want), float64(got), 1e-5, 1e-6)
}

func (r Rule) same64(want, got float64) bool {
	return exactly(want, got) || r.Approx && near(want, got, 1e-12, 1e-14)
}

func exactly(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || a == b && math.Signbit(a) == math.Signbit(b)
}

func near(want, got, relative, absolute float64) bool {
	if math.IsInf(want, 0) || math.IsInf(got, 0) {
		return want == got
	}
	d := math.Abs(want - got)
	return d <= absolute || d <= relative*math.Abs(want) // false for NaN
}

func diffDType(want, got string) string {
	if want != got {
		return fmt.Sprintf("want dtype %s, got %s", want, got)
	}
	return ""
}

func diffSplitsDType(want, got string) string {
	if got != "" && want != got {
		return fmt.Sprintf("want row splits of dtype %s, got %s", want, got)
	}
	return ""
}

func diffShape(want, got Shape) string {
	if want.Known != got.Known || !slices.Equal(want.Dims, got.Dims) {
		return fmt.Sprintf("want %s, got %s", Format(want), Format(got))
	}
	return ""
}

func diffInts(what string, want, got []int64) string {
	if !slices.Equal(want, got) {
		return fmt.Sprintf("%s: want %s, got %s", what, short(fmt.Sprint(want)), short(fmt.Sprint(got)))
	}
	return ""
}

func first(diffs ...string) string {
	for _, d := range diffs {
		if d != "" {
			return d
		}
	}
	return ""
}
