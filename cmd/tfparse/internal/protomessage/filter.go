package protomessage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/nearest"
)

// A Filter evaluates an expression about the fields of records. It is safe for concurrent use.
type Filter struct {
	typ    *Type                                // type of the records
	filter *expr.Filter                         // the expression
	paths  [][]protoreflect.FieldDescriptor     // fields from the record down to each name in the expression
	enums  []map[protoreflect.EnumNumber]string // for each path to an enum that the expression compares with strings: names of its values; else nil
	pool   sync.Pool                            // *[]expr.Values: buffers for the values of each path
}

// NewFilter returns a Filter for an expression. A name in it is a path of fields, such as summary.value.tag. If fields in the
// path are repeated, the values of all of them are one list.
func (t *Type) NewFilter(filter *expr.Filter) (*Filter, error) {
	names, lists := filter.Features()
	if len(lists) > 0 {
		return nil, fmt.Errorf("list(%s) is for feature lists; write the field alone", lists[0])
	}
	f := &Filter{typ: t, filter: filter}
	compared := filter.Texts()
	for _, name := range names {
		path, err := t.path(name)
		if err != nil {
			return nil, err
		}
		var values map[protoreflect.EnumNumber]string
		if texts, ok := compared[name]; ok && path[len(path)-1].Enum() != nil {
			if values, err = enumNames(path[len(path)-1].Enum(), texts); err != nil {
				return nil, err
			}
		}
		f.paths, f.enums = append(f.paths, path), append(f.enums, values)
	}
	f.pool.New = func() any { v := make([]expr.Values, len(names)); return &v }
	return f, nil
}

// enumNames returns the names of the values of an enum. A value with several names has the one in texts, which must be names.
func enumNames(enum protoreflect.EnumDescriptor, texts []string) (map[protoreflect.EnumNumber]string, error) {
	byNumber := map[protoreflect.EnumNumber]string{}
	values := enum.Values()
	var names []string
	for i := range values.Len() {
		v := values.Get(i)
		names = append(names, string(v.Name()))
		if _, ok := byNumber[v.Number()]; !ok {
			byNumber[v.Number()] = string(v.Name())
		}
	}
	chosen := map[protoreflect.EnumNumber]string{}
	for _, text := range texts {
		v := values.ByName(protoreflect.Name(text))
		if v == nil {
			return nil, fmt.Errorf("no value %q in %s%s", text, enum.FullName(), nearest.Question(text, names))
		}
		if other, ok := chosen[v.Number()]; ok && other != text {
			return nil, fmt.Errorf("%q and %q are the same value of %s; write one of them", other, text, enum.FullName())
		}
		chosen[v.Number()], byNumber[v.Number()] = text, text
	}
	return byNumber, nil
}

// path returns the fields of a path. Each name is that of the .proto file or that of JSON.
func (t *Type) path(name string) (path []protoreflect.FieldDescriptor, err error) {
	desc := t.desc
	for part := range strings.SplitSeq(name, ".") {
		if desc == nil {
			return nil, fmt.Errorf("%s: %s has no fields", name, path[len(path)-1].FullName())
		}
		fields := desc.Fields()
		fd := fields.ByName(protoreflect.Name(part))
		if fd == nil {
			fd = fields.ByJSONName(part)
		}
		if fd == nil {
			var names []string
			for i := range fields.Len() {
				names = append(names, string(fields.Get(i).Name()))
			}
			return nil, fmt.Errorf("no field %q in %s%s", part, desc.FullName(), nearest.Question(part, names))
		}
		if fd.IsMap() {
			return nil, fmt.Errorf("%s: %s is a map; expressions read no maps", name, fd.Name())
		}
		path, desc = append(path, fd), fd.Message()
	}
	if desc != nil {
		return nil, fmt.Errorf("%s is a message; name a field in it", name)
	}
	return path, nil
}

// Match reports whether the expression is true for a record.
func (f *Filter) Match(rec []byte) (bool, error) {
	m, _, err := f.typ.decode(rec)
	if err != nil {
		return false, err
	}
	values := f.pool.Get().(*[]expr.Values)
	defer f.pool.Put(values)
	for i, path := range f.paths {
		v := &(*values)[i]
		*v = expr.Values{Ints: v.Ints[:0], Floats: v.Floats[:0], Doubles: v.Doubles[:0], Bytes: v.Bytes[:0]}
		if err := appendValues(v, m, path, f.enums[i]); err != nil {
			return false, err
		}
	}
	return f.filter.MatchValues(*values)
}

// appendValues appends the values of the field at the end of path. enum has the names of its values; nil: the numbers count. A field that is not set has no value if it has presence;
// without presence it has the value 0, as in protobuf.
func appendValues(dst *expr.Values, m protoreflect.Message, path []protoreflect.FieldDescriptor, enum map[protoreflect.EnumNumber]string) error {
	fd := path[0]
	has := m.Has(fd)
	dst.Has = dst.Has || has && len(path) == 1
	switch {
	case !has && (fd.HasPresence() || fd.IsList()):
		return nil
	case fd.IsList():
		list := m.Get(fd).List()
		for i := range list.Len() {
			if err := appendValue(dst, list.Get(i), path, enum); err != nil {
				return err
			}
		}
		return nil
	}
	return appendValue(dst, m.Get(fd), path, enum)
}

// appendValue appends v, a value of the first field of path, or the values of the other fields in v.
func appendValue(dst *expr.Values, v protoreflect.Value, path []protoreflect.FieldDescriptor, enum map[protoreflect.EnumNumber]string) error {
	if len(path) > 1 {
		return appendValues(dst, v.Message(), path[1:], enum)
	}
	switch x := v.Interface().(type) {
	case bool:
		n := int64(0)
		if x {
			n = 1
		}
		dst.Ints = append(dst.Ints, n)
	case int32, int64:
		dst.Ints = append(dst.Ints, v.Int())
	case protoreflect.EnumNumber:
		if enum != nil {
			name, ok := enum[x]
			if !ok { // as in protobuf's JSON
				name = strconv.Itoa(int(x))
			}
			dst.Bytes = append(dst.Bytes, []byte(name))
			break
		}
		dst.Ints = append(dst.Ints, int64(x))
	case uint32, uint64:
		if v.Uint() > math.MaxInt64 {
			return fmt.Errorf("%s: %d is beyond int64", path[0].FullName(), v.Uint())
		}
		dst.Ints = append(dst.Ints, int64(v.Uint()))
	case float32:
		dst.Floats = append(dst.Floats, x)
	case float64:
		dst.Doubles = append(dst.Doubles, x)
	case string:
		dst.Bytes = append(dst.Bytes, []byte(x))
	case []byte:
		dst.Bytes = append(dst.Bytes, x)
	}
	return nil
}
