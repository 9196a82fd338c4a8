package filelist

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A SetError is the error of an incomplete set of shards.
type SetError struct {
	Set     string // a pattern for the set: "dir/base@12.gz", or "dir/base-*-of-12.gz" with other padding
	Message string
	Missing int // number of missing shards; 0 if something else is wrong

	key setKey // identifies the set
}

// Error returns the message without the name of the set.
func (e *SetError) Error() string { return e.Message }

// Unwrap returns fs.ErrNotExist if a shard is missing.
func (e *SetError) Unwrap() error {
	if e.Missing == 0 {
		return nil
	}
	return fs.ErrNotExist
}

// setKey identifies a set. Sets that differ in padding or suffix are different sets.
type setKey struct {
	dir, base, suffix string
	padding, count    int
}

func (s Shard) key() setKey { return setKey{s.Dir, s.Base, s.Suffix, s.padding(), s.Count} }

// shardSet is the known shards of one set.
type shardSet struct {
	Shard             // any shard of the set
	name       string // as SetError.Set
	indexes    []int  // sorted, each once
	firstIndex int    // lowest index of a complete set: 0 or 1
	duplicates string // names of two shards with one index; "" if there are none
}

// newShardSet returns the shardSet of shards of one set.
func newShardSet(shards []Shard) *shardSet {
	set := &shardSet{Shard: shards[0]}
	for _, s := range shards {
		set.indexes = append(set.indexes, s.Index)
		set.indexDigits = min(set.indexDigits, s.indexDigits) // the shortest, because indexes without padding differ
		if s.Index == s.Count {
			set.firstIndex = 1
		}
	}
	slices.Sort(set.indexes)
	if all := slices.Compact(slices.Clone(set.indexes)); len(all) < len(set.indexes) {
		set.indexes, set.duplicates = all, findDuplicates(shards)
	}
	if set.indexes[0] == 0 {
		set.firstIndex = 0
	}
	set.name = fmt.Sprintf("%s%s@%d%s", set.Dir, set.Base, set.Count, set.Suffix)
	if set.padding() != canonicalDigits {
		set.name = fmt.Sprintf("%s%s-*-of-%0*d%s", set.Dir, set.Base, set.Digits, set.Count, set.Suffix)
	}
	return set
}

// findDuplicates returns the names of the first two shards that differ only in the padding of their index; "" if
// there are none. A shard that is given twice counts once.
func findDuplicates(shards []Shard) string {
	shards = slices.Clone(shards)
	slices.SortFunc(shards, func(a, b Shard) int { return cmp.Or(a.Index-b.Index, b.indexDigits-a.indexDigits) })
	for i, s := range shards[1:] {
		if before := shards[i]; before.Index == s.Index && before.indexDigits != s.indexDigits {
			return before.fileName(before.indexDigits, s.Index) + ", " + s.fileName(s.indexDigits, s.Index)
		}
	}
	return ""
}

// missingRanges returns the missing indexes as ranges, and their number.
func (s *shardSet) missingRanges() (gaps []indexRange, n int) {
	next := s.firstIndex
	end := s.firstIndex + s.Count
	for _, i := range append(slices.Clip(s.indexes), end) {
		i = min(i, end) // an index outside the set counts as its end
		if i > next {
			gaps = append(gaps, indexRange{next, i - 1})
			n += i - next
		}
		next = i + 1
	}
	return gaps, n
}

// surplusMessage returns the message about shards whose index is beyond the count; "" if there are none.
func (s *shardSet) surplusMessage() string {
	if last := s.indexes[len(s.indexes)-1]; last >= s.firstIndex+s.Count {
		return fmt.Sprintf("shard %d is outside a set of %d shards", last, s.Count)
	}
	return ""
}

// indexRange is a range of indexes, both ends included.
type indexRange struct{ first, last int }

// missingMessage lists missing shards: "2 of 9 shards are missing: a-00003-of-00009, …".
func (s *shardSet) missingMessage(gaps []indexRange, n int) string {
	const most = 8 // ranges in one message
	var names []string
	for _, g := range gaps[:min(len(gaps), most)] {
		name := s.Shard.fileName(s.indexDigits, g.first)
		switch g.last {
		case g.first:
		case g.first + 1:
			name += ", " + s.Shard.fileName(s.indexDigits, g.last)
		default:
			name += " to " + s.Shard.fileName(s.indexDigits, g.last)
		}
		names = append(names, name)
	}
	if len(gaps) > most {
		names = append(names, "and more")
	}
	is := "are"
	if n == 1 {
		is = "is"
	}
	return fmt.Sprintf("%d of %d shards %s missing: %s", n, s.Count, is, strings.Join(names, ", "))
}

// absentMessage is missingMessage for a sorted list of missing indexes. width is the number of digits of an index.
func absentMessage(s Shard, width int, missing []int, first int) string {
	set := shardSet{Shard: s, firstIndex: first}
	set.indexDigits = width
	var gaps []indexRange
	for _, i := range missing {
		if n := len(gaps); n > 0 && gaps[n-1].last == i-1 {
			gaps[n-1].last = i
		} else {
			gaps = append(gaps, indexRange{i, i})
		}
	}
	return set.missingMessage(gaps, len(missing))
}

// withSiblings adds the shards of the set that lie in the same directory.
func (l *Lister) withSiblings(s *shardSet, dirs map[string][]Shard) *shardSet {
	if l.readDir == nil {
		return s
	}
	if _, ok := dirs[s.Dir]; !ok {
		dirs[s.Dir] = l.listShards(s.Dir)
	}
	all := []Shard{s.Shard}
	for _, i := range s.indexes {
		s.Index = i
		all = append(all, s.Shard)
	}
	for _, other := range dirs[s.Dir] {
		if other.key() == s.key() {
			all = append(all, other)
		}
	}
	return newShardSet(all[1:])
}

