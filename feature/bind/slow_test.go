package bind_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/bind"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/ragged"
)

// This file converts a struct, and the columns of its record, to the same simple form: nested lists of int64,
// uint32 (the bits of a float32) and string for each feature.

// A key is the name of a feature and its group.
type key struct {
	group feature.Group
	name  string
}

// structLists returns the lists of a struct.
func structLists(v reflect.Value, g feature.Group, out map[key]any) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		tag, tagged := sf.Tag.Lookup("tfparse")
		switch {
		case tag == "-":
		case !tagged:
			structLists(v.Field(i), g, out)
		case tag == ",context":
			structLists(v.Field(i), feature.InContext, out)
		case tag == ",sequence":
			structLists(v.Field(i), feature.InSequence, out)
		case tag == ",examples":
			empty := map[key]any{}
			structLists(reflect.Zero(sf.Type.Elem()), feature.InExamples, empty)
			for k := range empty {
				out[k] = []any{}
			}
			for j := range v.Field(i).Len() {
				one := map[key]any{}
				structLists(v.Field(i).Index(j), feature.InExamples, one)
				for k, x := range one {
					out[k] = append(out[k].([]any), x)
				}
			}
		default:
			out[key{g, nameOf(tag)}] = lists(v.Field(i))
		}
	}
}

// nameOf returns the name in a tag.
func nameOf(tag string) string {
	if rest, quoted := strings.CutPrefix(tag, "'"); quoted {
		name, _, _ := strings.Cut(rest, "'")
		return strings.ReplaceAll(name, `\xff`, "\xff")
	}
	name, _, _ := strings.Cut(tag, ",")
	return name
}

// lists returns the lists of a field.
func lists(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return []any{}
		}
		return []any{lists(v.Elem())}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return string(v.Bytes())
		}
		fallthrough
	case reflect.Array:
		l := []any{}
		for i := range v.Len() {
			l = append(l, lists(v.Index(i)))
		}
		return l
	case reflect.String:
		return v.String()
	case reflect.Bool:
		if v.Bool() {
			return int64(1)
		}
		return int64(0)
	case reflect.Float32:
		f := reflect.New(v.Type()).Elem()
		f.Set(v)
		return math.Float32bits(*f.Addr().Convert(reflect.TypeFor[*float32]()).Interface().(*float32))
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return math.Float32bits(float32(math.NaN()))
		}
		return math.Float32bits(float32(v.Float()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	}
	return int64(v.Uint())
}

// columnLists returns the lists of the columns of a single record.
func columnLists(cs feature.Columns) map[key]any {
	out := map[key]any{}
	for name, c := range cs.All() {
		var l any
		switch c.DType() {
		case feature.Int64:
			t, _ := feature.TensorOf[int64](c.Ragged())
			l = nested(t, func(x int64) any { return x })
		case feature.Float32:
			t, _ := feature.TensorOf[float32](c.Ragged())
			l = nested(t, func(x float32) any { return math.Float32bits(x) })
		case feature.String:
			t, _ := feature.TensorOf[string](c.Ragged())
			l = nested(t, func(x string) any { return x })
		}
		out[key{c.Group(), name}] = l
	}
	return out
}

func nested[T any](t ragged.Tensor[T], value func(T) any) any {
	if t.Rank() == 0 {
		return value(t.Values()[0])
	}
	l := []any{}
	for i := range t.Len() {
		l = append(l, nested(t.Row(i), value))
	}
	return l
}

// types finds the Go type of the elements of every feature.
func types(t reflect.Type, g feature.Group, out map[key]reflect.Type) {
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, tagged := sf.Tag.Lookup("tfparse")
		switch {
		case tag == "-":
		case !tagged:
			types(sf.Type, g, out)
		case tag == ",context":
			types(sf.Type, feature.InContext, out)
		case tag == ",sequence":
			types(sf.Type, feature.InSequence, out)
		case tag == ",examples":
			types(sf.Type.Elem(), feature.InExamples, out)
		default:
			out[key{g, nameOf(tag)}] = sf.Type
		}
	}
}

// expect converts the lists of the columns to those that a struct of the type must have. It returns the error that
// the values must cause, if any.
func expect(columns map[key]any, t reflect.Type) error {
	fields := map[key]reflect.Type{}
	types(t, feature.InFeatures, fields)
	for k, l := range columns {
		field := fields[k]
		if field.Kind() == reflect.Pointer {
			units := []any{l}
			if k.group == feature.InExamples {
				units = l.([]any)
			}
			for _, u := range units {
				if len(u.([]any)) > 1 {
					return feature.ErrCount
				}
			}
		}
		elem := field
		for elem.Kind() == reflect.Pointer || elem.Kind() == reflect.Array || elem.Kind() == reflect.Slice && elem.Elem().Kind() != reflect.Uint8 {
			elem = elem.Elem()
		}
		fits := true
		columns[k] = each(l, func(x any) any {
			switch x := x.(type) {
			case int64:
				fits = fits && holds(elem, x)
			case uint32:
				if f := math.Float32frombits(x); f != f && elem.Kind() == reflect.Float64 {
					return math.Float32bits(float32(math.NaN()))
				}
			}
			return x
		})
		if !fits {
			return bind.ErrRange
		}
	}
	return nil
}

func each(l any, f func(any) any) any {
	if l, ok := l.([]any); ok {
		out := []any{}
		for _, x := range l {
			out = append(out, each(x, f))
		}
		return out
	}
	return f(l)
}

