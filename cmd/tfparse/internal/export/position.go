package export

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// position is where an export begins or continues: the value of --resume, and the key tfparse:next of the batches of a stream.
type position struct {
	file   int   // index among the inputs of the shard; 0 in a random order
	record int64 // ordinal of the record in the file, or in the random order of the shard
}

// String returns the notation of the flag, FILE:RECORD.
func (p position) String() string { return fmt.Sprintf("%d:%d", p.file, p.record) }

// MarshalText implements [encoding.TextMarshaler]. The text of the beginning is empty.
func (p position) MarshalText() ([]byte, error) {
	if p == (position{}) {
		return nil, nil
	}
	return []byte(p.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *position) UnmarshalText(text []byte) error {
	file, record, ok := strings.Cut(string(text), ":")
	f, err1 := strconv.ParseUint(file, 10, 31)
	r, err2 := strconv.ParseUint(record, 10, 63)
	if !ok || err1 != nil || err2 != nil {
		return errors.New("want FILE:RECORD, as 0:1024")
	}
	*p = position{int(f), int64(r)}
	return nil
}

// rest returns the inputs from the position on.
func (p position) rest(in []scan.Input) []scan.Input {
	if p == (position{}) {
		return in
	}
	in = slices.Clone(in[p.file:])
	r := scan.Range{First: p.record, End: math.MaxInt64}
	if named := in[0].Records; named != nil {
		r = scan.Range{First: max(named.First, p.record), End: named.End}
	}
	in[0].Records = &r // not Named: the file may end before it
	return in
}
