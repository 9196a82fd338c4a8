package partial

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A Flag is --partial of a verb, or its merge subcommand.
type Flag struct {
	Verb  string
	Alike []string // flags that all parts must have alike; beside those of reading
	// Refused are flags that merge refuses, as the parts were made with them; nil: those for reading files. All others must
	// then be given as they were for the parts.
	Refused []string
	Name    string // the value of --partial; "" if it is not given
	Merge   bool   // the inputs are parts

	flags *pflag.FlagSet
}

// Add defines the flag.
func (f *Flag) Add(fs *pflag.FlagSet) {
	cli.FileVar(fs, &f.Name, "partial", "write a part for "+f.Verb+" merge to `FILE`")
	f.flags = fs
}

// Check refuses a terminal.
func (f *Flag) Check(e *cli.Env) error {
	if f.Name == scan.Stdin && console.IsTerminal(e.Stdout) {
		return cli.Usagef("what --partial writes is not for a terminal; name a file")
	}
	return nil
}

// Settings are the values of flags that all parts must have alike. contents has the files that
// flags name, by flag: their hashes are settings.
func (f *Flag) Settings(contents map[string][]byte) map[string]string {
	all := settings(f.flags, slices.Concat([]string{"on-error", "max-messages"}, f.Alike))
	for name, b := range contents {
		if all[name] = ""; b != nil {
			all[name] = hash(b)
		}
	}
	return all
}

// MergeCommand returns the verb that does with parts what c does with files. Its flags are those that the parts were written with, but
// for those that are refused.
func (f *Flag) MergeCommand(c *cli.Command) *cli.Command {
	f.Merge = true
	flags, run, refused := c.Flags, c.Run, f.Refused
	if refused == nil {
		refused = slices.Concat([]string{"shard", "partial"}, scan.CSVFlags)
	}
	c.Name += " merge"
	c.Flags = func(fs *pflag.FlagSet) {
		flags(fs)
		for _, name := range refused {
			if flag := fs.Lookup(name); flag != nil {
				flag.Hidden = true // refused with the reason
			}
		}
	}
	c.Run = func(e *cli.Env, args []string) error {
		for _, name := range refused {
			if f.flags.Changed(name) {
				return cli.Usagef("--%s is for the files that the parts were made of", name)
			}
		}
		return run(e, args)
	}
	return c
}
