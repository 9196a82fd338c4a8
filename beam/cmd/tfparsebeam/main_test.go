package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
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

// built is the path of tfparse, whose output is the reference for pipelines.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tfparse")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tfparse")
	build := exec.Command("go", "build", "-o", name, "./cmd/tfparse")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// outcome runs a command line in tfparse or in a pipeline. It returns the standard output with the files that were written, and the error
// or exit code. OUT in the command line is a new directory.
func outcome(t *testing.T, pipeline bool, line string) (text string, code int, message string) {
	t.Helper()
	out := t.TempDir()
	args := strings.Fields(strings.ReplaceAll(line, "OUT", out))
	var stdout, stderr bytes.Buffer
	if pipeline {
		if err := runVerb(t.Context(), args, &stdout); err != nil {
			code, message = exitCode(err), err.Error()
		}
	} else {
		name, err := built()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(name, args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Run()
		code, message = cmd.ProcessState.ExitCode(), stderr.String()
	}
	text = stdout.String()
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
	return strings.ReplaceAll(text, out, "OUT"), code, message
}

// sameOutcome checks that a command line prints and writes the same in tfparse and in a pipeline, byte for byte, with the same exit code.
// If the exit code is not 0, messages may differ; if it is 0, tfparse may print a note, such as one about a sample.
func sameOutcome(t *testing.T, line string) {
	t.Helper()
	want, wantCode, wantMessage := outcome(t, false, line)
	got, code, message := outcome(t, true, line)
	if got != want || code != wantCode || (message == "") == (wantCode != 0) {
		t.Errorf("%q\ntfparse     %d %.3000q %s\na pipeline  %d %.3000q %s", line, wantCode, want, wantMessage, code, got, message)
	}
}

const recipes = "../../../testdata/recipes.tfrecord"

func TestStats(t *testing.T) {
	damaged := damagedFile(t)
	for _, line := range []string{
		"stats -o OUT/x.pb " + recipes + " " + recipes,
		"stats -o OUT/x.pb --schema ../../../testdata/recipes.schema.pbtxt --weight servings --slice servings " + recipes,
		"stats -o OUT/x.pb --sample-rate 0.5 " + recipes,
		"stats -o OUT/x.pb " + recipes + " " + damaged,
		"stats -o OUT/x.pb --on-error stop " + damaged,
		"stats -o OUT/x.pb --on-error stop nowhere " + recipes,
	} {
		sameOutcome(t, line)
	}
}

func TestCount(t *testing.T) {
	damaged := damagedFile(t)
	for _, line := range []string{
		"count " + recipes,
		"count " + recipes + " " + recipes,
		"count --on-error skip " + damaged + " nowhere",
	} {
		sameOutcome(t, line)
	}
}

func TestConvertAndShuffle(t *testing.T) {
	damaged := damagedFile(t)
	for _, line := range []string{
		"convert -o OUT/x@3 " + recipes + " " + recipes,
		"convert -o OUT/x.gz --to gzip --level 2 " + recipes,
		"convert -o OUT/x@2 --keep-shards --to zstd " + recipes + " " + recipes,
		"convert -o OUT/x " + recipes + " " + damaged,
		"convert -o OUT/x@3 --keep-shards --on-error skip nowhere " + recipes + " " + damaged,
		"convert -o OUT/none/x " + recipes,
		"convert -o OUT/x nowhere",
		"shuffle -o OUT/x " + recipes,
		"shuffle -o OUT/x@4 --seed 3 --on-error skip " + recipes + " " + damaged + " " + recipes,
		"shuffle -o OUT/x@4 " + recipes + " " + damaged,
	} {
		sameOutcome(t, line)
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

// TestMistakes checks that usage errors are found before any input is read.
func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"cat a":                                 "unknown verb",
		"count":                                 "no files",
		"count -":                               "standard input",
		"convert -o - " + recipes:               "-o -: want a file",
		"convert " + recipes:                    "no output",
		"convert -o OUT/x@2 --keep-shards a":    "--keep-shards writes a shard for each file",
		"shuffle -o " + recipes + " " + recipes: "this file is also an input",
		"stats -o OUT/x.json " + recipes:        "a name ending in .pb",
		"stats -o OUT/x@2.pb " + recipes:        "want one file for statistics",
		"stats -o OUT/x.pb --sample-rate 2 a":   "ample",
		"stats --top 3 a":                       "-top",
	} {
		if text, code, message := outcome(t, true, line); code != exitUsage || text != "" || !strings.Contains(message, want) {
			t.Errorf("%q: exit code %d, %q, %s", line, code, text, message)
		}
	}
}
