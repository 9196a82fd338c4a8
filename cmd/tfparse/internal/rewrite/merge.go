package rewrite

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

// A copying is a verb that writes what it reads.
type copying struct{ *job }

func (v *copying) Record(rec []byte, _ tfrecord.Position) error {
	v.read++
	return v.out.Write(rec)
}

// Merge joins files.
func Merge() *cli.Command {
	v := &job{}
	return &cli.Command{
		Name:  "merge",
		Args:  "FILE... -o OUT",
		Short: "join files or shards into one file or other shards",
		Long: `
Copy the records of all files, in order, byte for byte, whatever they hold and however they
are compressed. A warning is printed if the first records of the files show different
messages, as Examples in one and SequenceExamples in another.
` + outputHelp,
		Examples: []string{
			"tfparse merge testdata/recipes.tfrecord testdata/recipes.tfrecord -o both.tfrecord",
			"tfparse merge --compression gzip testdata/recipes.tfrecord -o recipes@4.gz",
		},
		Flags: v.add,
		Run: func(e *cli.Env, args []string) error {
			if err := v.begin(e, args); err != nil {
				return err
			}
			j := &joining{copying: copying{v}}
			err := v.reading.Walk(e, v.in, nil, j)
			if err == nil {
				j.warn(e.Console)
			}
			return v.finish(err, noRecords)
		},
	}
}
