package example_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// isWire reports whether a file of the family parse is about encodings: whether a case in it
// is tagged with a row of the table in example/DIALECT.md.
func isWire(f *testkit.File) bool {
	return slices.ContainsFunc(f.Cases, func(c *testkit.Case) bool {
		return slices.ContainsFunc(c.Tags, func(tag string) bool { return strings.HasPrefix(tag, "row-") })
	})
}

// TestConformance decodes the messages of the files about encodings with package example alone. It checks which
// bytes are accepted, and their values. The other parts of a case's spec (dtypes, counts, defaults, shapes) are
// implemented here in a simple way, for the few kinds of specs in these files.
//
// For any spec the owned form must agree. It decodes every feature. So if the spec has all features of a message,
// the owned form must accept it if and only if the views do, with the same values.
func TestConformance(t *testing.T) {
	s := &testkit.Suite{Family: "parse", Files: isWire, Key: "call", Members: testkit.ParseMembers}
	for call, how := range map[string]wireCall{
		"parse_example":                 {},
		"parse_single_example":          {single: true},
		"parse_sequence_example":        {sequence: true},
		"parse_single_sequence_example": {sequence: true, single: true},
	} {
		s.Handle(call, how.run)
	}
	s.Run(t)
}

// Errors of a spec for valid bytes.
var (
	errMissing = errors.New("required, but missing")
	errCount   = errors.New("number of values")
)

// errBytes is joined to every error of package example. If TensorFlow only says that it cannot parse the bytes, all
// of them belong to this class.
var errBytes = errors.New("an error about the bytes")

// wireClasses are the classes of errors. First our reasons to refuse bytes that TensorFlow accepts, then
// TensorFlow's messages.
var wireClasses = []testkit.Class{
	testkit.Words(`^length overruns its message|^fixed-size field is cut`, io.ErrUnexpectedEOF),
	testkit.Words(`^ambiguous: `, example.ErrAmbiguous),
	testkit.Words(`^varint of more than 64 bits`, example.ErrOverflow),
	testkit.Words(`^packed floats of \d+ bytes`, example.ErrPacked),
	testkit.Words(`^illegal field number`, example.ErrWireType),
	testkit.Words(`^a map entry repeats`, example.ErrEntry),

	testkit.Words(`Data types don't match`, example.ErrKind, errBytes, errCount),
	testkit.Words(`is required but could not be found`, errMissing, errBytes),
	testkit.Words(`[Nn]umber of (\w+ )?values != expected|Inconsistent (max )?number of elements|Unexpected number of elements`, errCount, errBytes, errMissing),
	// These messages blame the bytes without a reason. The last class is failures of TensorFlow: an error text that
	// is not UTF-8, and a crash.
	testkit.Words(`Can't parse serialized Example|Could not parse example input|Invalid protocol message input|Error in sequence feature`, errBytes, errCount),
	testkit.Words(`Unsupported datatype`, errBytes, errCount, errMissing), // a feature without a list that TensorFlow knows
	testkit.Words(`codec can't decode|the process died`, errBytes, errCount),
}

type wireCall struct{ sequence, single bool }

// A columnSpec is one entry of a spec, of a kind that these files have.
type columnSpec struct {
	kind    string
	dtype   string
	shape   []int64
	fill    any  // default, or padding
	hasFill bool // a default is given
}

func (w wireCall) run(c *testkit.Case) error {
	var records [][]byte
	if err := c.Decode("records", &records); err != nil {
		return err
	}
	var raw map[string]map[string]json.RawMessage
	if err := c.Decode("spec", &raw); err != nil {
		return err
	}
	specs := map[string]map[string]columnSpec{}
	for section, entries := range raw {
		specs[section] = map[string]columnSpec{}
		for name, r := range entries {
			s, err := parseColumnSpec(r)
			if err != nil {
				return fmt.Errorf("%s %q: %w", section, name, err)
			}
			specs[section][name] = s
		}
	}
	got, err := w.parse(specs, records)
	if _, bytes := errors.AsType[*example.Error](err); bytes {
		err = errors.Join(err, errBytes)
	}
	var disagree *disagreement
	if errors.As(err, &disagree) {
		return testkit.Fault(err)
	}
	return testkit.CheckParse(c, wireClasses, got, err)
}

