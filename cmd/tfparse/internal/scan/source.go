package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// ErrStop ends a scan without an error. Hooks of Options and functions of Map return it.
var ErrStop = errors.New("scan: enough")

// Options are what a verb wants from its records, beside what its flags say.
type Options struct {
	Type     example.MessageType // of all records; TypeAuto: that of each file is found by its first records
	Spec     bool                // a spec says what Type is, not a flag
	OneType  string              // why all files must hold records of one type; "": they need not
	Features bool                // records have features: those of type raw are refused
	Copy     bool                // records are copied, not decoded: of type TypeAuto they are any message, but all files hold the same
	Unknown  bool                // a file of unknown messages is not a fault: see File.Unknown
	Glance   bool                // File.Glance is wanted

	// Format, if not nil, returns what reads the inputs that are not CSV, in the place of TFRecords. Records are of type raw then. An
	// error may be a *Fault.
	Format func(name string, r io.Reader) RecordReader

	Recover bool // read on after damage, whatever --on-error says
	Jobs    int  // files that are read at once, ahead of the verb; below 2: none

	Order  Order       // in which the records are read
	Where  *Expression // selects records, as --where does; nil: all
	Sought *Sought     // features that other flags name, looked for in every record; may be nil
	// Choose, if not nil, is asked about each record of a known type before it is read; file is the index of the input. It is for
	// Jobs below 2.
	Choose func(file int, record int64) Choice

	// Begin and End, if not nil, are called around the records of each input, also of one that cannot be opened.
	Begin, End func(*File) error
	// Fault, if not nil, deals with what is wrong with an input, in the place of Flags.Fault. Without skipping damage, the
	// file ends after its fault.
	Fault func(*Fault) error

	// Ctx ends the reading; nil: that of the environment.
	Ctx context.Context
}

// A RecordReader reads a file of another format.
type RecordReader = feed.RecordReader

// A Choice says whether a record is read.
type Choice = feed.Choice

// The choices of Options.Choose.
const (
	ReadRecord = feed.ReadRecord
	LeaveOut   = feed.LeaveOut  // without a look at the payload
	LeaveFile  = feed.LeaveFile // and the records after it
)

// A File is one input of a Source.
type File struct {
	Name   string
	Index  int // among the inputs
	Opened bool
	Type   example.MessageType // of its records, before the first of them comes; TypeAuto: they show none

	// What is known at the end of the file.
	Codec   tfrecord.Compression // Auto: unknown
	Stored  int64                // bytes read from the file itself; not counted where payloads are left out
	Count   int64                // intact records, with those that were left out unread
	Unknown *Unknown             // all of its records, if they are unknown messages; see Options.Unknown
	Glance  Glance               // see Options.Glance

	records *Range // that the input asks for; nil: all
}

// A Record is lent until the next one is asked for.
type Record struct {
	Bytes []byte
	tfrecord.Position
	Type example.MessageType // of the file
	Err  error               // in a Batch: why --where cannot be evaluated; the worker refuses the record with it
}

// A Source is the records that arguments stand for. It is for one goroutine.
type Source struct {
	// Type is that of the first file whose records show one; TypeAuto if none does.
	Type example.MessageType
	// Read is how many records were read so far, with those that --where does not select.
	Read int64

	env   *cli.Env
	ctx   context.Context
	flags *Flags
	opts  *Options
	in    []Input
	files reader
	hide  func() // ends the display of progress; nil: none

	messages // finds the messages of files

	where     *Expression // nil: all records
	inWorkers bool        // --where may be evaluated by workers: nothing counts the records that it selects
	skip      int64       // records still to be left out
	left      int64       // records that the limit leaves
	limit     event       // what next reports when left is 0

	faulty bool // a fault of the file at hand was found
}

// A reader has the contents of inputs, one event after another. The error is io.EOF after the last. A record is lent until
// the next call.
type reader interface {
	next() (*event, error)
	close()
}

// An event is a record, or what happens between records.
type event struct {
	kind  eventKind
	rec   []byte
	pos   tfrecord.Position
	file  *File
	fault *Fault
	err   error
}

