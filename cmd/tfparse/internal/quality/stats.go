package quality

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// Stats returns the verb stats, which describes the features of records.
func Stats() *cli.Command {
	return newStatistics().command()
}

// newStatistics returns the flags of stats.
func newStatistics() *statistics {
	return &statistics{gathering: newGathering(), partial: partial.Flag{Verb: "stats", Alike: []string{
		"type", "weight", "max-slices", "top", "buckets", "quantiles", "domains", "sample-rate", "max-features", "select", "slice"}}}
}

func (c *statistics) command() *cli.Command {
	return &cli.Command{
		Name:  "stats",
		Flags: c.flags,
		Run:   c.run,
	}
}

func (c *statistics) flags(fs *pflag.FlagSet) {
	cli.OutputVar(fs, &c.output, "`FILE`: .pb, .pbtxt, .tfrecord, .json or .html")
	cli.FormatVar(fs, &c.format)
	cli.FileVar(fs, &c.schemaName, "schema", "types and domains from the schema `FILE`")
	fs.StringVar(&c.opts.Weight, "weight", "", "also statistics weighted by `FEATURE`")
	c.slices.add(fs, "also slices by `FEATURE[=VALUE]`; repeatable")
	c.filter.Add(fs, "describe")
	cli.NumberVar(fs, &c.opts.TopValues, "top", 20, 1, "the `N` most frequent values")
	cli.NumberVar(fs, &c.opts.Buckets, "buckets", 10, 1, "histograms of `N` buckets")
	cli.NumberVar(fs, &c.opts.Quantiles, "quantiles", stats.DefaultQuantiles, 1, "histograms of `N` quantiles")
	fs.Float64Var(&c.opts.SampleRate, "sample-rate", 1, "a sample, the share `R` of the records")
	cli.ChoiceVar(fs, &c.histograms, "histograms", cli.WhenNames, "draw values `WHEN`: auto, always or never")
	c.vocabularies.add(fs)
	c.tuning.add(fs, &c.opts)
	fs.BoolVar(&c.opts.DetectDomains, "domains", false, "detect images, text and times")
	c.partial.Add(fs)
	c.gathering.add(fs)
	c.reading.AddShard(fs)
	c.changed = fs.Changed
}

// statistics holds the flags and the state of stats.
type statistics struct {
	gathering
	output, schemaName string                 // -o and --schema
	partial            partial.Flag           // --partial, and whether the verb is stats merge
	opts               stats.Options          // set by flags and options
	filter             scan.FeatureFilter     // --select and --drop
	slices             slicing                // --slice and --max-slices
	vocabularies       vocabularies           // --vocab
	tuning             fineTuning             // flags of the help group Fine tuning
	format             cli.Format             // --format
	histograms         cli.When               // --histograms
	changed            func(flag string) bool // reports whether a flag is given

	env       *cli.Env                // set by run
	result    *stats.Accumulator      // the statistics; nil if they were read from a file
	addresses scan.Addresses          // addresses of the records in result
	source    statsource.Source       // the inputs
	first     statsource.FirstRecords // first records, for feature names, if a weight is given
	sample    contentSample           // first records, for the formats of byte strings
	contents  []featureContent        // of sample or the parts; nil for statistics from a file
}

