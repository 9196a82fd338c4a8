package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/storage"
)

// ErrState is wrapped by the error of a stream that cannot resume: the State is damaged, or the
// files or the options have changed.
var ErrState = feed.ErrState

// A State is the position of a stream of [Files]: the epoch, the positions in the open files, the
// state of the random numbers, and the records of the shuffle buffer. Its JSON has a few hundred
// bytes, and about ten more for each record that is in the shuffle buffer or was read ahead. It is
// immutable.
//
// A stream makes a State in these steps, and Resume reverses them:
//
//	State    pause the goroutines; feed.State has the position; add the records that were taken and not
//	         returned; add digests of the options and of the names and sizes of the files
//	Resume   compare options and files; feed moves to the position; records that were taken, and those of the
//	         shuffle buffer, are read again and compared by their offsets
type State struct {
	stream       *feed.State      // position of the feed.Stream
	misfitStreak int64            // number of records since the last row, none of which fits
	options      map[string]int64 // values of the options that the position depends on
	files        filesState       // identifies the files of the stream
}

// filesState identifies the files of a State.
type filesState struct {
	Count int    `json:"count"`
	Names []byte `json:"names"` // digest of the names, in order
	Sizes []byte `json:"sizes"` // digest of the sizes, in order
}

// stateJSON is the JSON form of a State.
type stateJSON struct {
	Version int              `json:"version"`
	Files   filesState       `json:"files"`
	Options map[string]int64 `json:"options"`
	Epoch   int64            `json:"epoch"`
	Records int64            `json:"records"` // number of records of the epoch so far
	Longest int64            `json:"longest_epoch"`
	Streak  int64            `json:"unfit_streak,omitempty"`
	Ended   bool             `json:"ended,omitempty"`
	Ahead   []byte           `json:"ahead,omitempty"` // positions of records that were read ahead
	// digest of the offsets of all records ahead and in the shuffle buffer
	Offsets []byte     `json:"offsets"`
	Under   *epochJSON `json:"under_way,omitempty"`
}

// epochJSON is an epoch in progress.
type epochJSON struct {
	Cycle  []cursorJSON `json:"cycle"`
	Turn   int          `json:"turn"`
	Opened int          `json:"opened"`
	Seen   int64        `json:"seen"`
	Skip   int64        `json:"skip"`
	Take   int64        `json:"take"`
	Random []byte       `json:"random,omitempty"`
	Buffer []byte       `json:"shuffle_buffer,omitempty"` // positions of records
	Next   int64        `json:"next,omitempty"`           // with GlobalShuffle: position in the order
	Of     int64        `json:"of,omitempty"`             // with GlobalShuffle: number of records in all files
}

type cursorJSON struct {
	File   int   `json:"file"`
	Record int64 `json:"record"`
	Offset int64 `json:"offset"`
}

const stateVersion = 1

