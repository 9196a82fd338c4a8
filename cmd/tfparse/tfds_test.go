package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A tfdsTable is what TensorFlow Datasets gives for some records.
type tfdsTable struct {
	Dir, Slice string
	Files      []string
	Rows       []map[string]any
}

// readTFDS returns the folder of directories, and the tables of a file in it.
func readTFDS(t *testing.T, name string) (folder string, all []tfdsTable) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(root, "testdata", "tfds")
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for {
		var c tfdsTable
		if err := d.Decode(&c); err == io.EOF {
			return folder, all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
}

// TestTFDSValues compares cat --spec auto with tfds.as_numpy, which leaves images encoded: all values of all rows of slices.
func TestTFDSValues(t *testing.T) {
	folder, tables := readTFDS(t, "values.jsonl")
	values := 0
	for _, c := range tables {
		values += compareTFDS(t, &c, "cat", "--spec", "auto", filepath.Join(folder, c.Dir)+"#"+c.Slice)
	}
	if len(tables) != 10 || values < 1000 {
		t.Errorf("%d tables of %d values", len(tables), values)
	}
}

// TestTFDSEmit writes the features.json of records as committed. TensorFlow Datasets has read the records with it, and so do we.
func TestTFDSEmit(t *testing.T) {
	folder, tables := readTFDS(t, "emitted.jsonl")
	values := 0
	for _, c := range tables {
		spec := filepath.Join(folder, c.Dir, tfds.FeaturesFile)
		var files []string
		for _, file := range c.Files {
			files = append(files, filepath.Join(folder, file))
		}
		code, stdout, stderr := runWith(t, nil, append([]string{"schema", "--emit", "tfds"}, files...)...)
		if want, err := os.ReadFile(spec); code != 0 || err != nil || stdout != string(want) {
			t.Errorf("%s: exit code %d, %v, %s: got\n%s", c.Dir, code, err, stderr, stdout)
		}
		values += compareTFDS(t, &c, append([]string{"cat", "--spec", spec}, files...)...)
	}
	if len(tables) != 2 || values < 400 {
		t.Errorf("%d tables of %d values", len(tables), values)
	}
}

// compareTFDS compares what a command prints with a table, and returns the number of values.
func compareTFDS(t *testing.T, c *tfdsTable, args ...string) (values int) {
	code, stdout, stderr := runWith(t, nil, args...)
	if code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	got := json.NewDecoder(strings.NewReader(stdout))
	got.UseNumber()
	for i, row := range c.Rows {
		var line map[string]any
		if err := got.Decode(&line); err != nil {
			t.Fatalf("%s#%s: row %d: %v", c.Dir, c.Slice, i, err)
		}
		for name, w := range row {
			if name == "shapes" { // unequal shapes in one row: the strings
				continue
			}
			digits := 24 // of the significand: numbers print with the fewest digits of their dtype
			switch name {
			case "e_float16":
				digits = 11
			case "e_float64", "scalar", "deep":
				digits = 53
			}
			g, w := valueText(line[name], digits, false), valueText(w, digits, true)
			if g != w {
				t.Errorf("%s#%s: row %d: %s:\n got %s\nwant %s", c.Dir, c.Slice, i, name, g, w)
			}
			delete(line, name)
			values++
		}
		delete(line, "shapes/shape")
		delete(line, "shapes/value")
		for name, g := range line { // a Dataset without steps has no features in Python
			if !strings.HasPrefix(name, "steps/") || valueText(g, 53, false) != "[]" {
				t.Errorf("%s#%s: row %d: %s is not in the table: %v", c.Dir, c.Slice, i, name, g)
			}
		}
	}
	if got.More() {
		t.Errorf("%s#%s: more than %d rows", c.Dir, c.Slice, len(c.Rows))
	}
	return values
}

// valueText writes values of our JSON, or of a table, in which characters of strings are bytes. Floats are rounded to binary digits.
func valueText(v any, digits int, table bool) string {
	switch v := v.(type) {
	case nil: // an optional tensor
		return "[]"
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, valueText(one, digits, table))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		b, err := base64.StdEncoding.DecodeString(fmt.Sprint(v["b64"]))
		return fmt.Sprintf("%x %v", b, err)
	case string:
		b := []byte(v)
		if table {
			b = nil
			for _, r := range v {
				b = append(b, byte(r))
			}
		}
		return fmt.Sprintf("%x <nil>", b)
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return v.String()
		}
		f, err := v.Float64()
		if err != nil {
			return err.Error()
		}
		significand, exponent := math.Frexp(f)
		return fmt.Sprint(math.Ldexp(math.RoundToEven(math.Ldexp(significand, digits)), exponent-digits))
	}
	return fmt.Sprint(v)
}
