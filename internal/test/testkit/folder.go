package testkit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// FolderVariable is the environment variable that names another folder of
// vectors.
const FolderVariable = "TFPARSE_VECTORS"

const modulePath = "github.com/tfparse/tfparse"

// Root returns the folder of this module: the nearest one at or above the
// working directory whose go.mod declares it. It works in the nested modules
// too.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && declares(b, modulePath) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod of %s at or above the working directory", modulePath)
		}
		dir = up
	}
}

func declares(gomod []byte, module string) bool {
	for line := range bytes.Lines(gomod) {
		f := strings.Fields(string(line))
		if len(f) == 2 && f[0] == "module" {
			return f[1] == module
		}
	}
	return false
}

// Folder returns the folder of the vectors, and whether it is our own
// (testdata/vectors) rather than one named by FolderVariable.
func Folder() (dir string, own bool, err error) {
	if dir := os.Getenv(FolderVariable); dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", dir)
		}
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", FolderVariable, err)
		}
		return dir, false, nil
	}
	root, err := Root()
	return filepath.Join(root, "testdata", "vectors"), true, err
}

// vectorFiles lists the vector files of one family, sorted by name. It is an
// error if a file lies there both plain and compressed.
func vectorFiles(dir, family string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, family))
	if err != nil {
		return nil, err
	}
	var files []string
	seen := map[string]bool{}
	for _, e := range entries {
		base, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".jsonl")
		if !ok {
			continue
		}
		if seen[base] {
			return nil, fmt.Errorf("%s: there is a plain and a compressed %s.jsonl", filepath.Join(dir, family), base)
		}
		seen[base] = true
		files = append(files, filepath.Join(dir, family, e.Name()))
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no .jsonl or .jsonl.gz file", filepath.Join(dir, family))
	}
	return files, nil
}

// ReadFile returns the content of a file, decompressed if its name ends in .gz.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// A File is one file of vectors.
type File struct {
	Name   string // without folder, and without .gz
	Dir    string // the folder it lies in, where the files that its cases name lie too
	Header Header
	Cases  []*Case
}

// A Header is the first line of a file of vectors.
type Header struct {
	Vectors string   `json:"vectors"` // the family
	Version int      `json:"version"`
	MadeBy  string   `json:"made_by"`
	Program string   `json:"program"`
	Cases   int      `json:"cases"`
	Notes   []string `json:"notes"`
}

// ReadVectors reads and checks one file of vectors.
func ReadVectors(name string) (*File, error) {
	b, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parseVectors(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.Dir, f.Name = filepath.Split(strings.TrimSuffix(name, ".gz"))
	for _, c := range f.Cases {
		c.Dir, c.File = f.Dir, f.Name
	}
	return f, nil
}

func parseVectors(b []byte) (*File, error) {
	f := &File{}
	names := map[string]int{}
	number := 0
	for line := range bytes.Lines(b) {
		number++
		if number == 1 {
			if err := unmarshalStrict(line, &f.Header); err != nil {
				return nil, fmt.Errorf("header: %w", err)
			}
			continue
		}
		c, err := parseCase(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		c.Line = number
		if first, ok := names[c.Name]; ok {
			return nil, fmt.Errorf("lines %d and %d are both named %q", first, number, c.Name)
		}
		names[c.Name] = number
		f.Cases = append(f.Cases, c)
	}
	switch {
	case number == 0:
		return nil, errors.New("no header")
	case f.Header.Version != 1:
		return nil, fmt.Errorf("version %d of the format, wanted 1", f.Header.Version)
	case f.Header.Cases != len(f.Cases):
		return nil, fmt.Errorf("the header says %d cases, there are %d", f.Header.Cases, len(f.Cases))
	}
	return f, nil
}
