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

// A survey reads a set of files and says of each what it holds. count, verify and info are views of it: they differ in how much
// is read and in what they print.
//
// For each input, in order, the view gets beginFile, addFault for each fault, and endFile with the summary. With --partial
// the summaries are written too, and the word merge replays those of all machines for the view, which sees no difference.
type survey struct {
	reading scan.Flags
	typ     example.MessageType // of all records; TypeAuto: each file shows its own
	jobs    int                 // goroutines that decode records
	part    partial.Flag

	view     view
	group    func(file string) string // files of one group share their tables; nil: features are not summed up
	parser   *feature.Parser          // of --spec, which every record must fit; nil: none
	onLarge  func()                   // called on any goroutine before a record above largeRecord is decoded; may be nil
	most     int                      // faults of one file, of each sort, that a part has; the others are counted
	contents map[string][]byte        // of the files that flags name, by flag; parts must have them alike
	aboutAll func() any               // what a part says about the files of all machines, as JSON; may be nil
	useAll   func([]byte) error       // takes what aboutAll returned on another machine; may be nil

	env     *cli.Env
	out     *cli.Output
	writer  *partial.Writer   // of --partial; nil: none
	file    *fileSummary      // the file that is read
	tables  []*groupTable     // in the order of their first file
	sizes   summary.Histogram // of all records
	names   message.Shared    // of features, that the tables of workers have in common
	spare   []*recordSum      // merged, to be used again
	unknown unknownFiles      // files of unknown messages
	more    scan.Faults       // the sums of the faults that parts do not have
}

// A view is the verb that reports a survey. Its errors end the survey.
type view interface {
	beginFile(f *fileSummary) error
	addFault(f *fileSummary, fault *scan.Fault) error
	endFile(f *fileSummary) error
}

// A fileSummary is what a survey says of a file, beside its faults. Most of it is known at the end of the file.
type fileSummary struct {
	Name      string
	Opened    bool
	Codec     tfrecord.Compression // Auto: unknown
	Stored    int64                // bytes of the file itself
	Type      string               // of the messages, or unknownType; "": no record shows one
	LooksLike string               // what messages of unknownType are; "" unknown
	Records   int64                // those that are read, decode and fit --spec
	Bytes     int64                // of these, uncompressed, with framing
	Count     int64                // intact records, also those whose payloads are left out
	Faults    int

	kept scan.Faults // for a part
}

// unknownType is the type of records that hold none of the messages known here.
const unknownType = "unknown"

// A groupTable has the features of the messages of one type in a group of files.
type groupTable struct {
	group string
	*summary.Table
}

// A recordSum sums up some records in a row.
type recordSum struct {
	typ   example.MessageType
	table *summary.Table // nil: features are not summed up
	batch *feature.Batch // for one record; nil: there is no spec
	sizes []int
}

const (
	largeRecord = 1 << 20
	// contentRecords is in how many records of a file byte strings are looked at.
	contentRecords = 16
)

// run surveys the inputs, or writes a part about them.
func (s *survey) run(in []scan.Input, opts *scan.Options) (err error) {
	if s.part.Name == "" {
		return s.read(in, opts)
	}
	s.env.Deferred = true
	s.out = &cli.Output{W: io.Discard}
	s.writer, err = partial.Create(s.env, s.part.Name, scan.Names(in), func() (*partial.Header, error) {
		var own any
		if s.aboutAll != nil {
			own = s.aboutAll()
		}
		return partial.NewHeader(s.part.Verb, &s.reading, s.part.Settings(s.contents), own)
	})
	if err != nil {
		return err
	}
	return s.writer.Finish(s.read(in, opts))
}

// read reads the inputs.
func (s *survey) read(in []scan.Input, opts *scan.Options) error {
	opts.Type, opts.Unknown, opts.Begin, opts.Fault, opts.End = s.typ, true, s.begin, s.fault, s.end
	src, err := s.reading.Open(s.env, in, opts)
	if err != nil {
		return err
	}
	return (&scan.Sum[*recordSum]{Workers: s.jobs, Fresh: s.fresh, Add: s.add, Merge: s.merge}).Run(src)
}

func (s *survey) begin(f *scan.File) error {
	s.file = &fileSummary{Name: f.Name, Opened: f.Opened, kept: scan.Faults{Most: s.most}}
	return s.view.beginFile(s.file)
}

func (s *survey) fault(f *scan.Fault) error {
	s.file.Faults++
	if s.writer != nil {
		kept := *f // the view may change the other
		s.file.kept.Add(&kept)
	}
	return s.view.addFault(s.file, f)
}

func (s *survey) end(f *scan.File) error {
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
			s.table(f.Type) // also without a record
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
		s.unknown.add(f)
	}
	return s.view.endFile(f)
}

func (s *survey) fresh(t example.MessageType) *recordSum {
	for n := len(s.spare) - 1; n >= 0; n-- {
		sum := s.spare[n]
		if s.spare = s.spare[:n]; sum.typ == t {
			return sum
		}
	}
	sum := &recordSum{typ: t}
	if s.parser != nil {
		sum.batch = s.parser.NewBatch()
	}
	if s.group != nil && t != example.TypeRaw {
		sum.table = summary.NewPart(t, &s.names)
	}
	return sum
}

