package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/tfrecord"
)

// A survey reads files and summarizes each. The verbs count, verify and info each embed a survey and are its view: they differ in
// how much they read and what they print.
//
// For each file, in order, the survey calls the view's beginFile, addFault for each fault, and endFile with the summary. With
// --partial it also writes the summaries to a file. The merge verbs replay the summaries of several such files: the view gets
// the same calls.
type survey struct {
	reading scan.Flags          // which files are read, and how
	typ     example.MessageType // of all records; TypeAuto: detected for each file
	jobs    int                 // number of decoding goroutines
	part    partial.Flag        // --partial, and whether the verb is a merge

	view       view                     // the verb that embeds the survey
	group      func(file string) string // name of the group whose table counts the features of a file; nil: messages are not decoded
	parser     *feature.Parser          // for --spec; nil: none
	onLarge    func()                   // called by any goroutine before it decodes a record larger than largeRecord; may be nil
	maxFaults  int                      // limit of faults written with --partial, per file and class; others are counted
	contents   map[string][]byte        // contents of files named by flags, by flag; equal in all parts of a merge
	partOwn    func() any               // returns the verb's own data for --partial, encoded as JSON; may be nil
	usePartOwn func([]byte) error       // receives the data of partOwn in a merge; may be nil

	env            *cli.Env          // set by the view before it calls run or openParts
	out            *cli.Output       // the report of the view; discarded with --partial
	writer         *partial.Writer   // for --partial; nil: none
	file           *fileSummary      // the current file
	tables         []*groupTable     // in the order of their first file
	sizes          summary.Histogram // record sizes of all files, in bytes
	names          message.Shared    // feature names, shared by the tables of all workers
	unknownFiles   unknownFileList   // files of unknownType
	unlistedFaults scan.Faults       // in a merge: counts of the faults beyond maxFaults
}

// A view is a verb that prints a survey. An error from a method ends the survey.
type view interface {
	beginFile(f *fileSummary) error
	addFault(f *fileSummary, fault *scan.Fault) error
	endFile(f *fileSummary) error
}

// A fileSummary is the result of a survey for one file. It is complete when endFile is called.
type fileSummary struct {
	partial.FileSummary
	faults scan.Faults // the faults to write with --partial
}

// newSummary returns the summary of a file, a shard set or dataset_info.json.
func newSummary(name string) *fileSummary {
	return &fileSummary{FileSummary: partial.FileSummary{Name: jsonscan.Name(name)}}
}

// unknownType is the type of records that hold no message of package example.
const unknownType = "unknown"

// A groupTable summarizes the features of the records of one type in a group of files.
type groupTable struct {
	group string
	*summary.Table
}

// A recordSum summarizes consecutive records. It belongs to one worker until it is merged.
type recordSum struct {
	typ   example.MessageType
	table *summary.Table // nil: messages are not decoded
	batch *feature.Batch // parses one record by --spec; nil: none
	sizes []int          // of the valid records, in bytes
}

const (
	// largeRecord is the size above which onLarge is called, in bytes.
	largeRecord = 1 << 20
	// contentRecords is the number of records of each file whose byte strings are inspected.
	contentRecords = 16
)

// run surveys the inputs. With --partial it writes the result to a file.
func (s *survey) run(in []scan.Input, opts *scan.Options) (err error) {
	if s.part.Name == "" {
		return s.readInputs(in, opts)
	}
	s.env.Deferred = true
	s.out = &cli.Output{W: io.Discard}
	s.writer, err = partial.Create(s.env, s.part.Name, scan.Names(in), func() (*partial.Header, error) {
		var own any
		if s.partOwn != nil {
			own = s.partOwn()
		}
		return partial.NewHeader(s.part.Verb, &s.reading, s.part.Settings(s.contents), own)
	})
	if err != nil {
		return err
	}
	return s.writer.Finish(s.readInputs(in, opts))
}

