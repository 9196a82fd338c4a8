package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// readSignature reads an entry of MetaGraphDef.signature_def. Its inputs and outputs are dense
// tensors, except for TensorInfo messages with several tensors, until resolveSignatures adds the
// structure.
func (s *source) readSignature(e extent) (sig Signature, err error) {
	if err := s.countElement(e.lo, "meta_graphs.signature_def"); err != nil {
		return sig, err
	}
	m, err := s.loadMessage(e, "meta_graphs.signature_def")
	if err != nil {
		return sig, err
	}
	name, body, err := m.readEntry()
	if err != nil {
		return sig, err
	}
	sig.Name = name
	optional := map[string]bool{}
	err = body.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			return v.readTensor(&sig.Inputs)
		case 2:
			return v.readTensor(&sig.Outputs)
		case 3:
			sig.Method, err = v.readText()
		case 4: // defaults
			var m message
			if m, err = v.message(); err == nil {
				name, _, err = m.readEntry()
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
				return sig, m.errorAt(ErrMessage, fmt.Sprintf("tensor %q occurs twice", t.Path[0]))
			}
		}
	}
	for _, in := range sig.Inputs {
		in.Components[0].Optional = optional[in.Components[0].Name]
	}
	return sig, nil
}

// readTensor appends an entry of SignatureDef.inputs or outputs.
func (v fieldValue) readTensor(to *[]TensorSpec) error {
	m, err := v.message()
	if err != nil {
		return err
	}
	if err := m.src.countElement(m.at, m.path); err != nil {
		return err
	}
	key, info, err := m.readEntry()
	if err != nil {
		return err
	}
	t, err := info.readTensorInfo()
	t.Path = []string{key}
	if len(t.Components) == 1 && t.Components[0].Part == Values {
		t.Components[0].Name = key
	}
	*to = append(*to, t)
	return err
}

// readTensorInfo reads a TensorInfo.
func (m message) readTensorInfo() (t TensorSpec, err error) {
	t.Shape = tensor.Shape{}
	name, encodings := "", 0
	var spec message
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			encodings++
			name, err = v.readText()
		case 2:
			t.DType, err = v.readDType()
		case 3:
			var m message
			if m, err = v.message(); err == nil {
				t.Shape, err = m.readShape()
			}
		case 4:
			encodings++
			t.Form = feature.SparseForm
			t.Components = make([]Component, 3)
			var m message
			if m, err = v.message(); err == nil {
				err = m.readCooSparse(t.Components)
			}
		case 5:
			encodings++
			var m message
			if m, err = v.message(); err == nil {
				spec, t.Components, err = m.readComposite()
			}
		}
		return err
	})
	switch {
	case err != nil:
	case encodings > 1:
		err = m.errorAt(ErrMessage, "a TensorInfo with more than one encoding")
	case t.Form == feature.SparseForm:
		rank := int64(-1)
		if t.Shape != nil {
			rank = int64(len(t.Shape))
		}
		t.Components[0].DType, t.Components[0].Shape = tensor.Int64, tensor.Shape{-1, rank}
		t.Components[1].DType, t.Components[1].Shape = t.DType, tensor.Shape{-1}
		t.Components[2].DType, t.Components[2].Shape = tensor.Int64, tensor.Shape{rank}
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

// readCooSparse reads a TensorInfo.CooSparse, in the order of SparseTensorSpec.
func (m message) readCooSparse(c []Component) error {
	return m.eachField(func(v fieldValue) error {
		at, ok := map[int32]int{1: 1, 2: 0, 3: 2}[v.num]
		if !ok {
			return nil
		}
		name, err := v.readText()
		c[at].Tensor = name
		return err
	})
}

// readComposite reads a TensorInfo.CompositeTensor.
func (m message) readComposite() (spec message, parts []Component, err error) {
	spec = message{src: m.src, at: m.at, path: m.path}
	err = m.eachField(func(v fieldValue) error {
		if v.num != 1 && v.num != 2 {
			return nil
		}
		body, err := v.message()
		if err != nil {
			return err
		}
		if v.num == 1 {
			spec = body
			return nil
		}
		if err := m.src.countElement(m.at, m.path); err != nil {
			return err
		}
		part, err := body.readComponent()
		parts = append(parts, part)
		return err
	})
	return spec, parts, err
}

// readComponent reads a TensorInfo of one tensor inside a CompositeTensor.
func (m message) readComponent() (c Component, err error) {
	c.Shape = tensor.Shape{}
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			c.Tensor, err = v.readText()
		case 2:
			c.DType, err = v.readDType()
		case 3:
			var m message
			if m, err = v.message(); err == nil {
				c.Shape, err = m.readShape()
			}
		case 4, 5:
			err = v.body.errorAt(ErrMessage, "a composite tensor in a composite tensor")
		}
		return err
	})
	return c, err
}

// setType sets the type of a tensor from the TypeSpecProto of its CompositeTensor.
func (t *TensorSpec) setType(spec message) error {
	parsed, err := spec.readTypeSpec()
	if err != nil {
		return err
	}
	parts := t.Components
	*t = parsed.tensor
	t.Components = parts
	if t.Unknown == "" && len(parts) != parsed.components {
		t.Unknown = fmt.Sprintf("the signature has %d components for a %v tensor, want %d", len(parts), t.Form, parsed.components)
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
