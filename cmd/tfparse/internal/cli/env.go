package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/storage"
)

// An Env is the environment of one run of the command: its streams, outputs and exit code.
type Env struct {
	Ctx     context.Context  // cancelled when the run is interrupted
	Stdin   io.Reader        // what the file name - reads; read by one input at most
	Stdout  io.Writer        // reports, and outputs that are not files
	Stderr  io.Writer        // messages and progress, mostly through Console
	Console *console.Console // prints messages on Stderr
	Skipped skipSummary      // what was skipped in all inputs so far
	// Deferred is set if another run reports the result and has its exit code. Then this run succeeds unless it ends
	// with an error.
	Deferred bool
	Heap     Heap // tunes the garbage collector

	mu      sync.Mutex           // guards files and dropped: interrupts are handled on another goroutine
	files   map[pendingFile]bool // incomplete files, removed when the run is interrupted
	dropped bool                 // files were removed
	code    int                  // exit code so far
	ends    []func()             // functions of AtEnd
}

// A Heap tunes the garbage collector of the process. The zero value does not, for tests that run many commands in one
// process.
type Heap struct {
	Limit func(bytes int64) (restore func()) // sets a limit for the heap
	Relax func() (restore func())            // makes collections rare while the heap is small
}

// LimitTo makes the garbage collector run before the heap exceeds a number of bytes, until restore is called.
func (h Heap) LimitTo(bytes int64) (restore func()) {
	if h.Limit == nil {
		return func() {}
	}
	return h.Limit(bytes)
}

// Gather makes collections rare while the heap is small, until restore is called.
func (h Heap) Gather() (restore func()) {
	if h.Relax == nil {
		return func() {}
	}
	return h.Relax()
}

// A UsageError is an error in the command line.
type UsageError struct{ error }

// Usage turns an error into a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a UsageError with a formatted text.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Run runs a command line and returns the exit code. When ctx is cancelled, by an interrupt, the work stops at the next
// read or record.
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
	// A read from an idle pipe does not return until the process ends.
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

// main runs a command line, and turns its error into messages and the exit code.
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
		e.printError(err)
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

// ErrorsVariable is the environment variable that makes the error that ends a run a line of JSON, if its value is json.
const ErrorsVariable = "TFPARSE_ERRORS"

// A Place says in JSON where an error is. Members that are not known are left out.
type Place struct {
	File    string `json:"file,omitempty"`    // name of the input
	Class   string `json:"class,omitempty"`   // class of the fault, as in the JSON of verify
	Record  *int64 `json:"record,omitempty"`  // ordinal of the record in the file
	Offset  *int64 `json:"offset,omitempty"`  // of the record in the uncompressed file, in bytes
	Feature string `json:"feature,omitempty"` // name of the feature
}

// printError prints the error that ends the run.
func (e *Env) printError(err error) {
	if os.Getenv(ErrorsVariable) != "json" {
		e.Console.Print(err.Error())
		return
	}
	var place Place
	if at, ok := errors.AsType[interface {
		error
		Place() Place
	}](err); ok {
		place = at.Place()
	}
	line, _ := json.Marshal(struct {
		Place
		Message string `json:"message"`
	}{place, err.Error()})
	e.Console.Hide()
	fmt.Fprintf(e.Stderr, "%s\n", line)
}

// AtEnd registers a function that is called when the verb has ended.
func (e *Env) AtEnd(f func()) { e.ends = append(e.ends, f) }

// Raise sets the exit code unless the current one is worse.
func (e *Env) Raise(code int) { e.code = worseCode(e.code, code) }

// A pendingFile is an output that is not complete.
type pendingFile interface{ Drop() }

// TrackFiles registers incomplete outputs, which are dropped when the run is interrupted. They are kept until done is called; it need
// not be. ok is false if the run was interrupted before.
func (e *Env) TrackFiles(f pendingFile) (done func(), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.files == nil {
		e.files = map[pendingFile]bool{}
	}
	e.files[f] = true
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.files, f)
	}, !e.dropped
}

// dropFiles removes the incomplete outputs.
func (e *Env) dropFiles() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropped = true
	for f := range e.files {
		f.Drop()
	}
}

// Exit codes. If several apply, [worseCode] chooses.
const (
	ExitDone        = 0
	ExitNegative    = 1
	ExitUsage       = 2
	ExitSkipped     = 3
	ExitBadInput    = 4
	exitInterrupted = 130 // the code of shells for SIGINT
)

// worseCode returns the exit code of two to report: 4 before 1, and 1 before 3. A check that failed has failed whatever
// was skipped, and scripts test for 1. Bad input is first, since it may have ended the run before the check.
func worseCode(a, b int) int {
	order := []int{ExitDone, ExitSkipped, ExitNegative, ExitBadInput}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// exitOrder describes worseCode in help.
const exitOrder = "Where several apply, 4 comes before 1, and 1 before 3."

// exitCodes are the exit codes for help and manual pages.
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

// maxFailedLines is the number of features above --fail-above that are printed.
const maxFailedLines = 20

// Failed sets exit code 1 if there are features above --fail-above, and prints a line for each of the first 20. place
// is printed before each line; it may be empty.
func (e *Env) Failed(place string, lines []string) {
	if len(lines) > 0 {
		e.Raise(ExitNegative)
	}
	for _, line := range lines[:min(len(lines), maxFailedLines)] {
		e.Console.Print(console.OneLine(place + line))
	}
	if n := len(lines) - maxFailedLines; n > 0 {
		e.Console.Print(console.OneLine(place) + fmt.Sprintf("and %s above --fail-above", Plural(int64(n), "more feature")))
	}
}
