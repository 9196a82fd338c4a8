package feed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/tfparse/tfparse/tfrecord"
)

// A State is where a Stream is, between two calls of Append.
type State struct {
	Epoch  int64
	Had    int64 // records of the epoch
	Length int64 // of the longest epoch that is over
	Ended  bool

	Began  bool // the epoch: the fields below have a meaning
	Cycle  []CursorState
	Turn   int
	Opened int   // files of the epoch that had a place in the cycle
	Seen   int64 // records of the epoch before Skip and Take
	Skip   int64 // how many are still to be skipped
	Take   int64 // how many are still to be taken
	Random []byte
	Held   []Place // records in the shuffle buffer
	Next   int64   // of Config.GlobalShuffle, instead of Cycle, Turn and Opened
	Of     int64   // its records; 0: not known yet
	Back   []Place // records that were taken, and come first

	Offsets uint64 // digest of the offsets of Back and Held: see Sign
}

// Sign sets Offsets: records that are read again must stand where they did. A State that was
// resumed and never read on has them.
func (st *State) Sign() {
	if st.Offsets == 0 {
		st.Offsets = digest(slices.Concat(st.Back, st.Held))
	}
}

func digest(places []Place) uint64 {
	h := fnv.New64a()
	for _, p := range places {
		binary.Write(h, binary.LittleEndian, p.Offset)
	}
	return h.Sum64()
}

// CursorState is a file in the cycle.
type CursorState struct {
	File   int   // its place in the order of the epoch; -1: none
	Record int64 // ordinal of the record that was taken last; -1: none
	Offset int64 // of that record
}

// ErrState is wrapped by errors about a State that is not one of these files.
var ErrState = errors.New("the files are not what they were when the state was made")

// State returns where the stream is: at the record that the next call of Append returns, also
// after Close. No goroutine is in Append.
func (s *Stream) State() *State {
	st := s.position()
	for _, b := range s.back {
		for _, it := range b.Items {
			st.Back = append(st.Back, it.Place)
		}
	}
	return st
}

// position is State without what was put back. It is the same again and again once the stream
// has ended.
func (s *Stream) position() *State {
	switch {
	case s.last != nil:
		st := *s.last
		st.Back = slices.Clone(st.Back)
		return &st
	case s.resume != nil:
		st := *s.resume
		st.Back = slices.Clone(st.Back)
		return &st
	}
	st := &State{Epoch: s.epoch, Had: s.had, Length: s.length, Ended: s.err == io.EOF, Began: s.next != nil}
	if !st.Began {
		return st
	}
	if s.permuted != nil {
		if st.Next = s.permuted.at; s.permuted.place != nil {
			st.Of = s.indexed.total()
		}
	} else {
		st.Turn, st.Opened = s.order.turn, s.order.opened
		for _, c := range s.order.cycle {
			st.Cycle = append(st.Cycle, CursorState{c.file, c.last.Record, c.last.Offset})
		}
	}
	if s.chosen != nil {
		st.Seen, st.Skip, st.Take = s.chosen.seen, s.chosen.skip, s.chosen.take
	}
	if s.shuffle != nil {
		st.Random, _ = s.shuffle.state.MarshalBinary() // which cannot fail
		for _, it := range s.shuffle.held {
			st.Held = append(st.Held, it.Place)
		}
	}
	return st
}

