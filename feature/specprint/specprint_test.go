package specprint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/specprint"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tensor"
)

// specs returns specs of every sort: those of the vectors, and some that are
// hard to write down.
func specs(t testing.TB) (out []feature.Spec) {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "testdata", "vectors", "parse", "*.jsonl*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		f, err := testkit.ReadVectors(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Cases {
			var raw json.RawMessage
			var s feature.Spec
			if c.Decode("spec", &raw) == nil && !seen[string(raw)] && s.UnmarshalJSON(raw) == nil && s.Validate() == nil {
				seen[string(raw)] = true
				out = append(out, s)
			}
		}
	}
	nan := math.Float32frombits(0xffc00123)
	return append(out,
		feature.Spec{Features: feature.Features{
			"\xff\x00\"\\\n é\u2028😀": feature.FixedLen{DType: feature.String, Default: example.Strings("\xfe\x00\"\\`\né")},
			"":                        feature.VarLen{DType: feature.Int64},
			"floats": feature.FixedLen{DType: feature.Float32, Shape: []int{7}, Default: example.Floats(
				nan, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0.1, 1e-45, 16777216)},
			"ints":   feature.FixedLen{DType: feature.Int64, Shape: []int{2, 1}, Default: example.Int64s(math.MinInt64, math.MaxInt64)},
			"none":   feature.FixedLen{DType: feature.Int64, Shape: []int{0}, Default: example.Int64s()},
			"blocks": feature.FixedLenSequence{DType: feature.Float32, Shape: []int{3}, Default: example.Floats(-1), AllowMissing: true},
			"bag":    feature.Sparse{DType: feature.String, IndexKeys: []string{"i\xff", "j"}, ValueKey: "v", Size: []int64{1 << 40, 0}, Sorted: true},
			"doc": feature.Ragged{DType: feature.Int64, ValueKey: "w", Partitions: []feature.Partition{
				feature.RowSplits("a"), feature.RowLengths("b"), feature.RowStarts("c"), feature.RowLimits("d"), feature.ValueRowIDs("e\n"), feature.UniformRowLength(2)}},
		}},
		feature.Spec{Examples: feature.Features{}, Context: feature.Features{"c": feature.VarLen{DType: feature.Int64}}},
	)
}

// The literals compile, and are the specs again. A program is made of them and run,
// without a file in the tree.
func TestGo(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("skipped: it needs the go command: %v", err)
	}
	all := specs(t)
	if !testkit.Long(t, "seven of eight specs of the vectors") { // to compile them all takes a while
		some := all[len(all)-2:] // our own
		for i := 0; i < len(all)-2; i += 8 {
			some = append(some, all[i])
		}
		all = some
	}
	var src bytes.Buffer
	src.WriteString(`package main

import (
	"encoding/json"
	"math"
	"os"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

var _ = []any{math.Pi, example.Int64s}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, spec := range specs {
		if err := out.Encode(map[string]any{"spec": spec, "empty": spec.Examples != nil && len(spec.Examples) == 0}); err != nil {
			panic(err)
		}
	}
}

var specs = []feature.Spec{
`)
	for _, s := range all {
		b, err := specprint.Go(s)
		if err != nil {
			t.Fatal(err)
		}
		src.Write(bytes.TrimSuffix(b, []byte("\n")))
		src.WriteString(",\n")
	}
	src.WriteString("}\n")
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "main.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "feature", "specprint", "literals", "main.go"): program}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{program: src.Bytes(), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "run", "-gcflags=-N -l", "-overlay", filepath.Join(dir, "overlay.json"), "./feature/specprint/literals")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for _, s := range all {
		var got struct {
			Spec  feature.Spec
			Empty bool
		}
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		want := feature.Spec{}
		if b, err := s.MarshalJSON(); err != nil || want.UnmarshalJSON(b) != nil { // the same way
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Spec, cmp.Comparer(sameFloat)); d != "" || got.Empty != (s.Examples != nil && len(s.Examples) == 0) {
			b, _ := specprint.Go(s)
			t.Errorf("%s\n%s", d, b)
		}
	}
}

