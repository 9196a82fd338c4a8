package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// maxShards bounds the names that one pattern may stand for.
const maxShards = 1_000_000

var (
	shardName  = regexp.MustCompile(`^(.*)-(\d+)-of-(\d+)(\D.*)?$`)
	shardCount = regexp.MustCompile(`^(.+)@(\d+)(\.[^@]*)?$`)
	shardGlob  = regexp.MustCompile(`^(.+)-\*-of-(\d+)([^\d*?\[][^*?\[]*)?$`)
)

// shards returns the files of a set, in any of its notations; nil if pattern is none.
func (l *lister) shards(pattern string) ([]entry, error) {
	dir, base := l.split(pattern)
	counted := shardCount.FindStringSubmatch(base)
	m := counted
	if m == nil {
		if m = shardGlob.FindStringSubmatch(base); m == nil || strings.ContainsAny(dir+m[1], "*?[") {
			return nil, nil
		}
	}
	n, err := strconv.Atoi(m[2])
	switch {
	case err != nil || n > maxShards:
		return nil, fmt.Errorf("%s: a set of more than %d shards", pattern, maxShards)
	case n == 0:
		return nil, fmt.Errorf("%s: a set of 0 shards", pattern)
	}
	set := shardSet{l, dir + m[1], m[2], m[3], n, 0, max(5, len(m[2]))}
	if counted != nil {
		set.count = fmt.Sprintf("%05d", n)
	}
	all := make([]entry, n)
	missing := set.find(counted != nil)
	for i := range all {
		all[i].name = set.name(i)
	}
	for _, i := range missing {
		all[i].err = fs.ErrNotExist
	}
	if len(missing) > 0 {
		all[missing[0]].err = fmt.Errorf("%w; %d of the %d shards of %s are missing", fs.ErrNotExist, len(missing), n, pattern)
	}
	return all, nil
}

// A shardSet is the files of one set.
type shardSet struct {
	l             *lister
	base          string
	count, suffix string // as written
	n             int
	first         int // number of the first shard
	width         int // that numbers are padded to
}

func (s *shardSet) name(i int) string {
	return fmt.Sprintf("%s-%0*d-of-%s%s", s.base, s.width, s.first+i, s.count, s.suffix)
}

// find chooses the habit of padding and counting by which most shards are there, and
// returns those that are not.
func (s *shardSet) find(counted bool) (missing []int) {
	// TensorFlow pads each number to five digits; others pad the index to the width of
	// the count, which is then as wide as it is written.
	habits := [][2]int{{0, s.width}, {0, 5}}
	if !counted {
		habits = [][2]int{{0, len(s.count)}, {0, 5}, {0, 1}, {1, 1}, {1, len(s.count)}}
	}
	best := *s
	best.first, best.width = habits[0][0], habits[0][1]
	if s.l.stat == nil {
		*s = best
		return nil
	}
	for i, h := range habits {
		s.first, s.width = h[0], h[1]
		var gone []int
		for i := range s.n {
			if !s.l.exists(s.name(i)) {
				gone = append(gone, i)
			}
		}
		if i == 0 || len(gone) < len(missing) {
			best, missing = *s, gone
		}
		if len(missing) == 0 {
			break
		}
	}
	*s = best
	return missing
}

// compare orders names by their bytes, and the shards of one set by their numbers.
func (l *lister) compare(a, b string) int {
	ap, ac, ai := l.key(a)
	bp, bc, bi := l.key(b)
	return cmp.Or(strings.Compare(ap, bp), cmp.Compare(ac, bc), cmp.Compare(ai, bi), strings.Compare(a, b))
}

// key is what a name is ordered by.
func (l *lister) key(name string) (prefix string, count, index int) {
	dir, base := l.split(name)
	m := shardName.FindStringSubmatch(base)
	if m == nil {
		return name, 0, 0
	}
	index, err1 := strconv.Atoi(m[2])
	count, err2 := strconv.Atoi(m[3])
	if err1 != nil || err2 != nil {
		return name, 0, 0
	}
	return dir + m[1] + "-", count, index
}
