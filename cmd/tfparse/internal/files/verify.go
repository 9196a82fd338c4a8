package files

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// Verify checks that files are intact.
func Verify() *cli.Command {
	c := &verify{codecs: setCodecs{}, types: perSet[string]{}}
	c.reading.OnError = cli.Skip
	return &cli.Command{
		Name:  "verify",
		Args:  "FILE...",
		Short: "check that files are intact",
		Long: `
Read every record, verify all checksums, and decode every message unless --type
is raw. If the name of a file is that of a shard, such as train-00003-of-00012
or part-3-of-12, the whole set must be given or lie in the same directory, unless
--partial-set is given. A warning names shards of one set with different codecs,
which TensorFlow does not read together, or with different messages, and shards
without a record, if others have some. Another one names a feature that has values
of different kinds, in one file or in shards of one set, and the first record of
each kind; --all lists more than 10 such features of a set. A file that is given
twice is a warning too. Warnings do not change the exit code.

A directory of TensorFlow Datasets is compared with its dataset_info.json: the
shards of each split, the records of each shard and the bytes of all.

Each fault has one class: truncated, length_crc, payload_crc, too_long,
not_tfrecord, codec; message, for an intact record that does not decode;
shards, for an incomplete set; or dataset_info, for files that are not what
dataset_info.json says. Any fault is exit code 4. The first fault of each
file is printed, with --all every one. The numbers of records and bytes are those
of intact records; bytes are uncompressed and include the framing. Records of
other messages, such as a TensorBoard event file, are not a fault: their checksums
are verified, and a warning and the report say that the messages are unknown;
--type sets the type that they must have. --format junit writes a test suite with a
case for each file, and --format github annotations of GitHub Actions. --on-error stop ends at the first file
with a fault. The exit code does not change if the reader of the report closes
the pipe, as head -1 and grep -q do.`,
		Examples: []string{
			"tfparse verify testdata/recipes.tfrecord",
			"tfparse verify --all --format json 'testdata/*.tfrecord'",
			"tfparse verify --format junit 'testdata/*.tfrecord' >verify.xml",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.all, "all", false, "report every fault, not only the first of each file, and every feature of different kinds")
			fs.BoolVar(&c.partial, "partial-set", false, "accept shards without the rest of their set")
			reading.TypeVar(fs, &c.typ, "decode records as")
			cli.EnumVar(fs, &c.format, "format", verifyForms, "print the report as `FORMAT`: text, json, junit or github")
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs, "compression")
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type verify struct {
	reading reading.Flags
	typ     example.MessageType
	all     bool
	partial bool // a set need not be whole
	jobs    int
	format  verifyForm

	out     *cli.Output
	records int64
	looked  int  // files that were looked at
	faulty  int  // files with a fault
	broken  int  // sets that are not whole
	gaps    bool // shards of one are missing
	begun   bool

	unknown unknownFiles
	codecs  setCodecs
	types   perSet[string] // of messages
	kinds   setKinds
	tfds    tfdsSets
	twice   []warning      // about files that are given more than once
	empty   []string       // shards without a record
	cases   []cli.TestCase // with --format junit
	unlimit func()         // for records that need more memory

	// Of the current file.
	summary verifiedFile
	found   int // faults
}

// verified is what the sound ones of some records in a row have.
type verified struct {
	kinds          *summary.Kinds // nil: raw
	records, bytes int64
}

// A verifiedFile is what is reported of a file, or of a set, beside its name
// and its faults, which may be too many to keep. Fields are nil where a thing
// is not known.
type verifiedFile struct {
	Codec     *string `json:"codec"`
	Type      *string `json:"type"`
	LooksLike *string `json:"looks_like"` // if the type is unknown
	Records   *int64  `json:"records"`
	Bytes     *int64  `json:"bytes"`
	OK        bool    `json:"ok"`
}

func (c *verify) run(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("checksums are what is verified; --no-crc leaves nothing")
	}
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	list, err := c.reading.List(e, args)
	if err != nil {
		return err
	}
	if c.reading.AllowMissing && !c.partial {
		c.reading.WarnMissing(e, list)
	}
	in := reading.Present(list) // sets reports the others
	c.tfds, in = findTFDS(args, in)
	if c.partial && len(in) == 0 {
		return reading.MissingShards(list)
	}
	c.twice = givenTwice(in)
	if in, err = c.reading.Part(e, in); err != nil {
		return err
	}
	if len(c.tfds.dirs) > 0 && len(in) < len(c.reading.AllInputs) {
		return cli.Usagef("a directory of TensorFlow Datasets is compared with its dataset_info.json as a whole, without --shard")
	}
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer = true
	if c.format == verifyJSON {
		c.out.Buf = append(c.out.Buf, `{"files":[`...)
	}
	c.unlimit = e.Heap.LimitTo(heapLimit)
	defer c.unlimit()
	work := parallel.NewInOrder(c)
	work.RawHere = true
	err = work.Run(e.Ctx, c.jobs, func(v recordscan.TypedVisitor) error {
		return c.reading.Walk(e, in, &recordscan.Options{Step: true}, recordscan.Guess(c.typ, v))
	})
	if err == nil && (c.faulty == 0 || c.reading.OnError == cli.Skip) {
		if err = c.sets(e, list); err == nil {
			err = c.checkTFDS(e)
		}
	}
	if err != nil {
		return c.out.Finish(err)
	}
	if c.faulty > 0 || c.broken > 0 {
		e.Raise(cli.ExitBadInput)
	}
	switch {
	case c.format == verifyJSON:
		c.out.Buf = append(c.out.Buf, ']')
		if names := cli.JSONNames(c.reading.PassedOver); names != nil {
			c.out.Buf = cli.AppendJSON(append(c.out.Buf, `,"passed_over":`...), names)
		}
		printWarnings(e.Console, c.out, cli.FormatJSON, c.warnings())
		c.out.Buf = append(c.out.Buf, "}\n"...)
	case c.format != verifyText:
		c.annotate(c.warnings(), c.total(len(in)))
	default:
		if len(in) > 1 {
			c.line("%s", c.total(len(in)))
		}
		printWarnings(e.Console, c.out, cli.FormatText, c.warnings())
	}
	if c.gaps {
		e.Console.Print("shards are missing; --partial-set accepts a set without them")
	}
	c.unknown.warn(e.Console, "%s: unknown messages%s were not decoded; --type raw verifies their checksums only")
	return c.out.Finish(nil)
}

