package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/beam/tfstats"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// An invocation is a verb with its flags and files.
type invocation struct {
	verb   string // a key of verbs
	output string // -o
	skip   bool   // --on-error skip

	schema     string        // name of the schema file
	slices     []stats.Slice // --slice, in the order of the command line
	statistics stats.Options // options of stats, without Slices and Schema until it runs

	copying tfrecordio.OrderedOptions // options of convert and shuffle; all verbs use its Read
	seed    uint64                    // --seed of shuffle

	files []tfrecordio.File // input files, with the names on the command line
}

// verbs has a function for each verb, which defines the flags of that verb.
var verbs = map[string]func(*invocation, *flag.FlagSet){
	"count": func(*invocation, *flag.FlagSet) {},
	"stats": func(v *invocation, fs *flag.FlagSet) {
		fs.StringVar(&v.output, "o", "", "")
		fs.StringVar(&v.schema, "schema", "", "")
		fs.StringVar(&v.statistics.Weight, "weight", "", "")
		fs.Float64Var(&v.statistics.SampleRate, "sample-rate", 1, "")
		fs.Func("slice", "", v.addSlice)
		v.skip = true
	},
	"convert": func(v *invocation, fs *flag.FlagSet) {
		v.addCopying(fs)
		fs.BoolVar(&v.copying.KeepShards, "keep-shards", false, "")
	},
	"shuffle": func(v *invocation, fs *flag.FlagSet) {
		v.addCopying(fs)
		fs.Uint64Var(&v.seed, "seed", 0, "")
	},
}

// addCopying defines the flags of verbs that write records.
func (v *invocation) addCopying(fs *flag.FlagSet) {
	fs.StringVar(&v.output, "o", "", "")
	fs.TextVar(&v.copying.Write.Compression, "to", v.copying.Write.Compression, "")
	fs.IntVar(&v.copying.Write.Level, "level", 0, "")
	fs.Int64Var(&v.copying.Write.Memory, "memory", 0, "")
}

// addSlice adds a value of --slice: FEATURE or FEATURE=VALUE.
func (v *invocation) addSlice(text string) error {
	name, value, ok := strings.Cut(text, "=")
	s := stats.Slice{name: nil}
	if ok {
		s[name] = []string{value}
	}
	v.slices = append(v.slices, s)
	return nil
}

