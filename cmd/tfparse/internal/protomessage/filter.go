package protomessage

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/nearest"
)

// A Filter evaluates an expression about the fields of records. It is safe for concurrent use.
type Filter struct {
	typ    *Type                            // type of the records
	filter *expr.Filter                     // the expression
	paths  [][]protoreflect.FieldDescriptor // fields from the record down to each name in the expression
	pool   sync.Pool                        // *[]expr.Values: buffers for the values of each path
}

// NewFilter returns a Filter for an expression. A name in it is a path of fields, such as summary.value.tag. If fields in the
// path are repeated, the values of all of them are one list.
func (t *Type) NewFilter(filter *expr.Filter) (*Filter, error) {
	names, lists := filter.Features()
	if len(lists) > 0 {
		return nil, fmt.Errorf("list(%s) is for feature lists; write the field alone", lists[0])
	}
	f := &Filter{typ: t, filter: filter}
	for _, name := range names {
		path, err := t.path(name)
		if err != nil {
			return nil, err
		}
		f.paths = append(f.paths, path)
	}
	f.pool.New = func() any { v := make([]expr.Values, len(names)); return &v }
	return f, nil
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
		if err := appendValues(v, m, path); err != nil {
			return false, err
		}
	}
	return f.filter.MatchValues(*values)
}

// appendValues appends the values of the field at the end of path. A field that is not set has no value if it has presence;
// without presence it has the value 0, as in protobuf.
func appendValues(dst *expr.Values, m protoreflect.Message, path []protoreflect.FieldDescriptor) error {
	fd := path[0]
	has := m.Has(fd)
	dst.Has = dst.Has || has && len(path) == 1
	switch {
	case !has && (fd.HasPresence() || fd.IsList()):
		return nil
	case fd.IsList():
		list := m.Get(fd).List()
		for i := range list.Len() {
			if err := appendValue(dst, list.Get(i), path); err != nil {
				return err
			}
		}
		return nil
	}
	return appendValue(dst, m.Get(fd), path)
}

// appendValue appends v, a value of the first field of path, or the values of the other fields in v.
func appendValue(dst *expr.Values, v protoreflect.Value, path []protoreflect.FieldDescriptor) error {
	if len(path) > 1 {
		return appendValues(dst, v.Message(), path[1:])
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
