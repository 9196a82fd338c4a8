// Package command is the command tfparse, for programs that add to what it can open: such a program registers stores, as
// those of the nested module store, and calls Main.
package command

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// Main runs the command line of the process and ends the process with the exit code. It sets what there is once in a
// process, the garbage collector and the signals.
func Main() {
	setCollector()
	// Without this the runtime ends the process at a write to a closed pipe,
	// and neither temporary files nor a summary would be seen to.
	signal.Ignore(syscall.SIGPIPE)
	ctx, release := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, release) // another signal ends the process as it stands
	a := Program()
	a.Heap = cli.Heap{Limit: limitHeap, Relax: collectLater}
	os.Exit(a.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Program returns the command, for tests, which run it many times in one process.
func Program() *cli.App {
	return &cli.App{Texts: texts, Groups: groups, IsInput: scan.IsInput, Features: features}
}

// helpFiles has a text for each verb and topic.
//
//go:embed help/*.txt
var helpFiles embed.FS

var texts = func() fs.FS {
	dir, err := fs.Sub(helpFiles, "help")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return dir
}()

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
