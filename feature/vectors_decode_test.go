package feature_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tensor"
)

// TestDecodeVectors runs what TensorFlow read from strings that hold numbers. Package sniff runs the files about images.
func TestDecodeVectors(t *testing.T) {
	s := &testkit.Suite{Family: "decode", Key: "op", PerKey: true,
		Members: []string{"decode", "input", "dims", "call", "spec", "records", "feature", "or", "comment"}}
	s.Files = func(f *testkit.File) bool {
		var op string
		if len(f.Cases) > 0 && f.Cases[0].Decode("op", &op) == nil && op == "image_shape" {
			t.Logf("%s is skipped: package internal/sniff runs the op %s", f.Name, op)
			return false
		}
		return true
	}
	for op, run := range map[string]func(*testkit.Case) (any, error){
		"decode_raw": decodeStrings, "parse_tensor": decodeStrings, "parse_and_decode": parseAndDecode, "tfds": decodeTFDS,
	} {
		s.Handle(op, func(c *testkit.Case) error { return checkDecode(c, run) })
	}
	s.Run(t)
}

// errNotOurs is the outcome of what we have no option for.
var errNotOurs = errors.New("for information")

// checkDecode compares the outcome of a case: a tensor, or columns by name.
func checkDecode(c *testkit.Case, run func(*testkit.Case) (any, error)) error {
	got, err := run(c)
	w := c.Want()
	var fault *feature.Error
	var spec *feature.SpecError
	switch {
	case errors.Is(err, errNotOurs):
		return nil
	case err != nil && !errors.As(err, &fault) && !errors.As(err, &spec):
		return err // cannot be run, or has no coordinates
	case w.Fail && err == nil:
		return fmt.Errorf("want an error, got %v", got)
	case w.Fail:
		return checkPlace(w, err, spec)
	case err != nil:
		var or struct {
			Why    string
			Error  bool
			Expect json.RawMessage
		}
		if c.Has("or") {
			if err := c.Decode("or", &or); err != nil {
				return err
			}
		}
		if or.Error {
			return nil
		}
		return fmt.Errorf("unexpected error: %w", err)
	}
	if columns, ok := got.(map[string]any); ok {
		var want struct{ Columns map[string]json.RawMessage }
		if err := json.Unmarshal(w.Expect, &want); err != nil {
			return testkit.Fault(err)
		}
		if len(want.Columns) != len(columns) {
			return fmt.Errorf("want %d columns, got %d", len(want.Columns), len(columns))
		}
		for name, raw := range want.Columns {
			if err := diffColumn(raw, columns[name]); err != nil {
				return fmt.Errorf("%q: %w", name, err)
			}
		}
		return nil
	}
	return diffColumn(w.Expect, got)
}

// checkPlace checks where an error was found: in the spec, or in the row of a call.
func checkPlace(w testkit.Want, err error, spec *feature.SpecError) error {
	var e struct {
		Phase string
		Row   *int
	}
	if w.Ours || json.Unmarshal(w.Error, &e) != nil {
		return nil
	}
	if e.Phase == "config" && spec == nil {
		return fmt.Errorf("the spec is to be refused: %w", err)
	}
	if fault, ok := errors.AsType[*feature.Error](err); ok && e.Row != nil && fault.Record >= 0 && fault.Record != *e.Row {
		return fmt.Errorf("want an error in row %d: %w", *e.Row, err)
	}
	return nil
}

// decodeStrings runs decode_raw and parse_tensor: the strings are a feature, and so are named sizes.
func decodeStrings(c *testkit.Case) (any, error) {
	var raw struct{ Dense denseStrings }
	var option json.RawMessage
	if err := errors.Join(c.Decode("input", &raw), c.Decode("decode", &option)); err != nil {
		return nil, err
	}
	if strings.Contains(string(option), "fixed_length") {
		return nil, errNotOurs
	}
	dims, err := c.NamedValues("dims")
	if err != nil {
		return nil, err
	}
	shape, _ := json.Marshal(raw.Dense.Shape)
	text := fmt.Sprintf(`{"features":{"the strings":{"fixed_len":{"dtype":"string","shape":%s,"decode":%s}}`, shape, option)
	var record example.Builder
	record.Add("the strings", example.Bytes(raw.Dense.Values...))
	for name, v := range dims {
		d := v.(testkit.Dense)
		shape, _ := json.Marshal(d.Shape)
		text += fmt.Sprintf(`,%q:{"fixed_len":{"dtype":"int64","shape":%s}}`, name, shape)
		record.Add(name, example.Int64s(d.Values.([]int64)...))
	}
	parser, err := newParser([]byte(text + "}}"))
	if err != nil {
		return nil, err
	}
	b, err := record.AppendBinary(nil)
	if err != nil {
		return nil, testkit.Fault(err)
	}
	return parseOne(parser, b, "the strings")
}

