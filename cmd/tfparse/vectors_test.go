package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestVectors runs the cases of the family parse through the command: batches as
// tensors; the same from records that were printed as rows and encoded again; single
// records as rows.
func TestVectors(t *testing.T) {
	t.Setenv("GOGC", "400") // to set it anew in every run would wait for the collector
	v := &vectors{t: t, spec: filepath.Join(t.TempDir(), "spec.json")}
	s := &testkit.Suite{Family: "parse", Key: "call", Members: []string{"spec", "records", "tf_validate_false"}}
	if !testkit.Long(t, "seven of eight cases") { // which package feature runs
		s.Every = 8
	}
	s.Handle("parse_example", v.batch)
	s.Handle("parse_sequence_example", v.batch)
	s.Handle("parse_single_example", v.single)
	s.Handle("parse_single_sequence_example", v.single)
	s.Run(t)
}

type vectors struct {
	t    *testing.T
	spec string // the file
}

// prepare writes the spec of a case to the file and returns its records as a
// TFRecord.
func (v *vectors) prepare(c *testkit.Case) (file []byte, n int, err error) {
	var spec json.RawMessage
	var records [][]byte
	if err := errors.Join(c.Decode("spec", &spec), c.Decode("records", &records)); err != nil {
		return nil, 0, err
	}
	for _, r := range records {
		file = tfrecord.AppendRecord(file, r)
	}
	return file, len(records), os.WriteFile(v.spec, spec, 0o666)
}

// outcome compares how the command ended with what the case requires. done is true
// if there is no more to compare.
func outcome(c *testkit.Case, code int, stdout, stderr string) (done bool, err error) {
	w := c.Want()
	var phase string
	switch {
	case w.Fail && w.Ours && c.HasOurs("phase"):
		err = c.DecodeOurs("phase", &phase)
	case w.Fail && !w.Ours:
		var e struct{ Phase string }
		err = json.Unmarshal(w.Error, &e)
		phase = e.Phase
	}
	lines := strings.Count(stderr, "\n")
	switch {
	case err != nil:
		return true, testkit.Fault(err)
	case code == cli.ExitUsage && w.Fail && (phase == "config" || c.Tagged("config")):
		if lines == 0 || stdout != "" {
			return true, fmt.Errorf("a spec is refused with %q and %q", stdout, stderr)
		}
		return true, nil
	case w.Fail && phase != "config":
		if code != cli.ExitBadInput || lines != 1 || !regexp.MustCompile(`^tfparse: -(#\d+)?: record `).MatchString(stderr) {
			return true, fmt.Errorf("want exit code 4 and the place of a fault, got %d, %q and %q", code, stdout, stderr)
		}
		return true, nil
	case w.Fail:
		return true, fmt.Errorf("want a spec to be refused, got exit code %d", code)
	case code != cli.ExitDone || stderr != "":
		return true, fmt.Errorf("want success, got exit code %d and %q", code, stderr)
	}
	return false, nil
}

// batch prints all records as one batch, and again after encoding.
func (v *vectors) batch(c *testkit.Case) error {
	file, n, err := v.prepare(c)
	if err != nil {
		return err
	}
	print := func(file []byte) (int, string, string) {
		return runWith(v.t, bytes.NewReader(file), "cat", "--spec", v.spec, "--batch", strconv.Itoa(n+1), "-")
	}
	code, stdout, stderr := print(file)
	if done, err := outcome(c, code, stdout, stderr); done {
		return err
	}
	if n == 0 {
		if stdout != "" {
			return fmt.Errorf("no records print as %q", stdout)
		}
		return nil
	}
	if err := sameTensors(c, n, stdout); err != nil {
		return err
	}
	code, rows, stderr := runWith(v.t, bytes.NewReader(file), "cat", "--spec", v.spec, "-")
	if code != cli.ExitDone {
		return fmt.Errorf("rows: exit code %d: %s", code, stderr)
	}
	code, again, stderr := runWith(v.t, strings.NewReader(rows), "encode", "--spec", v.spec, "-o", "-")
	if strings.Contains(stderr, "want the values of this key that") && strings.Contains(rows, `"indices"`) {
		return nil // a key is read by a feature that sorts and by one that does not: nothing to be written gives both
	}
	if code != cli.ExitDone {
		return fmt.Errorf("encode: exit code %d: %s: %s", code, stderr, rows)
	}
	code, stdout, stderr = print([]byte(again))
	if code != cli.ExitDone {
		return fmt.Errorf("encoded: exit code %d: %s", code, stderr)
	}
	if err := sameTensors(c, n, stdout); err != nil {
		return fmt.Errorf("encoded: %w: %s", err, rows)
	}
	return nil
}

