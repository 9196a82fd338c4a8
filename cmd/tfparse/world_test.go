package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func tfparse(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("tfparse") // TestMain put it there
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, args...)
}

// A reader that has enough and goes away is no failure; what was lost before is.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	b[20] ^= 1
	if err := os.WriteFile(bad, b, 0o666); err != nil {
		t.Fatal(err)
	}
	many := func(first string) []string {
		files := []string{first}
		for range 400 { // more than any pipe holds
			files = append(files, sample)
		}
		return files
	}
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"cat", append([]string{"cat"}, many(sample)...), 0},
		{"cat after a loss", append([]string{"cat", "--on-error", "skip"}, many(bad)...), 3},
		{"convert", append([]string{"convert", "-o", "-"}, many(sample)...), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := tfparse(t, c.args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			out.Close()
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.want || (c.want == 0 && stderr.Len() > 0) {
				t.Errorf("exit code %d, want %d; stderr: %s", got, c.want, &stderr)
			}
		})
	}
}

// Where the exit code is the answer, it stays the same when the reader of the report goes
// away, as head -1 and grep -q do, also where the fault comes later.
func TestClosedPipeKeepsTheAnswer(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	b[20] ^= 1
	if err := os.WriteFile(bad, b, 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	schema := filepath.Join(dir, "schema.pbtxt")
	if err := os.WriteFile(schema, []byte("feature { name: \"none\" type: INT presence { min_fraction: 1 } }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	type lineCase struct {
		args []string
		want int
	}
	cases := []lineCase{
		{[]string{"verify", bad, sample}, 4},
		{[]string{"verify", sample, sample, bad}, 4},
		{[]string{"verify", "--format", "json", sample, bad}, 4},
		{[]string{"verify", "--on-error", "stop", sample, bad, sample}, 4},
		{[]string{"count", sample, missing}, 4},
		{[]string{"count", "--on-error", "skip", sample, missing}, 3},
		{[]string{"count", "--verify", sample, bad}, 4},
		{[]string{"validate", "--schema", schema, sample}, 1},
		{[]string{"validate", "--schema", schema, "--format", "json", sample}, 1},
		{[]string{"drift", "--fail-above", "0", sample, "../../testdata/sessions.tfrecord"}, 1},
	}
	for _, c := range allVerbs(t) {
		cases = append(cases, lineCase{c.line(t.TempDir(), sample, sampleRecords), 0})
	}
	for _, c := range cases {
		t.Run(c.args[0], func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close() // it has gone away before anything is written
			defer w.Close()
			cmd := tfparse(t, c.args...)
			cmd.Stdout = w
			cmd.Stdin = strings.NewReader(verbInput)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != c.want || strings.Contains(stderr.String(), "pipe") {
				t.Errorf("%q: exit code %d, want %d; stderr: %s", c.args, got, c.want, &stderr)
			}
		})
	}
}

// An interrupted run ends at once, also where it waits for input that does not
// come, says so by its exit code, and leaves nothing behind.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt on Windows")
	}
	for _, verb := range []string{"cat", "encode", "convert"} {
		t.Run(verb, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			cmd := tfparse(t, verb, "-", "-o", out)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return len(list(t, dir)) == 1 })
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				cmd.Process.Kill()
				t.Fatal("it goes on")
			}
			if got := cmd.ProcessState.ExitCode(); got != 130 || stderr.Len() > 0 {
				t.Errorf("exit code %d, want 130; stderr: %s", got, &stderr)
			}
			if left := list(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// While it reads, too.
func TestInterruptAtWork(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt on Windows")
	}
	dir := t.TempDir()
	cmd := tfparse(t, "convert", "-", "-o", filepath.Join(dir, "out"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		for {
			if _, err := in.Write(b); err != nil {
				return
			}
		}
	}()
	waitFor(t, func() bool {
		for _, name := range list(t, dir) {
			info, err := os.Stat(filepath.Join(dir, name))
			return err == nil && info.Size() > 1<<20
		}
		return false
	})
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit code %d, want 130", got)
	}
	if left := list(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for range 6000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited in vain")
}

// A record is printed as soon as it is wanted, not when its pipe ends.
func TestHeadOfOpenPipe(t *testing.T) {
	cmd := tfparse(t, "head", "-n", "1", "--type", "example", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(b); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"allergens/lengths"`) {
		t.Errorf("got %q, %v", line, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// openTerminal opens the near end of a new pseudo-terminal.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("pseudo-terminals are made in the way of Linux here")
	}
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminal to be had: ", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Records are not for a terminal; JSON lines are.
func TestTerminal(t *testing.T) {
	tty := openTerminal(t)
	for _, args := range [][]string{{"convert", sample, "-o", "-"}, {"encode", "-o", "-", "/dev/null"}} {
		var stderr bytes.Buffer
		if code := runCommand(args, nil, tty, &stderr); code != 2 || !strings.Contains(stderr.String(), "cannot write records to a terminal") {
			t.Errorf("%v: exit code %d, want 2; stderr: %s", args, code, &stderr)
		}
	}
	var stderr bytes.Buffer
	if code := runCommand([]string{"count", sample}, nil, tty, &stderr); code != 0 {
		t.Errorf("count: exit code %d; stderr: %s", code, &stderr)
	}
	if code, _, stderr := runWith(t, nil, "convert", sample, "-o", os.DevNull); code != 0 {
		t.Errorf("a device is taken for a terminal: %s", stderr)
	}
}
