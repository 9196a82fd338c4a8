package command

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/compare"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/encode"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/files"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/quality"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/records"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/rewrite"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/schema"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/serving"
)

// verbs returns the verbs in the order of the help.
func verbs() []*cli.Command {
	return []*cli.Command{
		records.Cat(),
		records.Head(),
		records.Tail(),
		records.Get(),
		records.Sample(),
		files.Count(),
		files.CountMerge(),
		files.Verify(),
		files.VerifyMerge(),
		files.Info(),
		encode.Command(),
		schema.Command(),
		records.Explain(),
		quality.Stats(),
		quality.Merge(),
		quality.Validate(),
		quality.ValidateMerge(),
		quality.Drift(),
		compare.Digest(),
		compare.Du(),
		compare.Diff(),
		compare.Skew(),
		files.Convert(),
		rewrite.Merge(),
		rewrite.Split(),
		rewrite.Filter(),
		rewrite.Project(),
		rewrite.Rename(),
		rewrite.Set(),
		rewrite.Sort(),
		rewrite.Shuffle(),
		rewrite.Dedup(),
		files.Recover(),
		files.Index(),
		serving.Model(),
		serving.Request(),
		serving.Warmup(),
	}
}

const about = `tfparse reads, checks and writes files of TensorFlow training data: TFRecords of
Example, SequenceExample and ExampleListWithContext.

Files are paths, directories, globs, shard patterns such as train@12 or
train@12.gz, or - for standard input, which is also read if no file is named and it
is not a terminal. They are read in the order given. A directory stands for its
regular files in order of name, without subdirectories, without names that begin
with "." or "_", and without files whose name or content shows another format, such
as features.json, train.index and a text named vocabulary. The codec is detected
from the content, never from a name. A set of shards, such as train-*-of-00012, must
be complete: if one is missing, nothing is read, unless --allow-missing-shards is
given.

cat, head, tail, sample, count, stats, schema, validate, drift and skew read CSV too,
and encode makes records of it: files whose names end in .csv, .tsv or .csv.gz, and with
--input-format csv all files, also those that a directory has of that name.

Damaged files: tfparse verify --all lists every fault, and tfparse recover writes
the intact records to another file.
`

const aboutStores = ` are objects of
stores, wherever a file can be named: directories, globs and shard patterns too, but for
http. An object that changes while it is read is an error, and an output has its name
when all of it is written. Credentials are those of the vendors' tools.
`
