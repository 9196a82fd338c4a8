package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A RecordOutput is an output of records: standard output, a file, or several files that appear together.
type RecordOutput struct {
	*Output
	one     *tfrecord.Writer // writer of one file or standard output; nil: set is used
	set     *dataset.Writer  // writer of several files; nil: one is used
	names   []string         // names of the files of set
	counts  []int64          // number of records written to each file of set
	Records int64            // number of records written

	kept bool // --keep-shards: each input has a file of its own
	at   int  // index of the current file, if kept
}

// CreateRecords begins an output of records. It refuses a terminal. The name may be that of a set of shards, which jobs
// goroutines write.
func (e *Env) CreateRecords(name string, read []string, opts *tfrecord.WriterOptions, jobs int) (*RecordOutput, error) {
	if name == "" {
		return nil, Usagef("no output; name it with -o (- is standard output)")
	}
	if name == Stdin && console.IsTerminal(e.Stdout) {
		return nil, Usagef("cannot write records to a terminal; name a file with -o")
	}
	if IsFile(name) && filelist.IsSharded(filepath.ToSlash(name)) {
		names, err := filelist.ShardNames(name)
		if err != nil {
			return nil, Usagef("-o %w", err)
		}
		return e.CreateShards(names, read, opts, jobs)
	}
	if err := CheckInputs(name, read); err != nil {
		return nil, err
	}
	if err := CheckRecordsName(name, opts.Compression); err != nil {
		return nil, err
	}
	o, err := e.Create(name, read...)
	if err != nil {
		return nil, err
	}
	return &RecordOutput{Output: o, one: tfrecord.NewWriter(o.W, opts)}, nil
}

// CreateKept begins a file per input, for --keep-shards. read are inputs first to first+len(read)-1 of all inputs.
func (e *Env) CreateKept(w *Writing, read []string, first, all int, opts *tfrecord.WriterOptions, jobs int) (*RecordOutput, error) {
	if !IsFile(w.Output) {
		return nil, Usagef("--keep-shards needs files: name a set of shards with -o, as OUT@16")
	}
	names, err := w.KeptNames("-o", w.Output, first, len(read), all)
	if err != nil {
		return nil, err
	}
	o, err := e.CreateShards(names, read, opts, jobs)
	if err == nil {
		o.kept, o.at = true, -1
	}
	return o, err
}

// NextFile is called before the records of each input, for --keep-shards.
func (o *RecordOutput) NextFile() { o.at++ }

// checkOutputs returns an error if one of the names cannot be an output of records.
func checkOutputs(names, read []string, opts *tfrecord.WriterOptions) error {
	for _, name := range names {
		if err := Elsewhere("-o ", name); err != nil {
			return err
		}
		if err := CheckInputs(name, read); err != nil {
			return err
		}
		if err := CheckRecordsName(name, opts.Compression); err != nil {
			return err
		}
	}
	return nil
}

// CreateShards begins several files, which appear under their names together.
func (e *Env) CreateShards(names, read []string, opts *tfrecord.WriterOptions, jobs int) (*RecordOutput, error) {
	if err := checkOutputs(names, read, opts); err != nil {
		return nil, err
	}
	set, err := dataset.CreateNamed(e.Ctx, names, &dataset.CreateOptions{Writer: *opts, Workers: jobs})
	if err != nil {
		return nil, shardError(err)
	}
	e.TrackFiles(set)
	return &RecordOutput{Output: &Output{name: names[0], W: io.Discard}, set: set, names: names, counts: make([]int64, len(names))}, nil
}

// shardError is OutputError for an error that names the file.
func shardError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return OutputError(pe.Path, err)
	}
	return err
}

// Names returns the names of the files, or that of standard output.
func (o *RecordOutput) Names() []string {
	if o.set == nil {
		return []string{o.name}
	}
	return o.names
}

// IsStdout reports whether the records go to standard output.
func (o *RecordOutput) IsStdout() bool { return o.set == nil && o.File == nil }

// RecordsIn returns the number of records written to file i.
func (o *RecordOutput) RecordsIn(i int) int64 {
	if o.set == nil {
		return o.Records
	}
	return o.counts[i]
}

