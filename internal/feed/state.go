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

// A State is the position of a Stream between two calls of Append.
type State struct {
	Epoch        int64 // from 0
	EpochRecords int64 // number of records of the epoch so far
	LongestEpoch int64 // number of records of the longest epoch that has ended
	Ended        bool  // the stream has returned io.EOF

	InEpoch  bool          // the epoch has begun: the fields below are set
	Cycle    []CursorState // the files in the cycle
	Turn     int           // index in Cycle of the next record
	Opened   int           // number of files of the epoch that have had a place in the cycle
	Seen     int64         // number of records of the epoch so far, before Skip and Take
	Skip     int64         // number of records still to skip
	Take     int64         // number of records still to return; negative: no limit
	Random   []byte        // state of the random numbers of the shuffle buffer
	Buffered []Position    // records in the shuffle buffer
	Next     int64         // GlobalShuffle: place of the next record, instead of Cycle, Turn and Opened
	Total    int64         // GlobalShuffle: number of records of all files; 0: not known yet
	Unread   []Position    // records that were taken from the stream and come first

	Offsets uint64 // digest of the offsets of Unread and Buffered: see SetOffsets
}

// SetOffsets sets Offsets, unless they are set: records that are read again must have the same offsets.
func (st *State) SetOffsets() {
	if st.Offsets == 0 {
		st.Offsets = offsetDigest(slices.Concat(st.Unread, st.Buffered))
	}
}

// offsetDigest returns a hash of the offsets of records.
func offsetDigest(places []Position) uint64 {
	h := fnv.New64a()
	for _, p := range places {
		binary.Write(h, binary.LittleEndian, p.Offset)
	}
	return h.Sum64()
}

// CursorState is a place in the cycle.
type CursorState struct {
	File   int   // place of the file in the order of the epoch; -1: none
	Record int64 // ordinal of the record taken last; -1: none
	Offset int64 // offset of that record
}

// ErrState is wrapped by the error of a State that does not belong to the files.
var ErrState = errors.New("the state does not match the files")

// State returns the position of the record that the next call of Append returns, also after Close. No goroutine may
// be in Append.
func (s *Stream) State() *State {
	st := s.stateWithoutUnread()
	for _, b := range s.unread {
		for _, it := range b.Items {
			st.Unread = append(st.Unread, it.Position)
		}
	}
	return st
}

// stateWithoutUnread is State without the records that were put back. It does not change any more once the stream
// has ended.
func (s *Stream) stateWithoutUnread() *State {
	switch {
	case s.endState != nil:
		st := *s.endState
		st.Unread = slices.Clone(st.Unread)
		return &st
	case s.resume != nil:
		st := *s.resume
		st.Unread = slices.Clone(st.Unread)
		return &st
	}
	st := &State{Epoch: s.epoch, EpochRecords: s.epochRecords, LongestEpoch: s.longestEpoch, Ended: s.err == io.EOF, InEpoch: s.nextRecord != nil}
	if !st.InEpoch {
		return st
	}
	if s.globalShuffle != nil {
		if st.Next = s.globalShuffle.nextPlace; s.globalShuffle.permute != nil {
			st.Total = s.indexed.total()
		}
	} else {
		st.Turn, st.Opened = s.order.turn, s.order.opened
		for _, c := range s.order.cycle {
			st.Cycle = append(st.Cycle, CursorState{c.file, c.last.Record, c.last.Offset})
		}
	}
	if s.selection != nil {
		st.Seen, st.Skip, st.Take = s.selection.seen, s.selection.skip, s.selection.take
	}
	if s.shuffle != nil {
		st.Random, _ = s.shuffle.rngState.MarshalBinary() // which cannot fail
		for _, it := range s.shuffle.items {
			st.Buffered = append(st.Buffered, it.Position)
		}
	}
	return st
}

