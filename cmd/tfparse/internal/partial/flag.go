package partial

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A Flag is --partial of a verb, or the word merge behind the verb.
type Flag struct {
	Verb  string
	Alike []string // flags that all parts must have alike; beside those of reading
	Name  string   // the value of --partial; "" is none
	Merge bool     // the inputs are parts

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

// notMerged are the flags that say how files are divided and read, which parts say themselves.
var notMerged = slices.Concat([]string{"shard", "partial"}, scan.CSVFlags)

// MergeCommand returns the verb that does with parts what c does with files.
func (f *Flag) MergeCommand(c *cli.Command) *cli.Command {
	f.Merge = true
	flags, run := c.Flags, c.Run
	c.Name += " merge"
	c.Flags = func(fs *pflag.FlagSet) {
		flags(fs)
		for _, name := range notMerged {
			if flag := fs.Lookup(name); flag != nil {
				flag.Hidden = true // refused with the reason
			}
		}
	}
	c.Run = func(e *cli.Env, args []string) error {
		for _, name := range notMerged {
			if f.flags.Changed(name) {
				return cli.Usagef("--%s is for the files that the parts were made of", name)
			}
		}
		return run(e, args)
	}
	return c
}