type eventKind uint8

const (
	evRecord  eventKind = iota
	evBegin             // of file
	evEnd               // of file
	evFault             // what is wrong
	evRefused           // a record that the verb cannot use
	evError             // err ends the scan
	evLimit             // the limit is reached; it may rise if a record is refused
)

// Open begins to read the inputs, up to the first record whose type is known. What is wrong with the inputs is for the loop
// over the records. opts may be nil.
func (r *Flags) Open(e *cli.Env, in []Input, opts *Options) (*Source, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Source{env: e, ctx: opts.Ctx, flags: r, opts: opts, in: in, where: opts.Where, skip: r.Skip, left: math.MaxInt64}
	if s.ctx == nil {
		s.ctx = e.Ctx
	}
	s.where = both(s.where, r.expression)
	if r.limited != nil && (r.limited.Changed || slices.ContainsFunc(in, func(i Input) bool { return i.Records == nil })) {
		s.left = r.Limit
	}
	s.fixed, s.inWorkers = opts.Type, s.left == math.MaxInt64 && s.skip == 0
	if s.features() && opts.Type == example.TypeRaw {
		return nil, errRaw
	}
	if s.left == 0 {
		return s, nil
	}
	progress := r.ShowProgress(e, in)
	if progress != nil {
		s.hide = e.Console.Show(progress)
	}
	settings := &readSettings{
		stdin: e.Stdin, recover: opts.Recover || r.OnError == cli.Skip, progress: progress,
		reader: r.Reader(),
	}
	err := r.infer(e, in, settings)
	if err == nil {
		s.files, err = s.open(settings)
	}
	if err == nil {
		err = s.findType()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// features reports whether the records must have features.
func (s *Source) features() bool { return s.opts.Features || s.where != nil }

// errRaw refuses records without features.
var errRaw = cli.Usagef("records of type raw have no features")

// Close ends the reading. It may be called again. A loop over the records that ends calls it.
func (s *Source) Close() {
	if s.files != nil {
		s.files.close()
		s.files = nil
	}
	if s.hide != nil {
		s.hide()
		s.hide = nil
	}
}

// Records returns the records, each lent until the loop goes on. The last pair may have an error.
func (s *Source) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		defer s.Close()
		for {
			ev, err := s.next(true)
			switch {
			case err == io.EOF || err == nil && ev.kind == evLimit:
				return
			case err == nil && ev.kind == evRecord:
				if !yield(Record{Bytes: ev.rec, Position: ev.pos, Type: s.file.Type}, nil) {
					return
				}
				continue
			case err == nil:
				err = s.handle(ev)
			}
			if errors.Is(err, ErrStop) {
				return
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
		}
	}
}

// Each calls f for the records. It is Records for functions that end the loop with an error; ErrStop is none.
func (s *Source) Each(f func(Record) error) error {
	for rec, err := range s.Records() {
		if err == nil {
			err = f(rec)
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// handle deals with an event that is not a record.
func (s *Source) handle(ev *event) error {
	switch {
	case ev.kind == evBegin && s.opts.Begin != nil:
		return s.opts.Begin(ev.file)
	case ev.kind == evEnd && s.opts.End != nil:
		return s.opts.End(ev.file)
	case ev.kind == evFault:
		return s.fault(ev.fault)
	case ev.kind == evRefused:
		return s.refuse(ev.fault)
	}
	return nil
}

// File returns the file of the last record.
func (s *Source) File() *File { return s.file }

// ignores reports whether nothing is done about an event.
func (s *Source) ignores(ev *event) bool {
	return ev.kind == evBegin && s.opts.Begin == nil || ev.kind == evEnd && s.opts.End == nil
}

// fault deals with what is wrong as the verb or --on-error says: it returns the fault, or reports and counts it.
func (s *Source) fault(f *Fault) error {
	if s.opts.Fault != nil {
		return s.opts.Fault(f)
	}
	return s.flags.Fault(s.env, f)
}

// Refuse deals with a record that the verb cannot use, as with a fault that was read. The limit does not count it.
func (s *Source) Refuse(rec Record, err error) error { return s.refuse(Misfit(rec.Position, err)) }

func (s *Source) refuse(f *Fault) error {
	if s.left < math.MaxInt64 {
		s.left += max(f.Records, 1)
	}
	return s.fault(f)
}

// next returns the next record that is wanted, or what happens before it. --where is evaluated here, or left to workers.
func (s *Source) next(here bool) (*event, error) {
	for {
		if s.left == 0 {
			s.limit.kind = evLimit
			return &s.limit, nil
		}
		ev, err := s.typed()
		if err != nil {
			return nil, err
		}
		switch ev.kind {
		case evError:
			return nil, ev.err
		case evBegin:
			s.faulty = false
		case evFault:
			s.faulty = true
			if s.file != nil && s.file.records != nil && ev.fault.Record >= s.file.records.End {
				continue // it was read to find the type
			}
		case evEnd:
			if r := ev.file.records; r != nil && r.Named && ev.file.Count <= r.First && !s.faulty {
				return nil, fmt.Errorf("%s: there is no record %d: it ends after %d", ev.file.Name, r.First, ev.file.Count)
			}
		default:
			if r := s.file.records; r != nil && (ev.pos.Record < r.First || ev.pos.Record >= r.End) {
				continue // it was read to find the type
			}
			if !s.opts.Order.takes(s.file.Index, ev.pos.Record) || s.where == nil && s.leaveOut() {
				continue
			}
			s.Read++
			if here || !s.inWorkers {
				if s.opts.Sought.Missing() {
					s.opts.Sought.Look(s.file.Type, ev.rec)
				}
				if s.where != nil {
					ok, err := s.where.match(s.file.Type, ev.rec)
					if err != nil {
						ev.kind, ev.fault = evFault, Misfit(ev.pos, err)
						return ev, nil
					}
					if !ok || s.leaveOut() {
						continue
					}
				}
			}
			if s.left < math.MaxInt64 {
				s.left--
			}
		}
		return ev, nil
	}
}

// leaveOut reports whether --skip leaves the next record out, and counts it.
func (s *Source) leaveOut() bool {
	if s.skip == 0 {
		return false
	}
	s.skip--
	return true
}

// choice returns what feed.Config.Choose is to be: nil if all records are read. Every record is read until the type is known.
func (s *Source) choice() func(file int, record int64) Choice {
	ranges := slices.ContainsFunc(s.in, func(i Input) bool { return i.Records != nil })
	skips := s.skip > 0 && s.where == nil
	order := &s.opts.Order
	if !ranges && !skips && s.opts.Choose == nil && order.kind != byChance {
		return nil
	}
	return func(file int, record int64) Choice {
		r := s.in[file].Records
		switch {
		case !s.decided || s.looking:
			return ReadRecord
		case r != nil && record < r.First:
			return LeaveOut
		case r != nil && record >= r.End:
			return LeaveFile
		case !order.takes(file, record):
			return LeaveOut
		case skips && s.leaveOut():
			return LeaveOut
		case s.opts.Choose != nil:
			return s.opts.Choose(file, record)
		case skips && s.skip > 0 || order.kind == byChance || r != nil && r.End < math.MaxInt64:
			return ReadRecord
		}
		return feed.ReadRest
	}
}

// First calls f for the first records, until it returns false or there were more than most bytes. The loop over the records
// begins with them all the same. Until then they are kept.
func (s *Source) First(most int, f func(Record) bool) error {
	return s.look(func(ev *event, t example.MessageType) bool {
		if ev.kind != evRecord {
			return true
		}
		most -= len(ev.rec)
		return f(Record{Bytes: ev.rec, Position: ev.pos, Type: t}) && most > 0
	})
}

// MissingFeatures deals with features that no record has had which the flags name. prints says that the verb only prints.
func (s *Source) MissingFeatures(prints bool) error {
	var texts []string
	for _, sought := range append(s.where.sought(), s.opts.Sought) {
		sought.LookAtColumns(s.in)
		texts = append(texts, sought.Texts()...)
	}
	return s.flags.MissingFeatures(s.env, prints, texts)
}
