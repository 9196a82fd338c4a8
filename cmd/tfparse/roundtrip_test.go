package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// realFiles returns files of records that other programs wrote: the samples of
// the project, and the data beside it where that is there; of those one of each folder,
// or all in long runs.
func realFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/*.tfrecord")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample files: %v", err)
	}
	const beside = "../../../shared/data"
	if _, err := os.Stat(beside); err != nil {
		t.Logf("without the files of other projects: %v", err)
		return files
	}
	all, seen := testkit.Long(t, "all but one file of each folder"), map[string]bool{}
	filepath.WalkDir(beside, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".tfrecord") {
			if dir := filepath.Dir(path); all || !seen[dir] {
				files, seen[dir] = append(files, path), true
			}
		}
		return nil
	})
	return files
}

// cat | encode | cat prints the same lines, in the plain form without --kind and
// but for empty lists, whose kind its lines do not tell; in the typed form the
// decoded records are the same.
func TestRoundTrip(t *testing.T) {
	for _, file := range realFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, form := range []string{"--typed=false", "--typed"} {
				copied := filepath.Join(t.TempDir(), "copy")
				code, lines, stderr := runWith(t, nil, "cat", form, file)
				if code != 0 || lines == "" {
					t.Fatalf("cat %s: exit code %d, %d bytes: %s", form, code, len(lines), stderr)
				}
				if code, _, stderr := runWith(t, strings.NewReader(lines), "encode", "-o", copied); code != 0 {
					t.Fatalf("encode: exit code %d: %s", code, stderr)
				}
				code, again, stderr := runWith(t, nil, "cat", form, copied)
				if form != "--typed" {
					untold := strings.NewReplacer("[]", "null")
					lines, again = untold.Replace(lines), untold.Replace(again)
				}
				if code != 0 || again != lines {
					t.Fatalf("cat %s of the copy: exit code %d, lines differ: %v: %s", form, code, again != lines, stderr)
				}
				if form == "--typed" {
					compareRecords(t, file, copied)
				}
			}
		})
	}
}

// compareRecords compares the records of two files as decoded messages.
func compareRecords(t *testing.T, a, b string) {
	t.Helper()
	as, bs := readAll(t, a), readAll(t, b)
	if len(as) != len(bs) {
		t.Fatalf("%d records, the copy has %d", len(as), len(bs))
	}
	kind, ok := detect.Detect(as)
	if !ok {
		t.Fatal("no message type")
	}
	for i := range as {
		if a, b := canonical(t, kind, as[i]), canonical(t, kind, bs[i]); !bytes.Equal(a, b) {
			t.Fatalf("record %d differs:\n%x\n%x", i, a, b)
		}
	}
}

func readAll(t *testing.T, name string) (all [][]byte) {
	t.Helper()
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.Clone(rec))
	}
	return all
}

// canonical decodes a message and encodes what it holds in the one way that is
// ours, which keeps every value bit for bit.
func canonical(t *testing.T, kind example.MessageType, msg []byte) []byte {
	t.Helper()
	var b []byte
	var err error
	switch kind {
	case example.TypeSequence:
		var m example.Sequence
		if err = m.UnmarshalBinary(msg); err == nil {
			b, err = m.AppendBinary(nil)
		}
	case example.TypeExampleList:
		var m example.ExampleList
		if err = m.UnmarshalBinary(msg); err == nil {
			b, err = m.AppendBinary(nil)
		}
	default:
		var m example.Example
		if err = m.UnmarshalBinary(msg); err == nil {
			b, err = m.AppendBinary(nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// convert copies payloads bit for bit, through every codec.
func TestConvertKeepsPayloads(t *testing.T) {
	for _, file := range realFiles(t) {
		want := readAll(t, file)
		for _, codec := range cli.CompressionNames {
			out := filepath.Join(t.TempDir(), "out")
			if code, _, stderr := runWith(t, nil, "convert", file, "-o", out, "--to", codec); code != 0 {
				t.Fatalf("%s to %s: exit code %d: %s", file, codec, code, stderr)
			}
			if got := readAll(t, out); !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s to %s: payloads differ", file, codec)
			}
		}
	}
}
