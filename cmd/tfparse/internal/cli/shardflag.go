package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Shard is the value of --shard: the part with this Index, from 0, of Count parts of the files. The zero
// value is all files.
type Shard struct{ Index, Count int }

// MarshalText implements [encoding.TextMarshaler]; the zero value is an empty text.
func (s Shard) MarshalText() ([]byte, error) {
	if s.Count == 0 {
		return nil, nil
	}
	return []byte(s.String()), nil
}

// String gives the form of the flag.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Shard) UnmarshalText(text []byte) error {
	index, count, ok := strings.Cut(string(text), "/")
	i, err1 := strconv.ParseUint(index, 10, 31)
	n, err2 := strconv.ParseUint(count, 10, 31)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return errors.New("want I/N, as 0/8")
	case i >= n:
		return fmt.Errorf("want 0/%d to %d/%d", n, max(n, 1)-1, n)
	}
	*s = Shard{int(i), int(n)}
	return nil
}

// Range returns which of n files are those of the shard: those from first up to, but without, end. The
// ranges of all shards follow each other, and their sizes differ by one at most.
func (s Shard) Range(n int) (first, end int) {
	if s.Count == 0 {
		return 0, n
	}
	at := func(i int) int { return int(int64(i) * int64(n) / int64(s.Count)) }
	return at(s.Index), at(s.Index + 1)
}
