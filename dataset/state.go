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

// ErrState is wrapped by the error of a stream that cannot resume at FilesOptions.Resume: the State
// is damaged, or the files or the options have changed.
var ErrState = feed.ErrState

// A State is the position of a stream of [Files]: the epoch, the positions in the open files, the
// state of the random numbers, and which records are in the shuffle buffer. Its JSON has a few
// hundred bytes, and about ten more for each record that is in the shuffle buffer or was read
// ahead. It is immutable.
type State struct {
	at      *feed.State
	streak  int64
	options map[string]int64
	files   filesState
}

// filesState identifies the files of a State.
type filesState struct {
	Count int    `json:"count"`
	Names []byte `json:"names"` // digest
	Sizes []byte `json:"sizes"` // digest
}

// stateJSON is a State as JSON.
type stateJSON struct {
	Version int              `json:"version"`
	Files   filesState       `json:"files"`
	Options map[string]int64 `json:"options"`
	Epoch   int64            `json:"epoch"`
	Records int64            `json:"records"` // of the epoch
	Longest int64            `json:"longest_epoch"`
	Streak  int64            `json:"unfit_streak,omitempty"`
	Ended   bool             `json:"ended,omitempty"`
	Ahead   []byte           `json:"ahead,omitempty"` // places of records
	Offsets []byte           `json:"offsets"`         // digest of those of all records ahead and in the shuffle buffer
	Under   *underWayJSON    `json:"under_way,omitempty"`
}

// underWayJSON is an epoch under way.
type underWayJSON struct {
	Cycle  []cursorJSON `json:"cycle"`
	Turn   int          `json:"turn"`
	Opened int          `json:"opened"`
	Seen   int64        `json:"seen"`
	Skip   int64        `json:"skip"`
	Take   int64        `json:"take"`
	Random []byte       `json:"random,omitempty"`
	Buffer []byte       `json:"shuffle_buffer,omitempty"` // places of records
	Next   int64        `json:"next,omitempty"`           // of GlobalShuffle
	Of     int64        `json:"of,omitempty"`
}

type cursorJSON struct {
	File   int   `json:"file"`
	Record int64 `json:"record"`
	Offset int64 `json:"offset"`
}

const stateVersion = 1

