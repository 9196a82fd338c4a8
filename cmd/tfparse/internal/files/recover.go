package files

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Recover returns the verb recover, which copies the intact records of damaged files.
func Recover() *cli.Command {
	c := &recoverRun{}
	c.reading.OnError = cli.Skip
	c.reading.AllMessages = true
	return &cli.Command{
		Name: "recover",
		Flags: func(fs *pflag.FlagSet) {
			c.writing.Add(fs)
			c.writing.AddKeepShards(fs)
			cli.FileVar(fs, &c.report, "report", "write the skipped ranges to `REPORT` as JSON; - is standard output")
			scan.TypeVar(fs, &c.typ)
			c.reading.Add(fs)
			c.reading.AddShard(fs)
			c.reading.Rules(fs, scan.Needs("shard", "keep-shards"))
		},
		Run: c.run,
	}
}

// A recoverRun holds the flags and the state of one run of the verb.
type recoverRun struct {
	reading scan.Flags          // which files are read, and how; --on-error is always skip
	writing cli.Writing         // where the intact records are written, and how
	report  string              // --report: name of the report; "": none, "-": standard output
	typ     example.MessageType // --type; TypeAuto: see scan.Options.Copy

	env      *cli.Env          // set by run
	out      *cli.RecordOutput // the intact records; nil for a shard without inputs
	recovery recoveryReport    // filled in while reading, whether --report is given or not
	file     *recoveredFile    // the current file
	index    *tfrecord.Index   // of the current file; nil: none
}

// A recoveryReport is the content of --report.
type recoveryReport struct {
	Files   []*recoveredFile `json:"files"`
	Records int64            `json:"records"` // saved records
	OK      bool             `json:"ok"`      // no file has a fault
}

// A recoveredFile is the part of a recoveryReport about one file.
type recoveredFile struct {
	File    jsonscan.Name  `json:"file"`
	Codec   *string        `json:"codec"`
	Records int64          `json:"records"` // saved records
	Missing *int64         `json:"missing"` // records of the index minus saved records; nil: no index
	OK      bool           `json:"ok"`
	Skipped []skippedRange `json:"skipped"`
}

// A skippedRange is a fault and the range skipped because of it. Begin is nil for a file that could not be read.
type skippedRange struct {
	faultReport
	Begin   *int64 `json:"begin"`
	End     *int64 `json:"end"`     // nil: the rest of the file
	Records *int64 `json:"records"` // records in the range; nil: unknown
}

func (c *recoverRun) run(e *cli.Env, args []string) error {
	switch {
	case c.reading.NoCRC:
		return cli.Usagef("--no-crc cannot be used: checksums are how records are found")
	case c.reading.OnError == cli.Stop:
		return cli.Usagef("tfparse recover skips damage; --on-error stop is for tfparse convert")
	case c.report == "-" && c.writing.Output == "-":
		return cli.Usagef("records and report cannot both go to standard output")
	case c.report != "" && c.report == c.writing.Output:
		return cli.Usagef("records and report cannot both be written to %s", c.report)
	}
	opts, err := c.writing.Options()
	if err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err == nil {
		err = scan.WholeFiles(in)
	}
	if err != nil {
		return err
	}
	c.env = e
	c.recovery = recoveryReport{Files: []*recoveredFile{}, OK: true}
	if err := cli.CheckName(c.report, "JSON", cli.JSONEndings, "the report has no other form"); err != nil {
		return err
	}
	if err := cli.CheckInputs(c.report, scan.Names(in)); err != nil {
		return err
	}
	if c.out, err = c.reading.CreateRecords(e, &c.writing, in, opts, runtime.GOMAXPROCS(0)); err != nil || c.out == nil {
		return err
	}
	if err = c.copyRecords(in); err == nil {
		err = c.writeReport(e, in)
	}
	if err == nil && c.out.Records == 0 && !c.recovery.OK {
		err = fmt.Errorf("%s is not written: no record is intact", c.writing.Output)
	}
	return c.out.Finish(err)
}

func (c *recoverRun) writeReport(e *cli.Env, in []scan.Input) error {
	if c.report == "" {
		return nil
	}
	out, err := e.Create(c.report, scan.Names(in)...)
	if err != nil {
		return err
	}
	out.JSON(c.recovery)
	return out.Finish(nil)
}

// copyRecords copies the intact records of the inputs.
func (c *recoverRun) copyRecords(in []scan.Input) error {
	src, err := c.reading.Open(c.env, in, &scan.Options{Type: c.typ, Copy: true, Recover: true, Begin: c.beginFile, Fault: c.addFault, End: c.endFile})
	if err != nil {
		return err
	}
	return src.Each(func(rec scan.Record) error {
		c.file.Records++
		return c.out.Write(rec.Bytes)
	})
}

func (c *recoverRun) beginFile(f *scan.File) error {
	c.file = &recoveredFile{File: jsonscan.Name(f.Name), OK: true, Skipped: []skippedRange{}}
	c.recovery.Files = append(c.recovery.Files, c.file)
	c.out.NextFile()
	var err error
	c.index, err = scan.ReadIndexFile(f.Name + tfrecord.IndexExtension)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && f.Name != scan.Stdin {
		c.env.Console.Print(fmt.Sprintf("%v; going on without it", err))
	}
	return nil
}

func (c *recoverRun) addFault(fault *scan.Fault) error {
	c.recovery.OK, c.file.OK = false, false
	s := skippedRange{faultReport: reportOf(fault)}
	if l := fault.Skipped; l != nil {
		c.countRange(l)
		s.Begin, s.End = &l.Begin, cli.Known(l.End, l.End >= 0)
		s.Records = cli.Known(l.Records, l.Records >= 0)
	}
	c.file.Skipped = append(c.file.Skipped, s)
	return c.reading.Fault(c.env, fault)
}

// countRange sets the number of records of a skipped range from the index, if the index is still valid there.
func (c *recoverRun) countRange(l *tfrecord.SkippedRange) {
	if c.index == nil || l.Records >= 0 {
		return
	}
	first, end := c.index.Find(l.Begin), c.index.Len()
	if l.End >= 0 {
		end = c.index.Find(l.End)
	}
	starts := func(i, offset int64) bool {
		if i == c.index.Len() {
			return offset == c.index.StreamSize()
		}
		at, _ := c.index.Entry(i)
		return at == offset
	}
	// If bytes were added or lost, records no longer begin at the offsets of the index.
	if starts(first, l.Begin) && (l.End < 0 || starts(end, l.End)) {
		l.Records = end - first
	}
}

func (c *recoverRun) endFile(f *scan.File) error {
	c.file.Codec = cli.CodecName(f.Codec)
	c.recovery.Records += c.file.Records
	if c.index == nil {
		return nil
	}
	missing := c.index.Len() - c.file.Records
	c.file.Missing = &missing
	switch {
	case missing > 0:
		c.env.Console.Print(fmt.Sprintf("%s: %d of %s missing, by the index", f.Name, missing, cli.Plural(c.index.Len(), "record")))
	case missing < 0:
		c.env.Console.Print(fmt.Sprintf("%s: found %d records, index has %d: it is outdated, or records were nested", f.Name, c.file.Records, c.index.Len()))
	}
	return nil
}