// sameTensors compares Tensor JSON with what the case expects.
func sameTensors(c *testkit.Case, rows int, line string) error {
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	if string(got["rows"]) != strconv.Itoa(rows) {
		return fmt.Errorf("want %d rows, got %s", rows, got["rows"])
	}
	delete(got, "rows")
	var want map[string]map[string]json.RawMessage
	if err := json.Unmarshal(c.Want().Expect, &want); err != nil {
		return testkit.Fault(err)
	}
	wants, gots := map[string]testkit.Value{}, map[string]testkit.Value{}
	for section, columns := range want {
		dict, err := parseColumns(columns)
		if err != nil {
			return err
		}
		wants[section] = dict
	}
	for section, raw := range got {
		var columns map[string]json.RawMessage
		if err := json.Unmarshal(raw, &columns); err != nil {
			return fmt.Errorf("%s: %w", section, err)
		}
		for name := range columns {
			columns[name] = bytesAsBase64(columns[name])
		}
		dict, err := parseColumns(columns)
		if err != nil {
			return fmt.Errorf("%s: %v", section, err)
		}
		gots[section] = dict
	}
	if d := testkit.RuleOf(c).Dicts(wants, gots); d != "" {
		return errors.New(d)
	}
	return nil
}

func parseColumns(raw map[string]json.RawMessage) (testkit.Dict, error) {
	dict := testkit.Dict{}
	for printed, r := range raw {
		v, err := testkit.ParseValue(r)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", printed, err)
		}
		dict[printed] = v
	}
	return dict, nil
}

// bytesAsBase64 turns the byte strings of a tensor, which are those of Record JSON,
// into those of vectors.
func bytesAsBase64(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	var turn func(v any)
	turn = func(v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if values, ok := m["values"].([]any); ok && m["dtype"] == "string" {
			for i, e := range values {
				if s, ok := byteString(e); ok {
					values[i] = base64.StdEncoding.EncodeToString([]byte(s))
				}
			}
		}
		for _, inner := range m {
			turn(inner)
		}
	}
	turn(v)
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// byteString reads a byte string of Record JSON.
func byteString(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case map[string]any:
		text, ok := v["b64"].(string)
		b, err := base64.StdEncoding.DecodeString(text)
		return string(b), ok && err == nil && len(v) == 1
	}
	return "", false
}

// single prints a record as a row, and compares it with the tensors that the case
// expects, nested as lists.
func (v *vectors) single(c *testkit.Case) error {
	file, _, err := v.prepare(c)
	if err != nil {
		return err
	}
	code, stdout, stderr := runWith(v.t, bytes.NewReader(file), "cat", "--spec", v.spec, "-")
	if done, err := outcome(c, code, stdout, stderr); done {
		return err
	}
	var want map[string]map[string]json.RawMessage
	if err := json.Unmarshal(c.Want().Expect, &want); err != nil {
		return testkit.Fault(err)
	}
	got := map[string]map[string]any{}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.UseNumber()
	if columns, ok := want["columns"]; ok {
		row := map[string]any{}
		err = d.Decode(&row)
		got["columns"], want = row, map[string]map[string]json.RawMessage{"columns": columns}
	} else {
		err = d.Decode(&got)
	}
	if err != nil || len(got) != len(want) {
		return fmt.Errorf("%w: %s", err, stdout)
	}
	var spec map[string]map[string]map[string]any
	if err := c.Decode("spec", &spec); err != nil {
		return err
	}
	for section, columns := range want {
		if len(columns) != len(got[section]) {
			return fmt.Errorf("%s: want %d features: %s", section, len(columns), stdout)
		}
		kinds := spec[section]
		if section == "columns" {
			kinds = spec["features"]
		}
		for name, raw := range columns {
			value, err := testkit.ParseValue(raw)
			if err != nil {
				return err
			}
			_, sparse := kinds[name]["sparse"]
			want, dtype := nestedOf(value, sparse)
			if got := leaves(got[section][name], dtype); !reflect.DeepEqual(want, got) {
				return fmt.Errorf("%s %q: want %v, got %v", section, name, want, got)
			}
		}
	}
	return nil
}

