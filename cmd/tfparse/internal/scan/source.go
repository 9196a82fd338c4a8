package scan

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// ErrStop ends a scan without an error. Hooks of Options and functions of Map and Each return it.
var ErrStop = errors.New("scan: enough")

// Options are the requirements of a verb for its records, besides its flags.
type Options struct {
	Type     example.MessageType // type of all records; TypeAuto: detect the type of each file
	Spec     bool                // Type is from a spec, not from --type
	OneType  string              // if not "", all files must have one type; the text is the reason in messages
	Features bool                // refuse records of type raw
	Copy     bool                // records are copied, not decoded: with TypeAuto any message, but the same in all files
	// OtherTypes detects the types from TypePredictionLog on too. Without it their records are unknown messages.
	OtherTypes bool
	Unknown    bool // unknown messages are not a fault; see File.Unknown
	Glance     bool // set File.Glance

	// Format, if not nil, returns the reader of inputs that are not CSV. Their records are of type raw. An error of the
	// reader may be a *Fault.
	Format func(name string, r io.Reader) RecordReader

	Recover bool // skip damage, whatever --on-error says
	Jobs    int  // number of files that are read ahead at once; below 2: none
	// BatchBytes is the size of a batch of Map: its records, in bytes; 0: 64 KiB.
	BatchBytes int
	// Unit is the number of records that --skip and --limit count as one; 0 is 1.
	Unit int64

	Order         Order          // order and selection of the records
	Where         *Expression    // selects records besides --where; nil: all
	FeatureSearch *FeatureSearch // features that flags name, searched in every record; may be nil
	// Choose, if not nil, decides about each record of a known type before it is read. file is the index of the input.
	// Choose needs Jobs below 2.
	Choose func(file int, record int64) Choice

	// Begin and End, if not nil, are called before and after the records of each input, including inputs that cannot be
	// opened.
	Begin, End func(*File) error
	// Fault, if not nil, handles faults instead of Flags.Fault. If damage is not skipped, the file ends after its first
	// fault.
	Fault func(*Fault) error
}

// A RecordReader reads the records of a file in another format.
type RecordReader = feed.RecordReader

// A Choice is the decision about a record before it is read.
type Choice = feed.Choice

// The choices of Options.Choose.
const (
	ReadRecord = feed.ReadRecord
	LeaveOut   = feed.LeaveOut  // do not read the payload
	LeaveFile  = feed.LeaveFile // leave out the record and the rest of the file
)

// A File is one input of a Source.
type File struct {
	Name   string              // name of the input; Stdin for standard input
	Index  int                 // index among the inputs
	Opened bool                // the file could be opened
	Type   example.MessageType // type of the records, set before the first one; TypeAuto: no record shows a type

	// Set at the end of the file.
	Codec   tfrecord.Compression // codec; Auto: unknown
	Stored  int64                // bytes read from the file; not counted if payloads are left out
	Count   int64                // number of intact records, including unread ones
	Unknown *Unknown             // set if all records are unknown messages; see Options.Unknown
	Glance  Glance               // see Options.Glance

	records *Range // range of the input; nil: all
	slice   bool   // as Input.Slice
}

// A Record is one record. Its bytes are valid until the next record is read.
type Record struct {
	Bytes []byte
	tfrecord.Position
	Type    example.MessageType // of the file
	Ordinal int64               // in a Batch: of the records that were read, including those that --where does not select
	Err     error               // in a Batch: error of --where; the worker refuses the record with it
}

// A Source reads the records of the inputs. It is for one goroutine.
type Source struct {
	// Type is the type of the first file whose records show one; TypeAuto if none does.
	Type example.MessageType
	// Read is the number of records read so far, including records that --where does not select.
	Read int64

	env   *cli.Env // prints faults and progress
	flags *Flags   // --on-error and the flags for missing features
	opts  *Options // the requirements of the verb; not nil
	in    []Input  // the inputs
	files reader   // yields the events of the inputs; nil after Close
	hide  func()   // hides progress; nil: it is not shown

	messages // detects the types of files

	where     *Expression // selects records; nil: all
	inWorkers bool        // workers evaluate --where, since nothing counts the selected records
	skip      int64       // records that --skip still leaves out
	left      int64       // records that --limit still allows; math.MaxInt64: no limit
	limit     event       // the event that next returns if left is 0

	faulty bool // the current file had a fault
}

// A reader yields the contents of inputs as events. next returns io.EOF after the last event. A record is valid until
// the next call.
type reader interface {
	next() (*event, error)
	close()
}

// An event is a record, or a change between records.
type event struct {
	kind  eventKind         // what the other fields hold
	rec   []byte            // the record, for evRecord
	pos   tfrecord.Position // of rec
	file  *File             // for evBegin, evEnd and evFault
	fault *Fault            // for evFault and evRefused
	err   error             // for evError
}

type eventKind uint8

const (
	evRecord  eventKind = iota
	evBegin             // a file begins
	evEnd               // a file ends
	evFault             // a fault
	evRefused           // the verb refused a record
	evError             // err ends the scan
	evLimit             // --limit is reached; a refused record raises it again
)

