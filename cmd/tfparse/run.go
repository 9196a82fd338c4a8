package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// Exit codes. Where several apply, bad input comes before lost data, and that
// before a negative answer.
const (
	exitDone        = 0
	exitNegative    = 1   // ran, and the answer is no
	exitUsage       = 2   // the command line makes no sense
	exitLost        = 3   // done, but data was lost or skipped
	exitBadInput    = 4   // input unreadable, corrupt or not fitting; or output that cannot be written
	exitInterrupted = 130 // as shells report SIGINT
)

// An env is what one run of the command has to do with the world.
type env struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	console *console.Console
	losses  losses

	mu    sync.Mutex
	files []*atomicfile.File // to be dropped when the run is interrupted
	code  int                // the worst so far, short of an error
}

// A usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is the whole command. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	setCollector()
	// Without this the runtime ends the process at a write to a closed pipe,
	// and neither temporary files nor a summary would be seen to.
	signal.Ignore(syscall.SIGPIPE)
	ctx, release := signal.NotifyContext(context.Background(), interrupts()...)
	defer release()
	e := &env{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, console: console.New(stderr, "tfparse")}

	done := make(chan int, 1)
	go func() { done <- e.main(args) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
		release() // another signal ends the process as it stands
	}
	// The work stops at its next read or record. A read from a pipe that
	// nobody fills never returns: it ends with the process.
	const grace = 200 * time.Millisecond
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		e.drop()
		e.console.Hide()
		return exitInterrupted
	}
}

// interrupts returns the signals that end a run in good order. What the parent
// had ignored stays so: an interrupt of a job in the background, or the end of
// the terminal under nohup.
func interrupts() []os.Signal {
	all := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}

// main runs one verb and turns its error into a message and an exit code.
func (e *env) main(args []string) int {
	err := e.dispatch(args)
	e.losses.summary(e.console)
	switch {
	case err == nil, errors.Is(err, errClosedPipe):
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		if spec, ok := errors.AsType[*specError](err); ok {
			for _, message := range spec.messages() {
				e.console.Print(message)
			}
			return exitUsage
		}
		e.console.Print(err.Error())
		if _, ok := errors.AsType[usageError](err); ok {
			return exitUsage
		}
		return exitBadInput
	}
	if e.losses.any() {
		e.raise(exitLost)
	}
	return e.code
}

// raise sets the exit code unless a worse one is set.
func (e *env) raise(code int) { e.code = max(e.code, code) }

// keep notes a file that is being written.
func (e *env) keep(f *atomicfile.File) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.files = append(e.files, f)
}

// drop removes the files that are being written.
func (e *env) drop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		f.Drop()
	}
}