// MarshalJSON implements [json.Marshaler].
func (s *State) MarshalJSON() ([]byte, error) {
	if s.stream == nil {
		return nil, errors.New("dataset: empty State")
	}
	at := s.stream
	j := stateJSON{
		Version: stateVersion, Files: s.files, Options: s.options, Epoch: at.Epoch, Records: at.EpochRecords, Longest: at.LongestEpoch,
		Streak: s.misfitStreak, Ended: at.Ended, Ahead: appendPositions(nil, at.Unread),
		Offsets: binary.BigEndian.AppendUint64(nil, at.Offsets),
	}
	if at.InEpoch {
		j.Under = &epochJSON{Turn: at.Turn, Opened: at.Opened, Seen: at.Seen, Skip: at.Skip, Take: at.Take, Random: at.Random, Buffer: appendPositions(nil, at.Buffered), Next: at.Next, Of: at.Total}
		for _, c := range at.Cycle {
			j.Under.Cycle = append(j.Under.Cycle, cursorJSON(c))
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *State) UnmarshalJSON(text []byte) error {
	var j stateJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("dataset: state: %w", err)
	}
	if j.Version != stateVersion {
		return fmt.Errorf("%w: want version %d, got %d", ErrState, stateVersion, j.Version)
	}
	if len(j.Offsets) != 8 {
		return fmt.Errorf("%w: want a digest of 8 bytes, got %d", ErrState, len(j.Offsets))
	}
	at := &feed.State{Epoch: j.Epoch, EpochRecords: j.Records, LongestEpoch: j.Longest, Ended: j.Ended, Offsets: binary.BigEndian.Uint64(j.Offsets)}
	var err error
	if at.Unread, err = parsePositions(j.Ahead); err != nil {
		return err
	}
	if u := j.Under; u != nil {
		at.InEpoch, at.Turn, at.Opened, at.Seen, at.Skip, at.Take, at.Random = true, u.Turn, u.Opened, u.Seen, u.Skip, u.Take, u.Random
		at.Next, at.Total = u.Next, u.Of
		for _, c := range u.Cycle {
			at.Cycle = append(at.Cycle, feed.CursorState(c))
		}
		if at.Buffered, err = parsePositions(u.Buffer); err != nil {
			return err
		}
	}
	*s = State{stream: at, misfitStreak: j.Streak, options: j.Options, files: j.Files}
	return nil
}

// appendPositions appends positions of records, each as two signed varints: the differences of file
// and ordinal from the preceding position.
func appendPositions(b []byte, positions []feed.Position) []byte {
	var last feed.Position
	for _, p := range positions {
		b = binary.AppendVarint(b, int64(p.File-last.File))
		b = binary.AppendVarint(b, p.Record-last.Record)
		last = p
	}
	return b
}

// parsePositions is the inverse of appendPositions.
func parsePositions(b []byte) (positions []feed.Position, err error) {
	var last feed.Position
	for len(b) > 0 {
		file, n := binary.Varint(b)
		record, m := binary.Varint(b[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, fmt.Errorf("%w: a list of records is truncated", ErrState)
		}
		last.File += int(file)
		last.Record += record
		positions = append(positions, last)
		b = b[n+m:]
	}
	return positions, nil
}

// makeState returns the State of a stream. It has the positions that pending returns, of records
// that were taken and not returned, before the records that were put back.
func (r *fileStream) makeState(pending func() []feed.Position) (*State, error) {
	switch {
	case r.stream == nil:
		return nil, r.err
	}
	s := &State{stream: r.endState, options: r.opts.stateOptions()}
	if s.stream == nil {
		taken := pending()
		s.stream = r.stream.State()
		s.stream.Unread = append(taken, s.stream.Unread...)
		s.stream.SetOffsets()
	}
	if r.filesState == nil {
		files, err := r.opts.describeFiles(r.names)
		if err != nil {
			return nil, err
		}
		r.filesState = &files
	}
	s.files = *r.filesState
	return s, nil
}

// saveState saves the position of a stream that is about to be closed.
func (r *fileStream) saveState(pending []feed.Position) {
	if r.endState == nil && r.stream != nil {
		at := r.stream.State()
		at.Unread = append(pending, at.Unread...)
		at.SetOffsets()
		r.endState = at
	}
}

// stateOptions returns the options that the position in a stream depends on.
func (o *FilesOptions) stateOptions() map[string]int64 {
	m := map[string]int64{
		"Interleave": int64(max(o.Interleave, 1)), "Skip": o.Skip, "Take": o.Take, "Shuffle": int64(o.Shuffle),
		"ShuffleBytes": o.ShuffleBytes, "Seed": int64(o.Seed), "Repeat": max(o.Repeat, 1), "Shard.Index": int64(o.Shard.Index), "Shard.Count": int64(max(o.Shard.Count, 1)),
	}
	if o.Repeat < 0 {
		m["Repeat"] = -1
	}
	for name, set := range map[string]bool{
		"Shard.ByRecord": o.Shard.ByRecord, "ShuffleFiles": o.ShuffleFiles, "GlobalShuffle": o.GlobalShuffle, "SkipErrors": o.SkipErrors, "Filter": o.Filter != nil, "Format": o.Format != nil,
	} {
		m[name] = 0
		if set {
			m[name] = 1
		}
	}
	return m
}

// feedState returns the position for feed, or an error if the State belongs to other files or
// options.
func (s *State) feedState(o *FilesOptions, names []string) (*feed.State, error) {
	if s.stream == nil {
		return nil, fmt.Errorf("%w: it is empty", ErrState)
	}
	want := o.stateOptions()
	options := make([]string, 0, len(want))
	for name := range want {
		options = append(options, name)
	}
	slices.Sort(options)
	for _, name := range options {
		if got, ok := s.options[name]; !ok || got != want[name] {
			return nil, fmt.Errorf("%w: option %s was %d, is %d", ErrState, name, got, want[name])
		}
	}
	files, err := o.describeFiles(names)
	switch {
	case err != nil:
		return nil, err
	case files.Count != s.files.Count:
		return nil, fmt.Errorf("%w: there were %d files, now there are %d", ErrState, s.files.Count, files.Count)
	case string(files.Names) != string(s.files.Names):
		return nil, fmt.Errorf("%w: the files have other names, or another order", ErrState)
	case string(files.Sizes) != string(s.files.Sizes):
		return nil, fmt.Errorf("%w: a file has another size", ErrState)
	}
	return s.stream, nil
}

// describeFiles returns digests of the files of a stream. The size of a file that Open opens is
// not known.
func (o *FilesOptions) describeFiles(names []string) (filesState, error) {
	all, sizes := sha256.New(), sha256.New()
	for _, name := range names {
		if name == stdinPattern {
			return filesState{}, argumentError("a stream of standard input has no State")
		}
		io.WriteString(all, name+"\x00")
		binary.Write(sizes, binary.LittleEndian, o.fileSize(name))
	}
	return filesState{len(names), all.Sum(nil)[:16], sizes.Sum(nil)[:16]}, nil
}

// fileSize returns the size of a file, -1 if it is unknown.
func (o *FilesOptions) fileSize(name string) int64 {
	var info fs.FileInfo
	var err error
	switch {
	case o.Open != nil:
		return -1
	case o.FS != nil:
		info, err = fs.Stat(o.FS, name)
	default:
		info, err = storage.Stat(name)
	}
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}
