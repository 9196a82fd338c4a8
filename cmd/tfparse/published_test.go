package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// published is where data sets lie that other projects publish; see beside.
const published = "../../../shared/data"

// beside returns the files of a published data set, or skips the test: they are no
// part of the project.
func beside(t *testing.T, set, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(published, set, pattern))
	if err != nil || len(files) == 0 {
		t.Skipf("skipped: %s, of another project, is not beside this one", set)
	}
	return files
}

// Data sets that TensorFlow Extended publishes, printed with their own schema, are
// the tensors that TensorFlow makes of them. Of those a checksum for each column is
// kept: see testdata/make/schema.py. Written again they are the same.
func TestPublished(t *testing.T) {
	vectors, err := testkit.ReadVectors("../../testdata/spec/published.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range vectors.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Name == "chicago_taxi" {
				testkit.OnlyLong(t, "it is the large one")
			}
			files := beside(t, c.Name, "data_tfrecord*")
			schema := beside(t, c.Name, "schema.pbtxt")[0]
			want, got := map[string]map[string]string{}, map[string]map[string]string{}
			if err := json.Unmarshal(c.Want().Expect, &want); err != nil {
				t.Fatal(err)
			}
			batch := printed(t, nil, append([]string{"cat", "--spec", schema, "--batch", "1000000"}, files...))
			var groups map[string]json.RawMessage
			if err := json.Unmarshal([]byte(batch), &groups); err != nil {
				t.Fatal(err)
			}
			var records int
			if err := c.Decode("records", &records); err != nil || string(groups["rows"]) != fmt.Sprint(records) {
				t.Fatalf("%s records, want %d (%v)", groups["rows"], records, err)
			}
			for group := range want {
				member := group
				if group == "features" {
					member = "columns"
				}
				var columns map[string]json.RawMessage
				if err := json.Unmarshal(groups[member], &columns); err != nil {
					t.Fatal(err)
				}
				got[group] = map[string]string{}
				for name, raw := range columns {
					v, err := testkit.ParseValue(bytesAsBase64(raw))
					if err != nil {
						t.Fatal(err)
					}
					got[group][name] = digest(v)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			rows := printed(t, nil, append([]string{"cat", "--spec", schema}, files...))
			copied := encoded(t, schema, rows)
			if again := printed(t, nil, []string{"cat", "--spec", schema, "--batch", "1000000", copied}); again != batch {
				t.Error("encoded again, the tensors differ")
			}
		})
	}
}

// Data sets of TensorFlow Ranking parse completely with the spec that is found in
// them, and written again they are the same.
func TestPublishedRanking(t *testing.T) {
	for _, file := range beside(t, "ranking", "*.tfrecord") {
		spec := filepath.Join(t.TempDir(), "spec.json")
		if code, _, stderr := runWith(t, nil, "schema", "-o", spec, file); code != cli.ExitDone {
			t.Fatalf("schema: exit code %d: %s", code, stderr)
		}
		rows := printed(t, nil, []string{"cat", "--spec", spec, file})
		if n := strings.Count(rows, "\n"); n != len(readAll(t, file)) || n == 0 {
			t.Errorf("%s: %d rows", file, n)
		}
		batch := printed(t, nil, []string{"cat", "--spec", spec, "--batch", "1000000", file})
		if again := printed(t, nil, []string{"cat", "--spec", spec, "--batch", "1000000", encoded(t, spec, rows)}); again != batch {
			t.Errorf("%s: encoded again, the tensors differ", file)
		}
	}
}

// printed runs the command, which is to succeed without a word, and returns what it
// prints.
func printed(t *testing.T, stdin io.Reader, args []string) string {
	t.Helper()
	code, stdout, stderr := runWith(t, stdin, args...)
	if code != cli.ExitDone || stderr != "" {
		t.Fatalf("%s: exit code %d: %s", args[0], code, stderr)
	}
	return stdout
}

// encoded writes rows to a file and returns its name.
func encoded(t *testing.T, spec, rows string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "copy.tfrecord")
	printed(t, strings.NewReader(rows), []string{"encode", "--spec", spec, "-o", name})
	return name
}

// digest sums up a tensor by the lines that testdata/make/schema.py describes.
func digest(v testkit.Value) string {
	h := sha256.New()
	switch v := v.(type) {
	case testkit.Sparse:
		fmt.Fprintf(h, "sparse %s\nshape%s\n", v.DType, numbers(v.DenseShape))
		for i, text := range lineTexts(v.Values) {
			fmt.Fprintf(h, "%s %s\n", numbers(v.Indices[i])[1:], text)
		}
	case testkit.Ragged:
		fmt.Fprintf(h, "ragged %s\n", v.Flat.DType)
		for _, p := range v.Partitions {
			fmt.Fprintf(h, "splits%s\n", numbers(p.Splits))
		}
		digestDense(h, v.Flat)
	case testkit.Dense:
		fmt.Fprintf(h, "dense %s\n", v.DType)
		digestDense(h, v)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digestDense(h hash.Hash, v testkit.Dense) {
	fmt.Fprintf(h, "shape%s\n", numbers(v.Shape))
	for _, text := range lineTexts(v.Values) {
		fmt.Fprintln(h, text)
	}
}

// numbers writes numbers with a space before each.
func numbers(v []int64) string {
	var b strings.Builder
	for _, n := range v {
		fmt.Fprintf(&b, " %d", n)
	}
	return b.String()
}

// lineTexts writes every value as such a line has it.
func lineTexts(values any) (out []string) {
	switch values := values.(type) {
	case []int64:
		for _, v := range values {
			out = append(out, fmt.Sprint(v))
		}
	case []float32:
		for _, v := range values {
			out = append(out, fmt.Sprintf("%08x", math.Float32bits(v)))
		}
	case []string:
		for _, v := range values {
			out = append(out, hex.EncodeToString([]byte(v)))
		}
	}
	return out
}