// nestedOf writes a tensor as a row does: lists in lists, values as texts. sparse
// says that the feature has indices of its own.
func nestedOf(v testkit.Value, sparse bool) (nested any, dtype string) {
	switch v := v.(type) {
	case testkit.Dense:
		return denseLists(texts(v.Values), v.Shape), v.DType
	case testkit.Ragged:
		return raggedLists(v), v.Flat.DType
	case testkit.Sparse:
		values := texts(v.Values)
		if sparse {
			indices := []any{}
			for _, at := range v.Indices {
				indices = append(indices, texts(at))
			}
			return map[string]any{"indices": indices, "values": values}, v.DType
		}
		if len(v.DenseShape) == 1 {
			return values, v.DType
		}
		steps := make([]any, v.DenseShape[0])
		for i := range steps {
			steps[i] = []any{}
		}
		for i, at := range v.Indices {
			steps[at[0]] = append(steps[at[0]].([]any), values[i])
		}
		return steps, v.DType
	}
	return nil, ""
}

func denseLists(values []any, shape []int64) any {
	if len(shape) == 0 {
		return values[0]
	}
	list := make([]any, shape[0])
	for i := range list {
		step := len(values) / len(list)
		list[i] = denseLists(values[i*step:(i+1)*step], shape[1:])
	}
	return list
}

func raggedLists(v testkit.Ragged) any {
	items := denseLists(texts(v.Flat.Values), v.Flat.Shape).([]any)
	for i := len(v.Partitions) - 1; i >= 0; i-- {
		rows := []any{}
		for j := range v.Partitions[i].NRows {
			rows = append(rows, append([]any{}, items[v.Partitions[i].Splits[j]:v.Partitions[i].Splits[j+1]]...))
		}
		items = rows
	}
	return items
}

// texts writes values so that equal ones are equal: NaNs too, and zeros of one sign
// only.
func texts(values any) []any {
	list := []any{}
	v := reflect.ValueOf(values)
	for i := range v.Len() {
		list = append(list, text(v.Index(i).Interface()))
	}
	return list
}

func text(v any) string {
	f, ok := v.(float32)
	switch {
	case !ok:
		return fmt.Sprint(v)
	case f != f:
		return "NaN"
	}
	return fmt.Sprintf("%08x", math.Float32bits(f))
}

// leaves turns what JSON has of a row into the same form.
func leaves(v any, dtype string) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = leaves(v[i], dtype)
		}
		return list
	case map[string]any:
		if s, ok := byteString(v); ok {
			return s
		}
		return map[string]any{"indices": leaves(v["indices"], "int64"), "values": leaves(v["values"], dtype)}
	case string:
		if dtype == "float32" {
			f, err := strconv.ParseFloat(v, 32) // knows NaN and Infinity
			if err != nil {
				return err
			}
			return text(float32(f))
		}
		return v
	case json.Number:
		if dtype == "float32" {
			f, err := strconv.ParseFloat(v.String(), 32)
			if err != nil || !strings.ContainsAny(v.String(), ".e") {
				return fmt.Sprintf("%v does not look like a float", v)
			}
			return text(float32(f))
		}
		return v.String()
	}
	return fmt.Sprintf("a %T", v)
}
