package tfmessage_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/test/sample"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

func appendMessage(t testing.TB, typ tfmessage.Message, rec []byte) []byte {
	t.Helper()
	line, err := tfmessage.NewPrinter(typ, &recordjson.Options{}).Append(nil, rec, tfrecord.Position{})
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// Expected values are from TensorFlow Serving's messages and from TensorFlow: logs.py and events.py in testdata/make.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		typ         tfmessage.Message
		file, lines string
	}{
		{tfmessage.PredictionLog, "models/logs.tfrecord", "models/logs.jsonl"},
		{tfmessage.Event, "messages/scalars.tfevents", "messages/scalars.jsonl"},
		{tfmessage.TensorProto, "messages/saved.snapshot", "messages/saved.jsonl"},
		{tfmessage.TensorProto, "messages/saved.gzip.snapshot", "messages/saved.jsonl"},
		{tfmessage.TensorProto, "messages/saved.snappy.snapshot", "messages/saved.jsonl"},
	} {
		t.Run(c.file, func(t *testing.T) { testAppend(t, c.typ, c.file, c.lines) })
	}
}

func testAppend(t *testing.T, typ tfmessage.Message, file, expected string) {
	want, err := os.ReadFile("../../../../testdata/" + expected)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(want), []byte("\n"))
	recs := sample.Records(t, file)
	if len(lines) != len(recs) {
		t.Fatalf("%d lines for %d records", len(lines), len(recs))
	}
	for i, rec := range recs {
		line := appendMessage(t, typ, rec)
		var got, want any
		for _, x := range []struct {
			to   *any
			text []byte
		}{{&got, line}, {&want, lines[i]}} {
			d := json.NewDecoder(bytes.NewReader(x.text))
			d.UseNumber()
			if err := d.Decode(x.to); err != nil {
				t.Fatalf("record %d: %v: %s", i, err, x.text)
			}
		}
		number := gocmp.Transformer("number", func(n json.Number) any { // int64 and uint64 exactly
			if f, err := n.Float64(); strings.ContainsAny(n.String(), ".e") {
				return [2]any{f, err}
			}
			return n.String()
		})
		roundSmallFloats(t, want)
		roundSmallFloats(t, got)
		if diff := gocmp.Diff(want, got, number); diff != "" {
			t.Errorf("record %d: %s", i, diff)
		}
		// The order of fields does not matter.
		if again := appendMessage(t, typ, reversed(rec)); !bytes.Equal(again, line) {
			t.Errorf("record %d: with its fields the other way round: %s; want %s", i, again, line)
		}
	}
}

// roundSmallFloats replaces the numbers of tensors of float16 and smaller dtypes by the nearest values of their dtype. They print
// with the fewest digits of their dtype; the expected values have those of float32.
func roundSmallFloats(t *testing.T, v any) {
	members, _ := v.(map[string]any)
	values, _ := members["values"].([]any)
	for _, m := range members {
		roundSmallFloats(t, m)
	}
	dtypes := map[any]tensor.DType{"float16": tensor.Float16, "bfloat16": tensor.BFloat16, "float8_e4m3fn": tensor.Float8E4M3FN, "float8_e5m2": tensor.Float8E5M2}
	dtype, ok := dtypes[members["dtype"]]
	if !ok {
		return
	}
	all := tensor.Tensor{DType: dtype, Shape: []int64{1 << (8 * dtype.Size())}}
	for bits := range all.Shape[0] {
		all.Bytes = append(all.Bytes, []byte{byte(bits), byte(bits >> 8)}[:dtype.Size()]...)
	}
	floats, err := all.Float32s()
	if err != nil {
		t.Fatal(err)
	}
	floats = slices.DeleteFunc(floats, func(v float32) bool { return v != v }) // NaN
	for i := range values {
		n, _ := values[i].(json.Number) // NaN and infinities are strings
		x, err := n.Float64()
		if err != nil || x == 0 {
			continue
		}
		values[i] = slices.MinFunc(floats, func(a, b float32) int { return cmp.Compare(math.Abs(float64(a)-x), math.Abs(float64(b)-x)) })
	}
}

