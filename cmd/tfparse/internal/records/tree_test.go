package records

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// oneGIF is an image of one pixel, as base64.
const oneGIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// TestTree checks the trees of records without a spec, whose lines have the kinds of features.
func TestTree(t *testing.T) {
	numbers := func(n int) string { return strings.TrimSuffix(strings.Repeat("7,", n), ",") }
	for _, c := range []struct {
		proves, line string
		width        int // 0: 80
		want         string
	}{
		{"aligned names, kinds and numbers of values", `"a":{"int64":[1,-2]},"long":{"float32":[0.5,"NaN",{"nan":"7fc00001"}]},"t":{"string":["x","",{"b64":"/w=="}]}`, 0, `
  a     int64    2  1  -2
  long  float32  3  0.5  NaN  NaN
  t     string   3  "x"  ""  raw, 1 B: ff`},
		{"features without values", `"a":null,"b":{"int64":[]}`, 0, `
  a  none   0
  b  int64  0  empty`},
		{"a record without features", ``, 0, `
  empty`},
		{"values within 40 columns", `"n":{"int64":[` + numbers(12) + `]},"t":{"string":["one two three four five six seven"]}`, 40, `
  n  int64   12  7  7  7  7  7  7  7  7
                 7  7  7  7
  t  string  1   "one two three four
                 five six seven"`},
		{"values within 200 columns", `"n":{"int64":[` + numbers(20) + `]}`, 200, `
  n  int64  20  ` + strings.ReplaceAll(numbers(20), ",", "  ")},
		{"a word longer than a line", `"t":{"string":["` + strings.Repeat("x", 40) + `"]}`, 40, `
  t  string  1  "xxxxxxxxxxxxxxxxxxxxxxx
                xxxxxxxxxxxxxxxxx"`},
		{"a name longer than a third of a line", `"a/name/of/20/columns":{"int64":[1]},"b":{"int64":[2]}`, 40, `
  a/name/of/20/columns
     int64  1  1
  b  int64  1  2`},
		{"values below names, if there are too few columns after them", `"a/name/of/13":{"string":["one","two","three","four","five"]}`, 40, `
  a/name/of/13  string  5  "one"  "two"
      "three"  "four"  "five"`},
		{"wide characters", `"名前":{"string":["料理","x"]},"ab":{"int64":[1]}`, 0, `
  名前  string  2  "料理"  "x"
  ab    int64   1  1`},
		{"wide characters within 40 columns", `"a":{"string":["料理の名前はとても長いので折り返されます"]}`, 40, `
  a  string  1  "料理の名前はとても長い
                ので折り返されます"`},
		{"a long list", `"a":{"int64":[` + numbers(4000) + `]}`, 0, `
  a  int64  4,000  7  7  7  7  7  7  7  7  … 4,000 values`},
		{"a long text", `"a":{"string":["` + strings.Repeat("crème ", 30) + `"]}`, 200, `
  a  string  1  "` + strings.Repeat("crème ", 10) + `…" (210 B)`},
		{"a text of many bytes but few characters", `"a":{"string":["` + strings.Repeat("料理", 15) + `"]}`, 0, `
  a  string  1  "` + strings.Repeat("料理", 15) + `"`},
		{"an image", `"a":{"string":[{"b64":"` + oneGIF + `"}]}`, 0, `
  a  string  1  GIF 1x1, 42 B`},
		{"an image that is cut", `"a":{"string":[{"b64":"` + oneGIF[:52] + `"}]}`, 0, `
  a  string  1  GIF (cut), 39 B`},
		{"other bytes, at most 16 in full", `"a":{"string":[{"hex":"` + hex.EncodeToString(make([]byte, 20)) + `"}]},"b":{"string":["\u0000\u0001"]}`, 0, `
  a  string  1  raw, 20 B: 00000000000000000000000000000000…
  b  string  1  raw, 2 B: 0001`},
		{"control characters, right-to-left marks and quotes", `"\u001b[31m\u202e":{"string":["\u001b[2J clear","a\u200fb\u2066c","\n\t\"\\"]}`, 0, `
  "\u001b[31m\u202e"  string  3  "\x1b[2J clear"  "a\u200fb\u2066c"  "\n\t\"\\"`},
		{"a name that is not UTF-8, and one of a position", `"b64:/w==":{"int64":[1]},"b64:X2ZpbGU=":{"int64":[2]}`, 0, `
  b64:/w==  int64  1  1
  _file     int64  1  2`},
		{"the steps of a SequenceExample", `"context":{"user":{"string":["ada"]}},"feature_lists":{"page":[{"string":["a","b"]},null,{"string":[]}],"s":[{"int64":[5]}]}`, 0, `
  context
    user  string  1  "ada"
  feature_lists
    page  string|none  2
      [0]  "a"  "b"
      [1]  null
      [2]  empty
    s     int64        1
      [0]  5`},
		{"the examples of an ExampleListWithContext", `"context":{},"examples":[{"a":{"int64":[1]}},{}]`, 0, `
  context      empty
  examples  2
    [0]
      a  int64  1  1
    [1]  empty`},
		{"a record of unknown type", `"b64":"AAEC"`, 0, `
  raw, 3 B: 000102`},
		{"a message of lists of lists, with more than 40 rows", `"m":[` + strings.TrimSuffix(strings.Repeat(`[[1],[2],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12]],`, 5), ",") + `]`, 0, ``},
	} {
		width := c.width
		if width == 0 {
			width = 80
		}
		tree := &recordTree{fold: true, width: width, typed: true}
		line := `{"_file":"f","_record":3,"_offset":17,` + c.line
		line = strings.TrimSuffix(line, ",") + "}"
		got := string(style{tree: tree}.appendStyled(nil, []byte(line+"\n")))
		if c.want == "" {
			if n := strings.Count(got, "\n"); n != 44 || !strings.HasSuffix(got, "      … 12 more rows\n    … 1 more row\n") {
				t.Errorf("%s: got %d lines:\n%s", c.proves, n, got)
			}
			continue
		}
		if want := "f#3 (offset 0x11)" + c.want + "\n"; got != want {
			t.Errorf("%s:\ngot\n%swant\n%s", c.proves, got, want)
		}
	}
}