// holds reports whether a Go type can represent a value, by setting it.
func holds(t reflect.Type, x int64) bool {
	v := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.Bool:
		return x == 0 || x == 1
	case v.CanInt():
		v.SetInt(x)
		return v.Int() == x
	}
	v.SetUint(uint64(x))
	return x >= 0 && v.Uint() == uint64(x)
}

// checkDecode compares decoding into a new struct and into v, which may have any content, with the parser. It
// returns the error of decoding.
func checkDecode(t *testing.T, codec bind.Untyped, typ reflect.Type, record []byte, v reflect.Value) error {
	t.Helper()
	row, want := codec.Parser().ParseSingle(record)
	parsed := want == nil
	var columns map[key]any
	if parsed {
		columns = columnLists(row)
		want = expect(columns, typ)
	}
	fresh := reflect.New(typ)
	before := fmt.Sprintf("%#v", v.Elem())
	for _, into := range []reflect.Value{fresh, v} {
		lent := append([]byte(nil), record...)
		err := codec.Decode(lent, into)
		for i := range lent {
			lent[i] = 0xAA
		}
		switch {
		case (err == nil) != (want == nil):
			t.Fatalf("%v\nrecord %x\ndecoding: %v\nparsing: %v", typ, record, err, want)
		case err != nil && !parsed:
			inner := err
			if e, ok := errors.AsType[*bind.Error](err); ok {
				inner = e.Err
			}
			e, ok := inner.(*feature.Error)
			if !ok || e.Error() != want.Error() {
				t.Fatalf("%v\nrecord %x\ndecoding: %v\nparsing: %v", typ, record, err, want)
			}
			if _, located := errors.AsType[*bind.Error](err); located == e.Whole {
				t.Fatalf("%v\nrecord %x\n%v: has a field: %t, is about the whole record: %t", typ, record, err, located, e.Whole)
			}
		case err != nil:
			if e, ok := errors.AsType[*bind.Error](err); !ok || e.Field == "" || !errors.Is(err, want) && !errors.Is(err, bind.ErrRange) && !errors.Is(err, feature.ErrCount) {
				t.Fatalf("%v\nrecord %x\ndecoding: %v\nwant: %v", typ, record, err, want)
			}
		default:
			got := map[key]any{}
			structLists(into.Elem(), feature.InFeatures, got)
			if !reflect.DeepEqual(got, columns) {
				t.Fatalf("%v\nrecord %x\ndecoded: %v\nparsed: %v", typ, record, got, columns)
			}
		}
	}
	if want != nil {
		if after := fmt.Sprintf("%#v", v.Elem()); after != before {
			t.Fatalf("%v\nrecord %x does not fit, and changed %s to %s", typ, record, before, after)
		}
	}
	return want
}

// mutate changes the content of a record: features are removed, or get other kinds, more or fewer values, or larger
// ones.
func (g *gen) mutate(tb testing.TB, m example.MessageType, record []byte) []byte {
	out, err := func() ([]byte, error) {
		switch m {
		case example.TypeSequence:
			var s example.Sequence
			if err := s.UnmarshalBinary(record); err != nil {
				return nil, err
			}
			g.mutateMap(s.Context)
			for name := range sorted(s.Lists) {
				switch l := s.Lists[name]; {
				case g.OneIn(8):
					delete(s.Lists, name)
				case len(l) > 0 && g.OneIn(3):
					i := g.N(len(l))
					l[i] = g.mutateValue(l[i])
				case g.OneIn(8):
					s.Lists[name] = append(l, example.Int64s(1))
				}
			}
			return s.MarshalBinary()
		case example.TypeExampleList:
			var l example.ExampleList
			if err := l.UnmarshalBinary(record); err != nil {
				return nil, err
			}
			for _, e := range l.Examples {
				g.mutateMap(e)
			}
			g.mutateMap(l.Context)
			return l.MarshalBinary()
		}
		var e example.Example
		if err := e.UnmarshalBinary(record); err != nil {
			return nil, err
		}
		g.mutateMap(e)
		return e.MarshalBinary()
	}()
	if err != nil {
		tb.Fatalf("%x: %v", record, err)
	}
	return out
}

func (g *gen) mutateMap(m example.Example) {
	for name := range sorted(m) {
		switch {
		case g.OneIn(12):
			delete(m, name)
		case g.OneIn(4):
			m[name] = g.mutateValue(m[name])
		}
	}
}

func (g *gen) mutateValue(v example.Value) example.Value {
	switch g.N(12) {
	case 0:
		return example.Value{}
	case 1:
		return random.Pick(g.Gen, example.Int64s(), example.Floats(), example.Strings())
	case 2:
		return random.Pick(g.Gen, example.Int64s(1), example.Floats(1), example.Strings("1"))
	}
	switch v.Kind() {
	case example.Int64List:
		if n := len(v.Int64s); n > 0 && g.OneIn(2) {
			v.Int64s[g.N(n)] = random.Pick[int64](g.Gen, 0, 1, 2, -1, 128, -129, 255, 1<<15, 1<<16, 1<<31, 1<<32, math.MaxInt64, math.MinInt64)
			return v
		}
		v.Int64s = append(v.Int64s, random.Pick[int64](g.Gen, 0, 1, 2, 3))
	case example.FloatList:
		v.Floats = append(v.Floats, random.Pick(g.Gen, 0, math.Float32frombits(0xFF812345)))
	case example.BytesList:
		v.Bytes = append(v.Bytes, []byte("more"))
	}
	return v
}