// restoreState moves the stream to Config.Resume.
func (s *Stream) restoreState() error {
	st := s.resume
	defer func() { s.resume = nil }()
	if err := st.checkConfig(&s.cfg); err != nil {
		return err
	}
	s.epoch, s.epochRecords, s.longestEpoch = st.Epoch, st.EpochRecords, st.LongestEpoch
	if st.InEpoch {
		s.beginEpoch()
		s.epochRecords = st.EpochRecords
		if s.globalShuffle != nil {
			if err := s.globalShuffle.restoreState(st); err != nil {
				return err
			}
		}
		if s.selection != nil {
			s.selection.seen, s.selection.skip, s.selection.take = st.Seen, st.Skip, st.Take
		}
		if s.shuffle != nil {
			if err := s.shuffle.rngState.UnmarshalBinary(st.Random); err != nil {
				return fmt.Errorf("%w: random numbers: %v", ErrState, err)
			}
		}
	}
	items, err := s.reread(append(slices.Clone(st.Unread), st.Buffered...))
	if err != nil {
		return err
	}
	back, held := items[:len(st.Unread)], items[len(st.Unread):]
	if s.shuffle != nil {
		for _, it := range held {
			s.shuffle.items = append(s.shuffle.items, it)
			s.shuffle.totalBytes += int64(len(it.Record))
		}
	}
	if len(back) > 0 {
		s.blockCount++
		b := &Block{id: s.blockCount, stream: s}
		for _, it := range back {
			n := int64(len(it.Record))
			s.budget.reserveNow(n)
			it.buf.charge = n
			b.addItem(it)
			it.buf.release() // b is a user now
		}
		s.unread = append(s.unread, b)
	}
	if st.Ended {
		s.err = io.EOF
	}
	return nil
}

// checkConfig returns an error if the State cannot belong to the files and settings.
func (st *State) checkConfig(c *Config) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrState}, args...)...)
	}
	for _, p := range slices.Concat(st.Unread, st.Buffered) {
		if p.File < 0 || p.File >= len(c.Names) || p.Record < 0 {
			return bad("record %d of file %d, of %d files", p.Record, p.File, len(c.Names))
		}
	}
	if st.Epoch < 0 || c.Epochs > 0 && st.Epoch > c.Epochs || c.Epochs > 0 && st.Epoch == c.Epochs && !st.Ended {
		return bad("epoch %d of %d", st.Epoch, c.Epochs)
	}
	if !st.InEpoch {
		return nil
	}
	if c.GlobalShuffle {
		if st.Next < 0 || st.Next%max(c.Shards, 1) != c.Shard || len(st.Cycle) > 0 || len(st.Buffered) > 0 {
			return bad("place %d of the shuffled order", st.Next)
		}
		return nil
	}
	if len(st.Cycle) != c.Cycle || st.Turn < 0 || st.Turn >= c.Cycle || st.Opened < 0 || st.Opened > len(c.Names) {
		return bad("%d of %d files opened, turn %d in a cycle of %d", st.Opened, len(c.Names), st.Turn, len(st.Cycle))
	}
	taken := map[int]bool{}
	for _, cur := range st.Cycle {
		if cur.File != noFile && (cur.File < 0 || cur.File >= st.Opened || taken[cur.File]) || cur.Record < -1 {
			return bad("file %d in the cycle, of %d opened files", cur.File, st.Opened)
		}
		taken[cur.File] = true
	}
	if c.Shuffle == 0 && len(st.Buffered) > 0 || len(st.Buffered) > c.Shuffle {
		return bad("%d records in a shuffle buffer of %d", len(st.Buffered), c.Shuffle)
	}
	return nil
}

// startPoint is the record of a file where reading begins.
type startPoint struct {
	firstRecord int64          // ordinal of the first record that is wanted
	prevOffset  int64          // offset of the record before it; -1: unknown
	wanted      map[int64]bool // if not nil, only these records are read
	lastWanted  int64          // largest ordinal in wanted
	reread      bool           // the records were read before: Choose and Filter are not called
}

// checkOffset compares the offset of the record before the first one with that in the State.
func (f *startPoint) checkOffset(record, offset int64) error {
	if f.firstRecord > 0 && record == f.firstRecord-1 && f.prevOffset >= 0 && offset != f.prevOffset {
		return fmt.Errorf("%w: record %d: offset %d, was %d", ErrState, record, offset, f.prevOffset)
	}
	return nil
}

