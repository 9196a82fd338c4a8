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

// maxShards limits the names that one pattern expands to.
const maxShards = 1_000_000

var (
	shardNameRE   = regexp.MustCompile(`^(.*)-(\d+)-of-(\d+)(\D.*)?$`)
	shardedNameRE = regexp.MustCompile(`^(.+)@(\d+)(\.[^@]*)?$`)
	shardGlobRE   = regexp.MustCompile(`^(.+)-\*-of-(\d+)([^\d*?\[][^*?\[]*)?$`)
)

// A Shard is the parsed name of one file of a set: "base-00003-of-00012.gz".
type Shard struct {
	Dir         string // with its separator, as written; may be empty
	Base        string // before the numbers
	Suffix      string // after the numbers
	Index       int    // as written: from 0 or 1
	Count       int    // number of shards of the set
	Digits      int    // number of digits of the count
	indexDigits int    // number of digits of the index
}

// ParseShard parses the name of a file. Most writers pad the numbers to five digits. The index may be
// out of range: the caller reports that.
func (l *Lister) ParseShard(name string) (s Shard, ok bool) {
	dir, base := l.splitName(name)
	m := shardNameRE.FindStringSubmatch(base)
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

// SetName returns the name of the set, as in SetError.Set.
func (s Shard) SetName() string { return newShardSet([]Shard{s}).name }

// IsSharded reports whether a name is a sharded name, such as "train@3.gz".
func IsSharded(name string) bool {
	return shardedNameRE.MatchString(name[strings.LastIndexByte(name, '/')+1:])
}

// canonicalDigits is the number of digits that TensorFlow pads both numbers to.
const canonicalDigits = 5

// padding returns the number of digits that the count is padded to: canonicalDigits also for a longer count, 0
// without padding.
func (s Shard) padding() int {
	switch own := len(strconv.Itoa(s.Count)); {
	case s.Digits == max(own, canonicalDigits):
		return canonicalDigits
	case s.Digits == own:
		return 0
	}
	return s.Digits
}

// fileName returns the name of the shard with index i. width is the number of digits of the index.
func (s Shard) fileName(width, i int) string {
	return fmt.Sprintf("%s%s-%0*d-of-%0*d%s", s.Dir, s.Base, width, i, s.Digits, s.Count, s.Suffix)
}

// addSharded appends the files of a set that is named by its size: "base@N" and "base@N.ext". Without a file system
// "base-*-of-N" is a set too. ok is false if pattern is neither.
func (e *expansion) addSharded(pattern string) (ok bool, err error) {
	dir, base := e.splitName(pattern)
	m := shardedNameRE.FindStringSubmatch(base)
	glob := false
	if m == nil {
		if m = shardGlobRE.FindStringSubmatch(base); m == nil || e.stat != nil {
			return false, nil
		}
		glob = true
	}
	s, err := parseSharded(pattern, dir, m)
	if err != nil {
		return false, err
	}
	if glob {
		s.Digits = len(m[2])
	}
	n, width := s.Count, s.Digits
	if e.stat == nil {
		for i := range n {
			e.Files = append(e.Files, File{Name: s.fileName(width, i)})
		}
		return true, nil
	}
	e.sizedSets[s.key()] = true
	missing, err := e.missingShards(s, width)
	if err == nil && width > canonicalDigits && len(missing) > 0 {
		// From 100,000 shards on, TensorFlow pads the index to five digits, and other writers pad it to the width
		// of the count.
		var other []int
		if other, err = e.missingShards(s, canonicalDigits); len(other) < len(missing) {
			width, missing = canonicalDigits, other
		}
	}
	if err != nil {
		e.Files = append(e.Files, File{Name: pattern, Err: withoutPath(err)})
		return true, nil
	}
	var set *SetError
	if len(missing) > 0 {
		set = &SetError{Set: pattern, Message: absentMessage(s, width, missing, 0), Missing: len(missing), key: s.key()}
		if len(missing) == n {
			set.Message += e.similarSet(s)
		}
		e.Broken = append(e.Broken, set)
	}
	for i := range n {
		f := File{Name: s.fileName(width, i)}
		if len(missing) > 0 && missing[0] == i {
			missing, f.Err, f.Set = missing[1:], fs.ErrNotExist, set
		}
		e.Files = append(e.Files, f)
	}
	return true, nil
}

// parseSharded returns the Shard of a pattern that a regular expression has divided into base, count and suffix.
func parseSharded(pattern, dir string, m []string) (Shard, error) {
	n, err := strconv.Atoi(m[2])
	switch {
	case err != nil || n > maxShards:
		return Shard{}, fmt.Errorf("%s: a set of more than %d shards", pattern, maxShards)
	case n == 0:
		return Shard{}, fmt.Errorf("%s: a set of 0 shards", pattern)
	}
	return Shard{Dir: dir, Base: m[1], Suffix: m[3], Count: n, Digits: max(canonicalDigits, len(m[2]))}, nil
}

// ShardNames expands a sharded name, such as "train@3.gz"; any other name is returned as it is.
func ShardNames(name string) ([]string, error) {
	dir, base := System(context.Background()).splitName(name)
	m := shardedNameRE.FindStringSubmatch(base)
	if m == nil {
		return []string{name}, nil
	}
	s, err := parseSharded(name, dir, m)
	if err != nil {
		return nil, err
	}
	names := make([]string, s.Count)
	for i := range names {
		names[i] = s.fileName(s.Digits, i)
	}
	return names, nil
}

// similarSet returns a note about a set in the same directory that differs in its extension or padding; "" if there
// is none.
func (l *Lister) similarSet(s Shard) string {
	for _, other := range l.listShards(s.Dir) {
		if other.Base == s.Base && other.Count == s.Count {
			return "; there is " + newShardSet([]Shard{other}).name
		}
	}
	return ""
}

// missingShards returns the indexes of a set whose files do not exist. The error is that of a file that cannot be
// looked up, such as in a directory without permission or on a server that does not answer: the file may exist.
func (l *Lister) missingShards(s Shard, width int) (all []int, err error) {
	var names map[string]bool
	if s.Count > 64 || s.Count > 1 && storage.Remote(s.Dir) { // one listing is cheaper than one Stat per file
		names = l.listNames(s.Dir)
	}
	for i := range s.Count {
		name := s.fileName(width, i)
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

// listNames returns the names in a directory, or nil if it cannot be read.
func (l *Lister) listNames(dir string) map[string]bool {
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

// compareNames orders names by their bytes, and shards of one set by their index.
func (l *Lister) compareNames(a, b string) int {
	// A shard sorts by the name before its numbers, then by count and index: a total order.
	ap, as := l.sortKey(a)
	bp, bs := l.sortKey(b)
	return cmp.Or(
		strings.Compare(ap, bp),
		cmp.Compare(as.Count, bs.Count),
		cmp.Compare(as.Index, bs.Index),
		strings.Compare(a, b),
	)
}

// sortKey returns the parts of a name that compareNames compares.
func (l *Lister) sortKey(name string) (prefix string, s Shard) {
	s, ok := l.ParseShard(name)
	if !ok {
		return name, s
	}
	return s.Dir + s.Base + "-", s
}