// Write writes a record. With --keep-shards it goes to the file of the current input, otherwise to the shards in turn.
func (o *RecordOutput) Write(rec []byte) error {
	if o.kept {
		return o.WriteTo(o.at, rec)
	}
	if o.set != nil {
		return o.WriteTo(int(o.Records%int64(len(o.names))), rec)
	}
	o.Records++
	return OutputError(o.name, o.one.WriteRecord(rec))
}

// WriteTo writes a record to file i.
func (o *RecordOutput) WriteTo(i int, rec []byte) error {
	if o.set == nil {
		return o.Write(rec)
	}
	o.Records++
	o.counts[i]++
	return shardError(o.set.WriteShard(i, rec))
}

// RefuseEmpty returns the error about an output without records.
func (o *RecordOutput) RefuseEmpty(reason string) error { return RefuseEmpty(o.name, reason) }

// RefuseEmpty returns the error about an output without records.
func RefuseEmpty(name, reason string) error {
	return fmt.Errorf("%s is not written: %s; --allow-empty writes an empty file", name, reason)
}

// EmptyPipe is the reason of RefuseEmpty if the input is a pipe.
const EmptyPipe = "the input is a pipe without records"

// AllowEmptyVar defines --allow-empty.
func AllowEmptyVar(fs *pflag.FlagSet, allow *bool) {
	GroupFlags(fs, writingGroup, "", func(fs *pflag.FlagSet) {
		fs.BoolVar(allow, "allow-empty", false, "write an empty file if there are no records")
	})
}

// Finish ends the codec and the output, as Output.Finish does.
func (o *RecordOutput) Finish(err error) error {
	if o.set != nil {
		defer o.set.Abort()
		if err == nil {
			err = shardError(o.set.Close())
		}
		return err
	}
	if err == nil {
		err = OutputError(o.name, o.one.Close())
	}
	return o.Output.Finish(err)
}

// A Writing holds the flags of verbs that write records.
type Writing struct {
	Output      string               // -o; "": not given
	KeepShards  bool                 // --keep-shards: each file becomes one shard
	compression tfrecord.Compression // --to
	level       int                  // --level, 1 to 9; 0: the default of the codec
}

// Add defines the flags.
func (w *Writing) Add(fs *pflag.FlagSet) {
	GroupFlags(fs, writingGroup, "", w.add)
}

// writingGroup is the heading of the flags for outputs.
const writingGroup = "Writing"

func (w *Writing) add(fs *pflag.FlagSet) {
	w.compression = tfrecord.None
	OutputVar(fs, &w.Output, "write to `OUT`; - is standard output")
	EnumVar(fs, &w.compression, "to", CompressionNames, "write with `CODEC`: "+OneOf(CompressionNames))
	fs.Var(Number(&w.level, 0, 9), "level", "compress at `LEVEL`: 1 (fast) to 9 (small) [of the codec]")
}

// AddKeepShards defines --keep-shards, for verbs that keep the order of records.
func (w *Writing) AddKeepShards(fs *pflag.FlagSet) {
	GroupFlags(fs, writingGroup, "", func(fs *pflag.FlagSet) {
		fs.BoolVar(&w.KeepShards, "keep-shards", false, "write each file to one shard of OUT, in order")
	})
}

// KeptNames returns the names of the output shards for inputs first to first+files-1 of all inputs.
func (w *Writing) KeptNames(flag, output string, first, files, all int) ([]string, error) {
	names := []string{output}
	if IsFile(output) && filelist.IsSharded(filepath.ToSlash(output)) {
		var err error
		if names, err = filelist.ShardNames(output); err != nil {
			return nil, Usagef("%s %w", flag, err)
		}
	}
	if len(names) != all {
		return nil, Usagef("--keep-shards writes a shard for each file: want %s of %s, as %s@%d", flag, Plural(int64(all), "shard"), "OUT", all)
	}
	return names[first : first+files], nil
}

// Options checks the flags and returns the options of a tfrecord.Writer.
func (w *Writing) Options() (*tfrecord.WriterOptions, error) {
	switch {
	case w.compression == tfrecord.Auto:
		return nil, Usagef("--to: the codec of an output is not auto")
	case w.level != 0 && (w.compression == tfrecord.None || w.compression == tfrecord.SNAPPY):
		return nil, Usagef("--level cannot be combined with --to %v", w.compression)
	}
	return &tfrecord.WriterOptions{Compression: w.compression, Level: w.level}, nil
}
