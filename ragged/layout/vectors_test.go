package layout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/layout"
)

// A layoutCase has the inputs of a case of the family layout.
type layoutCase struct {
	*testkit.Case
}

// shape reads the shape in a member, with the padding in another member if the case has it.
func (c layoutCase) shape(member, padding string) (layout.Shape, error) {
	var text string
	if err := c.Decode(member, &text); err != nil {
		return layout.Shape{}, err
	}
	s, err := layout.Parse(text)
	if err != nil || !c.Has(padding) {
		return s, err
	}
	var padded []int64
	if err := c.Decode(padding, &padded); err != nil {
		return layout.Shape{}, err
	}
	return s.WithPadding(padded...)
}

// object is a JSON object that a case expects.
type object = map[string]any

// layoutOps run the operations of the family. An error is the outcome, unless testkit.Fault made
// it: then the case is broken.
var layoutOps = map[string]func(c layoutCase) (object, error){
	"parse":                layoutParse,
	"print_without_layout": layoutPrint,
	"validate":             layoutValidate,
	"linear_index":         layoutLinear,
	"multi_index":          layoutMulti,
	"byte_strides":         layoutStrides,
	"sizes":                layoutSizes,
	"relayout":             layoutRelayout,
	"order":                layoutOrder,
	"is_bitcast":           layoutBitcast,
	"transpose":            layoutTranspose,
	"dimension_number":     layoutDimension,
	"true_rank":            layoutTrueRank,
	"default_layout":       layoutDefault,
	"ragged_to_tensor":     layoutRagged,
}

// TestVectors compares with results of XLA, of libtpu and of the model of layouts.
func TestVectors(t *testing.T) {
	s := &testkit.Suite{Family: "layout", Key: "op", PerKey: true, Members: []string{"oracle", "text", "shape", "padded_dimensions", "index", "linear",
		"from", "to", "from_padded_dimensions", "to_padded_dimensions", "memory", "fill", "order", "permutation", "rank", "dim", "ragged", "minor_to_major", "default_value"}}
	for op, run := range layoutOps {
		s.Handle(op, func(c *testkit.Case) error {
			got, err := run(layoutCase{c})
			want := c.Want()
			switch {
			case err != nil && isFault(err):
				return err
			case want.Fail && err == nil:
				return fmt.Errorf("no error, but %v", got)
			case want.Fail:
				return checkClass(c, err)
			case err != nil:
				return err
			}
			return sameJSON(got, want.Expect)
		})
	}
	s.Run(t)
}

// isFault reports whether a case could not be read: every error of the package
// is a *layout.Error or one of package ragged.
func isFault(err error) bool {
	var e *layout.Error
	return !errors.As(err, &e) && !errors.Is(err, ragged.ErrShape)
}

