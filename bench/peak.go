package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// asLauncher in the environment makes this program start the one in its arguments and
// print how much memory that took.
const asLauncher = "TFPARSE_BENCH_LAUNCHER"

// peakMemory is how much memory a program takes at most; 0 where the system does not
// say. Linux counts what its parent had when it was started: so a small one
// starts it.
func peakMemory(args ...string) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asLauncher+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64)
}

// Before main and the tests' main: this program is the small one.
func init() {
	if os.Getenv(asLauncher) == "" {
		return
	}
	if err := launch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// launch is what the small one does.
func launch(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	fmt.Println(maxResident(cmd.ProcessState.SysUsage()))
	return nil
}
