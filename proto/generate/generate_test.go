package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFiles proves that every generated file is what its source and
// the pinned versions give, byte for byte, and that none has lost its source.
func TestGeneratedFiles(t *testing.T) {
	top := filepath.Join("..", "..")
	fresh := map[string]bool{}
	for _, r := range roots {
		files, err := generate(top, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("no .proto file under %s", r.dir)
		}
		for _, f := range files {
			fresh[f.name] = true
			old, err := os.ReadFile(f.name)
			if err != nil {
				t.Errorf("%v; run go generate ./proto", err)
				continue
			}
			old = bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")) // a checkout may change them
			if !bytes.Equal(old, f.content) {
				t.Errorf("%s is not what its source gives; run go generate ./proto", f.name)
			}
		}
		err = filepath.WalkDir(filepath.Join(top, filepath.FromSlash(r.dir)), func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && bytes.HasSuffix([]byte(name), []byte(".pb.go")) && !fresh[name] {
				t.Errorf("%s has no .proto file", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompileErrors proves that a fault in a source is an error that names the
// place, and that nothing is generated from it.
func TestCompileErrors(t *testing.T) {
	for name, source := range map[string]string{
		"no such type":     `syntax = "proto3"; package p; option go_package = "x/p"; message M { Missing m = 1; }`,
		"same number":      `syntax = "proto3"; package p; option go_package = "x/p"; message M { int32 a = 1; int32 b = 1; }`,
		"no go_package":    `syntax = "proto3"; package p; message M {}`,
		"import not there": `syntax = "proto3"; package p; option go_package = "x/p"; import "tfparse/other.proto";`,
		"not a proto file": `hello`,
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			if err := os.MkdirAll(filepath.Join(top, "proto"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, "proto", "a.proto"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			files, err := generate(top, root{dir: "proto", prefix: "tfparse/"})
			if err == nil {
				t.Fatalf("no error, and %d files", len(files))
			}
			t.Log(err)
		})
	}
}
