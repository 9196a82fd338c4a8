package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/feature"
)

// ErrFit: a column that does not fit the input that it would feed, or an input without a
// column. An [*InputError] wraps it.
var ErrFit = errors.New("does not fit")

// An InputError says which input of a signature cannot be fed, and why.
type InputError struct {
	Input  string // the name of the input
	Column string // of the feature; empty if there is none
	Want   string // what the input takes
	Got    string // what the column is
	Err    error  // ErrFit, or the error of a lookup

	// Convertible is whether BindOptions.Convert can make the values the dtype of the input.
	Convertible bool
}

// Error gives one line.
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

// Unwrap returns what went wrong.
func (e *InputError) Unwrap() error { return e.Err }

// A Batch is rows as columns: a [feature.Batch] or a dataset.Batch.
type Batch interface {
	Columns() feature.Columns
	Len() int
}

// BindOptions are settings of Bind. Nil stands for the zero value.
type BindOptions struct {
	// Columns has the name of the feature for inputs whose own name is another one. Its
	// keys are names of inputs: TensorSpec.Name.
	Columns map[string]string

	// Groups has the group of the feature for inputs whose feature's name is in two groups of the spec, such as
	// feature.InContext and feature.InSequence. Without it such a name is an error. Its keys are names of inputs.
	Groups map[string]feature.Group

	// Convert says whether the values of a column may become those of another type. Without it
	// an input of int32 or bool, say, has no column that fits.
	Convert Conversion
}

// A Binding is a signature with a column for each of its inputs. It does not change and may be
// used by several goroutines at once.
type Binding struct {
	sig    *Signature
	inputs []binding
}

// A binding is the column of one input.
type binding struct {
	in      *TensorSpec
	name    string
	group   feature.Group
	dtype   feature.DType
	convert Conversion
	form    feature.Form
	levels  int   // row partitions of the column in ragged form
	inner   []int // its uniform inner shape in ragged form
}

// Bind finds the feature of a spec for each input of a signature, and checks that its columns
// can fit: form, dtype, rank, ragged rank and uniform dimensions. What only a batch can show,
// such as a number of rows that the model fixes, is checked with every batch.
//
// The feature of an input is the one that opts names; or else the first that exists of: the name
// of the input, that name without the argument ("a" for "feats/a"), its last member, the name of
// its first component. Inputs with a default may have none. Features that no input has are not
// used.
//
// A ragged input takes a column of form ragged, or of another form without padding; its row
// partitions may be uniform. A dense input takes a dense column, padded if it is a
// FixedLenSequence. A sparse input takes a VarLen or Sparse column. The type of row_splits is
// converted, and that of values if opts say so.
//
// An input that is unknown cannot be bound. A caller who knows what it is may set Form, DType,
// Shape, RaggedRank, SplitsDType and the parts of the components in a copy of the signature, and
// Unknown to "".
//
// The error is the join of an [*InputError] for each input that has no column or one that does not
// fit, or the error of the spec.
func Bind(sig *Signature, spec feature.Spec, opts *BindOptions) (*Binding, error) {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	return bind(sig, p.NewBatch().Columns(), opts)
}

// Columns returns the name of the feature for each input that has one.
func (b *Binding) Columns() map[string]string {
	names := map[string]string{}
	for _, i := range b.inputs {
		names[i.in.Name()] = i.name
	}
	return names
}

func bind(sig *Signature, columns feature.Columns, opts *BindOptions) (*Binding, error) {
	if opts == nil {
		opts = &BindOptions{}
	}
	b := &Binding{sig: sig}
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
		at := binding{in: in, name: name, group: c.Group(), dtype: c.DType(), convert: opts.Convert, form: c.Form(), levels: c.Ragged().RaggedRank(), inner: innerShape(c)}
		if want, got := at.check(c); want != "" {
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

// FeatureNames returns the names that the feature of an input may have: Bind takes the first one that exists.
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

// optional is whether the signature has defaults for all components.
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

// dtypeFor is the type of tensors of a column.
func dtypeFor(d feature.DType) DType {
	switch d {
	case feature.Int64:
		return Int64
	case feature.Float32:
		return Float32
	}
	return String
}

// check compares a column with the input. want is empty if it fits, as far as can be known without
// rows.
func (b *binding) check(c feature.Column) (want, got string) {
	in := b.in
	fits := false
	switch in.Form {
	case feature.DenseForm:
		fits = b.form == feature.DenseForm
	case feature.RaggedForm:
		fits = !isSparse(c)
	case feature.SparseForm:
		fits = b.form == feature.SparseForm
	}
	fits = fits && (dtypeFor(b.dtype) == in.DType || b.convert != NoConversion && convertible(b.dtype, in.DType)) && b.axes(c, func(at, size int) bool {
		return in.Shape == nil || at < len(in.Shape) && (size < 0 || in.Shape[at] < 0 || in.Shape[at] == int64(size))
	})
	if fits {
		return "", ""
	}
	return in.Type(), b.describe(c)
}

// convertible reports whether BindOptions.Convert, which is not set, can make the values the dtype of the input.
func (b *binding) convertible() bool {
	return b.convert == NoConversion && convertible(b.dtype, b.in.DType)
}

// isSparse is whether a column has indices of its own, which are lost in ragged form.
func isSparse(c feature.Column) bool {
	_, ok := c.Spec().(feature.Sparse)
	return ok
}

// axes calls f for each axis of the column behind the rows, as it is fed to the input: -1 for one that
// is ragged or not known. It reports whether f was always true, and whether the number of axes is
// right.
func (b *binding) axes(c feature.Column, f func(at, size int) bool) bool {
	r := c.Ragged()
	n := 1
	if b.in.Form == feature.SparseForm {
		n = 1 + b.sparseRank(c)
	} else {
		for i := range b.levels {
			size := -1
			if splits, length := r.Splits(i); splits == nil && b.in.Form == feature.RaggedForm {
				size = length
			} else if b.in.Form == feature.RaggedForm && i >= b.in.RaggedRank {
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
	return (b.in.Shape == nil || n == len(b.in.Shape)) && n > b.in.RaggedRank
}

// sparseRank is the rank of a sparse column without the axis of rows.
func (b *binding) sparseRank(c feature.Column) int {
	rank := 1
	if s, ok := c.Spec().(feature.Sparse); ok {
		rank = len(s.Size)
	}
	if b.group == feature.InSequence || b.group == feature.InExamples {
		rank++
	}
	return rank
}

// describe writes what a column is, as TensorSpec.Type does.
func (b *binding) describe(c feature.Column) string {
	shape := Shape{-1}
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
	t := TensorSpec{Form: b.form, DType: dtypeFor(b.dtype), Shape: shape, RaggedRank: b.levels, SplitsDType: Int64}
	if b.form == feature.SparseForm {
		t.Shape = slices.Repeat(Shape{-1}, 1+b.sparseRank(c))
	}
	s := t.Type()
	if b.convertible() {
		s += fmt.Sprintf(", whose values can be converted to %v", b.in.DType)
	}
	if b.in.Form == feature.DenseForm && b.form != feature.DenseForm {
		s += "; a fixed_len_sequence is padded, or export the model with a tf.RaggedTensorSpec for it"
	}
	return s
}
