// Package command is the command tfparse, for programs that extend it: they register object stores, such as those of the
// nested module store, and call Main.
package command

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Main runs the command line of the process and exits with its exit code. It also configures the garbage collector and
// the signal handling of the process.
func Main() {
	setDefaultGC()
	// Otherwise the runtime ends the process at a write to a closed pipe, before temporary files are removed and a summary is
	// printed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, release := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, release) // a second signal ends the process at once
	a := Program()
	a.Heap = cli.Heap{Limit: limitHeap, Relax: relaxGC}
	os.Exit(a.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Program returns the command without process-wide settings, for tests that run it many times in one process.
func Program() *cli.App {
	return &cli.App{Texts: texts, Groups: groups, IsInput: scan.IsInput, Features: completeFeatures}
}

// helpFiles has one help text for each verb and topic.
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

// interrupts returns the signals that end a run with cleanup. It leaves out signals that the parent process ignores, such
// as SIGINT for background jobs and SIGHUP under nohup.
func interrupts() []os.Signal {
	all := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}

// completedRecords limits the records that completion reads, since the shell waits for it.
const completedRecords = 16

// completeFeatures returns the feature names for shell completion, as cat prints them: those in the files among the words
// of the command line. It ignores read errors, since completion cannot report them.
func completeFeatures(e *cli.Env, words []string) (names []string) {
	var patterns []string
	for _, word := range words {
		if file, _ := scan.SplitRange(word); file != cli.Stdin {
			patterns = append(patterns, file)
		}
	}
	var records [][]byte
	for _, pattern := range patterns {
		for rec, err := range dataset.NewFiles([]string{pattern}, nil).Records(e.Ctx).All() {
			if err != nil || len(records) == completedRecords {
				break
			}
			records = append(records, slices.Clone(rec))
		}
	}
	t, _ := detect.Detect(records)
	for _, rec := range records {
		entries, _ := t.Collect(nil, rec)
		for _, entry := range entries {
			names = append(names, unquotedName(entry.Name))
		}
		if t == example.TypeSequence {
			lists, _ := example.CollectFeatureLists(nil, rec)
			for _, list := range lists {
				names = append(names, unquotedName(list.Name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unquotedName returns a name as cat prints it, without the quotes.
func unquotedName(name []byte) string {
	quoted := jsonscan.AppendName(nil, name)
	return string(quoted[1 : len(quoted)-1])
}
