package cli

import (
	"github.com/spf13/pflag"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Writing holds the flags of every verb that writes records.
type Writing struct {
	Output      string
	compression tfrecord.Compression
	level       int
}

func (w *Writing) Add(fs *pflag.FlagSet) {
	w.compression = tfrecord.None
	OutputVar(fs, &w.Output, "write to `OUT`; - is standard output")
	EnumVar(fs, &w.compression, "compression", CompressionNames, "write the `CODEC`: "+OneOf(CompressionNames))
	fs.IntVar(&w.level, "level", 0, "compression `LEVEL`, 1 (fast) to 9 (small); 0 is the default of the codec")
}

// Options checks the flags and returns what a Writer needs.
func (w *Writing) Options() (*tfrecord.WriterOptions, error) {
	switch {
	case w.compression == tfrecord.Auto:
		return nil, Usagef("--compression of an output is not auto")
	case w.level < 0 || w.level > 9:
		return nil, Usagef("--level is 0 to 9")
	case w.level != 0 && (w.compression == tfrecord.None || w.compression == tfrecord.SNAPPY):
		return nil, Usagef("--level means nothing with --compression %v", w.compression)
	}
	return &tfrecord.WriterOptions{Compression: w.compression, Level: w.level}, nil
}
