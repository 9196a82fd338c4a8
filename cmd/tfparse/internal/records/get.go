package records

import (
	"math"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
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
	cli.FileVar(fs, &g.index, "index", "read the index `INDEX` [FILE.tfindex, if it exists]")
	g.reading.Add(fs)
	g.reading.AddMissingFeatures(fs)
	g.reading.AddProto(fs, otherFlags...)
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
			fs.VarP(cli.Number(&g.n, 0, math.MaxInt64), "limit", "n", "print `N` records")
			g.memoryVar(fs)
			g.addFlags(fs)
			g.reading.AddCSV(fs, "tfrecord")
		},
		Run: func(e *cli.Env, args []string) error {
			g.order = scan.Last(g.n, g.index, g.memory)
			return g.run(e, args)
		},
	}
}

// A sample holds the flags of one run of the verb sample.
type sample struct {
	indexedCat
	fraction   float64 // --fraction; used only if the flag is given
	writing    cli.Writing
	allowEmpty bool
	flags      *pflag.FlagSet
}

// Sample returns the verb sample, which prints or copies randomly chosen records.
func Sample() *cli.Command {
	c := &sample{indexedCat: indexedCat{n: 10}}
	return &cli.Command{
		Name:  "sample",
		Count: "limit",
		Flags: c.addFlags,
		Run:   c.run,
	}
}

func (c *sample) addFlags(fs *pflag.FlagSet) {
	c.flags = fs
	fs.VarP(cli.Number(&c.n, 0, math.MaxInt64), "limit", "n", "choose `N` records")
	fs.Float64Var(&c.fraction, "fraction", 0, "choose about the share `F` of the records, as 0.01")
	fs.Uint64Var(&c.seed, "seed", 1, "the same `N` chooses the same records")
	c.memoryVar(fs)
	c.indexedCat.addCommonFlags(fs)
	c.writing.Add(fs)
	cli.AllowEmptyVar(fs, &c.allowEmpty)
	c.reading.AddCSV(fs, "tfrecord")
	c.reading.Rules(fs, scan.Excludes("fraction", "limit", "index"))
}

func (c *sample) run(e *cli.Env, args []string) error {
	if c.order = scan.Sample(c.n, c.seed, c.index, c.memory); c.flags.Changed("fraction") {
		if !(c.fraction > 0 && c.fraction <= 1) {
			return cli.Usagef("--fraction %v: want a number above 0, and at most 1", c.fraction)
		}
		c.order = scan.Share(c.fraction, c.seed)
	}
	if cli.IsRecords(c.writing.Output) || c.flags.Changed("to") {
		return c.writeRecords(e, args)
	}
	c.output = c.writing.Output
	return c.cat.run(e, args)
}

// printingFlags are the flags that cannot be used when records are copied.
var printingFlags = []string{"proto", "spec", "labels", "batch", "format", "pad", "select", "typed", "bytes", "int64", "nan", "pretty", "with-position"}

// writeRecords copies the chosen records to a TFRecord file.
func (c *sample) writeRecords(e *cli.Env, args []string) error {
	if i := slices.IndexFunc(printingFlags, c.flags.Changed); i >= 0 {
		return cli.Usagef("--%s is for text, but -o %s writes records", printingFlags[i], c.writing.Output)
	}
	opts, err := c.writing.Options()
	if err != nil {
		return err
	}
	in, err := c.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	out, err := e.CreateRecords(c.writing.Output, scan.Names(in), opts, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	src, err := c.reading.Open(e, in, &scan.Options{Type: min(c.printing.typ, example.TypeRaw), Order: c.order, Copy: true})
	if err == nil {
		err = src.Each(func(rec scan.Record) error { return out.Write(rec.Bytes) })
	}
	if err == nil && out.Records == 0 && !c.allowEmpty && !slices.ContainsFunc(in, scan.Input.Regular) {
		err = out.RefuseEmpty(cli.EmptyPipe)
	}
	return out.Finish(err)
}
