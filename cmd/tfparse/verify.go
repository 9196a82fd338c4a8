package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

func verifyCommand() *command {
	c := &verify{codecs: setCodecs{}}
	c.reading.onError = skip
	return &command{
		name:  "verify",
		args:  "FILE...",
		short: "check that files are intact",
		long: `
Read every record, verify all checksums, and decode every message unless --type
is raw. Where the name of a file says that it is a shard, as
train-00003-of-00012 or part-3-of-12, the whole set must be there, given or
beside it, but with --partial-set. A warning names shards of one set that have
different codecs, which TensorFlow does not read together.

Each fault is of one class: truncated, length_crc, payload_crc, too_long,
not_tfrecord, codec; message, for an intact record that does not decode; or
shards, for a set that is not whole. Any fault is exit code 4. The first one of
each file is reported, with --all every one. Records and bytes count what has no
fault; the bytes are those of the uncompressed records with their framing.
Records that hold other messages, such as a TensorBoard event file, are no
fault: their checksums are verified, and a warning says that the messages are
unknown, as the report does; --type says what they must be.
--on-error stop ends at the first file that has a fault. The exit code is the
same when the reader of the report goes away, as head -1 and grep -q do.`,
		examples: []string{
			"tfparse verify testdata/recipes.tfrecord",
			"tfparse verify --all --format json 'testdata/*.tfrecord'",
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.all, "all", false, "report every fault, not only the first of each file")
			fs.BoolVar(&c.partial, "partial-set", false, "verify shards whose set is not all there")
			enumVar(fs, &c.typ, "type", typeNames, "decode records as `TYPE`: auto, example, sequence, elwc or raw")
			formatVar(fs, &c.format)
			fs.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), "work with `N` goroutines")
			c.reading.add(fs, "compression")
		},
		run: c.run,
	}
}

type verify struct {
	reading reading
	typ     recordjson.Type
	all     bool
	partial bool // a set need not be whole
	jobs    int
	format  format

	out     *output
	records int64
	looked  int  // files that were looked at
	faulty  int  // files with a fault
	broken  int  // sets that are not whole
	gaps    bool // shards of one are missing
	begun   bool

	unknown unknownFiles
	codecs  setCodecs
	unlimit func() // for records that need more memory

	// Of the current file.
	summary verifiedFile
	found   int // faults
}

