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

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestTFDSValues compares cat --spec auto with tfds.as_numpy, which leaves images encoded: all values of all rows of slices.
func TestTFDSValues(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "testdata", "tfds")
	b, err := os.ReadFile(filepath.Join(folder, "values.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for want := json.NewDecoder(bytes.NewReader(b)); ; {
		want.UseNumber()
		var c struct {
			Dir, Slice string
			Rows       []map[string]any
		}
		if err := want.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(folder, c.Dir)
		code, stdout, stderr := runWith(t, nil, "cat", "--spec", "auto", dir+"#"+c.Slice)
		if code != 0 {
			t.Fatalf("%s#%s: exit code %d: %s", c.Dir, c.Slice, code, stderr)
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
	}
	if values < 1000 {
		t.Errorf("%d values", values)
	}
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
