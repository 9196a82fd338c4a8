package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
	testscript.Main(cleaning{m}, map[string]func(){"tfparse": main})
}

// cleaning runs tests, and removes what they share.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	defer func() { os.RemoveAll(builtDir) }() // nothing, if build was not called
	return c.m.Run()
}

// TestScript runs the scripts in testdata/script. Beside the commands of testscript they have:
//
//	want CODE PROGRAM [ARG...] [<FILE]   like exec, and the exit code must be CODE; tfparse runs in this process, with FILE as its standard input
//	flip FILE OFFSET                     invert all bits of one byte
//	cut FILE SIZE                        cut a file to its first bytes
//	join OUT FILE...                     write files end to end
//
// and the condition [root], for whom no file is unreadable. The sample files of the project are in testdata of the working directory.
// The scripts run one after the other, since tfparse has the working directory of the process. As processes of their own its 2,700
// command lines would take six times as long.
func TestScript(t *testing.T) {
	testscript.RunT(serialT{t}, scriptParams(t, "testdata/script", wantInProcess))
}

// TestProcess runs scripts about terminals, where want starts processes.
func TestProcess(t *testing.T) {
	testscript.Run(t, scriptParams(t, "testdata/process", wantProcess))
}

// TestSentences checks that a message of six words or more stands once in all scripts, so that a better word costs one line. The
// others match its file and a keyword.
func TestSentences(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d scripts, %v", len(names), err)
	}
	first := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for text := range strings.Lines(string(b)) {
			line++
			_, pattern, ok := strings.Cut(strings.TrimSpace(text), "stderr '")
			if !ok || len(strings.Fields(pattern)) < 6 {
				continue
			}
			at := fmt.Sprintf("%s:%d", name, line)
			if first[pattern] != "" {
				t.Errorf("%s has the sentence of %s: '%s", at, first[pattern], pattern)
			}
			first[pattern] = at
		}
	}
}

// scriptCommand is a command of scripts.
type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

func scriptParams(t *testing.T, dir string, want scriptCommand) testscript.Params {
	samples := sampleFiles(t)
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv(raceOptions, os.Getenv(raceOptions)) // scripts start with an environment of their own
			// Half of the time of all scripts would be spent on copies of folders that few of them name.
			script, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
			if err != nil {
				return err
			}
			testdata := filepath.Join(env.WorkDir, "testdata")
			if bytes.Contains(script, []byte("testdata/messages")) {
				err = os.CopyFS(filepath.Join(testdata, "messages"), os.DirFS("../../testdata/messages"))
			}
			if err == nil && bytes.Contains(script, []byte("testdata/tfds")) {
				err = os.CopyFS(filepath.Join(testdata, "tfds"), os.DirFS("../../testdata/tfds"))
			}
			if err == nil && bytes.Contains(script, []byte("testdata/models")) {
				err = copyModels(testdata)
			}
			if err == nil {
				err = copyFiles(testdata, samples)
			}
			return err
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]scriptCommand{
			"want": want,
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
	}
}

// serialT is a test whose subtests do not run in parallel.
type serialT struct{ *testing.T }

func (t serialT) Parallel()     {}
func (t serialT) Verbose() bool { return testing.Verbose() }
func (t serialT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(serialT{t}) })
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

func wantInProcess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "tfparse" {
		wantProcess(ts, neg, args)
		return
	}
	want, args := args[0], args[2:]
	stdin := ""
	if n := len(args) - 1; n >= 0 && strings.HasPrefix(args[n], "<") {
		stdin, args = ts.ReadFile(args[n][1:]), args[:n]
	}
	restore := enter(ts)
	defer restore()
	stdout := io.Writer(ts.Stdout())
	var out bytes.Buffer
	if recordings != "" {
		stdout = io.MultiWriter(stdout, &out)
	}
	code := runCommand(args, strings.NewReader(stdin), stdout, ts.Stderr())
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
	if recordings != "" {
		ts.Check(saveRun(args, out.Bytes()))
	}
}

// enter gives the process the working directory of a script and the variables that the command reads.
func enter(ts *testscript.TestScript) (restore func()) {
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	undo := []func() error{func() error { return os.Chdir(before) }}
	for _, name := range []string{"CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "TERM", "TMPDIR"} {
		value, ok := os.LookupEnv(name)
		undo = append(undo, func() error {
			if !ok {
				return os.Unsetenv(name)
			}
			return os.Setenv(name, value)
		})
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	return func() {
		for _, f := range undo {
			ts.Check(f())
		}
	}
}

func wantProcess(ts *testscript.TestScript, neg bool, args []string) {
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

// recordings is a folder in which each command line of a script leaves a file with its arguments and its
// standard output. internal/test/contract compares those in JSON with their schemas.
var recordings = os.Getenv("TFPARSE_RECORD")

func saveRun(args []string, out []byte) error {
	text, err := json.Marshal(struct {
		Args []string
		Out  []byte
	}{args, out})
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(recordings, "*.json")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
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
