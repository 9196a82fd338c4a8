package example_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// wireCases reads the cases about encodings: TensorFlow's results for every unusual encoding.
func wireCases(t *testing.T) (cases []*testkit.Case) {
	t.Helper()
	for _, f := range testkit.Vectors(t, "parse") {
		if isWire(f) {
			cases = append(cases, f.Cases...)
		}
	}
	if len(cases) == 0 {
		t.Skip("no file of the vectors is about encodings")
	}
	return cases
}

// A wireCase is one decoded case. Each of its specs reads one wire key.
type wireCase struct {
	name             string
	sequence, single bool
	spec             map[string]map[string]wireSpec
	records          [][]byte
	want             testkit.Want // the result that this package must have
	tensorflow       json.RawMessage
}

type wireSpec struct {
	form       string // var_len, fixed_len, fixed_len_sequence, ragged
	kind       example.Kind
	shape      []int
	hasDefault bool
	def        []string
}

func decodeWireCase(t *testing.T, c *testkit.Case) wireCase {
	t.Helper()
	w := wireCase{name: c.Name, want: c.Want(), spec: map[string]map[string]wireSpec{}}
	var call string
	var spec map[string]map[string]map[string]struct {
		DType      string `json:"dtype"`
		Shape      []int  `json:"shape"`
		Default    []any  `json:"default"`
		Partitions []any  `json:"partitions"`
	}
	check := func(err error) {
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
	check(c.Decode("call", &call))
	check(c.Decode("spec", &spec))
	check(c.Decode("records", &w.records))
	if c.Has("expect") {
		check(c.Decode("expect", &w.tensorflow))
	}
	w.sequence, w.single = strings.Contains(call, "sequence"), strings.Contains(call, "single")
	for group, features := range spec {
		w.spec[group] = map[string]wireSpec{}
		for key, forms := range features {
			for form, a := range forms {
				kind, ok := map[string]example.Kind{"string": example.BytesList, "float32": example.FloatList, "int64": example.Int64List}[a.DType]
				if !ok || len(a.Partitions) > 0 {
					t.Fatalf("%s: unknown spec of %q", c.Name, key)
				}
				s := wireSpec{form: form, kind: kind, shape: a.Shape, hasDefault: a.Default != nil}
				for _, v := range a.Default {
					s.def = append(s.def, fmt.Sprint(v))
				}
				w.spec[group][key] = s
			}
		}
	}
	return w
}

// A lookup reads the value of a key in one record.
type lookup struct {
	feature func(b []byte, sequence bool, name string) (tensorflowValue, bool, error)
	list    func(b []byte, name string) ([]tensorflowValue, bool, error)
}

var errSpec = errors.New("the values do not fit the spec")

// run is a simple implementation of the whole parser. It returns nested rows of values as text.
func (w wireCase) run(l lookup) (map[string]any, error) {
	out := map[string]any{}
	for group, features := range w.spec {
		for key, s := range features {
			rows := []any{}
			for _, b := range w.records {
				var row any
				var err error
				if group == "sequence" {
					row, err = s.steps(l.list(b, key))
				} else {
					row, err = s.values(w.sequence)(l.feature(b, w.sequence, key))
				}
				if err != nil {
					return nil, err
				}
				rows = append(rows, row)
			}
			if s.form == "fixed_len_sequence" && group == "features" {
				s.pad(rows)
			}
			out[group+"/"+key] = rows
		}
	}
	return out, nil
}

// pad makes the rows of a FixedLenSequence equally long.
func (s wireSpec) pad(rows []any) {
	zero := map[example.Kind]string{example.Int64List: "0", example.FloatList: "00000000"}[s.kind]
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.([]string)))
	}
	for i, r := range rows {
		rows[i] = append(slices.Clone(r.([]string)), slices.Repeat([]string{zero}, longest-len(r.([]string)))...)
	}
}

func (s wireSpec) size() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

