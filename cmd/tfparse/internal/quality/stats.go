package quality

import (
	"cmp"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// Stats describes the features of records.
func Stats() *cli.Command {
	return newStatistics().command()
}

func newStatistics() *statistics {
	return &statistics{gathering: newGathering(), partial: partial.Flag{Verb: "stats", Alike: []string{"type"}}}
}

func (c *statistics) command() *cli.Command {
	return &cli.Command{
		Name:  "stats",
		Args:  "STATS|FILE...",
		Short: "describe the features of records",
		Long: `
Describe every feature of the records of all files together: its type, presence,
numbers of values, and values. Without -o it prints a table. TensorFlow Data
Validation reads the other outputs: .pb (load_stats_binary), .tfrecord
(load_statistics) and .pbtxt (load_stats_text). An output that ends in .html is a
page with charts, and with --schema with anomalies; a page of several data sets is
that of drift. From STATS, existing statistics or the shards of some, as stats@4, it
writes another format. FILE?slice=city=Oslo is a slice alone, of statistics with slices
(get_slice_stats) or of records.

.json, and --format json on standard output, is the same message, with exact integers
where the message has the nearest float64. Every verb that takes STATS reads it. The label of a value that is not UTF-8 has its first bytes, as
"\\xff", its length and a digest, in every form.

Records that are damaged or do not fit are reported and left out, and the exit code
is 3; --on-error stop ends at the first. It is 4 where a file is missing, unless
--on-error skip is given.

With --partial there is no report unless -o is given too, and exit code 0 says that the
part is complete: tfparse stats merge combines the parts of several machines, and reports
what was skipped.

Files whose names end in .csv or .csv.gz are CSV, and .tsv; with --input-format csv all files
are, and standard input. The first row has the names of the columns, unless
--csv-columns has them, and all files have the same columns. A header that
looks delimited by semicolons or tabs is refused: set --csv-delimiter. Each row is a record with
a feature for each column, missing where the cell is empty. Types are those of
TensorFlow Data Validation: int64 if all cells of the column are integers, float32 if
all are numbers, else strings. A column with leading zeros, as 007, is of strings. A column
that --schema has a type for gets that one if all of its cells can be read so: 23.0 can be
an int64. So files are read twice, also those of other shards than --shard, and standard
input and pipes are copied to the directory for temporary files. Rows that have too many
or too few cells, a quote out of place, or a number that is too large for float32 are
reported with line and byte, as damage is; so are files with another header, or none.

With --slice there are also statistics of parts of the data: --slice city for each
value of a feature, --slice city=Oslo for one, and --slice city,day for each pair.
A --slice that makes more than --max-slices slices, as an ID does, is left out whole: a
warning that names it comes at once, its records count in all other statistics, other
slices are not affected, and the exit code is 3. JSON has the number of records in
slices that are left out.

Quantiles are exact while a feature has at most 8,192 different numbers, and off by at
most 0.04% in rank beyond; the most frequent strings, and how many different ones there
are, up to 65,536 of them or 4 MiB of text. The error is printed. So a feature of numbers
takes at most 0.3 MB of memory, one of strings 6.5 MB, and never much more than its
values; with slices, in each of them. More than --max-features features, counted again in
each slice, end the run with exit code 4: such names are most likely data.

--vocab NAME=FILE reads the vocabulary that a natural_language_domain of the schema
names: the lines of a text file, or the records of a TFRecord, with the IDs 0, 1, 2
and so on. Integers count as the tokens of these IDs; values that are not in the
vocabulary lower the coverage.

--sample-rate 0.1 describes about one record of ten. A hash of the record decides:
the sample is the same in any order and on any number of machines, and equal
records are all in it or all left out.`,
		Examples: []string{
			"tfparse stats testdata/recipes.tfrecord",
			"tfparse stats --slice servings -o report.html testdata/recipes.tfrecord",
			"printf 'city,fare\nOslo,2.5\nBergen,7\n' | tfparse stats --input-format csv",
		},
		Flags:    c.flags,
		Negative: "no record has a feature that a flag names",
		Run:      c.run,
	}
}

func (c *statistics) flags(fs *pflag.FlagSet) {
	cli.OutputVar(fs, &c.output, "write to `FILE`: .pb, .pbtxt, .tfrecord, .json or .html; - prints the table")
	cli.FormatVar(fs, &c.format)
	cli.FileVar(fs, &c.schemaName, "schema", "read types and domains from the schema in `FILE`")
	fs.StringVar(&c.opts.Weight, "weight", "", "also make statistics weighted by `FEATURE`")
	c.slices.add(fs, "also describe the slices of the data by `FEATURE[=VALUE]`; may be repeated")
	fs.StringSliceVar(&c.opts.Features, "features", nil, "describe only the features `F,...`")
	fs.IntVar(&c.opts.TopValues, "top", 20, "list the `N` most frequent values")
	fs.IntVar(&c.opts.Buckets, "buckets", 10, "make histograms of `N` buckets")
	fs.IntVar(&c.opts.Quantiles, "quantiles", stats.DefaultQuantiles, "make histograms of `N` quantiles")
	fs.Float64Var(&c.opts.SampleRate, "sample-rate", 1, "describe a sample of the records; `R` is above 0 and up to 1")
	c.vocabularies.add(fs)
	c.tuning.add(fs, &c.opts)
	fs.BoolVar(&c.opts.DetectDomains, "domains", false, "detect images, text and times")
	c.partial.Add(fs)
	c.gathering.add(fs)
	c.reading.AddShard(fs)
	c.changed = fs.Changed
}

type statistics struct {
	gathering
	output, schemaName string
	partial            partial.Flag
	opts               stats.Options
	slices             slicing
	vocabularies       vocabularies
	tuning             fineTuning
	format             cli.Format
	changed            func(flag string) bool // it was given

	env    *cli.Env
	result *stats.Accumulator
	source statsource.Source
	first  statsource.FirstRecords // looked at if there is a weight
}

func (c *statistics) run(e *cli.Env, args []string) (err error) {
	c.env = e
	write, err := c.writer()
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	merge := c.partial.Merge
	if !merge && len(args) > 0 && args[0] == "merge" && !scan.IsInput("merge") {
		return cli.Usagef("flags stand behind merge, as in tfparse stats merge --jobs 2")
	}
	if c.source, err = statsource.Expand(e, &c.reading, args); err != nil {
		return err
	}
	in := c.source.Inputs
	if !merge {
		if err := scan.OneStdin(in, append(c.vocabularies.files(), scan.NamedFile{Flag: "--schema", Name: c.schemaName}, scan.NamedFile{Flag: "--slicing-config", Name: c.tuning.slicingConfig})...); err != nil {
			return err
		}
		if err := c.options(); err != nil {
			return err
		}
	}
	part := c.partial.Name
	if c.output != "" && part != "" && cli.SameFile(c.output, part) {
		return cli.Usagef("-o and --partial are the same file")
	}
	if err := c.partial.Check(e); err != nil {
		return err
	}
	if err := c.given(); err != nil {
		return err
	}
	read := append(scan.Names(in), c.schemaName)
	out, err := e.Create(c.output, read...)
	if err != nil {
		return err
	}
	if c.source.Statistics != nil {
		out.Buf, err = write(out.Buf, c.source.Statistics)
		return out.Finish(err)
	}
	g := c.gatherer(e, c.opts)
	var parts *partial.Parts
	if merge {
		if parts, err = partial.Open(e, &c.reading, in, nil, c.partial.Verb); err != nil {
			return out.Finish(err)
		}
		c.source.Merged = parts
	}
	var to *partial.Writer
	if part != "" {
		if to, err = partial.Create(e, part, read, func() (*partial.Header, error) { return c.header(g, parts) }); err != nil {
			return out.Finish(err)
		}
		g.Part = to.Write
	}
	if len(c.weights()) > 0 {
		g.First = c.first.Look // for the names in them, should no record have the feature
	}
	if merge {
		err = c.readParts(g, parts)
	} else {
		err = g.Read(in, c.typ)
	}
	if e.Deferred = part != "" && c.output == ""; err == nil && !e.Deferred {
		c.result = g.Result
		err = c.print(out, write)
	}
	if to != nil {
		err = to.Finish(err)
	}
	return out.Finish(err)
}

// options fills in what the flags do not fill themselves, and checks all.
func (c *statistics) options() error {
	o := &c.opts
	for _, number := range []struct {
		name string
		n    int
	}{{"top", o.TopValues}, {"buckets", o.Buckets}, {"quantiles", o.Quantiles}} {
		if number.n < 1 {
			return cli.Usagef("--%s is at least 1", number.name)
		}
	}
	if !(o.SampleRate > 0 && o.SampleRate <= 1) {
		return cli.Usagef("--sample-rate is above 0, and at most 1")
	}
	if err := c.tuning.fill(o, c.env); err != nil {
		return err
	}
	o.MaxFeatures = c.most
	if c.schemaName != "" {
		schema, _, err := statsource.ReadSchema(c.env, c.schemaName)
		if err != nil {
			return err
		}
		o.Schema = schema
		c.reading.Prefer(statsource.Kinds(schema))
	}
	var err error
	if o.Vocabularies, err = c.vocabularies.read(c.env, o.Schema); err != nil {
		return err
	}
	if err := c.slices.fill(o); err != nil {
		return err
	}
	o.Slices = append(o.Slices, c.tuning.slices...)
	if _, err = stats.New(o); err != nil {
		return cmp.Or(statsource.BadOptions(err), err)
	}
	warnMissing(c.env, o.Schema, o.Vocabularies)
	return nil
}

// print writes the result, and says what the reader should know of it.
func (c *statistics) print(out *cli.Output, write statisticsForm) error {
	if c.result == nil {
		var err error
		if c.result, err = stats.New(&c.opts); err != nil {
			return err
		}
	}
	if c.result.Examples() == 0 && c.env.Skipped.Any() {
		return c.noRecords()
	}
	streamed, err := c.stream(out)
	if err != nil {
		return err
	}
	var list *pb.DatasetFeatureStatisticsList
	if !streamed {
		if list, err = c.finish(); err == nil {
			err = c.source.Pick(list, c.result)
		}
		if err != nil {
			return err
		}
	}
	statsource.Conflicts(c.env, c.result, nil)
	if skipped := c.result.Skipped(); skipped > 0 {
		n := c.result.Examples()
		c.env.Console.Print(fmt.Sprintf("a sample: %d of %s", n, cli.Plural(int64(n+skipped), "record")))
	}
	statsource.Caveats(c.env, c.result)
	if err := c.missing(); err != nil {
		return err
	}
	if streamed {
		return nil
	}
	c.belowZero(list)
	if all := list.GetDatasets()[0]; c.result.Options().Weight != "" && all.GetNumExamples() > 0 && all.GetWeightedNumExamples() == 0 {
		c.env.Console.Print("the weights add up to 0: weighted numbers are left out")
	}
	out.Buf, err = write(out.Buf, c.source.Statistics)
	return err
}
