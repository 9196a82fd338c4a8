package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A chooser is a verb that prints records without reading those before them.
type chooser struct {
	cat
	index  string
	n      int64
	seed   uint64
	memory cli.Size
}

// memoryVar defines the flag of those that keep records of pipes.
func (g *chooser) memoryVar(fs *pflag.FlagSet) {
	g.memory = 256 << 20
	fs.TextVar(&g.memory, "memory", g.memory, "keep at most `SIZE` bytes of records of a pipe")
}

// flags defines the flags that these verbs share.
func (g *chooser) flags(fs *pflag.FlagSet) {
	g.addSpec(fs)
	g.printing.add(fs)
	g.fullVar(fs)
	cli.FileVar(fs, &g.index, "index", "read the index from `INDEX` [FILE.tfindex, if it exists]")
	g.reading.Add(fs)
	g.reading.AddMissingFeatures(fs)
}

// printFlags defines the flags of those that only print.
func (g *chooser) printFlags(fs *pflag.FlagSet) {
	g.flags(fs)
	cli.OutputVar(fs, &g.output, "write to `FILE`; - is standard output")
}

// Get prints records by their numbers.
func Get() *cli.Command {
	g := &chooser{}
	g.reading.FromEnd = true
	return &cli.Command{
		Name:  "get",
		Flags: g.printFlags,
		Run: func(e *cli.Env, args []string) error {
			g.order = scan.ByNumber(g.index)
			return g.run(e, args)
		},
	}
}

// Tail prints the last records.
func Tail() *cli.Command {
	g := &chooser{n: 10}
	return &cli.Command{
		Name:  "tail",
		Count: "limit",
		Flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&g.n, "limit", "n", g.n, "print `N` records")
			g.memoryVar(fs)
			g.printFlags(fs)
			g.reading.AddCSV(fs, "tfrecord")
		},
		Run: func(e *cli.Env, args []string) error {
			if g.n < 0 {
				return cli.Usagef("-n is not negative")
			}
			g.order = scan.Last(g.n, g.index, g.memory)
			return g.run(e, args)
		},
	}
}
