package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/storage"
)

// An Env is the streams, outputs and exit code of one run of the command.
type Env struct {
	Ctx     context.Context // is cancelled when the run is interrupted
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Console *console.Console // prints messages on Stderr
	Skipped skipped          // in all inputs so far
	// Deferred says that another run reports what was found, and has the exit code for it: this one is a success unless an error ends it.
	Deferred bool
	Heap     Heap

	mu    sync.Mutex // guards files: an interrupt comes from another goroutine
	files []dropper  // to be dropped when the run is interrupted
	code  int        // the worst so far, short of an error
	ends  []func()   // of AtEnd
}

// A Heap tunes the garbage collector, which is one for the whole process: the zero heap
// leaves it alone, as tests want it that run many commands in one process.
type Heap struct {
	Limit func(bytes int64) (restore func()) // collects before the process takes more
	Relax func() (restore func())            // lets garbage of small batches gather
}

// LimitTo makes the garbage collector run before the process takes more than a number of bytes, until
// restore is called.
func (h Heap) LimitTo(bytes int64) (restore func()) {
	if h.Limit == nil {
		return func() {}
	}
	return h.Limit(bytes)
}

// Gather lets garbage gather while little is alive, until restore is called.
func (h Heap) Gather() (restore func()) {
	if h.Relax == nil {
		return func() {}
	}
	return h.Relax()
}

// A UsageError is a mistake on the command line.
type UsageError struct{ error }

// Usage makes an error one of usage.
func Usage(err error) error { return UsageError{err} }

// Usagef is a mistake on the command line, in words.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Run runs one command line and returns the exit code. When ctx is cancelled, which is how a
// run is interrupted, the work stops at its next read or record.
func (a *App) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &Env{Ctx: ctx, Stdin: stdin, Stdout: stdout, Stderr: stderr, Console: console.New(stderr, "tfparse"), Heap: a.Heap}
	defer storage.Notify(e.Console.Print)()

	done := make(chan int, 1)
	go func() { done <- e.main(a, publicArgs(args)) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	// A read from a pipe that nothing is written to never returns: it ends with the process.
	const grace = 200 * time.Millisecond
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		e.dropFiles()
		e.Console.Hide()
		return exitInterrupted
	}
}

// main runs one verb and turns its error into a message and an exit code.
func (e *Env) main(a *App, args []string) int {
	err := a.dispatch(e, args)
	for _, f := range e.ends {
		f()
	}
	e.Skipped.summary(e.Console)
	switch {
	case err == nil, errors.Is(err, ErrClosedPipe):
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		if all, ok := errors.AsType[*usageErrors](err); ok {
			for _, message := range all.messages {
				e.Console.Print(message)
			}
			return ExitUsage
		}
		e.Console.Print(err.Error())
		if _, ok := errors.AsType[UsageError](err); ok {
			return ExitUsage
		}
		return ExitBadInput
	}
	if e.Deferred {
		return 0
	}
	if e.Skipped.Any() {
		e.Raise(ExitSkipped)
	}
	return e.code
}

// AtEnd has f called when the verb has ended.
func (e *Env) AtEnd(f func()) { e.ends = append(e.ends, f) }

// Raise sets the exit code unless a worse one is set.
func (e *Env) Raise(code int) { e.code = worse(e.code, code) }

// A dropper is files that are being written.
type dropper interface{ Drop() }

// TrackFiles notes files that are being written, to be dropped when the run is interrupted. They are kept until the run ends.
func (e *Env) TrackFiles(f dropper) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.files = append(e.files, f)
}

// dropFiles removes the files that are being written.
func (e *Env) dropFiles() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		f.Drop()
	}
}

// Exit codes. Where several apply, [worse] chooses.
const (
	ExitDone        = 0
	ExitNegative    = 1
	ExitUsage       = 2
	ExitSkipped     = 3
	ExitBadInput    = 4
	exitInterrupted = 130 // as shells report SIGINT
)

// worse returns the exit code to report of two that apply: 4 before 1, and 1 before 3. A check
// that failed on what was read has failed whatever was skipped, and a script that looks for 1
// must not miss it. Bad input comes first, since it may have stopped the run before there was
// an answer.
func worse(a, b int) int {
	order := []int{ExitDone, ExitSkipped, ExitNegative, ExitBadInput}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// exitOrder is worse for people.
const exitOrder = "Where several apply, 4 comes before 1, and 1 before 3."

// exitCodes says what the exit codes mean, for help and manual pages.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{ExitDone, "success"},
	{ExitNegative, "a check failed"},
	{ExitUsage, "wrong usage"},
	{ExitSkipped, "success, but data was skipped"},
	{ExitBadInput, "input that is unreadable, damaged or does not fit, or output that cannot be written"},
	{exitInterrupted, "interrupted"},
}

// mostFailed is how many features that fail a check are named.
const mostFailed = 20

// Failed makes the answer negative if features fail the check --fail-above, and prints a line on standard error for each of the
// first 20, and how many others there are. The place comes before each line; it may be empty.
func (e *Env) Failed(place string, lines []string) {
	if len(lines) > 0 {
		e.Raise(ExitNegative)
	}
	for _, line := range lines[:min(len(lines), mostFailed)] {
		e.Console.Print(console.OneLine(place + line))
	}
	if n := len(lines) - mostFailed; n > 0 {
		e.Console.Print(console.OneLine(place) + fmt.Sprintf("and %s above --fail-above", Plural(int64(n), "more feature")))
	}
}