// readInputs surveys the inputs.
func (s *survey) readInputs(in []scan.Input, opts *scan.Options) error {
	opts.Type, opts.Unknown, opts.Begin, opts.Fault, opts.End = s.typ, true, s.beginInput, s.addInputFault, s.endInput
	src, err := s.reading.Open(s.env, in, opts)
	if err != nil {
		return err
	}
	return (&scan.Sum[*recordSum]{Workers: s.jobs, Fresh: s.newRecordSum, Add: s.addRecord, Merge: s.mergeSum}).Run(src)
}

func (s *survey) beginInput(f *scan.File) error {
	s.file = newSummary(f.Name)
	s.file.Opened, s.file.faults.Most = f.Opened, s.maxFaults
	return s.view.beginFile(s.file)
}

func (s *survey) addInputFault(f *scan.Fault) error {
	s.file.Faults++
	if s.writer != nil {
		kept := *f // the view may change f
		s.file.faults.Add(&kept)
	}
	return s.view.addFault(s.file, f)
}

func (s *survey) endInput(f *scan.File) error {
	x := s.file
	x.Codec, x.Stored, x.Count = f.Codec, f.Stored, f.Count
	switch u := f.Unknown; {
	case u != nil:
		x.Type, x.LooksLike = unknownType, u.LooksLike
		x.Records, x.Bytes = x.Records+u.Records, x.Bytes+u.Bytes
		s.sizes.Merge(u.Sizes)
	case f.Glance.Unknown:
		x.Type, x.LooksLike = unknownType, f.Glance.Looks
	case f.Type != example.TypeAuto:
		if x.Type = f.Type.String(); s.group != nil && f.Type != example.TypeRaw {
			s.table(f.Type) // make a table even if the file has no record
		}
	}
	if s.writer != nil {
		if err := s.writeFile(x); err != nil {
			return err
		}
	}
	return s.endFile(x)
}

func (s *survey) endFile(f *fileSummary) error {
	if f.Type == unknownType {
		s.unknownFiles.addFile(f)
	}
	return s.view.endFile(f)
}

func (s *survey) newRecordSum(t example.MessageType) *recordSum {
	sum := &recordSum{typ: t}
	if s.parser != nil {
		sum.batch = s.parser.NewBatch()
	}
	if s.group != nil && t != example.TypeRaw {
		sum.table = summary.NewPart(t, &s.names)
	}
	return sum
}

func (s *survey) addRecord(sum *recordSum, rec scan.Record) error {
	if len(rec.Bytes) > largeRecord && s.onLarge != nil {
		s.onLarge()
	}
	var misfit error
	if b := sum.batch; b != nil {
		misfit = explain.AppendRecord(b, rec.Bytes)
		b.Reset()
		if isSpecFault(misfit) {
			return misfit
		}
	}
	if t := sum.table; t != nil {
		t.At, t.Look = summary.Place{File: rec.Name, Record: rec.Record}, rec.Record < contentRecords
		if err := t.Add(rec.Bytes); err != nil {
			return err
		}
	}
	if misfit != nil {
		return misfit
	}
	sum.sizes = append(sum.sizes, len(rec.Bytes))
	return nil
}

// isSpecFault reports whether err is about a record that decodes but does not fit the spec.
func isSpecFault(err error) bool {
	e, ok := errors.AsType[*feature.Error](err)
	return ok && !e.Whole
}

func (s *survey) mergeSum(sum *recordSum) (reuse bool, err error) {
	for _, n := range sum.sizes {
		s.file.Bytes += int64(n) + tfrecord.HeaderSize + tfrecord.FooterSize
		s.sizes.Add(int64(n))
	}
	s.file.Records += int64(len(sum.sizes))
	sum.sizes = sum.sizes[:0]
	return sum.table == nil || s.table(sum.typ).Merge(sum.table), nil
}

// table returns the table for records of a type in the current file.
func (s *survey) table(t example.MessageType) *groupTable {
	group := s.group(string(s.file.Name))
	for i := len(s.tables) - 1; i >= 0; i-- {
		if g := s.tables[i]; g.group == group && g.Type() == t {
			return g
		}
	}
	g := &groupTable{group, summary.NewTable(t)}
	s.tables = append(s.tables, g)
	return g
}