// MarshalJSON gives the state as JSON.
func (s *State) MarshalJSON() ([]byte, error) {
	if s.at == nil {
		return nil, errors.New("dataset: an empty State")
	}
	at := s.at
	j := stateJSON{
		Version: stateVersion, Files: s.files, Options: s.options, Epoch: at.Epoch, Records: at.EpochRecords, Longest: at.LongestEpoch,
		Streak: s.streak, Ended: at.Ended, Ahead: appendPlaces(nil, at.Unread),
		Offsets: binary.BigEndian.AppendUint64(nil, at.Offsets),
	}
	if at.InEpoch {
		j.Under = &underWayJSON{Turn: at.Turn, Opened: at.Opened, Seen: at.Seen, Skip: at.Skip, Take: at.Take, Random: at.Random, Buffer: appendPlaces(nil, at.Buffered), Next: at.Next, Of: at.Total}
		for _, c := range at.Cycle {
			j.Under.Cycle = append(j.Under.Cycle, cursorJSON(c))
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON gave.
func (s *State) UnmarshalJSON(text []byte) error {
	var j stateJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("dataset: a state: %w", err)
	}
	if j.Version != stateVersion {
		return fmt.Errorf("%w: it has version %d, want %d", ErrState, j.Version, stateVersion)
	}
	if len(j.Offsets) != 8 {
		return fmt.Errorf("%w: a digest of %d bytes", ErrState, len(j.Offsets))
	}
	at := &feed.State{Epoch: j.Epoch, EpochRecords: j.Records, LongestEpoch: j.Longest, Ended: j.Ended, Offsets: binary.BigEndian.Uint64(j.Offsets)}
	var err error
	if at.Unread, err = readPlaces(j.Ahead); err != nil {
		return err
	}
	if u := j.Under; u != nil {
		at.InEpoch, at.Turn, at.Opened, at.Seen, at.Skip, at.Take, at.Random = true, u.Turn, u.Opened, u.Seen, u.Skip, u.Take, u.Random
		at.Next, at.Total = u.Next, u.Of
		for _, c := range u.Cycle {
			at.Cycle = append(at.Cycle, feed.CursorState(c))
		}
		if at.Buffered, err = readPlaces(u.Buffer); err != nil {
			return err
		}
	}
	*s = State{at: at, streak: j.Streak, options: j.Options, files: j.Files}
	return nil
}

// appendPlaces appends places of records: for each two signed varints, by how much its file and
// its ordinal differ from those before.
func appendPlaces(b []byte, places []feed.Position) []byte {
	var last feed.Position
	for _, p := range places {
		b = binary.AppendVarint(b, int64(p.File-last.File))
		b = binary.AppendVarint(b, p.Record-last.Record)
		last = p
	}
	return b
}

func readPlaces(b []byte) (places []feed.Position, err error) {
	var last feed.Position
	for len(b) > 0 {
		file, n := binary.Varint(b)
		record, m := binary.Varint(b[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, fmt.Errorf("%w: a list of records is cut off", ErrState)
		}
		last.File += int(file)
		last.Record += record
		places = append(places, last)
		b = b[n+m:]
	}
	return places, nil
}

// state makes the State of a stream. Records that were taken and not handed out belong to it:
// those that pending returns, before those that were put back.
func (r *reading) state(pending func() []feed.Position) (*State, error) {
	switch {
	case r.src == nil:
		return nil, r.err
	}
	s := &State{at: r.saved, options: r.opts.position()}
	if s.at == nil {
		taken := pending()
		s.at = r.src.State()
		s.at.Unread = append(taken, s.at.Unread...)
		s.at.SetOffsets()
	}
	if r.files == nil {
		files, err := r.opts.filesState(r.names)
		if err != nil {
			return nil, err
		}
		r.files = &files
	}
	s.files = *r.files
	return s, nil
}

// save notes the place of a stream that is about to be closed.
func (r *reading) save(pending []feed.Position) {
	if r.saved == nil && r.src != nil {
		at := r.src.State()
		at.Unread = append(pending, at.Unread...)
		at.SetOffsets()
		r.saved = at
	}
}

// position are the options without which a State has no meaning.
func (o *FilesOptions) position() map[string]int64 {
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

// of returns what feed is to resume, if the State is one of these files and options.
func (s *State) of(o *FilesOptions, names []string) (*feed.State, error) {
	if s.at == nil {
		return nil, fmt.Errorf("%w: it is empty", ErrState)
	}
	want := o.position()
	options := make([]string, 0, len(want))
	for name := range want {
		options = append(options, name)
	}
	slices.Sort(options)
	for _, name := range options {
		if got, ok := s.options[name]; !ok || got != want[name] {
			return nil, fmt.Errorf("%w: the option %s was %d, and is %d", ErrState, name, got, want[name])
		}
	}
	files, err := o.filesState(names)
	switch {
	case err != nil:
		return nil, err
	case files.Count != s.files.Count:
		return nil, fmt.Errorf("%w: there were %d, and are %d", ErrState, s.files.Count, files.Count)
	case string(files.Names) != string(s.files.Names):
		return nil, fmt.Errorf("%w: they have other names, or another order", ErrState)
	case string(files.Sizes) != string(s.files.Sizes):
		return nil, fmt.Errorf("%w: one has another size", ErrState)
	}
	return s.at, nil
}

// filesState describes the files of a stream. The size of what is no file of the system or of FS is
// not known.
func (o *FilesOptions) filesState(names []string) (filesState, error) {
	all, sizes := sha256.New(), sha256.New()
	for _, name := range names {
		if name == stdinName {
			return filesState{}, argumentf("standard input can be read once, so a stream of it has no State")
		}
		io.WriteString(all, name+"\x00")
		binary.Write(sizes, binary.LittleEndian, o.size(name))
	}
	return filesState{len(names), all.Sum(nil)[:16], sizes.Sum(nil)[:16]}, nil
}

// size returns the size of a file, -1 if it is unknown.
func (o *FilesOptions) size(name string) int64 {
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
