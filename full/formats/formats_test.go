package formats_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	arrowlib "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/arrow/ipcfile"
	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/full/formats"
)

const testdata = "../../testdata"

func TestMain(m *testing.M) {
	formats.Register()
	os.Exit(m.Run())
}

// run runs a command line.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	code = command.Program().Run(t.Context(), args, strings.NewReader(""), &out, &messages)
	return code, out.String(), messages.String()
}

// must runs a command line that succeeds.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := run(t, args...)
	if code != 0 {
		t.Fatalf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

var extensions = []string{"parquet", "arrow", "arrows"}

// TestRoundTrip exports records by a spec and encodes the file: the rows are the same.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"recipes", "sessions", "ranking"} {
		file, spec := filepath.Join(testdata, name+".tfrecord"), filepath.Join(testdata, name+".spec.json")
		want := must(t, "cat", "--spec", spec, file)
		for _, ext := range extensions {
			dir := t.TempDir()
			out, back := filepath.Join(dir, "x@3."+ext), filepath.Join(dir, "back")
			must(t, "export", "--spec", spec, file, "-o", out)
			shards, err := filepath.Glob(filepath.Join(dir, "x-*"))
			if err != nil || len(shards) != 3 {
				t.Fatalf("%s.%s: %q, %v", name, ext, shards, err)
			}
			one := filepath.Join(dir, "x."+ext)
			must(t, "export", "--spec", spec, file, "-o", one)
			must(t, "encode", one, "-o", back)
			if got := must(t, "cat", "--spec", spec, back); got != want {
				t.Errorf("%s.%s: got\n%.500s\nwant\n%.500s", name, ext, got, want)
			}
			must(t, append([]string{"encode", "-o", back}, shards...)...) // the shards have the rows in turn
			if got := strings.Count(must(t, "cat", back), "\n"); got != strings.Count(want, "\n") {
				t.Errorf("%s@3.%s: %d rows, want %d", name, ext, got, strings.Count(want, "\n"))
			}
		}
	}
}

// TestNoSpec exports records without a spec, with absent features and empty lists, and encodes them: they are the same.
func TestNoSpec(t *testing.T) {
	dir := t.TempDir()
	lines := `{"a":[1,2],"s":["x",""],"x":[0.5]}
{"a":[],"s":["y"]}
{"x":[]}
{"s":[{"b64":"//8="}],"a":[-5]}
`
	records := filepath.Join(dir, "in")
	write(t, filepath.Join(dir, "in.jsonl"), []byte(lines))
	must(t, "encode", "--kind", "a=int64", "--kind", "x=float32", filepath.Join(dir, "in.jsonl"), "-o", records)
	for _, ext := range extensions {
		out, back := filepath.Join(dir, "x."+ext), filepath.Join(dir, "back")
		must(t, "export", records, "-o", out)
		must(t, "encode", out, "-o", back)
		must(t, "diff", records, back)
		must(t, "export", "--select", "a", "--where", "has(x)", records, "-o", out)
		must(t, "encode", out, "-o", back)
		if got := must(t, "cat", back); got != "{\"a\":[1,2]}\n{}\n" {
			t.Errorf("%s: got %s", ext, got)
		}
		if code, _, stderr := run(t, "export", "--utf8", "s", records, "-o", out); code != 4 || !strings.Contains(stderr, "in#3: record 3 (offset 0x") || !strings.Contains(stderr, `"s"`) {
			t.Errorf("%s: a string that is not text: exit code %d, %s", ext, code, stderr)
		}
		if code, _, stderr := run(t, "export", "--on-error", "skip", "--utf8", "s", records, "-o", out); code != 3 {
			t.Errorf("%s: a string that is not text: exit code %d, %s", ext, code, stderr)
		}
		must(t, "encode", out, "-o", back)
		if got := must(t, "count", back); !strings.HasPrefix(got, "3\t") {
			t.Errorf("%s: %s", ext, got)
		}
		if code, stdout, _ := run(t, "export", "--to", ext, records, "-o", "-"); code != 0 || len(stdout) == 0 {
			t.Errorf("%s on standard output: exit code %d", ext, code)
		}
	}
}