type denseStrings struct {
	DType  string   `json:"dtype"`
	Shape  []int    `json:"shape"`
	Values [][]byte `json:"values"`
}

// parseOne returns the decoded tensor of a record.
func parseOne(p *feature.Parser, record []byte, name string) (any, error) {
	columns, err := p.ParseSingle(record)
	if err != nil {
		return nil, err
	}
	column, err := columns.Column(name)
	if err != nil {
		return nil, testkit.Fault(err)
	}
	got, ok := column.Decoded(0)
	if !ok {
		return nil, testkit.Fault(errors.New("not decoded"))
	}
	return got, nil
}

// parseAndDecode runs parsers. A decoded column is a tensor or, of a batch, a list of them.
func parseAndDecode(c *testkit.Case) (any, error) {
	var call string
	var spec json.RawMessage
	var records [][]byte
	if err := errors.Join(c.Decode("call", &call), c.Decode("spec", &spec), c.Decode("records", &records)); err != nil {
		return nil, err
	}
	parser, err := newParser(spec)
	if err != nil {
		return nil, err
	}
	var columns feature.Columns
	switch call {
	case "parse_example":
		batch, err := parser.Parse(records...)
		if err != nil {
			return nil, err
		}
		columns = batch.Columns()
	case "parse_single_example":
		if columns, err = parser.ParseSingle(records[0]); err != nil {
			return nil, err
		}
	default:
		return nil, testkit.Unknown("call %q", call)
	}
	out := map[string]any{}
	for name, column := range columns.All() {
		switch {
		case feature.DecodeOf(column.Spec()) == nil:
			out[name] = (parseCall{}).values(columns)[name]
		case call == "parse_single_example":
			out[name], _ = column.Decoded(0)
		default:
			list := []tensor.Tensor{}
			for i := range records {
				t, _ := column.Decoded(i)
				list = append(list, t)
			}
			out[name] = list
		}
	}
	return out, nil
}