// total sums up what was verified; files is how many were given.
func (c *verify) total(files int) string {
	if c.faulty == 0 && c.broken == 0 {
		return fmt.Sprintf("%s, %s: ok", cli.Plural(int64(files), "file"), cli.Plural(c.records, "record"))
	}
	text := cli.Plural(int64(files), "file")
	if c.looked < files {
		text = fmt.Sprintf("%d of %s", c.looked, text)
	}
	text += fmt.Sprintf(", %s ok", cli.Plural(c.records, "record"))
	if c.faulty > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.faulty), "file"))
	}
	if c.broken > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.broken), "set"))
	}
	return text
}

// sets checks that the sets are whole that the inputs are shards of.
func (c *verify) sets(e *cli.Env, list *filelist.List) error {
	faults := filelist.System(e.Ctx).CheckSets(list)
	if c.reading.AllowMissing || c.partial { // which has said so, or need not
		faults = slices.DeleteFunc(faults, func(f *filelist.SetError) bool {
			return f.Missing > 0 || c.reading.AllowMissing && slices.ContainsFunc(list.Broken, func(b *filelist.SetError) bool { return *b == *f })
		})
	}
	for i, fault := range faults {
		if i == 0 || faults[i-1].Set != fault.Set {
			c.begin(fault.Set)
			c.broken++
		}
		c.gaps = c.gaps || fault.Missing > 0
		err := c.add(&recordscan.Fault{File: fault.Set, Class: recordscan.ClassShards, Record: -1, Offset: -1, Compressed: -1, Err: fault})
		if err != nil {
			return err
		}
		if i == len(faults)-1 || faults[i+1].Set != fault.Set {
			c.end(fault.Set)
		}
	}
	return nil
}

func (c *verify) line(format string, args ...any) {
	c.out.Buf = fmt.Appendf(c.out.Buf, format+"\n", args...)
}

// begin begins the report of a file or of a set.
func (c *verify) begin(name string) {
	c.summary = verifiedFile{OK: true}
	c.found = 0
	if c.format == verifyJSON {
		if c.begun {
			c.out.Buf = append(c.out.Buf, ',')
		}
		c.out.Buf = append(c.out.Buf, `{"file":`...)
		c.out.Buf = recordjson.AppendName(c.out.Buf, []byte(name))
		c.out.Buf = append(c.out.Buf, `,"faults":[`...)
	}
	if c.format == verifyJUnit {
		c.cases = append(c.cases, cli.TestCase{Name: console.OneLine(name), Class: "tfrecord"})
	}
	c.begun = true
}