func parseColumnSpec(raw json.RawMessage) (columnSpec, error) {
	var byKind map[string]struct {
		DType      string          `json:"dtype"`
		Shape      []int64         `json:"shape"`
		Default    json.RawMessage `json:"default"`
		Partitions []any           `json:"partitions"`
	}
	if err := json.Unmarshal(raw, &byKind); err != nil || len(byKind) != 1 {
		return columnSpec{}, testkit.Unknown("the spec %s", raw)
	}
	for kind, s := range byKind {
		known := slices.Contains([]string{"fixed_len", "fixed_len_sequence", "var_len", "ragged"}, kind)
		if !known || len(s.Partitions) > 0 || len(s.Shape) > 0 && kind == "fixed_len_sequence" {
			return columnSpec{}, testkit.Unknown("the spec %s", raw)
		}
		w := columnSpec{kind: kind, dtype: s.DType, shape: s.Shape, hasFill: s.Default != nil}
		switch s.DType {
		case "int64":
			w.fill = wireFill[int64](s.Default)
		case "float32":
			w.fill = wireFill[float32](s.Default)
		case "string":
			w.fill = wireFill[string](s.Default)
		}
		if w.fill == nil {
			return columnSpec{}, testkit.Unknown("the spec %s", raw)
		}
		return w, nil
	}
	panic("unreachable")
}

// wireFill returns the single value of a default, zero if there is no default, and nil if the default has a form
// that these files do not use.
func wireFill[T any](raw json.RawMessage) any {
	var zero T
	if raw == nil {
		return zero
	}
	var list []T
	if json.Unmarshal(raw, &list) != nil || len(list) != 1 {
		return nil
	}
	return list[0]
}

// A disagreement is a difference between two methods of package example to read one message.
type disagreement struct{ text string }

func (d *disagreement) Error() string { return d.text }

// A wireRow has the requested features of one section of one record; in a sequence, their steps.
type wireRow map[string][]example.Value

func (w wireCall) parse(specs map[string]map[string]columnSpec, records [][]byte) (testkit.Sections, error) {
	got := testkit.Sections{}
	if !w.sequence {
		rows, err := readRows(records, specs["features"], exampleRow)
		if err != nil {
			return nil, err
		}
		got["columns"], err = w.columns(specs["features"], rows, false)
		return got, err
	}
	context, err := readRows(records, specs["context"], contextRow)
	if err != nil {
		return nil, err
	}
	lists, err := readRows(records, specs["sequence"], listsRow)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		if err := agreeSequence(record, specs["context"], specs["sequence"]); err != nil {
			return nil, err
		}
	}
	if got["context"], err = w.columns(specs["context"], context, true); err != nil {
		return nil, err
	}
	if got["sequence"], err = w.lists(specs["sequence"], lists); err != nil {
		return nil, err
	}
	if !w.single {
		got["lengths"] = map[string]testkit.Value{}
		for name, s := range specs["sequence"] {
			if s.kind == "fixed_len_sequence" {
				lengths := make([]int64, len(lists))
				for i, row := range lists {
					lengths[i] = int64(len(row[name]))
				}
				got["lengths"][name] = int64Vector("int64", lengths)
			}
		}
	}
	return got, nil
}

func readRows(records [][]byte, specs map[string]columnSpec, read func([]byte, map[string]columnSpec) (wireRow, error)) ([]wireRow, error) {
	rows := make([]wireRow, len(records))
	for i, record := range records {
		row, err := read(record, specs)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
		rows[i] = row
	}
	return rows, nil
}

// exampleRow decodes the requested features, and compares with the owned form.
func exampleRow(record []byte, specs map[string]columnSpec) (wireRow, error) {
	row, all, err := entriesRow(record, specs, example.TypeExample.Collect)
	var owned example.Example
	ownedErr := owned.UnmarshalBinary(record)
	if valid := example.TypeExample.Validate(record); (valid == nil) != (ownedErr == nil) {
		return nil, &disagreement{fmt.Sprintf("UnmarshalBinary says %v, Validate %v", ownedErr, valid)}
	}
	return row, errors.Join(err, agree(row, err, owned, ownedErr, all))
}

func contextRow(record []byte, specs map[string]columnSpec) (wireRow, error) {
	row, _, err := entriesRow(record, specs, example.TypeSequence.Collect)
	return row, err
}

// entriesRow decodes the requested entries. all reports whether the message has no others.
func entriesRow(record []byte, specs map[string]columnSpec, collect func([]example.Entry, []byte) ([]example.Entry, error)) (row wireRow, all bool, err error) {
	entries, err := collect(nil, record)
	if err != nil {
		return nil, true, err
	}
	row, all = wireRow{}, true
	for _, e := range entries {
		if _, ok := specs[string(e.Name)]; !ok {
			all = false
			continue
		}
		v, err := e.Feature.Value()
		if err != nil {
			return nil, all, err
		}
		row[string(e.Name)] = []example.Value{v}
	}
	return row, all, nil
}

func listsRow(record []byte, specs map[string]columnSpec) (wireRow, error) {
	entries, err := example.CollectFeatureLists(nil, record)
	if err != nil {
		return nil, err
	}
	row := wireRow{}
	for _, e := range entries {
		if _, ok := specs[string(e.Name)]; !ok {
			continue
		}
		steps := []example.Value{}
		s := e.List.Scan()
		for s.Next() {
			v, err := s.Feature().Value()
			if err != nil {
				return nil, err
			}
			steps = append(steps, v)
		}
		if err := s.Err(); err != nil {
			return nil, err
		}
		row[string(e.Name)] = steps
	}
	return row, nil
}

