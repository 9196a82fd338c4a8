package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestArchive exports records of random specs, and reads the archives by their forms, as Awkward Array does: the values are those
// of the parsed batch.
func TestArchive(t *testing.T) {
	seeds := 40
	if testkit.Long(t, "2,000 specs") {
		seeds = 2000
	}
	dir, specs := t.TempDir(), 0
	for seed := range seeds {
		g := random.New(nil, uint64(seed))
		spec := g.Spec()
		parser, err := feature.NewParser(spec, &feature.ParserOptions{MaxPadded: math.MaxInt})
		if err != nil {
			continue
		}
		batch, file := parser.NewBatch(), []byte(nil)
		for range 20 {
			if rec := g.Record(spec, false); batch.Append(rec) == nil {
				file = tfrecord.AppendRecord(file, rec)
			}
		}
		text, err := spec.MarshalJSON()
		if err != nil || batch.Len() == 0 {
			continue
		}
		specs++
		records, name, archive := filepath.Join(dir, "in"), filepath.Join(dir, "spec.json"), filepath.Join(dir, "x.npz")
		write(t, records, file)
		write(t, name, text)
		var stderr bytes.Buffer
		if code := command.Program().Run(t.Context(), []string{"export", "--spec", name, records, "-o", archive}, nil, io.Discard, &stderr); code != 0 {
			if strings.Contains(stderr.String(), "two arrays have the name") {
				continue
			}
			t.Fatalf("seed %d: exit code %d: %s\n%s", seed, code, &stderr, text)
		}
		z := readArchive(t, archive)
		columns := batch.Columns()
		for name, c := range columns.All() {
			key := name
			if _, err := columns.Column(name); err != nil {
				key = c.Group().String() + "/" + name
			}
			if !utf8.ValidString(name) {
				continue
			}
			form := z.field(key)
			if form == nil {
				t.Fatalf("seed %d: no column %q", seed, key)
			}
			want, err := c.Slices()
			if err != nil {
				t.Fatal(err)
			}
			got, indices := z.list(form, 0, batch.Len(), "values"), ""
			verb := "%v"
			if c.DType() == feature.String {
				verb = "%q"
			}
			if a, b := fmt.Sprintf(verb, got), fmt.Sprintf(verb, want); a != b {
				t.Fatalf("seed %d: column %q: got\n%s\nwant\n%s\n%s", seed, key, a, b, text)
			}
			if x, ok := c.Ragged().Indices(); ok {
				slices, err := ragged.ToSlices[any](x)
				if err != nil {
					t.Fatal(err)
				}
				if indices = fmt.Sprint(z.list(form, 0, batch.Len(), "indices")); indices != fmt.Sprint(slices) {
					t.Fatalf("seed %d: indices of %q: got\n%s\nwant\n%v", seed, key, indices, slices)
				}
			}
		}
	}
	t.Logf("%d specs", specs)
	if specs < seeds/2 {
		t.Errorf("%d of %d specs were tried", specs, seeds)
	}
}