// restore brings the stream to Config.Resume.
func (s *Stream) restore() error {
	st := s.resume
	defer func() { s.resume = nil }()
	if err := st.check(&s.cfg); err != nil {
		return err
	}
	s.epoch, s.had, s.length = st.Epoch, st.Had, st.Length
	if st.Began {
		s.begin()
		s.had = st.Had
		if s.permuted != nil {
			if err := s.permuted.restore(st); err != nil {
				return err
			}
		}
		if s.chosen != nil {
			s.chosen.seen, s.chosen.skip, s.chosen.take = st.Seen, st.Skip, st.Take
		}
		if s.shuffle != nil {
			if err := s.shuffle.state.UnmarshalBinary(st.Random); err != nil {
				return fmt.Errorf("%w: its random numbers: %v", ErrState, err)
			}
		}
	}
	items, err := s.reread(append(slices.Clone(st.Back), st.Held...))
	if err != nil {
		return err
	}
	back, held := items[:len(st.Back)], items[len(st.Back):]
	if s.shuffle != nil {
		for _, it := range held {
			s.shuffle.held = append(s.shuffle.held, it)
			s.shuffle.sum += int64(len(it.Record))
		}
	}
	if len(back) > 0 {
		s.blocks++
		b := &Block{id: s.blocks, stream: s}
		for _, it := range back {
			n := int64(len(it.Record))
			s.budget.take(n)
			it.buf.charge = n
			b.add(it)
			it.buf.done() // b has a use of it
		}
		s.back = append(s.back, b)
	}
	if st.Ended {
		s.err = io.EOF
	}
	return nil
}

// check looks for what no State of these files can have.
func (st *State) check(c *Config) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrState}, args...)...)
	}
	for _, p := range slices.Concat(st.Back, st.Held) {
		if p.File < 0 || p.File >= len(c.Names) || p.Record < 0 {
			return bad("it has record %d of file %d, of %d files", p.Record, p.File, len(c.Names))
		}
	}
	if st.Epoch < 0 || c.Epochs > 0 && st.Epoch > c.Epochs || c.Epochs > 0 && st.Epoch == c.Epochs && !st.Ended {
		return bad("it is in epoch %d, of %d", st.Epoch, c.Epochs)
	}
	if !st.Began {
		return nil
	}
	if c.GlobalShuffle {
		if st.Next < 0 || st.Next%max(c.Shards, 1) != c.Shard || len(st.Cycle) > 0 || len(st.Held) > 0 {
			return bad("it is at place %d of the shuffled order", st.Next)
		}
		return nil
	}
	if len(st.Cycle) != c.Cycle || st.Turn < 0 || st.Turn >= c.Cycle || st.Opened < 0 || st.Opened > len(c.Names) {
		return bad("it is at file %d of %d and place %d of %d", st.Opened, len(c.Names), st.Turn, len(st.Cycle))
	}
	taken := map[int]bool{}
	for _, cur := range st.Cycle {
		if cur.File != noFile && (cur.File < 0 || cur.File >= st.Opened || taken[cur.File]) || cur.Record < -1 {
			return bad("it reads file %d, of %d", cur.File, st.Opened)
		}
		taken[cur.File] = true
	}
	if c.Shuffle == 0 && len(st.Held) > 0 || len(st.Held) > c.Shuffle {
		return bad("it has %d records in a shuffle buffer of %d", len(st.Held), c.Shuffle)
	}
	return nil
}

// from is where in a file reading begins.
type from struct {
	next   int64          // ordinal of the first record that is wanted
	offset int64          // of the record before it; -1: unknown
	wanted map[int64]bool // if not nil, only these are
	last   int64          // of wanted
	again  bool           // the records were read before: Config.Choose and Filter let them pass
}

// check compares the place of a record that is left out with that in the State.
func (f *from) check(record, offset int64) error {
	if f.next > 0 && record == f.next-1 && f.offset >= 0 && offset != f.offset {
		return fmt.Errorf("%w: record %d begins at byte %d, and was at %d", ErrState, record, offset, f.offset)
	}
	return nil
}

// chooser returns what decides about the records of a file; nil if all are read.
func (s *Stream) chooser(file int, f from) func(record int64) Choice {
	choose := s.cfg.Choose
	switch {
	case f.wanted != nil:
		return func(record int64) Choice {
			switch {
			case record > f.last:
				return LeaveFile
			case f.wanted[record]:
				return ReadRecord
			}
			return LeaveOut
		}
	case choose == nil && f.next == 0:
		return nil
	}
	return func(record int64) Choice {
		switch {
		case record < f.next:
			return LeaveOut
		case choose == nil:
			return ReadRest
		}
		return choose(file, record)
	}
}