// chooserFor returns the function that decides about the records of a file; nil if all are read.
func (s *Stream) chooserFor(file int, f startPoint) func(record int64) Choice {
	choose := s.cfg.Choose
	switch {
	case f.wanted != nil:
		return func(record int64) Choice {
			switch {
			case record > f.lastWanted:
				return LeaveFile
			case f.wanted[record]:
				return ReadRecord
			}
			return LeaveOut
		}
	case choose == nil && f.firstRecord == 0:
		return nil
	}
	return func(record int64) Choice {
		switch {
		case record < f.firstRecord:
			return LeaveOut
		case choose == nil:
			return ReadRest
		}
		return choose(file, record)
	}
}

// restoreCycle moves the interleaver to a State; nil is the beginning of an epoch. It returns the places of the
// files that are still to be read, in the order in which they are needed, and where reading begins in those that
// were open.
func (o *interleaver) restoreCycle(st *State, files []int) (queue []int, begin map[int]startPoint) {
	if st != nil && st.InEpoch {
		begin = map[int]startPoint{}
		for i, c := range st.Cycle {
			o.cycle[i] = cursor{file: c.File, last: Position{Record: c.Record, Offset: c.Offset}}
			if c.File != noFile {
				o.cycle[i].last.File = files[c.File]
				begin[c.File] = startPoint{firstRecord: c.Record + 1, prevOffset: c.Offset}
				queue = append(queue, c.File)
				o.active++
			}
		}
		o.turn, o.opened = st.Turn, st.Opened
		slices.Sort(queue)
	}
	first := 0
	if st != nil && st.InEpoch {
		first = st.Opened
	}
	for v := first; v < len(files); v++ {
		queue = append(queue, v)
	}
	return queue, begin
}

// reread returns copies of records that were read before, each with one user. Without an index it reads each file
// from the beginning to the last of these records.
func (s *Stream) reread(places []Position) ([]Item, error) {
	if len(places) == 0 {
		return nil, nil
	}
	items, err := make([]Item, len(places)), error(nil)
	if s.cfg.GlobalShuffle {
		err = s.rereadIndexed(places, items)
	} else {
		err = s.rereadFiles(places, items)
	}
	found := make([]Position, len(items))
	for i, it := range items {
		found[i] = it.Position
	}
	if err == nil && offsetDigest(found) != s.resume.Offsets {
		err = fmt.Errorf("%w: records that were read ahead have other offsets", ErrState)
	}
	if err != nil {
		for _, it := range items {
			if it.buf != nil {
				it.buf.release()
			}
		}
		return nil, err
	}
	return items, nil
}

// rereadIndexed is reread for GlobalShuffle.
func (s *Stream) rereadIndexed(places []Position, items []Item) error {
	if err := s.openIndexed(); err != nil {
		return err
	}
	for i, at := range places {
		it, err := s.indexed.readAgain(at)
		if err != nil {
			return err
		}
		items[i] = s.copyItem(it)
	}
	return nil
}

// rereadFiles is reread without indexes.
func (s *Stream) rereadFiles(places []Position, items []Item) error {
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
		f := startPoint{wanted: map[int64]bool{}, reread: true}
		for record := range wanted {
			f.wanted[record], f.lastWanted = true, max(f.lastWanted, record)
		}
		missing := len(wanted)
		r.readFile(s.ctx, file, f, func(n int64) error { s.budget.reserveNow(n); return nil }, func(c *chunk) bool {
			for _, it := range c.items {
				for _, i := range wanted[it.Position.Record] {
					items[i] = s.copyItem(it)
				}
				missing--
			}
			if c.err != nil && c.err != io.EOF {
				err = c.err
			}
			c.free()
			return err == nil
		})
		if err == nil && missing > 0 {
			err = fmt.Errorf("%w: %s has no record %d", ErrState, s.cfg.Names[file], f.lastWanted)
		}
		if err != nil {
			break
		}
	}
	return err
}

// namedPosition returns the position of a record with the name of its file.
func (s *Stream) namedPosition(p Position) tfrecord.Position {
	return tfrecord.Position{Name: s.cfg.Names[p.File], Record: p.Record, Offset: p.Offset}
}
