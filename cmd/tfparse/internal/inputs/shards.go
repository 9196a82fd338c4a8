package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxShards bounds the names that one pattern may stand for.
const maxShards = 1_000_000

var (
	shardName    = regexp.MustCompile(`^(.*)-(\d+)-of-(\d+)(\D.*)?$`)
	shardNotion  = regexp.MustCompile(`^(.+)@(\d+)(\.[^@]*)?$`)
	errNoShards  = errors.New("a set of 0 shards")
	errManyShard = fmt.Errorf("a set of more than %d shards", maxShards)
)

// A Shard is what the name of one file of a set says: "base-00003-of-00012.gz".
type Shard struct {
	Dir    string // with its separator, as written; may be empty
	Base   string // before the numbers
	Suffix string // behind them
	Index  int    // from 0
	Count  int
	Digits int // that the count is written with
}

// ParseShard reads the numbers in the name of a file. Writers pad them to five
// digits, but not all do. The index may be out of range: that is for the caller
// to report.
func ParseShard(name string) (s Shard, ok bool) {
	dir, base := filepath.Split(name)
	m := shardName.FindStringSubmatch(base)
	if m == nil {
		return Shard{}, false
	}
	index, err1 := strconv.Atoi(m[2])
	count, err2 := strconv.Atoi(m[3])
	if err1 != nil || err2 != nil || count == 0 {
		return Shard{}, false
	}
	return Shard{dir, m[1], m[4], index, count, len(m[3])}, true
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

// shardPattern returns the names that "base@N" and "base@N.ext" stand for. ok
// is false when arg is no such pattern.
func shardPattern(arg string) (names []Input, ok bool, err error) {
	dir, base := filepath.Split(arg)
	m := shardNotion.FindStringSubmatch(base)
	if m == nil {
		return nil, false, nil
	}
	n, err := strconv.Atoi(m[2])
	switch {
	case err != nil || n > maxShards:
		return nil, false, fmt.Errorf("%s: %w", arg, errManyShard)
	case n == 0:
		return nil, false, fmt.Errorf("%s: %w", arg, errNoShards)
	}
	// Above 99,999 shards there are two habits: TensorFlow pads each number to
	// five digits, others pad the index to the width of the count.
	width := max(canonical, len(m[2]))
	name := func(width, i int) string {
		return fmt.Sprintf("%s%s-%0*d-of-%05d%s", dir, m[1], width, i, n, m[3])
	}
	if width > canonical {
		if _, err := os.Lstat(name(canonical, 0)); err == nil {
			width = canonical
		}
	}
	names = make([]Input, n)
	for i := range names {
		names[i].Name = name(width, i)
	}
	return names, true, nil
}

// compareNames orders names by their bytes, and shards of one set by number.
func compareNames(a, b string) int {
	// A shard sorts by what precedes its numbers, then by them: a total order.
	ap, as := sortKey(a)
	bp, bs := sortKey(b)
	return cmp.Or(
		strings.Compare(ap, bp),
		cmp.Compare(as.Count, bs.Count),
		cmp.Compare(as.Index, bs.Index),
		strings.Compare(a, b),
	)
}

func sortKey(name string) (prefix string, s Shard) {
	s, ok := ParseShard(name)
	if !ok {
		return name, s
	}
	return s.Dir + s.Base + "-", s
}

// A SetFault says that shards that were given are not a whole set.
type SetFault struct {
	Set     string // in a notation that Expand reads: "dir/base@12.gz", or "dir/base-*-of-12.gz" if the numbers are not padded so
	Message string
}

// Error gives the message alone; whose it is stands in Set.
func (f SetFault) Error() string { return f.Message }

// CheckSets looks at those of the given names that are shards, and reports each
// set that is not complete: given or beside the given ones there must be every
// index from 0 to the count, or from 1 up to it, and no file of another count
// among the given.
func CheckSets(names []string) []SetFault {
	type key struct {
		dir, base, suffix string
		digits            int // that the count is padded to: another habit is another set
	}
	counts := map[key]map[int][]int{} // count -> indexes
	var order []key
	for _, name := range names {
		s, ok := ParseShard(name)
		if !ok {
			continue
		}
		k := key{s.Dir, s.Base, s.Suffix, s.padding()}
		if counts[k] == nil {
			counts[k] = map[int][]int{}
			order = append(order, k)
		}
		counts[k][s.Count] = append(counts[k][s.Count], s.Index)
	}
	if len(order) == 0 {
		return nil
	}

	var faults []SetFault
	beside := map[string][]Shard{} // directory -> the shards in it
	for _, k := range order {
		if _, ok := beside[k.dir]; !ok {
			beside[k.dir] = shardsIn(k.dir)
		}
		byCount := sortedKeys(counts[k])
		for i, n := range byCount {
			set := fmt.Sprintf("%s%s@%d%s", k.dir, k.base, n, k.suffix)
			if k.digits != canonical {
				set = fmt.Sprintf("%s%s-*-of-%0*d%s", k.dir, k.base, k.digits, n, k.suffix)
			}
			have := counts[k][n]
			for _, s := range beside[k.dir] {
				if s.Base == k.base && s.Suffix == k.suffix && s.padding() == k.digits && s.Count == n {
					have = append(have, s.Index)
				}
			}
			slices.Sort(have)
			have = slices.Compact(have)
			fromOne := have[0] == 1 && have[len(have)-1] == n && len(have) == n
			if last := have[len(have)-1]; last >= n && !fromOne {
				faults = append(faults, SetFault{set, fmt.Sprintf("shard %d is outside a set of %d", last, n)})
			}
			if gaps := missing(have, n); gaps != "" && !fromOne {
				faults = append(faults, SetFault{set, fmt.Sprintf("of %d shards, these are missing: %s", n, gaps)})
			}
			if i > 0 {
				faults = append(faults, SetFault{set, fmt.Sprintf("a set of %d of the same name is given too", byCount[i-1])})
			}
		}
	}
	return faults
}

// shardsIn returns the shards in a directory; of one that cannot be read, none.
func shardsIn(dir string) []Shard {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []Shard
	for _, e := range entries {
		if s, ok := ParseShard(e.Name()); ok {
			all = append(all, s)
		}
	}
	return all
}

// missing names the indexes below n that are not in have, which is sorted: "3, 5 to 7".
func missing(have []int, n int) string {
	const most = 8 // ranges in one message
	var gaps []string
	next := 0
	for _, i := range append(have, n) {
		if i > n {
			break
		}
		switch {
		case i == next+1:
			gaps = append(gaps, strconv.Itoa(next))
		case i > next:
			gaps = append(gaps, fmt.Sprintf("%d to %d", next, i-1))
		}
		next = i + 1
	}
	if len(gaps) > most {
		gaps = append(gaps[:most], "and more")
	}
	return strings.Join(gaps, ", ")
}

func sortedKeys(m map[int][]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
