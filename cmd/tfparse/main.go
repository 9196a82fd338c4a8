// Command tfparse sees into files of TensorFlow training data.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// main sets what there is once in a process, the garbage collector and the signals, and runs
// the command line.
func main() {
	setCollector()
	// Without this the runtime ends the process at a write to a closed pipe,
	// and neither temporary files nor a summary would be seen to.
	signal.Ignore(syscall.SIGPIPE)
	ctx, release := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, release) // another signal ends the process as it stands
	a := program
	a.Heap = cli.Heap{Limit: limitHeap, Relax: collectLater}
	os.Exit(a.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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
