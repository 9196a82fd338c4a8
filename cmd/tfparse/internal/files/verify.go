package files

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Verify checks that files are intact.
func Verify() *cli.Command { return newVerify().command() }

func newVerify() *verify {
	c := &verify{codecs: setCodecs{}, types: perSet[string]{}, part: partial.Flag{Verb: "verify", Alike: []string{"all", "partial-set", "type"}}}
	c.reading.OnError = cli.Skip
	return c
}

func (c *verify) command() *cli.Command {
	return &cli.Command{
		Name: "verify",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.all, "all", false, "report every fault, not only the first of each file")
			fs.BoolVar(&c.partial, "partial-set", false, "accept shards without the rest of their set")
			scan.TypeVar(fs, &c.typ)
			cli.EnumVar(fs, &c.format, "format", verifyForms, "report as `FORMAT`: text, json, junit or github")
			c.part.Add(fs)
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type verify struct {
	reading scan.Flags
	typ     example.MessageType
	all     bool
	partial bool // a set need not be whole
	part    partial.Flag
	jobs    int
	format  verifyForm

	env     *cli.Env
	out     *cli.Output
	records int64
	looked  int  // files that were looked at
	faulty  int  // files with a fault
	broken  int  // sets that are not whole
	files   int  // that were given
	gaps    bool // shards of one are missing
	begun   bool

	unknown unknownFiles
	codecs  setCodecs
	types   perSet[string] // of messages
	kinds   setKinds
	tfds    tfdsSets
	sets    []*filelist.SetError // that are not whole
	twice   []warning            // about files that are given more than once
	empty   []string             // shards without a record
	cases   []cli.TestCase       // with --format junit
	unlimit func()               // for records that need more memory

	// Of the current file.
	summary verifiedFile
	found   int           // faults
	faults  []*scan.Fault // that are written to the part

	to *partial.Writer // nil without --partial
}

// verified is what the sound ones of some records in a row have.
type verified struct {
	kinds          *summary.Table // nil: raw
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
	if err := c.part.Check(e); err != nil {
		return err
	}
	c.env = e
	read, err := c.open(args)
	if err != nil {
		return err
	}
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer = true
	if c.part.Name != "" {
		return c.writePart(read)
	}
	if c.format == verifyJSON {
		c.out.Buf = append(c.out.Buf, `{"files":[`...)
	}
	c.unlimit = e.Heap.LimitTo(heapLimit)
	defer c.unlimit()
	if err = read(); err == nil && (c.faulty == 0 || c.reading.OnError == cli.Skip) {
		if err = c.reportSets(); err == nil {
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
		c.annotate(c.warnings(), c.total(c.files))
	default:
		if c.files > 1 {
			c.line("%s", c.total(c.files))
		}
		printWarnings(e.Console, c.out, cli.FormatText, c.warnings())
	}
	if c.gaps {
		e.Console.Print("shards are missing; --partial-set accepts a set without them")
	}
	c.unknown.warn(e.Console, "%s: unknown messages%s were not decoded; --type raw verifies their checksums only")
	return c.out.Finish(nil)
}

// open looks the inputs up, and returns what reads them.
func (c *verify) open(args []string) (read func() error, err error) {
	if c.part.Merge {
		return c.openParts(args)
	}
	e := c.env
	list, err := c.reading.List(e, args)
	if err != nil {
		return nil, err
	}
	if c.reading.AllowMissing && !c.partial {
		c.reading.WarnMissing(e, list)
	}
	in := scan.Present(list) // findSets finds the others
	c.tfds, in = findTFDS(args, in)
	if c.partial && len(in) == 0 {
		return nil, scan.MissingShards(list)
	}
	c.twice = givenTwice(in)
	if in, err = c.reading.Part(e, in); err != nil {
		return nil, err
	}
	if len(c.tfds.dirs) > 0 && (len(in) < len(c.reading.AllInputs) || c.part.Name != "") {
		return nil, cli.Usagef("a directory of TensorFlow Datasets is compared with its dataset_info.json as a whole, without --shard and --partial")
	}
	c.findSets(list)
	c.files = len(in)
	return func() error {
		work := scan.NewInOrder(c)
		work.RawHere = true
		return work.Run(e.Ctx, c.jobs, func(v scan.TypedVisitor) error {
			return c.reading.Walk(e, in, &scan.OldOptions{Step: true}, scan.Guess(c.typ, v))
		})
	}, nil
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

// findSets checks that the sets are whole that the inputs are shards of.
func (c *verify) findSets(list *filelist.List) {
	c.sets = filelist.System(c.env.Ctx).CheckSets(list)
	if c.reading.AllowMissing || c.partial { // which has said so, or need not
		c.sets = slices.DeleteFunc(c.sets, func(f *filelist.SetError) bool {
			return f.Missing > 0 || c.reading.AllowMissing && slices.ContainsFunc(list.Broken, func(b *filelist.SetError) bool { return *b == *f })
		})
	}
}

// reportSets reports the sets that are not whole.
func (c *verify) reportSets() error {
	faults := c.sets
	for i, fault := range faults {
		if i == 0 || faults[i-1].Set != fault.Set {
			c.begin(fault.Set)
			c.broken++
		}
		c.gaps = c.gaps || fault.Missing > 0
		err := c.add(&scan.Fault{File: fault.Set, Class: scan.ClassShards, Record: -1, Offset: -1, Compressed: -1, Err: fault})
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
		c.out.Buf = jsonscan.AppendName(c.out.Buf, []byte(name))
		c.out.Buf = append(c.out.Buf, `,"faults":[`...)
	}
	if c.format == verifyJUnit {
		c.cases = append(c.cases, cli.TestCase{Name: console.OneLine(name), Class: "tfrecord"})
	}
	c.begun = true
}

// add reports a fault.
func (c *verify) add(f *scan.Fault) error {
	c.found++
	c.summary.OK = false
	if c.to != nil && (c.found == 1 || c.all) {
		c.faults = append(c.faults, f)
	}
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

func (c *verify) Begin(f *scan.OldFile) error {
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

func (c *verify) Look(p *scan.Portion[*verified], rec []byte, pos tfrecord.Position) {
	v := p.Sum
	if len(rec) > largeRecord {
		c.unlimit()
	}
	if v.kinds != nil {
		v.kinds.At = summary.Place{File: pos.Name, Record: pos.Record}
		if err := v.kinds.Add(rec); err != nil {
			p.Then(func() error { return c.Skipped(scan.Misfit(pos, err)) })
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

func (c *verify) Unknown(u *scan.Unknown) error {
	c.unknown.add(u.File, u.LooksLike)
	name := unknownType
	c.summary.Type, c.summary.LooksLike = &name, cli.Known(u.LooksLike, u.LooksLike != "")
	c.records += u.Records
	*c.summary.Records += u.Records
	*c.summary.Bytes += u.Bytes
	return nil
}

func (c *verify) Skipped(fault *scan.Fault) error {
	if _, ok := scan.Files.ParseShard(fault.File); ok && errors.Is(fault, fs.ErrNotExist) {
		fault.Class = scan.ClassShards
	}
	return c.add(fault)
}

func (c *verify) End(f *scan.OldFile) error {
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
				of += scan.InBrackets(*looks)
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
	if c.to != nil {
		if err := c.writeFile(f); err != nil {
			return err
		}
	}
	c.looked++
	if c.found > 0 {
		c.faulty++
		if c.reading.OnError == cli.Stop {
			return scan.ErrStop
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
