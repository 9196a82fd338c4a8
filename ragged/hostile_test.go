package ragged_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/layout"
	"github.com/tfparse/tfparse/ragged/num"
	"github.com/tfparse/tfparse/ragged/shape"
)

// TestHostileArguments calls every exported function and method of the tensor packages with
// random arguments: tensors without rows, without values, of ragged rank 0 to 4; numbers below
// zero and larger than any memory. Each call gives a valid value or an error. A function may
// panic if its comment says so.
func TestHostileArguments(t *testing.T) {
	docs := raggedDocs(t)
	for name := range raggedFunctions {
		if _, ok := docs[name]; !ok {
			t.Errorf("%s is not there", name)
		}
	}
	rounds := 300
	if testkit.Long(t, "rounds of each function") {
		rounds = 1000
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range docs {
			if !yield(name) {
				return
			}
		}
	}) {
		h := &hostile{Rand: rand.New(rand.NewPCG(1, uint64(len(name))))}
		var calls []func() []reflect.Value
		if kind, method, ok := strings.Cut(strings.SplitN(name, ".", 2)[1], "."); ok {
			of, ok := raggedTypes[strings.SplitN(name, ".", 2)[0]+"."+kind]
			if !ok || method == "Format" { // an error type, or Format, whose text String writes
				continue
			}
			typ := reflect.TypeOf(of)
			calls = append(calls, func() []reflect.Value {
				receiver := reflect.New(typ)
				receiver.Elem().Set(h.value(typ))
				return h.call(receiver.MethodByName(method))
			})
		} else if len(raggedFunctions[name]) == 0 {
			t.Errorf("%s is not called: add it to raggedFunctions", name)
		}
		for _, f := range raggedFunctions[name] {
			calls = append(calls, func() []reflect.Value { return h.call(reflect.ValueOf(f)) })
		}
		for _, call := range calls {
			for range rounds {
				if fault := h.try(call, strings.Contains(docs[name], "panic")); fault != "" {
					t.Errorf("%s(%s): %s", name, h.args, fault)
					break
				}
			}
		}
	}
}

// raggedDocs returns the comments of the exported functions and methods.
func raggedDocs(t *testing.T) map[string]string {
	docs := map[string]string{}
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ragged", "ragged/array", "ragged/num", "ragged/text", "ragged/shape", "ragged/nn", "ragged/layout"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() {
					continue
				}
				name := f.Name.Name
				if f.Recv != nil {
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if index, ok := of.(*ast.IndexExpr); ok {
						of = index.X
					}
					id, ok := of.(*ast.Ident)
					if !ok || !id.IsExported() {
						continue
					}
					name = id.Name + "." + name
				}
				docs[path.Base(dir)+"."+name] = f.Doc.Text()
			}
		}
	}
	return docs
}

// hostile makes arguments.
type hostile struct {
	*rand.Rand
	args string // arguments of the last call
}

// try makes a call. It returns what is wrong with the outcome, or "".
func (h *hostile) try(call func() []reflect.Value, mayPanic bool) (fault string) {
	h.args = ""
	defer func() {
		if e := recover(); e != nil && !mayPanic {
			buf := make([]byte, 4096)
			fault = fmt.Sprintf("panic, which the comment does not mention: %v\n%s", e, buf[:runtime.Stack(buf, false)])
		}
	}()
	out := call()
	if n := len(out); n > 0 && out[n-1].Type() == reflect.TypeFor[error]() {
		if err, _ := out[n-1].Interface().(error); err != nil {
			if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 2000 {
				return fmt.Sprintf("error %.200q", text)
			}
			return ""
		}
	}
	for _, v := range out {
		if s, ok := v.Interface().(interface{ Validate() error }); ok {
			if err := s.Validate(); err != nil {
				return "not sound: " + err.Error()
			}
		}
		if s, ok := v.Interface().(fmt.Stringer); ok {
			_ = s.String()
		}
		if v.Kind() == reflect.Func && v.Type().CanSeq() {
			for range v.Seq() {
				break // of huge shapes there is no end
			}
		} else if v.Kind() == reflect.Func && v.Type().CanSeq2() {
			n := 0
			for range v.Seq2() {
				if n++; n > 1000 { // of huge shapes there is no end
					break
				}
			}
		}
	}
	return ""
}