func (s wireSpec) values(sequence bool) func(tensorflowValue, bool, error) ([]string, error) {
	return func(r tensorflowValue, ok bool, err error) ([]string, error) {
		switch {
		case err != nil:
			return nil, err
		case r.kind != example.Unset && r.kind != s.kind:
			return nil, errSpec
		case s.form != "fixed_len":
			return r.values, nil
		case !ok || r.kind == example.Unset && !sequence:
			if !s.hasDefault {
				return nil, errSpec
			}
			return s.def, nil
		case len(r.values) != s.size():
			return nil, errSpec
		}
		return r.values, nil
	}
}

func (s wireSpec) steps(steps []tensorflowValue, ok bool, err error) ([]any, error) {
	if err != nil {
		return nil, err
	}
	if !ok && s.form == "fixed_len_sequence" {
		return nil, errSpec // no case allows a missing feature
	}
	out := []any{}
	for _, r := range steps {
		if r.kind != example.Unset && r.kind != s.kind || s.form == "fixed_len_sequence" && len(r.values) != s.size() {
			return nil, errSpec
		}
		out = append(out, r.values)
	}
	return out, nil
}

// expected turns a VALUE of the vectors into the rows that run returns.
func (w wireCase) expected(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var groups map[string]map[string]json.RawMessage
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for group, columns := range groups {
		if group == "columns" {
			group = "features"
		}
		if group == "lengths" {
			continue // the rows of a FixedLenSequence are cut to them, below
		}
		for key, raw := range columns {
			v, err := testkit.ParseValue(raw)
			if err != nil {
				t.Fatal(err)
			}
			rows := w.rows(t, v, group == "sequence")
			if lengths, ok := groups["lengths"][key]; ok && group == "sequence" {
				l, err := testkit.ParseValue(lengths)
				if err != nil {
					t.Fatal(err)
				}
				for i, n := range l.(testkit.Dense).Values.([]int64) {
					rows[i] = rows[i].([]any)[:n]
				}
			}
			out[group+"/"+key] = rows
		}
	}
	return out
}

func (w wireCase) rows(t *testing.T, v testkit.Value, lists bool) []any {
	t.Helper()
	switch v := v.(type) {
	case testkit.Sparse:
		at := func(ix []int64, d int) int64 {
			if w.single {
				d--
			}
			if d < 0 {
				return 0
			}
			return ix[d]
		}
		rows := make([]any, at(append([]int64{}, v.DenseShape...), 0))
		if w.single {
			rows = make([]any, 1)
		}
		values := texts(v.Values)
		for i := range rows {
			var flat []string
			steps := make([]any, 0)
			if lists {
				for range v.DenseShape[1] {
					steps = append(steps, []string(nil))
				}
			}
			for j, ix := range v.Indices {
				if at(ix, 0) != int64(i) {
					continue
				}
				if lists {
					steps[ix[1]] = append(steps[ix[1]].([]string), values[j])
				}
				flat = append(flat, values[j])
			}
			rows[i] = flat
			if lists {
				rows[i] = steps
			}
		}
		return rows
	case testkit.Ragged:
		rows := []any{}
		values := texts(v.Flat.Values)
		outer := v.Partitions[0].Splits
		for i := range len(outer) - 1 {
			if !lists {
				rows = append(rows, values[outer[i]:outer[i+1]])
				continue
			}
			inner := v.Partitions[1].Splits
			steps := []any{}
			for j := outer[i]; j < outer[i+1]; j++ {
				steps = append(steps, values[inner[j]:inner[j+1]])
			}
			rows = append(rows, steps)
		}
		return rows
	case testkit.Dense:
		values := texts(v.Values)
		if w.single {
			return []any{values}
		}
		n := len(values) / max(1, int(v.Shape[0]))
		rows := []any{}
		for i := range v.Shape[0] {
			row := values[int(i)*n : int(i+1)*n]
			if !lists {
				rows = append(rows, row)
				continue
			}
			steps := []any{}
			for _, v := range row { // every step in the cases has the shape []
				steps = append(steps, []string{v})
			}
			rows = append(rows, steps)
		}
		return rows
	}
	t.Fatalf("%s: a value of type %T", w.name, v)
	return nil
}

