package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
)

func TestMain(m *testing.M) {
	if os.Getenv("TFPARSEBEAM_MAIN") != "" {
		main()
	}
	flag.Parse()
	beam.Init()
	if err := errors.Join(setLogging("none"), setRunner()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestSplit(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.String("runner", "", "")
	fs.Bool("async", false, "")
	for _, c := range []struct{ line, verb, beam string }{
		{"stats a b", "stats a b", ""},
		{"--runner flink stats -o x a", "stats -o x a", "--runner flink"},
		{"stats --runner=flink --async a", "stats a", "--runner=flink --async"},
		{"stats a -runner", "stats a", "-runner"},
		{"stats --top 3 -- --runner", "stats --top 3 -- --runner", ""},
		{"stats -", "stats -", ""},
		{"", "", ""},
	} {
		verb, ofBeam := split(strings.Fields(c.line), fs)
		if !reflect.DeepEqual(append([]string{}, verb...), strings.Fields(c.verb)) || !reflect.DeepEqual(append([]string{}, ofBeam...), strings.Fields(c.beam)) {
			t.Errorf("%q: %q and %q", c.line, verb, ofBeam)
		}
	}
}

// outcome is all that a command line prints and writes, in one process or in a pipeline. OUT in the words is a new directory.
func outcome(t *testing.T, pipeline bool, words ...string) string {
	t.Helper()
	out := t.TempDir()
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = strings.ReplaceAll(w, "OUT", out)
	}
	app := command.Program()
	if pipeline {
		app = command.ProgramOn(&pipelines{}, "tfparse", "")
	}
	var stdout, stderr bytes.Buffer
	code := app.Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	text := fmt.Sprintf("%s\nstderr:\n%s\nexit code %d\n", stdout.String(), stderr.String(), code)
	err := filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		text += fmt.Sprintf("%s:\n%s\n", name, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text, out, "OUT")
}

// same checks that a command line has the same outcome in one process and in a pipeline, byte for byte.
func same(t *testing.T, words ...string) string {
	t.Helper()
	want, got := outcome(t, false, words...), outcome(t, true, words...)
	if got != want {
		t.Errorf("%q\nin one process %.3000q\nin a pipeline  %.3000q", words, want, got)
	}
	return got
}

const recipes = "../../../testdata/recipes.tfrecord"

func TestStats(t *testing.T) {
	for _, line := range []string{
		"stats " + recipes,
		"stats -o OUT/x.pb " + recipes + " " + recipes,
		"stats -o OUT/x.pbtxt --schema ../../../testdata/recipes.schema.pbtxt --weight servings --slice servings " + recipes,
		"stats -o OUT/x.json " + recipes,
		"stats nowhere " + recipes,
		"stats --on-error stop nowhere " + recipes,
		"stats --top 0 " + recipes,
	} {
		same(t, strings.Fields(line)...)
	}
}

func TestCount(t *testing.T) {
	damaged := damagedFile(t)
	for _, line := range []string{
		"count " + recipes,
		"count --verify --format json " + recipes + " " + recipes,
		"count nowhere " + recipes,
		"count --verify " + recipes + " " + damaged,
		"count --on-error skip --format json " + damaged + " nowhere",
	} {
		same(t, strings.Fields(line)...)
	}
}

func TestConvertAndShuffle(t *testing.T) {
	damaged := damagedFile(t)
	for _, line := range []string{
		"convert -o OUT/x@3 " + recipes + " " + recipes,
		"convert -o OUT/x.gz --to gzip --level 2 " + recipes,
		"convert -o OUT/x@2 --keep-shards --to zstd " + recipes + " " + recipes,
		"convert -o OUT/x " + recipes + " " + damaged,
		"convert -o OUT/x@2 --no-crc " + recipes + " " + damaged,
		"convert -o OUT/x@3 --keep-shards --on-error skip nowhere " + recipes + " " + damaged,
		"convert -o OUT/none/x " + recipes,
		"convert -o OUT/x nowhere",
		"shuffle -o OUT/x " + recipes,
		"shuffle -o OUT/x@4 --seed 3 --format json --on-error skip " + recipes + " " + damaged + " " + recipes,
		"shuffle -o OUT/x@4 --memory 1KiB " + recipes + " " + damaged,
	} {
		same(t, strings.Fields(line)...)
	}
}

// damagedFile writes a file with a record whose payload is damaged.
func damagedFile(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(recipes)
	if err != nil {
		t.Fatal(err)
	}
	b[1500] ^= 1
	name := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// What one process alone can do is refused, before anything is read.
func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		"count --shard 0/2 a":                "--shard is for one process",
		"stats --jobs 2 a":                   "--jobs is for one process",
		"shuffle --jobs 2 -o OUT/x a":        "--jobs is for one process",
		"validate --progress never a":        "--progress is for one process",
		"convert --shard 0/2 -o OUT/x@1 a":   "--shard is for one process",
		"convert -o - " + recipes:            "standard output is on this machine alone",
		"count -":                            "standard input is on this machine alone",
		"shuffle -o OUT/x":                   "standard input is on this machine alone",
		"cat a":                              "unknown command",
		"convert " + recipes:                 "no output",
		"convert -o OUT/x@2 --keep-shards a": "--keep-shards writes a shard for each file",
	} {
		if got := outcome(t, true, strings.Fields(line)...); !strings.Contains(got, want) || !strings.HasSuffix(got, "exit code 2\n") {
			t.Errorf("%q: %s", line, got)
		}
	}
}
