package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/storage"
)

// An Env is what one run of the command has to do with the world.
type Env struct {
	Ctx     context.Context
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Console *console.Console
	Skipped skipped
	// Deferred says that another run reports what was found, and has the exit code for it: this one is a success unless an error ends it.
	Deferred bool
	Heap     Heap

	mu    sync.Mutex
	files []dropper // to be dropped when the run is interrupted
	code  int       // the worst so far, short of an error
	ends  []func()
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
	go func() { done <- e.main(a, public(args)) }()
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
		e.drop()
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

// keep notes files that are being written.
func (e *Env) keep(f dropper) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.files = append(e.files, f)
}

// drop removes the files that are being written.
func (e *Env) drop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		f.Drop()
	}
}
