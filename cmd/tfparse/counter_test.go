package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A schema is the same for any number of goroutines, and so are the messages about damage: by
// the spec that --emit tfmd enriches, and by statistics alone.
func TestSchemaJobs(t *testing.T) {
	const mostJobsTried = 9 // portions are used again when twice as many are under way
	const portionSize = 256 << 10
	var file []byte
	n := 0
	for len(file) < (2*mostJobsTried+3)*portionSize {
		rec, err := (example.Example{
			"id": example.Int64s(int64(n)), "kind": example.Strings("k" + strconv.Itoa(n%7)), "score": example.Floats(float32(n) / 3),
			"words": example.Strings(strings.Split("a bb ccc dddd"[:1+n%13], " ")...), "pad": example.Strings(strings.Repeat("x", 300)),
		}).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if n%1000 == 999 {
			rec = rec[:len(rec)-3]
		}
		file = tfrecord.AppendRecord(file, rec)
		if n%1500 == 1499 {
			file[len(file)-1] ^= 1 // of the checksum
		}
		n++
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "records")
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--emit", "tfmd"}, {"--emit", "tfmd", "--sample", "500"}, {"--emit", "tfmd", "--explain"}, {"--compat", "tfdv", "--on-error", "skip"}, {"-o", filepath.Join(dir, "s.pbtxt")}} {
		var code [3]int
		var out, errs [3]string
		for i, jobs := range []string{"1", "2", strconv.Itoa(mostJobsTried)} {
			args := append([]string{"schema", "--on-error", "skip", "--max-messages", "1000", "--jobs", jobs, name}, flags...)
			code[i], out[i], errs[i] = runWith(t, nil, args...)
			if b, err := os.ReadFile(filepath.Join(dir, "s.pbtxt")); err == nil {
				out[i] += string(b)
			}
		}
		if flags[0] != "--compat" && (code[0] != 3 || !strings.Contains(out[0], `"k3"`) && flags[len(flags)-1] != "--explain") {
			t.Errorf("%q: exit code %d, %.300s, %.300s", flags, code[0], out[0], errs[0])
		}
		for i := range out {
			if code[i] != code[0] || out[i] != out[0] || errs[i] != errs[0] {
				t.Errorf("%q: %d goroutines and one give exit codes %d and %d, and others", flags, i+1, code[i], code[0])
			}
		}
	}
	if code, _, stderr := runWith(t, bytes.NewReader(nil), "schema", "--jobs", "0", name); code != 2 || !strings.Contains(stderr, "--jobs 0: want 1 to 10000") {
		t.Errorf("no goroutine: exit code %d, %s", code, stderr)
	}
}
