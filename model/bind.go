package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// ErrFit means that a column does not fit its input, or that an input has no column. An
// [*InputError] wraps it.
var ErrFit = errors.New("does not fit")

// An InputError is the reason why an input of a signature cannot be fed.
type InputError struct {
	Input  string // name of the input
	Column string // name of the feature; empty if the input has none
	Want   string // type of the input, or a rule
	Got    string // type of the column, or a value
	Err    error  // ErrFit, or why the feature was not found

	// Convertible means that BindOptions.Convert would convert the values to the dtype of
	// the input.
	Convertible bool
}

// Error returns one line: the input, the feature, Want and Got.
func (e *InputError) Error() string {
	s := fmt.Sprintf("model: input %q", e.Input)
	if e.Column != "" && e.Column != e.Input {
		s += fmt.Sprintf(" (feature %q)", e.Column)
	}
	if e.Err != ErrFit {
		s += ": " + e.Err.Error()
	}
	if e.Want != "" {
		s += ": want " + e.Want
	}
	if e.Got != "" {
		s += ": got " + e.Got
		if e.Want != "" {
			s = strings.Replace(s, ": got ", ", got ", 1)
		}
	}
	return s
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// A Batch is a batch of rows in columnar form: a [feature.Batch] or a dataset.Batch.
type Batch interface {
	Columns() feature.Columns
	Len() int
}

// BindOptions are the options of Bind. Nil means defaults.
type BindOptions struct {
	// Columns maps inputs to features, for features whose name differs from the name of the
	// input. Its keys are names of inputs: TensorSpec.Name.
	Columns map[string]string

	// Groups maps inputs to groups of the spec. It is required for a feature name that occurs
	// in two groups, such as feature.InContext and feature.InSequence. Its keys are names
	// of inputs.
	Groups map[string]feature.Group

	// Convert allows conversion of a column's values to the dtype of the input. Without it,
	// no column fits an input of int32 or bool, for example.
	Convert Conversion
}

// A Binding maps the inputs of a signature to columns. It is immutable and safe for concurrent
// use.
type Binding struct {
	signature *Signature     // signature of the model; not changed
	inputs    []inputBinding // in the order of the signature, without inputs that use a default
}

// An inputBinding is the column of one input.
type inputBinding struct {
	input   *TensorSpec   // input of the signature
	name    string        // name of the feature
	group   feature.Group // group of the feature
	dtype   feature.DType // dtype of the column
	convert Conversion    // conversion from dtype to the dtype of the input
	form    feature.Form  // form of the column
	levels  int           // number of row partitions of the column in ragged form
	inner   []int         // inner shape of the column in ragged form
}

// Bind finds the feature of a spec for each input of a signature. It checks that the column fits
// the input: form, dtype, rank, ragged rank and uniform dimensions. [Binding.Feeds] checks sizes
// that depend on the batch, such as a fixed number of rows.
//
// The feature of an input is the one in opts.Columns. Without an entry there, Bind tries these
// names in order: the name of the input, the name without the argument ("a" for "feats/a"), the
// last member of the name, and the name of the first component. An input with a default needs no
// feature. Bind ignores other features of the spec.
//
// A ragged input needs a ragged column, or another column without padding; its row partitions
// may be uniform. A dense input needs a dense column; a FixedLenSequence column is padded. A
// sparse input needs a VarLen or Sparse column. Bind always converts the type of row_splits, and
// the type of values only with opts.Convert.
//
// An unknown input cannot be bound. If the caller knows its type, it can set Form, DType, Shape,
// RaggedRank, SplitsDType and the parts of the components in a copy of the signature, and set
// Unknown to "".
//
// The error joins an [*InputError] for each input without a column that fits, or is the error of
// the spec.
func Bind(sig *Signature, spec feature.Spec, opts *BindOptions) (*Binding, error) {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	return bind(sig, p.NewBatch().Columns(), opts)
}

// Columns returns the names of the bound features, by input.
func (b *Binding) Columns() map[string]string {
	names := map[string]string{}
	for _, i := range b.inputs {
		names[i.input.Name()] = i.name
	}
	return names
}

// bind is Bind for the columns of a spec.
func bind(sig *Signature, columns feature.Columns, opts *BindOptions) (*Binding, error) {
	if opts == nil {
		opts = &BindOptions{}
	}
	b := &Binding{signature: sig}
	var errs []error
	known := map[string]bool{}
	for i := range sig.Inputs {
		in := &sig.Inputs[i]
		name, given := opts.Columns[in.Name()]
		known[in.Name()] = true
		fail := func(column, want, got string, err error) {
			errs = append(errs, &InputError{Input: in.Name(), Column: column, Want: want, Got: got, Err: err})
		}
		if in.Unknown != "" {
			fail("", "", "unknown: "+in.Unknown, ErrFit)
			continue
		}
		columns := columns
		if group, ok := opts.Groups[in.Name()]; ok {
			columns = columns.In(group)
		}
		var c feature.Column
		var err error
		var tried []string
		if given {
			c, err = columns.Column(name)
		} else {
			for _, name = range in.FeatureNames() {
				if c, err = columns.Column(name); err == nil {
					break
				}
				tried = append(tried, fmt.Sprintf("%q", name))
			}
		}
		switch {
		case err != nil && !given && in.optional():
			continue
		case err != nil && !given:
			fail("", in.Type(), "no feature named "+strings.Join(tried, ", "), ErrFit)
			continue
		case err != nil:
			fail(name, "", "", err)
			continue
		}
		if feature.DecodeOf(c.Spec()) != nil {
			fail(name, in.Type(), "strings that the spec decodes", ErrFit)
			continue
		}
		at := inputBinding{input: in, name: name, group: c.Group(), dtype: c.DType(), convert: opts.Convert, form: c.Form(), levels: c.Ragged().RaggedRank(), inner: innerShape(c)}
		if want, got := at.checkColumn(c); want != "" {
			errs = append(errs, &InputError{in.Name(), name, want, got, ErrFit, at.convertible()})
			continue
		}
		b.inputs = append(b.inputs, at)
	}
	named := map[string]bool{}
	for name := range opts.Columns {
		named[name] = true
	}
	for name := range opts.Groups {
		named[name] = true
	}
	for name := range named {
		if !known[name] {
			errs = append(errs, &InputError{Input: name, Got: "no such input in the signature", Err: ErrFit})
		}
	}
	slices.SortStableFunc(errs, func(x, y error) int {
		return strings.Compare(x.(*InputError).Input, y.(*InputError).Input)
	})
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// FeatureNames returns the names that Bind tries for the feature of an input, in order.
func (t TensorSpec) FeatureNames() []string {
	names := []string{t.Name()}
	if len(t.Path) > 1 {
		names = append(names, strings.Join(t.Path[1:], "/"), t.Path[len(t.Path)-1])
	}
	if len(t.Components) > 0 && t.Components[0].Name != "" {
		names = append(names, t.Components[0].Name)
	}
	var unique []string
	for _, n := range names {
		if !slices.Contains(unique, n) {
			unique = append(unique, n)
		}
	}
	return unique
}

// optional reports whether the signature has defaults for all components.
func (t *TensorSpec) optional() bool {
	return !slices.ContainsFunc(t.Components, func(c Component) bool { return !c.Optional })
}

// innerShape returns the uniform inner shape of a column in ragged form.
func innerShape(c feature.Column) []int {
	c = c.Ragged()
	switch c.DType() {
	case feature.Int64:
		t, _ := feature.TensorOf[int64](c)
		return t.InnerShape()
	case feature.Float32:
		t, _ := feature.TensorOf[float32](c)
		return t.InnerShape()
	}
	t, _ := feature.TensorOf[string](c)
	return t.InnerShape()
}

// dtypeFor returns the dtype of the tensors of a column.
func dtypeFor(d feature.DType) tensor.DType {
	switch d {
	case feature.Int64:
		return tensor.Int64
	case feature.Float32:
		return tensor.Float32
	}
	return tensor.String
}

// checkColumn compares the type of a column with the input. want is empty if the column fits.
func (b *inputBinding) checkColumn(c feature.Column) (want, got string) {
	in := b.input
	fits := false
	switch in.Form {
	case feature.DenseForm:
		fits = b.form == feature.DenseForm
	case feature.RaggedForm:
		fits = !isSparse(c)
	case feature.SparseForm:
		fits = b.form == feature.SparseForm
	}
	fits = fits && (dtypeFor(b.dtype) == in.DType || b.convert != NoConversion && convertible(b.dtype, in.DType)) && b.checkAxes(c, func(at, size int) bool {
		return in.Shape == nil || at < len(in.Shape) && (size < 0 || in.Shape[at] < 0 || in.Shape[at] == int64(size))
	})
	if fits {
		return "", ""
	}
	return in.Type(), b.describe(c)
}

// convertible reports whether BindOptions.Convert is not set, but would convert the values to the
// dtype of the input.
func (b *inputBinding) convertible() bool {
	return b.convert == NoConversion && convertible(b.dtype, b.input.DType)
}

// isSparse reports whether a column is a feature.Sparse, whose indices its ragged form lacks.
func isSparse(c feature.Column) bool {
	_, ok := c.Spec().(feature.Sparse)
	return ok
}

// checkAxes calls f with the index and the size of each axis of the column after the first, in the
// form of the input. A ragged or unknown size is -1. It reports whether all calls returned true and
// the number of axes fits.
func (b *inputBinding) checkAxes(c feature.Column, f func(at, size int) bool) bool {
	r := c.Ragged()
	n := 1
	if b.input.Form == feature.SparseForm {
		n = 1 + b.sparseRank(c)
	} else {
		for i := range b.levels {
			size := -1
			if splits, length := r.Splits(i); splits == nil && b.input.Form == feature.RaggedForm {
				size = length
			} else if b.input.Form == feature.RaggedForm && i >= b.input.RaggedRank {
				return false // ragged where the input is uniform
			}
			if !f(n, size) {
				return false
			}
			n++
		}
		for _, size := range b.inner {
			if !f(n, size) {
				return false
			}
			n++
		}
	}
	return (b.input.Shape == nil || n == len(b.input.Shape)) && n > b.input.RaggedRank
}

// sparseRank returns the rank of a sparse column, not counting the row axis.
func (b *inputBinding) sparseRank(c feature.Column) int {
	rank := 1
	if s, ok := c.Spec().(feature.Sparse); ok {
		rank = len(s.Size)
	}
	if b.group == feature.InSequence || b.group == feature.InExamples {
		rank++
	}
	return rank
}

// describe returns the type of a column in the format of TensorSpec.Type.
func (b *inputBinding) describe(c feature.Column) string {
	shape := tensor.Shape{-1}
	r := c.Ragged()
	for i := range b.levels {
		size := -1
		if splits, length := r.Splits(i); splits == nil {
			size = length
		}
		shape = append(shape, int64(size))
	}
	for _, size := range b.inner {
		shape = append(shape, int64(size))
	}
	t := TensorSpec{Form: b.form, DType: dtypeFor(b.dtype), Shape: shape, RaggedRank: b.levels, SplitsDType: tensor.Int64}
	if b.form == feature.SparseForm {
		t.Shape = slices.Repeat(tensor.Shape{-1}, 1+b.sparseRank(c))
	}
	s := t.Type()
	if b.convertible() {
		s += fmt.Sprintf(", values can be converted to %v", b.input.DType)
	}
	if b.input.Form == feature.DenseForm && b.form != feature.DenseForm {
		s += "; use fixed_len_sequence, or a tf.RaggedTensorSpec in the model"
	}
	return s
}