// writeFile writes the summary of a file to the output of --partial.
func (s *survey) writeFile(f *fileSummary) (err error) {
	r := partial.New(s.maxFaults)
	r.Faults, r.Records, r.File = f.faults, f.Records, &f.FileSummary
	for _, g := range s.tables {
		if f.Kinds, err = g.AppendKinds(nil); err != nil {
			return err
		}
	}
	s.tables = nil
	return s.writer.Write(r)
}

// openParts opens outputs of --partial.
func (s *survey) openParts(args []string) (*partial.Parts, error) {
	in, err := s.reading.Expand(s.env, args)
	if err != nil {
		return nil, err
	}
	return partial.Open(s.env, &s.reading, in, s.part.Settings(s.contents), s.part.Verb)
}

// replay calls the view with the results in outputs of --partial.
func (s *survey) replay(parts *partial.Parts) error {
	if s.usePartOwn != nil {
		if err := parts.Own(s.usePartOwn); err != nil {
			return err
		}
	}
	return parts.Each(s.replayFile)
}

func (s *survey) replayFile(r *partial.Result) error {
	if r.File == nil {
		return partial.Damage("it is not a result of tfparse " + s.part.Verb)
	}
	faults, more := r.File.Faults, r.Faults.More
	if len(r.Faults.Kept)+more.Unfit+more.Ranges != faults || faults == 0 && !r.File.Opened {
		return partial.Damage("it is not a result of tfparse " + s.part.Verb + ": its number of faults is wrong")
	}
	s.file = &fileSummary{FileSummary: *r.File}
	s.file.Faults = 0
	if err := s.view.beginFile(s.file); err != nil {
		return err
	}
	for i := range r.Faults.Kept {
		s.file.Faults++
		if err := s.view.addFault(s.file, &r.Faults.Kept[i]); err != nil {
			return err
		}
	}
	s.file.Faults = faults
	s.unlistedFaults.Merge(&scan.Faults{More: more})
	if r.File.Kinds != nil && s.group != nil {
		t, err := summary.ReadKinds(r.File.Kinds)
		if err != nil {
			return partial.Damage(err.Error())
		}
		s.table(t.Type()).Merge(t)
	}
	return s.endFile(s.file)
}

// unknownFileList collects files of unknown messages. They are not faults: a verb prints one warning for all of them.
type unknownFileList struct {
	n     int
	first *fileSummary
}

func (u *unknownFileList) addFile(f *fileSummary) {
	u.n++
	u.first = cmp.Or(u.first, f)
}

// warn prints the warning, if there are such files. text returns it for the first file and fileSummary.LooksLike.
func (u *unknownFileList) warn(e *cli.Env, text func(name, looks string) string) {
	if u.n == 0 {
		return
	}
	message := text(string(u.first.Name), u.first.LooksLike)
	if u.n > 1 {
		message += fmt.Sprintf(" (and so for %s)", cli.Plural(int64(u.n-1), "more file"))
	}
	e.Console.Print(message)
}

// A faultReport is the JSON output for a fault. Unknown values are nil.
type faultReport struct {
	Class     *string       `json:"class"`
	Record    *int64        `json:"record"`
	Address   jsonscan.Name `json:"address,omitempty"` // FILE#RECORD
	Offset    *int64        `json:"offset"`
	Message   string        `json:"message"`
	LooksLike *string       `json:"looks_like"`
}

func reportOf(f *scan.Fault) faultReport {
	return faultReport{
		Class:     cli.Known(f.Class, f.Class != ""),
		Record:    cli.Known(f.Record, f.Record >= 0),
		Address:   jsonscan.Name(f.Address()),
		Offset:    cli.Known(f.Offset, f.Offset >= 0),
		Message:   f.Detail(),
		LooksLike: cli.Known(f.LooksLike, f.LooksLike != ""),
	}
}
