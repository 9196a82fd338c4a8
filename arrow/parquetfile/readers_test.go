package parquetfile_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tensor"
)

// A readerFile is a set of columns that other programs read, with the values written by hand.
type readerFile struct {
	spec    string // "" is without a spec
	options recordbatch.Options
	records []string // features as JSON: numbers without a point are int64
	columns map[string]string
}

var readerFiles = map[string]readerFile{
	"spec": {
		spec: `{"features":{
			"label":{"fixed_len":{"dtype":"int64","shape":[]}}, "pair":{"fixed_len":{"dtype":"float32","shape":[2]}},
			"square":{"fixed_len":{"dtype":"int64","shape":[2,2],"default":[5,6,7,8]}}, "nothing":{"fixed_len":{"dtype":"string","shape":[0]}},
			"a/b.c d":{"var_len":{"dtype":"string"}}, "blob":{"var_len":{"dtype":"string"}},
			"blocks":{"fixed_len_sequence":{"dtype":"float32","shape":[2],"allow_missing":true}},
			"steps":{"ragged":{"dtype":"string","value_key":"words","partitions":[{"row_splits":"sections"},{"row_lengths":"lengths"}]}},
			"uniform":{"ragged":{"dtype":"int64","value_key":"u","partitions":[{"uniform_row_length":2},{"row_lengths":"ul"}]}},
			"sparse":{"sparse":{"dtype":"float32","index_key":["i","j"],"value_key":"v","size":[9,9]}},
			"sound":{"fixed_len":{"dtype":"string","shape":[],"default":[""],"decode":{"raw":{"dtype":"int16","shape":[-1,2]}}}},
			"halves":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"float16"}}}},
			"flags":{"fixed_len":{"dtype":"string","shape":[],"default":[""],"decode":{"raw":{"dtype":"bool"}}}},
			"big":{"fixed_len":{"dtype":"string","shape":[],"default":[{"b64":"//////////8="}],"decode":{"raw":{"dtype":"int64","shape":[],"bitcast":"uint64"}}}}}}`,
		options: recordbatch.Options{Text: []string{"a/b.c d", "steps"}},
		records: []string{
			`{"label":1,"nothing":[],"pair":[0.5,1.5],"a/b.c d":["x","é"],"blob":["\u00ff"],"words":["a","b","c"],"sections":[0,1,1,3],"lengths":[2,0,1],
				"u":[1,2,3],"ul":[2,0,0,1],"i":[0,8],"j":[1,2],"v":[0.25,0.5],"blocks":[1.5,2.5,3.5,4.5],"sound":["\u0001\u0000\u00ff\u00ff\u0002\u0000\u0003\u0000"],
				"halves":["\u0000\u003c","\u0000\u00c0"],"flags":["\u0001\u0000\u0001"]}`,
			`{"label":-9007199254740993,"nothing":[],"pair":[0.5,-1.5],"square":[1,2,3,4],"big":["\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0000"]}`,
			`{"label":0,"nothing":[],"pair":[0.5,2.5],"a/b.c d":[""],"blob":["","a"],"words":[],"sections":[0,0,2],"lengths":[0,0],"u":[],"ul":[0,0],"i":[3],"j":[3],"v":[1.5]}`,
		},
		columns: map[string]string{
			"label": `[1,-9007199254740993,0]`, "pair": `[[0.5,1.5],[0.5,-1.5],[0.5,2.5]]`, "square": `[[[5,6],[7,8]],[[1,2],[3,4]],[[5,6],[7,8]]]`,
			"nothing": `[[],[],[]]`, "a/b.c d": `[["x","Ã©"],[],[""]]`, "blob": `[["ÿ"],[],["","a"]]`, "blocks": `[[[1.5,2.5],[3.5,4.5]],[],[]]`,
			"steps": `[[[["a","b"]],[],[[],["c"]]],[],[[],[[],[]]]]`, "uniform": `[[[[1,2],[]],[[],[3]]],[],[[[],[]]]]`,
			"sparse": `[{"indices":[[0,1],[8,2]],"values":[0.25,0.5]},{"indices":[],"values":[]},{"indices":[[3,3]],"values":[1.5]}]`,
			"sound":  `[[[1,-1],[2,3]],[],[]]`, "halves": `[[[1],[-2]],[],[]]`, "flags": `[[true,false,true],[],[]]`,
			"big": `[18446744073709551615,1,18446744073709551615]`,
		},
	},
	"sequence": {
		spec: `{"context":{"x":{"var_len":{"dtype":"int64"}}},"sequence":{"x":{"var_len":{"dtype":"int64"}},"y":{"fixed_len_sequence":{"dtype":"float32","shape":[2],"allow_missing":true}},
			"z":{"ragged":{"dtype":"int64","value_key":"zv","partitions":[{"row_lengths":"zl"}]}}}}`,
		records: []string{
			`{"x":[1],"steps":{"x":[[1,2],[],[3]],"y":[[0.5,1.5]],"zv":[[1,2,3],[]],"zl":[[2,0,1],[0]]}}`, `{"x":[],"steps":{}}`,
		},
		columns: map[string]string{"context/x": `[[1],[]]`, "sequence/x": `[[[1,2],[],[3]],[]]`, "y": `[[[0.5,1.5]],[]]`, "z": `[[[[1,2],[],[3]],[[]]],[]]`},
	},
	"images": {
		spec: `{"features":{"image":{"fixed_len":{"dtype":"string","shape":[]}},"frames":{"var_len":{"dtype":"string"}},"label":{"fixed_len":{"dtype":"int64","shape":[]}},
			"flag":{"var_len":{"dtype":"int64"}},"u":{"fixed_len":{"dtype":"int64","shape":[]}}}}`,
		options: recordbatch.Options{Images: []string{"image", "frames"}, Labels: map[string][]string{"label": {"cat", "dog"}},
			DTypes: map[string]tensor.DType{"flag": tensor.Bool, "u": tensor.Uint64}},
		records: []string{
			`{"image":["\u0089PNG"],"frames":["a","\u00ff"],"label":1,"flag":[1,0],"u":-1}`, `{"image":[""],"label":0,"u":5}`, `{"image":["b"],"frames":["c"],"label":1,"flag":[1],"u":0}`,
		},
		columns: map[string]string{
			"image":  `[{"bytes":"\u0089PNG","path":null},{"bytes":"","path":null},{"bytes":"b","path":null}]`,
			"frames": `[[{"bytes":"a","path":null},{"bytes":"ÿ","path":null}],[],[{"bytes":"c","path":null}]]`,
			"label":  `[1,0,1]`, "flag": `[[true,false],[],[true]]`, "u": `[18446744073709551615,5,0]`,
		},
	},
	"lists": {
		records: []string{`{"n":[1,2],"t":["é",""]}`, `{"n":[],"f":[0.5],"b":["\u00ff","a"],"none":null}`, `{"f":[0.25,-0.5]}`, `{"t":["x"],"n":[3]}`},
		columns: map[string]string{"n": `[[1,2],[],null,[3]]`, "t": `[["Ã©",""],null,null,["x"]]`, "f": `[null,[0.5],[0.25,-0.5],null]`, "b": `[null,["ÿ","a"],null,null]`},
	},
}

