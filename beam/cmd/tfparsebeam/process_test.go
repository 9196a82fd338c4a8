package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/tfrecord"
)

// process starts this program as a separate process.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd = exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "TFPARSEBEAM_MAIN=1", "TMPDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout, stderr
}

// TestUsage checks that invalid flags of Beam are usage errors, before any input is read.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"--runner=nope count nowhere":                              "--runner nope: want prism, flink, spark, dataflow or universal",
		"--runner flink count nowhere":                             "--runner flink needs --endpoint",
		"--runner=dataflow --region=r count nowhere":               "--runner dataflow needs --project",
		"--log_level loud count nowhere":                           "--log_level loud: want none",
		"--nothing count nowhere":                                  "see tfparsebeam --help",
		"count --nothing nowhere":                                  "-nothing",
		"convert -o http://localhost:1/x@2 " + recipes:             "cannot write files by HTTP",
		"convert -o s3://bucket " + recipes:                        "is a directory",
		"--runner flink --endpoint localhost:1 count " + recipes:   "--endpoint localhost:1: no job server",
		"--result_dir /nowhere/at/all shuffle -o OUT/x " + recipes: "/nowhere/at/all",
	} {
		cmd, stdout, stderr := process(t, strings.Fields(strings.ReplaceAll(line, "OUT", t.TempDir()))...)
		cmd.Wait()
		code := 2
		if strings.Contains(line, recipes) {
			code = 4
		}
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s", line, got, stdout, stderr)
		}
	}
}

// TestErrorLine checks that an error of a worker is one line without the plan of the pipeline.
func TestErrorLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x-00001-of-00002"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd, _, stderr := process(t, "convert", "-o", filepath.Join(dir, "x@2"), recipes)
	cmd.Wait()
	text := stderr.String()
	if code := cmd.ProcessState.ExitCode(); code != 4 || strings.Count(text, "\n") != 1 || !strings.Contains(text, filepath.Join(dir, "x-00001-of-00002")) || strings.Contains(text, "DoFn") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestInterrupted checks that an interrupt ends a pipeline with exit code 130, and leaves no hidden or temporary files.
func TestInterrupted(t *testing.T) {
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, nil)
	for i := range 200_000 {
		if err := w.WriteRecord(fmt.Appendf(nil, "record %d of some length that compresses a little %x", i, i*i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd, _, stderr := process(t, "convert", "-o", filepath.Join(out, "x@1"), "--keep-shards", "--to", "gzip", "--level", "9", in)
	defer cmd.Process.Kill()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		if entries, err := os.ReadDir(out); err != nil {
			t.Fatal(err)
		} else if len(entries) > 0 {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("no hidden file")
		}
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || stderr.Len() > 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for _, e := range cmd.Env {
		if tmp, ok := strings.CutPrefix(e, "TMPDIR="); ok && e == cmd.Env[len(cmd.Env)-1] {
			left, err := filepath.Glob(filepath.Join(tmp, "*"))
			hidden, err2 := os.ReadDir(out)
			if err != nil || err2 != nil || len(left) > 0 || len(hidden) > 0 {
				t.Errorf("left: %q, %v, %v, %v", left, hidden, err, err2)
			}
		}
	}
}

// TestHelp checks that the help fits a terminal and names every verb and every flag.
func TestHelp(t *testing.T) {
	cmd, stdout, stderr := process(t, "--help")
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 0 || stderr.Len() > 0 || stdout.String() != help || strings.Count(help, "\n") > 60 {
		t.Errorf("%s%s", stderr, stdout)
	}
	for name, define := range verbs {
		fs := flag.NewFlagSet(name, flag.ContinueOnError)
		define(&invocation{}, fs)
		fs.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(help, "-"+f.Name+" ") {
				t.Errorf("%s: no -%s", name, f.Name)
			}
		})
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("no %s", name)
		}
	}
}
