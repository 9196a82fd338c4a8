package scan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Flags holds the flags of every verb that reads records.
type Flags struct {
	Compression tfrecord.Compression
	maxRecord   cli.Size
	NoCRC       bool
	OnError     cli.Policy
	messages    cli.Natural // about records, as long as they are skipped
	progress    cli.When
	Printing    bool // records go to standard output while they are read

	AllowMissing bool // shards of a set
	AnyName      bool // what a directory holds need not be TFRecords
	AllMessages  bool // every fault is printed unless --max-messages says otherwise
	FromEnd      bool // FILE#-1 is the last record

	PassedOver []string             // files of directories, for their names
	Broken     []*filelist.SetError // sets that WarnMissing has reported

	Where string // selects records; "": all
	Skip  int64  // records that are left out at the beginning
	Limit int64  // the most records that are used

	rules []Rule                 // for the flags of the verb
	given func(flag string) bool // reports whether a flag is given

	expression *Expression // that Where is
	limited    *pflag.Flag // --limit; nil: the verb has none

	allowMissingFeatures bool // that flags name

	onError *pflag.Flag // nil: the verb has none
	csv     *csvFlags   // nil: CSV is not read
	shard   cli.Shard
	// Inputs are those of the shard, and AllInputs those of all shards; FirstFile is the ordinal of the first of Inputs there.
	Inputs, AllInputs []Input
	FirstFile         int
}

// Add defines the flags.
func (r *Flags) Add(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		names := slices.Concat([]string{tfrecord.Auto.String()}, cli.CompressionNames)
		cli.EnumVar(fs, &r.Compression, "compression", names, "read the `CODEC`: "+cli.OneOf(names))
		fs.BoolVar(&r.NoCRC, "no-crc", false, "do not verify checksums, except after damage")
	})
	r.AddCommon(fs)
}

// inGroup puts flags into the group of help that the topic files describes.
func inGroup(fs *pflag.FlagSet, add func(*pflag.FlagSet)) {
	cli.GroupFlags(fs, "Reading files", "help files", add)
}

// AddCommon defines those flags that make sense for other input than TFRecords too.
func (r *Flags) AddCommon(fs *pflag.FlagSet) {
	cli.EnumVar(fs, &r.OnError, "on-error", cli.PolicyNames, "at bad input `ACTION`: stop or skip")
	r.onError = fs.Lookup("on-error")
	inGroup(fs, r.addCommon)
}

func (r *Flags) addCommon(fs *pflag.FlagSet) {
	r.maxRecord = tfrecord.MaxRecordSize
	fs.TextVar(&r.maxRecord, "max-record-size", &r.maxRecord, "refuse records, lines and rows of more than `SIZE` bytes, as 64MiB")
	r.messages = 20
	if r.AllMessages {
		r.messages = math.MaxInt32
	}
	fs.TextVar(&r.messages, "max-messages", r.messages, "print at most `N` skipped faults, and count the others")
	if r.AllMessages {
		fs.Lookup("max-messages").DefValue = "all"
	}
	fs.BoolVar(&r.AllowMissing, "allow-missing-shards", false, "read incomplete sets of shards; exit code 3")
	cli.EnumVar(fs, &r.progress, "progress", cli.WhenNames, "show progress, `WHEN`: auto, always or never")
}

// AddShard defines --shard, for verbs whose work on files can be divided among machines.
func (r *Flags) AddShard(fs *pflag.FlagSet) {
	fs.TextVar(&r.shard, "shard", r.shard, "read part `I/N` of the files, as 0/8")
}

// AddWhere defines --where.
func (r *Flags) AddWhere(fs *pflag.FlagSet) { WhereVar(fs, &r.Where) }

// AddLimit defines --limit with its default; math.MaxInt64 is no limit.
func (r *Flags) AddLimit(fs *pflag.FlagSet, limit int64, usage string) {
	fs.Int64VarP(&r.Limit, "limit", "n", limit, usage)
	if r.limited = fs.Lookup("limit"); limit == math.MaxInt64 {
		r.limited.DefValue = "0" // no default is shown
	}
}

// AddSkip defines --skip.
func (r *Flags) AddSkip(fs *pflag.FlagSet) {
	fs.Int64Var(&r.Skip, "skip", 0, "skip the first `N` records of all files together")
}

// AddSelection defines the flags that select records, for verbs that write them.
func (r *Flags) AddSelection(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		r.AddWhere(fs)
		r.AddCounts(fs)
	})
	r.AddMissingFeatures(fs)
}

// AddCounts defines --skip and --limit, for verbs that write records. Of a part of the files they would mean something else.
func (r *Flags) AddCounts(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		r.AddSkip(fs)
		r.AddLimit(fs, math.MaxInt64, "use at most `N` records of all files together")
	})
	r.Rules(fs, Excludes("shard", "skip", "limit"))
}

// checkSelection checks the flags that select records.
func (r *Flags) checkSelection() (err error) {
	if err := r.CheckRules(); err != nil {
		return err
	}
	if r.Limit < 0 || r.Skip < 0 {
		return cli.Usagef("--limit and --skip are not negative")
	}
	if r.Where != "" && r.expression == nil {
		r.expression, err = CompileWhere("--where", r.Where)
	}
	return err
}

// Shard is the value of --shard.
func (r *Flags) Shard() cli.Shard { return r.shard }

// Part returns the inputs that --shard selects. Each of the machines finds all of them, so that a
// missing one is noticed.
func (r *Flags) Part(e *cli.Env, in []Input) ([]Input, error) {
	r.Inputs, r.AllInputs = in, in
	if r.shard.Count == 0 {
		return in, nil
	}
	if slices.ContainsFunc(in, func(i Input) bool { return i.Name == Stdin }) {
		return nil, cli.Usagef("--shard divides files, and standard input is one stream")
	}
	first, end := r.shard.Range(len(in))
	r.FirstFile = first
	if first == end {
		e.Console.Print(fmt.Sprintf("shard %d/%d has none of the %s", r.shard.Index, r.shard.Count, cli.Plural(int64(len(in)), "file")))
	}
	r.Inputs = in[first:end]
	return r.Inputs, nil
}

