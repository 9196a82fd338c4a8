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
	fs.TextVar(&g.memory, "memory", g.memory, "of files that are read from front to end, keep at most `SIZE` bytes of records")
}

// flags defines the flags that these verbs share.
func (g *chooser) flags(fs *pflag.FlagSet) {
	g.addSpec(fs)
	g.printing.add(fs)
	cli.FileVar(fs, &g.index, "index", "take the index from `INDEX`, of tfparse index or tfrecord2idx [FILE.tfindex, if it is there]")
	cli.OutputVar(fs, &g.output, "write to `FILE`; - is standard output")
	g.reading.Add(fs, "compression")
	g.reading.AddMissingFeatures(fs)
}

const aboutIndex = `
If there is an index, FILE.tfindex, as tfparse index writes it, it is used; one that
does not match the file is an error. If only the modification time differs, as that
of a copy does, a warning says so, and the index is used. Without an index the headers of the records are
read to find where they are.`

const aboutKept = `
A pipe, a compressed file without an index, with --on-error skip any file without an
index, and CSV, which is read as by tfparse cat, are read from front to end, and so are
all files that are named with them: the records that may be printed are kept in
--memory, and it is an error if they do not fit.`

// Get prints records by their numbers.
func Get() *cli.Command {
	g := &chooser{}
	g.reading.FromEnd = true
	return &cli.Command{
		Name:  "get",
		Args:  "FILE#RECORDS...",
		Short: "print records by their numbers",
		Long: `
Print some records of a file as tfparse cat prints them, without reading the
payloads of those before them. The files must be regular files, not pipes, and a
compressed file without an index is decoded first to make one.

FILE#17 is record 17, counted from 0, and FILE#10:20 are records 10 to 19. Negative
numbers count from the end: FILE#-1 is the last record, FILE#-3: the last three,
FILE#:-5 all but the last five. A range may end behind the last record of the file, but
not begin there.
` + aboutIndex,
		Examples: []string{
			"tfparse get testdata/recipes.tfrecord#7 --select title",
			"tfparse get testdata/recipes.tfrecord#-1 testdata/recipes.tfrecord#2:4 --select title,minutes",
		},
		Flags:    g.flags,
		Negative: noFeature,
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
		Args:  "FILE...",
		Count: "records",
		Short: "print the last records as JSON lines",
		Long: `
Print the last records of all files together, as tfparse cat prints them, without
reading the payloads of those before them. tail -3 is tail -n 3.
` + aboutIndex + "\n" + aboutKept,
		Examples: []string{
			"tfparse tail -n 2 --select title testdata/recipes.tfrecord",
			"tfparse cat --typed testdata/recipes.tfrecord | tfparse encode -o - | tfparse tail -1 --select title",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&g.n, "records", "n", g.n, "print `N` records")
			g.memoryVar(fs)
			g.flags(fs)
			g.reading.AddCSV(fs, "tfrecord")
		},
		Negative: noFeature,
		Run: func(e *cli.Env, args []string) error {
			if g.n < 0 {
				return cli.Usagef("-n is not negative")
			}
			g.order = scan.Last(g.n, g.index, g.memory)
			return g.run(e, args)
		},
	}
}

// Sample prints records chosen at random.
func Sample() *cli.Command {
	g := &chooser{n: 10}
	return &cli.Command{
		Name:  "sample",
		Args:  "FILE...",
		Count: "records",
		Short: "print records chosen at random",
		Long: `
Print N records of all files together, as tfparse cat prints them, in the order in
which they stand there. Each set of N records is as likely as any other, and no
record comes twice; with fewer than N records all of them come. The same seed
chooses the same records of the same input, whether it is read by an index or from
front to end, and whatever its compression.
` + aboutIndex + "\n" + aboutKept,
		Examples: []string{
			"tfparse sample -n 3 --seed 1 --select title testdata/recipes.tfrecord",
			"tfparse sample -n 6 --typed testdata/recipes.tfrecord | tfparse encode -o sample.tfrecord",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&g.n, "records", "n", g.n, "print `N` records")
			fs.Uint64Var(&g.seed, "seed", 1, "choose with random numbers from `SEED`")
			g.memoryVar(fs)
			g.flags(fs)
			g.reading.AddCSV(fs, "tfrecord")
		},
		Negative: noFeature,
		Run: func(e *cli.Env, args []string) error {
			if g.n < 0 {
				return cli.Usagef("-n is not negative")
			}
			g.order = scan.Sample(g.n, g.seed, g.index, g.memory)
			return g.run(e, args)
		},
	}
}