// TestTreeOfSpec checks the trees of the columns of a spec: nested rows with their paths, and the types of columns.
func TestTreeOfSpec(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{
		"steps": feature.Ragged{DType: feature.String, ValueKey: "w", Partitions: []feature.Partition{feature.RowSplits("s"), feature.RowLengths("l")}},
		"label": feature.FixedLen{DType: feature.Int64},
		// the name of the part of a SequenceExample that has steps
		"sequence": feature.VarLen{DType: feature.Int64},
		"bag":      feature.Sparse{IndexKeys: []string{"ix"}, ValueKey: "val", DType: feature.Float32, Size: []int64{100}},
		"image":    feature.FixedLen{DType: feature.String, Shape: []int{2}, Decode: feature.DecodeRaw{DType: tensor.Uint8}},
	}}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	record, err := example.Example{
		"w": example.Strings("whisk", "flour", "rest", "fry"), "s": example.Int64s(0, 2, 2, 3), "l": example.Int64s(2, 1, 1), "label": example.Int64s(1), "sequence": example.Int64s(4, 5),
		"ix": example.Int64s(70, 3), "val": example.Floats(1.5, 2), "image": example.Strings("\x01\x02", "\x03\x04"),
	}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	batch := parser.NewBatch()
	if err := batch.Append(record); err != nil {
		t.Fatal(err)
	}
	printer := raggedjson.NewPrinter(parser, &recordjson.Options{Position: true})
	renderings := map[string]raggedjson.Rendering{"label": {Labels: []string{"cat", "dog"}, Name: "class"}}
	printer.Render("label", renderings["label"])
	printer.Load(batch)
	line, err := printer.AppendRow(nil, 0, tfrecord.Position{Name: "dir/f.tfrecord", Record: 7, Offset: -1})
	if err != nil {
		t.Fatal(err)
	}
	tree := &recordTree{fold: true, width: 80, kinds: columnKinds(parser, renderings)}
	const want = `dir/f.tfrecord#7
  bag       float32  2
    [3]  2.0
    [70]  1.5
  image     uint8    4
    [0]  1  2
    [1]  3  4
  class     int64    1  "dog"
  sequence  int64    2  4  5
  steps     string   4
    [0]
      [0][0]  "whisk"  "flour"
      [0][1]  "rest"
    [1]  empty
    [2]
      [2][0]  "fry"
`
	if got := string(tree.appendRecord(nil, line)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTreeIsSafe checks that a terminal obeys nothing in a record, and that no line is longer than the terminal, for random names
// and values.
func TestTreeIsSafe(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("ab c/\"\\\x1b[]m\x00\x07\x7f\u0085\u009b\u200e\u202e\u2028\ufeff名\u0301é🍣\n\r\t")
	text := func() string {
		runes := make([]rune, random.IntN(50))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		if s := string(runes); random.IntN(8) > 0 {
			return s
		}
		return string(runes) + "\xff\x9b31m"
	}
	for range 2000 {
		record := example.Example{}
		for range 1 + random.IntN(4) {
			values := make([]string, random.IntN(4))
			for i := range values {
				values[i] = text()
			}
			record[text()] = example.Strings(values...)
		}
		b, err := record.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		line, err := recordjson.NewPrinter(example.TypeExample, &recordjson.Options{Typed: true, Position: true}).Append(nil, b, tfrecord.Position{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		width := []int{40, 80, 200}[random.IntN(3)]
		got := string((&recordTree{fold: random.IntN(2) == 0, width: width, typed: true}).appendRecord(nil, line))
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || console.TextWidth(line) > width {
				t.Fatalf("width %d: line %q of %q", width, line, got)
			}
		}
	}
}

// TestTreeColors checks that colours change no text and no line break.
func TestTreeColors(t *testing.T) {
	line := fmt.Appendf(nil, `{"_file":"f","_record":0,"_offset":0,"a":{"string":["x",{"b64":%q}]},"b":{"int64":[%s1]},"c":{"float32":[2.5]}}`,
		base64.StdEncoding.EncodeToString([]byte("\xff\xfe")), strings.Repeat("7,", 40))
	plain := string((&recordTree{width: 40, typed: true}).appendRecord(nil, line))
	colored := string((&recordTree{width: 40, typed: true, color: true}).appendRecord(nil, line))
	for _, color := range []string{colorHeading, colorName, colorKind, colorString, colorInt, colorFloat} {
		if !strings.Contains(colored, color) {
			t.Errorf("no colour %q in %q", color, colored)
		}
	}
	parts := strings.Split(colored, "\x1b[")
	for i, part := range parts[1:] {
		_, parts[i+1], _ = strings.Cut(part, "m")
	}
	if got := strings.Join(slices.Clone(parts), ""); got != plain {
		t.Errorf("without colours:\ngot\n%swant\n%s", got, plain)
	}
}
