package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

func statsCommand() *command {
	c := &statistics{memory: 256 << 20}
	c.reading.onError = skip
	return &command{
		name:  "stats",
		args:  "FILE...",
		short: "describe the features of records",
		long: `
Describe every feature of the records of all files together: type, how often it is
there, how many values it has, and what they are. Without -o it prints a table. What
-o writes TensorFlow Data Validation reads: .pb (load_stats_binary), .tfrecord
(load_statistics) and .pbtxt (load_stats_text); .json is the same message. A name
that ends in .html is a page to look at, with charts, and with --schema what does not
fit the schema.

Records that are damaged or do not fit are reported and left out, and the exit code
is 3; --on-error stop ends at the first.

tfparse stats merge ACC... puts together what several machines have written with
--partial: the result is that of one run over all their files, in the order of the
arguments, byte for byte.

With --slice there are statistics of parts of the data, too: --slice city for each
value of a feature, --slice city=Oslo for one, and --slice city,day for each pair.
Numbers of different strings, the most frequent ones, and quantiles are exact as
long as they fit into --memory. With --compat tfdv median, histograms and order are
those of TensorFlow Data Validation 1.16.1, and what it fails at is an error.`,
		examples: []string{
			"tfparse stats testdata/recipes.tfrecord",
			"tfparse stats --slice servings -o stats.pbtxt testdata/recipes.tfrecord",
			"tfparse stats -o report.html testdata/recipes.tfrecord",
			"tfparse stats --compat tfdv --weight servings testdata/recipes.tfrecord",
		},
		flags: c.flags,
		run:   c.run,
	}
}

func (c *statistics) flags(fs *pflag.FlagSet) {
	outputVar(fs, &c.output, "write statistics to `FILE`: .pb, .pbtxt, .tfrecord, .json or .html")
	fs.StringVar(&c.schemaName, "schema", "", "take types and domains from the schema in `FILE`")
	fs.SetAnnotation("schema", filesNote, nil)
	fs.StringVar(&c.opts.WeightFeature, "weight", "", "count each record as often as its `FEATURE` says, too")
	fs.StringArrayVar(&c.slices, "slice", nil, "describe parts of the data by `FEATURE[=VALUE]`, too; may be repeated")
	fs.StringSliceVar(&c.opts.FeatureAllowlist, "features", nil, "describe the features `F,...` only")
	fs.IntVar(&c.opts.NumTopValues, "top", 20, "list the `N` most frequent values")
	fs.IntVar(&c.opts.NumHistogramBuckets, "buckets", 10, "make histograms of `N` buckets")
	fs.IntVar(&c.opts.NumQuantilesHistogramBuckets, "quantiles", 10, "make histograms of `N` quantiles")
	fs.BoolVar(&c.opts.EnableSemanticDomainStats, "domains", false, "look for images, text and times")
	enumVar(fs, &c.compat, "compat", compatNames, "answer as `PROGRAM` does: none or tfdv")
	fs.StringVar(&c.partial, "partial", "", "write what tfparse stats merge needs to `FILE`")
	fs.SetAnnotation("partial", filesNote, nil)
	fs.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), "read `N` files at a time")
	fs.TextVar(&c.memory, "memory", &c.memory, "let each file's statistics take `SIZE`")
	enumVar(fs, &c.typ, "type", typeNames[:len(typeNames)-1], "take records as `TYPE`: auto, example, sequence or elwc")
	c.reading.add(fs, "compression")
}

type statistics struct {
	reading                     reading
	output, schemaName, partial string
	opts                        stats.Options
	slices                      []string
	compat                      compatibility
	jobs                        int
	memory                      size
	typ                         recordjson.Type

	env    *env
	mu     sync.Mutex // of env, while files are read at a time
	result *stats.Accumulator
	parts  *tfrecord.Writer // of --partial; may be nil
	names  []inputs.Input
}

func (c *statistics) run(e *env, args []string) (err error) {
	c.env = e
	write, err := c.writer()
	if err != nil {
		return err
	}
	if c.jobs < 1 {
		return usagef("--jobs is at least 1")
	}
	merge := len(args) > 0 && args[0] == "merge"
	if merge {
		args = args[1:]
	} else if err := c.options(); err != nil {
		return err
	}
	in, err := expand(args)
	if err != nil {
		return err
	}
	c.names = in
	if c.output != "" && c.output == c.partial {
		return usagef("-o and --partial are the same file")
	}
	out, err := e.create(c.output, in)
	if err != nil {
		return err
	}
	var parts *output
	if c.partial != "" {
		if parts, err = e.create(c.partial, in); err != nil {
			return out.finish(err)
		}
		c.parts = tfrecord.NewWriter(parts, nil)
	}
	if merge {
		err = c.reading.walk(e, in, nil, &partReader{statistics: c})
	} else {
		err = c.readAll(in)
	}
	if err == nil {
		err = c.print(out, write)
	}
	if parts != nil {
		if err == nil {
			err = c.parts.Close()
		}
		err = parts.finish(err)
	}
	return out.finish(err)
}

// options fills in what the flags do not fill themselves, and checks all.
func (c *statistics) options() error {
	o := &c.opts
	o.TFDV = c.compat.tfdv()
	o.Memory = int64(c.memory)
	if c.schemaName != "" {
		schema, _, err := readSchema(c.schemaName)
		if err != nil {
			return err
		}
		o.Schema = schema
	}
	for _, text := range c.slices {
		s := stats.Slice{}
		for part := range strings.SplitSeq(text, ",") {
			name, value, one := strings.Cut(part, "=")
			if one {
				s[name] = append(s[name], value)
			} else {
				s[name] = nil
			}
		}
		o.Slices = append(o.Slices, s)
	}
	_, err := stats.New(o)
	if errors.Is(err, stats.ErrOptions) {
		return usagef("%s", strings.TrimPrefix(err.Error(), "stats: options: "))
	}
	return err
}