// jsonValue returns a value of a record: text is UTF-8 but for characters up to U+00FF, when raw, which are bytes.
func jsonValue(t *testing.T, name string, v any) example.Value {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := example.Int64s()
	for _, x := range list {
		switch x := x.(type) {
		case nil:
			return example.Value{}
		case string:
			b := []byte(x)
			if !strings.HasPrefix(name, "a/") && name != "t" {
				b = latin1(x)
			}
			out = example.Bytes(append(out.Bytes, b)...)
		case json.Number:
			if n, err := x.Int64(); err == nil {
				out = example.Int64s(append(out.Int64s, n)...)
			} else if f, err := x.Float64(); err == nil {
				out = example.Floats(append(out.Floats, float32(f))...)
			}
		default:
			t.Fatalf("%s: %T", name, x)
		}
	}
	if len(list) == 0 && (name == "words" || name == "nothing") {
		return example.Strings()
	}
	return out
}

// latin1 returns a byte for each character.
func latin1(s string) (b []byte) {
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

func decodeJSON(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// encodeRecord returns a record of features in JSON.
func encodeRecord(t *testing.T, text string) []byte {
	var s example.Sequence
	e := example.Example{}
	for name, v := range decodeJSON(t, text).(map[string]any) {
		if name != "steps" {
			e[name] = jsonValue(t, name, v)
			continue
		}
		s.Lists = map[string][]example.Value{}
		for name, steps := range v.(map[string]any) {
			for _, step := range steps.([]any) {
				s.Lists[name] = append(s.Lists[name], jsonValue(t, name, step))
			}
		}
	}
	b, err := e.MarshalBinary()
	if s.Lists != nil {
		s.Context = e
		b, err = s.MarshalBinary()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// batch returns the record batch of the file.
func (f readerFile) batch(t *testing.T) (*recordbatch.Schema, arrow.RecordBatch) {
	var records [][]byte
	for _, text := range f.records {
		records = append(records, encodeRecord(t, text))
	}
	if f.spec == "" {
		kinds := recordbatch.Kinds{}
		for _, r := range records {
			if err := kinds.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		s, err := recordbatch.ForKinds(kinds, nil)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := s.FromRecords(records)
		if err != nil {
			t.Fatal(err)
		}
		return s, rec
	}
	var spec feature.Spec
	if err := json.Unmarshal([]byte(f.spec), &spec); err != nil {
		t.Fatal(err)
	}
	s, err := recordbatch.ForSpec(spec, &f.options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Parse(records...)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.FromBatch(b)
	if err != nil {
		t.Fatal(err)
	}
	return s, rec
}

// TestReaders compares what Python's readers read with the values that were written: testdata/readers.jsonl is the
// transcript of testdata/readers.py. With TFPARSE_READERS, the name of a folder, it writes the files there.
func TestReaders(t *testing.T) {
	extensions := map[string]int{".arrows": 0, ".arrow": 1, ".parquet": 4}
	for name, f := range readerFiles {
		s, rec := f.batch(t)
		if s.Arrow().NumFields() != len(f.columns) {
			t.Errorf("%s: %v", name, s.Arrow())
		}
		for extension, i := range extensions {
			var out bytes.Buffer
			if err := formats[i].write(&out, s.Arrow(), []arrow.RecordBatch{rec}); err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("TFPARSE_READERS"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+extension), out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if os.Getenv("TFPARSE_READERS") != "" {
		return
	}
	file, err := os.Open("../testdata/readers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	readers, columns := map[string]bool{}, 0
	for lines.Scan() {
		var line struct {
			Reader, File, Column, Type string
			Values                     json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Reader == "" {
			continue // versions
		}
		name, extension, _ := strings.Cut(line.File, ".")
		want, ok := readerFiles[name].columns[line.Column]
		readers[line.Reader+" ."+extension] = true
		columns++
		if got := decodeJSON(t, string(line.Values)); !ok || !reflect.DeepEqual(number(got), number(decodeJSON(t, want))) {
			t.Errorf("%s reads %s of %s as %s\ngot  %s\nwant %s", line.Reader, line.Column, line.File, line.Type, line.Values, want)
		}
	}
	const halves = 1 // DuckDB takes no half floats from Arrow
	all := 0
	for _, f := range readerFiles {
		all += len(f.columns)
	}
	if len(readers) != 16 || columns+halves != 16*all {
		t.Errorf("%d columns of %v", columns, readers)
	}
}

// number writes 1.0 as 1.
func number(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = number(v[k])
		}
	case json.Number:
		return strings.TrimSuffix(v.String(), ".0")
	}
	return v
}

// TestRewritten reads files that other libraries wrote again: where they keep the spec, or there was none, the records
// are the same.
func TestRewritten(t *testing.T) {
	names, err := filepath.Glob("../testdata/rewritten/*")
	if err != nil || len(names) != 36 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		f := readerFiles[base[:strings.IndexByte(base, '.')]]
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		format := formats[0]
		if strings.HasSuffix(name, ".parquet") {
			format = formats[len(formats)-1]
		}
		got, note, err := recordsOf(format, b)
		lost := f.spec != "" && (strings.Contains(base, "polars") || !strings.Contains(base, ".arrow") && !strings.Contains(base, ".v"))
		switch {
		case lost && !strings.HasPrefix(base, "sequence"): // by types
			if err == nil || !strings.Contains(err.Error(), "18446744073709551615 is beyond int64") {
				t.Errorf("%s: %v", base, err)
			}
			continue
		case base == "spec.v2.parquet", base == "images.v2.parquet": // arrow-go v18.8.0 reads a page of version 2 without bools as no row
			if err == nil || !strings.Contains(err.Error(), `row group 1: row 2: column "flag`) {
				t.Errorf("%s: %v", base, err)
			}
			continue
		case err != nil || note != "":
			t.Errorf("%s: %v %s", base, err, note)
			continue
		}
		_, rec := f.batch(t)
		d, err := recordbatch.NewDecoder(rec.Schema())
		if err != nil {
			t.Fatal(err)
		}
		if lost {
			if len(got) != len(f.records) {
				t.Errorf("%s: %d records", base, len(got))
			}
			continue
		}
		i := 0
		for want, err := range d.Records(rec) {
			if err != nil {
				t.Fatal(err)
			}
			if i >= len(got) || !bytes.Equal(got[i], want) {
				t.Errorf("%s: record %d of %d:\n%q\nwant\n%q", base, i, len(got), got, want)
				break
			}
			i++
		}
	}
}

// TestForeign reads files with types that we do not write: categories, columns without values, and images of datasets.
func TestForeign(t *testing.T) {
	none, strings, ints := example.Value{}, example.Strings, example.Int64s
	type e = example.Example
	categories := []e{{"c": strings("x"), "n": ints(5), "empty": none}, {"c": strings("y"), "n": ints(7), "empty": none}, {"n": ints(5), "empty": none}, {"c": strings("x"), "n": ints(5), "empty": none}}
	polars := []e{{"c": strings("x"), "e": strings("a"), "l": strings("x")}, {"e": strings("b"), "l": strings()}}
	for name, want := range map[string][]e{
		"pandas.parquet": categories, "pandas.arrow": categories, "polars.parquet": polars, "polars.arrow": polars,
		"pyarrow.parquet":  {{"l": strings("x")}, {"l": strings()}, {"l": strings("y", "x")}, {}},
		"pyarrow.arrows":   {{"c": strings("x")}, {"c": strings("y")}, {"c": strings("z")}, {}, {"c": strings("y")}},
		"datasets.parquet": {{"label": ints(1)}, {"label": ints(0)}},
	} {
		b, err := os.ReadFile("../testdata/foreign/" + name)
		if err != nil {
			t.Fatal(err)
		}
		format := formats[0]
		if filepath.Ext(name) == ".parquet" {
			format = formats[len(formats)-1]
		}
		got, note, err := recordsOf(format, b)
		if err != nil || note != "" || len(got) != len(want) {
			t.Errorf("%s: %d records: %v %s", name, len(got), err, note)
			continue
		}
		for i, record := range got {
			var have e
			if err := have.UnmarshalBinary(record); err != nil {
				t.Fatal(err)
			}
			if image := have["image"].Bytes; name == "datasets.parquet" && i == 0 {
				if len(image) != 1 || !bytes.HasPrefix(image[0], []byte("\x89PNG")) {
					t.Errorf("%s: %q", name, image)
				}
				delete(have, "image")
			}
			got, _ := have.MarshalBinary()
			if want, _ := want[i].MarshalBinary(); !bytes.Equal(got, want) {
				t.Errorf("%s, row %d: got %q, want %q", name, i, got, want)
			}
		}
		for n, cut := range testkit.Cuts(b) {
			if readDamaged(t, format, cut) == nil {
				t.Errorf("%s cut at %d of %d: no error", name, n, len(b))
			}
		}
		i := 0
		for _, flip := range testkit.Flips(b) {
			if i++; i%41 == 0 {
				_ = readDamaged(t, format, flip) // an error, or other values
			}
		}
	}
}
