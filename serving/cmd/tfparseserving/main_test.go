package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSecondSignal ends the process at once during linger.
func TestSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal for another process")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainProgram$")
	cmd.Env = append(os.Environ(), "SERVING_ARGS=-listen localhost:0 -linger 1h -model ../../../testdata/models/recipes -spec ../../../testdata/recipes.spec.json")
	logged := &lines{found: make(chan string, 100)}
	cmd.Stderr = logged
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"listening", "stopping"} {
		select {
		case text := <-logged.found:
			if !strings.Contains(text, want) {
				t.Errorf("want %s, got %s", want, text)
			}
		case <-time.After(time.Minute):
			t.Error("nothing was logged in a minute")
			cmd.Process.Kill()
		}
		cmd.Process.Signal(syscall.SIGTERM)
	}
	go func() { // repeat it: a second signal may arrive before the process is ready for it
		for cmd.Process.Signal(syscall.SIGTERM) == nil {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := cmd.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("after two signals: %v", err)
	}
}

// TestMainProgram is the program in a separate process.
func TestMainProgram(t *testing.T) {
	if args, ok := os.LookupEnv("SERVING_ARGS"); ok {
		os.Args = append([]string{"tfparseserving"}, strings.Fields(args)...)
		main()
	}
}

// lines sends the lines that are written to it.
type lines struct{ found chan string }

func (l *lines) Write(b []byte) (int, error) {
	l.found <- string(b)
	return len(b), nil
}
