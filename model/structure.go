package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// A leaf is one tensor in the nested arguments of a function.
type leaf struct {
	tensor     TensorSpec // Components are not set
	components int        // number of components; negative if unknown
}

// A nestedArguments reads nested arguments from a StructuredValue, as leaves in the order of tf.nest.flatten.
type nestedArguments struct {
	leaves        []leaf
	unknownReason string // reason why the structure of later arguments is unknown; empty if it is known
}

func (n *nestedArguments) addLeaf(path []string, l leaf) {
	l.tensor.Path = slices.Clone(path)
	n.leaves = append(n.leaves, l)
}

// readValue reads a StructuredValue.
func (n *nestedArguments) readValue(m message, path []string) error {
	if len(path) > maxDepth {
		return m.errorAt(ErrLimit, "more than 64 levels of nesting")
	}
	return m.eachField(func(v fieldValue) error {
		if v.num < 31 || v.num == 31 || v.num == 32 || v.num > 54 {
			return nil // None, numbers, strings, shapes, dtypes and arrays are not inputs
		}
		if n.unknownReason != "" {
			return nil
		}
		body, err := v.message()
		if err != nil {
			return err
		}
		if err := m.src.countElement(m.at, m.path); err != nil {
			return err
		}
		switch v.num {
		case 33, 35: // TensorSpecProto, BoundedTensorSpecProto
			l := leaf{components: 1}
			if l.tensor, err = body.readTensorSpec(); err == nil {
				n.addLeaf(path, l)
			}
			return err
		case 34:
			l, err := body.readTypeSpec()
			switch {
			case err != nil:
			case l.components < 0:
				n.unknownReason = l.tensor.Unknown
			default:
				n.addLeaf(path, l)
			}
			return err
		case 51, 52: // list, tuple
			i := 0
			return body.eachMessage(1, func(member message) error {
				i++
				return n.readMember(member, path, strconv.Itoa(i-1))
			})
		case 53:
			return n.readDict(body, path)
		case 54:
			return body.eachMessage(2, func(pair message) error {
				key, body, err := pair.readEntry()
				if err != nil {
					return err
				}
				return n.readValue(body, append(path, key))
			})
		}
		return nil
	})
}

func (n *nestedArguments) readMember(body message, path []string, name string) error {
	if err := body.src.countElement(body.at, body.path); err != nil {
		return err
	}
	return n.readValue(body, append(path, name))
}

// readDict reads a DictValue: tf.nest sorts its keys.
func (n *nestedArguments) readDict(m message, path []string) error {
	type item struct {
		key  string
		body message
	}
	var items []item
	err := m.eachMessage(1, func(entry message) error {
		if err := m.src.countElement(m.at, m.path); err != nil {
			return err
		}
		key, body, err := entry.readEntry()
		items = append(items, item{key, body})
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.key, b.key) })
	for i, it := range items {
		if i > 0 && it.key == items[i-1].key {
			return m.errorAt(ErrMessage, fmt.Sprintf("key %q occurs twice", it.key))
		}
		if err := n.readValue(it.body, append(path, it.key)); err != nil {
			return err
		}
	}
	return nil
}

// readMembers returns the members of a list or a tuple, or the entries of a dict.
func (m message) readMembers() (members []message, err error) {
	err = m.eachField(func(v fieldValue) error {
		if v.num != 51 && v.num != 52 && v.num != 53 {
			return nil
		}
		body, err := v.message()
		if err != nil {
			return err
		}
		return body.eachMessage(1, func(member message) error {
			members = append(members, member)
			return m.src.countElement(m.at, m.path)
		})
	})
	return members, err
}

// readTensorSpec reads a TensorSpecProto or a BoundedTensorSpecProto, whose first fields are the same.
func (m message) readTensorSpec() (t TensorSpec, err error) {
	t.Shape = tensor.Shape{}
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 2:
			var m message
			if m, err = v.message(); err == nil {
				t.Shape, err = m.readShape()
			}
		case 3:
			t.DType, err = v.readDType()
		}
		return err
	})
	return t, err
}

// The supported classes of TypeSpecProto.
const (
	sparseClass = 1
	raggedClass = 3
)

// readTypeSpec reads a TypeSpecProto. For an unsupported class it returns an unknownLeaf.
func (m message) readTypeSpec() (l leaf, err error) {
	var class, flat uint64
	var name string
	var state []message
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			class, err = v.number()
		case 2:
			var m message
			if m, err = v.message(); err == nil {
				state, err = m.readMembers()
			}
		case 3:
			name, err = v.readText()
		case 4:
			flat, err = v.number()
		}
		return err
	})
	if err != nil {
		return l, err
	}
	t := &l.tensor
	switch class {
	case raggedClass:
		var rank int64
		if len(state) < 4 {
			return l, m.errorAt(ErrMessage, fmt.Sprintf("a RaggedTensorSpec with %d members, want at least 4", len(state)))
		}
		for i, dtype := range [4]*tensor.DType{1: &t.DType, 3: &t.SplitsDType} {
			if err := state[i].eachField(func(v fieldValue) error { return v.readState(&t.Shape, dtype, &rank) }); err != nil {
				return l, err
			}
		}
		if len(state) > 4 {
			none := false
			if err := state[4].eachField(func(v fieldValue) error { none = v.num == 1; return nil }); err != nil {
				return l, err
			}
			if !none {
				return unknownLeaf("a RaggedTensorSpec whose flat values are a composite tensor", flat), nil
			}
		}
		switch {
		case rank < 0 || rank > maxDepth || t.Shape != nil && rank > 0 && rank >= int64(len(t.Shape)):
			return l, m.errorAt(ErrMessage, fmt.Sprintf("a RaggedTensorSpec of shape %v with ragged rank %d", t.Shape, rank))
		case rank == 0:
			t.SplitsDType = tensor.Invalid
		default:
			t.Form, t.RaggedRank = feature.RaggedForm, int(rank)
		}
		l.components = 1 + int(rank)
	case sparseClass:
		if len(state) < 2 {
			return l, m.errorAt(ErrMessage, fmt.Sprintf("a SparseTensorSpec with %d members, want at least 2", len(state)))
		}
		for _, member := range state[:2] {
			if err := member.eachField(func(v fieldValue) error { return v.readState(&t.Shape, &t.DType, nil) }); err != nil {
				return l, err
			}
		}
		t.Form = feature.SparseForm
		l.components = 3
	default:
		if name == "" {
			name = fmt.Sprint(class)
		}
		return unknownLeaf("of type "+name+", not a dense, ragged or sparse tensor", flat), nil
	}
	return l, nil
}

// unknownLeaf returns a leaf of an unsupported class. The number of its components is 0 if unknown.
func unknownLeaf(class string, components uint64) leaf {
	l := leaf{tensor: TensorSpec{Unknown: "it is " + class}, components: -1}
	if components > 0 && components <= maxElements {
		l.components = int(components)
	}
	return l
}

// readState reads a member of a type_state: a shape, a dtype or a number.
func (v fieldValue) readState(shape *tensor.Shape, dtype *tensor.DType, n *int64) (err error) {
	switch {
	case v.num == 31:
		var m message
		if m, err = v.message(); err == nil {
			*shape, err = m.readShape()
		}
	case v.num == 32 && dtype != nil:
		*dtype, err = v.readDType()
	case v.num == 12 && n != nil:
		var u uint64
		u, err = v.number()
		*n = int64(u>>1) ^ -int64(u&1) // sint64
	}
	return err
}