// texts returns the values in the form of a reading.
func texts(values any) []string {
	switch v := values.(type) {
	case []int64:
		return valueReading(example.Int64s(v...)).values
	case []float32:
		return valueReading(example.Floats(v...)).values
	}
	return values.([]string)
}

// sameRows compares rows. An empty row and no row are the same.
func sameRows(got, want map[string]any) bool {
	return fmt.Sprintf("%q", got) == fmt.Sprintf("%q", want)
}

func TestWireVectors(t *testing.T) {
	cases := wireCases(t)
	counts := map[string]int{}
	for _, c := range cases {
		w := decodeWireCase(t, c)
		for name, l := range map[string]lookup{"package": {fastFeature, fastList}, "slow": {slowFeature, slowListOf}} {
			got, err := w.run(l)
			switch {
			case w.want.Fail && err == nil:
				t.Errorf("%s: %s: accepted %q, want an error: %s", name, c.Name, got, w.want.Why)
			case !w.want.Fail && err != nil:
				t.Errorf("%s: %s: %v; want %s", name, c.Name, err, w.want.Expect)
			case !w.want.Fail && !sameRows(got, w.expected(t, w.want.Expect)):
				t.Errorf("%s: %s: got %q, want %q", name, c.Name, got, w.expected(t, w.want.Expect))
			default:
				counts[name]++
			}
		}
		if !w.modelled() {
			continue
		}
		counts["modelled"]++
		got, err := w.tf()
		switch {
		case w.tensorflow == nil && err == nil:
			t.Errorf("model of TensorFlow: %s: accepted %q, TensorFlow refused", c.Name, got)
		case w.tensorflow != nil && err != nil:
			t.Errorf("model of TensorFlow: %s: %v; TensorFlow gave %s", c.Name, err, w.tensorflow)
		case w.tensorflow != nil && !sameRows(got, w.expected(t, w.tensorflow)):
			t.Errorf("model of TensorFlow: %s: got %q, TensorFlow gave %s", c.Name, got, w.tensorflow)
		default:
			counts["tensorflow"]++
		}
	}
	t.Logf("%d cases about encodings; passed: package %d, slow implementation %d, model of TensorFlow %d of %d",
		len(cases), counts["package"], counts["slow"], counts["tensorflow"], counts["modelled"])
}

func slowFeature(b []byte, sequence bool, name string) (tensorflowValue, bool, error) {
	return slowRead(b, sequence).feature(name)
}

func slowListOf(b []byte, name string) ([]tensorflowValue, bool, error) {
	return slowRead(b, true).list(name)
}

// modelled reports whether the model of TensorFlow implements the form: VarLen, in a batch.
func (w wireCase) modelled() bool {
	for _, features := range w.spec {
		for _, s := range features {
			if s.form != "var_len" {
				return false
			}
		}
	}
	return !w.single
}

// tf is like run, but uses the model of TensorFlow.
func (w wireCase) tf() (map[string]any, error) {
	out := map[string]any{}
	for group, features := range w.spec {
		for key, s := range features {
			rows := []any{}
			for _, b := range w.records {
				m, err := tfRead(b, w.sequence)
				if err != nil {
					return nil, err
				}
				if group != "sequence" {
					v, err := m.feature(key, s.kind)
					if err != nil {
						return nil, err
					}
					rows = append(rows, v)
					continue
				}
				steps, err := m.steps(key, s.kind)
				if err != nil {
					return nil, err
				}
				row := []any{}
				for _, f := range steps {
					row = append(row, f)
				}
				rows = append(rows, row)
			}
			out[group+"/"+key] = rows
		}
	}
	return out, nil
}