// decodeTFDS runs a feature of TensorFlow Datasets by the spec of its features.json.
func decodeTFDS(c *testkit.Case) (any, error) {
	var f struct {
		Shape    []*int `json:"shape"`
		DType    string `json:"dtype"`
		Encoding string `json:"encoding"`
		Sequence bool   `json:"sequence"`
	}
	var records [][]byte
	if err := errors.Join(c.Decode("feature", &f), c.Decode("records", &records)); err != nil {
		return nil, err
	}
	if f.DType == "uint32" { // TFDS cannot read what it wrote: we do, and TestValues of cmd/tfparse has the arrays that were written
		return nil, errNotOurs
	}
	dims, unknown := []string{}, 0
	for _, d := range f.Shape {
		if d == nil {
			unknown++
			dims = append(dims, "-1")
		} else {
			dims = append(dims, strconv.Itoa(*d))
		}
	}
	shape, _ := json.Marshal(dims)
	text := fmt.Sprintf(`{"pythonClassName": "x.Tensor", "tensor": {"dtype": %q, "encoding": %q, "shape": {"dimensions": %s}}}`, f.DType, f.Encoding, shape)
	if f.Sequence {
		text = fmt.Sprintf(`{"pythonClassName": "x.Sequence", "sequence": {"length": "-1", "feature": %s}}`, text)
	}
	text = fmt.Sprintf(`{"pythonClassName": "x.FeaturesDict", "featuresDict": {"features": {"x": %s}}}`, text)
	spec, notes, err := tfds.Spec([]byte(text), nil)
	if err != nil {
		return nil, testkit.Fault(err)
	}
	name := "x"
	if unknown > 1 {
		name = "x/value"
	}
	if feature.DecodeOf(spec.Features[name]) == nil { // the column has the strings, and a note says what they are
		return nil, &feature.SpecError{Feature: name, Err: fmt.Errorf("not decoded: %v", notes)}
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	got, err := parseOne(parser, records[0], name)
	if t, ok := got.(tensor.Tensor); ok && f.Sequence && t.Shape[0] == 0 {
		t.Shape = t.Shape[:1] // TFDS decodes the elements one by one: without any, it has no shape of theirs
		got = t
	}
	return got, err
}

// diffColumn compares a column with its JSON.
func diffColumn(raw json.RawMessage, got any) error {
	switch got := got.(type) {
	case tensor.Tensor:
		return diffTensor(raw, got)
	case []tensor.Tensor:
		var list struct{ List []json.RawMessage }
		if err := json.Unmarshal(raw, &list); err != nil || len(list.List) != len(got) {
			return fmt.Errorf("want a list of %d, got %d (%w)", len(list.List), len(got), err)
		}
		for i := range got {
			if err := diffTensor(list.List[i], got[i]); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
		return nil
	case testkit.Value:
		want, err := testkit.ParseValue(raw)
		if err != nil {
			return err
		}
		if d := (testkit.Rule{}).Diff(want, got); d != "" {
			return errors.New(d)
		}
		return nil
	}
	return fmt.Errorf("no column, got %v", got)
}

// diffTensor compares a tensor with its JSON, element by element.
func diffTensor(raw json.RawMessage, got tensor.Tensor) error {
	var v struct {
		Dense struct {
			DType  string
			Shape  tensor.Shape
			Values []json.RawMessage
			Fill   json.RawMessage
			Bits   []string
		}
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return testkit.Fault(err)
	}
	want := v.Dense
	if got.DType.String() != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("want %s of shape %v, got %v of shape %v", want.DType, want.Shape, got.DType, got.Shape)
	}
	if want.Fill == nil && got.Len() != len(want.Values) {
		return fmt.Errorf("want %d elements, got %d", len(want.Values), got.Len())
	}
	for i := range got.Len() {
		value := want.Fill
		if value == nil {
			value = want.Values[i]
		} else if i > 1000 && i < got.Len()-1000 {
			continue
		}
		if !sameElement(value, &got, i) {
			return fmt.Errorf("element %d: want %s", i, value)
		}
		if want.Bits != nil {
			size := got.DType.Size()
			element := slices.Clone(got.Bytes[i*size : (i+1)*size])
			slices.Reverse(element)
			if hex.EncodeToString(element) != want.Bits[i] {
				return fmt.Errorf("element %d: want bits %s, got %x", i, want.Bits[i], element)
			}
		}
	}
	return nil
}

// sameElement reports whether a JSON value reads as element i: by its own dtype, in another way than the code.
func sameElement(raw json.RawMessage, t *tensor.Tensor, i int) bool {
	text := string(raw)
	size := t.DType.Size()
	var b []byte
	if t.DType != tensor.String {
		b = t.Bytes[i*size : (i+1)*size]
	}
	float := func(s string, bits int) float64 {
		if s, ok := strings.CutPrefix(s, `"`); ok {
			s, _ = strings.CutSuffix(s, `"`)
			v, _ := strconv.ParseFloat(s, bits)
			return v
		}
		v, err := strconv.ParseFloat(s, bits)
		if err != nil {
			return 12345
		}
		return v
	}
	same := func(v, w float64) bool {
		return math.Float64bits(v) == math.Float64bits(w) || math.IsNaN(v) && math.IsNaN(w)
	}
	switch t.DType {
	case tensor.String:
		return text == `"`+base64.StdEncoding.EncodeToString([]byte(t.Strings[i]))+`"`
	case tensor.Bool:
		return text == strconv.FormatBool(b[0] == 1) && b[0] <= 1
	case tensor.Float32:
		return same(float(text, 32), float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case tensor.Float64:
		return same(float(text, 64), math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case tensor.Complex64, tensor.Complex128:
		var parts []json.RawMessage
		if json.Unmarshal(raw, &parts) != nil || len(parts) != 2 {
			return false
		}
		half := tensor.Tensor{DType: map[tensor.DType]tensor.DType{tensor.Complex64: tensor.Float32, tensor.Complex128: tensor.Float64}[t.DType], Bytes: b}
		return sameElement(parts[0], &half, 0) && sameElement(parts[1], &half, 1)
	case tensor.Float16, tensor.BFloat16, tensor.Float8E5M2, tensor.Float8E4M3FN:
		return nearestSmall(t.DType, b, float(text, 64))
	case tensor.Uint64:
		return text == strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
	}
	n := int64(0)
	for j, v := range b {
		n |= int64(v) << (8 * j)
	}
	switch t.DType {
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.QInt8, tensor.QInt16, tensor.QInt32, tensor.Int4:
		n = n << (64 - 8*size) >> (64 - 8*size)
	}
	return text == strconv.FormatInt(n, 10)
}

// nearestSmall reports whether no float of 8 or 16 bits is nearer to v than b.
func nearestSmall(d tensor.DType, b []byte, v float64) bool {
	all := tensor.Tensor{DType: d, Bytes: slices.Clone(b)}
	for i := range 1 << (8 * d.Size()) {
		all.Bytes = append(all.Bytes, byte(i))
		if d.Size() == 2 {
			all.Bytes = append(all.Bytes, byte(i>>8))
		}
	}
	all.Shape = tensor.Shape{int64(all.Len())}
	values, err := all.Float32s()
	if err != nil {
		return false
	}
	got := float64(values[0])
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		return math.IsNaN(v) && math.IsNaN(got) || v == got && math.Signbit(v) == math.Signbit(got)
	}
	for _, other := range values[1:] {
		if math.Abs(float64(other)-v) < math.Abs(got-v) {
			return false
		}
	}
	return !math.IsNaN(got)
}
