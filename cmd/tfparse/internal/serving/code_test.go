package serving

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
)

const module = "github.com/tfparse/tfparse"

// goTool runs the go command in the root of the module.
func goTool(t *testing.T, args ...string) []byte {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func testModels(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../../../testdata/models/*/" + model.FileName)
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	for _, f := range files {
		names = append(names, filepath.Dir(f))
	}
	return names
}

// TestPrintedGo type-checks what is printed for every signature of every model.
func TestPrintedGo(t *testing.T) {
	exports := map[string]string{}
	for line := range strings.Lines(string(goTool(t, "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", module+"/model", module+"/feature"))) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exports[path] = file
		}
	}
	fset := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	checked, refused := 0, 0
	for _, dir := range testModels(t) {
		m, err := model.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, sig := range m.Signatures() {
			if err := checkCode(styleGo, &sig); err != nil {
				refused++
				continue
			}
			var code bytes.Buffer
			printGo(&code, dir, &sig)
			file, err := parser.ParseFile(fset, dir+".go", code.Bytes(), parser.ParseComments)
			if err == nil {
				_, err = config.Check("main", fset, []*ast.File{file}, nil)
			}
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", dir, sig.Name, err, &code)
			}
			checked++
		}
	}
	if checked < 25 || refused == 0 {
		t.Errorf("%d functions were checked and %d models refused", checked, refused)
	}
}

// A printed program calls the function that is printed for a model, and writes the request.
var printedPrograms = map[string]string{
	"recipes": `package main

import (
	"os"

	"github.com/tfparse/tfparse/feature"
)

func main() {
	var spec feature.Spec
	text, err := os.ReadFile("testdata/recipes.spec.json")
	check(err)
	check(spec.UnmarshalJSON(text))
	p, err := feature.NewParser(spec, nil)
	check(err)
	batch := p.NewBatch()
	for _, name := range os.Args[1:] {
		record, err := os.ReadFile(name)
		check(err)
		check(batch.Append(record))
	}
	request, err := callServingDefault("testdata/models/recipes", spec)
	check(err)
	b, err := request(batch)
	check(err)
	os.Stdout.Write(b)
}
`,
	"tf1_classify": `package main

import "os"

func main() {
	var records [][]byte
	for _, name := range os.Args[1:] {
		record, err := os.ReadFile(name)
		check(err)
		records = append(records, record)
	}
	b, err := callServingDefault(records...)
	check(err)
	os.Stdout.Write(b)
}
`,
	"examples": `package main

import "os"

func main() {
	var records []string
	for _, name := range os.Args[1:] {
		record, err := os.ReadFile(name)
		check(err)
		records = append(records, string(record))
	}
	b, err := callServingDefault(records)
	check(err)
	os.Stdout.Write(b)
}
`,
}

// TestPrintedGoRuns runs printed functions: the requests are those that the command writes.
func TestPrintedGoRuns(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, err := os.Open("../../../../testdata/recipes.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var names []string
	var records [][]byte
	for record, err := range tfrecord.NewReader(in, nil).All() {
		if err != nil || len(records) == 3 {
			break
		}
		records = append(records, bytes.Clone(record))
		names = append(names, filepath.Join(dir, fmt.Sprint("record", len(records))))
		if err := os.WriteFile(names[len(names)-1], record, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The programs are in the module by the overlay only.
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	packages := []string{"build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir + string(filepath.Separator)}
	put := func(pkg, file, text string) {
		name := filepath.Join(dir, pkg+file)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, "internal", "printed", pkg, file)] = name
	}
	for name, text := range printedPrograms {
		m, err := model.Open(filepath.Join(root, "testdata", "models", name))
		if err != nil {
			t.Fatal(err)
		}
		sig, err := m.Signature("")
		if err != nil {
			t.Fatal(err)
		}
		var code bytes.Buffer
		printGo(&code, name, sig)
		put(name, "printed.go", code.String())
		put(name, "main.go", text)
		put(name, "check.go", "package main\n\nfunc check(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}\n")
		packages = append(packages, "./internal/printed/"+name)
	}
	text, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	goTool(t, packages...)
	for name := range printedPrograms {
		cmd := exec.Command(filepath.Join(dir, name), names...)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		got, err := cmd.Output()
		if want := requestOf(t, name, records); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %d bytes, want %d", name, err, len(got), len(want))
		}
	}
}

// requestOf is the request that the command makes of records.
func requestOf(t *testing.T, name string, records [][]byte) []byte {
	f := &feeder{signature: "serving_default", rows: len(records)}
	m, err := model.Open("../../../../testdata/models/" + name)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := signatureOf(m, f.signature)
	if err == nil {
		err = f.take(nil, sig)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.to = model.ModelSpec{Name: name, Signature: f.signature}
	switch f.records = slices.Clone(records); name {
	case "recipes":
		err = f.bindFile("../../../../testdata/recipes.spec.json")
		f.records = nil
		for _, r := range records {
			if err == nil {
				err = f.batch.Append(r)
			}
		}
	case "examples":
		f.serialized = "serialized"
		err = f.bindSerialized()
	}
	if err == nil {
		err = f.fill()
	}
	var b []byte
	if err == nil {
		b, err = f.appendGRPC(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPrintedCode has what the models differ in.
func TestPrintedCode(t *testing.T) {
	for _, c := range []struct {
		style           style
		name, signature string
		want            string
	}{
		{styleGo, "tf1_classify", "serving_default", "makes a ClassificationRequest of"},
		{styleGo, "tf1_classify", "regression", "makes a RegressionRequest of"},
		{styleGo, "numbers", "serving_default", "model.Bind(sig, spec, &model.BindOptions{Convert: model.ExactValues})"},
		{styleGo, "ragged3", "serving_default", `model.AppendPredictRequest(nil, to, feeds, "total")`},
		{styleGo, "examples", "serving_default", `model.Feed{Name: "examples", DType: model.String,`},
		{styleGo, "two_signatures", "serving_default", "// The model does not say what \"ids\" is: fill it in,"},
		{stylePython, "two_signatures", "serving_default", "# The model does not say what \"ids\" is: pass each of its tensors under its own name."},
	} {
		m, err := model.Open("../../../../testdata/models/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := m.Signature(c.signature)
		if err != nil {
			t.Fatal(err)
		}
		var code bytes.Buffer
		if c.style == styleGo {
			printGo(&code, c.name, sig)
		} else {
			printPython(&code, sig)
		}
		if !strings.Contains(code.String(), c.want) {
			t.Errorf("%s: no %s in\n%s", c.name, c.want, &code)
		}
	}
}

// TestPrintedUnknown fills in what the printed Go says, for the unknown input of a model.
func TestPrintedUnknown(t *testing.T) {
	m, err := model.Open("../../../../testdata/models/two_signatures")
	if err != nil {
		t.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		t.Fatal(err)
	}
	known := *sig
	known.Inputs = slices.Clone(sig.Inputs)
	in := &known.Inputs[0]
	in.Unknown, in.Form, in.DType, in.Shape = "", feature.RaggedForm, in.Components[0].DType, model.Shape{-1, -1}
	in.RaggedRank, in.SplitsDType = 1, model.Int64
	spec := feature.Spec{Features: feature.Features{"ids": feature.Ragged{DType: feature.Int64}, "w": feature.FixedLen{DType: feature.Int64}}}
	if _, err := model.Bind(&known, spec, nil); err != nil {
		t.Error(err)
	}
	var code bytes.Buffer
	printGo(&code, "two_signatures", sig)
	for _, line := range []string{
		`in.Unknown, in.Form, in.DType, in.Shape = "", feature.RaggedForm, in.Components[0].DType, model.Shape{-1, -1}`,
		"in.RaggedRank, in.SplitsDType = 1, model.Int64",
	} {
		if !strings.Contains(code.String(), line) {
			t.Errorf("no %s in\n%s", line, &code)
		}
	}
}
