package filelist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
)

// maxShards bounds the names that one pattern may stand for.
const maxShards = 1_000_000

var (
	shardName   = regexp.MustCompile(`^(.*)-(\d+)-of-(\d+)(\D.*)?$`)
	shardedName = regexp.MustCompile(`^(.+)@(\d+)(\.[^@]*)?$`)
	shardGlob   = regexp.MustCompile(`^(.+)-\*-of-(\d+)([^\d*?\[][^*?\[]*)?$`)
)

// A Shard is what the name of one file of a set says: "base-00003-of-00012.gz".
type Shard struct {
	Dir    string // with its separator, as written; may be empty
	Base   string // before the numbers
	Suffix string // behind them
	Index  int    // from 0
	Count  int
	Digits int // that the count is written with
	width  int // that the index is written with
}

// ParseShard reads the numbers in the name of a file. Writers pad them to five
// digits, but not all do. The index may be out of range: that is for the caller
// to report.
func (l *Lister) ParseShard(name string) (s Shard, ok bool) {
	dir, base := l.split(name)
	m := shardName.FindStringSubmatch(base)
	if m == nil {
		return Shard{}, false
	}
	index, err1 := strconv.Atoi(m[2])
	count, err2 := strconv.Atoi(m[3])
	if err1 != nil || err2 != nil || count == 0 {
		return Shard{}, false
	}
	return Shard{dir, m[1], m[4], index, count, len(m[3]), len(m[2])}, true
}

// Set returns the name of the set that the shard is of, as in SetError.Set.
func (s Shard) Set() string { return newSet([]Shard{s}).name }

// IsSharded reports whether a name is a sharded one, as "train@3.gz".
func IsSharded(name string) bool {
	return shardedName.MatchString(name[strings.LastIndexByte(name, '/')+1:])
}

// canonical is the number of digits that both numbers are padded to, as
// TensorFlow does.
const canonical = 5

// padding returns how many digits the count is padded to: canonical also where
// it has more, 0 where it is not padded.
func (s Shard) padding() int {
	switch own := len(strconv.Itoa(s.Count)); {
	case s.Digits == max(own, canonical):
		return canonical
	case s.Digits == own:
		return 0
	}
	return s.Digits
}

// name returns the name of the shard of another index.
func (s Shard) name(width, i int) string {
	return fmt.Sprintf("%s%s-%0*d-of-%0*d%s", s.Dir, s.Base, width, i, s.Digits, s.Count, s.Suffix)
}

// sharded appends the files of a set that is named by its size: "base@N" and
// "base@N.ext". Where nothing can be looked up, "base-*-of-N" is one too. ok is
// false if pattern is neither.
func (e *expansion) sharded(pattern string) (ok bool, err error) {
	dir, base := e.split(pattern)
	m := shardedName.FindStringSubmatch(base)
	glob := false
	if m == nil {
		if m = shardGlob.FindStringSubmatch(base); m == nil || e.stat != nil {
			return false, nil
		}
		glob = true
	}
	s, err := newShard(pattern, dir, m)
	if err != nil {
		return false, err
	}
	if glob {
		s.Digits = len(m[2])
	}
	n, width := s.Count, s.Digits
	if e.stat == nil {
		for i := range n {
			e.Files = append(e.Files, File{Name: s.name(width, i)})
		}
		return true, nil
	}
	e.bySize[s.key()] = true
	missing, err := e.absent(s, width)
	if err == nil && width > canonical && len(missing) > 0 {
		// From 100,000 shards on, TensorFlow pads the index to five digits, and
		// others pad it to the width of the count.
		var other []int
		if other, err = e.absent(s, canonical); len(other) < len(missing) {
			width, missing = canonical, other
		}
	}
	if err != nil {
		e.Files = append(e.Files, File{Name: pattern, Err: reason(err)})
		return true, nil
	}
	var set *SetError
	if len(missing) > 0 {
		set = &SetError{Set: pattern, Message: absentMessage(s, width, missing, 0), Missing: len(missing), key: s.key()}
		if len(missing) == n {
			set.Message += e.hint(s)
		}
		e.Broken = append(e.Broken, set)
	}
	for i := range n {
		f := File{Name: s.name(width, i)}
		if len(missing) > 0 && missing[0] == i {
			missing, f.Err, f.Set = missing[1:], fs.ErrNotExist, set
		}
		e.Files = append(e.Files, f)
	}
	return true, nil
}

// newShard makes the Shard of a pattern that a regular expression has divided into base, count and
// suffix.
func newShard(pattern, dir string, m []string) (Shard, error) {
	n, err := strconv.Atoi(m[2])
	switch {
	case err != nil || n > maxShards:
		return Shard{}, fmt.Errorf("%s: a set of more than %d shards", pattern, maxShards)
	case n == 0:
		return Shard{}, fmt.Errorf("%s: a set of 0 shards", pattern)
	}
	return Shard{Dir: dir, Base: m[1], Suffix: m[3], Count: n, Digits: max(canonical, len(m[2]))}, nil
}

// ShardNames returns the names of the files that a sharded name stands for, as "train@3.gz"; any
// other name stands for itself.
func ShardNames(name string) ([]string, error) {
	dir, base := System(context.Background()).split(name)
	m := shardedName.FindStringSubmatch(base)
	if m == nil {
		return []string{name}, nil
	}
	s, err := newShard(name, dir, m)
	if err != nil {
		return nil, err
	}
	names := make([]string, s.Count)
	for i := range names {
		names[i] = s.name(s.Digits, i)
	}
	return names, nil
}

// hint names a set that lies where one was looked for, and differs in its extension or
// padding; "" if there is none.
func (l *Lister) hint(s Shard) string {
	for _, other := range l.shardsIn(s.Dir) {
		if other.Base == s.Base && other.Count == s.Count {
			return "; there is " + newSet([]Shard{other}).name
		}
	}
	return ""
}

// absent returns the indexes of a set whose files are not there. The error is that of a file that cannot be looked up, as in a
// directory without permission or on a server that does not answer: it may be there.
func (l *Lister) absent(s Shard, width int) (all []int, err error) {
	var names map[string]bool
	if s.Count > 64 || s.Count > 1 && storage.Remote(s.Dir) { // one listing costs less than as many questions
		names = l.namesIn(s.Dir)
	}
	for i := range s.Count {
		name := s.name(width, i)
		if names != nil {
			if !names[name[len(s.Dir):]] {
				all = append(all, i)
			}
			continue
		}
		switch _, err := l.stat(name); {
		case errors.Is(err, fs.ErrNotExist):
			all = append(all, i)
		case err != nil:
			return nil, err
		}
	}
	return all, nil
}

// namesIn returns what is in a directory, or nil if it cannot be read.
func (l *Lister) namesIn(dir string) map[string]bool {
	if dir == "" {
		dir = "."
	}
	entries, err := l.readDir(dir)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

// compare orders names by their bytes, and shards of one set by their index.
func (l *Lister) compare(a, b string) int {
	// A shard sorts by what precedes its numbers, then by them: a total order.
	ap, as := l.sortKey(a)
	bp, bs := l.sortKey(b)
	return cmp.Or(
		strings.Compare(ap, bp),
		cmp.Compare(as.Count, bs.Count),
		cmp.Compare(as.Index, bs.Index),
		strings.Compare(a, b),
	)
}

func (l *Lister) sortKey(name string) (prefix string, s Shard) {
	s, ok := l.ParseShard(name)
	if !ok {
		return name, s
	}
	return s.Dir + s.Base + "-", s
}
