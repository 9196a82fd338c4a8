package featurepb_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// All records of data sets that TensorFlow Extended publishes can be parsed with their schema, and every column
// equals TensorFlow's. The data are not in the repository. TensorFlow's tensors are stored as checksums.
func TestPublishedData(t *testing.T) {
	for _, c := range vectors(t, "published.jsonl") {
		t.Run(c.Name, func(t *testing.T) { testPublished(t, c) })
	}
}

func testPublished(t *testing.T, c *testkit.Case) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "..", "shared", "data", c.Name)
	text, err := os.ReadFile(filepath.Join(dir, "schema.pbtxt"))
	if err != nil {
		t.Skipf("skipped: the data are not here: %v", err)
	}
	spec, err := featurepb.FromSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	var want feature.Spec
	if err := c.Decode("spec", &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(normal(want), normal(spec)); d != "" {
		t.Fatal(d)
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	batch := parser.NewBatch()
	var files []string
	if err := c.Decode("files", &files); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		appendFile(t, batch, filepath.Join(dir, name))
	}
	var records int
	if err := c.Decode("records", &records); err != nil || batch.Len() != records {
		t.Fatalf("%d records, want %d (%v)", batch.Len(), records, err)
	}
	got := map[string]map[string]string{}
	for _, column := range batch.Columns().All() {
		group := column.Group().String()
		if got[group] == nil {
			got[group] = map[string]string{}
		}
		got[group][column.Name()] = digest(column)
	}
	var digests map[string]map[string]string
	if err := json.Unmarshal(c.Want().Expect, &digests); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(digests, got); d != "" {
		t.Error(d)
	}
}

func appendFile(t *testing.T, batch *feature.Batch, name string) {
	t.Helper()
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Append(record); err != nil {
			t.Fatal(r.WrapError(err))
		}
	}
}

// digest returns a checksum of a column, made of the lines that testdata/make/schema.py describes.
func digest(c feature.Column) string {
	h := sha256.New()
	w := bufio.NewWriter(h)
	switch c.DType() {
	case feature.Int64:
		lines(w, c, func(v int64) string { return strconv.FormatInt(v, 10) })
	case feature.Float32:
		lines(w, c, func(v float32) string { return fmt.Sprintf("%08x", math.Float32bits(v)) })
	case feature.String:
		lines(w, c, func(v string) string { return hex.EncodeToString([]byte(v)) })
	}
	w.Flush()
	return hex.EncodeToString(h.Sum(nil))
}

func lines[T feature.Element](w *bufio.Writer, c feature.Column, value func(T) string) {
	fmt.Fprintf(w, "%s %s\n", c.Form(), c.DType())
	if s, ok := feature.SparseOf[T](c); ok {
		numbers(w, "shape", s.Shape)
		for i, v := range s.Values {
			for _, n := range s.Index(i) {
				fmt.Fprintf(w, "%d ", n)
			}
			fmt.Fprintln(w, value(v))
		}
		return
	}
	t, _ := feature.TensorOf[T](c)
	for axis := range t.RaggedRank() {
		numbers(w, "splits", t.Partition(axis).AppendSplits(nil))
	}
	shape := t.Shape()[t.RaggedRank():]
	if t.RaggedRank() > 0 {
		shape[0] = len(t.Values())
		for _, n := range shape[1:] {
			shape[0] /= n
		}
	}
	numbers(w, "shape", shape)
	for _, v := range t.Values() {
		fmt.Fprintln(w, value(v))
	}
}

func numbers[T int | int64](w *bufio.Writer, word string, v []T) {
	w.WriteString(word)
	for _, n := range v {
		fmt.Fprintf(w, " %d", n)
	}
	w.WriteString("\n")
}