// agree compares an owned Example with the results of the views. all means that the spec has all features in it.
func agree(row wireRow, err error, owned example.Example, ownedErr error, all bool) error {
	switch {
	case ownedErr == nil && err != nil, ownedErr != nil && err == nil && all:
		return &disagreement{fmt.Sprintf("the owned form says %v, the views %v", ownedErr, err)}
	case ownedErr != nil:
		return nil
	}
	for name, v := range row {
		if o, ok := owned[name]; !ok || !o.Equal(v[0]) {
			return &disagreement{fmt.Sprintf("%q: the owned form has %v (%v), the views %v", name, o, ok, v[0])}
		}
	}
	if all && len(owned) != len(row) {
		return &disagreement{fmt.Sprintf("the owned form has %d features, the views %d", len(owned), len(row))}
	}
	return nil
}

// agreeSequence compares an owned SequenceExample with the results of the views.
func agreeSequence(record []byte, context, lists map[string]columnSpec) error {
	var owned example.Sequence
	err := owned.UnmarshalBinary(record)
	if valid := example.TypeSequence.Validate(record); (valid == nil) != (err == nil) {
		return &disagreement{fmt.Sprintf("UnmarshalBinary says %v, Validate %v", err, valid)}
	}
	contextEntries, err1 := example.TypeSequence.Collect(nil, record)
	listEntries, err2 := example.CollectFeatureLists(nil, record)
	all := true
	for _, e := range contextEntries {
		all = all && hasKey(context, e.Name)
	}
	for _, e := range listEntries {
		all = all && hasKey(lists, e.Name)
	}
	if err1 == nil && err2 == nil && err != nil && all { // here the views have found no error
		return &disagreement{fmt.Sprintf("the owned form says %v, the views nothing", err)}
	}
	if err != nil {
		return nil
	}
	row, err := contextRow(record, context)
	if err := agree(row, err, owned.Context, nil, false); err != nil {
		return err
	}
	steps, err := listsRow(record, lists)
	if err != nil {
		return err
	}
	for name, list := range steps {
		if o, ok := owned.Lists[name]; !ok || !slices.EqualFunc(o, list, example.Value.Equal) {
			return &disagreement{fmt.Sprintf("list %q: the owned form has %v (%v), the views %v", name, o, ok, list)}
		}
	}
	return nil
}

func hasKey(specs map[string]columnSpec, name []byte) bool {
	_, ok := specs[string(name)]
	return ok
}

// columns builds the columns of an Example or of a context.
func (w wireCall) columns(specs map[string]columnSpec, rows []wireRow, context bool) (map[string]testkit.Value, error) {
	out := map[string]testkit.Value{}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		s := specs[name]
		cells := make([][]any, len(rows))
		for i, row := range rows {
			v, present := row[name]
			if present && v[0].Kind() == example.Unset && !context {
				present = false
			}
			if s.kind == "fixed_len" && !present {
				if !s.hasFill {
					return nil, fmt.Errorf("record %d: %q: %w", i, name, errMissing)
				}
				cells[i] = []any{s.fill}
				continue
			}
			if !present {
				continue
			}
			cell, err := s.cell(v[0])
			if err == nil && s.kind == "fixed_len" && len(cell) != 1 {
				err = fmt.Errorf("%w: %d, want 1", errCount, len(cell))
			}
			if err != nil {
				return nil, fmt.Errorf("record %d: %q: %w", i, name, err)
			}
			cells[i] = cell
		}
		out[name] = s.column(cells, w.single)
	}
	return out, nil
}

// lists builds the columns of feature lists.
func (w wireCall) lists(specs map[string]columnSpec, rows []wireRow) (map[string]testkit.Value, error) {
	out := map[string]testkit.Value{}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		s := specs[name]
		cells := make([][][]any, len(rows))
		for i, row := range rows {
			steps, present := row[name]
			if !present && s.kind == "fixed_len_sequence" {
				return nil, fmt.Errorf("record %d: list %q: %w", i, name, errMissing)
			}
			for j, v := range steps {
				cell, err := s.cell(v)
				if err == nil && s.kind == "fixed_len_sequence" && len(cell) != 1 {
					err = fmt.Errorf("%w: %d, want 1", errCount, len(cell))
				}
				if err != nil {
					return nil, fmt.Errorf("record %d: list %q: step %d: %w", i, name, j, err)
				}
				cells[i] = append(cells[i], cell)
			}
		}
		v, err := s.listColumn(cells, w.single)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// cell returns the values of a feature, which must have the given dtype.
func (s columnSpec) cell(v example.Value) ([]any, error) {
	kinds := map[string]example.Kind{"int64": example.Int64List, "float32": example.FloatList, "string": example.BytesList}
	if k := v.Kind(); k != kinds[s.dtype] && k != example.Unset {
		return nil, fmt.Errorf("%w: want %s, got %v", example.ErrKind, s.dtype, k)
	}
	out := make([]any, 0, v.Len())
	for _, x := range v.Int64s {
		out = append(out, x)
	}
	for _, x := range v.Floats {
		out = append(out, x)
	}
	for _, x := range v.Bytes {
		out = append(out, string(bytes.Clone(x)))
	}
	return out, nil
}

// elements makes a slice of the Go type of the dtype.
func (s columnSpec) elements(values []any) any {
	switch s.dtype {
	case "int64":
		return wireTyped[int64](values)
	case "float32":
		return wireTyped[float32](values)
	}
	return wireTyped[string](values)
}

func wireTyped[T any](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = v.(T)
	}
	return out
}