// sameJSON compares a result with the expected JSON.
func sameJSON(got any, want json.RawMessage) error {
	b, err := json.Marshal(got)
	if err != nil {
		return err
	}
	var x, y any
	for _, side := range []struct {
		b []byte
		v *any
	}{{b, &x}, {want, &y}} {
		d := json.NewDecoder(bytes.NewReader(side.b))
		d.UseNumber()
		if err := d.Decode(side.v); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(x, y) {
		return fmt.Errorf("got %s, want %s", b, want)
	}
	return nil
}

func layoutParse(c layoutCase) (object, error) {
	s, err := c.shape("text", "")
	if err != nil {
		return nil, err
	}
	out := object{"text": s.String()}
	var expect map[string]json.RawMessage
	if err := json.Unmarshal(c.Want().Expect, &expect); err == nil {
		if _, ok := expect["shape"]; ok {
			out["shape"] = shapeJSON(s)
		}
	}
	if again, err := layout.Parse(s.String()); err != nil || !again.Equal(s) {
		return nil, testkit.Fault(fmt.Errorf("printed as %v, which reads as %v, %v", s, again, err))
	}
	return out, nil
}

// shapeJSON returns a shape in the form of expected values.
func shapeJSON(s layout.Shape) object {
	switch {
	case s.IsTuple():
		subs := []object{}
		for _, sub := range s.Elements() {
			subs = append(subs, shapeJSON(sub))
		}
		return object{"tuple": subs}
	case s.String() == "token[]":
		return object{"element_type": "token"}
	case s.String() == "opaque[]":
		return object{"element_type": "opaque"}
	}
	dims, dynamic := []any{}, []bool{}
	for _, d := range s.Dims() {
		if d.Size == layout.Unbounded {
			dims = append(dims, nil)
		} else {
			dims = append(dims, d.Size)
		}
		dynamic = append(dynamic, d.Dynamic)
	}
	l := s.Layout()
	lay := object{"minor_to_major": append([]int{}, l.MinorToMajor...)}
	if l.Tiles != nil {
		lay["tiles"] = l.Tiles
	}
	for name, n := range map[string]int64{"tail_padding_alignment": l.TailAlignment, "element_size_in_bits": l.ElementBits, "memory_space": l.MemorySpace} {
		if n != 0 {
			lay[name] = n
		}
	}
	out := object{"element_type": s.ElementType().String(), "dimensions": dims, "layout": lay}
	if slices.Contains(dynamic, true) {
		out["dynamic"] = dynamic
	}
	return out
}

func layoutPrint(c layoutCase) (object, error) {
	s, err := c.shape("text", "")
	return object{"text": s.WithoutLayout()}, err
}

func layoutValidate(c layoutCase) (object, error) {
	_, err := c.shape("shape", "padded_dimensions")
	return object{"valid": true}, err
}

func layoutLinear(c layoutCase) (object, error) {
	s, err := c.shape("shape", "padded_dimensions")
	if err != nil {
		return nil, err
	}
	var index []int64
	if err := c.Decode("index", &index); err != nil {
		return nil, err
	}
	n, err := s.Linear(index...)
	if err != nil {
		return nil, err
	}
	out := object{"linear": n}
	if at, err := s.ByteOffset(index...); err == nil {
		out["byte_offset"] = at
	}
	return out, nil
}

func layoutMulti(c layoutCase) (object, error) {
	s, err := c.shape("shape", "padded_dimensions")
	if err != nil {
		return nil, err
	}
	var n int64
	if err := c.Decode("linear", &n); err != nil {
		return nil, err
	}
	index, err := s.MultiIndex(n)
	return object{"index": index}, err
}

func layoutStrides(c layoutCase) (object, error) {
	s, err := c.shape("shape", "padded_dimensions")
	if err != nil {
		return nil, err
	}
	strides, err := s.ByteStrides()
	return object{"byte_strides": strides}, err
}

func layoutSizes(c layoutCase) (object, error) {
	s, err := c.shape("shape", "padded_dimensions")
	if err != nil {
		return nil, err
	}
	n, err1 := s.NumElements()
	m, err2 := s.BufferElements()
	b, err3 := s.BufferBytes()
	return object{"elements": n, "buffer_elements": m, "buffer_bytes": b}, errors.Join(err1, err2, err3)
}

func layoutRelayout(c layoutCase) (object, error) {
	from, err1 := c.shape("from", "from_padded_dimensions")
	to, err2 := c.shape("to", "to_padded_dimensions")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var src []json.Number
	var fill json.Number
	if err := errors.Join(c.Decode("memory", &src), c.Decode("fill", &fill)); err != nil {
		return nil, err
	}
	n, err := to.BufferElements()
	if err != nil {
		return nil, err
	}
	dst := make([]json.Number, n)
	return object{"memory": dst}, layout.Relayout(dst, to, src, from, fill)
}

func layoutOrder(c layoutCase) (object, error) {
	s, err := c.shape("shape", "padded_dimensions")
	if err != nil {
		return nil, err
	}
	var order string
	if err := c.Decode("order", &order); err != nil {
		return nil, err
	}
	seq, err := s.Memory(true)
	if order == "logical" {
		seq, err = s.Logical()
	}
	if err != nil {
		return nil, err
	}
	indices := []any{}
	for _, index := range seq {
		if index == nil {
			indices = append(indices, nil)
			continue
		}
		indices = append(indices, slices.Clone(index))
	}
	return object{"indices": indices}, nil
}

func layoutBitcast(c layoutCase) (object, error) {
	from, err1 := c.shape("from", "")
	to, err2 := c.shape("to", "")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if !c.Has("permutation") {
		ok, err := layout.IsReshapeBitcast(from, to)
		return object{"bool": ok}, err
	}
	var perm []int
	if err := c.Decode("permutation", &perm); err != nil {
		return nil, err
	}
	ok, err := layout.IsTransposeBitcast(from, to, perm...)
	return object{"bool": ok}, err
}

func layoutTranspose(c layoutCase) (object, error) {
	s, err := c.shape("shape", "")
	if err != nil {
		return nil, err
	}
	var perm []int
	if err := c.Decode("permutation", &perm); err != nil {
		return nil, err
	}
	t, err := s.Transpose(perm...)
	return object{"text": t.String()}, err
}

func layoutDimension(c layoutCase) (object, error) {
	var rank, dim int
	if err := errors.Join(c.Decode("rank", &rank), c.Decode("dim", &dim)); err != nil {
		return nil, err
	}
	n, err := layout.Dimension(dim, rank)
	return object{"int": n}, err
}

func layoutTrueRank(c layoutCase) (object, error) {
	s, err := c.shape("shape", "")
	return object{"int": s.TrueRank()}, err
}

func layoutDefault(c layoutCase) (object, error) {
	var rank int
	if err := c.Decode("rank", &rank); err != nil {
		return nil, err
	}
	return object{"minor_to_major": layout.Default(rank).MinorToMajor}, nil
}

func layoutRagged(c layoutCase) (object, error) {
	var raw json.RawMessage
	var order []int
	var fill int64
	if err := errors.Join(c.Decode("ragged", &raw), c.Decode("minor_to_major", &order), c.Decode("default_value", &fill)); err != nil {
		return nil, err
	}
	v, err := testkit.ParseValue(json.RawMessage(fmt.Sprintf(`{"ragged": %s}`, raw)))
	if err != nil {
		return nil, err
	}
	t, err := raggedTensor(v)
	if err != nil {
		return nil, testkit.Fault(err)
	}
	sizes := t.DenseShape()
	if c.Has("shape") {
		if err := c.Decode("shape", &sizes); err != nil {
			return nil, err
		}
	}
	dims := make([]layout.Dim, len(sizes))
	for i, n := range sizes {
		dims[i].Size = int64(n)
	}
	s, err := layout.Array(layout.S64, layout.Layout{MinorToMajor: order}, dims...)
	if err != nil {
		return nil, err
	}
	strides, err := s.Strides()
	if err != nil {
		return nil, err
	}
	n, err := s.BufferElements()
	if err != nil {
		return nil, err
	}
	dst := make([]int64, n)
	return object{"text": s.String(), "memory": dst}, t.WriteDense(dst, sizes, strides, fill)
}

// raggedTensor builds the tensor of a value, whose partitions are row splits.
func raggedTensor(v testkit.Value) (ragged.Tensor[int64], error) {
	r, ok := v.(testkit.Ragged)
	values, isInt := r.Flat.Values.([]int64)
	if !ok || !isInt {
		return ragged.Tensor[int64]{}, testkit.Unknown("the tensor %s", testkit.Format(v))
	}
	shape := make([]int, len(r.Flat.Shape))
	for i, n := range r.Flat.Shape {
		shape[i] = int(n)
	}
	flat, err := ragged.Dense(values, shape...)
	if err != nil {
		return flat, testkit.Fault(err)
	}
	parts := make([]ragged.Partition, len(r.Partitions))
	for i, p := range r.Partitions {
		if p.Uniform {
			parts[i], err = ragged.Uniform(p.Length, p.NRows)
		} else {
			parts[i], err = ragged.FromRowSplits(p.Splits)
		}
		if err != nil {
			return flat, testkit.Fault(err)
		}
	}
	return ragged.Wrap(flat, parts...)
}

// phases are the errors of each phase in which XLA and the other oracles fail. XLA reads some texts
// of invalid shapes, and fails when it validates them.
var phases = map[string][]error{
	"syntax":   {layout.ErrSyntax, layout.ErrInvalid},
	"validate": {layout.ErrSyntax, layout.ErrInvalid},
	"op":       {layout.ErrInvalid, layout.ErrRange, layout.ErrPadding, layout.ErrUnsupported, layout.ErrMismatch, ragged.ErrShape},
}

// differences are the classes of errors for inputs that XLA accepts and we refuse.
var differences = []testkit.Class{
	testkit.Words(`kept out of the package|sparse level types|lets a missing \) pass`, layout.ErrSyntax),
	testkit.Words(`a memory space is`, layout.ErrSyntax, layout.ErrInvalid), // beyond 63 bits Parse does not read the number
}

// checkClass compares the class of an error with the phase in which the oracle failed, or with the
// reason why we refuse an input that it accepts.
func checkClass(c *testkit.Case, got error) error {
	w := c.Want()
	if w.Ours {
		return testkit.CheckClass(c, differences, got)
	}
	var said struct{ Phase string }
	if err := json.Unmarshal(w.Error, &said); err != nil {
		return testkit.Fault(err)
	}
	is, ok := phases[said.Phase]
	if !ok {
		return testkit.Unknown("an error of the phase %q", said.Phase)
	}
	if !slices.ContainsFunc(is, func(e error) bool { return errors.Is(got, e) }) {
		return fmt.Errorf("an error of another class: want one of %q, got: %w", is, got)
	}
	return nil
}