// readAll reads the files, several at a time, and adds them up in their order.
func (c *statistics) readAll(in []inputs.Input) error {
	opts := walk.Options{
		Stdin: c.env.stdin, Step: c.reading.onError == skip,
		Reader: tfrecord.ReaderOptions{Compression: c.reading.compression, MaxRecordSize: int64(c.reading.maxRecord), SkipChecksums: c.reading.noCRC},
	}
	if p := c.reading.showProgress(c.env, in); p != nil {
		defer c.env.console.Show(p)()
		opts.Progress = p
	}
	ctx, cancel := context.WithCancel(c.env.ctx)
	defer cancel()
	files := make([]*fileStatistics, len(in))
	todo := make(chan int)
	var workers sync.WaitGroup
	for range min(c.jobs, len(in)) {
		workers.Go(func() {
			for i := range todo {
				f := files[i]
				f.err = walk.Walk(ctx, in[i:i+1], &opts, walk.Guess(c.typ, f))
				close(f.done)
			}
		})
	}
	for i := range files {
		files[i] = &fileStatistics{statistics: c, done: make(chan struct{})}
	}
	// No more files are begun than their statistics can wait for those before.
	next, err := 0, error(nil)
	for i, f := range files {
		for ; err == nil && next < len(in) && next <= i+c.jobs; next++ {
			todo <- next
		}
		if i >= next {
			break
		}
		<-f.done
		if err == nil {
			if err = f.err; err == nil {
				err = c.merge(f.acc)
			}
			if err != nil {
				cancel()
			}
		}
		files[i] = nil
	}
	close(todo)
	workers.Wait()
	return err
}

// merge adds the statistics of a file; nil are those of a file without records.
func (c *statistics) merge(part *stats.Accumulator) error {
	if part == nil {
		return nil
	}
	if c.parts != nil {
		b, err := part.MarshalBinary()
		if err != nil {
			return err
		}
		if err := c.parts.WriteRecord(b); err != nil {
			return err
		}
	}
	if c.result == nil {
		var err error
		if c.result, err = stats.New(part.Options()); err != nil {
			return err
		}
	}
	if r := c.result.Options().RecordType; r != part.Options().RecordType {
		return fmt.Errorf("the files hold records of type %s and of type %s: statistics are of one", recordTypeName(r), recordTypeName(part.Options().RecordType))
	}
	return c.result.Merge(part)
}

func recordTypeName(r stats.RecordType) string {
	if r == stats.Examples {
		return "example"
	}
	return string(r)
}

// print writes the result, and says what the reader should know of it.
func (c *statistics) print(out *output, write statisticsForm) error {
	if c.result == nil {
		var err error
		if c.result, err = stats.New(&c.opts); err != nil {
			return err
		}
	}
	list, err := c.result.Statistics()
	if err != nil {
		return err
	}
	for _, f := range c.result.Conflicts() {
		text := fmt.Sprintf("feature %q has values of several types:", strings.Join(f.Path, "/"))
		for i, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
			sep := ","
			if i == 0 {
				sep = ""
			}
			text += fmt.Sprintf("%s %s in %s, first in record %d", sep, kind, plural(int64(f.Kinds[kind]), "record"), f.First[kind])
		}
		c.env.console.Print(console.OneLine(text + "; the most frequent one is described"))
		c.env.raise(exitLost)
	}
	if !c.result.Exact() {
		c.env.console.Print("not all of it fits into --memory: quantiles and frequent values are near, not exact")
	}
	out.buf, err = write(out.buf, list)
	return err
}

// A fileStatistics makes the statistics of one file.
type fileStatistics struct {
	*statistics
	acc  *stats.Accumulator
	err  error
	done chan struct{}
}

func (f *fileStatistics) Begin(*walk.File) error { return nil }
func (f *fileStatistics) End(*walk.File) error   { return nil }

func (f *fileStatistics) Type(t recordjson.Type) (err error) {
	o := f.opts
	switch t {
	case recordjson.Sequence:
		o.RecordType = stats.SequenceExamples
	case recordjson.List:
		o.RecordType = stats.ExampleLists
	}
	f.acc, err = stats.New(&o)
	return err
}

func (f *fileStatistics) Record(rec []byte, pos tfrecord.Position) error {
	err := f.acc.Add(rec)
	if err == nil {
		return nil
	}
	fault := walk.Misfit(pos, err)
	if f.opts.TFDV {
		return fault // it ends the run
	}
	return f.Lost(fault)
}

func (f *fileStatistics) Lost(fault *walk.Fault) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.env.fault(fault, f.reading.onError)
}

// A partReader reads what --partial has written.
type partReader struct{ *statistics }

func (p *partReader) Begin(*walk.File) error       { return nil }
func (p *partReader) End(*walk.File) error         { return nil }
func (p *partReader) Lost(fault *walk.Fault) error { return fault }

func (p *partReader) Record(rec []byte, pos tfrecord.Position) error {
	var part stats.Accumulator
	err := part.UnmarshalBinary(rec)
	if err == nil {
		err = p.merge(&part)
	}
	if err != nil {
		return walk.Misfit(pos, err)
	}
	return nil
}
