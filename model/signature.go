package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// A Model contains the signatures of a saved_model.pb, without graph and weights.
type Model struct {
	MetaGraphs []MetaGraph // in the order of the file
}

// A MetaGraph is one graph of a model, with its signatures. Models of TensorFlow 2 have one graph;
// exports of TensorFlow 1 may have others for training.
type MetaGraph struct {
	Tags       []string    // such as "serve"
	TensorFlow string      // version of the writer; may be empty
	Signatures []Signature // sorted by name
}

// DefaultSignature is the signature that TensorFlow Serving uses for requests without one.
const DefaultSignature = "serving_default"

// Serve is the tag of the graph that TensorFlow Serving loads.
const Serve = "serve"

// Signatures returns the signatures of the graph with the tag "serve", or of the first graph if
// there is none, sorted by name. The caller must not modify the slice.
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

// Signature returns the signature with a name; "" means DefaultSignature. The error wraps
// ErrNoSignature and lists the names of all signatures.
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

// A Signature is a function of a model that clients can call.
type Signature struct {
	Name    string
	Method  string       // such as "tensorflow/serving/predict"; may be empty
	Inputs  []TensorSpec // in the order of the function's arguments, or sorted by name if that is unknown
	Outputs []TensorSpec // sorted by name
}

// A TensorSpec is one argument of the function of a signature, or one output: a dense, ragged or
// sparse tensor.
type TensorSpec struct {
	// Path is the position in the arguments: the name of the argument, then keys of dicts,
	// names of fields, indices of lists. For an output it is the key.
	Path []string

	// Form is the kind of tensor. A ragged tensor of ragged rank 0 is dense.
	Form feature.Form

	DType tensor.DType // dtype of the values

	// Shape is the shape of the whole tensor. A ragged tensor has RaggedRank partitions below
	// the first axis. A partition whose axis has a size here is uniform, but is still fed as
	// row_splits.
	Shape tensor.Shape

	RaggedRank  int          // number of row_splits; 0 for other forms
	SplitsDType tensor.DType // dtype of row_splits: Int64 or Int32; Invalid for other forms

	// Components are the tensors of the signature. A dense tensor has one component. A ragged
	// tensor has flat values, then row_splits from the outermost to the innermost. A sparse
	// tensor has indices, values and dense_shape.
	Components []Component

	// Unknown is the reason why the structure of this input is unknown, and empty if it is
	// known. An unknown input has components, which must be fed, but Form, DType and Shape are
	// not set.
	Unknown string
}

// A Component is one tensor of the signature.
type Component struct {
	// Name is the key in requests to TensorFlow Serving. It is empty if several tensors of the
	// signature share a key: no request can name them.
	Name     string
	Part     Part         // role in the TensorSpec; UnknownPart if that is Unknown
	Tensor   string       // name in the graph, such as "serving_default_tokens_1:0"
	DType    tensor.DType // of this tensor: row_splits and indices have their own
	Shape    tensor.Shape // of this tensor, not of the TensorSpec
	Optional bool         // the signature has a default
}

// A Part is the role of a component in its tensor.
type Part uint8

const (
	UnknownPart Part = iota // component of a tensor of unknown structure
	Values                  // dense tensor, flat values of a ragged tensor, or values of a sparse tensor
	RowSplits               // row_splits of one row partition of a ragged tensor
	Indices                 // indices of a sparse tensor
	DenseShape              // dense_shape of a sparse tensor
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

// Name returns the path with "/" between its members, as in tf.nest.
func (t TensorSpec) Name() string { return strings.Join(t.Path, "/") }

// Type returns the type of the tensor as text: "ragged int64 [?, ?]".
func (t TensorSpec) Type() string {
	if t.Unknown != "" {
		return "unknown"
	}
	s := fmt.Sprintf("%v %v %v", t.Form, t.DType, t.Shape)
	if t.Form == feature.RaggedForm {
		// The ragged rank follows from the shape unless inner dimensions are uniform.
		if len(t.Shape) != t.RaggedRank+1 {
			s += fmt.Sprintf(", ragged rank %d", t.RaggedRank)
		}
		if t.SplitsDType != tensor.Int64 {
			s += fmt.Sprintf(", %v row_splits", t.SplitsDType)
		}
	}
	return s
}

// String returns the name and the type of the tensor, and the names of its components.
func (t TensorSpec) String() string {
	names := make([]string, len(t.Components))
	for i, c := range t.Components {
		if names[i] = c.Name; c.Name == "" {
			names[i] = c.Tensor
		}
	}
	return t.Name() + ": " + t.Type() + " = " + strings.Join(names, ", ")
}

// composite reports whether several tensors share a key of the signature, as in TensorFlow 1 and in
// ragged or sparse outputs.
func (t TensorSpec) composite() bool {
	return slices.ContainsFunc(t.Components, func(c Component) bool { return c.Name == "" })
}

// CheckServing returns an error if TensorFlow Serving cannot answer requests to the signature. The
// outputs are the output_filter of the requests, by default all outputs.
//
// Serving can feed and fetch only single tensors. A request for a ragged or sparse output fails with
// `Tensor :0, specified in either feed_devices or fetch_devices was not found`, and a ragged or
// sparse input of TensorFlow 1 cannot be fed. An output that does not exist or occurs twice is also
// an error. The result joins an error, with a remedy, for each such input and output.
func (s *Signature) CheckServing(outputs ...string) error {
	var errs []error
	for _, t := range s.Inputs {
		if t.Unknown == "" && t.composite() {
			errs = append(errs, fmt.Errorf("model: signature %q: input %q: TensorFlow Serving cannot feed a %v tensor: "+
				"export its components, or a tf.function", s.Name, t.Name(), t.Form))
		}
	}
	var names []string
	for _, t := range s.Outputs {
		names = append(names, t.Name())
		if !t.composite() || len(outputs) > 0 && !slices.Contains(outputs, t.Name()) {
			continue
		}
		noun, instead := fmt.Sprintf("a %v tensor", t.Form), "its components"
		switch {
		case t.Unknown != "":
			noun = "a composite tensor"
		case t.Form == feature.RaggedForm:
			instead = "flat_values and nested_row_splits"
		case t.Form == feature.SparseForm:
			instead = "indices, values and dense_shape"
		}
		errs = append(errs, fmt.Errorf("model: signature %q: output %q: TensorFlow Serving cannot return %s: "+
			"return %s", s.Name, t.Name(), noun, instead))
	}
	for i, name := range outputs {
		switch {
		case !slices.Contains(names, name):
			errs = append(errs, fmt.Errorf("model: signature %q: no output %q, only %q", s.Name, name, names))
		case slices.Contains(outputs[:i], name):
			errs = append(errs, fmt.Errorf("model: signature %q: output %q occurs twice", s.Name, name))
		}
	}
	return errors.Join(errs...)
}
