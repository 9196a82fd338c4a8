package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestDuSums proves that the parts of every sample add up to its uncompressed bytes, as package
// gzip of the standard library counts them.
func TestDuSums(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/*.tfrecord", "../../testdata/messages/*.tfrecord"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	sum := 0
	for _, name := range append(files, "") {
		args, want := []string{"du", "--format", "json", name}, uncompressed(t, name)
		if name == "" { // all at once
			args, want = append([]string{"du", "--format", "json"}, files...), sum
		}
		code, stdout, stderr := runWith(t, nil, args...)
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
			continue
		}
		type feature struct {
			Bytes, Name_bytes, Tag_bytes, Value_bytes int
		}
		var r struct {
			Bytes, Framing, Messages, Unknown_fields, Payloads, Records int
			Features                                                    []feature
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatal(err)
		}
		got := r.Framing + r.Messages + r.Unknown_fields + r.Payloads
		for _, f := range r.Features {
			if f.Bytes != f.Name_bytes+f.Tag_bytes+f.Value_bytes {
				t.Errorf("%s: %+v do not add up", name, f)
			}
			got += f.Bytes
		}
		if got != want || r.Bytes != want || r.Framing != 16*r.Records {
			t.Errorf("%s: the parts are %d bytes, the total %d, want %d; framing of %d records %d", name, got, r.Bytes, want, r.Records, r.Framing)
		}
		sum += want
	}
}

// uncompressed is the number of bytes of a file, without gzip.
func uncompressed(t *testing.T, name string) int {
	if name == "" {
		return 0
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return len(b)
}
