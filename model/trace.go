package model

import (
	"reflect"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// trace finds the structure of a function that was exported as a concrete function, which is the
// usual way without an input_signature. TensorFlow traces it again to save it, under the same name
// with another number; the signature calls the first trace, whose structure is not in the file.
//
// A function of the same name is another trace of it if it has as many tensors, of the same types and
// shapes, and the argument names agree: all tensors of a ragged or sparse argument have the
// name of that argument in the definition of the first trace. Traces that differ are refused. The
// result is nil if there is none.
func (w *wrapper) trace(f *function, traces []*function) (found *function) {
	inputs := map[string]*Component{}
	for i := range w.sig.Inputs {
		for j := range w.sig.Inputs[i].Components {
			c := &w.sig.Inputs[i].Components[j]
			inputs[c.Name] = c
		}
	}
	var given []*Component
	for _, name := range w.given {
		if inputs[name] == nil {
			return nil
		}
		given = append(given, inputs[name])
	}
	if len(f.userNames) < len(given) {
		return nil
	}
	for _, t := range traces {
		switch {
		case !t.saved || !t.nest.agrees(given, f.userNames):
		case found != nil && !reflect.DeepEqual(found.nest.leaves, t.nest.leaves):
			return nil
		default:
			found = t
		}
	}
	return found
}

// agrees reports whether a function may take tensors, to whose arguments users gave names.
func (n *nest) agrees(given []*Component, users []string) bool {
	if n.lost != "" {
		return false
	}
	for _, l := range n.leaves {
		if l.count < 0 || l.count > len(given) || l.spec.Unknown != "" || l.spec.Form == feature.RaggedForm && l.spec.Shape == nil {
			return false
		}
		parts, names := given[:l.count], users[:l.count]
		given, users = given[l.count:], users[l.count:]
		t := &l.spec
		for i, c := range parts {
			dtype, shape := t.DType, t.Shape
			switch {
			case t.Form == feature.SparseForm && i != 1:
				dtype = Int64
			case t.Form == feature.RaggedForm && i > 0:
				dtype = t.SplitsDType
			}
			switch {
			case t.Form == feature.SparseForm:
				shape = [3]Shape{{-1, -1}, {-1}, {-1}}[i]
				if t.Shape != nil {
					shape = [3]Shape{{-1, int64(len(t.Shape))}, {-1}, {int64(len(t.Shape))}}[i]
				}
			case t.Form == feature.RaggedForm && i > 0:
				shape = Shape{-1}
				if i == 1 && t.Shape[0] >= 0 {
					shape = Shape{t.Shape[0] + 1}
				}
			case t.Form == feature.RaggedForm:
				shape = append(Shape{-1}, t.Shape[t.RaggedRank+1:]...)
			}
			if c.DType != dtype || (c.Shape == nil) != (shape == nil) || !slices.Equal(c.Shape, shape) {
				return false
			}
			if l.count > 1 && names[i] != t.Path[0] {
				return false
			}
		}
	}
	return len(given) == 0
}
