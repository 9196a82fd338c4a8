package files

import (
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// Convert rewrites records with another compression.
func Convert() *cli.Command {
	c := &convert{}
	return &cli.Command{
		Name: "convert",
		Flags: func(fs *pflag.FlagSet) {
			c.writing.Add(fs)
			c.writing.AddKeepShards(fs)
			cli.AllowEmptyVar(fs, &c.allowEmpty)
			scan.TypeVar(fs, &c.typ)
			c.reading.Add(fs)
			c.reading.AddShard(fs)
			c.reading.Rules(fs, scan.Needs("shard", "keep-shards"))
		},
		Run: c.run,
	}
}

type convert struct {
	reading    scan.Flags
	writing    cli.Writing
	allowEmpty bool
	typ        example.MessageType

	out *cli.RecordOutput
}

func (c *convert) run(e *cli.Env, args []string) error {
	opts, err := c.writing.Options()
	if err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	if c.out, err = c.reading.CreateRecords(e, &c.writing, in, opts, runtime.GOMAXPROCS(0)); err != nil || c.out == nil {
		return err
	}
	err = c.copyRecords(e, in)
	if err == nil && c.out.Records == 0 && !c.allowEmpty && !c.writing.KeepShards && !slices.ContainsFunc(in, scan.Input.Regular) {
		// A program that failed before it wrote anything is the usual reason, and an
		// empty file would take the place of a good one. A file without records is
		// most likely a shard.
		err = c.out.RefuseEmpty(cli.EmptyPipe)
	}
	return c.out.Finish(err)
}

func (c *convert) copyRecords(e *cli.Env, in []scan.Input) error {
	src, err := c.reading.Open(e, in, &scan.Options{
		Type: c.typ, Copy: true,
		Begin: func(*scan.File) error { c.out.NextFile(); return nil },
	})
	if err != nil {
		return err
	}
	return src.Each(func(rec scan.Record) error { return c.out.Write(rec.Bytes) })
}
