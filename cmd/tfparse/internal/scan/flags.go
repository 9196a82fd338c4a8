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
	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Flags holds the flags of verbs that read records, and the inputs that they select.
type Flags struct {
	Compression tfrecord.Compression // --compression
	maxRecord   cli.Size             // --max-record-size
	NoCRC       bool                 // --no-crc
	OnError     cli.Policy           // --on-error
	messages    int                  // --max-messages
	progress    cli.When             // --progress
	Printing    bool                 // the verb prints records while it reads

	AllowMissing bool // --allow-missing-shards
	AnyName      bool // read all files of directories, not only TFRecords
	AllMessages  bool // the default of --max-messages is all
	FromEnd      bool // accept FILE#-1, the last record

	PassedOver []string             // files of directories that were left out
	Broken     []*filelist.SetError // incomplete sets that WarnMissing has reported

	Where string // --where; "": all records
	Skip  int64  // --skip
	Limit int64  // --limit

	rules []Rule                 // rules for the flags of the verb
	given func(flag string) bool // reports whether a flag is given

	expression *Expression // compiled Where
	limited    *pflag.Flag // the flag --limit; nil: the verb has none

	allowMissingFeatures bool // --allow-missing-features

	proto, message string             // --proto and --message; "": none
	protoType      *protomessage.Type // the message of --proto; nil before the first call of ProtoType

	onError *pflag.Flag // the flag --on-error; nil: the verb has none
	csv     *csvFlags   // nil: the verb does not read CSV
	shard   cli.Shard   // --shard

	// RecordShards, if not nil, is called with the number of all inputs, and reports whether --shard divides the records
	// instead of the files. Order is ShardRecords then.
	RecordShards func(files int) bool

	// Set by Part.
	Inputs, AllInputs []Input // the inputs of the shard, and of all shards; the same without --shard
	FirstFile         int     // index of Inputs[0] in AllInputs
}

// Add defines the flags of verbs that read TFRecords.
func (r *Flags) Add(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		names := slices.Concat([]string{tfrecord.Auto.String()}, cli.CompressionNames)
		cli.EnumVar(fs, &r.Compression, "compression", names, "read the `CODEC`: "+cli.OneOf(names))
		fs.BoolVar(&r.NoCRC, "no-crc", false, "do not verify checksums, except after damage")
	})
	r.AddCommon(fs)
}

// inGroup defines flags in the help group "Reading files", which the topic files describes.
func inGroup(fs *pflag.FlagSet, add func(*pflag.FlagSet)) {
	cli.GroupFlags(fs, "Reading files", "help files", add)
}

// AddCommon defines the flags that apply to other formats than TFRecord too.
func (r *Flags) AddCommon(fs *pflag.FlagSet) {
	cli.ChoiceVar(fs, &r.OnError, "on-error", cli.PolicyNames, "at bad input `ACTION`: stop or skip")
	r.onError = fs.Lookup("on-error")
	inGroup(fs, r.addCommon)
}

// addCommon defines the flags of AddCommon in the group.
func (r *Flags) addCommon(fs *pflag.FlagSet) {
	r.maxRecord = tfrecord.MaxRecordSize
	fs.TextVar(&r.maxRecord, "max-record-size", &r.maxRecord, "refuse records, lines and rows of more than `SIZE` bytes, as 64MiB")
	r.messages = 20
	if r.AllMessages {
		r.messages = math.MaxInt32
	}
	fs.Var(cli.Number(&r.messages, 0, math.MaxInt), "max-messages", "print at most `N` skipped faults, and count the others")
	if r.AllMessages {
		fs.Lookup("max-messages").DefValue = "all"
	}
	fs.BoolVar(&r.AllowMissing, "allow-missing-shards", false, "read incomplete sets of shards; exit code 3")
	cli.ChoiceVar(fs, &r.progress, "progress", cli.WhenNames, "show progress, `WHEN`: auto, always or never")
}

// AddProto defines --proto and --message, for verbs that read records of any message. others names the flags of the verb that
// cannot be combined with --proto.
func (r *Flags) AddProto(fs *pflag.FlagSet, others ...string) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		cli.FileVar(fs, &r.proto, "proto", "describe the message of the records with `FILE`: a .proto file or a FileDescriptorSet")
		fs.StringVar(&r.message, "message", "", "with --proto: the full `NAME` of the message")
	})
	r.Rules(fs, Needs("proto", "message"), Needs("message", "proto"), Excludes("proto", others...))
}

// ProtoType returns the message of --proto, which it loads at the first call; nil without the flag.
func (r *Flags) ProtoType(e *cli.Env) (_ *protomessage.Type, err error) {
	if r.proto != "" && r.protoType == nil {
		if err := r.CheckRules(); err != nil {
			return nil, err
		}
		r.protoType, err = protomessage.Load(e.Ctx, r.proto, r.message)
	}
	return r.protoType, err
}

