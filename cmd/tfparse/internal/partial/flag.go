package partial

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A Flag is the --partial flag of a verb. With Merge set it belongs to the merge subcommand of the verb.
type Flag struct {
	Verb  string   // "stats", "validate", …
	Alike []string // flags that all parts must have alike, besides those for reading files
	// Refused are flags that merge refuses because the parts store them; nil: the flags for reading files. Any other flag
	// must have the value that the parts were written with.
	Refused []string
	Name    string // the value of --partial; "" if it is not given
	Merge   bool   // of the merge subcommand: the inputs are parts

	flags *pflag.FlagSet // all flags of the verb
}

// Add defines the flag.
func (f *Flag) Add(fs *pflag.FlagSet) {
	cli.FileVar(fs, &f.Name, "partial", "write a part for "+f.Verb+" merge to `FILE`")
	f.flags = fs
}

// Check returns an error if the part would be written to a terminal.
func (f *Flag) Check(e *cli.Env) error {
	if f.Name == scan.Stdin && console.IsTerminal(e.Stdout) {
		return cli.Usagef("--partial cannot write to a terminal; name a file")
	}
	return nil
}

// Settings returns the flags that all parts must have alike, by name. contents has the contents of files that flags
// name, by flag; for these the setting is a hash.
func (f *Flag) Settings(contents map[string][]byte) map[string]string {
	all := flagSettings(f.flags, slices.Concat([]string{"on-error", "max-messages"}, f.Alike))
	for name, b := range contents {
		if all[name] = ""; b != nil {
			all[name] = hash(b)
		}
	}
	return all
}

// MergeCommand returns the merge subcommand of the verb c. It has the flags of c, except for Refused.
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
				flag.Hidden = true // hidden, not undefined: the error gives the reason
			}
		}
	}
	c.Run = func(e *cli.Env, args []string) error {
		for _, name := range refused {
			if f.flags.Changed(name) {
				return cli.Usagef("--%s belongs to the command that writes the parts", name)
			}
		}
		return run(e, args)
	}
	return c
}