func (s *survey) add(sum *recordSum, rec scan.Record) error {
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

// isSpecFault reports whether a record decodes and does not fit the spec.
func isSpecFault(err error) bool {
	e, ok := errors.AsType[*feature.Error](err)
	return ok && !e.Whole
}

func (s *survey) merge(sum *recordSum) error {
	for _, n := range sum.sizes {
		s.file.Bytes += int64(n) + tfrecord.HeaderSize + tfrecord.FooterSize
		s.sizes.Add(int64(n))
	}
	s.file.Records += int64(len(sum.sizes))
	sum.sizes = sum.sizes[:0]
	if sum.table == nil || s.table(sum.typ).Merge(sum.table) {
		s.spare = append(s.spare, sum)
	}
	return nil
}

// table returns the table for records of a type in the file that is read.
func (s *survey) table(t example.MessageType) *groupTable {
	group := s.group(s.file.Name)
	for i := len(s.tables) - 1; i >= 0; i-- {
		if g := s.tables[i]; g.group == group && g.Type() == t {
			return g
		}
	}
	g := &groupTable{group, summary.NewTable(t)}
	s.tables = append(s.tables, g)
	return g
}

// writeFile writes the summary of a file to the part.
func (s *survey) writeFile(f *fileSummary) (err error) {
	r := partial.New(s.most)
	r.Faults, r.Records = f.kept, f.Records
	r.Counts = []partial.Count{{File: f.Name, Opened: f.Opened, Records: f.Count}}
	r.Verified = &partial.Verified{Codec: f.Codec, Stored: f.Stored, Bytes: f.Bytes, Type: f.Type, LooksLike: f.LooksLike, Faults: f.Faults}
	for _, g := range s.tables {
		if r.Verified.Kinds, err = g.AppendKinds(nil); err != nil {
			return err
		}
	}
	s.tables = nil
	return s.writer.Write(r)
}

// openParts opens parts, and takes what they say of the files of all machines.
func (s *survey) openParts(args []string) (*partial.Parts, error) {
	in, err := s.reading.Expand(s.env, args)
	if err != nil {
		return nil, err
	}
	return partial.Open(s.env, &s.reading, in, s.part.Settings(s.contents), s.part.Verb)
}

// replay has the view see what parts say.
func (s *survey) replay(parts *partial.Parts) error {
	if s.useAll != nil {
		if err := parts.Own(s.useAll); err != nil {
			return err
		}
	}
	return parts.Each(s.replayFile)
}

func (s *survey) replayFile(r *partial.Result) error {
	v := r.Verified
	if v == nil || len(r.Counts) != 1 {
		return partial.Damage("it is not a result of tfparse " + s.part.Verb)
	}
	n := r.Counts[0]
	if more := r.Faults.More; len(r.Faults.Kept)+more.Unfit+more.Ranges != v.Faults || v.Faults == 0 && !n.Opened {
		return partial.Damage("it is not a result of tfparse " + s.part.Verb + ": the numbers of its faults differ")
	}
	s.file = &fileSummary{Name: n.File, Opened: n.Opened, Codec: v.Codec, Stored: v.Stored, Type: v.Type, LooksLike: v.LooksLike,
		Records: r.Records, Bytes: v.Bytes, Count: n.Records}
	if err := s.view.beginFile(s.file); err != nil {
		return err
	}
	for _, fault := range r.Faults.Kept {
		s.file.Faults++
		if err := s.view.addFault(s.file, fault); err != nil {
			return err
		}
	}
	s.file.Faults = v.Faults
	s.more.Merge(&scan.Faults{More: r.Faults.More})
	if v.Kinds != nil && s.group != nil {
		t, err := summary.ReadKinds(v.Kinds)
		if err != nil {
			return partial.Damage(err.Error())
		}
		s.table(t.Type()).Merge(t)
	}
	return s.endFile(s.file)
}

// unknownFiles are the files whose records hold none of the messages known here. That is not a fault for verbs about files; they
// print one warning for all of them.
type unknownFiles struct {
	n     int
	first *fileSummary
}

func (u *unknownFiles) add(f *fileSummary) {
	u.n++
	u.first = cmp.Or(u.first, f)
}

// warn prints the warning, if there are such files. text makes it of the name of the first one and what that looks like.
func (u *unknownFiles) warn(e *cli.Env, text func(name, looks string) string) {
	if u.n == 0 {
		return
	}
	message := text(u.first.Name, u.first.LooksLike)
	if u.n > 1 {
		message += fmt.Sprintf(" (and so for %s)", cli.Plural(int64(u.n-1), "more file"))
	}
	e.Console.Print(message)
}

// A faultReport is a fault as reports in JSON print it. Fields are nil where a thing is not known.
type faultReport struct {
	Class     *string       `json:"class"`
	Record    *int64        `json:"record"`
	Address   jsonscan.Name `json:"address,omitempty"` // of the record
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