// TestImages exports images, and encodes the files: the records are the same.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	lines, records, spec := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "in"), filepath.Join(dir, "spec.json")
	write(t, lines, []byte(`{"image":[{"b64":"iVBORw=="}],"label":[1]}`+"\n"+`{"image":["GIF"],"label":[2]}`+"\n"))
	write(t, spec, []byte(`{"features":{"image":{"fixed_len":{"dtype":"string","shape":[]}},"label":{"fixed_len":{"dtype":"int64","shape":[]}}}}`))
	must(t, "encode", lines, "-o", records)
	for _, ext := range extensions {
		out, back := filepath.Join(dir, "x."+ext), filepath.Join(dir, "back")
		for _, args := range [][]string{{}, {"--spec", spec}} {
			must(t, append([]string{"export", "--image", "im*", records, "-o", out}, args...)...)
			b, err := os.ReadFile(out)
			if err != nil || !bytes.Contains(b, []byte(`{"info":{"features":{"image":{"_type":"Image"}}}}`)) {
				t.Errorf("%s %q: no metadata: %v", ext, args, err)
			}
			must(t, "encode", out, "-o", back)
			must(t, "diff", records, back)
		}
		write(t, lines, []byte(`{"image":["a","b"]}`+"\n"))
		must(t, "encode", lines, "-o", back)
		if code, _, stderr := run(t, "export", "--image", "image", records, back, "-o", out); code != 4 || !strings.Contains(stderr, "back#0: record 0 (offset 0x0): column \"image\": bad column data: want 1 image, got 2") {
			t.Errorf("%s: two images: exit code %d, %s", ext, code, stderr)
		}
		if code, _, stderr := run(t, "export", "--image", "label", records, "-o", out); code != 2 || !strings.Contains(stderr, `--image: feature "label" is not a string`) {
			t.Errorf("%s: a number as image: exit code %d, %s", ext, code, stderr)
		}
	}
}

// TestTFDS exports data sets of TensorFlow Datasets, and encodes the files: the rows are the same.
func TestTFDS(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"toy/1.0.0", "more/2.0.0", "episodes/1.0.0"} {
		set := filepath.Join(testdata, "tfds", filepath.FromSlash(name))
		features := filepath.Join(set, "features.json")
		want := must(t, "cat", "--spec", features, set+"#train")
		for _, ext := range extensions {
			out, back := filepath.Join(dir, "x."+ext), filepath.Join(dir, "back")
			must(t, "export", "--spec", "auto", set+"#train", "-o", out)
			must(t, "encode", out, "-o", back)
			if got := must(t, "cat", "--spec", features, back); got != want {
				t.Errorf("%s.%s: got\n%.500s\nwant\n%.500s", name, ext, got, want)
			}
			if name != "toy/1.0.0" {
				continue
			}
			if b, err := os.ReadFile(out); err != nil || !bytes.Contains(b, []byte(`"label":{"_type":"ClassLabel","names":["cat","dog"]}`)) {
				t.Errorf("%s: no metadata of labels: %v", ext, err)
			}
			must(t, "export", "--labels", "names", "--select", "label,flag,large", set+"#train", "-o", out)
			must(t, "encode", out, "-o", back)
			if got := must(t, "cat", "--limit", "2", back); got != "{\"flag\":[1],\"label\":[\"cat\"],\"large\":[-1]}\n{\"flag\":[0],\"label\":[\"dog\"],\"large\":[-2]}\n" {
				t.Errorf("%s: labels: got %s", ext, got)
			}
		}
	}
}

