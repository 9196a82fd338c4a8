package tfds_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/tfrecord"
)

const (
	testdata = "../../testdata/tfds"
	toy      = testdata + "/toy/1.0.0"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// records returns the records of a file.
func records(t *testing.T, name string) (all [][]byte) {
	t.Helper()
	r := tfrecord.NewReader(bytes.NewReader(read(t, name)), nil)
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.Clone(rec))
	}
}

// A line of toy.jsonl is what TensorFlow Datasets' own parser makes of a record.
type line struct {
	Split   string
	Shard   int
	Record  int
	Columns map[string]any
}

func lines(t *testing.T) (all []line) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(read(t, testdata+"/toy.jsonl")))
	d.UseNumber()
	for {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

// TestToy parses the records of the directory with our spec. Columns and values are those of
// TensorFlow Datasets' own parser, and each shard has the records that dataset_info.json says.
func TestToy(t *testing.T) {
	info, err := tfds.ParseInfo(read(t, toy+"/"+tfds.InfoFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, ragged := range []bool{false, true} {
		spec, _, err := tfds.Spec(read(t, toy+"/"+tfds.FeaturesFile), &tfds.Options{Ragged: ragged})
		if err != nil {
			t.Fatal(err)
		}
		parser, err := feature.NewParser(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := lines(t)
		for _, split := range info.Splits {
			bytes := int64(0)
			for shard, file := range split.Files {
				recs := records(t, filepath.Join(toy, file))
				if int64(len(recs)) != split.Records[shard] {
					t.Errorf("%s: %d records, want %d", file, len(recs), split.Records[shard])
				}
				for i, rec := range recs {
					bytes += int64(len(rec))
					l := want[0]
					want = want[1:]
					if l.Split != split.Name || l.Shard != shard || l.Record != i {
						t.Fatalf("%s: record %d: the line is of %s, shard %d, record %d", file, i, l.Split, l.Shard, l.Record)
					}
					compareRecord(t, fmt.Sprintf("%s: record %d", file, i), parser, rec, l.Columns)
				}
			}
			if bytes != split.Bytes {
				t.Errorf("%s: %d bytes, want %d", split.Name, bytes, split.Bytes)
			}
		}
		if len(want) > 0 {
			t.Errorf("%d records are missing", len(want))
		}
	}
}

func compareRecord(t *testing.T, what string, parser *feature.Parser, rec []byte, want map[string]any) {
	t.Helper()
	columns, err := parser.ParseSingle(rec)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for name, c := range columns.All() {
		w, ok := want[name]
		delete(want, name)
		if !ok {
			t.Errorf("%s: there is no column %q", what, name)
			continue
		}
		got, err := c.Slices()
		if err != nil {
			t.Fatalf("%s: %s: %v", what, name, err)
		}
		g, w2 := flat(reflect.ValueOf(got)), flat(reflect.ValueOf(bytesOf(w)))
		if name == "columns" { // whose unknown dimension is not the first: the values alone
			g, w2 = strings.NewReplacer("[", "", "]", "").Replace(g), strings.NewReplacer("[", "", "]", "").Replace(w2)
		}
		if strings.Join(strings.Fields(g), " ") != strings.Join(strings.Fields(w2), " ") {
			t.Errorf("%s: %s:\n got %s\nwant %s", what, name, g, w2)
		}
	}
	for name := range want {
		t.Errorf("%s: the spec has no column %q", what, name)
	}
}

// flat writes nested values of our parser, or of JSON, in one form: strings in hexadecimal digits, numbers as
// float32 unless they are integers.
func flat(v reflect.Value) string {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if n, ok := v.Interface().(json.Number); ok {
		if _, err := n.Int64(); err == nil {
			return n.String()
		}
		f, _ := strconv.ParseFloat(n.String(), 64)
		return flat(reflect.ValueOf(float32(f)))
	}
	switch v.Kind() {
	case reflect.Slice:
		s := "["
		for i := range v.Len() {
			s += flat(v.Index(i)) + " "
		}
		return s + "]"
	case reflect.String:
		return fmt.Sprintf("%x", v.String())
	case reflect.Bool:
		return map[bool]string{true: "1", false: "0"}[v.Bool()]
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'f', -1, 32)
	}
	return fmt.Sprint(v.Interface())
}

// bytesOf turns strings of JSON, in which each character is a byte, into those bytes.
func bytesOf(v any) any {
	switch v := v.(type) {
	case string:
		var b []byte
		for _, r := range v {
			b = append(b, byte(r))
		}
		return string(b)
	case []any:
		for i := range v {
			v[i] = bytesOf(v[i])
		}
	}
	return v
}

// TestNotes says which features of the directory have a note.
func TestNotes(t *testing.T) {
	_, notes, err := tfds.Spec(read(t, toy+"/"+tfds.FeaturesFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range notes {
		got = append(got, fmt.Sprintf("%s: %t: %s", n.Feature, n.Omitted, n.Text))
	}
	want := []string{
		"columns: false: its shape is [2 ?]; the column has the unknown dimension first, so reshape the values of a record",
		"film: false: values are encoded images (png)",
		"image: false: values are encoded images",
		"large: false: uint64 values are stored as int64: numbers from 2^63 on are negative",
		"mask: false: values are encoded images",
		"steps/observation/image: false: values are encoded images",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLegacy reads the form of versions before 4.3. The columns are those of the specs of TensorFlow
// Datasets.
func TestLegacy(t *testing.T) {
	spec, notes, err := tfds.Spec(read(t, testdata+"/legacy.features.json"), nil)
	if err != nil || len(notes) != 1 {
		t.Fatal(err, notes)
	}
	var got strings.Builder
	for _, name := range []string{"image", "label", "tags", "x"} {
		switch f := spec.Features[name].(type) {
		case feature.FixedLen:
			fmt.Fprintf(&got, "%s: FixedLenFeature(shape=%s, dtype=tf.%v, default_value=None)\n", name, tuple(f.Shape), f.DType)
		case feature.FixedLenSequence:
			fmt.Fprintf(&got, "%s: FixedLenSequenceFeature(shape=%s, dtype=tf.%v, allow_missing=True, default_value=None)\n", name, tuple(f.Shape), f.DType)
		}
	}
	if want := string(read(t, testdata+"/legacy.specs.txt")); got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// tuple writes a shape as Python does.
func tuple(shape []int) string {
	s := "("
	for i, n := range shape {
		if s += strconv.Itoa(n); i == 0 && len(shape) == 1 {
			s += ","
		} else if i < len(shape)-1 {
			s += ", "
		}
	}
	return s + ")"
}

// connector is a features.json of one feature x.
func connector(content string) string {
	return `{"pythonClassName": "tensorflow_datasets.core.features.features_dict.FeaturesDict", "featuresDict": {"features": {"x": ` + content + `}}}`
}

// TestSpec has features that the directory does not have, and what is said about them.
func TestSpec(t *testing.T) {
	const class = `{"pythonClassName": "tensorflow_datasets.core.features.`
	sequence := func(length, inner string) string {
		return class + `sequence_feature.Sequence", "sequence": {"length": "` + length + `", "feature": ` + inner + `}}`
	}
	tensor := func(shape, dtype, more string) string {
		return class + `tensor_feature.Tensor", "tensor": {"shape": {"dimensions": [` + shape + `]}, "dtype": "` + dtype + `"` + more + `}}`
	}
	for _, c := range []struct{ proves, json, want string }{
		{"a Sequence of one length in another", sequence("-1", sequence("2", tensor("", "int64", ""))),
			`{"x":{"ragged":{"dtype":"int64","value_key":"x/ragged_flat_values","partitions":[{"row_lengths":"x/ragged_row_lengths_0"}]}}} x: nested Sequence of fixed length: TensorFlow Datasets writes it as ragged and cannot read it`},
		{"an optional string", tensor("", "string", `, "optional": true`), `{"x":{"fixed_len":{"dtype":"string","shape":[],"default":[""]}}}`},
		{"an optional bool", tensor("2", "bool", `, "optional": true`), `{"x":{"fixed_len":{"dtype":"int64","shape":[2],"default":[0,0]}}}`},
		{"a dynamic tensor without encoding", tensor(`"-1","-1"`, "int64", ""), `tfds: features.json: feature "x": TensorFlow Datasets does not write a tensor of shape [? ?] without encoding`},
		{"an unknown dimension inside of two Sequences", sequence("-1", sequence("-1", tensor(`"-1"`, "int64", ""))), `tfds: features.json: feature "x": TensorFlow Datasets does not write shape [? ? ?], with unknown dimensions inside a Sequence`},
		{"an unknown dimension inside of one", sequence("-1", tensor(`"-1"`, "int64", "")), `tfds: features.json: feature "x": TensorFlow Datasets does not write shape [? ?], with unknown dimensions inside a Sequence`},
		{"a feature of another package", `{"pythonClassName": "mine.Molecule", "jsonFeature": {"json": "{}"}}`, `tfds: features.json: feature "x": Molecule is not a class of TensorFlow Datasets, so its encoding is unknown`},
		{"an audio that is decoded when it is read", class + `audio_feature.Audio", "audio": {"shape": {"dimensions": ["-1"]}, "dtype": "int64", "encoding": "NONE", "lazyDecode": true}}`, `{"x":{"fixed_len":{"dtype":"string","shape":[]}}}`},
		{"a class in JSON alone", class + `class_label_feature.ClassLabel", "jsonFeature": {"json": "{\"num_classes\": 3}"}}`, `{"x":{"fixed_len":{"dtype":"int64","shape":[]}}}`},
		{"and another feature beside it", `{"pythonClassName": "mine.Molecule", "jsonFeature": {"json": "{}"}}, "y": ` + class + `text_feature.Text", "text": {}}`, `{"y":{"fixed_len":{"dtype":"string","shape":[]}}} -x: Molecule is not a class of TensorFlow Datasets, so its encoding is unknown`},
		{"complex numbers", tensor("", "complex64", ""), `tfds: features.json: feature "x": dtype "complex64": want an integer, bool, a float or string`},
		{"a huge default", tensor(`"100000","100000"`, "int64", `, "optional": true`), `tfds: features.json: feature "x": optional tensor of shape [100000 100000]: its default has more than 1048576 values`},
		{"a negative dimension", tensor(`"-2"`, "int64", ""), `tfds: features.json: feature "x": shape: invalid dimension -2`},
		{"no number", tensor(`"n"`, "int64", ""), `tfds: features.json: feature "x": shape: want an integer, got "n"`},
		{"no class", `{}`, `tfds: features.json: feature "x": want an object with pythonClassName or type`},
		{"a Sequence of nothing", class + `sequence_feature.Sequence", "sequence": {}}`, `tfds: features.json: feature "x": Sequence without a feature`},
	} {
		spec, notes, err := tfds.Spec([]byte(connector(c.json)), nil)
		got := fmt.Sprint(err)
		if err == nil {
			b, err := spec.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			got = strings.TrimSuffix(strings.TrimPrefix(string(b), `{"features":`), "}")
			for _, n := range notes {
				got += " " + map[bool]string{true: "-"}[n.Omitted] + n.Feature + ": " + n.Text
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.proves, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"":  "tfds: features.json: unexpected end of JSON input",
		"3": "tfds: features.json: json: cannot unmarshal number into Go value of type tfds.object",
		class + `text_feature.Text", "text": {}}`: "tfds: features.json: want a FeaturesDict, got Text",
	} {
		if _, _, err := tfds.Spec([]byte(text), nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	deep := `{}`
	for range 100 {
		deep = sequence("-1", deep)
	}
	if _, _, err := tfds.Spec([]byte(connector(deep)), nil); err == nil || !strings.Contains(err.Error(), "nested more than 64 deep") {
		t.Errorf("a deep nesting: %v", err)
	}
}

func TestInfo(t *testing.T) {
	split := func(s string) string { return `{"name": "toy", "splits": [` + s + `]}` }
	for _, c := range []struct{ proves, json, want string }{
		{"the default template", split(`{"name": "train", "shardLengths": ["3", "4"], "numBytes": "70"}`), `tfrecord [{train [toy-train.tfrecord-00000-of-00002 toy-train.tfrecord-00001-of-00002] [3 4] 7 70}]`},
		{"numbers", split(`{"name": "a", "shardLengths": [3], "filepathTemplate": "{SPLIT}/{SHARD_INDEX}.{NUM_SHARDS}"}`), `tfrecord [{a [a/00000.00001] [3] 3 0}]`},
		{"no shards", split(`{"name": "a"}`), `tfrecord [{a [] [] -1 0}]`},
		{"before shardLengths", split(`{"name": "a", "numShards": "2", "statistics": {"numExamples": "7"}}`), `tfrecord [{a [toy-a.tfrecord-00000-of-00002 toy-a.tfrecord-00001-of-00002] [] 7 0}]`},
		{"before shardLengths, without statistics", split(`{"name": "a", "numShards": 1}`), `tfrecord [{a [toy-a.tfrecord-00000-of-00001] [] -1 0}]`},
		{"shardLengths win", split(`{"name": "a", "numShards": "9", "shardLengths": ["3"], "statistics": {"numExamples": "7"}}`), `tfrecord [{a [toy-a.tfrecord-00000-of-00001] [3] 3 0}]`},
		{"a number of shards that would fill the memory", split(`{"name": "a", "numShards": "65537"}`), `tfds: dataset_info.json: split "a": numShards is 65537, at most 65536`},
		{"many splits that claim many shards", split(strings.Repeat(`{"name": "a", "numShards": "65536"},`, 1000) + `{"name": "a"}`), `tfds: dataset_info.json: split "a": numShards is 65536: too many names`},
		{"a negative number of shards", split(`{"name": "a", "numShards": "-1"}`), `tfds: dataset_info.json: split "a": numShards is -1, at most 65536`},
		{"another format", `{"fileFormat": "riegeli"}`, `riegeli []`},
		{"an unknown variable", split(`{"name": "a", "shardLengths": [3], "filepathTemplate": "{X}"}`), `tfds: dataset_info.json: split "a": filepathTemplate "{X}": unknown variable "X"`},
		{"outside of the directory", split(`{"name": "a", "shardLengths": [3], "filepathTemplate": "x/../../{SPLIT}"}`), `tfds: dataset_info.json: split "a": filepathTemplate "x/../../{SPLIT}": "x/../../a" is not in the directory`},
		{"a negative length", split(`{"name": "a", "shardLengths": [-3]}`), `tfds: dataset_info.json: split "a": shard 0 has -3 records`},
		{"no number", split(`{"name": "a", "shardLengths": ["x"]}`), `tfds: dataset_info.json: want an integer, got "x"`},
		{"no JSON", `x`, `tfds: dataset_info.json: invalid character 'x' looking for beginning of value`},
	} {
		info, err := tfds.ParseInfo([]byte(c.json))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(info.FileFormat, " ", info.Splits)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.proves, got, c.want)
		}
	}
}

// FuzzSpec must not panic, and a spec that it makes can be compiled.
func FuzzSpec(f *testing.F) {
	f.Add(read(f, toy+"/"+tfds.FeaturesFile))
	f.Add(read(f, testdata+"/legacy.features.json"))
	f.Add([]byte(connector(`{"pythonClassName": "tensorflow_datasets.Audio", "audio": {"shape": [null, 2], "dtype": "float32", "optional": true}}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, ragged := range []bool{false, true} {
			spec, _, err := tfds.Spec(b, &tfds.Options{Ragged: ragged})
			if err != nil {
				continue
			}
			if _, err := feature.NewParser(spec, nil); err != nil && spec.Features != nil && len(spec.Features) > 0 {
				t.Errorf("%s: %v", b, err)
			}
		}
		tfds.Tree(b)
		tfds.Columns(b)
		if spec, _, err := tfds.Spec(b, nil); err == nil {
			if text, _, err := tfds.FeaturesJSON(spec, nil); err != nil {
				t.Errorf("%s: %v", b, err)
			} else if _, _, err := tfds.Spec(text, nil); err != nil {
				t.Errorf("%s: %v in\n%s", b, err, text)
			}
		}
		if info, err := tfds.ParseInfo(b); err == nil {
			info.Select(string(b))
			info.Select("train[:50%]+all+test[1shard]")
		}
	})
}