// PrintChanged warns about printed messages that encode would write with other bytes.
func (r *Flags) PrintChanged(e *cli.Env) {
	if r.protoType == nil {
		return
	}
	if n := r.protoType.Changed.Load(); n > 0 {
		e.Console.Print(fmt.Sprintf("%d of %s: encode writes these messages with other bytes", n, cli.Plural(r.protoType.Printed.Load(), "record")))
	}
}

// AddShard defines --shard, for verbs that can divide files among machines.
func (r *Flags) AddShard(fs *pflag.FlagSet) {
	fs.TextVar(&r.shard, "shard", r.shard, "read part `I/N` of the files, as 0/8")
}

// AddWhere defines --where.
func (r *Flags) AddWhere(fs *pflag.FlagSet) { WhereVar(fs, &r.Where) }

// AddLimit defines --limit with a default; math.MaxInt64 means no limit.
func (r *Flags) AddLimit(fs *pflag.FlagSet, limit int64, usage string) {
	r.Limit = limit
	fs.VarP(cli.Number(&r.Limit, 0, math.MaxInt64), "limit", "n", usage)
	if r.limited = fs.Lookup("limit"); limit == math.MaxInt64 {
		r.limited.DefValue = "0" // help shows no default
	}
}

// AddSkip defines --skip.
func (r *Flags) AddSkip(fs *pflag.FlagSet) {
	cli.NumberVar(fs, &r.Skip, "skip", 0, 0, "skip the first `N` records of all files together")
}

// AddSelection defines the flags that select records, for verbs that write them.
func (r *Flags) AddSelection(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		r.AddWhere(fs)
		r.AddCounts(fs)
	})
	r.AddMissingFeatures(fs)
}

// AddCounts defines --skip and --limit, for verbs that write records. They count the records of all files, and so
// exclude --shard.
func (r *Flags) AddCounts(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		r.AddSkip(fs)
		r.AddLimit(fs, math.MaxInt64, "use at most `N` records of all files together")
	})
	r.Rules(fs, Excludes("shard", "skip", "limit"))
}

// checkSelection checks the rules and the flags that select records, and compiles --where.
func (r *Flags) checkSelection(e *cli.Env) (err error) {
	if err := r.CheckRules(); err != nil {
		return err
	}
	if r.Where != "" && r.expression == nil {
		r.expression, err = r.Compile(e, "--where", r.Where)
	}
	return err
}

// Compile compiles an expression about features, or with --proto about fields of the message. flag names the expression in
// messages.
func (r *Flags) Compile(e *cli.Env, flag, text string) (*Expression, error) {
	x, err := CompileWhere(flag, text)
	if err != nil || r.proto == "" {
		return x, err
	}
	typ, err := r.ProtoType(e)
	if err != nil {
		return nil, err
	}
	x.FeatureSearch = NewFeatureSearch(flag) // without names: NewFilter checks the fields
	if x.proto, err = typ.NewFilter(x.filter); err != nil {
		return nil, cli.Usagef("%s: %w", flag, err)
	}
	return x, nil
}

// Shard returns the value of --shard.
func (r *Flags) Shard() cli.Shard { return r.shard }

// Part returns the inputs of --shard. Every machine looks up all inputs, so that a missing file is noticed.
func (r *Flags) Part(e *cli.Env, in []Input) ([]Input, error) {
	r.Inputs, r.AllInputs = in, in
	if r.shard.Count == 0 {
		return in, nil
	}
	if slices.ContainsFunc(in, func(i Input) bool { return i.Name == Stdin }) {
		return nil, cli.Usagef("--shard divides files, and standard input is one stream")
	}
	if r.RecordShards != nil && r.RecordShards(len(in)) {
		return in, nil
	}
	first, end := r.shard.Range(len(in))
	r.FirstFile = first
	if first == end {
		e.Console.Print(fmt.Sprintf("shard %d/%d has none of the %s", r.shard.Index, r.shard.Count, cli.Plural(int64(len(in)), "file")))
	}
	r.Inputs = in[first:end]
	return r.Inputs, nil
}

// CreateRecords begins the output of a verb that writes the records of the inputs in order. It returns nil if --shard
// has no inputs.
func (r *Flags) CreateRecords(e *cli.Env, w *cli.Writing, in []Input, opts *tfrecord.WriterOptions, jobs int) (*cli.RecordOutput, error) {
	switch {
	case !w.KeepShards:
		return e.CreateRecords(w.Output, Names(in), opts, jobs)
	case len(in) == 0:
		return nil, nil
	}
	return e.CreateKept(w, Names(in), r.FirstFile, len(r.AllInputs), opts, jobs)
}

// RefuseRaw returns an error for type raw, for verbs that need features.
func RefuseRaw(t example.MessageType) error {
	if t == example.TypeRaw {
		return noFeaturesError(t)
	}
	return nil
}

// Reader returns the options of the flags for a tfrecord.Reader.
func (r *Flags) Reader() tfrecord.ReaderOptions {
	return tfrecord.ReaderOptions{Compression: r.Compression, MaxRecordSize: int64(r.maxRecord), SkipChecksums: r.NoCRC}
}