// TestTFDSNames selects a tensor with several unknown dimensions by the name that cat prints, for two columns of the file. --utf8 and
// --image know the name, too.
func TestTFDSNames(t *testing.T) {
	set, out := filepath.Join(testdata, "tfds", "more", "2.0.0")+"#train", filepath.Join(t.TempDir(), "x")
	for _, ext := range extensions {
		must(t, "export", "--spec", "auto", "--select", "id,dynamic", set, "-o", out+"."+ext)
		must(t, "encode", out+"."+ext, "-o", out)
		if got := must(t, "cat", "--limit", "1", out); !strings.HasPrefix(got, `{"dynamic/shape":[0,2,2],"dynamic/value":[`) || !strings.HasSuffix(got, `"id":[6]}`+"\n") {
			t.Errorf("%s: %s", ext, got)
		}
		for _, flag := range []string{"--utf8", "--image"} {
			code, _, stderr := run(t, "export", "--spec", "auto", flag, "dynamic", set, "-o", out+"."+ext)
			if want := flag + `: feature "dynamic" is not a string`; code != 2 || !strings.Contains(stderr, want) {
				t.Errorf("%s %s: exit code %d: %s", ext, flag, code, stderr)
			}
		}
	}
}

// TestBadRows encodes a stream from standard input with rows that no record can hold, in two columns: each is named, and skipped
// alone.
func TestBadRows(t *testing.T) {
	list := arrowlib.LargeListOf(arrowlib.PrimitiveTypes.Int64)
	s := arrowlib.NewSchema([]arrowlib.Field{{Name: "a", Type: list, Nullable: true}, {Name: "b", Type: list, Nullable: true}}, nil)
	var stream bytes.Buffer
	w, err := ipcfile.NewWriter(&stream, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for row := range 6 {
			for column, bad := range []int{4, 2} { // a null inside a list
				l := b.Field(column).(*array.LargeListBuilder)
				l.Append(true)
				if row == bad {
					l.ValueBuilder().AppendNull()
				} else {
					l.ValueBuilder().(*array.Int64Builder).Append(int64(row))
				}
			}
		}
		if err := w.Write(b.NewRecordBatch(), ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(t.TempDir(), "back")
	var messages bytes.Buffer
	code := command.Program().Run(t.Context(), []string{"encode", "--on-error", "skip", "-o", back, "-"}, bytes.NewReader(stream.Bytes()), io.Discard, &messages)
	if code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	for _, row := range []string{"-#2: ", "-#4: ", "-#8: ", "-#10: "} {
		if !strings.Contains(messages.String(), row) {
			t.Errorf("no message about %s\n%s", row, messages.String())
		}
	}
	want := strings.Repeat("{\"a\":[0],\"b\":[0]}\n{\"a\":[1],\"b\":[1]}\n{\"a\":[3],\"b\":[3]}\n{\"a\":[5],\"b\":[5]}\n", 2)
	if got := must(t, "cat", back); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestBadValues encodes a file with values that features do not hold: the rows between them are read.
func TestBadValues(t *testing.T) {
	schema := arrowlib.NewSchema([]arrowlib.Field{{Name: "a", Type: arrowlib.PrimitiveTypes.Uint64}, {Name: "b", Type: arrowlib.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Uint64Builder).AppendValues([]uint64{0, 1, 2, 3, math.MaxUint64, 5, math.MaxUint64}, nil)
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{0, 1e300, 0, 0, 0, 0, 0}, nil)
	var file bytes.Buffer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
		b.Field(0).(*array.Uint64Builder).AppendValues([]uint64{math.MaxUint64, 8}, nil)
		b.Field(1).(*array.Float64Builder).AppendValues([]float64{0, 1e300}, nil)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out")
	write(t, in, file.Bytes())
	if code, _, stderr := run(t, "encode", in, "-o", out); code != 4 || !strings.HasPrefix(stderr, "tfparse: "+in+"#1: record 1: column \"b\"") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	code, _, stderr := run(t, "encode", "--on-error", "skip", in, "-o", out)
	var bad []string
	for line := range strings.Lines(stderr) {
		if _, after, ok := strings.Cut(line, in+"#"); ok {
			bad = append(bad, after[:1])
		}
	}
	if got := must(t, "cat", "--select", "a", out); code != 3 || strings.Join(bad, " ") != "1 4 6 7 8" || got != "{\"a\":[0]}\n{\"a\":[2]}\n{\"a\":[3]}\n{\"a\":[5]}\n" {
		t.Errorf("exit code %d, rows %s\n%s%s", code, bad, stderr, got)
	}
}

// TestDamage cuts files and changes their bytes: encode fails, or gives records, and an error leaves no output.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	file, spec := filepath.Join(testdata, "recipes.tfrecord"), filepath.Join(testdata, "recipes.spec.json")
	for _, ext := range extensions {
		whole := filepath.Join(dir, "x."+ext)
		must(t, "export", "--spec", spec, file, "-o", whole)
		b, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		damaged, out := filepath.Join(dir, "damaged."+ext), filepath.Join(dir, "out")
		try := func(what string, b []byte, wantError bool) {
			t.Helper()
			write(t, damaged, b)
			code, _, stderr := run(t, "encode", damaged, "-o", out)
			_, err := os.Stat(out)
			switch {
			case code == 0 && wantError:
				t.Errorf("%s, %s: no error", ext, what)
			case code != 0 && (code != 4 || err == nil || !strings.HasPrefix(stderr, "tfparse: "+damaged) ||
				strings.Contains(stderr, "goroutine") || strings.Contains(stderr, "out of range") || strings.Contains(stderr, "runtime error")):
				t.Errorf("%s, %s: exit code %d, output %v: %s", ext, what, code, err == nil, stderr)
			}
			os.Remove(out)
		}
		for n := 0; n < len(b); n += 1 + len(b)/60 {
			try(fmt.Sprintf("%d bytes", n), b[:n], true)
		}
		for at := 0; at < len(b); at += 1 + len(b)/150 {
			changed := bytes.Clone(b)
			changed[at] ^= 1 << (at % 8)
			try(fmt.Sprintf("a bit of byte %d", at), changed, false)
		}
	}
}

// TestUsage checks messages about inputs and flags.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	parquet, records := filepath.Join(dir, "x.parquet"), filepath.Join(testdata, "recipes.tfrecord")
	must(t, "export", records, "-o", parquet)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"encode", parquet, filepath.Join(testdata, "kitchen.jsonl")}, 2, "cannot be encoded with Parquet or Arrow files"},
		{[]string{"encode", "--kind", "a=int64", parquet}, 2, "leave out --spec, --kind, --type and --proto"},
		{[]string{"encode", filepath.Join(dir, "none.parquet")}, 4, "no such file"},
		{[]string{"export", "--utf8", "nope", "--to", "parquet", records}, 2, `unknown feature "nope"`},
	} {
		code, _, stderr := run(t, append(c.args, "-o", filepath.Join(dir, "out"))...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr)
		}
	}
	if got := must(t, "version"); !strings.HasSuffix(got, "build with parquet, arrow, arrows\n") {
		t.Error(got)
	}
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestTensorShape exports tensors by a spec without their dtype and shape: the columns have those of the first tensor.
func TestTensorShape(t *testing.T) {
	dir := t.TempDir()
	lines, records, spec := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "in"), filepath.Join(dir, "spec.json")
	write(t, spec, []byte(`{"features":{"x":{"var_len":{"dtype":"string","decode":{"tensor_proto":{}}}}}}`))
	const matrix, vector = `{"x":[{"hex":"08011208120208011202080222080000803f00000000"}]}`, `{"x":[{"hex":"08011204120208012204000080bf"}]}` // float32 [1,2] and [1]
	write(t, lines, []byte("{\"x\":[]}\n"+matrix+"\n"+matrix+"\n"))
	must(t, "encode", "--kind", "x=string", lines, "-o", records)
	for _, ext := range extensions {
		out, back := filepath.Join(dir, "x."+ext), filepath.Join(dir, "back")
		must(t, "export", "--spec", spec, records, "-o", out)
		must(t, "encode", out, "-o", back)
		if got, want := must(t, "cat", "--spec", spec, back), "{\"x\":[]}\n{\"x\":[[[1.0,0.0]]]}\n{\"x\":[[[1.0,0.0]]]}\n"; got != want {
			t.Errorf("%s: got %s, want %s", ext, got, want)
		}
	}
	write(t, lines, []byte(matrix+"\n"+vector+"\n"))
	must(t, "encode", lines, "-o", records)
	for _, ext := range extensions {
		if code, _, stderr := run(t, "export", "--spec", spec, records, "-o", filepath.Join(dir, "x."+ext)); code != 4 || !strings.Contains(stderr, `in#1: record 1`) || !strings.Contains(stderr, `feature "x": string does not decode: want shape [?, ?], got [1]`) {
			t.Errorf("%s: two ranks: exit code %d, %s", ext, code, stderr)
		}
	}
	write(t, lines, []byte(`{"x":[]}`+"\n"))
	must(t, "encode", "--kind", "x=string", lines, "-o", records)
	if code, _, stderr := run(t, "export", "--spec", spec, records, "-o", filepath.Join(dir, "x.parquet")); code == 0 || !strings.Contains(stderr, `column "x": unsupported column: want dtype and shape in the spec`) {
		t.Errorf("no tensor: exit code %d, %s", code, stderr)
	}
}