// Open begins to read the inputs, up to the first record whose type is known. The loop over the records reports faults.
// opts may be nil.
func (r *Flags) Open(e *cli.Env, in []Input, opts *Options) (*Source, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Source{env: e, flags: r, opts: opts, in: in, where: opts.Where, skip: r.Skip, left: math.MaxInt64}
	if unit := max(opts.Unit, 1); s.skip > math.MaxInt64/unit {
		s.skip = math.MaxInt64
	} else {
		s.skip *= unit
	}
	s.where = intersect(s.where, r.expression)
	if r.limited != nil && (r.limited.Changed || slices.ContainsFunc(in, func(i Input) bool { return i.Records == nil || i.Slice })) {
		if s.left = r.Limit; s.left < math.MaxInt64/max(opts.Unit, 1) {
			s.left *= max(opts.Unit, 1)
		}
	}
	s.fixed, s.inWorkers = opts.Type, s.left == math.MaxInt64 && s.skip == 0
	if err := s.checkFeatures(opts.Type); err != nil {
		return nil, err
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

// checkFeatures returns an error if records of a type do not have the features or fields that the verb needs.
func (s *Source) checkFeatures(t example.MessageType) error {
	if s.opts.Features && t >= example.TypeRaw {
		return noFeaturesError(t)
	}
	return s.where.checkType(t)
}

// noFeaturesError returns the usage error of a type without features.
func noFeaturesError(t example.MessageType) error {
	return cli.Usagef("records of type %s have no features", typeName(t))
}

// Close ends the reading. It may be called several times. The end of a loop over the records calls it.
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

// Records returns an iterator over the records, each valid until the next iteration. The last pair may have an error.
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

// Each calls f for each record. Records does the same for loops that end with an error. ErrStop ends Each without an
// error.
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

// handle handles an event other than a record.
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

// ignores reports whether an event has no hook.
func (s *Source) ignores(ev *event) bool {
	return ev.kind == evBegin && s.opts.Begin == nil || ev.kind == evEnd && s.opts.End == nil
}

// fault handles a fault as the verb or --on-error says: it returns the fault, or reports and counts it.
func (s *Source) fault(f *Fault) error {
	if s.opts.Fault != nil {
		return s.opts.Fault(f)
	}
	return s.flags.Fault(s.env, f)
}

// Refuse handles a record that the verb cannot use like a fault. --limit does not count the record.
func (s *Source) Refuse(rec Record, err error) error { return s.refuse(Misfit(rec.Position, err)) }

// refuse handles the fault of a refused record.
func (s *Source) refuse(f *Fault) error {
	if s.left < math.MaxInt64 {
		s.left += max(f.Records, 1)
	}
	return s.fault(f)
}

// next returns the next selected record or other event. It evaluates --where if here is set or workers do not.
func (s *Source) next(here bool) (*event, error) {
	for {
		if s.left == 0 {
			s.limit.kind = evLimit
			return &s.limit, nil
		}
		ev, err := s.nextTyped()
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
				continue // read only to detect the type
			}
		case evEnd:
			if r := ev.file.records; r != nil && r.Named && ev.file.Count <= r.First && !s.faulty {
				return nil, fmt.Errorf("%s: no record %d: the file has %d", ev.file.Name, r.First, ev.file.Count)
			} else if r != nil && ev.file.slice {
				if ev.file.Count < r.End && ev.file.Opened && !s.faulty {
					return nil, fmt.Errorf("%s: want records %d to %d, as %s says, got %d", ev.file.Name, r.First, r.End-1, tfds.InfoFile, ev.file.Count)
				}
				ev.file.Count = max(min(ev.file.Count, r.End)-r.First, 0)
			}
		default:
			if r := s.file.records; r != nil && (ev.pos.Record < r.First || ev.pos.Record >= r.End) {
				continue // read only to detect the type
			}
			if !s.opts.Order.includes(s.file.Index, ev.pos.Record) || s.where == nil && s.leaveOut() {
				continue
			}
			s.Read++
			if here || !s.inWorkers {
				if s.opts.FeatureSearch.Missing() {
					s.opts.FeatureSearch.Look(s.file.Type, ev.rec)
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

// leaveOut reports whether --skip leaves out the next record, and counts it.
func (s *Source) leaveOut() bool {
	if s.skip == 0 {
		return false
	}
	s.skip--
	return true
}

// choice returns feed.Config.Choose; nil if all records are read. All records are read until the type is known.
func (s *Source) choice() func(file int, record int64) Choice {
	ranges := slices.ContainsFunc(s.in, func(i Input) bool { return i.Records != nil })
	skips := s.skip > 0 && s.where == nil
	order := &s.opts.Order
	if !ranges && !skips && s.opts.Choose == nil && !order.leavesOut() {
		return nil
	}
	return func(file int, record int64) Choice {
		r := s.in[file].Records
		switch {
		case !s.decided || s.ahead:
			return ReadRecord
		case r != nil && record < r.First:
			return LeaveOut
		case r != nil && record >= r.End:
			return LeaveFile
		case !order.includes(file, record):
			return LeaveOut
		case skips && s.leaveOut():
			return LeaveOut
		case s.opts.Choose != nil:
			return s.opts.Choose(file, record)
		case skips && s.skip > 0 || order.leavesOut() || r != nil && r.End < math.MaxInt64:
			return ReadRecord
		}
		return feed.ReadRest
	}
}

// First calls f for the first records, until it returns false or they exceed maxBytes. The loop over the records begins
// with them again.
func (s *Source) First(maxBytes int, f func(Record) bool) error {
	return s.readAhead(func(ev *event, t example.MessageType) bool {
		if ev.kind != evRecord {
			return true
		}
		maxBytes -= len(ev.rec)
		return f(Record{Bytes: ev.rec, Position: ev.pos, Type: t}) && maxBytes > 0
	})
}

// MissingFeatures handles features in flags that no record had, as Flags.MissingFeatures does.
func (s *Source) MissingFeatures(prints bool) error {
	var texts []string
	for _, sought := range append(s.where.searches(), s.opts.FeatureSearch) {
		sought.LookAtColumns(s.in)
		texts = append(texts, sought.Texts()...)
	}
	return s.flags.MissingFeatures(s.env, prints, texts)
}
