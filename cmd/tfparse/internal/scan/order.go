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

// An Order is the selection and order of the records that are read. The zero value is all records from front to end.
type Order struct {
	kind   orderKind // what the other fields mean
	n      int64     // number of records of lastRecords and sampled
	share  float64   // probability of a record, for byChance
	seed   uint64    // seed of random numbers
	index  string    // file with the index of the only input; "": the index beside it, or a new one
	memory cli.Size  // limit for selected records, if inputs are read from front to end
	shard  cli.Shard // records to read: of each file, or of a random order; Count 0: all
	start  int64     // records of a random order that are left out
}

type orderKind uint8

const (
	inOrder orderKind = iota
	byRange           // the ranges of the inputs, by index
	lastRecords
	sampled
	byChance
	shuffled
)

// ByNumber reads the ranges of the inputs by index. Ranges may count from the end.
func ByNumber(index string) Order { return Order{kind: byRange, index: index} }

// Last reads the last n records of all inputs together.
func Last(n int64, index string, memory cli.Size) Order {
	return Order{kind: lastRecords, n: n, index: index, memory: memory}
}

// Sample reads n records chosen at random, in the order of the inputs.
func Sample(n int64, seed uint64, index string, memory cli.Size) Order {
	return Order{kind: sampled, n: n, seed: seed, index: index, memory: memory}
}

// Share reads each record with the probability share, in the order of the inputs. It keeps no records in memory.
func Share(share float64, seed uint64) Order { return Order{kind: byChance, share: share, seed: seed} }

// ShardRecords returns the order of a part of the records: of every record of each file whose ordinal modulo Count is
// Index, or, of a random order, every record whose place is.
func (o Order) ShardRecords(shard cli.Shard) Order {
	o.shard = shard
	return o
}

// StartAt returns the random order without its first n records, of the shard if there is one.
func (o Order) StartAt(n int64) Order {
	o.start = n
	return o
}

// leavesOut reports whether includes may leave out records.
func (o *Order) leavesOut() bool { return o.kind == byChance || o.kind == inOrder && o.shard.Count > 0 }

// includes reports whether a record is part of the order. That depends on the index of the file and the ordinal only, so
// the answer is the same before and after the record is read.
func (o *Order) includes(file int, record int64) bool {
	switch {
	case o.kind == inOrder && o.shard.Count > 0:
		return record%int64(o.shard.Count) == int64(o.shard.Index)
	case o.kind != byChance:
		return true
	}
	var random rand.PCG
	random.Seed(o.seed^uint64(file)<<32, uint64(record))
	return float64(random.Uint64()>>11)/(1<<53) < o.share
}

// Shuffle reads all records in a random order, by index.
func Shuffle(seed uint64) Order { return Order{kind: shuffled, seed: seed} }

// reorder returns a reader for an order other than from front to end.
func (s *Source) reorder(settings *readSettings) (reader, error) {
	o := &s.opts.Order
	x := &indexedReader{ctx: s.env.Ctx, in: s.in, readSettings: settings, name: o.index, warn: s.env.Console.Print}
	switch o.kind {
	case byRange:
		if len(s.in) > 0 && !slices.ContainsFunc(s.in, func(i Input) bool { return i.Records != nil || i.Slice }) {
			return nil, cli.Usagef("name a record, such as %s#0", s.in[0].Name)
		}
		x.choose = func(counts []int64) ([][]Range, error) { return namedRanges(s.in, counts) }
		return s.indexReader(x)
	case lastRecords, sampled:
		for _, i := range s.in {
			if i.Records != nil && !i.Slice {
				return nil, cli.Usagef("%s: use tfparse get for single records", i.Name)
			}
		}
		if s.needsFullRead() {
			if o.index != "" {
				return nil, cli.Usagef("%s: --index needs a regular file", s.in[0].Name)
			}
			return &sampleReader{source: s, stream: s.stream(settings), order: o}, nil
		}
		x.choose = func(counts []int64) ([][]Range, error) {
			return withinSlices(s.in, counts, func(counts []int64) [][]Range {
				if o.kind == sampled {
					return sampleRanges(counts, o.n, o.seed)
				}
				return lastRanges(counts, o.n)
			})
		}
		return s.indexReader(x)
	}
	for _, i := range s.in {
		if i.Records != nil {
			return nil, cli.Usagef("%s: --shuffle needs whole files", i.Name)
		}
	}
	if err := s.checkRandomAccess("tfparse shuffle writes the records of a pipe in a random order"); err != nil {
		return nil, err
	}
	if s.fixed == example.TypeAuto {
		if err := s.checkSameType(); err != nil {
			return nil, err
		}
	}
	return s.shuffled(settings), nil
}

