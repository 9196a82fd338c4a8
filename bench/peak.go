package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// asLauncher is an environment variable. If it is set, this program is a launcher: it starts the program in its
// arguments and prints how much memory that program used.
const asLauncher = "TFPARSE_BENCH_LAUNCHER"

// peakMemory returns the largest amount of memory that a program uses, or 0 if the system does not report it. Linux
// includes the memory that the parent process had at the start. So a small process, the launcher, starts the
// program.
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

// Runs before main, and before the main function of the tests: this process may be the launcher.
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

// launch does the work of the launcher.
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