// add reports a fault.
func (c *verify) add(f *recordscan.Fault) error {
	c.found++
	c.summary.OK = false
	switch {
	case c.found > 1 && !c.all:
	case c.format == verifyText:
		c.line("%s", console.OneLine(f.Error()))
	case c.format != verifyJSON:
		c.annotateFault(f)
	default:
		if c.found > 1 {
			c.out.Buf = append(c.out.Buf, ',')
		}
		c.out.Buf = cli.AppendJSON(c.out.Buf, reportOf(f))
	}
	return c.out.Spill()
}

// end ends the report of a file or of a set.
func (c *verify) end(name string) {
	switch {
	case c.format == verifyJSON:
		c.out.Buf = append(c.out.Buf, "],"...)
		c.out.Buf = append(c.out.Buf, cli.AppendJSON(nil, c.summary)[len("{"):]...)
	case c.found > 1 && !c.all && c.format == verifyText:
		c.line("%s: %s more; --all lists them", console.OneLine(name), cli.Plural(int64(c.found-1), "fault"))
	}
}

func (c *verify) Begin(f *recordscan.File) error {
	c.begin(f.Name)
	c.kinds.begin(f.Name)
	if f.Opened {
		c.summary.Records, c.summary.Bytes = new(int64), new(int64)
	}
	return nil
}

func (c *verify) Type(t example.MessageType) error {
	name := t.String()
	c.summary.Type = &name
	return nil
}

func (c *verify) Fresh(t example.MessageType) *verified {
	if t == example.TypeRaw {
		return &verified{}
	}
	return &verified{kinds: c.kinds.fresh(t)}
}

func (c *verify) Look(p *parallel.Portion[*verified], rec []byte, pos tfrecord.Position) {
	v := p.Sum
	if len(rec) > largeRecord {
		c.unlimit()
	}
	if v.kinds != nil {
		if err := v.kinds.Add(rec, pos); err != nil {
			p.Then(func() error { return c.Skipped(recordscan.Misfit(pos, err)) })
			return
		}
	}
	v.records++
	v.bytes += int64(len(rec)) + tfrecord.HeaderSize + tfrecord.FooterSize
}

func (c *verify) Merge(v *verified) error {
	c.records += v.records
	*c.summary.Records += v.records
	*c.summary.Bytes += v.bytes
	if v.kinds != nil {
		c.kinds.merge(v.kinds)
	}
	return nil
}

func (c *verify) Unknown(u *recordscan.Unknown) error {
	c.unknown.add(u.File, u.LooksLike)
	name := unknownType
	c.summary.Type, c.summary.LooksLike = &name, cli.Known(u.LooksLike, u.LooksLike != "")
	c.records += u.Records
	*c.summary.Records += u.Records
	*c.summary.Bytes += u.Bytes
	return nil
}

func (c *verify) Skipped(fault *recordscan.Fault) error {
	if _, ok := reading.Files.ParseShard(fault.File); ok && errors.Is(fault, fs.ErrNotExist) {
		fault.Class = recordscan.ClassShards
	}
	return c.add(fault)
}

func (c *verify) End(f *recordscan.File) error {
	c.summary.Codec = cli.CodecName(f.Codec)
	addCodec(c.codecs, f)
	c.noteShard(f)
	if err := c.checkShard(f); err != nil {
		return err
	}
	if c.format == verifyText && c.found == 0 {
		of := ""
		switch t := c.summary.Type; {
		case t == nil: // no records
		case *t == unknownType:
			of = " of unknown messages"
			if looks := c.summary.LooksLike; looks != nil {
				of += recordscan.InBrackets(*looks)
			}
		default:
			of = " of " + *t
		}
		c.line("%s: ok: %s%s, %s, %s", console.OneLine(f.Name),
			cli.Plural(*c.summary.Records, "record"), of, cli.Plural(*c.summary.Bytes, "byte"), f.Codec)
	}
	c.end(f.Name)
	if err := c.out.Flush(); err != nil {
		return err
	}
	c.looked++
	if c.found > 0 {
		c.faulty++
		if c.reading.OnError == cli.Stop {
			return recordscan.ErrStop
		}
	}
	return nil
}

// heapLimit is near what verify may take while records are of up to a megabyte. Names of
// many features are kept while one is looked at, and left behind.
const (
	heapLimit   = 40 << 20
	largeRecord = 1 << 20
)
