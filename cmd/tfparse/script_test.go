package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what scripts compare output with; look at the difference")

// raceOptions is the variable in which the race detector's runtime finds its
// options. A program waits a second before it ends, for reports of what still
// runs, which is most of the time of tests that run hundreds of programs.
const raceOptions = "GORACE"

func TestMain(m *testing.M) {
	if os.Getenv(raceOptions) == "" {
		os.Setenv(raceOptions, "atexit_sleep_ms=10")
	}
	testscript.Main(cleaning{m}, map[string]func(){"tfparse": mainRecorded})
}

// cleaning runs tests, and removes what they share.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	defer func() { os.RemoveAll(builtDir) }() // nothing, if build was not called
	return c.m.Run()
}

// TestScript runs the scripts in testdata/script. Beside the commands of
// testscript they have:
//
//	want CODE PROGRAM [ARG...]   like exec, and the exit code must be CODE
//	flip FILE OFFSET             invert all bits of one byte
//	cut FILE SIZE                cut a file to its first bytes
//	join OUT FILE...             write files end to end
//
// and the condition [root], for whom no file is unreadable. The sample files of the project are in testdata of the working directory.
func TestScript(t *testing.T) {
	samples := sampleFiles(t)
	messages, err := filepath.Glob("../../testdata/messages/*.tfrecord")
	if err != nil || len(messages) == 0 {
		t.Fatalf("no files of other messages: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{raceOptions, recordVariable} {
				env.Setenv(name, os.Getenv(name)) // scripts start with an environment of their own
			}
			if err := copyFiles(filepath.Join(env.WorkDir, "testdata", "messages"), messages); err != nil {
				return err
			}
			if err := os.CopyFS(filepath.Join(env.WorkDir, "testdata", "tfds"), os.DirFS("../../testdata/tfds")); err != nil {
				return err
			}
			if err := copyModels(filepath.Join(env.WorkDir, "testdata")); err != nil {
				return err
			}
			return copyFiles(filepath.Join(env.WorkDir, "testdata"), samples)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"want": wantCode,
			"flip": func(ts *testscript.TestScript, neg bool, args []string) {
				edit(ts, args, func(b []byte, n int) []byte { b[n] ^= 0xff; return b })
			},
			"cut": func(ts *testscript.TestScript, neg bool, args []string) {
				edit(ts, args, func(b []byte, n int) []byte { return b[:n] })
			},
			"join": func(ts *testscript.TestScript, neg bool, args []string) {
				var all []byte
				for _, name := range args[1:] {
					all = append(all, ts.ReadFile(name)...)
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o666))
			},
		},
		RequireExplicitExec: true,
		UpdateScripts:       *update,
	})
}

// sampleFiles returns the names of the sample files, their specs and schemas, and what
// TensorFlow prints of them.
func sampleFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.tfrecord", "*.spec.json", "*.schema.pbtxt", "*.rules", "text/*.txt"} {
		names, err := filepath.Glob(filepath.Join("../../testdata", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no sample files %s: %v", pattern, err)
		}
		all = append(all, names...)
	}
	return all
}

// copyModels copies the models that scripts and examples of help read into a testdata folder.
func copyModels(dir string) error {
	for _, name := range []string{"ragged3", "nested_dict", "two_signatures", "tf1_ragged", "tf1_classify", "tf1_dense", "examples", "static_rows", "recipes", "numbers", "defaults", "ragged_int32", "sparse", "uniform_inside"} {
		of := filepath.Join("models", name)
		if err := os.CopyFS(filepath.Join(dir, of), os.DirFS(filepath.Join("../../testdata", of))); err != nil {
			return err
		}
	}
	return nil
}

func copyFiles(dir string, files []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: want CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func edit(ts *testscript.TestScript, args []string, change func(b []byte, n int) []byte) {
	if len(args) != 2 {
		ts.Fatalf("want a file and a number")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	b := []byte(ts.ReadFile(args[0]))
	if n >= len(b) {
		ts.Fatalf("%s has %d bytes only", args[0], len(b))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), change(b, n), 0o666))
}
