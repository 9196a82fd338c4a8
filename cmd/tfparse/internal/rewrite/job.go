package rewrite

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A job holds the flags and the state that all verbs of this package have. A verb calls run, or begin, open and
// finish.
type job struct {
	reading    scan.Flags          // flags that read and select records
	writing    cli.Writing         // -o, --to, --level and --keep-shards
	allowEmpty bool                // --allow-empty: an output without records is not an error
	jobs       int                 // --jobs: number of goroutines that transform records, and that write shards
	format     cli.Format          // of the report; JSON needs -o, since it is printed on standard output
	quiet      bool                // print no report
	typ        example.MessageType // of the records; TypeAuto: detected in the first file

	env            *cli.Env          // set by expand
	in             []scan.Input      // with --shard, the inputs of the shard
	out            *cli.RecordOutput // nil if --shard leaves nothing to do
	src            *scan.Source      // from the last call of open
	recordsRead    int64             // number of input records
	faultsReported bool              // the inputs are read a second time: do not report faults again
	where          *scan.Expression  // filters records, in addition to --where; nil: none

	sought *scan.FeatureSearch // detects feature names on the command line that no record has, except in --where; may be nil
}

// addFlags defines the flags of verbs that have --jobs and a report.
func (j *job) addFlags(fs *pflag.FlagSet) {
	j.addCommonFlags(fs)
	cli.JobsVar(fs, &j.jobs, "work on `N` goroutines")
	cli.FormatVar(fs, &j.format)
}

// addCommonFlags defines the flags of all verbs.
func (j *job) addCommonFlags(fs *pflag.FlagSet) {
	j.writing.Add(fs)
	cli.AllowEmptyVar(fs, &j.allowEmpty)
	scan.TypeVar(fs, &j.typ)
	j.reading.Add(fs)
	j.reading.AddSelection(fs)
}

// run creates the output and calls write to write the records. reason is the reason if it writes none.
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

// checkFormat rejects a report on standard output if records go there too.
func (j *job) checkFormat() error {
	if j.format == cli.FormatJSON && !cli.IsFile(j.writing.Output) {
		return cli.Usagef("--format json needs -o FILE: standard output has the report")
	}
	return nil
}

// addShardFlags defines the flags of verbs that can divide their work among machines.
func (j *job) addShardFlags(fs *pflag.FlagSet) {
	j.writing.AddKeepShards(fs)
	j.reading.AddShard(fs)
	j.reading.Rules(fs, scan.Needs("shard", "keep-shards"))
}

// expand finds the input files.
func (j *job) expand(e *cli.Env, args []string) (err error) {
	j.env = e
	j.in, err = j.reading.ExpandRecords(e, args)
	return err
}

// finish completes the output and prints the report. err is the result of writing; reason is the reason if no
// record was written.
func (j *job) finish(err error, reason string) error {
	if err == nil {
		err = j.src.MissingFeatures(false)
	}
	if err == nil && j.out.Records == 0 && !j.allowEmpty && !j.writing.KeepShards && !(j.recordsRead == 0 && slices.ContainsFunc(j.in, scan.Input.Regular)) {
		switch {
		case j.recordsRead == 0:
			reason = cli.EmptyPipe
		case j.reading.Where != "":
			reason = noMatchReason
		}
		err = j.out.RefuseEmpty(reason)
	}
	if err := j.out.Finish(err); err != nil || j.quiet || j.out.IsStdout() {
		return err
	}
	r := jobReport{Read: j.recordsRead, Written: j.out.Records, Files: []writtenFile{}}
	for i, name := range j.out.Names() {
		r.Files = append(r.Files, writtenFile{jsonscan.Name(name), j.out.RecordsIn(i)})
	}
	out := j.env.Report()
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

// A jobReport is the report of a verb as JSON.
type jobReport struct {
	Read    int64         `json:"records_read"`
	Written int64         `json:"records_written"`
	Files   []writtenFile `json:"files"`
}

// A writtenFile is the part of a jobReport about an output file.
type writtenFile struct {
	File    jsonscan.Name `json:"file"`
	Records int64         `json:"records"`
}

// noMatchReason is the reason for an output without records if there is an expression.
const noMatchReason = "no record matches"

// open opens the inputs. Without decode and --where, records are copied and not decoded.
func (j *job) open(decode bool) (src *scan.Source, err error) {
	o := &scan.Options{Type: j.typ, Where: j.where, Begin: j.beginFile, Fault: j.handleFault}
	if j.where == nil { // an expression detects its missing features itself
		o.FeatureSearch = j.sought
	}
	described, err := j.reading.ProtoType(j.env)
	if err != nil {
		return nil, err
	}
	switch {
	case described != nil:
		o.Type = example.TypeRaw
	case decode || j.reading.Where != "" || j.where != nil:
		o.Features, o.OtherTypes, o.OneType = decode, !decode, "an output is of one; --type says which"
	default:
		o.Copy = true
	}
	j.src, err = j.reading.Open(j.env, j.in, o)
	return j.src, err
}

// beginFile is called before the records of each input file.
func (j *job) beginFile(*scan.File) error {
	if j.writing.KeepShards {
		j.out.NextFile()
	}
	return nil
}

// handleFault reports a fault, unless it was reported when the inputs were read the first time.
func (j *job) handleFault(fault *scan.Fault) error {
	if j.faultsReported && j.reading.OnError == cli.Skip {
		return nil
	}
	return j.reading.Fault(j.env, fault)
}

// noRecordsReason is the reason for an output without records if the input has none.
const noRecordsReason = "the input has no records"

// Convert returns the verb convert, which rewrites records with another compression.
func Convert() *cli.Command {
	v := &job{quiet: true, jobs: runtime.GOMAXPROCS(0)}
	return &cli.Command{
		Name: "convert",
		Flags: func(fs *pflag.FlagSet) {
			v.addCommonFlags(fs)
			v.addShardFlags(fs)
		},
		Run: v.runCopy,
	}
}

// Merge returns the verb merge, which joins files.
func Merge() *cli.Command {
	v := &job{}
	return &cli.Command{
		Name: "merge",
		Flags: func(fs *pflag.FlagSet) {
			v.addFlags(fs)
			v.addShardFlags(fs)
		},
		Run: v.runCopy,
	}
}

func (j *job) runCopy(e *cli.Env, args []string) error {
	return j.run(e, args, noRecordsReason, j.copyRecords)
}

// copyRecords writes all records.
func (j *job) copyRecords() error {
	src, err := j.open(false)
	if err != nil {
		return err
	}
	err = src.Each(func(rec scan.Record) error { return j.out.Write(rec.Bytes) })
	j.recordsRead = src.Read
	return err
}
