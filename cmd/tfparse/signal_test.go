package main

import (
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A run that is interrupted, in whichever way, leaves nothing behind, and
// signals that it was begun to ignore do not end it.
func TestSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal on Windows")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to ignore signals with: ", err)
	}
	for _, c := range []struct {
		name, ignored string
		sent          syscall.Signal
		ends          bool
	}{
		{"SIGTERM", "", syscall.SIGTERM, true},
		{"SIGHUP", "", syscall.SIGHUP, true},
		{"SIGTERM in the background", "INT", syscall.SIGTERM, true},
		{"SIGTERM under nohup", "HUP", syscall.SIGTERM, true},
		{"SIGHUP in the background", "INT", syscall.SIGHUP, true},
		{"SIGHUP under nohup", "HUP", syscall.SIGHUP, false},
		{"SIGINT in the background", "INT", syscall.SIGINT, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.ends && signal.Ignored(c.sent) {
				t.Skipf("the tests themselves were begun to ignore %v", c.sent)
			}
			dir := t.TempDir()
			cmd := tfparse(t, "convert", "-", "--allow-empty", "-o", filepath.Join(dir, "out"))
			if c.ignored != "" {
				// exec keeps what is ignored.
				cmd = exec.Command(sh, append([]string{"-c", "trap '' " + c.ignored + `; exec "$0" "$@"`}, cmd.Args...)...)
			}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return len(list(t, dir)) == 1 })
			if err := cmd.Process.Signal(c.sent); err != nil {
				t.Fatal(err)
			}
			want, left := 130, 0
			if !c.ends {
				want, left = 0, 1 // the file, complete
				in.Close()
			}
			cmd.Wait()
			in.Close()
			if got := cmd.ProcessState.ExitCode(); got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
			if files := list(t, dir); len(files) != left {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}
