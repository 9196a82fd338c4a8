// Command tfparsebeam runs verbs of tfparse as pipelines of Apache Beam:
//
//	tfparsebeam stats -o stats.pb 'train-*'
//	tfparsebeam --runner=flink --endpoint=localhost:8099 --environment_type=LOOPBACK stats -o stats.pb 'train-*'
//
// Without --runner, Beam's own runner, prism, runs in this process, with all elements of the pipeline in memory.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/tfparse/tfparse/store"
)

//go:embed help.txt
var help string

// Exit codes, the same as in tfparse.
const (
	exitUsage       = 2
	exitSkipped     = 3
	exitError       = 4
	exitInterrupted = 130
)

// A usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errSkipped ends a run that has skipped records or files, which are already printed.
var errSkipped = errors.New("skipped")

func main() {
	flag.CommandLine.Init("tfparsebeam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	if err := flag.CommandLine.Parse(os.Args[1:]); err != nil {
		os.Exit(exitCode(usageError{err}))
	}
	store.Register(nil) // gs://, s3:// and http, here and on the workers
	beam.Init()         // does not return in a worker; it also sets the level of messages
	if err := errors.Join(setLogging(*logLevel), setRunner()); err != nil {
		os.Exit(exitCode(usageError{err}))
	}
	clean := ownTemporary()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release) // a second signal ends the process at once
	code := exitCode(runVerb(ctx, flag.Args(), os.Stdout))
	clean()
	os.Exit(code)
}

// exitCode prints an error and returns the exit code for it.
func exitCode(err error) int {
	_, usage := errors.AsType[usageError](err)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(help)
		return 0
	case errors.Is(err, errSkipped):
		return exitSkipped
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case usage:
		fmt.Fprintf(os.Stderr, "tfparsebeam: %v; see tfparsebeam --help\n", err)
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "tfparsebeam: %v\n", err)
	return exitError
}

// ownTemporary makes a directory for all temporary files of the process, and returns a function that removes it. Beam does not
// remove its temporary files.
func ownTemporary() (remove func()) {
	dir, err := os.MkdirTemp("", "tfparsebeam-")
	if err != nil {
		return func() {} // code that needs a directory will fail with an error
	}
	for _, name := range []string{"TMPDIR", "TMP"} { // on Unix and on Windows
		os.Setenv(name, dir)
	}
	return func() { os.RemoveAll(dir) }
}
