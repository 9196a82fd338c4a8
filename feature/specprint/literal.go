package specprint

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// Go returns the spec as a Go expression of type feature.Spec, formatted like gofmt, with
// a newline at the end. The expression uses package feature; package example if there are
// defaults; package tensor if strings are decoded; and package math if a default is a NaN, an infinity or a negative zero.
func Go(spec feature.Spec) ([]byte, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	b := []byte("var _ = feature.Spec{\n")
	for g, fs := range spec.Groups() {
		b = fmt.Appendf(b, "%s: feature.Features{\n", goGroups[g])
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			b = append(appendGo(append(strconv.AppendQuote(b, name), ": "...), fs[name]), ",\n"...)
		}
		b = append(b, "},\n"...)
	}
	if spec.Examples != nil && len(spec.Examples) == 0 {
		b = append(b, "Examples: feature.Features{},\n"...)
	}
	b = append(b, "}\n"...)
	b, err := format.Source(b)
	return bytes.TrimPrefix(b, []byte("var _ = ")), err
}

var goGroups = map[feature.Group]string{
	feature.InFeatures: "Features", feature.InContext: "Context", feature.InSequence: "Sequence", feature.InExamples: "Examples",
}

var goDTypes = map[feature.DType]string{feature.String: "feature.String", feature.Float32: "feature.Float32", feature.Int64: "feature.Int64"}

// appendGo appends a feature as a literal.
func appendGo(b []byte, f feature.Feature) []byte {
	b = fmt.Appendf(b, "%T{DType: %s", f, goDTypes[feature.DTypeOf(f)])
	switch f := f.(type) {
	case feature.FixedLen:
		b = appendGoDefault(appendGoShape(b, f.Shape), f.Default)
	case feature.FixedLenSequence:
		b = appendGoDefault(appendGoShape(b, f.Shape), f.Default)
		if f.AllowMissing {
			b = append(b, ", AllowMissing: true"...)
		}
	case feature.Sparse:
		b = append(b, ", IndexKeys: []string{"...)
		for i, key := range f.IndexKeys {
			b = strconv.AppendQuote(comma(b, i), key)
		}
		b = strconv.AppendQuote(append(b, "}, ValueKey: "...), f.ValueKey)
		b = append(b, ", Size: []int64{"...)
		for i, n := range f.Size {
			b = strconv.AppendInt(comma(b, i), n, 10)
		}
		b = append(b, '}')
		if f.Sorted {
			b = append(b, ", Sorted: true"...)
		}
	case feature.Ragged:
		if f.ValueKey != "" {
			b = strconv.AppendQuote(append(b, ", ValueKey: "...), f.ValueKey)
		}
		if len(f.Partitions) == 0 {
			break
		}
		b = append(b, ", Partitions: []feature.Partition{"...)
		for i, p := range f.Partitions {
			b = fmt.Appendf(comma(b, i), "%T(%#v)", p, p)
		}
		b = append(b, '}')
	}
	return append(appendGoDecode(b, feature.DecodeOf(f)), '}')
}

// appendGoDecode appends the field Decode, unless d is nil.
func appendGoDecode(b []byte, d feature.Decode) []byte {
	switch d := d.(type) {
	case feature.DecodeRaw:
		b = fmt.Appendf(b, ", Decode: feature.DecodeRaw{DType: %s", goTensorDType(d.DType))
		if d.Shape != nil {
			b = append(b, ", Shape: []feature.Dimension{"...)
			for i, dim := range d.Shape {
				if at, ok := dim.(feature.SizeAt); ok {
					b = fmt.Appendf(comma(b, i), "feature.SizeAt{Feature: %q, Index: %d}", at.Feature, at.Index)
				} else {
					b = fmt.Appendf(comma(b, i), "%T(%#v)", dim, dim)
				}
			}
			b = append(b, '}')
		}
		if d.BigEndian {
			b = append(b, ", BigEndian: true"...)
		}
		if d.Zlib {
			b = append(b, ", Zlib: true"...)
		}
		if d.Bitcast != tensor.Invalid {
			b = append(append(b, ", Bitcast: "...), goTensorDType(d.Bitcast)...)
		}
		return append(b, '}')
	case feature.DecodeTensor:
		b = append(b, ", Decode: feature.DecodeTensor{"...)
		if d.DType != tensor.Invalid {
			b = append(append(b, "DType: "...), goTensorDType(d.DType)...)
		}
		if d.Shape != nil {
			if d.DType != tensor.Invalid {
				b = append(b, ", "...)
			}
			b = append(b, "Shape: tensor.Shape{"...)
			for i, n := range d.Shape {
				b = strconv.AppendInt(comma(b, i), n, 10)
			}
			b = append(b, '}')
		}
		return append(b, '}')
	}
	return b
}

// goTensorDType returns the constant of package tensor: tensor.QInt8 for qint8, tensor.Float8E5M2 for float8_e5m2.
func goTensorDType(d tensor.DType) string {
	name := d.String()
	first := 1
	if name[0] == 'q' || strings.HasPrefix(name, "bfloat") {
		first = 2
	}
	name = strings.ToUpper(name[:first]) + name[first:]
	if kind, form, ok := strings.Cut(name, "_"); ok {
		name = kind + strings.ToUpper(form)
	}
	return "tensor." + name
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ", "...)
	}
	return b
}

func appendGoShape(b []byte, shape []int) []byte {
	if len(shape) == 0 {
		return b
	}
	b = append(b, ", Shape: []int{"...)
	for i, n := range shape {
		b = strconv.AppendInt(comma(b, i), int64(n), 10)
	}
	return append(b, '}')
}

func appendGoDefault(b []byte, v example.Value) []byte {
	switch v.Kind() {
	case example.Unset:
		return b
	case example.Int64List:
		b = append(b, ", Default: example.Int64s("...)
		for i, n := range v.Int64s {
			b = strconv.AppendInt(comma(b, i), n, 10)
		}
	case example.FloatList:
		b = append(b, ", Default: example.Floats("...)
		for i, f := range v.Floats {
			b = appendGoFloat(comma(b, i), f)
		}
	case example.BytesList:
		b = append(b, ", Default: example.Strings("...)
		for i, s := range v.Bytes {
			b = strconv.AppendQuote(comma(b, i), string(s))
		}
	}
	return append(b, ')')
}

// appendGoFloat appends a constant that equals f, or a call if no constant does.
func appendGoFloat(b []byte, f float32) []byte {
	if d := float64(f); math.IsNaN(d) || math.IsInf(d, 0) || f == 0 && math.Signbit(d) {
		return fmt.Appendf(b, "math.Float32frombits(%#x)", math.Float32bits(f))
	}
	return strconv.AppendFloat(b, float64(f), 'g', -1, 32)
}
