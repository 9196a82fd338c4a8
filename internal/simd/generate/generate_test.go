package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated compares the files with the output of the program, except for the first line, which has the
// program's arguments.
func TestGenerated(t *testing.T) {
	program := filepath.Join(t.TempDir(), "generate")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, k := range kernels {
		fresh := filepath.Join(t.TempDir(), name)
		if out, err := exec.Command(program, "-kernel", name, "-out", fresh).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var files [2][]byte
		for i, file := range []string{k.file, fresh} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, files[i], _ = bytes.Cut(text, []byte("\n"))
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s is not what the program writes: go run . -kernel %s", k.file, name)
		}
	}
}
