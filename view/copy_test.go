package view

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// Records that are copied: every kind, names and values of any bytes, and numbers that have no literal of their own.
var (
	copyExample = example.Example{
		"none": {}, "no ints": example.Int64s(), "no strings": example.Strings(), "no floats": example.Floats(),
		"ints":   example.Int64s(0, -1, math.MaxInt64, math.MinInt64),
		"floats": example.Floats(1, -0.1, 1e-45, math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))),
		"text":   example.Strings("it's \"quoted\"\n\\", "é\u2028", "", "</script>"),
		"bytes":  example.Strings("\x00\xff\x7f"),
		"":       example.Int64s(1), "é\"\\\t\u2028": example.Int64s(2),
	}
	copySequence = example.Sequence{
		Context: example.Example{"id": example.Strings("a")},
		Lists:   map[string][]example.Value{"steps": {example.Int64s(1, 2), {}, example.Int64s()}, "empty": {}, "words": {example.Strings("x")}},
	}
	copyList = example.ExampleList{HasContext: true, Context: example.Example{"q": example.Strings("a")}, Examples: []example.Example{{"score": example.Floats(0.5)}, {}}}
)

var copies = []struct {
	name   string
	kind   example.MessageType
	record interface{ MarshalBinary() ([]byte, error) }
	copied interface{ MarshalBinary() ([]byte, error) } // in copied_test.go
}{
	{"copiedExample", example.TypeExample, copyExample, copiedExample},
	{"copiedSequence", example.TypeSequence, copySequence, copiedSequence},
	{"copiedList", example.TypeExampleList, copyList, copiedList},
}

// TestCopyGo compares copies with copied_test.go, which the compiler has read, and the values in it with the records.
func TestCopyGo(t *testing.T) {
	source := []byte("package view\n\nimport (\n\t\"math\"\n\n\t\"github.com/tfparse/tfparse/example\"\n)\n\n// TestCopyGo compares this file with copies of records. UPDATE=1 writes it.\n")
	for _, c := range copies {
		record := marshal(t, c.record)
		text, err := copyRecord(c.kind, record, "go")
		if err != nil {
			t.Fatal(err)
		}
		source = append(append(append(source, "\nvar "+c.name+" = "...), text...), "\n"...)
		if got := marshal(t, c.copied); !bytes.Equal(got, record) {
			t.Errorf("%s: the copy encodes as\n%q, want\n%q", c.name, got, record)
		}
	}
	compareText(t, "copied_test.go", bytes.ReplaceAll(bytes.TrimRight(source, "\n"), []byte("\n\n\n"), []byte("\n\n")))
}

func compareText(t *testing.T, file string, got []byte) {
	t.Helper()
	got = append(bytes.TrimRight(got, "\n"), '\n')
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs:\n%s", file, got)
	}
}

// TestCopyPython compares copies with files that TensorFlow 2.21 has run, ExampleListWithContext with tensorflow-serving-api
// 2.16.1: the messages are equal to the records.
func TestCopyPython(t *testing.T) {
	for _, c := range copies {
		text, err := copyRecord(c.kind, marshal(t, c.record), "python")
		if err != nil {
			t.Fatal(err)
		}
		compareText(t, filepath.Join("testdata", c.name+".py"), text)
	}
	if _, err := copyRecord(example.TypeExample, marshal(t, example.Example{"\xff": {}}), "python"); err == nil {
		t.Error("a name that is not UTF-8: no error")
	}
}

// TestCopyJSON compares the values in indented JSON with those in compact JSON.
func TestCopyJSON(t *testing.T) {
	for _, c := range copies {
		text, err := copyRecord(c.kind, marshal(t, c.record), "json")
		if err != nil {
			t.Fatal(err)
		}
		compareText(t, filepath.Join("testdata", c.name+".json"), text)
	}
	for _, compact := range []string{`{}`, `[]`, `{"a":[],"b":{}}`, `[[1,2],[{"x":"},{[\"]:,"}]]`, `"\\"`, `[{"b64":"/w=="},null]`} {
		var b bytes.Buffer
		if err := json.Compact(&b, indentJSON([]byte(compact))); err != nil || b.String() != compact {
			t.Errorf("%s: %v: %s", compact, err, indentJSON([]byte(compact)))
		}
	}
}

// TestCopySpec asks for the spec in each form.
func TestCopySpec(t *testing.T) {
	h := newFileHandler(t, &Options{Spec: readSpec(t, "recipes.spec.json")}, "../testdata/recipes.tfrecord")
	for form, want := range map[string]string{"json": "{\n  \"features\": {\n    \"allergens\": {\n      \"ragged\": {", "python": `"""Parses tf.train.Example records."""`, "go": "feature.Spec{\n\tFeatures: feature.Features{"} {
		w := get(t, h, "api/spec?as="+form)
		if w.Code != 200 || !strings.HasPrefix(w.Body.String(), want) || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %s", form, w.Code, w.Body)
		}
		if w := get(t, h, "api/copy?record=0&as="+form); w.Code != 200 || !strings.Contains(w.Body.String(), "Pancakes") {
			t.Errorf("%s: %d %s", form, w.Code, w.Body)
		}
	}
}
