// Package kernels proves that the tests of kernels in assembly have run them. A test skips a kernel that the
// processor cannot run; without this package it could be skipped on all machines unnoticed.
package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Kernel is what a package calls instead of Go code.
type Kernel struct {
	Name  string
	Needs string // of the processor, as /proc/cpuinfo calls it, by spaces
	Slow  bool   // the processor has all of that, but Go code is faster
}

var ran sync.Map // by name

// Ran notes that a test had values from a kernel, which were right.
func Ran(name string) { ran.Store(name, true) }

// Main runs the tests of a package. With -v it prints which kernels ran. If the processor could run a
// kernel, and all tests were to run but none called it, they fail.
func Main(m *testing.M, kernels ...Kernel) int {
	code := m.Run()
	has := processor()
	all := !strings.Contains(strings.Join(os.Args, " "), "test.run") && !strings.Contains(strings.Join(os.Args, " "), "test.list")
	for _, k := range kernels {
		_, did := ran.Load(k.Name)
		could := has != nil && !k.Slow
		for need := range strings.FieldsSeq(k.Needs) {
			could = could && slices.Contains(has, need)
		}
		switch {
		case did:
			say("kernel %s: ran", k.Name)
		case !all:
		case !could:
			say("kernel %s: not for this processor", k.Name)
		case strings.Contains(os.Getenv("GODEBUG"), "=off"):
			say("kernel %s: switched off by GODEBUG", k.Name)
		default:
			fmt.Printf("kernel %s: no test has run it, and the processor has %s\n", k.Name, k.Needs)
			code = max(code, 1)
		}
	}
	return code
}

func say(format string, args ...any) {
	if testing.Verbose() {
		fmt.Printf(format+"\n", args...)
	}
}

// processor returns what the processor can do, or nothing if the system has no such information.
func processor() []string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if name, flags, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			return strings.Fields(flags)
		}
	}
	return nil
}