// call calls a function with random arguments.
func (h *hostile) call(f reflect.Value) []reflect.Value {
	typ := f.Type()
	var in []reflect.Value
	for i := range typ.NumIn() {
		if typ.IsVariadic() && i == typ.NumIn()-1 {
			for range h.IntN(4) {
				in = append(in, h.value(typ.In(i).Elem()))
			}
			break
		}
		in = append(in, h.value(typ.In(i)))
	}
	for _, v := range in {
		h.args += fmt.Sprintf("%v; ", v.Interface())
	}
	h.args = h.args[:min(len(h.args), 600)]
	return f.Call(in)
}

var hostileInts = []int{math.MinInt, -2, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 7, math.MaxInt32 / 2 * 2, math.MaxInt / 2, math.MaxInt}

func (h *hostile) int() int {
	if h.IntN(3) > 0 {
		return h.IntN(4)
	}
	return hostileInts[h.IntN(len(hostileInts))]
}

// value makes a value of a type.
func (h *hostile) value(typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[ragged.Tensor[int64]]():
		return reflect.ValueOf(hostileTensor[int64](h))
	case reflect.TypeFor[ragged.Tensor[uint64]]():
		return reflect.ValueOf(hostileTensor[uint64](h))
	case reflect.TypeFor[ragged.Tensor[int32]]():
		return reflect.ValueOf(hostileTensor[int32](h))
	case reflect.TypeFor[ragged.Tensor[int8]]():
		return reflect.ValueOf(hostileTensor[int8](h))
	case reflect.TypeFor[ragged.Tensor[int]]():
		return reflect.ValueOf(hostileTensor[int](h))
	case reflect.TypeFor[ragged.Tensor[float64]]():
		return reflect.ValueOf(hostileTensor[float64](h))
	case reflect.TypeFor[ragged.Tensor[float32]]():
		return reflect.ValueOf(hostileTensor[float32](h))
	case reflect.TypeFor[ragged.Tensor[string]]():
		return reflect.ValueOf(hostileTensor[string](h))
	case reflect.TypeFor[ragged.Tensor[bool]]():
		return reflect.ValueOf(hostileTensor[bool](h))
	case reflect.TypeFor[ragged.Partition]():
		return reflect.ValueOf(h.partition(h.IntN(4), h.IntN(2) == 0))
	case reflect.TypeFor[ragged.Key]():
		k := []ragged.Key{ragged.At(h.int()), ragged.Slice(h.int(), h.int()), ragged.SliceAll(), ragged.SliceFrom(h.int()), ragged.SliceTo(h.int()), ragged.NewAxis(), ragged.Ellipsis(), {}}[h.IntN(8)]
		if h.IntN(4) == 0 {
			k = ragged.Slice(h.int(), h.int()).By(h.int())
		}
		return reflect.ValueOf(k)
	case reflect.TypeFor[shape.Shape]():
		if h.IntN(2) == 0 {
			if s, err := shape.FromLengths(h.value(reflect.TypeFor[[]shape.Dim]()).Interface().([]shape.Dim)...); err == nil {
				return reflect.ValueOf(s)
			}
		}
		return reflect.ValueOf(shape.Of(hostileTensor[int64](h)))
	case reflect.TypeFor[shape.Dim]():
		if h.IntN(2) == 0 {
			return reflect.ValueOf(shape.Uniform(h.int()))
		}
		return reflect.ValueOf(shape.Ragged(h.value(reflect.TypeFor[[]int]()).Interface().([]int)...))
	case reflect.TypeFor[num.Axes]():
		a := num.Over(h.value(reflect.TypeFor[[]int]()).Interface().([]int)...)
		if h.IntN(4) == 0 {
			a = num.OverAll()
		}
		if h.IntN(2) == 0 {
			a = a.Keep()
		}
		return reflect.ValueOf(a)
	case reflect.TypeFor[array.Feature]():
		if h.IntN(2) == 0 {
			return reflect.ValueOf(array.Ints(hostileTensor[int64](h)))
		}
		return reflect.ValueOf(array.Strings(hostileTensor[string](h)))
	case reflect.TypeFor[layout.Shape]():
		return reflect.ValueOf(h.layoutShape())
	case reflect.TypeFor[layout.Layout]():
		if h.IntN(2) == 0 {
			return reflect.ValueOf(h.layoutShape().Layout())
		}
	case reflect.TypeFor[error]():
		return reflect.Zero(typ)
	}
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.Bool:
		v.SetBool(h.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(h.int()))
		if typ.Kind() == reflect.Int8 && h.IntN(3) == 0 {
			v.SetInt(math.MinInt8)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(h.int()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, 2, -1, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e300, 1e-300}[h.IntN(11)])
	case reflect.String:
		v.SetString([]string{"", "a", "ab c", "\xff", "é🙂", "\xd8\x00", ".*", "(", "\\1", "12", "1e999", "====", " "}[h.IntN(13)])
	case reflect.Slice:
		if n := h.IntN(5); n > 0 {
			v.Set(reflect.MakeSlice(typ, n-1, n-1))
			for i := range n - 1 {
				v.Index(i).Set(h.value(typ.Elem()))
			}
			if typ == reflect.TypeFor[[]int64]() && h.IntN(2) == 0 { // often a partition
				slices.Sort(v.Interface().([]int64))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(h.value(typ.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				f.Set(h.value(f.Type()))
			}
		}
	case reflect.Pointer:
		if h.IntN(3) > 0 {
			v.Set(reflect.New(typ.Elem()))
			v.Elem().Set(h.value(typ.Elem()))
		}
	case reflect.Interface:
		if typ.NumMethod() == 0 {
			all := []any{nil, int64(1), []int64{}, [][]int64{{1}, {}}, [][][]int64{{{1, 2}}, {}}, []any{int64(1), []any{}}, []any{[]int64{1}, nil}, "a", [][]string{{"a"}}, [2][3]int64{}}
			if x := all[h.IntN(len(all))]; x != nil {
				v.Set(reflect.ValueOf(x))
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
			out := make([]reflect.Value, typ.NumOut())
			for i := range out {
				if out[i] = h.value(typ.Out(i)); typ.Out(i) == reflect.TypeFor[[]byte]() {
					out[i] = in[0]
				}
			}
			return out
		}))
	default:
		panic("no value of type " + typ.String())
	}
	return v
}