// indexReader returns a reader by index, after a check of the inputs.
func (s *Source) indexReader(x *indexedReader) (reader, error) {
	if x.name != "" && len(s.in) != 1 {
		return nil, cli.Usagef("--index needs one file, got %d", len(s.in))
	}
	if err := s.checkRandomAccess("tfparse cat and head read pipes"); err != nil {
		return nil, err
	}
	x.pull, x.stop = iter.Pull2(x.yieldEvents)
	return x, nil
}

// checkRandomAccess returns an error if an input cannot be read by index. instead is the advice for pipes.
func (s *Source) checkRandomAccess(instead string) error {
	if s.flags.NoCRC {
		return cli.Usagef("--no-crc cannot be used with an index, which needs checksums")
	}
	for _, i := range s.in {
		if i.Table != nil {
			return cli.Usagef("%s: CSV has no index; convert it with tfparse encode", i.Name)
		}
		_, err := storage.Stat(i.Name) // a missing file is a fault, not a usage error
		if i.Err == nil && !i.Regular() && (err == nil || i.Name == Stdin) {
			return cli.Usagef("%s: only regular files have an index; %s", i.Name, instead)
		}
	}
	return nil
}

// needsFullRead reports whether the inputs must be read from front to end. That is so if one of them is CSV or a pipe;
// a compressed file without an index, which would be decompressed twice; or a possibly damaged file without an index,
// since no index covers records after a damaged length.
func (s *Source) needsFullRead() bool {
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
			return false // reported later
		}
		defer r.Close()
		_ = r.Skip() // Compression is known after an error too
		return r.Compression() != tfrecord.None && r.Compression() != tfrecord.Auto
	})
}

// checkSameType returns an error if files hold different messages: in one output an Example would look like a
// SequenceExample without feature lists.
func (s *Source) checkSameType() error {
	first, t := "", example.TypeAuto
	for _, i := range s.in {
		flags := *s.flags
		flags.progress, flags.limited, flags.expression = cli.WhenNever, nil, nil
		one, err := flags.Open(s.env, []Input{i}, &Options{Fault: func(*Fault) error { return nil }})
		if err != nil {
			return err
		}
		one.Close()
		switch {
		case one.Type == example.TypeAuto || one.Type == t:
		case t == example.TypeAuto:
			first, t = i.Name, one.Type
		default:
			return cli.Usagef("%s has records of type %v, %s of type %v; choose with --type", first, t, i.Name, one.Type)
		}
	}
	return nil
}

// A shuffleState makes a stream read the records of all regular files in a random order. The files are reported as one,
// but positions name each file. A file that cannot be indexed ends the reading, also with --on-error skip.
type shuffleState struct {
	order    *Order               // seed, shard and start
	warn     func(message string) // prints a warning
	modified []string             // files whose modification time differs from the index
}

// shuffled returns a stream in a random order. Inputs that cannot be opened are faults of the one reported file.
func (s *Source) shuffled(settings *readSettings) reader {
	r := &stream{readSettings: settings, ctx: s.env.Ctx, shuffle: &shuffleState{order: &s.opts.Order, warn: s.env.Console.Print}}
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

// configure sets the order of package feed.
func (h *shuffleState) configure(r *stream, c *feed.Config) {
	c.Indexes, c.Choose, c.Format = new(feed.Indexes), nil, nil
	c.GlobalShuffle, c.Seed, c.Skip = true, h.order.seed, h.order.start
	c.Shard, c.Shards = int64(h.order.shard.Index), int64(h.order.shard.Count)
	if n := runtime.GOMAXPROCS(0); n > 1 {
		c.Readers = n
	}
}

// noteModTime notes a file whose modification time differs from its index.
func (h *shuffleState) noteModTime(r *stream, e feed.Event) {
	if e.Begin != nil && e.Begin.ModTime != nil {
		h.modified = append(h.modified, r.in[e.Begin.File].Name)
	}
}

// warnModTime warns about such files. It is called before the first record, when all files are open.
func (h *shuffleState) warnModTime() {
	warnModTime(h.warn, h.modified)
	h.modified = nil
}

// shuffledFault turns an error of package feed into a Fault of the file that the error names.
func shuffledFault(err error) error {
	if te, ok := errors.AsType[*tfrecord.Error](err); ok {
		return FaultOf(te.Name, err, nil)
	}
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		return FaultOf(fe.Name, err, nil)
	}
	if errors.Is(err, tfrecord.ErrIndex) {
		return fmt.Errorf("%w; tfparse index rebuilds it", err)
	}
	return err
}
