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
	name     string
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
func commands() []*command {
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
files in order of name, without those whose names begin with "." or "_", and
without deeper directories. The codec is found by looking, never taken from a
name.

Exit codes: 0 done; 1 the answer is negative; 2 usage; 3 done, but data was
skipped; 4 input unreadable, corrupt or not fitting, or output that cannot be
written; 130 interrupted.
`

// dispatch finds the verb and runs it.
func (e *env) dispatch(args []string) error {
	if len(args) == 0 {
		return e.print(overview())
	}
	name, args := args[0], args[1:]
	switch name {
	case "-h", "--help", "help":
		if len(args) > 0 && name == "help" {
			name, args = args[0], []string{"--help"}
			break
		}
		return e.print(overview())
	case "--version":
		name = "version"
	}
	all := commands()
	i := slices.IndexFunc(all, func(c *command) bool { return c.name == name })
	if i < 0 {
		return noCommand(name)
	}
	c := all[i]
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

func (c *command) help(fs *pflag.FlagSet) string {
	var b strings.Builder
	usage := "tfparse " + c.name
	if c.flags != nil {
		usage += " [flags]"
	}
	if c.args != "" {
		usage += " " + c.args
	}
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", usage, strings.TrimSpace(c.long))
	if strings.Contains(c.args, "FILE") {
		b.WriteString("\nA FILE is a path, a directory (its plain files), a glob, a shard pattern such as\ntrain@12, or - for standard input; tfparse --help says more.\n")
	}
	if c.flags != nil {
		fmt.Fprintf(&b, "\nFlags:\n%s", fs.FlagUsages())
	}
	b.WriteString("\nExamples:\n")
	for _, x := range c.examples {
		fmt.Fprintf(&b, "  %s\n", x)
	}
	return b.String()
}

func overview() string {
	var b strings.Builder
	b.WriteString(about)
	b.WriteString("\nUsage: tfparse COMMAND [flags] [FILE...]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s%s\n", c.name, c.short)
	}
	b.WriteString("\ntfparse COMMAND --help says more about each.\n")
	return b.String()
}
