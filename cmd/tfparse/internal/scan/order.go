package scan

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
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
	share  float64  // of the records, if kind is byChance
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
	byChance
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

// Share reads each record with the probability share, in the order of the inputs. No record is kept in memory.
func Share(share float64, seed uint64) Order { return Order{kind: byChance, share: share, seed: seed} }

// takes reports whether a record of an input is read, if chance decides. The answer depends on the seed and the place of the record alone,
// so that it may be asked for before and after the record is read.
func (o *Order) takes(file int, record int64) bool {
	if o.kind != byChance {
		return true
	}
	var random rand.PCG
	random.Seed(o.seed^uint64(file)<<32, uint64(record))
	return float64(random.Uint64()>>11)/(1<<53) < o.share
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
	return s.shuffled(settings), nil
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

// A shuffling has a stream read the records of all inputs in a random order. The inputs are regular files; they are reported as one, but
// positions have the name of each. A file that cannot be indexed ends the reading, also where damage is skipped.
type shuffling struct {
	seed     uint64
	warn     func(message string)
	modified []string // files that were modified at another time than their indexes say
}

// shuffled returns a stream in a random order. Inputs that cannot be opened are faults of the one file.
func (s *Source) shuffled(settings *readSettings) reader {
	r := &stream{readSettings: settings, ctx: s.ctx, shuffle: &shuffling{seed: s.opts.Order.seed, warn: s.env.Console.Print}}
	r.file = &File{Opened: true}
	r.queue = append(r.queue, event{kind: evBegin, file: r.file})
	for _, i := range s.in {
		if i.Err == nil {
			r.in = append(r.in, i)
		} else {
			r.queue = append(r.queue, event{kind: evFault, file: r.file, fault: FaultOf(i.Name, i.Err, nil)})
		}
	}
	if r.file.Name = fmt.Sprintf("%d files", len(r.in)); len(r.in) == 1 {
		r.file.Name = r.in[0].Name
	}
	r.start(0)
	return r
}

// configure sets the order.
func (h *shuffling) configure(r *stream, c *feed.Config) {
	c.Indexes, c.Choose, c.Format = new(feed.Indexes), nil, nil
	c.GlobalShuffle, c.Seed = true, h.seed
	if n := runtime.GOMAXPROCS(0); n > 1 {
		c.Readers = n
	}
}

// note notes a file that was modified at another time than its index says.
func (h *shuffling) note(r *stream, e feed.Event) {
	if e.Begin != nil && e.Begin.ModTime != nil {
		h.modified = append(h.modified, r.in[e.Begin.File].Name)
	}
}

// warnOnce warns of such files, as soon as all are open: before the first record.
func (h *shuffling) warnOnce() {
	warnModTime(h.warn, h.modified)
	h.modified = nil
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