// TestContent encodes files whose names do not say what they are: the content decides, and a name that contradicts it is an error.
func TestContent(t *testing.T) {
	dir := t.TempDir()
	records := filepath.Join(testdata, "recipes.tfrecord")
	titles := map[string]string{"parquet": "a Parquet file", "arrow": "an Arrow IPC file", "arrows": "an Arrow IPC stream"}
	for _, ext := range extensions {
		out, want, back := filepath.Join(dir, "x."+ext), filepath.Join(dir, "want"), filepath.Join(dir, "back")
		must(t, "export", records, "-o", out)
		must(t, "encode", out, "-o", want)
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "x.dat", "x.feather", "x.json"} {
			write(t, filepath.Join(dir, name), content)
			must(t, "encode", filepath.Join(dir, name), "-o", back)
			must(t, "diff", want, back)
		}
		for _, name := range extensions {
			if (name == "parquet") == (ext == "parquet") {
				continue
			}
			wrong := filepath.Join(dir, "wrong."+name)
			write(t, wrong, content)
			if code, _, stderr := run(t, "encode", wrong, "-o", back); code != 4 || !strings.Contains(stderr, "wrong."+name+": "+titles[ext]+", in spite of its name") {
				t.Errorf("%s as %s: exit code %d, %s", ext, name, code, stderr)
			}
		}
	}
}