// CreateRecords begins the output of a verb that writes the records of the inputs in order. It is
// nil if --shard leaves no input.
func (r *Flags) CreateRecords(e *cli.Env, w *cli.Writing, in []Input, opts *tfrecord.WriterOptions, jobs int) (*cli.RecordOutput, error) {
	switch {
	case !w.KeepShards:
		return e.CreateRecords(w.Output, Names(in), opts, jobs)
	case len(in) == 0:
		return nil, nil
	}
	return e.CreateKept(w, Names(in), r.FirstFile, len(r.AllInputs), opts, jobs)
}

// RefuseRaw refuses records whose message type is raw.
func RefuseRaw(t example.MessageType) error {
	if t == example.TypeRaw {
		return cli.Usagef("records of type raw have no features")
	}
	return nil
}

// Reader returns what a tfrecord.Reader needs.
func (r *Flags) Reader() tfrecord.ReaderOptions {
	return tfrecord.ReaderOptions{Compression: r.Compression, MaxRecordSize: int64(r.maxRecord), SkipChecksums: r.NoCRC}
}

// ShowProgress returns what to show progress of, or nil.
func (r *Flags) ShowProgress(e *cli.Env, in []Input) *console.Progress {
	switch {
	case r.progress == cli.WhenNever:
		return nil
	case r.progress == cli.WhenAuto && !console.CanErase(e.Stderr):
		return nil
	case r.progress == cli.WhenAuto && r.Printing && console.IsTerminal(e.Stdout):
		return nil // the records show it
	case r.progress == cli.WhenAuto && console.IsTerminal(e.Stdin) && slices.ContainsFunc(in, func(i Input) bool { return i.Name == Stdin }):
		return nil // it would be drawn over what is typed
	}
	return &console.Progress{Total: TotalSize(in)}
}

// TypeVar defines --type of a verb that takes records of any type.
func TypeVar(fs *pflag.FlagSet, p *example.MessageType) {
	typeVar(fs, p, example.TypeRaw)
}

// MessageVar defines --type of a verb that takes records with features.
func MessageVar(fs *pflag.FlagSet, p *example.MessageType) {
	typeVar(fs, p, example.TypeExampleList)
}

func typeVar(fs *pflag.FlagSet, p *example.MessageType, last example.MessageType) {
	var names []string
	for t := example.TypeAuto; t <= last; t++ {
		names = append(names, t.String())
	}
	cli.EnumVar(fs, p, "type", names, "message `TYPE`: "+cli.OneOf(names))
}

// otherDelimiter ends the message of a CSV file that another character than a comma divides.
const otherDelimiter = "; set --csv-delimiter"

// Fault deals with a fault as the flag --on-error says: it returns it, or
// reports it and counts what is skipped. After --max-messages about records it only counts.
func (r *Flags) Fault(e *cli.Env, f *Fault) error {
	if r.csv != nil && f.Class == tfrecord.NotTFRecord.String() && f.LooksLike == "text" && !filelist.OtherFormat(f.File) {
		f.Err = fmt.Errorf("%w; --input-format csv reads CSV", f.Err)
	}
	if errors.Is(f.Err, recordcsv.ErrDelimiter) && !strings.HasSuffix(f.Err.Error(), otherDelimiter) {
		f.Err = fmt.Errorf("%w%s", f.Err, otherDelimiter)
	}
	if r.OnError == cli.Stop {
		return f
	}
	message := f.Error()
	l := &e.Skipped
	switch skipped := f.Skipped; {
	case f.Class == ClassMessage:
		n := max(f.Records, 1)
		if l.AddMisfits(n); l.Unfit > int(r.messages) {
			l.UnprintedMisfits += n
			return nil
		}
	case skipped == nil:
		l.Files++
		if r.onError != nil && !r.onError.Changed && Missing(f.Err) {
			e.Raise(cli.ExitBadInput) // as where stop is the default: a name may be mistyped
		}
	default:
		l.AddRange(skipped)
		if skipped.End >= 0 {
			message += fmt.Sprintf("; skipped bytes %#x to %#x", skipped.Begin, skipped.End)
		} else {
			message += fmt.Sprintf("; skipped everything from byte %#x", skipped.Begin)
		}
		if l.Ranges > int(r.messages) {
			l.UnprintedRanges++
			return nil
		}
	}
	e.Console.Print(message)
	return nil
}

// FaultIn returns Fault with its first argument.
func (r *Flags) FaultIn(e *cli.Env) func(*Fault) error {
	return func(f *Fault) error { return r.Fault(e, f) }
}

// Messages is the value of --max-messages.
func (r *Flags) Messages() int { return int(r.messages) }

// SetMessages sets the value of --max-messages.
func (r *Flags) SetMessages(text string) error { return r.messages.UnmarshalText([]byte(text)) }

// MaxRecord is the value of --max-record-size.
func (r *Flags) MaxRecord() int64 { return int64(r.maxRecord) }

// Report deals with faults of files that were read elsewhere as Fault does with each of them.
func (r *Flags) Report(e *cli.Env, faults *Faults) error {
	for _, f := range faults.Kept {
		if err := r.Fault(e, f); err != nil {
			return err
		}
	}
	l, more := &e.Skipped, &faults.More
	l.AddSums(more)
	l.UnprintedMisfits += more.Misfits
	l.UnprintedRanges += int64(more.Ranges)
	return nil
}