// restore brings the order to a State; nil is the beginning. It returns the places of the files
// that are still to be read, in the order in which they are needed, and where those begin that
// are read in part.
func (o *order) restore(st *State, files []int) (queue []int, begin map[int]from) {
	if st != nil && st.Began {
		begin = map[int]from{}
		for i, c := range st.Cycle {
			o.cycle[i] = cursor{file: c.File, last: Place{Record: c.Record, Offset: c.Offset}}
			if c.File != noFile {
				o.cycle[i].last.File = files[c.File]
				begin[c.File] = from{next: c.Record + 1, offset: c.Offset}
				queue = append(queue, c.File)
				o.placed++
			}
		}
		o.turn, o.opened = st.Turn, st.Opened
		slices.Sort(queue)
	}
	first := 0
	if st != nil && st.Began {
		first = st.Opened
	}
	for v := first; v < len(files); v++ {
		queue = append(queue, v)
	}
	return queue, begin
}

// reread returns copies of records that were read before, each in use once. Without an index it reads
// every file that has some of them from its beginning to the last one, and leaves the others out.
func (s *Stream) reread(places []Place) ([]Item, error) {
	if len(places) == 0 {
		return nil, nil
	}
	items, err := make([]Item, len(places)), error(nil)
	if s.cfg.GlobalShuffle {
		err = s.rereadIndexed(places, items)
	} else {
		err = s.rereadFiles(places, items)
	}
	found := make([]Place, len(items))
	for i, it := range items {
		found[i] = it.Place
	}
	if err == nil && digest(found) != s.resume.Offsets {
		err = fmt.Errorf("%w: records that had been read ahead begin at other bytes", ErrState)
	}
	if err != nil {
		for _, it := range items {
			if it.buf != nil {
				it.buf.done()
			}
		}
		return nil, err
	}
	return items, nil
}

// rereadIndexed is reread of files that are read in any order.
func (s *Stream) rereadIndexed(places []Place, items []Item) error {
	if err := s.openIndexed(); err != nil {
		return err
	}
	for i, at := range places {
		it, err := s.indexed.reread(at)
		if err != nil {
			return err
		}
		items[i] = s.copyOf(it)
	}
	return nil
}

// rereadFiles is reread of files that are read from their beginning.
func (s *Stream) rereadFiles(places []Place, items []Item) error {
	byFile := map[int]map[int64][]int{}
	for i, p := range places {
		if byFile[p.File] == nil {
			byFile[p.File] = map[int64][]int{}
		}
		byFile[p.File][p.Record] = append(byFile[p.File][p.Record], i)
	}
	r := s.getReader()
	defer s.putReader(r)
	var err error
	for file, wanted := range byFile {
		f := from{wanted: map[int64]bool{}, again: true}
		for record := range wanted {
			f.wanted[record], f.last = true, max(f.last, record)
		}
		missing := len(wanted)
		r.read(s.ctx, file, f, func(n int64) error { s.budget.take(n); return nil }, func(c *chunk) bool {
			for _, it := range c.items {
				for _, i := range wanted[it.Place.Record] {
					items[i] = s.copyOf(it)
				}
				missing--
			}
			if c.err != nil && c.err != io.EOF {
				err = c.err
			}
			c.release()
			return err == nil
		})
		if err == nil && missing > 0 {
			err = fmt.Errorf("%w: %s has no record %d", ErrState, s.cfg.Names[file], f.last)
		}
		if err != nil {
			break
		}
	}
	return err
}

func (s *Stream) place(p Place) tfrecord.Position {
	return tfrecord.Position{Name: s.cfg.Names[p.File], Record: p.Record, Offset: p.Offset}
}
