package testkit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxShown is how many bytes of a value a message shows.
const maxShown = 400

// Format writes a value on one line for people to read, cut where it is long.
func Format(v Value) string { return short(format(v)) }

func short(s string) string {
	if len(s) > maxShown {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:maxShown], ""), len(s))
	}
	return s
}

func format(v Value) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case Dense:
		return fmt.Sprintf("%s%d %s", v.DType, v.Shape, formatElements(v.Values))
	case Ragged:
		return fmt.Sprintf("ragged %s of %s", formatPartitions(v.Partitions), format(v.Flat))
	case Sparse:
		return fmt.Sprintf("sparse %s%d at %d %s", v.DType, v.DenseShape, v.Indices, formatElements(v.Values))
	case Shape:
		if !v.Known {
			return "shape unknown"
		}
		return "shape " + strings.ReplaceAll(fmt.Sprint(v.Dims), "-1", "?")
	case RowPartition:
		return formatPartition(v.Partition)
	case DynamicShape:
		return fmt.Sprintf("dynamic shape %s with inner %d", formatPartitions(v.Partitions), v.Inner)
	case List:
		return "[" + join(slices.Values(v)) + "]"
	case Dict:
		var b strings.Builder
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q: %s", name, format(v[name]))
		}
		return "{" + b.String() + "}"
	case String:
		return strconv.Quote(string(v))
	case Null:
		return "null"
	}
	return fmt.Sprintf("%s %+v", strings.ToLower(reflect.TypeOf(v).Name()), v)
}

func join(vs func(func(Value) bool)) string {
	var parts []string
	for v := range vs {
		parts = append(parts, format(v))
	}
	return strings.Join(parts, ", ")
}

func formatPartition(p Partition) string {
	if p.Uniform {
		return fmt.Sprintf("uniform %d x %d", p.NRows, p.Length)
	}
	return fmt.Sprintf("splits %d", p.Splits)
}

func formatPartitions(ps []Partition) string {
	parts := make([]string, len(ps))
	for i, p := range ps {
		parts[i] = formatPartition(p)
	}
	return "{" + strings.Join(parts, "; ") + "}"
}

func formatElement(e any) string {
	switch e := e.(type) {
	case string:
		return short(strconv.Quote(e))
	case float32:
		return strconv.FormatFloat(float64(e), 'g', -1, 32)
	}
	return fmt.Sprint(e)
}

func formatElements(values any) string {
	if s, ok := values.([]string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(values)
}