func (c *statistics) run(e *cli.Env, args []string) (err error) {
	c.env = e
	write, err := c.writer()
	if err != nil {
		return err
	}
	if err := scan.RefuseRaw(c.typ); err != nil {
		return err
	}
	merge := c.partial.Merge
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
	if err := c.readGiven(); err != nil {
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
	weights := len(c.weights()) > 0
	g.First = func(rec scan.Record) bool {
		more := c.sample.add(rec)
		if weights { // for a suggestion if no record has the feature
			more = c.first.Look(rec) || more
		}
		return more
	}
	if merge {
		err = c.readParts(g, parts)
	} else {
		err = g.Read(in, c.typ)
		c.contents = c.sample.contents()
	}
	if e.Deferred = part != "" && c.output == ""; err == nil && !e.Deferred {
		c.result, c.addresses = g.Result, g.All.Addresses
		err = c.print(out, write)
	}
	if to != nil {
		err = to.Finish(err)
	}
	return out.Finish(err)
}

// options checks the flags, and sets the options that flags do not set directly.
func (c *statistics) options() error {
	o := &c.opts
	if !(o.SampleRate > 0 && o.SampleRate <= 1) {
		return cli.Usagef("--sample-rate is above 0, and at most 1")
	}
	list, err := c.reading.FilterFeatures(c.env, c.source.Inputs, &c.filter)
	if err != nil {
		return err
	}
	if list != nil {
		o.Features = list.Texts
	}
	if err := c.tuning.fill(o, c.env); err != nil {
		return err
	}
	o.MaxFeatures = c.maxFeatures
	if c.schemaName != "" {
		schema, _, err := statsource.ReadSchema(c.env, c.schemaName)
		if err != nil {
			return err
		}
		o.Schema = schema
		c.reading.Prefer(statsource.Kinds(schema))
	}
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
	warnVocabularies(c.env, o.Schema, o.Vocabularies)
	return nil
}

// print writes the statistics, and prints warnings about them.
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
			err = c.source.SetStatistics(list, c.result)
		}
		if err != nil {
			return err
		}
	}
	statsource.Conflicts(c.env, c.result, &c.addresses, nil)
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
	c.warnNegativeWeights(list)
	if all := list.GetDatasets()[0]; c.result.Options().Weight != "" && all.GetNumExamples() > 0 && all.GetWeightedNumExamples() == 0 {
		c.env.Console.Print("the weights add up to 0: weighted numbers are left out")
	}
	out.Buf, err = write(out.Buf, c.source.Statistics)
	return err
}

// Merge returns the verb stats merge, which merges outputs of stats --partial.
func Merge() *cli.Command {
	c := newStatistics()
	c.partial.Refused = slices.Concat(recordsFlags, []string{"schema", "max-features", "type", "on-error", "max-messages", "shard"})
	return c.partial.MergeCommand(c.command())
}

// statsPart is the data of stats in the header of a part.
type statsPart struct {
	First    []byte           `json:"first,omitempty"`    // statistics of the first records, if a weight is given
	Contents []featureContent `json:"contents,omitempty"` // formats of byte strings
}

// header returns the header of a part. parts are the parts that are merged into it; nil if records are read.
func (c *statistics) header(g *statsource.Gatherer, parts *partial.Parts) (h *partial.Header, err error) {
	if parts != nil {
		return parts.Header(), nil
	}
	own := statsPart{Contents: c.sample.contents()}
	if c.first.Counted != nil {
		if own.First, err = c.first.Counted.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	contents := map[string][]byte{"schema": nil}
	if g.Options.Schema != nil {
		if contents["schema"], err = (proto.MarshalOptions{Deterministic: true}).Marshal(g.Options.Schema); err != nil {
			return nil, err
		}
	}
	settings := c.partial.Settings(contents)
	// Values that mean the same are alike: --select a,-b and --select a --drop b.
	settings["select"], settings["slice"] = strings.Join(g.Options.Features, ","), strings.TrimPrefix(statsource.SliceText(g.Options.Slices), " ")
	if h, err = partial.NewHeader(c.partial.Verb, &c.reading, settings, own); err != nil {
		return nil, err
	}
	h.Bytes = scan.TotalSize(c.reading.Inputs)
	h.Options, err = statsource.AppendOptions(nil, &g.Options)
	return h, err
}

// readParts merges parts. It sets the options and first records from the parts.
func (c *statistics) readParts(g *statsource.Gatherer, parts *partial.Parts) error {
	err := parts.Own(func(b []byte) error {
		var own statsPart
		if err := json.Unmarshal(b, &own); err != nil {
			return err
		}
		if c.contents = own.Contents; own.First == nil || c.first.Counted != nil {
			return nil
		}
		c.first.Counted = &stats.Accumulator{}
		return c.first.Counted.UnmarshalBinary(own.First)
	})
	if err == nil {
		err = c.reading.SetMessages(parts.Messages())
	}
	if err == nil {
		err = g.ReadParts(parts)
	}
	c.opts = g.Options
	return err
}
