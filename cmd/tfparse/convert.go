package main

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

func convertCommand() *command {
	c := &convert{}
	return &command{
		name:  "convert",
		args:  "FILE... -o OUT",
		short: "rewrite records with another compression",
		long: `
Copy the records of all files, in order, into one file with another compression.
Payloads are copied byte for byte and never decoded; what they hold does not
matter. OUT appears under its name only when it is complete, and may not be one
of the inputs. TensorFlow reads none, gzip, zlib and snappy, but not zstd.
A file may be without records; if all inputs are pipes, and nothing comes
through them, OUT stays as it was unless --allow-empty is given.`,
		examples: []string{
			"tfparse convert testdata/recipes.tfrecord -o recipes.gz --compression gzip",
			"tfparse convert testdata/recipes.tfrecord -o - --compression zlib | tfparse count -",
		},
		flags: func(fs *pflag.FlagSet) {
			c.writing.add(fs)
			allowEmptyVar(fs, &c.allowEmpty)
			c.reading.add(fs, "input-compression")
		},
		run: c.run,
	}
}

// A writing holds the flags of every verb that writes records.
type writing struct {
	output      string
	compression tfrecord.Compression
	level       int
}

func (w *writing) add(fs *pflag.FlagSet) {
	w.compression = tfrecord.None
	outputVar(fs, &w.output, "write to `OUT`; - is standard output")
	enumVar(fs, &w.compression, "compression", compressionNames, "write the `CODEC`: "+oneOf(compressionNames))
	fs.IntVar(&w.level, "level", 0, "compression `LEVEL`, 1 (fast) to 9 (small); 0 is the default of the codec")
}

// options checks the flags and returns what a Writer needs.
func (w *writing) options() (*tfrecord.WriterOptions, error) {
	switch {
	case w.compression == tfrecord.Auto:
		return nil, usagef("--compression of an output is not auto")
	case w.level < 0 || w.level > 9:
		return nil, usagef("--level is 0 to 9")
	case w.level != 0 && (w.compression == tfrecord.None || w.compression == tfrecord.SNAPPY):
		return nil, usagef("--level means nothing with --compression %v", w.compression)
	}
	return &tfrecord.WriterOptions{Compression: w.compression, Level: w.level}, nil
}

type convert struct {
	reading    reading
	writing    writing
	allowEmpty bool

	env *env
	out *recordOutput
}

func (c *convert) run(e *env, args []string) error {
	opts, err := c.writing.options()
	if err != nil {
		return err
	}
	in, err := c.reading.expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.createRecords(c.writing.output, in, opts); err != nil {
		return err
	}
	err = c.reading.walk(e, in, nil, c)
	if err == nil && c.out.records == 0 && !c.allowEmpty && !slices.ContainsFunc(in, inputs.Input.Regular) {
		// A program that failed before it wrote anything is the usual reason, and an
		// empty file would take the place of a good one. A file without records is
		// most likely a shard.
		err = c.out.refuseEmpty("the input is a pipe without records")
	}
	return c.out.finish(err)
}

func (c *convert) Begin(*walk.File) error { return nil }

func (c *convert) Record(rec []byte, _ tfrecord.Position) error { return c.out.write(rec) }

func (c *convert) Lost(fault *walk.Fault) error { return c.env.fault(fault, &c.reading) }

func (c *convert) End(*walk.File) error { return nil }
