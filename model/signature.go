package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/feature"
)

// A Model is what a saved_model.pb says about how to call it. It holds no graph
// and no weights, and it does not change.
type Model struct {
	MetaGraphs []MetaGraph // in the order of the file
}

// A MetaGraph is one graph of a model, with the signatures to call it by. Models of
// TensorFlow 2 have one; exports of TensorFlow 1 may have others for training.
type MetaGraph struct {
	Tags       []string // such as "serve"
	TensorFlow string   // the version that wrote it; may be empty
	Signatures []Signature
}

// DefaultSignature is the signature that TensorFlow Serving takes if a request names
// none.
const DefaultSignature = "serving_default"

// Serve is the tag of the graph that TensorFlow Serving loads.
const Serve = "serve"

// Signatures returns the signatures of the graph with the tag "serve", or of the
// first graph if none has it, sorted by name. The slice is the model's.
func (m *Model) Signatures() []Signature {
	for _, g := range m.MetaGraphs {
		if slices.Contains(g.Tags, Serve) {
			return g.Signatures
		}
	}
	if len(m.MetaGraphs) == 0 {
		return nil
	}
	return m.MetaGraphs[0].Signatures
}

// Signature returns one of the signatures by name; "" stands for DefaultSignature. The
// error wraps ErrNoSignature and has the names that there are.
func (m *Model) Signature(name string) (*Signature, error) {
	if name == "" {
		name = DefaultSignature
	}
	var names []string
	signatures := m.Signatures()
	for i := range signatures {
		if signatures[i].Name == name {
			return &signatures[i], nil
		}
		names = append(names, fmt.Sprintf("%q", signatures[i].Name))
	}
	if names == nil {
		return nil, fmt.Errorf("model: signature %q: %w: the model has none", name, ErrNoSignature)
	}
	return nil, fmt.Errorf("model: signature %q: %w: the model has %s", name, ErrNoSignature, strings.Join(names, ", "))
}

// A Signature is one way to call a model.
type Signature struct {
	Name    string
	Method  string       // such as "tensorflow/serving/predict"; may be empty
	Inputs  []TensorSpec // in the order of the function's arguments, or of names
	Outputs []TensorSpec // in the order of names
}

// A TensorSpec is one input of a signature as the function has it, or one output: a
// dense, ragged or sparse tensor.
type TensorSpec struct {
	// Path is where the tensor stands in the arguments: the name of the argument, then
	// keys of dicts, names of fields, indices of lists. For an output it is the key.
	Path []string

	// Form is the kind of tensor. A ragged tensor of ragged rank 0 is dense.
	Form feature.Form

	DType DType

	// Shape is that of the whole tensor. A ragged one has RaggedRank partitions below
	// the first axis, and a partition whose axis has a size here is uniform, but it
	// is fed as row_splits too.
	Shape Shape

	RaggedRank  int   // the number of row_splits; 0 for others
	SplitsDType DType // of row_splits: Int64 or Int32; Invalid for others

	// Components are the tensors that carry the value: one for a dense tensor, flat
	// values and then row_splits, the outermost first, for a ragged one, indices,
	// values and dense_shape for a sparse one.
	Components []Component

	// Unknown says why the model does not tell what this input is. Then Form, DType
	// and Shape say nothing, but the components are there, and must be fed. It is
	// empty for inputs that are known.
	Unknown string
}

// A Component is one tensor of the signature.
type Component struct {
	// Name is the key in requests to TensorFlow Serving. It is empty where the
	// signature has one key for several tensors: then no request can name it.
	Name   string
	Part   Part
	Tensor string // in the graph, such as "serving_default_tokens_1:0"
	DType  DType
	Shape  Shape
	// Optional is whether the signature has a default for it.
	Optional bool
}

// A Part is what a component is of its tensor.
type Part uint8