// parseVerb reads the command line after the flags of Beam.
func parseVerb(ctx context.Context, args []string) (*invocation, error) {
	if len(args) == 0 || args[0] == "help" {
		return nil, flag.ErrHelp
	}
	v := &invocation{verb: args[0]}
	define := verbs[v.verb]
	if define == nil {
		return nil, usagef("unknown verb %q", v.verb)
	}
	fs := flag.NewFlagSet(v.verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	define(v, fs)
	onError := "stop"
	if v.skip {
		onError = "skip"
	}
	fs.StringVar(&onError, "on-error", onError, "")
	fs.TextVar(&v.copying.Read.Compression, "compression", v.copying.Read.Compression, "")
	err := fs.Parse(args[1:])
	v.skip = onError == "skip"
	v.copying.SkipDamage = v.skip
	switch {
	case err != nil && !errors.Is(err, flag.ErrHelp):
		return nil, usagef("%s: %w", v.verb, err)
	case err != nil:
		return nil, err
	case onError != "skip" && onError != "stop":
		return nil, usagef("--on-error %s: want skip or stop", onError)
	case v.verb != "count" && v.output == "":
		return nil, usagef("%s: no output; name it with -o", v.verb)
	case v.verb == "stats" && filepath.Ext(v.output) != ".pb":
		return nil, usagef("-o %s: want a name ending in .pb; tfparse stats writes other formats", v.output)
	case fs.NArg() == 0:
		return nil, usagef("%s: no files", v.verb)
	}
	if v.files, err = tfrecordio.Expand(ctx, fs.Args()...); err != nil {
		return nil, usageError{err}
	}
	return v, v.checkOutput()
}

// checkOutput checks -o before any input is read.
func (v *invocation) checkOutput() error {
	if v.verb == "count" {
		return nil
	}
	outputs, err := filelist.ShardNames(v.output)
	switch {
	case err != nil || v.output == filelist.Stdin:
		return usagef("-o %s: want a file, or a set of shards such as out@16", v.output)
	case v.verb == "stats" && len(outputs) != 1:
		return usagef("-o %s: want one file for statistics", v.output)
	case v.copying.KeepShards && len(outputs) != len(v.files):
		return usagef("--keep-shards writes a shard for each file: want -o OUT@%d", len(v.files))
	}
	for _, f := range v.files {
		if slices.ContainsFunc(outputs, func(name string) bool { return absolute(name) == absolute(f.Name) }) {
			return usagef("-o %s: this file is also an input", f.Name)
		}
		if f.Missing != "" && !v.skip {
			return fmt.Errorf("%s: %s", f.Name, f.Missing)
		}
	}
	out, err := atomicfile.Create(outputs[0]) // finds errors that need no request to a store
	if err != nil {
		return fmt.Errorf("%s: %w", v.output, err)
	}
	out.Abort()
	return nil
}

// runVerb runs a command line.
func runVerb(ctx context.Context, args []string, stdout io.Writer) error {
	v, err := parseVerb(ctx, args)
	if err != nil {
		return err
	}
	switch v.verb {
	case "count":
		return v.count(ctx, stdout)
	case "stats":
		return v.stats(ctx)
	}
	return v.copy(ctx, stdout)
}

// count prints the number of records of each file, and the total.
func (v *invocation) count(ctx context.Context, stdout io.Writer) error {
	r, err := v.deliver(ctx, func(s beam.Scope, files beam.PCollection) []beam.PCollection {
		return []beam.PCollection{beam.ParDo(s, &countFn{Read: v.copying.Read, Skip: v.skip}, files)}
	})
	if err != nil {
		return err
	}
	total := int64(0)
	for i, f := range v.files {
		if n, ok := r.counts[int64(i)]; ok {
			total += n
			fmt.Fprintf(stdout, "%d\t%s\n", n, f.Name)
		}
	}
	if len(v.files) > 1 {
		fmt.Fprintf(stdout, "%d\ttotal\n", total)
	}
	return r.printFailures()
}

// stats writes the statistics of all files.
func (v *invocation) stats(ctx context.Context) error {
	o := &v.statistics
	o.Slices = v.slices
	if v.schema != "" {
		b, err := storage.ReadFile(v.schema)
		if err != nil {
			return err
		}
		o.Schema = &metadatapb.Schema{}
		unmarshal := prototext.Unmarshal
		if filepath.Ext(v.schema) == ".pb" {
			unmarshal = proto.Unmarshal
		}
		if err := unmarshal(b, o.Schema); err != nil {
			return fmt.Errorf("%s: %w", v.schema, err)
		}
	}
	if _, err := stats.New(o); err != nil {
		return usageError{err}
	}
	r, err := v.deliver(ctx, func(s beam.Scope, files beam.PCollection) []beam.PCollection {
		statistics, failures := tfstats.FromFiles(s, files, &tfstats.Options{Statistics: o, Compression: v.copying.Read.Compression})
		return []beam.PCollection{beam.ParDo(s, statisticsLine, statistics), beam.ParDo(s, failureLine, failures)}
	})
	if err != nil {
		return err
	}
	if len(r.failures) > 0 && !v.skip {
		return errors.New(r.failures[0].Error)
	}
	if err := writeFile(v.output, r.statistics); err != nil {
		return fmt.Errorf("%s: %w", v.output, err)
	}
	return r.printFailures()
}

// copy writes the records of all files, in their order or in a random order.
func (v *invocation) copy(ctx context.Context, stdout io.Writer) error {
	output := absolute(v.output)
	r, err := v.deliver(ctx, func(s beam.Scope, files beam.PCollection) []beam.PCollection {
		var shards, failures beam.PCollection
		if v.verb == "shuffle" {
			shards, failures = tfrecordio.ShuffleFiles(s, output, v.seed, &v.copying, files)
		} else {
			shards, failures = tfrecordio.ConvertFiles(s, output, &v.copying, files)
		}
		return []beam.PCollection{beam.ParDo(s, shardLine, shards), beam.ParDo(s, failureLine, failures)}
	})
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), tfrecordio.RemoveLeftovers(context.WithoutCancel(ctx), output))
		}
		return err
	}
	if v.verb == "shuffle" { // print the same line as tfparse shuffle
		to, records := v.output, "1 record"
		if r.shards > 1 {
			to = fmt.Sprintf("%d files", r.shards)
		}
		if r.written != 1 {
			records = fmt.Sprintf("%d records", r.written)
		}
		fmt.Fprintf(stdout, "%d of %s written to %s\n", r.written, records, to)
	}
	return r.printFailures()
}

// printFailures prints the failures that were skipped. It returns errSkipped if there are any.
func (r *delivery) printFailures() error {
	for _, f := range r.failures {
		fmt.Fprintf(os.Stderr, "tfparsebeam: skipped: %s\n", f.Error)
	}
	if len(r.failures) > 0 {
		return errSkipped
	}
	return nil
}
