package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// signature reads an entry of MetaGraphDef.signature_def. Its tensors are those of the signature:
// dense, except for TensorInfo messages with several tensors.
func (s *source) signature(e extent) (sig Signature, err error) {
	if err := s.element(e.lo, "meta_graphs.signature_def"); err != nil {
		return sig, err
	}
	m, err := s.load(e, "meta_graphs.signature_def")
	if err != nil {
		return sig, err
	}
	name, body, err := m.entry()
	if err != nil {
		return sig, err
	}
	sig.Name = name
	optional := map[string]bool{}
	err = body.each(func(v value) (err error) {
		switch v.num {
		case 1:
			return v.tensors(&sig.Inputs)
		case 2:
			return v.tensors(&sig.Outputs)
		case 3:
			sig.Method, err = v.text()
		case 4: // defaults
			var m message
			if m, err = v.bytes(); err == nil {
				name, _, err = m.entry()
				optional[name] = true
			}
		}
		return err
	})
	if err != nil {
		return sig, err
	}
	for _, side := range [...][]TensorSpec{sig.Inputs, sig.Outputs} {
		slices.SortStableFunc(side, func(a, b TensorSpec) int { return cmp.Compare(a.Path[0], b.Path[0]) })
		for i, t := range side {
			if i > 0 && t.Path[0] == side[i-1].Path[0] {
				return sig, m.error(ErrMessage, fmt.Sprintf("tensor %q occurs twice", t.Path[0]))
			}
		}
	}
	for _, in := range sig.Inputs {
		in.Components[0].Optional = optional[in.Components[0].Name]
	}
	return sig, nil
}

// tensors appends an entry of SignatureDef.inputs or outputs.
func (v value) tensors(to *[]TensorSpec) error {
	m, err := v.bytes()
	if err != nil {
		return err
	}
	if err := m.src.element(m.at, m.path); err != nil {
		return err
	}
	key, info, err := m.entry()
	if err != nil {
		return err
	}
	t, err := info.tensorInfo()
	t.Path = []string{key}
	if len(t.Components) == 1 && t.Components[0].Part == Values {
		t.Components[0].Name = key
	}
	*to = append(*to, t)
	return err
}

// tensorInfo reads a TensorInfo.
func (m message) tensorInfo() (t TensorSpec, err error) {
	t.Shape = Shape{}
	name, encodings := "", 0
	var spec message
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 1:
			encodings++
			name, err = v.text()
		case 2:
			t.DType, err = v.dtype()
		case 3:
			var m message
			if m, err = v.bytes(); err == nil {
				t.Shape, err = m.shape()
			}
		case 4:
			encodings++
			t.Form = feature.SparseForm
			t.Components = make([]Component, 3)
			var m message
			if m, err = v.bytes(); err == nil {
				err = m.cooSparse(t.Components)
			}
		case 5:
			encodings++
			var m message
			if m, err = v.bytes(); err == nil {
				spec, t.Components, err = m.composite()
			}
		}
		return err
	})
	switch {
	case err != nil:
	case encodings > 1:
		err = m.error(ErrMessage, "a TensorInfo with more than one encoding")
	case t.Form == feature.SparseForm:
		rank := int64(-1)
		if t.Shape != nil {
			rank = int64(len(t.Shape))
		}
		t.Components[0].DType, t.Components[0].Shape = Int64, Shape{-1, rank}
		t.Components[1].DType, t.Components[1].Shape = t.DType, Shape{-1}
		t.Components[2].DType, t.Components[2].Shape = Int64, Shape{rank}
		setSparseParts(t.Components)
	case spec.src != nil:
		err = t.setType(spec)
	default:
		t.Components = []Component{{Part: Values, Tensor: name, DType: t.DType, Shape: t.Shape}}
	}
	return t, err
}

// setSparseParts sets the parts of the components of a sparse tensor.
func setSparseParts(c []Component) { c[0].Part, c[1].Part, c[2].Part = Indices, Values, DenseShape }

// cooSparse reads a TensorInfo.CooSparse, in the order of SparseTensorSpec.
func (m message) cooSparse(c []Component) error {
	return m.each(func(v value) error {
		at, ok := map[int32]int{1: 1, 2: 0, 3: 2}[v.num]
		if !ok {
			return nil
		}
		name, err := v.text()
		c[at].Tensor = name
		return err
	})
}

// composite reads a TensorInfo.CompositeTensor.
func (m message) composite() (spec message, parts []Component, err error) {
	spec = message{src: m.src, at: m.at, path: m.path}
	err = m.each(func(v value) error {
		if v.num != 1 && v.num != 2 {
			return nil
		}
		body, err := v.bytes()
		if err != nil {
			return err
		}
		if v.num == 1 {
			spec = body
			return nil
		}
		if err := m.src.element(m.at, m.path); err != nil {
			return err
		}
		part, err := body.component()
		parts = append(parts, part)
		return err
	})
	return spec, parts, err
}

// component reads a TensorInfo of one tensor inside a CompositeTensor.
func (m message) component() (c Component, err error) {
	c.Shape = Shape{}
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 1:
			c.Tensor, err = v.text()
		case 2:
			c.DType, err = v.dtype()
		case 3:
			var m message
			if m, err = v.bytes(); err == nil {
				c.Shape, err = m.shape()
			}
		case 4, 5:
			err = v.m.error(ErrMessage, "a composite tensor in a composite tensor")
		}
		return err
	})
	return c, err
}

// setType sets the type of a tensor from the TypeSpecProto of its CompositeTensor.
func (t *TensorSpec) setType(spec message) error {
	parsed, err := spec.typeSpec()
	if err != nil {
		return err
	}
	parts := t.Components
	*t = parsed.spec
	t.Components = parts
	if t.Unknown == "" && len(parts) != parsed.count {
		t.Unknown = fmt.Sprintf("the signature has %d components for a %v tensor, want %d", len(parts), t.Form, parsed.count)
	}
	t.setParts()
	return nil
}

// setParts sets the parts of the components of a tensor.
func (t *TensorSpec) setParts() {
	switch {
	case t.Unknown != "":
		for i := range t.Components {
			t.Components[i].Part = UnknownPart
		}
	case t.Form == feature.SparseForm:
		setSparseParts(t.Components)
	default:
		for i := range t.Components {
			t.Components[i].Part = RowSplits
		}
		t.Components[0].Part = Values
	}
}
