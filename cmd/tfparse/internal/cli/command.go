package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Command is one verb. Its fields are what help and completion are made from.
type Command struct {
	Name         string // of two words for a command below another
	Args         string // what stands behind the flags, as "FILE..."
	Short        string // one line for the list of verbs
	Long         string // paragraphs for its own help
	Examples     []string
	words        []string // what completion offers for the arguments; nil: files
	takesCommand bool     // the arguments name a command
	Negative     string   // what exit code 1 says; "": it never does
	Count        string   // the flag that -5 stands for; "": none

	Flags func(fs *pflag.FlagSet)
	Run   func(e *Env, args []string) error
}

// An App is a command with verbs.
type App struct {
	About   string            // paragraphs in front of the list of verbs
	Verbs   func() []*Command // in the order of the help; made anew, because each holds the values of its flags
	IsInput func(string) bool // reports whether a word names something to read
	Heap    Heap
}

// Commands returns the verbs, and those that are made of them.
func (a *App) Commands() []*Command {
	return append(a.Verbs(), a.completionCommand(), a.manCommand(), a.versionCommand(), a.helpCommand())
}

// dispatch finds the verb and runs it.
func (a *App) dispatch(e *Env, args []string) error {
	if len(args) == 0 {
		return e.print(a.overview())
	}
	switch args[0] {
	case "-h", "--help":
		return e.print(a.overview())
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	case "help":
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			return a.dispatch(e, append(slices.Clone(args[1:]), "--help"))
		}
	}
	c, args := a.find(args)
	if c == nil {
		return a.noCommand(args[0])
	}
	fs := c.FlagSet()
	if c.Count != "" {
		args = numbered(fs, c.Count, args)
	}
	if err := fs.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return e.print(c.Help(fs))
	} else if err != nil {
		return a.withHelp(fmt.Sprintf("%s: %v", c.Name, flagError(fs, err)), c.Name)
	}
	err := givenEmpty(fs)
	if err == nil {
		err = flagForFile(fs)
	}
	if err == nil {
		err = c.Run(e, fs.Args())
	}
	if ue, ok := errors.AsType[UsageError](err); ok {
		return a.withHelp(fmt.Sprintf("%s: %v", c.Name, ue), c.Name)
	}
	return err
}

// find returns the command that the first arguments name, and the others; nil if
// there is none.
func (a *App) find(args []string) (*Command, []string) {
	var found *Command
	words := 0
	for _, c := range a.Commands() {
		name := strings.Fields(c.Name)
		if len(name) > words && len(args) >= len(name) && slices.Equal(name, args[:len(name)]) {
			found, words = c, len(name)
		}
	}
	return found, args[words:]
}

// print writes text to standard output.
func (e *Env) print(text string) error {
	_, err := io.WriteString(e.Stdout, text)
	return OutputError("standard output", err)
}

func (c *Command) FlagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.SortFlags = false
	if c.Flags != nil {
		c.Flags(fs)
	}
	return fs
}

// numbered writes -5 as the flag of that name with its value, as head of Unix takes it. What
// stands behind a flag that wants a value, or behind --, is left alone.
func numbered(fs *pflag.FlagSet, flag string, args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		if dashNumber.MatchString(arg) && (i == 0 || !wantsValue(fs, out[i-1])) {
			out[i] = "--" + flag + "=" + arg[1:]
		}
	}
	return out
}

// wantsValue reports whether an argument is a flag whose value is the next argument.
func wantsValue(fs *pflag.FlagSet, arg string) bool {
	var f *pflag.Flag
	switch name, long := strings.CutPrefix(arg, "--"); {
	case long:
		f = fs.Lookup(name) // nil if there is a value behind a "="
	case len(arg) == 2 && arg[0] == '-':
		f = fs.ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}

var dashNumber = regexp.MustCompile(`^-[0-9]+$`)

// noCommand is the error of a word that is no command: what was most likely meant.
func (a *App) noCommand(word string) error {
	message := fmt.Sprintf("unknown command %q", word)
	near := nearest(word, names(a.Commands()))
	switch {
	case strings.HasPrefix(word, "-") && word != Stdin:
		return a.withHelp(fmt.Sprintf("there is no flag %s before a command; flags stand behind it", word), "")
	case a.IsInput(word) || near == "" && strings.ContainsAny(word, `/\.@*`):
		return a.withHelp(fmt.Sprintf("%s; did you mean `tfparse head %s`?", message, ShellQuoted(word)), "")
	case near != "":
		message += fmt.Sprintf("; is it %s?", near)
	}
	return a.withHelp(message, "")
}

// ShellQuoted is a word as one types it into a POSIX shell.
func ShellQuoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./#-]+$`)

func names(all []*Command) []string {
	s := make([]string, len(all))
	for i, c := range all {
		s[i] = c.Name
	}
	return s
}

// topNames are the names that stand first on a command line.
func topNames(all []*Command) (top []string) {
	for _, name := range names(all) {
		if !strings.Contains(name, " ") {
			top = append(top, name)
		}
	}
	return top
}

// below returns the second words of the commands below c.
func (c *Command) below(all []*Command) (words []string) {
	for _, name := range names(all) {
		if word, ok := strings.CutPrefix(name, c.Name+" "); ok {
			words = append(words, word)
		}
	}
	return words
}
