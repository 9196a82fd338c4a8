package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// An Order says which records are read, and in which order. The zero value is all of them, from front to end.
type Order struct {
	kind   orderKind
	n      int64    // records
	seed   uint64   // of random numbers
	index  string   // the file of the index of one input; "": that beside it, or one that is made
	memory cli.Size // for the records that are kept where inputs are read from front to end
}

type orderKind uint8

const (
	inOrder  orderKind = iota
	byNumber           // the ranges that inputs ask for, without a look at the records before them
	lastOnes
	sampled
	shuffled
)

// ByNumber reads the ranges that the inputs ask for, also those that count from the end, without the records before them.
func ByNumber(index string) Order { return Order{kind: byNumber, index: index} }

// Last reads the last n records of all inputs together.
func Last(n int64, index string, memory cli.Size) Order {
	return Order{kind: lastOnes, n: n, index: index, memory: memory}
}

// Sample reads n records chosen at random, in the order of the inputs.
func Sample(n int64, seed uint64, index string, memory cli.Size) Order {
	return Order{kind: sampled, n: n, seed: seed, index: index, memory: memory}
}

// Shuffle reads all records in a random order, by index.
func Shuffle(seed uint64) Order { return Order{kind: shuffled, seed: seed} }

// reorder returns what reads the inputs in another order than from front to end.
func (s *Source) reorder(settings *readSettings) (reader, error) {
	o := &s.opts.Order
	x := &indexedReader{ctx: s.ctx, in: s.in, readSettings: settings, name: o.index, warn: s.env.Console.Print}
	switch o.kind {
	case byNumber:
		if len(s.in) > 0 && !slices.ContainsFunc(s.in, func(i Input) bool { return i.Records != nil }) {
			return nil, cli.Usagef("no record is named: %s#0 is the first one", s.in[0].Name)
		}
		x.choose = func(counts []int64) ([][]Range, error) { return numbered(s.in, counts) }
		return s.byIndex(x)
	case lastOnes, sampled:
		for _, i := range s.in {
			if i.Records != nil {
				return nil, cli.Usagef("%s: tfparse get prints records by their numbers", i.Name)
			}
		}
		if s.mustRead() {
			if o.index != "" {
				return nil, cli.Usagef("%s: --index is for a regular file", s.in[0].Name)
			}
			return &keptReader{s: s, from: s.stream(settings), order: o}, nil
		}
		x.choose = func(counts []int64) ([][]Range, error) { return lastRanges(counts, o.n), nil }
		if o.kind == sampled {
			x.choose = func(counts []int64) ([][]Range, error) { return sampleRanges(counts, o.n, o.seed), nil }
		}
		return s.byIndex(x)
	}
	for _, i := range s.in {
		if i.Records != nil {
			return nil, cli.Usagef("%s: --shuffle is for whole files; tfparse get prints records by their numbers", i.Name)
		}
	}
	if err := s.anyOrder("tfparse shuffle writes the records of a pipe in a random order"); err != nil {
		return nil, err
	}
	if s.fixed == example.TypeAuto {
		if err := s.sameMessage(); err != nil {
			return nil, err
		}
	}
	return &shuffledReader{readSettings: settings, s: s, seed: o.seed}, nil
}

// byIndex checks that the inputs can be read by index.
func (s *Source) byIndex(x *indexedReader) (reader, error) {
	if x.name != "" && len(s.in) != 1 {
		return nil, cli.Usagef("--index is for one file, and there are %d", len(s.in))
	}
	if err := s.anyOrder("tfparse cat and head read pipes"); err != nil {
		return nil, err
	}
	x.pull, x.stop = iter.Pull2(x.walk)
	return x, nil
}

// anyOrder refuses inputs that cannot be read in any order. instead says what can be done with a pipe.
func (s *Source) anyOrder(instead string) error {
	if s.flags.NoCRC {
		return cli.Usagef("--no-crc is for reading from front to end; an index is not trusted without checksums")
	}
	for _, i := range s.in {
		if i.Table != nil {
			return cli.Usagef("%s: CSV is read from front to end; tfparse encode makes records of it, which can be read in any order", i.Name)
		}
		_, err := storage.Stat(i.Name) // a file that is not there is a fault, not a mistake in usage
		if i.Err == nil && !i.Regular() && (err == nil || i.Name == Stdin) {
			return cli.Usagef("%s: only a regular file can be read in any order; %s", i.Name, instead)
		}
	}
	return nil
}

// mustRead reports whether the inputs are read from front to end: where one is CSV, a pipe, a compressed
// file without an index, which would be decoded twice, or a file without an index that may be damaged, since
// no index can be made of the records after a damaged length.
func (s *Source) mustRead() bool {
	return slices.ContainsFunc(s.in, func(i Input) bool {
		_, err := storage.Stat(i.Name)
		switch {
		case i.Err != nil:
			return false
		case i.Table != nil:
			return true
		case !i.Regular():
			return err == nil || i.Name == Stdin
		case s.opts.Order.index != "" || HasIndex(i.Name):
			return false
		case s.flags.OnError == cli.Skip:
			return true
		case s.flags.Compression != tfrecord.Auto:
			return s.flags.Compression != tfrecord.None
		}
		r, err := tfrecord.Open(i.Name, nil)
		if err != nil {
			return false // which is reported later
		}
		defer r.Close()
		_ = r.Skip() // an error too
		return r.Compression() != tfrecord.None && r.Compression() != tfrecord.Auto
	})
}

