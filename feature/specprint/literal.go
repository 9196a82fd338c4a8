package specprint

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// GoOptions says what Go prints beside the spec. Nil means defaults.
type GoOptions struct {
	// Package makes the text a Go file of the package of that name, which declares the
	// spec as a variable. The default is an expression alone.
	Package string
	// Variable is the name of the variable in a file. The default is Spec.
	Variable string
}

// Go returns the spec as a Go expression of type feature.Spec, as gofmt formats it,
// with a newline at the end. It needs the packages feature and, where there are
// defaults, example; where one of them is a NaN, an infinity or a negative zero,
// also math. GoOptions.Package asks for a file that imports them.
func Go(spec feature.Spec, opts *GoOptions) ([]byte, error) {
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
	if opts != nil && opts.Package != "" {
		return goFile(b, opts)
	}
	b, err := format.Source(b)
	return bytes.TrimPrefix(b, []byte("var _ = ")), err
}

// goFile makes a file of the declaration of a variable.
func goFile(declaration []byte, opts *GoOptions) ([]byte, error) {
	head := fmt.Sprintf("package %s\n\n", opts.Package)
	file, err := parser.ParseFile(token.NewFileSet(), "", head+string(declaration), 0)
	if err != nil {
		return nil, err // a name that is none
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[fmt.Sprint(s.X)] = true
		}
		return true
	})
	b := append([]byte(head), "import (\n"...)
	for _, name := range []string{"math", "github.com/tfparse/tfparse/example", "github.com/tfparse/tfparse/feature"} {
		if used[path.Base(name)] {
			b = fmt.Appendf(b, "%q\n", name)
		}
		if name == "math" {
			b = append(b, '\n')
		}
	}
	b = append(b, ")\n\n"...)
	b = append(b, bytes.Replace(declaration, []byte("var _"), []byte("var "+cmp.Or(opts.Variable, "Spec")), 1)...)
	return format.Source(b)
}

var goGroups = map[feature.Group]string{
	feature.InFeatures: "Features", feature.InContext: "Context", feature.InSequence: "Sequence", feature.InExamples: "Examples",
}

var goDTypes = map[feature.DType]string{feature.String: "feature.String", feature.Float32: "feature.Float32", feature.Int64: "feature.Int64"}

// appendGo appends a feature as a literal.
func appendGo(b []byte, f feature.Feature) []byte {
	b = fmt.Appendf(b, "%T{DType: %s", f, goDTypes[f.DataType()])
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
	return append(b, '}')
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

// appendGoFloat appends a constant that is the float again, or a call where no
// constant is.
func appendGoFloat(b []byte, f float32) []byte {
	if d := float64(f); math.IsNaN(d) || math.IsInf(d, 0) || f == 0 && math.Signbit(d) {
		return fmt.Appendf(b, "math.Float32frombits(%#x)", math.Float32bits(f))
	}
	return strconv.AppendFloat(b, float64(f), 'g', -1, 32)
}