// sameFloat: JSON does not keep the payload of a NaN.
func sameFloat(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// A module of Python says all of the spec: names, keys and numbers. That TensorFlow
// understands it as we do is TestPrintedPython of package feature.
func TestPython(t *testing.T) {
	for _, s := range specs(t) {
		b, err := specprint.Python(s)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		objects := 0
		for _, fs := range s.Groups() {
			objects += len(fs)
			for _, name := range slices.Sorted(maps.Keys(fs)) {
				if !strings.Contains(text, "    \""+name+"\": tf.io.") && utf8.ValidString(name) && !strings.ContainsAny(name, "\x00\"\\\n") {
					if !strings.Contains(text, "    b\""+name+"\": tf.io.") {
						t.Errorf("%q is not in\n%s", name, text)
					}
				}
			}
		}
		if n := strings.Count(text, ": tf.io."); n != objects {
			t.Errorf("%d features, want %d in\n%s", n, objects, text)
		}
		if again, err := specprint.Python(s); err != nil || !bytes.Equal(again, b) {
			t.Errorf("printed again it is another text: %v", err)
		}
	}
}

func TestUnsound(t *testing.T) {
	for _, s := range []feature.Spec{{}, {Features: feature.Features{"a": nil}}, {Features: feature.Features{"a": feature.FixedLen{Shape: []int{-1}}}}} {
		if b, err := specprint.Go(s); err == nil {
			t.Errorf("printed: %s", b)
		}
		if b, err := specprint.Python(s); err == nil {
			t.Errorf("printed: %s", b)
		}
	}
}

var doc = feature.Spec{Features: feature.Features{
	"label": feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
	"steps": feature.Ragged{DType: feature.String, ValueKey: "steps/words",
		Partitions: []feature.Partition{feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}},
}}

func ExampleGo() {
	b, err := specprint.Go(doc)
	if err != nil {
		panic(err)
	}
	fmt.Printf("var spec = %s", b)
	// Output:
	// var spec = feature.Spec{
	// 	Features: feature.Features{
	// 		"label": feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
	// 		"steps": feature.Ragged{DType: feature.String, ValueKey: "steps/words", Partitions: []feature.Partition{feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}},
	// 	},
	// }
}

func ExamplePython() {
	b, err := specprint.Python(feature.Spec{Features: feature.Features{
		"label": feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
		"tags":  feature.VarLen{DType: feature.String},
	}})
	if err != nil {
		panic(err)
	}
	features, _, _ := strings.Cut(string(b), "\n\n\n") // and a function parse
	fmt.Println(features)
	// Output:
	// """Parses tf.train.Example records."""
	// import tensorflow as tf
	//
	// FEATURES = {
	//     "label": tf.io.FixedLenFeature([], tf.int64, default_value=[0]),
	//     "tags": tf.io.VarLenFeature(tf.string),
	// }
}

// TestDecode prints how strings are decoded: as Go, and as comments of Python, whose parser returns strings.
func TestDecode(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{
		"n": feature.FixedLen{DType: feature.Int64},
		"v": feature.FixedLen{DType: feature.Int64, Shape: []int{2}},
		"x": feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Int64, BigEndian: true, Zlib: true, Bitcast: tensor.Uint64,
			Shape: []feature.Dimension{feature.Size(-1), feature.SizeOf("n"), feature.SizeAt{Feature: "v", Index: 1}}}},
		"y": feature.VarLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.BFloat16, Shape: []feature.Dimension{}}},
		"z": feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{DType: tensor.Float8E4M3FN, Shape: tensor.Shape{-1, 3}}},
		"w": feature.Ragged{DType: feature.String, Decode: feature.DecodeTensor{}},
		"u": feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{DType: tensor.QUint8}},
	}}
	want := `feature.Spec{
	Features: feature.Features{
		"n": feature.FixedLen{DType: feature.Int64},
		"u": feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{DType: tensor.QUint8}},
		"v": feature.FixedLen{DType: feature.Int64, Shape: []int{2}},
		"w": feature.Ragged{DType: feature.String, Decode: feature.DecodeTensor{}},
		"x": feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Int64, Shape: []feature.Dimension{feature.Size(-1), feature.SizeOf("n"), feature.SizeAt{Feature: "v", Index: 1}}, BigEndian: true, Zlib: true, Bitcast: tensor.Uint64}},
		"y": feature.VarLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.BFloat16, Shape: []feature.Dimension{}}},
		"z": feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{DType: tensor.Float8E4M3FN, Shape: tensor.Shape{-1, 3}}},
	},
}
`
	if got, err := specprint.Go(spec); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(got)))
	}
	python, err := specprint.Python(spec)
	for _, want := range []string{
		`"u": tf.io.VarLenFeature(tf.string),  # strings for tf.io.parse_tensor`,
		`"x": tf.io.FixedLenFeature([], tf.string),  # strings for tf.io.decode_raw, dtype int64`,
	} {
		if err != nil || !strings.Contains(string(python), "    "+want+"\n") {
			t.Errorf("%v\n%s\nwant %s", err, python, want)
		}
	}
}
