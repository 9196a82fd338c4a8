package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Output, warnings and faults of encode are those of one goroutine, however many
// there are, with and without a spec.
func TestEncodeJobs(t *testing.T) {
	const lineBytes = 256 << 10 // of lines that are encoded together
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.json")
	if err := os.WriteFile(spec, []byte(`{"features":{"a":{"var_len":{"dtype":"int64"}},"b":{"fixed_len":{"dtype":"string","shape":[],"default":["none"]}}}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	var plain, rows strings.Builder
	for i := range 20_000 {
		switch {
		case i < 3:
			plain.WriteString("{}\n\n")
		case i%4001 == 7:
			fmt.Fprintf(&plain, `{"a":[%d,}`+"\n", i)
			fmt.Fprintf(&rows, `{"a":[%d],"b":1}`+"\n", i)
		case i%9001 == 7:
			fmt.Fprintf(&plain, `{"a":[1],"long":["%s"]}`+"\n", strings.Repeat("x", 2*lineBytes))
			fmt.Fprintf(&rows, `{"a":[1],"b":"%s"}`+"\n", strings.Repeat("x", 2*lineBytes))
		case i > 15_000 && i%3 == 0:
			fmt.Fprintf(&plain, `{"a":[%d.5],"n%d":["x"]}`+"\n", i, i%40)
		default:
			fmt.Fprintf(&plain, `{"a":[%d,2],"n%d":[1]}`+"\n", i, rng.IntN(40))
			fmt.Fprintf(&rows, `{"a":[%d,2]}`+"\n", i)
		}
	}
	// A line that is refused for its size shows no kinds, to no goroutine.
	large := `{"a":[1]}` + "\n" + `{"a":[1.5` + strings.Repeat(",1", 300) + "]}\n" +
		strings.Repeat(`{"b":[2]}`+"\n", 40_000) + strings.Repeat(`{"a":[2.5]}`+"\n", 5)
	for name, c := range map[string]struct {
		text  string
		flags []string
	}{
		"plain":  {plain.String(), []string{"--on-error", "skip"}},
		"stop":   {plain.String(), nil},
		"strict": {plain.String(), []string{"--on-error", "skip", "--strict-kinds"}},
		"large":  {large, []string{"--on-error", "skip", "--max-record-size", "1000", "--strict-kinds"}},
		"rows":   {rows.String(), []string{"--on-error", "skip", "--spec", spec}},
	} {
		var want string
		for i, jobs := range []string{"1", "2", "7"} {
			out := filepath.Join(dir, "out"+jobs)
			os.Remove(out)
			args := append([]string{"encode", "-o", out, "--jobs", jobs}, c.flags...)
			code, _, stderr := runWith(t, strings.NewReader(c.text), args...)
			records, _ := os.ReadFile(out)
			got := fmt.Sprintf("%d\n%s\n%x", code, stderr, records)
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s, %s goroutines: %.300s\nwant %.300s", name, jobs, got, want)
			}
		}
		t.Logf("%s: %.200s", name, want)
	}
}

// A compressed input is recognized by its first bytes.
func TestEncodeGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, `{"a":[1]}`+"\n")
	z.Close()
	name := filepath.Join(t.TempDir(), "lines.gz")
	if err := os.WriteFile(name, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runWith(t, nil, "encode", "-o", name+".tfrecord", name)
	if want := "got gzip: gzip -dc " + name + " | tfparse encode … reads it"; code != 4 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// A short line may stand for long defaults, which are not all held at once.
func TestEncodeDefaults(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.json")
	text := fmt.Sprintf(`{"features":{"a":{"fixed_len":{"dtype":"string","shape":[],"default":["%s"]}}}}`, strings.Repeat("x", 1<<20))
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if code, _, stderr := runWith(t, strings.NewReader(strings.Repeat("{}\n", 40)), "encode", "--spec", spec, "-o", out); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if n := len(readAll(t, out)); n != 40 {
		t.Errorf("got %d records", n)
	}
}
