package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A command is one verb. Its fields are what help and completion are made from.
type command struct {
	name     string // of two words for a command below another
	args     string // what stands behind the flags, as "FILE..."
	short    string // one line for the list of verbs
	long     string // paragraphs for its own help
	examples []string
	words    []string // what completion offers for the arguments; nil: files
	count    string   // the flag that -5 stands for; "": none

	flags func(fs *pflag.FlagSet)
	run   func(e *env, args []string) error
}

// commands returns all verbs in the order of the help text. They are made anew
// because each holds the values of its flags.
func commands() []*command { return append(verbs(), helpCommand()) }

// verbs returns all commands but help, which is made of them.
func verbs() []*command {
	return []*command{
		catCommand(),
		headCommand(),
		countCommand(),
		verifyCommand(),
		infoCommand(),
		encodeCommand(),
		schemaCommand(),
		explainCommand(),
		statsCommand(),
		mergeCommand(),
		validateCommand(),
		driftCommand(),
		convertCommand(),
		completionCommand(),
		versionCommand(),
	}
}

const about = `tfparse sees into files of TensorFlow training data: TFRecords of Example,
SequenceExample and ExampleListWithContext.

Files are paths, directories, globs, shard patterns as train@12 or train@12.gz,
or - for standard input, which is also read if no file is named and it is not a
terminal. They are read in the order given. A directory stands for its regular
files in order of name, without those whose names begin with "." or "_" or say
that they are no TFRecords, as README.md and features.json, and without deeper
directories. The codec is found by looking, never taken from a name. A set of
shards, as train-*-of-00012, must be whole: if one is missing, nothing is read,
unless --allow-missing-shards is given.

Damaged files: tfparse verify --all lists every fault, and tfparse convert
--on-error skip writes the records that are intact to another file.

Exit codes: 0 done; 1 the answer is negative; 2 usage; 3 done, but data was
skipped; 4 input unreadable, corrupt or not fitting, or output that cannot be
written; 130 interrupted.
`

// dispatch finds the verb and runs it.
func (e *env) dispatch(args []string) error {
	if len(args) == 0 {
		return e.print(overview())
	}
	switch args[0] {
	case "-h", "--help":
		return e.print(overview())
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	case "help":
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			return e.dispatch(append(slices.Clone(args[1:]), "--help"))
		}
	}
	c, args := findCommand(args)
	if c == nil {
		return noCommand(args[0])
	}
	fs := c.flagSet()
	if c.count != "" {
		args = numbered(fs, c.count, args)
	}
	if err := fs.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return e.print(c.help(fs))
	} else if err != nil {
		return withHelp(fmt.Sprintf("%s: %v", c.name, flagError(fs, err)), c.name)
	}
	err := givenEmpty(fs)
	if err == nil {
		err = c.run(e, fs.Args())
	}
	if ue, ok := errors.AsType[usageError](err); ok {
		return withHelp(fmt.Sprintf("%s: %v", c.name, ue), c.name)
	}
	return err
}

// findCommand returns the command that the first arguments name, and the others; nil if
// there is none.
func findCommand(args []string) (*command, []string) {
	var found *command
	words := 0
	for _, c := range commands() {
		name := strings.Fields(c.name)
		if len(name) > words && len(args) >= len(name) && slices.Equal(name, args[:len(name)]) {
			found, words = c, len(name)
		}
	}
	return found, args[words:]
}

// print writes text to standard output.
func (e *env) print(text string) error {
	_, err := io.WriteString(e.stdout, text)
	return outputError("standard output", err)
}

func (c *command) flagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.SortFlags = false
	if c.flags != nil {
		c.flags(fs)
	}
	return fs
}