const (
	UnknownPart Part = iota // of a tensor that is unknown
	Values                  // all of a dense tensor, flat values of a ragged one, values of a sparse one
	RowSplits               // one row partition of a ragged tensor
	Indices                 // of a sparse tensor
	DenseShape              // of a sparse tensor
)

// String returns TensorFlow's name for the part.
func (p Part) String() string {
	names := [...]string{"unknown", "values", "row_splits", "indices", "dense_shape"}
	if int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("Part(%d)", uint8(p))
}

// MarshalText returns the name of the part.
func (p Part) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Name returns the path with "/" between its members, as tf.nest writes it.
func (t TensorSpec) Name() string { return strings.Join(t.Path, "/") }

// Type describes the tensor in one line, without its name: "ragged int64 [?, ?]".
func (t TensorSpec) Type() string {
	if t.Unknown != "" {
		return "unknown"
	}
	s := fmt.Sprintf("%v %v %v", t.Form, t.DType, t.Shape)
	if t.Form == feature.RaggedForm {
		// The rank alone says it unless inner dimensions are uniform.
		if len(t.Shape) != t.RaggedRank+1 {
			s += fmt.Sprintf(", ragged rank %d", t.RaggedRank)
		}
		if t.SplitsDType != Int64 {
			s += fmt.Sprintf(", %v row_splits", t.SplitsDType)
		}
	}
	return s
}

// String describes the tensor with its name and the names of its components.
func (t TensorSpec) String() string {
	names := make([]string, len(t.Components))
	for i, c := range t.Components {
		if names[i] = c.Name; c.Name == "" {
			names[i] = c.Tensor
		}
	}
	return t.Name() + ": " + t.Type() + " = " + strings.Join(names, ", ")
}

// composite reports whether several tensors of the signature have one key, which TensorFlow 1 and RaggedTensor outputs do.
func (t TensorSpec) composite() bool {
	return slices.ContainsFunc(t.Components, func(c Component) bool { return c.Name == "" })
}

// CheckServing reports whether TensorFlow Serving can answer requests to the
// signature for some of its outputs, or for all of them if none is named: those of the request's
// output_filter. It feeds and fetches single tensors: an output that is ragged or sparse
// makes every request fail with `Tensor :0, specified in either feed_devices or
// fetch_devices was not found`, and an input of TensorFlow 1 that is ragged or sparse
// cannot be fed. It refuses a request for an output that the signature does not have, and
// one that names an output twice. The error is the join of one for each of them, with the remedy.
func (s *Signature) CheckServing(outputs ...string) error {
	var errs []error
	for _, t := range s.Inputs {
		if t.Unknown == "" && t.composite() {
			errs = append(errs, fmt.Errorf("model: signature %q: input %q is a %v tensor under one key, which TensorFlow Serving cannot feed: "+
				"export its components as inputs, or a tf.function of TensorFlow 2", s.Name, t.Name(), t.Form))
		}
	}
	var names []string
	for _, t := range s.Outputs {
		names = append(names, t.Name())
		if !t.composite() || len(outputs) > 0 && !slices.Contains(outputs, t.Name()) {
			continue
		}
		what, instead := fmt.Sprintf("a %v tensor", t.Form), "its components"
		switch {
		case t.Unknown != "":
			what = "a composite tensor"
		case t.Form == feature.RaggedForm:
			instead = "flat_values and nested_row_splits"
		case t.Form == feature.SparseForm:
			instead = "indices, values and dense_shape"
		}
		errs = append(errs, fmt.Errorf("model: signature %q: output %q is %s, which TensorFlow Serving cannot return: "+
			"return %s as outputs of their own", s.Name, t.Name(), what, instead))
	}
	for i, name := range outputs {
		switch {
		case !slices.Contains(names, name):
			errs = append(errs, fmt.Errorf("model: signature %q: no output %q: it has %q", s.Name, name, names))
		case slices.Contains(outputs[:i], name):
			errs = append(errs, fmt.Errorf("model: signature %q: output %q is named twice", s.Name, name))
		}
	}
	return errors.Join(errs...)
}
