package scan

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// csvFiles writes files of CSV, and returns them as the inputs of one table.
func csvFiles(t *testing.T, codec tfrecord.Compression, contents ...string) []Input {
	t.Helper()
	table := &Table{Compression: codec}
	var in []Input
	for i, content := range contents {
		name := filepath.Join(t.TempDir(), "f"+string(rune('0'+i)))
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		in = append(in, Input{Name: name, Table: table})
	}
	table.Files = in
	return in
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readKinds returns the kind of the feature x of each record, and the texts of faults.
func readKinds(t *testing.T, step bool, prefer map[string]example.Kind, stdin io.Reader, in ...Input) string {
	t.Helper()
	var o strings.Builder
	flags := &Flags{progress: cli.WhenNever, csv: &csvFlags{prefer: prefer}}
	src, err := flags.Open(quiet(t.Context(), stdin), in, &Options{
		Recover: step,
		Begin:   func(f *File) error { o.WriteString("begin(" + filepath.Base(f.Name) + ") "); return nil },
		End:     func(*File) error { o.WriteString("end "); return nil },
		Fault:   func(f *Fault) error { o.WriteString(f.Class + ": " + f.Detail() + " "); return nil },
	})
	if err == nil {
		err = src.Each(func(rec Record) error {
			x, _, err := example.TypeExample.Lookup(rec.Bytes, "x")
			o.WriteString(x.Kind().String() + " ")
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o.String()
}

// TestTableCompression: CSV is read plain and from gzip, by its bytes or as it is said; anything else is an error that names it.
func TestTableCompression(t *testing.T) {
	const text = "id,x\n1,2\n2,2.5\n"
	whole := zipped(t, text)
	other := "begin(f0) csv: line 1: "
	for _, c := range []struct {
		proves  string
		codec   tfrecord.Compression
		content string
		want    string
	}{
		{"plain", tfrecord.Auto, text, "begin(f0) float_list float_list end"},
		{"gzip is found", tfrecord.Auto, whole, "begin(f0) float_list float_list end"},
		{"two members", tfrecord.Auto, whole + zipped(t, "3,4\n"), "begin(f0) float_list float_list float_list end"},
		{"gzip is said", tfrecord.GZIP, whole, "begin(f0) float_list float_list end"},
		{"gzip is said and is none", tfrecord.GZIP, text, other + "gzip: invalid header end"},
		{"none is said and it is gzip", tfrecord.None, whole, `begin(f0) csv: line 1: the name of column 1 is not UTF-8: `},
		{"gzip is cut", tfrecord.Auto, whole[:len(whole)-9], "begin(f0) float_list float_list csv: line 4: unexpected EOF end"},
		{"a TFRecord", tfrecord.Auto, string(tfrecord.AppendRecord(nil, []byte("a"))), other + "want CSV, got a TFRecord end"},
		{"zstd", tfrecord.Auto, "\x28\xb5\x2f\xfd\x04\x00", other + "want CSV, got zstd; CSV can be compressed with gzip only end"},
		{"a pointer", tfrecord.Auto, "version https://git-lfs.github.com/spec/v1\n", other + "want CSV, got a Git LFS pointer; fetch the data end"},
		{"empty", tfrecord.Auto, "", "begin(f0) csv: there is no header: the file is empty end"},
		{"nothing in gzip", tfrecord.Auto, zipped(t, ""), "begin(f0) csv: there is no header: the file is empty end"},
	} {
		for _, step := range []bool{false, true} {
			in := csvFiles(t, c.codec, c.content)
			if got := strings.TrimSpace(readKinds(t, step, nil, nil, in...)); got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%s, step %v:\n got %s\nwant %s", c.proves, step, got, c.want)
			}
		}
	}
}

// TestTableKinds: kinds depend on all files of a table, on other tables for floats, and on what is asked for.
func TestTableKinds(t *testing.T) {
	for _, c := range []struct {
		proves string
		kinds  map[string]example.Kind
		prefer map[string]example.Kind
		a, b   []string
		want   example.Kind // of the first row of a
	}{
		{"one table", nil, nil, []string{"x\n1\n"}, nil, example.Int64List},
		{"the second file", nil, nil, []string{"x\n1\n", "x\n2.5\n"}, nil, example.FloatList},
		{"a bad row does not count", nil, nil, []string{"x\n1\n", "x\na,b\n"}, nil, example.Int64List},
		{"floats in another table", nil, nil, []string{"x\n1\n"}, []string{"y,x\n1,2.5\n"}, example.FloatList},
		{"strings in another table", nil, nil, []string{"x\n1\n"}, []string{"x\na\n"}, example.Int64List},
		{"preferred", nil, map[string]example.Kind{"x": example.BytesList}, []string{"x\n1\n"}, nil, example.BytesList},
		{"preferred and impossible", nil, map[string]example.Kind{"x": example.Int64List}, []string{"x\n1\n2.5\n"}, nil, example.FloatList},
		{"set", map[string]example.Kind{"x": example.Int64List}, nil, []string{"x\n1\n2.5\n"}, []string{"x\n1.5\n"}, example.Int64List},
	} {
		in := csvFiles(t, tfrecord.Auto, c.a...)
		in[0].Table.Kinds = c.kinds
		tables := []*Table{in[0].Table}
		if c.b != nil {
			tables = append(tables, csvFiles(t, tfrecord.Auto, c.b...)[0].Table)
		}
		if err := Infer(t.Context(), tables, &readSettings{}, c.prefer); err != nil {
			t.Fatal(err)
		}
		got := readKinds(t, false, c.prefer, nil, in[0])
		if want := "begin(f0) " + c.want.String() + " "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", c.proves, got, want)
		}
	}
}

// TestTableStream: what can be read once only is kept until Close, in a file without a name where the system has such.
func TestTableStream(t *testing.T) {
	dir := t.TempDir()
	temporary := func(dir string) {
		t.Setenv("TMPDIR", dir)
		t.Setenv("TMP", dir) // on Windows
	}
	temporary(dir)
	in := []Input{{Name: Stdin, Table: &Table{}}}
	in[0].Table.Files = in
	stdin := iotest.OneByteReader(strings.NewReader("id,x\n1,2\n2,a\n"))
	if err := Infer(t.Context(), []*Table{in[0].Table}, &readSettings{stdin: stdin}, nil); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(dir); runtime.GOOS == "linux" && (err != nil || len(names) > 0) {
		t.Errorf("temporary files: %v, error %v", names, err)
	}
	for range 2 { // it can be read again
		if got := readKinds(t, false, nil, stdin, in...); got != "begin(-) bytes_list bytes_list end " {
			t.Errorf("got %s", got)
		}
	}
	if err := in[0].Table.Close(); err != nil {
		t.Fatal(err)
	}
	temporary(filepath.Join(dir, "none"))
	again := &Table{Files: []Input{{Name: Stdin}}}
	if err := Infer(t.Context(), []*Table{again}, &readSettings{stdin: strings.NewReader("x\n1\n")}, nil); err == nil || !strings.Contains(err.Error(), "temporary file in "+filepath.Join(dir, "none")) {
		t.Errorf("without a directory for temporary files: %v", err)
	}
}

// TestTableInterrupted: the look at the types ends when the run does.
func TestTableInterrupted(t *testing.T) {
	in := csvFiles(t, tfrecord.Auto, "x\n1\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Infer(ctx, []*Table{in[0].Table}, &readSettings{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestGuessCSV: rows are Examples, without a look at them; only raw takes them as something else.
func TestGuessCSV(t *testing.T) {
	for typ, want := range map[example.MessageType]string{
		example.TypeAuto: "begin(f0) example 0@2:14 end", example.TypeExample: "begin(f0) 0@2:14 end", example.TypeRaw: "begin(f0) 0@2:14 end", example.TypeSequence: "",
	} {
		in := csvFiles(t, tfrecord.Auto, "x\n1\n")
		d := &diary{opts: Options{Type: typ}}
		err := d.readAll(t, want, in...)
		if wrong := ": CSV rows are records of type example, not sequence"; want == "" && (err == nil || !strings.HasSuffix(err.Error(), wrong)) || want != "" && err != nil {
			t.Errorf("%v: error %v", typ, err)
		}
	}
}
