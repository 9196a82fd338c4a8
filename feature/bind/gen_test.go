package bind_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
)

// A gen makes random struct types, their values, and records.
type gen struct {
	*random.Gen
	keys int // number of keys made so far
}

func newGen(data []byte, seed uint64) *gen {
	return &gen{Gen: random.New(data, seed)}
}

// Named types of a user.
type (
	count    int16
	id       uint32
	readWord string
	blob     []byte
	grade    float32
	ratio    float64
	yes      bool
	grades   []float32
	words    []string
	rows     [][]int64
)

var elements = []reflect.Type{
	reflect.TypeFor[int64](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int32](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
	reflect.TypeFor[bool](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[count](), reflect.TypeFor[id](), reflect.TypeFor[readWord](), reflect.TypeFor[blob](), reflect.TypeFor[grade](), reflect.TypeFor[ratio](), reflect.TypeFor[yes](),
}

// structType makes a struct type for one of the three message types.
func (g *gen) structType() reflect.Type {
	part := func(name, tag string, t reflect.Type) reflect.StructField {
		return reflect.StructField{Name: name, Type: t, Tag: reflect.StructTag(`tfparse:",` + tag + `"`)}
	}
	switch g.N(5) {
	case 0:
		return reflect.StructOf([]reflect.StructField{
			part("Context", "context", g.fields(feature.InContext)),
			part("Lists", "sequence", g.fields(feature.InSequence)),
		})
	case 1:
		fields := []reflect.StructField{part("Documents", "examples", reflect.SliceOf(g.fields(feature.InExamples)))}
		if !g.OneIn(3) {
			fields = append(fields, part("Context", "context", g.fields(feature.InContext)))
		}
		return reflect.StructOf(fields)
	}
	return g.fields(feature.InFeatures)
}

// fields makes a struct type of features.
func (g *gen) fields(group feature.Group) reflect.Type {
	var fields []reflect.StructField
	for i := range 1 + g.N(4) {
		if g.OneIn(8) && group == feature.InFeatures {
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Inner%d", i), Type: g.fields(feature.InContext), Anonymous: true})
			continue
		}
		t, options := g.fieldType(group)
		tag := append([]string{g.key()}, options...)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(`tfparse:"` + strings.Join(tag, ",") + `"`)})
	}
	if g.OneIn(4) {
		fields = append(fields, reflect.StructField{Name: "Rest", Type: reflect.TypeFor[any](), Tag: `tfparse:"-"`})
	}
	return reflect.StructOf(fields)
}

// key makes an unused key. Some keys need quotes.
func (g *gen) key() string {
	g.keys++
	return fmt.Sprintf(random.Pick(g.Gen, "k%d", "a%d", "é%d", `'\\xff,%d'`), g.keys)
}

// fieldType makes a type and the options that it needs.
func (g *gen) fieldType(group feature.Group) (t reflect.Type, options []string) {
	elem := random.Pick(g.Gen, elements...)
	arrays := func(t reflect.Type, least, most int) reflect.Type {
		for range least + g.N(most-least+1) {
			t = reflect.ArrayOf(1+g.N(3), t)
		}
		return t
	}
	if group != feature.InSequence {
		switch g.N(6) {
		case 0:
			return elem, g.fallback(elem)
		case 1:
			return arrays(elem, 1, 2), g.fallback(elem)
		case 2:
			return reflect.PointerTo(arrays(elem, 0, 1)), nil
		case 3:
			switch g.N(3) {
			case 0:
				return reflect.TypeFor[grades](), nil
			case 1:
				return reflect.TypeFor[words](), nil
			}
			return reflect.TypeFor[rows](), []string{g.partition()}
		}
	}
	t = arrays(elem, 0, 1)
	depth := 1 + g.N(4)
	for i := range depth {
		t = reflect.SliceOf(t)
		last := 1 // the record divides the outermost slice; in sequence the steps divide the next one
		if group == feature.InSequence {
			last = 2
		}
		if i < depth-last {
			options = append([]string{g.partition()}, options...)
			if g.OneIn(4) {
				t = reflect.ArrayOf(1+g.N(2), t)
			}
		}
	}
	if depth == 1 && group == feature.InSequence && g.OneIn(2) {
		options = append(options, "allow_missing")
	}
	if isFloat64(elem) && g.OneIn(3) {
		options = append(options, "round")
	}
	return t, options
}

func isFloat64(t reflect.Type) bool { return t.Kind() == reflect.Float64 }