// reversed returns a message with its fields in reverse order.
func reversed(msg []byte) (out []byte) {
	for len(msg) > 0 {
		_, _, n := protowire.ConsumeField(msg)
		out = append(slices.Clone(msg[:n]), out...)
		msg = msg[n:]
	}
	return out
}

func field(num protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), bytes.Join(parts, nil))
}

func TestOptions(t *testing.T) {
	rec := sample.Records(t, "messages/classify.tfrecord")[0]
	p := tfmessage.NewPrinter(tfmessage.PredictionLog, &recordjson.Options{Typed: true, Position: true})
	got, err := p.Append([]byte("x"), rec, tfrecord.Position{Name: "f", Record: 2, Offset: 9})
	want := `x{"_file":"f","_record":2,"_offset":9,"classify_log":{"request":{"model_spec":{"name":"half_plus_two","signature_name":"classify_x_to_y"},` +
		`"input":{"example_list":{"examples":[{"x":{"float32":[1.0]}},{"x":{"float32":[2.0]}}]}}}}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	tensors := sample.Records(t, "models/logs.tfrecord")[0]
	p = tfmessage.NewPrinter(tfmessage.PredictionLog, &recordjson.Options{Bytes: recordjson.BytesHex, Int64: recordjson.Int64String, NaN: recordjson.NaNNull})
	got, err = p.Append(nil, tensors, tfrecord.Position{})
	for _, part := range []string{`"values":[{"hex":"61220a"},{"hex":"ff"},`, `"values":["18446744073709551615","0"]`, `"shape":[2],"values":["-9223372036854775808",`, `[null,0.1]`, `-0.0,null,null,16777216.0]`} {
		if err != nil || !strings.Contains(string(got), part) {
			t.Errorf("%v: want %s in %s", err, part, got)
		}
	}
	p = tfmessage.NewPrinter(tfmessage.PredictionLog, &recordjson.Options{NaN: recordjson.NaNError})
	if got, err = p.Append([]byte("x"), tensors, tfrecord.Position{}); !errors.Is(err, recordjson.ErrNotFinite) || string(got) != "x" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	tensor := func(parts ...[]byte) []byte {
		return field(6, field(1, field(2, field(1, []byte("x")), field(2, parts...))))
	}
	million := append([]byte{8, 10}, field(2, field(2, protowire.AppendVarint([]byte{8}, 1<<21)))...) // bool [2097152], without values
	for _, c := range []struct {
		name, want string
		rec        []byte
	}{
		{"empty", "at byte 0: not a PredictionLog: want a log, got none", nil},
		{"metadata only", "not a PredictionLog: want a log, got none", field(1)},
		{"two logs", "at byte 4: regress_log: want this or classify_log, got both", append(field(2), field(3)...)},
		{"a log twice", "at byte 4: predict_log: want one value, got two", append(field(6), field(6)...)},
		{"wire type", "predict_log: want wire type LEN, got VARINT", []byte{6 << 3, 1}},
		{"cut", "at byte 2: predict_log", []byte{6<<3 | 2, 1, 8}},
		{"two versions", "predict_log.request.model_spec.version_label: want this or version, got both", field(6, field(1, field(1, field(2), field(4))))},
		{"an input twice", `predict_log.request.inputs["x"]: the key is repeated`, field(6, field(1, bytes.Repeat(field(2, field(1, []byte("x")), field(2, []byte{8, 3, 18, 0})), 2)))},
		{"no tensor", `predict_log.request.inputs["x"]: TensorProto: byte 0: unexpected dtype: invalid`, tensor()},
		{"broken tensor", `predict_log.request.inputs["x"]: TensorProto: byte 2: `, tensor([]byte{8, 3, 18, 9})},
		{"filled", `inputs["x"]: TensorProto: byte 0: over the limit: 0 values for shape [2097152]: more than 1048576 elements to fill`, tensor(million)},
		{"broken Example", "classify_log.request.input.example_list.examples[1]: ", field(2, field(1, field(2, field(1, field(1), field(1, []byte{10, 9})))))},
		{"two inputs", "want this or example_list, got both", field(2, field(1, field(2, field(1), field(2))))},
	} {
		line, err := tfmessage.NewPrinter(tfmessage.PredictionLog, &recordjson.Options{}).Append([]byte("x"), c.rec, tfrecord.Position{})
		if err == nil || !strings.HasPrefix(err.Error(), "message does not decode: at byte ") || !strings.Contains(err.Error(), c.want) || string(line) != "x" {
			t.Errorf("%s: %q, %v; want %s", c.name, line, err, c.want)
		}
	}
}

// TestEventErrors has records that do not decode as an Event or a TensorProto.
func TestEventErrors(t *testing.T) {
	event := func(value ...[]byte) []byte {
		return append([]byte{9, 0, 0, 0, 0, 0, 0, 0, 0}, field(5, field(1, value...))...)
	}
	variant := func(fields ...[]byte) []byte { return append([]byte{8, 21}, bytes.Join(fields, nil)...) }
	nested := variant(field(2))
	for range 101 {
		nested = variant(field(2), field(15, field(3, nested)))
	}
	for _, c := range []struct {
		name, want string
		typ        tfmessage.Message
		rec        []byte
	}{
		{"unknown field", "at byte 2: field 11: unknown field", tfmessage.Event, field(11)},
		{"unknown field of a value", "at byte 15: summary.value[0].field 10: unknown field", tfmessage.Event, event(field(10))},
		{"two contents", "want this or file_version, got both", tfmessage.Event, append(field(3, []byte("brain.Event:2")), field(4)...)},
		{"an Example", "wall_time: want wire type I64, got LEN", tfmessage.Event, field(1, field(1))},
		{"truncated tensor", "summary.value[0].tensor: TensorProto: ", tfmessage.Event, event(field(8, []byte{8, 1, 18, 9}))},
		{"truncated record", "at byte 0: ", tfmessage.Event, []byte{9, 0, 0}},
		{"no variant", "want a variant for each element of shape [], got 0", tfmessage.TensorProto, variant(field(2))},
		{"short content", "tensor_content: damaged tensor_content of a variant", tfmessage.TensorProto, variant(field(2), field(4, []byte{2, 8}))},
		{"long content", "damaged tensor_content of a variant", tfmessage.TensorProto, variant(field(2), field(4, []byte{0, 8}))},
		{"too many sizes", "damaged tensor_content of a variant", tfmessage.TensorProto, variant(field(2, field(2, []byte{8, 255, 255, 255, 255, 15})), field(4, []byte{0}))},
		{"content and values", "want this or tensor_content, got both", tfmessage.TensorProto, variant(field(2), field(4), field(15))},
		{"nested variants", "more than 100 nested variants", tfmessage.TensorProto, nested},
		{"no tensor", "TensorProto: byte 0: unexpected dtype: invalid", tfmessage.TensorProto, nil},
	} {
		line, err := tfmessage.NewPrinter(c.typ, &recordjson.Options{}).Append([]byte("x"), c.rec, tfrecord.Position{})
		if err == nil || !strings.HasPrefix(err.Error(), "message does not decode: at byte ") || !strings.Contains(err.Error(), c.want) || string(line) != "x" {
			t.Errorf("%s: %q, %v; want %s", c.name, line, err, c.want)
		}
	}
}

func FuzzAppend(f *testing.F) {
	for _, name := range []string{"messages/warmup.tfrecord", "messages/classify.tfrecord", "models/logs.tfrecord", "messages/scalars.tfevents", "messages/saved.snapshot"} {
		for _, rec := range sample.Records(f, name) {
			f.Add(rec)
		}
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		for _, typ := range []tfmessage.Message{tfmessage.PredictionLog, tfmessage.Event, tfmessage.TensorProto} {
			line, err := tfmessage.NewPrinter(typ, &recordjson.Options{}).Append([]byte("x"), rec, tfrecord.Position{})
			if err == nil && !json.Valid(line[1:]) || err != nil && string(line) != "x" {
				t.Errorf("%s, %v", line, err)
			}
		}
	})
}
