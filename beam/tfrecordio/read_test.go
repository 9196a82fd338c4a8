package tfrecordio_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/tfrecord"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// stream returns n records, "NAME 0" and so on, as a stream.
func stream(t *testing.T, name string, n int, comp tfrecord.Compression) (data []byte, records []any) {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: comp})
	for i := range n {
		rec := fmt.Appendf(nil, "%s %d", name, i)
		records = append(records, rec)
		if err := w.WriteRecord(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), records
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReadCompressions checks that all records are read from shards of every compression, and from empty shards.
func TestReadCompressions(t *testing.T) {
	dir := t.TempDir()
	var want []any
	for i, comp := range []tfrecord.Compression{tfrecord.None, tfrecord.GZIP, tfrecord.ZLIB, tfrecord.SNAPPY, tfrecord.ZSTD, tfrecord.None} {
		data, recs := stream(t, comp.String(), 3*(5-i), comp) // the last is empty
		want = append(want, recs...)
		put(t, filepath.Join(dir, fmt.Sprintf("a-%05d-of-00006", i)), data)
	}
	for _, pattern := range []string{"a@6", "a-*", ""} {
		p, s := beam.NewPipelineWithRoot()
		passert.Equals(s, tfrecordio.Read(s, filepath.Join(dir, pattern), nil), want...)
		pipetest.Run(t, p)
	}
}