// listShards returns the shards in a directory; none if it cannot be read.
func (l *Lister) listShards(dir string) []Shard {
	name := dir
	if name == "" {
		name = "."
	}
	entries, err := l.readDir(name)
	if err != nil {
		return nil
	}
	var all []Shard
	for _, e := range entries {
		if s, ok := l.ParseShard(e.Name()); ok {
			s.Dir = dir
			all = append(all, s)
		}
	}
	return all
}

// checkCompleteness adds incomplete sets to Broken, and their missing shards to Files, after the existing shards. A
// shard in the directory that no pattern matches is not missing: the user has chosen some shards of the set.
func (e *expansion) checkCompleteness() {
	if e.stat == nil {
		return
	}
	type use struct {
		shards  []Shard
		literal bool // all shards were given by their own names
		last    int  // index in Files of the last shard
	}
	sets := map[setKey]*use{}
	var order []setKey
	for i, f := range e.Files {
		s, ok := e.ParseShard(f.Name)
		if !ok || f.Set != nil || f.Err != nil {
			continue
		}
		k := s.key()
		if sets[k] == nil {
			sets[k] = &use{literal: true}
			order = append(order, k)
		}
		u := sets[k]
		u.shards = append(u.shards, s)
		u.literal = u.literal && e.byName[i]
		u.last = i
	}
	counted := map[setKey]bool{} // sets of sharded names
	for _, set := range e.Broken {
		counted[set.key] = true
	}
	dirs := map[string][]Shard{}
	insertAfter := map[int][]File{}
	for _, k := range order {
		u := sets[k]
		if counted[k] || u.literal && !(e.opts.Named && len(u.shards) > 1) {
			continue
		}
		set := newShardSet(u.shards)
		if _, n := set.missingRanges(); n > 0 || e.sizedSets[k] {
			set = e.withSiblings(set, dirs)
		}
		gaps, n := set.missingRanges()
		message := set.surplusMessage()
		switch {
		case n > 0:
			message = set.missingMessage(gaps, n)
		case message == "":
			continue
		}
		broken := &SetError{Set: set.name, Message: message, Missing: n, key: k}
		e.Broken = append(e.Broken, broken)
		if n == 0 {
			continue
		}
		if n > maxShards { // a name may claim any number
			insertAfter[u.last] = []File{{Name: set.name, Err: broken, Set: broken}}
			continue
		}
		for _, g := range gaps {
			for i := g.first; i <= g.last; i++ {
				insertAfter[u.last] = append(insertAfter[u.last], File{Name: set.Shard.fileName(set.indexDigits, i), Err: fs.ErrNotExist, Set: broken})
			}
		}
	}
	if len(insertAfter) == 0 {
		return
	}
	var all []File
	for i, f := range e.Files {
		all = append(append(all, f), insertAfter[i]...)
	}
	e.Files = all
}

// CheckSets returns the errors of the sets that a list has shards of, also if a shard is named itself. The list or
// the directory must have every index from 0 to count-1, or from 1 to count, each once; the list must not have
// files of another count, or one shard with extensions of two codecs.
func (l *Lister) CheckSets(list *List) []*SetError {
	var names []string
	for _, f := range list.Files {
		if f.Set == nil {
			names = append(names, f.Name)
		}
	}
	all := l.checkNames(names)
	for _, set := range list.Broken { // if no shard of a set exists, names has none
		if !slices.ContainsFunc(all, func(e *SetError) bool { return e.key == set.key }) {
			all = append(all, set)
		}
	}
	return all
}

// checkNames is CheckSets for the names of files.
func (l *Lister) checkNames(names []string) (all []*SetError) {
	sets := map[setKey]map[int][]Shard{} // key without the count -> count -> shards
	var order []setKey
	for _, name := range names {
		s, ok := l.ParseShard(name)
		if !ok {
			continue
		}
		k := s.key()
		k.count = 0
		if sets[k] == nil {
			sets[k] = map[int][]Shard{}
			order = append(order, k)
		}
		sets[k][s.Count] = append(sets[k][s.Count], s)
	}
	dirs := map[string][]Shard{}
	bySuffix := map[setKey]*shardSet{} // by key without the extension of a codec
	for _, k := range order {
		counts := slices.Sorted(maps.Keys(sets[k]))
		for i, n := range counts {
			set := l.withSiblings(newShardSet(sets[k][n]), dirs)
			report := func(missing int, format string, args ...any) {
				all = append(all, &SetError{set.name, fmt.Sprintf(format, args...), missing, set.key()})
			}
			if surplus := set.surplusMessage(); surplus != "" {
				report(0, "%s", surplus)
			}
			if gaps, missing := set.missingRanges(); missing > 0 {
				report(missing, "%s", set.missingMessage(gaps, missing))
			}
			if set.duplicates != "" {
				report(0, "one shard exists twice: %s", set.duplicates)
			}
			if i > 0 {
				report(0, "a set of size %d has the same name", counts[i-1])
			}
			plain := set.key()
			plain.suffix = withoutCodec(plain.suffix)
			if other := bySuffix[plain]; other != nil && slices.ContainsFunc(set.indexes, func(i int) bool { return slices.Contains(other.indexes, i) }) {
				report(0, "the same shards are given as %s too", other.name)
			}
			bySuffix[plain] = set
		}
	}
	return all
}
