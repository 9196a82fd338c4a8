package testkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// vectorFiles lists the vector files of one family, sorted by path: every file below dir
// whose first line is a header that names the family, whatever the file's own name. It is
// an error if a file lies there both plain and compressed.
func vectorFiles(dir, family string) ([]string, error) {
	all, err := allVectorFiles(dir)
	return all[family], err
}

// allVectorFiles lists all vector files below dir, by family. A file named .jsonl that has no
// header is an error.
func allVectorFiles(dir string) (map[string][]string, error) {
	files := map[string][]string{}
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		base := strings.TrimSuffix(name, ".gz")
		h, ok := peekHeader(name)
		switch {
		case !ok && strings.HasSuffix(base, ".jsonl"):
			return fmt.Errorf("%s: its first line is no header of vectors", name)
		case !ok:
			return nil
		case seen[base]:
			return fmt.Errorf("there is a plain and a compressed %s", base)
		}
		seen[base] = true
		files[h.Vectors] = append(files[h.Vectors], name)
		return nil
	})
	return files, err
}

// peekHeader reads the first line of a file. It reports false if that is no header.
func peekHeader(name string) (h Header, ok bool) {
	f, err := os.Open(name)
	if err != nil {
		return h, false
	}
	defer f.Close()
	r, err := decompressed(f)
	if err != nil {
		return h, false
	}
	const most = 1 << 20 // of a file that is something else
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadBytes('\n')
	if err != nil && err != io.EOF || !bytes.HasPrefix(line, []byte("{")) {
		return h, false
	}
	return h, json.Unmarshal(line, &h) == nil && h.Vectors != ""
}

// decompressed reads what f holds, which is compressed if it begins as gzip does.
func decompressed(f io.Reader) (io.Reader, error) {
	b := bufio.NewReader(f)
	if magic, err := b.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil
	}
	return gzip.NewReader(b)
}

// ReadFile returns the content of a file, decompressed if it is compressed with gzip.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := decompressed(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
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
