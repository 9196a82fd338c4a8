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

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/tfrecord"
)

// process begins this program as a process of its own.
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

// Mistakes in the flags of Beam are wrong usage, before anything is read.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"--runner=nope count nowhere":                              "--runner nope: want prism, flink, spark, dataflow or universal",
		"count nowhere --runner flink":                             "--runner flink needs --endpoint",
		"--runner=dataflow --region=r count nowhere":               "--runner dataflow needs --project",
		"--log_level loud count nowhere":                           "--log_level loud: want none",
		"--nothing count nowhere":                                  "see tfparsebeam --help",
		"count --nothing nowhere":                                  "see tfparsebeam count --help",
		"convert -o http://localhost:1/x@2 " + recipes:             "files are not written by HTTP",
		"convert -o s3://bucket " + recipes:                        "is a directory",
		"count --runner flink --endpoint localhost:1 " + recipes:   "--endpoint localhost:1: no job server",
		"shuffle --result_dir /nowhere/at/all -o OUT/x " + recipes: "/nowhere/at/all",
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

// An error of a worker is one line without the plan of the pipeline.
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

// An interrupt ends a pipeline with exit code 130. Neither hidden files nor temporary ones stay.
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

// No flag of Beam has the name of a flag of a verb, which would never get it.
func TestFlagNames(t *testing.T) {
	app := command.ProgramOn(&pipelines{}, "tfparsebeam", about)
	for _, verb := range app.Verbs() {
		var flags []string
		flag.VisitAll(func(f *flag.Flag) { flags = append(flags, f.Name) })
		for _, name := range flags {
			if verb.FlagSet().Lookup(name) != nil {
				t.Errorf("%s: --%s is a flag of Beam, too", verb.Name, name)
			}
		}
	}
}

// Help has the flags of Beam, and nothing that is refused.
func TestHelp(t *testing.T) {
	for _, words := range [][]string{{}, {"help"}, {"help", "help"}, {"version", "--help"}, {"count", "--help"}, {"stats", "--help"}, {"validate", "--help"}, {"convert", "--help"}, {"shuffle", "--help"}} {
		var stdout, stderr bytes.Buffer
		app := command.ProgramOn(&pipelines{}, "tfparsebeam", about)
		if code := app.Run(t.Context(), words, strings.NewReader(""), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%q: exit code %d: %s", words, code, &stderr)
		}
		text := strings.Join(strings.Fields(stdout.String()), " ")
		text = strings.Replace(text, "Standard input and output, CSV, and --shard, --jobs and --progress are refused.", "", 1)
		for _, wrong := range []string{"CSV", "csv", "--shard", "--jobs", "--progress", "standard input", "tfparse cat", "tfparsebeam cat"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%q: %s in: %s", words, wrong, stdout.String())
			}
		}
		if len(words) == 0 && !strings.Contains(text, "--environment_type TYPE") {
			t.Errorf("the flags of Beam are missing: %s", stdout.String())
		}
	}
}
