package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// A leaf is a tensor among the arguments of a function.
type leaf struct {
	spec  TensorSpec // without components
	count int        // of components; negative if unknown
}

// A nest reads nested arguments from a StructuredValue, as leaves in the order of tf.nest.flatten.
type nest struct {
	leaves []leaf
	lost   string // reason why the structure of later arguments is unknown; empty if it is known
}

func (n *nest) add(path []string, l leaf) {
	l.spec.Path = slices.Clone(path)
	n.leaves = append(n.leaves, l)
}

// value reads a StructuredValue.
func (n *nest) value(m message, path []string) error {
	if len(path) > maxDepth {
		return m.error(ErrLimit, "more than 64 levels of nesting")
	}
	return m.each(func(v value) error {
		if v.num < 31 || v.num == 31 || v.num == 32 || v.num > 54 {
			return nil // None, numbers, strings, shapes, dtypes, arrays are not fed
		}
		if n.lost != "" {
			return nil
		}
		body, err := v.bytes()
		if err != nil {
			return err
		}
		if err := m.src.element(m.at, m.path); err != nil {
			return err
		}
		switch v.num {
		case 33, 35: // TensorSpecProto, BoundedTensorSpecProto
			l := leaf{count: 1}
			if l.spec, err = body.tensorSpec(); err == nil {
				n.add(path, l)
			}
			return err
		case 34:
			l, err := body.typeSpec()
			switch {
			case err != nil:
			case l.count < 0:
				n.lost = l.spec.Unknown
			default:
				n.add(path, l)
			}
			return err
		case 51, 52: // list, tuple
			i := 0
			return body.messages(1, func(member message) error {
				i++
				return n.member(member, path, strconv.Itoa(i-1))
			})
		case 53:
			return n.dict(body, path)
		case 54:
			return body.messages(2, func(pair message) error {
				key, body, err := pair.entry()
				if err != nil {
					return err
				}
				return n.value(body, append(path, key))
			})
		}
		return nil
	})
}

func (n *nest) member(body message, path []string, name string) error {
	if err := body.src.element(body.at, body.path); err != nil {
		return err
	}
	return n.value(body, append(path, name))
}

// dict reads a DictValue: tf.nest sorts its keys.
func (n *nest) dict(m message, path []string) error {
	type item struct {
		key  string
		body message
	}
	var items []item
	err := m.messages(1, func(entry message) error {
		if err := m.src.element(m.at, m.path); err != nil {
			return err
		}
		key, body, err := entry.entry()
		items = append(items, item{key, body})
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.key, b.key) })
	for i, it := range items {
		if i > 0 && it.key == items[i-1].key {
			return m.error(ErrMessage, fmt.Sprintf("key %q occurs twice", it.key))
		}
		if err := n.value(it.body, append(path, it.key)); err != nil {
			return err
		}
	}
	return nil
}

// list returns the members of a list or a tuple, or the entries of a dict.
func (m message) list() (members []message, err error) {
	err = m.each(func(v value) error {
		if v.num != 51 && v.num != 52 && v.num != 53 {
			return nil
		}
		body, err := v.bytes()
		if err != nil {
			return err
		}
		return body.messages(1, func(member message) error {
			members = append(members, member)
			return m.src.element(m.at, m.path)
		})
	})
	return members, err
}

// tensorSpec reads a TensorSpecProto or a BoundedTensorSpecProto, which begin alike.
func (m message) tensorSpec() (t TensorSpec, err error) {
	t.Shape = Shape{}
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 2:
			var m message
			if m, err = v.bytes(); err == nil {
				t.Shape, err = m.shape()
			}
		case 3:
			t.DType, err = v.dtype()
		}
		return err
	})
	return t, err
}

// The classes of TypeSpecProto that are read here.
const (
	sparseClass = 1
	raggedClass = 3
)

// typeSpec reads a TypeSpecProto. Of an unsupported class it returns an unknown leaf, whose count is
// negative if the message does not have it.
func (m message) typeSpec() (l leaf, err error) {
	var class, flat uint64
	var name string
	var state []message
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 1:
			class, err = v.varint()
		case 2:
			var m message
			if m, err = v.bytes(); err == nil {
				state, err = m.list()
			}
		case 3:
			name, err = v.text()
		case 4:
			flat, err = v.varint()
		}
		return err
	})
	if err != nil {
		return l, err
	}
	t := &l.spec
	switch class {
	case raggedClass:
		var rank int64
		if len(state) < 4 {
			return l, m.error(ErrMessage, fmt.Sprintf("a RaggedTensorSpec with %d members, want 4", len(state)))
		}
		for i, dtype := range [4]*DType{1: &t.DType, 3: &t.SplitsDType} {
			if err := state[i].each(func(v value) error { return v.state(&t.Shape, dtype, &rank) }); err != nil {
				return l, err
			}
		}
		if len(state) > 4 {
			none := false
			if err := state[4].each(func(v value) error { none = v.num == 1; return nil }); err != nil {
				return l, err
			}
			if !none {
				return unknown("a RaggedTensorSpec whose flat values are a composite tensor", flat), nil
			}
		}
		switch {
		case rank < 0 || rank > maxDepth || t.Shape != nil && rank > 0 && rank >= int64(len(t.Shape)):
			return l, m.error(ErrMessage, fmt.Sprintf("a RaggedTensorSpec of shape %v with ragged rank %d", t.Shape, rank))
		case rank == 0:
			t.SplitsDType = Invalid
		default:
			t.Form, t.RaggedRank = feature.RaggedForm, int(rank)
		}
		l.count = 1 + int(rank)
	case sparseClass:
		if len(state) < 2 {
			return l, m.error(ErrMessage, fmt.Sprintf("a SparseTensorSpec with %d members, want 2", len(state)))
		}
		for _, member := range state[:2] {
			if err := member.each(func(v value) error { return v.state(&t.Shape, &t.DType, nil) }); err != nil {
				return l, err
			}
		}
		t.Form = feature.SparseForm
		l.count = 3
	default:
		if name == "" {
			name = fmt.Sprint(class)
		}
		return unknown("of type "+name+", not a dense, ragged or sparse tensor", flat), nil
	}
	return l, nil
}

// unknown returns a leaf of an unsupported class, with the number of components in the message, 0 if
// the message does not have it.
func unknown(class string, components uint64) leaf {
	l := leaf{spec: TensorSpec{Unknown: "it is " + class}, count: -1}
	if components > 0 && components <= maxElements {
		l.count = int(components)
	}
	return l
}

// state reads a member of a type_state: a shape, a dtype or a number.
func (v value) state(shape *Shape, dtype *DType, n *int64) (err error) {
	switch {
	case v.num == 31:
		var m message
		if m, err = v.bytes(); err == nil {
			*shape, err = m.shape()
		}
	case v.num == 32 && dtype != nil:
		*dtype, err = v.dtype()
	case v.num == 12 && n != nil:
		var u uint64
		u, err = v.varint()
		*n = int64(u>>1) ^ -int64(u&1) // sint64
	}
	return err
}