// ShowProgress returns a new Progress; nil if progress is not shown.
func (r *Flags) ShowProgress(e *cli.Env, in []Input) *console.Progress {
	switch {
	case r.progress == cli.WhenNever:
		return nil
	case r.progress == cli.WhenAuto && !console.CanErase(e.Stderr):
		return nil
	case r.progress == cli.WhenAuto && r.Printing && console.IsTerminal(e.Stdout):
		return nil // the printed records show progress
	case r.progress == cli.WhenAuto && console.IsTerminal(e.Stdin) && slices.ContainsFunc(in, func(i Input) bool { return i.Name == Stdin }):
		return nil // progress would be drawn over the typed text
	}
	return &console.Progress{Total: TotalSize(in)}
}

// TypeVar defines --type for verbs that read records of any type.
func TypeVar(fs *pflag.FlagSet, p *example.MessageType) {
	typeVar(fs, p, example.TypeRaw)
}

// MessageVar defines --type for verbs that need features.
func MessageVar(fs *pflag.FlagSet, p *example.MessageType) {
	typeVar(fs, p, example.TypeExampleList)
}

// typeVar defines --type with the values up to last.
func typeVar(fs *pflag.FlagSet, p *example.MessageType, last example.MessageType) {
	var names []string
	for t := example.TypeAuto; t <= last; t++ {
		names = append(names, t.String())
	}
	cli.EnumVar(fs, p, "type", names, "message `TYPE`: "+cli.OneOf(names))
}

// otherDelimiter is the advice about a CSV file that is delimited by another character than a comma.
const otherDelimiter = "; set --csv-delimiter"

// Fault handles a fault as --on-error says: it returns the fault, or prints it and counts what is skipped. After
// --max-messages faults of a kind it counts only.
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
		if l.AddMisfits(n); l.Unfit > r.messages {
			l.UnprintedMisfits += n
			return nil
		}
	case skipped == nil:
		l.Files++
		if r.onError != nil && !r.onError.Changed && Missing(f.Err) {
			e.Raise(cli.ExitBadInput) // as with the default stop: a name may be misspelled
		}
	default:
		l.AddRange(skipped)
		if skipped.End >= 0 {
			message += fmt.Sprintf("; skipped bytes %#x to %#x", skipped.Begin, skipped.End)
		} else {
			message += fmt.Sprintf("; skipped everything from byte %#x", skipped.Begin)
		}
		if l.Ranges > r.messages {
			l.UnprintedRanges++
			return nil
		}
	}
	e.Console.Print(message)
	return nil
}

// Messages returns the value of --max-messages.
func (r *Flags) Messages() int { return r.messages }

// SetMessages sets the value of --max-messages.
func (r *Flags) SetMessages(text string) error {
	return cli.Number(&r.messages, 0, math.MaxInt).Set(text)
}

// MaxRecord returns the value of --max-record-size.
func (r *Flags) MaxRecord() int64 { return int64(r.maxRecord) }

// Report handles the faults of files that were read elsewhere, each as Fault does.
func (r *Flags) Report(e *cli.Env, faults *Faults) error {
	for i := range faults.Kept {
		if err := r.Fault(e, &faults.Kept[i]); err != nil {
			return err
		}
	}
	l, more := &e.Skipped, &faults.More
	l.AddSums(more)
	l.UnprintedMisfits += more.Misfits
	l.UnprintedRanges += int64(more.Ranges)
	return nil
}

// A Rule is a dependency between flags: a flag excludes others, or needs one of them.
type Rule struct {
	flag   string // the flag that has the rule
	needs  bool   // flag needs one of others; false: flag excludes all of them
	others []string
}

// Excludes returns the rule of a flag that cannot be combined with others.
func Excludes(flag string, others ...string) Rule { return Rule{flag, false, others} }

// Needs returns the rule of a flag that needs one of the others.
func Needs(flag string, others ...string) Rule { return Rule{flag, true, others} }

// Rules adds rules for the flags of the verb. They are checked before inputs are looked up.
func (r *Flags) Rules(fs *pflag.FlagSet, rules ...Rule) {
	r.given = func(name string) bool {
		f := fs.Lookup(name)
		return f != nil && f.Changed && f.Value.String() != "false"
	}
	r.rules = append(r.rules, rules...)
}

// CheckRules returns an error if the flags break a rule. Expand calls it.
func (r *Flags) CheckRules() error {
	for _, rule := range r.rules {
		if !r.given(rule.flag) {
			continue
		}
		found := false
		for _, other := range rule.others {
			if !r.given(other) {
				continue
			}
			if found = true; !rule.needs {
				return cli.Usagef("--%s cannot be combined with --%s", rule.flag, other)
			}
		}
		if rule.needs && !found {
			return cli.Usagef("--%s needs --%s", rule.flag, strings.Join(rule.others, " or --"))
		}
	}
	return nil
}