// TestListsWithoutSpec exports SequenceExamples and lists of Examples without a spec, and encodes the files: the records are the same.
func TestListsWithoutSpec(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sessions", "ranking"} {
		records := filepath.Join(testdata, name+".tfrecord")
		for _, ext := range extensions {
			out, back := filepath.Join(dir, name+"."+ext), filepath.Join(dir, "back")
			must(t, "export", records, "-o", out)
			must(t, "encode", out, "-o", back)
			must(t, "diff", records, back)
		}
	}
	lines, records := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "in")
	write(t, lines, []byte(`{"context":{},"feature_lists":{"a":[[1],[]],"b":[]}}`+"\n"+`{"context":{"c":["x"]},"feature_lists":{"a":[["s"]],"d":[[1]]}}`+"\n"))
	must(t, "encode", lines, "-o", records)
	if code, _, stderr := run(t, "export", records, "-o", filepath.Join(dir, "x.parquet")); code != 4 || !strings.Contains(stderr, "in#") || !strings.Contains(stderr, `"a"`) || !strings.Contains(stderr, `feature "b": no values in any record, no column`) {
		t.Errorf("two kinds: exit code %d, %s", code, stderr)
	}
	must(t, "export", "--drop", "a", records, "-o", filepath.Join(dir, "x.parquet"))
	must(t, "encode", filepath.Join(dir, "x.parquet"), "-o", records)
	if got, want := must(t, "cat", records), `{"context":{"c":[]},"feature_lists":{"d":[]}}`+"\n"+`{"context":{"c":["x"]},"feature_lists":{"d":[[1]]}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
