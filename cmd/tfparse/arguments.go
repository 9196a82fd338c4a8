package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
)

// orStdin returns the arguments, or the name of standard input if there are none. A
// terminal is not waited for, and standard input without a byte, which a script has whose
// list of files came out empty, is no input.
func (e *env) orStdin(args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	if err := e.noTerminal("records"); err != nil {
		return nil, err
	}
	var first [1]byte
	if n, _ := io.ReadFull(e.stdin, first[:]); n == 0 {
		return nil, usagef("no files are named, and standard input is empty")
	}
	e.stdin = io.MultiReader(bytes.NewReader(first[:]), e.stdin)
	return []string{inputs.Stdin}, nil
}

// noTerminal is an error if standard input, where no files are named, is a terminal. what
// is read from it otherwise.
func (e *env) noTerminal(what string) error {
	if console.IsTerminal(e.stdin) {
		return usagef("no files: name some, or pipe %s into standard input", what)
	}
	return nil
}

// expandRecords is expand for verbs that take FILE#5 and FILE#5:9.
func (r *reading) expandRecords(e *env, args []string) ([]inputs.Input, error) {
	args, err := e.orStdin(args)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(args, func(arg string) bool { _, records := inputs.SplitRange(arg); return records != nil }) {
		return r.expand(e, args) // all at once, as shards of one set
	}
	var all []inputs.Input
	stdin := false
	for _, arg := range args {
		file, records := inputs.SplitRange(arg)
		switch {
		case records == nil:
		case records.First == math.MaxInt64: // or a larger number
			return nil, usagef("%s: the number of the record is out of range", arg)
		case records.First >= records.End:
			return nil, usagef("%s: there are no records from %d up to, but without, %d", arg, records.First, records.End)
		}
		in, err := r.expand(e, []string{file})
		if err != nil {
			return nil, err
		}
		if file == inputs.Stdin && stdin {
			return nil, usagef("standard input (-) is named twice")
		}
		stdin = stdin || file == inputs.Stdin
		for i := range in {
			in[i].Records = records
		}
		all = append(all, in...)
	}
	return all, nil
}

var dashNumber = regexp.MustCompile(`^-[0-9]+$`)

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

// noCommand is the error of a word that is no command: what was most likely meant.
func noCommand(word string) error {
	message := fmt.Sprintf("unknown command %q", word)
	near := nearest(word, names(commands()))
	switch {
	case strings.HasPrefix(word, "-") && word != inputs.Stdin:
		return withHelp(fmt.Sprintf("there is no flag %s before a command; flags stand behind it", word), "")
	case isInput(word) || near == "" && strings.ContainsAny(word, `/\.@*`):
		return withHelp(fmt.Sprintf("%s; did you mean `tfparse head %s`?", message, shellQuoted(word)), "")
	case near != "":
		message += fmt.Sprintf("; is it %s?", near)
	}
	return withHelp(message, "")
}

// isInput reports whether a word names something that can be read.
func isInput(word string) bool {
	if word == inputs.Stdin {
		return true
	}
	file, _ := inputs.SplitRange(word)
	list, err := files.List([]string{file}, nil)
	if err != nil || len(list.Files) == 0 || list.Files[0].Err != nil {
		return false
	}
	_, err = os.Stat(list.Files[0].Name)
	return err == nil
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./#-]+$`)

// shellQuoted is a word as one types it into a POSIX shell.
func shellQuoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
