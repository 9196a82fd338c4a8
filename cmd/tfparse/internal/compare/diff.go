package compare

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// Diff compares the records of two data sets.
func Diff() *cli.Command {
	c := &diff{joiner: joiner{memory: 256 << 20}}
	return &cli.Command{
		Name:  "diff",
		Args:  "A B",
		Short: "compare the records of two data sets",
		Long: `
Compare two data sets, each a file, a directory, a glob or a set of shards, at
three levels: the bytes of the files; the records, in whatever files and codecs
they are; and their content, in whatever order the features are and however they
are packed, as digest has it. Exit code 1 says that they differ at the --level,
which is content unless another one is given.

Without --by the first record of A is compared with the first of B, the second
with the second, and so on. With --by the records that have the same values of
one or more features are compared, wherever they stand: features of Examples, or
of the context of other messages. Of records with one key, those with equal
content are paired first, and the others in their order; keys that occur more
than once are reported. A record without the key is an error, unless the files of A
and B are the same bytes: their records are then only counted.

What differs is printed as FILE#RECORD of A and of B with the features that
changed (~), that only A has (-) and that only B has (+), up to --limit records,
and sums at the end. The sums of the features cover all records that changed; of a
key that more than 1,024 records of a side have, a line says how many they leave out.

By position both sides are read once, side by side, in memory that does not grow
with them. By key each record becomes 45 bytes: the first 128 bits of SHA-256 of
its key and of its content, and its position. They are sorted in --memory, and
beyond that in a file in the directory for temporary files. Records that changed are
read again and sorted by their pairs in the same way, which takes as much room as
they do; so no side can be standard input. A few records, however long they are, and up
to 64 MiB of those that are printed, are held beside --memory. Of a thousand million records two with
different keys are taken for one key once in 10^20 times.`,
		Examples: []string{
			"tfparse diff testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse diff --by title --limit 5 testdata/recipes.tfrecord testdata/recipes.tfrecord",
		},
		Negative: "the data sets differ",
		Flags: func(fs *pflag.FlagSet) {
			fs.Var(&c.by, "by", "compare records with the same values of the features `NAMES`, wherever they stand")
			cli.EnumVar(fs, &c.level, "level", levelNames, "exit with 1 if the data sets differ at `LEVEL`: container, records or content")
			fs.TextVar(&c.limit, "limit", cli.Natural(20), "print at most `N` records that differ")
			fs.TextVar(&c.memory, "memory", &c.memory, "sort --by in `SIZE` bytes of memory")
			scan.TypeVar(fs, &c.typ, "take records as")
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs, "compression")
			c.reading.AddMissingFeatures(fs)
		},
		Run: c.run,
	}
}

type diff struct {
	joiner
	by     cli.NameList
	level  level
	limit  cli.Natural
	format cli.Format

	out    *cli.Output
	here   *comparer // of this goroutine
	result result
	shown  int
}

// A level says what two data sets can differ in.
type level uint8

const (
	levelContent level = iota
	levelRecords
	levelContainer
)

var levelNames = []string{"content", "records", "container"}

func (l level) MarshalText() ([]byte, error) { return []byte(levelNames[l]), nil }

func (l *level) UnmarshalText(text []byte) error { return cli.SetName(l, levelNames, text) }

// A result is what has been found out so far.
type result struct {
	container containers

	bytesSame int64    // pairs of records that are the same bytes
	same      int64    // pairs with the same content
	changed   int64    // pairs with different content
	only      [2]int64 // records without a partner
	reordered bool     // by key: the payloads are not all the same, though the content is

	features featureSums
	unsummed int64 // changed pairs that they leave out

	repeated [2]repeats // keys that occur more than once
}

// repeats are keys that occur more than once on one side.
type repeats struct {
	keys, records int64
	first         []recordPlace // two records of the first ones
}

func (r *result) sameContent() bool {
	return r.changed == 0 && r.only == [2]int64{}
}

func (r *result) sameRecords() bool {
	return r.sameContent() && r.bytesSame == r.same && !r.reordered
}

// sameAt reports whether the data sets are the same at a level.
func (r *result) sameAt(l level) bool {
	switch l {
	case levelContent:
		return r.sameContent()
	case levelRecords:
		return r.sameRecords()
	}
	return r.container.same
}

func (c *diff) run(e *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want two data sets, got %s", cli.Plural(int64(len(args)), "argument"))
	}
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	if err := c.parseKeys("by", c.by); err != nil {
		return err
	}
	both, err := c.expand(e, args)
	if err != nil {
		return err
	}
	c.here = newComparer()
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer = true
	if c.format == cli.FormatJSON {
		c.out.Buf = append(c.out.Buf, `{"differences":[`...)
	}
	if c.result.container, err = compareFiles(e.Ctx, c.in[0], c.in[1]); err != nil {
		return c.out.Finish(err)
	}
	read := both
	if c.result.container.same {
		read = c.in[0]
	}
	err = c.reading.With(e, read, &c.walk, func() error {
		switch {
		case c.result.container.same:
			return c.count()
		case c.keys != nil:
			return c.byKey()
		}
		return c.byPosition()
	})
	if err != nil {
		return c.out.Finish(err)
	}
	c.printSums()
	if !c.result.sameAt(c.level) {
		e.Raise(cli.ExitNegative)
	}
	return c.out.Finish(nil)
}

// count reads one side of two that are the same bytes.
func (c *diff) count() error {
	s := c.open(0)
	defer s.close()
	for {
		chunk, err := c.next(s)
		if err != nil || chunk == nil {
			n := c.records[0]
			c.records[1], c.result.bytesSame, c.result.same = n, n, n
			if err == nil {
				err = c.missingKeys(0)
			}
			return err
		}
		for i := range chunk.ends {
			if !c.sought[0].Missing() {
				break
			}
			c.sought[0].Look(chunk.typ, chunk.record(i))
		}
		c.records[0] += int64(chunk.intact())
		s.release(chunk)
	}
}
