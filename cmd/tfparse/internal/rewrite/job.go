package rewrite

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A job holds the flags of every verb of this package, and what one run of it counts.
type job struct {
	reading    scan.Flags
	writing    cli.Writing
	allowEmpty bool
	jobs       int
	format     cli.Format
	quiet      bool                // there is no report
	typ        example.MessageType // of the records; TypeAuto: that of the first file

	env    *cli.Env
	in     []scan.Input
	out    *cli.RecordOutput
	src    *scan.Source     // the records; of verbs that read them twice, those of the second time
	read   int64            // records
	silent bool             // faults were reported before
	where  *scan.Expression // selects records, beside --where; nil: all

	sought *scan.FeatureSearch // features that the command line names, but for --where; may be nil
}

// add defines the flags.
func (j *job) add(fs *pflag.FlagSet) {
	j.addCopying(fs)
	cli.JobsVar(fs, &j.jobs, "work on `N` goroutines")
	cli.FormatVar(fs, &j.format)
}

// addCopying defines the flags of all verbs.
func (j *job) addCopying(fs *pflag.FlagSet) {
	j.writing.Add(fs)
	cli.AllowEmptyVar(fs, &j.allowEmpty)
	scan.TypeVar(fs, &j.typ)
	j.reading.Add(fs)
	j.reading.AddSelection(fs)
}

// run writes the records that write is to write. reason is why there may be none.
func (j *job) run(e *cli.Env, args []string, reason string, write func() error) error {
	if err := j.begin(e, args); err != nil || j.out == nil {
		return err
	}
	return j.finish(write(), reason)
}

// begin checks the flags and creates the output, which is nil if --shard leaves nothing to do.
func (j *job) begin(e *cli.Env, args []string) error {
	if err := j.expand(e, args); err != nil {
		return err
	}
	if err := j.checkFormat(); err != nil {
		return err
	}
	opts, err := j.writing.Options()
	if err != nil {
		return err
	}
	j.out, err = j.reading.CreateRecords(e, &j.writing, j.in, opts, j.jobs)
	return err
}

// checkFormat refuses a report behind records on standard output.
func (j *job) checkFormat() error {
	if j.format == cli.FormatJSON && !cli.IsFile(j.writing.Output) {
		return cli.Usagef("--format json prints its report on standard output: name a file with -o")
	}
	return nil
}

// addKeepShards defines the flags of verbs that can divide their work among machines.
func (j *job) addKeepShards(fs *pflag.FlagSet) {
	j.writing.AddKeepShards(fs)
	j.reading.AddShard(fs)
	j.reading.Rules(fs, scan.Needs("shard", "keep-shards"))
}

// expand looks the inputs up.
func (j *job) expand(e *cli.Env, args []string) (err error) {
	if err := cli.CheckJobs(j.jobs); err != nil {
		return err
	}
	j.env = e
	j.in, err = j.reading.ExpandRecords(e, args)
	return err
}

// finish completes the output of a verb that returned err, and prints the report. reason is why
// the output may be without records.
func (j *job) finish(err error, reason string) error {
	if err == nil {
		err = j.src.MissingFeatures(false)
	}
	if err == nil && j.out.Records == 0 && !j.allowEmpty && !j.writing.KeepShards && !(j.read == 0 && slices.ContainsFunc(j.in, scan.Input.Regular)) {
		switch {
		case j.read == 0:
			reason = cli.EmptyPipe
		case j.reading.Where != "":
			reason = noMatch
		}
		err = j.out.RefuseEmpty(reason)
	}
	if err := j.out.Finish(err); err != nil || j.quiet || j.out.IsStdout() {
		return err
	}
	r := report{Read: j.read, Written: j.out.Records, Files: []writtenFile{}}
	for i, name := range j.out.Names() {
		r.Files = append(r.Files, writtenFile{jsonscan.Name(name), j.out.RecordsIn(i)})
	}
	out, err := j.env.Create("")
	if err != nil {
		return err
	}
	if j.format == cli.FormatJSON {
		out.JSON(r)
		return out.Finish(nil)
	}
	to := console.OneLine(string(r.Files[0].File))
	if n := len(r.Files); n > 1 {
		to = cli.Plural(int64(n), "file")
	}
	_, err = fmt.Fprintf(out, "%d of %s written to %s\n", r.Written, cli.Plural(r.Read, "record"), to)
	return out.Finish(err)
}

// A report says what was written.
type report struct {
	Read    int64         `json:"records_read"`
	Written int64         `json:"records_written"`
	Files   []writtenFile `json:"files"`
}

type writtenFile struct {
	File    jsonscan.Name `json:"file"`
	Records int64         `json:"records"`
}

// noMatch is why a verb with an expression may write nothing.
const noMatch = "no record matches"

// open begins to read the inputs: to decode the records, or to copy them. --where decodes them too.
func (j *job) open(decode bool) (src *scan.Source, err error) {
	o := &scan.Options{Type: j.typ, Where: j.where, Begin: j.beginFile, Fault: j.fault}
	if j.where == nil { // which looks for its features itself
		o.FeatureSearch = j.sought
	}
	if decode || j.reading.Where != "" {
		o.Features, o.OneType = true, "an output is of one; --type says which"
	} else {
		o.Copy = true
	}
	j.src, err = j.reading.Open(j.env, j.in, o)
	return j.src, err
}

// beginFile is called before the records of an input.
func (j *job) beginFile(*scan.File) error {
	if j.writing.KeepShards {
		j.out.NextFile()
	}
	return nil
}

// fault deals with what is wrong, unless that was reported when the inputs were read before.
func (j *job) fault(fault *scan.Fault) error {
	if j.silent && j.reading.OnError == cli.Skip {
		return nil
	}
	return j.reading.Fault(j.env, fault)
}