func int64Vector(dtype string, values []int64) testkit.Dense {
	return testkit.Dense{DType: dtype, Shape: []int64{int64(len(values))}, Values: values}
}

// column builds one column of rows of values.
func (s columnSpec) column(cells [][]any, single bool) testkit.Value {
	var flat []any
	splits, longest := []int64{0}, int64(0)
	for _, cell := range cells {
		flat = append(flat, cell...)
		splits = append(splits, int64(len(flat)))
		longest = max(longest, int64(len(cell)))
	}
	lead := []int64{int64(len(cells))}
	if single {
		lead = nil
	}
	dense := func(values []any, shape ...int64) testkit.Dense {
		return testkit.Dense{DType: s.dtype, Shape: append(slices.Clone(lead), shape...), Values: s.elements(values)}
	}
	switch s.kind {
	case "fixed_len":
		return dense(flat, s.shape...)
	case "fixed_len_sequence":
		var padded []any
		for _, cell := range cells {
			padded = append(padded, s.pad(cell, longest)...)
		}
		return dense(padded, longest)
	case "var_len":
		sparse := testkit.Sparse{DType: s.dtype, DenseShape: append(slices.Clone(lead), longest), Values: s.elements(flat)}
		for i, cell := range cells {
			for j := range cell {
				sparse.Indices = append(sparse.Indices, wirePlace(single, i, j))
			}
		}
		return sparse
	}
	lead = nil
	if single {
		return dense(flat, int64(len(flat)))
	}
	return testkit.Ragged{Partitions: []testkit.Partition{testkit.SplitsOf(splits...)}, Flat: dense(flat, int64(len(flat)))}
}

// listColumn builds one column of rows of steps of values.
func (s columnSpec) listColumn(cells [][][]any, single bool) (testkit.Value, error) {
	var flat []any
	outer, inner := []int64{0}, []int64{0}
	steps, longest := int64(0), int64(0)
	sparse := testkit.Sparse{DType: s.dtype}
	for i, row := range cells {
		steps = max(steps, int64(len(row)))
		for j, cell := range row {
			flat = append(flat, cell...)
			inner = append(inner, int64(len(flat)))
			longest = max(longest, int64(len(cell)))
			for k := range cell {
				sparse.Indices = append(sparse.Indices, wirePlace(single, i, j, k))
			}
		}
		outer = append(outer, int64(len(inner)-1))
	}
	lead := []int64{int64(len(cells))}
	if single {
		lead = nil
	}
	switch s.kind {
	case "fixed_len_sequence":
		var padded []any
		for _, row := range cells {
			padded = append(padded, s.pad(slices.Concat(row...), steps)...)
		}
		return testkit.Dense{DType: s.dtype, Shape: append(lead, steps), Values: s.elements(padded)}, nil
	case "var_len":
		sparse.DenseShape = append(lead, steps, longest)
		sparse.Values = s.elements(flat)
		return sparse, nil
	case "ragged":
		r := testkit.Ragged{
			Partitions: []testkit.Partition{testkit.SplitsOf(outer...), testkit.SplitsOf(inner...)},
			Flat:       testkit.Dense{DType: s.dtype, Shape: []int64{int64(len(flat))}, Values: s.elements(flat)},
		}
		if single {
			r.Partitions = r.Partitions[1:]
		}
		return r, nil
	}
	return nil, testkit.Unknown("%s in a feature list", s.kind)
}

func (s columnSpec) pad(cell []any, n int64) []any {
	out := slices.Clone(cell)
	for int64(len(out)) < n {
		out = append(out, s.fill)
	}
	return out
}

// wirePlace is the place of a value. A single record has no row.
func wirePlace(single bool, place ...int) []int64 {
	if single {
		place = place[1:]
	}
	out := make([]int64, len(place))
	for i, p := range place {
		out[i] = int64(p)
	}
	return out
}