// layoutShape makes a shape: of few elements, of too many elements to visit, or not of an array.
func (h *hostile) layoutShape() layout.Shape {
	texts := []string{"f32[2,3]{0,1}", "u8[3,5]{0,1:T(2,2)}", "s4[5]{0:T(2)}", "f32[]", "pred[0]", "(f32[2],(pred[],s64[3]))", "()", "token[]", "opaque[]", "f32[<=3,2]", "f32[?]",
		"s8[9223372036854775807]", "s64[3037000500,3037000500]", "bf16[2,2]{1,0:T(8,128)(2,1)}", "c128[4294967296,0]", "u1[65536,65536,65536,65536]"}
	if h.IntN(3) > 0 {
		if s, err := layout.Parse(texts[h.IntN(len(texts))]); err == nil {
			return s
		}
	}
	s, err := layout.New(layout.S64, h.value(reflect.TypeFor[[]int64]()).Interface().([]int64)...)
	if err != nil {
		return layout.Shape{}
	}
	return s
}

// partition makes a row partition of some rows.
func (h *hostile) partition(rows int, uniform bool) ragged.Partition {
	if uniform {
		p, err := ragged.Uniform(int64(h.IntN(4)), int64(rows))
		if err != nil {
			panic(err)
		}
		return p
	}
	lengths := make([]int64, rows)
	for i := range lengths {
		lengths[i] = int64(h.IntN(4))
	}
	p, err := ragged.FromRowLengths(lengths)
	if err != nil {
		panic(err)
	}
	return p
}

// hostileTensor makes a tensor of ragged rank 0 to 4 with few values, or the zero Tensor.
func hostileTensor[T any](h *hostile) ragged.Tensor[T] {
	if h.IntN(20) == 0 {
		return ragged.Tensor[T]{}
	}
	rank := h.IntN(3)
	if h.IntN(4) == 0 {
		rank = h.IntN(5)
	}
	var parts []ragged.Partition
	n := h.IntN(4)
	for range rank {
		p := h.partition(n, h.IntN(3) == 0)
		parts, n = append(parts, p), p.NumValues()
	}
	var inner []int
	cell := 1
	for range h.IntN(3) {
		inner = append(inner, h.IntN(4))
		cell *= inner[len(inner)-1]
	}
	if rank == 0 {
		sizes := inner
		if h.IntN(4) > 0 {
			sizes, cell = append([]int{n}, inner...), n*cell
		}
		t, err := ragged.Dense(hostileValues[T](h, cell), sizes...)
		if err != nil {
			panic(err)
		}
		return t
	}
	t, err := ragged.New(hostileValues[T](h, n*cell), inner, parts...)
	if err != nil {
		t, err = ragged.Dense(hostileValues[T](h, 0), 0) // New cannot count items without values if there are no rows
	}
	if err != nil {
		panic(err)
	}
	return t
}

func hostileValues[T any](h *hostile, n int) []T {
	out := make([]T, n)
	for i := range out {
		reflect.ValueOf(&out[i]).Elem().Set(h.value(reflect.TypeFor[T]()))
	}
	return out
}