// sameMessage is an error if files hold different messages: shuffled together, an Example would print as
// a SequenceExample without feature lists.
func (s *Source) sameMessage() error {
	first, t := "", example.TypeAuto
	for _, i := range s.in {
		flags := *s.flags
		flags.progress, flags.limited, flags.expression = cli.WhenNever, nil, nil
		one, err := flags.Open(s.env, []Input{i}, &Options{Ctx: s.ctx, Fault: func(*Fault) error { return nil }})
		if err != nil {
			return err
		}
		one.Close()
		switch {
		case one.Type == example.TypeAuto || one.Type == t:
		case t == example.TypeAuto:
			first, t = i.Name, one.Type
		default:
			return cli.Usagef("%s has records of type %v, and %s of type %v: --shuffle prints one type; --type says which", first, t, i.Name, one.Type)
		}
	}
	return nil
}

// A shuffledReader reads the records of all inputs in a random order. The inputs are regular files; they are reported as one, but positions have the name
// of each. A file that cannot be indexed ends the reading, also where damage is skipped.
type shuffledReader struct {
	*readSettings
	s    *Source
	seed uint64

	feed  *feed.Stream
	block feed.Block
	names []string
	queue []event
	file  *File
	item  int
	err   error
	ev    event

	modified []string // files that were modified at another time than their indexes say
}

func (r *shuffledReader) start() {
	r.file = &File{Opened: true}
	r.queue = append(r.queue, event{kind: evBegin, file: r.file})
	for _, i := range r.s.in {
		if i.Err == nil {
			r.names = append(r.names, i.Name)
		} else {
			r.queue = append(r.queue, event{kind: evFault, file: r.file, fault: FaultOf(i.Name, i.Err, nil)})
		}
	}
	if r.file.Name = fmt.Sprintf("%d files", len(r.names)); len(r.names) == 1 {
		r.file.Name = r.names[0]
	}
	c := feed.Config{
		Names: r.names, Reader: r.reader, Budget: budget, Recover: r.recover, Cycle: 1, Take: -1, Epochs: 1, Indexes: new(feed.Indexes),
		FileError: func(name string, err error) error { return &dataset.FileError{Name: name, Err: reason(err)} },
		Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
			f, err := storage.OpenContext(ctx, name)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
		Permute: func(n, epoch int64) func(int64) int64 { return dataset.NewPermutation(n, r.seed, epoch).At },
	}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		c.Readers = n
	}
	if p := r.progress; p != nil {
		c.Progress = func(records, bytes int64) { p.Records(int(records)); p.Bytes(int(bytes)) }
	}
	r.feed = feed.New(r.s.ctx, c)
}

// next implements [reader].
func (r *shuffledReader) next() (*event, error) {
	if r.feed == nil {
		r.start()
	}
	for {
		switch {
		case len(r.queue) > 0:
			r.ev, r.queue = r.queue[0], r.queue[1:]
			return &r.ev, nil
		case r.item < len(r.block.Items):
			it := &r.block.Items[r.item]
			r.item++
			r.file.Count++
			r.ev = event{kind: evRecord, rec: it.Record, pos: tfrecord.Position{Name: r.names[it.File], Record: it.Place.Record, Offset: it.Offset}}
			return &r.ev, nil
		case r.err == nil:
			r.fill()
		case r.err == io.EOF && r.file != nil:
			r.ev = event{kind: evEnd, file: r.file}
			r.file = nil
			return &r.ev, nil
		case r.err == io.EOF:
			return nil, io.EOF
		case r.s.ctx.Err() != nil:
			return nil, r.s.ctx.Err()
		default:
			return nil, shuffledFault(r.err)
		}
	}
}

// fill takes records from package feed, and what happened before them.
func (r *shuffledReader) fill() {
	r.block.Done()
	r.item = 0
	r.err = r.feed.Append(&r.block, 1) // so that faults come before the record
	for _, e := range r.block.Events {
		switch {
		case e.Begin != nil && e.Begin.ModTime != nil:
			r.modified = append(r.modified, r.names[e.Begin.File])
		case e.Skipped != nil:
			k, name := e.Skipped, r.names[e.Skipped.File]
			skipped, err := &tfrecord.SkippedRange{Begin: k.Offset, End: k.End, Records: k.Records}, k.Err
			if k.Record < 0 {
				skipped, err = nil, &dataset.FileError{Name: name, Err: reason(err)}
			}
			r.queue = append(r.queue, event{kind: evFault, file: r.file, fault: FaultOf(name, err, skipped)})
		}
	}
	if len(r.block.Items) > 0 || r.err != nil { // all files are open
		warnModTime(r.s.env.Console.Print, r.modified)
		r.modified = nil
	}
}

// close implements [reader].
func (r *shuffledReader) close() {
	if r.feed != nil {
		r.block.Done()
		r.feed.Close(io.EOF)
	}
}

// shuffledFault is a Fault where the error has the name of a file.
func shuffledFault(err error) error {
	if te, ok := errors.AsType[*tfrecord.Error](err); ok {
		return FaultOf(te.Name, err, nil)
	}
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		return FaultOf(fe.Name, err, nil)
	}
	if errors.Is(err, tfrecord.ErrIndex) {
		return fmt.Errorf("%w; tfparse index makes it again", err)
	}
	return err
}
