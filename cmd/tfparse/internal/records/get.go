package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// An indexedCat is a cat that can use an index to skip records: get, tail or sample.
type indexedCat struct {
	cat
	index  string   // --index; "": FILE.tfindex, if it exists
	n      int64    // --limit: number of records
	seed   uint64   // of sample
	memory cli.Size // limit for the records of a pipe, in bytes
}

// memoryVar defines --memory, for tail and sample.
func (g *indexedCat) memoryVar(fs *pflag.FlagSet) {
	g.memory = 256 << 20
	fs.TextVar(&g.memory, "memory", g.memory, "keep at most `SIZE` bytes of records of a pipe")
}

// addCommonFlags defines the flags of all three verbs.
func (g *indexedCat) addCommonFlags(fs *pflag.FlagSet) {
	g.addSpec(fs)
	g.printing.addFlags(fs)
	g.fullVar(fs)
	cli.FileVar(fs, &g.index, "index", "read the index from `INDEX` [FILE.tfindex, if it exists]")
	g.reading.Add(fs)
	g.reading.AddMissingFeatures(fs)
}

// addFlags defines the flags of get and tail.
func (g *indexedCat) addFlags(fs *pflag.FlagSet) {
	g.addCommonFlags(fs)
	cli.OutputVar(fs, &g.output, "write to `FILE`; - is standard output")
}

// Get returns the verb get, which prints records by number.
func Get() *cli.Command {
	g := &indexedCat{}
	g.reading.FromEnd = true
	return &cli.Command{
		Name:  "get",
		Flags: g.addFlags,
		Run: func(e *cli.Env, args []string) error {
			g.order = scan.ByNumber(g.index)
			return g.run(e, args)
		},
	}
}

// Tail returns the verb tail, which prints the last records.
func Tail() *cli.Command {
	g := &indexedCat{n: 10}
	return &cli.Command{
		Name:  "tail",
		Count: "limit",
		Flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&g.n, "limit", "n", g.n, "print `N` records")
			g.memoryVar(fs)
			g.addFlags(fs)
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