// verified is what the sound ones of some records in a row have.
type verified struct {
	validate       func([]byte) error // nil: raw
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

func (c *verify) run(e *env, args []string) error {
	if c.reading.noCRC {
		return usagef("checksums are what is verified; --no-crc leaves nothing")
	}
	if err := checkJobs(c.jobs); err != nil {
		return err
	}
	list, err := c.reading.list(e, args)
	if err != nil {
		return err
	}
	if c.reading.allowMissing && !c.partial {
		c.reading.warnMissing(e, list)
	}
	in := present(list) // sets reports the others
	if c.partial && len(in) == 0 {
		return missingShards(list)
	}
	if c.out, err = e.create("", nil); err != nil {
		return err
	}
	c.out.answer = true
	if c.format == formatJSON {
		c.out.buf = append(c.out.buf, `{"files":[`...)
	}
	c.unlimit = limitHeap()
	defer c.unlimit()
	work := newInOrder(c, c.jobs)
	defer work.stop()
	err = c.reading.walk(e, in, &walk.Options{Step: true}, walk.Guess(c.typ, work))
	if err == nil {
		err = work.finish()
	}
	if err == nil && (c.faulty == 0 || c.reading.onError == skip) {
		err = c.sets(list)
	}
	if err != nil {
		return c.out.finish(err)
	}
	if c.faulty > 0 || c.broken > 0 {
		e.raise(exitBadInput)
	}
	switch {
	case c.format == formatJSON:
		c.out.buf = append(c.out.buf, ']')
		if names := jsonNames(c.reading.passedOver); names != nil {
			c.out.buf = appendJSON(append(c.out.buf, `,"passed_over":`...), names)
		}
		printWarnings(e.console, c.out, c.format, c.codecs.warnings())
		c.out.buf = append(c.out.buf, "}\n"...)
	case len(in) > 1:
		c.total(len(in))
		printWarnings(e.console, c.out, c.format, c.codecs.warnings())
	}
	if c.gaps {
		e.console.Print("shards are missing; --partial-set leaves it at those that are there")
	}
	c.unknown.warn(e.console, "%s: unknown messages%s were not decoded; --type raw leaves it at the checksums")
	return c.out.finish(nil)
}

// total sums up, in the text form, what was looked at of so many files.
func (c *verify) total(files int) {
	if c.faulty == 0 && c.broken == 0 {
		c.line("%s, %s: ok", plural(int64(files), "file"), plural(c.records, "record"))
		return
	}
	text := plural(int64(files), "file")
	if c.looked < files {
		text = fmt.Sprintf("%d of %s", c.looked, text)
	}
	text += fmt.Sprintf(", %s ok", plural(c.records, "record"))
	if c.faulty > 0 {
		text += fmt.Sprintf(", %s with faults", plural(int64(c.faulty), "file"))
	}
	if c.broken > 0 {
		text += fmt.Sprintf(", %s not whole", plural(int64(c.broken), "set"))
	}
	c.line("%s", text)
}

// sets checks that the sets are whole that the inputs are shards of.
func (c *verify) sets(list *filelist.List) error {
	faults := files.CheckSets(list)
	if c.reading.allowMissing || c.partial { // which has said so, or need not
		faults = slices.DeleteFunc(faults, func(f *filelist.SetError) bool { return f.Missing > 0 })
	}
	for i, fault := range faults {
		if i == 0 || faults[i-1].Set != fault.Set {
			c.begin(fault.Set)
			c.broken++
		}
		c.gaps = c.gaps || fault.Missing > 0
		err := c.add(&walk.Fault{File: fault.Set, Class: walk.ClassShards, Record: -1, Offset: -1, Compressed: -1, Err: fault})
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
	c.out.buf = fmt.Appendf(c.out.buf, format+"\n", args...)
}

// begin begins the report of a file or of a set.
func (c *verify) begin(name string) {
	c.summary = verifiedFile{OK: true}
	c.found = 0
	if c.format == formatJSON {
		if c.begun {
			c.out.buf = append(c.out.buf, ',')
		}
		c.out.buf = append(c.out.buf, `{"file":`...)
		c.out.buf = recordjson.AppendName(c.out.buf, []byte(name))
		c.out.buf = append(c.out.buf, `,"faults":[`...)
	}
	c.begun = true
}

// add reports a fault.
func (c *verify) add(f *walk.Fault) error {
	c.found++
	c.summary.OK = false
	switch {
	case c.found > 1 && !c.all:
	case c.format == formatText:
		c.line("%s", console.OneLine(f.Error()))
	default:
		if c.found > 1 {
			c.out.buf = append(c.out.buf, ',')
		}
		c.out.buf = appendJSON(c.out.buf, reportOf(f))
	}
	return c.out.spill()
}

// end ends the report of a file or of a set.
func (c *verify) end(name string) {
	switch {
	case c.format == formatJSON:
		c.out.buf = append(c.out.buf, "],"...)
		c.out.buf = append(c.out.buf, appendJSON(nil, c.summary)[len("{"):]...)
	case c.found > 1 && !c.all:
		c.line("%s: %s more; --all lists them", console.OneLine(name), plural(int64(c.found-1), "fault"))
	}
}

func (c *verify) Begin(f *walk.File) error {
	c.begin(f.Name)
	if f.Opened {
		c.summary.Records, c.summary.Bytes = new(int64), new(int64)
	}
	return nil
}

func (c *verify) Type(t recordjson.Type) error {
	name := t.String()
	c.summary.Type = &name
	return nil
}

func (c *verify) fresh(t recordjson.Type) *verified {
	v := &verified{}
	if mt, ok := messageType(t); ok {
		v.validate = mt.Validate
	}
	return v
}

func (c *verify) look(v *verified, rec []byte) error {
	if len(rec) > largeRecord {
		c.unlimit()
	}
	if v.validate != nil {
		if err := v.validate(rec); err != nil {
			return err
		}
	}
	v.records++
	v.bytes += int64(len(rec)) + tfrecord.HeaderSize + tfrecord.FooterSize
	return nil
}

func (c *verify) merge(v *verified) error {
	c.records += v.records
	*c.summary.Records += v.records
	*c.summary.Bytes += v.bytes
	return nil
}

func (c *verify) Unknown(u *walk.Unknown) error {
	c.unknown.add(u.File, u.LooksLike)
	name := unknownType
	c.summary.Type, c.summary.LooksLike = &name, known(u.LooksLike, u.LooksLike != "")
	c.records += u.Records
	*c.summary.Records += u.Records
	*c.summary.Bytes += u.Bytes
	return nil
}

func (c *verify) Lost(fault *walk.Fault) error {
	if _, ok := files.ParseShard(fault.File); ok && errors.Is(fault, fs.ErrNotExist) {
		fault.Class = walk.ClassShards
	}
	return c.add(fault)
}

func (c *verify) End(f *walk.File) error {
	c.summary.Codec = codecName(f.Codec)
	c.codecs.add(f)
	if c.format == formatText && c.found == 0 {
		of := ""
		switch t := c.summary.Type; {
		case t == nil: // no records
		case *t == unknownType:
			of = " of unknown messages"
			if looks := c.summary.LooksLike; looks != nil {
				of += walk.InBrackets(*looks)
			}
		default:
			of = " of " + *t
		}
		c.line("%s: ok: %s%s, %s, %s", console.OneLine(f.Name),
			plural(*c.summary.Records, "record"), of, plural(*c.summary.Bytes, "byte"), f.Codec)
	}
	c.end(f.Name)
	if err := c.out.flush(); err != nil {
		return err
	}
	c.looked++
	if c.found > 0 {
		c.faulty++
		if c.reading.onError == stop {
			return walk.ErrStop
		}
	}
	return nil
}
