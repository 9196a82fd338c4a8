package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code that tfparse model prints compiles, for every model and signature in testdata, and
// the Python code is Python.
func TestModelCode(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: it compiles some forty packages")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	models, err := filepath.Glob(filepath.Join(root, "testdata", "models", "*", "saved_model.pb"))
	if err != nil || len(models) < 20 {
		t.Fatalf("%d models: %v", len(models), err)
	}
	dir := t.TempDir()
	var scripts []string
	for _, file := range models {
		name := filepath.Base(filepath.Dir(file))
		for _, format := range []string{"go", "python"} {
			cmd := tfparse(t, "model", "--format", format, filepath.Dir(file))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil && (name == "tf1_ragged" || name == "tf1_sparse") && strings.Contains(stderr.String(), "nothing can call it by name") {
				continue // one key stands for several tensors
			}
			if err != nil {
				t.Errorf("%s: %s: %v: %s", name, format, err, &stderr)
				continue
			}
			code := string(out)
			if format == "python" {
				scripts = append(scripts, filepath.Join(dir, name+".py"))
				write(t, scripts[len(scripts)-1], code)
				continue
			}
			if strings.Contains(code, "package main") {
				code += "\nfunc main() {}\n"
			}
			write(t, filepath.Join(dir, name, "x.go"), code)
		}
	}

	t.Run("go", func(t *testing.T) {
		tool, err := exec.LookPath("go")
		if err != nil {
			t.Skip("skipped: there is no go command:", err)
		}
		goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		goSum, err := os.ReadFile(filepath.Join(root, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		_, requires, _ := strings.Cut(string(goMod), "\ngo ")
		write(t, filepath.Join(dir, "go.mod"), fmt.Sprintf("module printed\n\ngo %s\nrequire github.com/tfparse/tfparse v0.0.0\nreplace github.com/tfparse/tfparse => %s\n", requires, root))
		write(t, filepath.Join(dir, "go.sum"), string(goSum))
		cmd := exec.Command(tool, "vet", "./...")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
	})
	t.Run("python", func(t *testing.T) {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("skipped: there is no python3:", err)
		}
		if out, err := exec.Command(python, append([]string{"-m", "py_compile"}, scripts...)...).CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
	})
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