// fallback makes the option of a default at random.
func (g *gen) fallback(elem reflect.Type) []string {
	if !g.OneIn(3) {
		return nil
	}
	switch elem.Kind() {
	case reflect.Bool:
		return []string{"default=" + random.Pick(g.Gen, "true", "false")}
	case reflect.Float32, reflect.Float64:
		return []string{"default=" + random.Pick(g.Gen, "0", "-1.5", "NaN", "+Inf", "3e20")}
	case reflect.String, reflect.Slice:
		return []string{"default=" + random.Pick(g.Gen, "''", "none", "'a,b'")}
	}
	return []string{"default=" + random.Pick(g.Gen, "0", "7", "100")}
}

func (g *gen) partition() string {
	if g.OneIn(5) {
		return fmt.Sprintf("uniform_row_length=%d", 1+g.N(3))
	}
	return random.Pick(g.Gen, "row_splits", "row_lengths", "row_starts", "row_limits", "value_row_ids") + "=" + g.key()
}

// fill sets every feature of a struct. Fields with uniform lengths or row ids get rows that these can represent.
func (g *gen) fill(v reflect.Value) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		tag, tagged := sf.Tag.Lookup("tfparse")
		f := v.Field(i)
		switch {
		case tag == "-":
		case !tagged || tag == ",context" || tag == ",sequence":
			g.fill(f)
		case tag == ",examples":
			f.Set(reflect.MakeSlice(f.Type(), g.N(4), 5))
			for i := range f.Len() {
				g.fill(f.Index(i))
			}
		default:
			// What divides each slice: the record, then in sequence the steps, then the tag.
			options := strings.Split(tag, ",")[1:]
			cuts := []string{}
			for _, o := range options {
				if strings.HasPrefix(o, "row_") || strings.HasPrefix(o, "value_row_ids") || strings.HasPrefix(o, "uniform") {
					cuts = append(cuts, o)
				}
			}
			g.value(f, cuts, slicesIn(sf.Type))
		}
	}
}

// slicesIn counts the nested slices of a type.
func slicesIn(t reflect.Type) int {
	switch {
	case t.Kind() == reflect.Array:
		return slicesIn(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return 1 + slicesIn(t.Elem())
	}
	return 0
}

// value sets v. The last element of cuts is for the innermost slice.
func (g *gen) value(v reflect.Value, cuts []string, depth int) {
	switch k := v.Kind(); {
	case k == reflect.Pointer:
		if g.OneIn(3) {
			v.SetZero()
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		g.value(v.Elem(), nil, 0)
	case k == reflect.Array:
		for i := range v.Len() {
			g.value(v.Index(i), cuts, depth)
		}
	case k == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		n := random.Pick(g.Gen, 0, 1, 1, 2, 3, 5)
		if depth <= len(cuts) {
			cut := cuts[len(cuts)-depth]
			switch {
			case strings.HasPrefix(cut, "uniform"):
				fmt.Sscanf(cut, "uniform_row_length=%d", &n)
			case strings.HasPrefix(cut, "value_row_ids"):
				n = max(n, 1)
			}
		}
		if n == 0 && g.OneIn(2) {
			v.SetZero()
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n+g.N(3)))
		for i := range n {
			g.value(v.Index(i), cuts, depth-1)
		}
	default:
		g.element(v)
	}
}

// element sets v to a value that a record can hold.
func (g *gen) element(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(g.OneIn(2))
	case reflect.Float32:
		f := random.Pick(g.Gen, 0, 1.5, float32(math.NaN()), float32(math.Inf(-1)), math.Float32frombits(0xFF812345), float32(math.Copysign(0, -1)))
		*v.Addr().Convert(reflect.TypeFor[*float32]()).Interface().(*float32) = f
	case reflect.Float64:
		v.SetFloat(random.Pick(g.Gen, 0, 0.5, math.NaN(), math.Inf(1), math.MaxFloat32, math.Copysign(0, -1), math.SmallestNonzeroFloat32))
	case reflect.String:
		v.SetString(random.Pick(g.Gen, "", "a", "é", "\xff\x00", "a longer string that is not short"))
	case reflect.Slice:
		v.SetBytes([]byte(random.Pick(g.Gen, "", "a", "é", "\xff\x00", "a longer string that is not short")))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		most := uint64(math.MaxUint64) >> max(64-v.Type().Bits(), 1)
		v.SetUint(random.Pick(g.Gen, 0, 1, 2, 127, most))
	default:
		most := int64(math.MaxInt64) >> (64 - v.Type().Bits())
		v.SetInt(random.Pick(g.Gen, 0, 1, 2, -1, 127, most, -most-1))
	}
}
