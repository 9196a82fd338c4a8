package cli

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Writing holds the flags of every verb that writes records.
type Writing struct {
	Output      string
	KeepShards  bool // each file becomes one shard
	compression tfrecord.Compression
	level       int
}

func (w *Writing) Add(fs *pflag.FlagSet) {
	GroupFlags(fs, writingGroup, "", w.add)
}

// writingGroup is the heading of the flags of an output.
const writingGroup = "Writing"

func (w *Writing) add(fs *pflag.FlagSet) {
	w.compression = tfrecord.None
	OutputVar(fs, &w.Output, "write to `OUT`; - is standard output")
	EnumVar(fs, &w.compression, "to", CompressionNames, "write with `CODEC`: "+OneOf(CompressionNames))
	fs.IntVar(&w.level, "level", 0, "compress at `LEVEL`: 1 (fast) to 9 (small) [of the codec]")
}

// AddKeepShards defines --keep-shards, for verbs that write in the order in which they read.
func (w *Writing) AddKeepShards(fs *pflag.FlagSet) {
	GroupFlags(fs, writingGroup, "", func(fs *pflag.FlagSet) {
		fs.BoolVar(&w.KeepShards, "keep-shards", false, "write each file to one shard of OUT, in order")
	})
}

// KeptNames returns those of the shards of an output that some of the files become: files of them,
// from first on, of all.
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

// Options checks the flags and returns what a Writer needs.
func (w *Writing) Options() (*tfrecord.WriterOptions, error) {
	switch {
	case w.compression == tfrecord.Auto:
		return nil, Usagef("--to: the codec of an output is not auto")
	case w.level < 0 || w.level > 9:
		return nil, Usagef("--level is 0 to 9")
	case w.level != 0 && (w.compression == tfrecord.None || w.compression == tfrecord.SNAPPY):
		return nil, Usagef("--level means nothing with --to %v", w.compression)
	}
	return &tfrecord.WriterOptions{Compression: w.compression, Level: w.level}, nil
}
