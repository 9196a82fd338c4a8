package recordcsv_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A tfdvCase is a line of testdata/csv.jsonl.gz: files and options, and TFDV's result for them.
type tfdvCase struct {
	Name    string   `json:"name"`
	Files   [][]byte `json:"files"`
	Options struct {
		Delimiter          string            `json:"delimiter"`
		ColumnNames        []string          `json:"column_names"`
		Schema             map[string]string `json:"schema"`
		Multivalent        []string          `json:"multivalent_columns"`
		SecondaryDelimiter string            `json:"secondary_delimiter"`
	} `json:"options"`
	Expect struct {
		Error   string `json:"error"`
		Columns []struct {
			Name   string            `json:"name"`
			Type   string            `json:"type"`
			Values []json.RawMessage `json:"values"`
		} `json:"columns"`
	} `json:"expect"`
}

func tfdvCases(t *testing.T) (all []tfdvCase) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := testkit.ReadFile(filepath.Join(root, "testdata", "csv.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c tfdvCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func (c *tfdvCase) options() *recordcsv.Options {
	o := &recordcsv.Options{TFDV: true, Columns: c.Options.ColumnNames, Multivalent: c.Options.Multivalent}
	o.Delimiter, _ = utf8.DecodeRuneInString(c.Options.Delimiter)
	o.SecondaryDelimiter, _ = utf8.DecodeRuneInString(c.Options.SecondaryDelimiter)
	if c.Options.Delimiter == "" {
		o.Delimiter = 0
	}
	if c.Options.SecondaryDelimiter == "" {
		o.SecondaryDelimiter = 0
	}
	return o
}

// ours returns this package's result for the files, as text. With a schema the columns have its types, and columns
// that it does not name are omitted, like in TFDV with infer_type_from_schema.
func (c *tfdvCase) ours() (string, error) {
	o := c.options()
	inferrer := recordcsv.NewInferrer(o)
	for _, f := range c.Files {
		if err := inferrer.Read(bytes.NewReader(f), nil); err != nil {
			return "", err
		}
	}
	columns := inferrer.Columns(nil)
	left := map[string]bool{}
	for i, col := range columns {
		if c.Options.Schema != nil {
			kind, ok := map[string]example.Kind{"INT": example.Int64List, "FLOAT": example.FloatList, "BYTES": example.BytesList}[c.Options.Schema[col.Name]]
			left[col.Name] = !ok
			if ok {
				columns[i].Kind = kind
			}
		}
	}
	values := map[string][]string{}
	for _, f := range c.Files {
		r := recordcsv.NewReader(bytes.NewReader(f), columns, o)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return "", err
			}
			var e example.Example
			if err := e.UnmarshalBinary(rec); err != nil {
				return "", err
			}
			if len(e) != len(columns) {
				return "", fmt.Errorf("%d features, want %d", len(e), len(columns))
			}
			for _, col := range columns {
				values[col.Name] = append(values[col.Name], textOf(e[col.Name]))
			}
		}
	}
	var b strings.Builder
	for _, col := range columns {
		if left[col.Name] {
			continue
		}
		fmt.Fprintf(&b, "%q %s %s\n", col.Name, typeNames[col.Kind], strings.Join(values[col.Name], " "))
	}
	return b.String(), nil
}

var typeNames = map[example.Kind]string{example.Unset: "UNKNOWN", example.Int64List: "INT", example.FloatList: "FLOAT", example.BytesList: "STRING"}

// textOf prints values in the form of the cases: floats as their bits, strings as base64.
func textOf(v example.Value) string {
	var list any
	switch v.Kind() {
	case example.Unset:
		return "null"
	case example.Int64List:
		list = v.Int64s
	case example.FloatList:
		bits := make([]uint32, len(v.Floats))
		for i, f := range v.Floats {
			bits[i] = math.Float32bits(f)
		}
		list = bits
	default:
		list = v.Bytes
	}
	b, _ := json.Marshal(list)
	return string(b)
}

// want returns TFDV's result for the files, as text.
func (c *tfdvCase) want() string {
	var b strings.Builder
	for _, col := range c.Expect.Columns {
		var values []string
		for _, raw := range col.Values {
			values = append(values, strings.ReplaceAll(string(raw), " ", ""))
		}
		fmt.Fprintf(&b, "%q %s %s\n", col.Name, col.Type, strings.Join(values, " "))
	}
	return b.String()
}