// TestDecodedShape checks the shape of the values of decoded tensors: [rows, ...] if all rows agree. A row without strings has
// no dtype if the spec has none.
func TestDecodedShape(t *testing.T) {
	matrix, err := tensor.New([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	text, err := tensor.Append(nil, matrix)
	if err != nil {
		t.Fatal(err)
	}
	full, empty := example.Example{"x": example.Strings(string(text))}, example.Example{}
	for _, c := range []struct {
		spec    string
		records []example.Example
		want    string
	}{
		{`{"dtype":"float32","shape":[2,2]}`, []example.Example{full, full}, "(2,1,2,2,)"},
		{`{}`, []example.Example{full, full}, "(2,1,2,2,)"},
		{`{}`, []example.Example{empty, full, empty}, "(4,)"},
		{`{}`, []example.Example{full, empty}, "(4,)"},
		{`{}`, []example.Example{empty}, "(0,)"},
	} {
		dir, file := t.TempDir(), []byte(nil)
		for _, e := range c.records {
			rec, err := e.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			file = tfrecord.AppendRecord(file, rec)
		}
		records, spec, archive := filepath.Join(dir, "in"), filepath.Join(dir, "spec.json"), filepath.Join(dir, "x.npz")
		write(t, records, file)
		write(t, spec, []byte(`{"features":{"x":{"var_len":{"dtype":"string","decode":{"tensor_proto":`+c.spec+`}}}}}`))
		var stderr bytes.Buffer
		if code := command.Program().Run(t.Context(), []string{"export", "--spec", spec, records, "-o", archive}, nil, io.Discard, &stderr); code != 0 {
			t.Errorf("%s: exit code %d: %s", c.spec, code, &stderr)
			continue
		}
		readArchive(t, archive) // checks the size of each array
		b, err := os.ReadFile(archive)
		if want := "'<f4', 'fortran_order': False, 'shape': " + c.want; err != nil || !bytes.Contains(b, []byte(want)) {
			t.Errorf("%s, %d records: no array of shape %s (%v)", c.spec, len(c.records), c.want, err)
		}
	}
}

// npyHeader matches the header of an array.
var npyHeader = regexp.MustCompile(`^\{'descr': '(.+)', 'fortran_order': False, 'shape': \((.*)\), \} *\n$`)

// archive is the arrays of an .npz, and its form.
type archive struct {
	t      *testing.T
	arrays map[string][]byte // the elements
	form   map[string]any
}

func readArchive(t *testing.T, name string) *archive {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a := &archive{t: t, arrays: map[string][]byte{}}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		n := 10 + int(binary.LittleEndian.Uint16(b[8:]))
		m := npyHeader.FindSubmatch(b[10:n])
		if string(b[:8]) != "\x93NUMPY\x01\x00" || n%64 != 0 || m == nil {
			t.Fatalf("%s: %q", f.Name, b[:n])
		}
		size, _ := strconv.Atoi(string(m[1][2:]))
		if m[1][1] == 'U' {
			size *= 4
		}
		for dim := range strings.SplitSeq(strings.TrimSuffix(string(m[2]), ","), ",") {
			if n, err := strconv.Atoi(dim); err == nil {
				size *= n
			}
		}
		if size != len(b)-n {
			t.Fatalf("%s: %s and %d bytes", f.Name, m[0], len(b)-n)
		}
		a.arrays[strings.TrimSuffix(f.Name, ".npy")] = b[n:]
	}
	var text []rune
	for b := a.arrays["_form"]; len(b) > 0; b = b[4:] {
		text = append(text, rune(binary.LittleEndian.Uint32(b)))
	}
	if err := json.Unmarshal([]byte(string(text)), &a.form); err != nil {
		t.Fatal(err)
	}
	return a
}

// field returns the form of a column; nil if there is none.
func (a *archive) field(name string) map[string]any {
	for i, field := range a.form["fields"].([]any) {
		if field == name {
			return a.form["contents"].([]any)[i].(map[string]any)
		}
	}
	return nil
}

// list returns elements lo to hi of the array of a form; of a record those of one field.
func (a *archive) list(form map[string]any, lo, hi int, field string) (all []any) {
	for i := lo; i < hi; i++ {
		all = append(all, a.element(form, i, field))
	}
	return all
}

func (a *archive) element(form map[string]any, i int, field string) any {
	key, _ := form["form_key"].(string)
	data := a.arrays[key]
	content, _ := form["content"].(map[string]any)
	switch form["class"] {
	case "RegularArray":
		size := int(form["size"].(float64))
		return a.list(content, i*size, (i+1)*size, field)
	case "ListOffsetArray":
		lo, hi := int(binary.LittleEndian.Uint64(data[8*i:])), int(binary.LittleEndian.Uint64(data[8*i+8:]))
		if content["parameters"] != nil && content["primitive"] == "uint8" {
			return string(a.arrays[content["form_key"].(string)][lo:hi])
		}
		return a.list(content, lo, hi, field)
	case "RecordArray":
		for k, name := range form["fields"].([]any) {
			if name == field {
				return a.element(form["contents"].([]any)[k].(map[string]any), i, field)
			}
		}
	case "NumpyArray":
		return a.numbers(form["primitive"].(string), data, form["inner_shape"].([]any), i)
	}
	a.t.Fatalf("form %v", form)
	return nil
}

// numbers returns element i of an array of numbers whose elements have a shape.
func (a *archive) numbers(primitive string, data []byte, shape []any, i int) any {
	if len(shape) == 0 {
		if primitive == "float32" {
			return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		return int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	var all []any
	size := int(shape[0].(float64))
	for j := range size {
		all = append(all, a.numbers(primitive, data, shape[1:], i*size+j))
	}
	return all
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestLongName exports a feature whose name is longer than those of a zip: an error that names its beginning.
func TestLongName(t *testing.T) {
	dir := t.TempDir()
	record, err := example.Example{strings.Repeat("a", 1<<16): example.Int64s(1)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	records, archive := filepath.Join(dir, "in"), filepath.Join(dir, "x.npz")
	write(t, records, tfrecord.AppendRecord(nil, record))
	var stderr bytes.Buffer
	code := command.Program().Run(t.Context(), []string{"export", records, "-o", archive}, nil, io.Discard, &stderr)
	want := `feature "` + strings.Repeat("a", 40) + `"…: a name of 65536 bytes is too long for .npz; use --drop`
	if _, err := os.Stat(archive); code != 2 || !strings.Contains(stderr.String(), want) || err == nil {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

// TestTypes exports bool and uint64 of TensorFlow Datasets: NumPy's types, with the values that testdata/tfds/values.jsonl has.
func TestTypes(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "x.npz")
	args := []string{"export", "--spec", "auto", "--limit", "2", "--select", "flag,large", "../../../../testdata/tfds/toy/1.0.0#train", "-o", archive}
	var stderr bytes.Buffer
	if code := command.Program().Run(t.Context(), args, nil, io.Discard, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	z := readArchive(t, archive)
	if got := z.arrays["flag"]; !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("flag: %v", got)
	}
	if got := z.arrays["large"]; !bytes.Equal(got, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff")) {
		t.Errorf("large: %v", got)
	}
	b, err := os.ReadFile(archive)
	if err != nil || !bytes.Contains(b, []byte("'descr': '|b1'")) || !bytes.Contains(b, []byte("'descr': '<u8'")) {
		t.Errorf("types of NumPy: %v", err)
	}
}

// TestLabelNames exports the names of classes as strings. They are those of testdata/tfds/toy/1.0.0/label.labels.txt, for the classes
// that values.jsonl has.
func TestLabelNames(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "x.npz")
	args := []string{"export", "--labels", "names", "--select", "label", "../../../../testdata/tfds/toy/1.0.0#train[2:5]", "-o", archive}
	var stderr bytes.Buffer
	if code := command.Program().Run(t.Context(), args, nil, io.Discard, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	z := readArchive(t, archive)
	if got := string(z.arrays["label"]); got != "catdogcat" {
		t.Errorf("label: %q", got)
	}
	if got := z.arrays["label/offsets"]; !bytes.Equal(got, binary.LittleEndian.AppendUint64([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"), 9)) {
		t.Errorf("label/offsets: %v", got)
	}
}
