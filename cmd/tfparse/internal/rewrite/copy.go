package rewrite

import (
	"runtime"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// noRecords is why a verb that copies records may write nothing.
const noRecords = "the input has no records"

// Convert rewrites records with another compression.
func Convert() *cli.Command {
	v := &job{quiet: true, jobs: runtime.GOMAXPROCS(0)}
	return &cli.Command{
		Name: "convert",
		Flags: func(fs *pflag.FlagSet) {
			v.addCopying(fs)
			v.addKeepShards(fs)
		},
		Run: v.runCopy,
	}
}

// Merge joins files.
func Merge() *cli.Command {
	v := &job{}
	return &cli.Command{
		Name: "merge",
		Flags: func(fs *pflag.FlagSet) {
			v.add(fs)
			v.addKeepShards(fs)
		},
		Run: v.runCopy,
	}
}

func (j *job) runCopy(e *cli.Env, args []string) error { return j.run(e, args, noRecords, j.copy) }

// copy writes all records.
func (j *job) copy() error {
	src, err := j.open(false)
	if err != nil {
		return err
	}
	err = src.Each(func(rec scan.Record) error { return j.out.Write(rec.Bytes) })
	j.read = src.Read
	return err
}
