package scan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/internal/wire"
)

// specFile is the StructuredValue in a Snapshot that describes an element.
const specFile = "dataset_spec.pb"

// readNames sets the names of the components from the description of an element, if it has one name for each.
func (s *Snapshot) readNames() {
	b, err := storage.ReadFile(storage.Join(s.Dir, specFile))
	if err != nil {
		return
	}
	names, ok := appendComponents(nil, "", b, 0)
	different := slices.Compact(slices.Sorted(slices.Values(names)))
	if ok && len(names) == len(s.DTypes) && len(different) == len(names) {
		s.Names = names
	}
}

// Component returns the name of a component of an element; its index if the name is unknown.
func (s *Snapshot) Component(i int) string {
	if s.Names == nil || s.Names[i] == "" {
		return strconv.Itoa(i)
	}
	return s.Names[i]
}

// Fields of a StructuredValue that hold others.
const (
	listField  = 51 // ListValue: field 1 has the values
	tupleField = 52 // TupleValue: the same
	dictField  = 53 // DictValue: field 1 has pairs of keys and values
	namedField = 54 // NamedTupleValue: field 2 has the pairs
)

// appendComponents appends the names of the components in a StructuredValue of the given name, in the order of tf.nest: dicts are
// sorted by key. ok is false if it does not decode.
func appendComponents(names []string, name string, b []byte, depth int) (all []string, ok bool) {
	const maxDepth = 64
	f, next := wire.Next(b, 0)
	if len(b) == 0 || next != len(b) || f.Type != wire.TypeBytes || depth > maxDepth {
		return names, false
	}
	if f.Num < listField || f.Num > namedField { // TensorSpecProto or TypeSpecProto
		return append(names, name), true
	}
	type child struct {
		name  string
		value []byte
	}
	var children []child
	kind, b := f.Num, b[f.Lo:f.Hi]
	for i := 0; i < len(b); i = next {
		if f, next = wire.Next(b, i); next < 0 {
			return names, false
		}
		one := child{strconv.Itoa(len(children)), b[f.Lo:f.Hi]}
		switch {
		case f.Type != wire.TypeBytes || f.Num == 1 && kind == namedField:
			continue
		case kind == dictField || kind == namedField:
			key, at := wire.Next(one.value, 0)
			if at < 0 || key.Num != 1 || key.Type != wire.TypeBytes {
				return names, false
			}
			value, end := wire.Next(one.value, at)
			if end != len(one.value) || value.Num != 2 || value.Type != wire.TypeBytes {
				return names, false
			}
			one = child{string(one.value[key.Lo:key.Hi]), one.value[value.Lo:value.Hi]}
		}
		children = append(children, one)
	}
	if kind == dictField {
		slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	}
	for _, c := range children {
		if name != "" {
			c.name = name + "/" + c.name
		}
		if names, ok = appendComponents(names, c.name, c.value, depth+1); !ok {
			return names, false
		}
	}
	return names, true
}