// differs has the cases in which this package and TFDV differ intentionally; package recordcsv documents the
// reasons. A result is text with a string literal for each cell, or the sentinel of the error.
var differs = map[string]any{
	"cell '4301 ones'":                     "\"id\" INT [1] [2]\n\"x\" STRING [\"4301 bytes\"] null\n",
	"cell '1e400'":                         recordcsv.ErrNumber,
	"cell '-1e400'":                        recordcsv.ErrNumber,
	"cell '1e39'":                          recordcsv.ErrNumber,
	"cell '3.4028236e38'":                  recordcsv.ErrNumber,
	"blank first line":                     "\"id\" INT [1]\n\"x\" INT [2]\n",
	"byte order mark":                      "\"id\" INT [1]\n\"x\" INT [2]\n",
	"not utf-8":                            "\"id\" INT [1]\n\"x\" STRING [\"caf\\xe9\"]\n",
	"quote inside":                         recordcsv.ErrQuote,
	"quote behind":                         recordcsv.ErrQuote,
	"quote behind space":                   recordcsv.ErrQuote,
	"quote open":                           recordcsv.ErrQuote,
	"quoted line break":                    "\"id\" INT [1] [2]\n\"x\" STRING [\"a\\nb\"] [\"c\"]\n",
	"quoted crlf":                          "\"id\" INT [1] [2]\n\"x\" STRING [\"a\\nb\"] [\"c\"]\n",
	"carriage return inside":               "\"id\" INT [1] [2]\n\"x\" STRING [\"a\\rb\"] [\"c\"]\n",
	"carriage returns only":                recordcsv.ErrHeader,
	"longer cell":                          "\"id\" INT [1]\n\"x\" STRING [\"131073 bytes\"]\n",
	"multivalent line break":               "\"id\" INT [0]\n\"x\" STRING [\"a\\nb\",\"c\"]\n",
	"multivalent column that is not there": recordcsv.ErrHeader,
}

// TestTFDV compares types, values and errors with those of TFDV.
func TestTFDV(t *testing.T) {
	cases := tfdvCases(t)
	if len(cases) < 200 {
		t.Fatalf("%d cases", len(cases))
	}
	seen := map[string]bool{}
	for _, c := range cases {
		got, err := c.ours()
		different, listed := differs[c.Name]
		seen[c.Name] = true
		switch {
		case listed:
			if c.Expect.Error == "" && err == nil && got == c.want() || c.Expect.Error != "" && err != nil {
				t.Errorf("%s: no difference any more", c.Name)
			}
			switch want := different.(type) {
			case error:
				if !errors.Is(err, want) {
					t.Errorf("%s: got %s%v, want the error %v", c.Name, got, err, want)
				}
			case string:
				if readable(got) != want {
					t.Errorf("%s: got %s%v, want %s", c.Name, readable(got), err, want)
				}
			}
		case c.Expect.Error != "":
			if err == nil {
				t.Errorf("%s: no error, want %s; got\n%s", c.Name, c.Expect.Error, readable(got))
			}
		case err != nil:
			t.Errorf("%s: %v; want\n%s", c.Name, err, readable(c.want()))
		case got != c.want():
			t.Errorf("%s: got\n%swant\n%s", c.Name, got, c.want())
		}
	}
	for name := range differs {
		if !seen[name] {
			t.Errorf("there is no case %s", name)
		}
	}
}

// readable replaces base64 in a text by string literals.
func readable(text string) string {
	parts := strings.Split(text, `["`)
	for i, p := range parts[1:] {
		list, rest, ok := strings.Cut(p, `"]`)
		if !ok {
			continue
		}
		var all []string
		for _, s := range strings.Split(list, `","`) {
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil || len(b) > 200 {
				b = fmt.Appendf(nil, "%d bytes", len(b))
			}
			all = append(all, fmt.Sprintf("%q", b))
		}
		parts[i+1] = "[" + strings.Join(all, ",") + "]" + rest
	}
	return strings.Join(parts, "")
}
