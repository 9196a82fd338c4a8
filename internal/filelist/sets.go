package filelist

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A SetError says that shards are not a whole set.
type SetError struct {
	Set     string // in a notation that List reads: "dir/base@12.gz", or "dir/base-*-of-12.gz" if the numbers are not padded so
	Message string
	Missing int // shards; 0 where something else is wrong

	key setKey
}

// Error gives the message alone; whose it is stands in Set.
func (e *SetError) Error() string { return e.Message }

// Unwrap returns fs.ErrNotExist if a file of the set is not there.
func (e *SetError) Unwrap() error {
	if e.Missing == 0 {
		return nil
	}
	return fs.ErrNotExist
}

// A setKey identifies a set. Another padding or suffix is another set.
type setKey struct {
	dir, base, suffix string
	padding, count    int
}

func (s Shard) key() setKey { return setKey{s.Dir, s.Base, s.Suffix, s.padding(), s.Count} }

// A shardSet is what is known of one set.
type shardSet struct {
	Shard        // any of them
	name  string // as SetError.Set
	have  []int  // indexes, in order, each once
	first int    // the lowest index that a whole set has: 0 or 1
	twice string // names of two shards of one index; "" if there are none
}

// newSet makes a shardSet of shards of one set.
func newSet(shards []Shard) *shardSet {
	set := &shardSet{Shard: shards[0]}
	for _, s := range shards {
		set.have = append(set.have, s.Index)
		set.width = min(set.width, s.width) // of those that are not padded, the shortest
		if s.Index == s.Count {
			set.first = 1
		}
	}
	slices.Sort(set.have)
	if all := slices.Compact(slices.Clone(set.have)); len(all) < len(set.have) {
		set.have, set.twice = all, sameIndex(shards)
	}
	if set.have[0] == 0 {
		set.first = 0
	}
	set.name = fmt.Sprintf("%s%s@%d%s", set.Dir, set.Base, set.Count, set.Suffix)
	if set.padding() != canonical {
		set.name = fmt.Sprintf("%s%s-*-of-%0*d%s", set.Dir, set.Base, set.Digits, set.Count, set.Suffix)
	}
	return set
}

// sameIndex names the first two of the shards that differ only in how their index is padded; "" if
// none do. A shard that is among them two times is one shard.
func sameIndex(shards []Shard) string {
	shards = slices.Clone(shards)
	slices.SortFunc(shards, func(a, b Shard) int { return cmp.Or(a.Index-b.Index, b.width-a.width) })
	for i, s := range shards[1:] {
		if before := shards[i]; before.Index == s.Index && before.width != s.width {
			return before.name(before.width, s.Index) + ", " + s.name(s.width, s.Index)
		}
	}
	return ""
}

// missing returns the indexes that a set lacks as ranges, and how many they are.
func (s *shardSet) missing() (gaps []gap, n int) {
	next := s.first
	end := s.first + s.Count
	for _, i := range append(slices.Clip(s.have), end) {
		i = min(i, end) // an index outside the set stands for its end
		if i > next {
			gaps = append(gaps, gap{next, i - 1})
			n += i - next
		}
		next = i + 1
	}
	return gaps, n
}

// surplus is the message about shards whose index is beyond the count; "" if there are none.
func (s *shardSet) surplus() string {
	if last := s.have[len(s.have)-1]; last >= s.first+s.Count {
		return fmt.Sprintf("shard %d is outside a set of %d", last, s.Count)
	}
	return ""
}

// A gap is a range of indexes.
type gap struct{ first, last int }

// message says which shards are missing: "2 of 9 shards are missing: a-00003-of-00009, …".
func (s *shardSet) message(gaps []gap, n int) string {
	const most = 8 // ranges in one message
	var names []string
	for _, g := range gaps[:min(len(gaps), most)] {
		name := s.Shard.name(s.width, g.first)
		switch g.last {
		case g.first:
		case g.first + 1:
			name += ", " + s.Shard.name(s.width, g.last)
		default:
			name += " to " + s.Shard.name(s.width, g.last)
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

// absentMessage is message for indexes that are missing, in order.
func absentMessage(s Shard, width int, missing []int, first int) string {
	set := shardSet{Shard: s, first: first}
	set.width = width
	var gaps []gap
	for _, i := range missing {
		if n := len(gaps); n > 0 && gaps[n-1].last == i-1 {
			gaps[n-1].last = i
		} else {
			gaps = append(gaps, gap{i, i})
		}
	}
	return set.message(gaps, len(missing))
}

// beside adds the shards that lie beside those of a set.
func (l *Lister) beside(s *shardSet, dirs map[string][]Shard) *shardSet {
	if l.readDir == nil {
		return s
	}
	if _, ok := dirs[s.Dir]; !ok {
		dirs[s.Dir] = l.shardsIn(s.Dir)
	}
	all := []Shard{s.Shard}
	for _, i := range s.have {
		s.Index = i
		all = append(all, s.Shard)
	}
	for _, other := range dirs[s.Dir] {
		if other.key() == s.key() {
			all = append(all, other)
		}
	}
	return newSet(all[1:])
}

// shardsIn returns the shards in a directory; of one that cannot be read, none.
func (l *Lister) shardsIn(dir string) []Shard {
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

// checkSets notes the sets that are not whole, and puts their missing shards
// behind those that are there. What lies beside the shards that were given is
// not missing: the user chose some shards of the set.
func (e *expansion) checkSets() {
	if e.stat == nil {
		return
	}
	type use struct {
		shards  []Shard
		literal bool // all were given by their own names
		last    int  // index of the last in Files
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
		u.literal = u.literal && e.literal[i]
		u.last = i
	}
	counted := map[setKey]bool{} // sets that a sharded name stands for
	for _, set := range e.Broken {
		counted[set.key] = true
	}
	dirs := map[string][]Shard{}
	behind := map[int][]File{}
	for _, k := range order {
		u := sets[k]
		if counted[k] || u.literal && !(e.opts.Named && len(u.shards) > 1) {
			continue
		}
		set := newSet(u.shards)
		if _, n := set.missing(); n > 0 || e.bySize[k] {
			set = e.beside(set, dirs)
		}
		gaps, n := set.missing()
		message := set.surplus()
		switch {
		case n > 0:
			message = set.message(gaps, n)
		case message == "":
			continue
		}
		broken := &SetError{Set: set.name, Message: message, Missing: n, key: k}
		e.Broken = append(e.Broken, broken)
		if n == 0 {
			continue
		}
		if n > maxShards { // a name may claim any number
			behind[u.last] = []File{{Name: set.name, Err: broken, Set: broken}}
			continue
		}
		for _, g := range gaps {
			for i := g.first; i <= g.last; i++ {
				behind[u.last] = append(behind[u.last], File{Name: set.Shard.name(set.width, i), Err: fs.ErrNotExist, Set: broken})
			}
		}
	}
	if len(behind) == 0 {
		return
	}
	var all []File
	for i, f := range e.Files {
		all = append(append(all, f), behind[i]...)
	}
	e.Files = all
}

// CheckSets reports the faults of the sets that a list has shards of, also
// where a shard is named by itself: in the list or beside its files there must be
// every index from 0 to the count, or from 1 up to it, each once, and in the list no file of another
// count and none that is the same shard with the extension of another codec.
func (l *Lister) CheckSets(list *List) []*SetError {
	var names []string
	for _, f := range list.Files {
		if f.Set == nil {
			names = append(names, f.Name)
		}
	}
	all := l.checkNames(names)
	for _, set := range list.Broken { // none of its shards may exist
		if !slices.ContainsFunc(all, func(e *SetError) bool { return e.key == set.key }) {
			all = append(all, set)
		}
	}
	return all
}

// checkNames is CheckSets for the names of files.
func (l *Lister) checkNames(names []string) (all []*SetError) {
	sets := map[setKey]map[int][]Shard{} // without the count -> count -> shards
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
	bySuffix := map[setKey]*shardSet{} // without the extension of a codec
	for _, k := range order {
		counts := slices.Sorted(maps.Keys(sets[k]))
		for i, n := range counts {
			set := l.beside(newSet(sets[k][n]), dirs)
			report := func(missing int, format string, args ...any) {
				all = append(all, &SetError{set.name, fmt.Sprintf(format, args...), missing, set.key()})
			}
			if surplus := set.surplus(); surplus != "" {
				report(0, "%s", surplus)
			}
			if gaps, missing := set.missing(); missing > 0 {
				report(missing, "%s", set.message(gaps, missing))
			}
			if set.twice != "" {
				report(0, "one shard is there twice: %s", set.twice)
			}
			if i > 0 {
				report(0, "a set of %d of the same name is given too", counts[i-1])
			}
			plain := set.key()
			plain.suffix = withoutCodec(plain.suffix)
			if other := bySuffix[plain]; other != nil && slices.ContainsFunc(set.have, func(i int) bool { return slices.Contains(other.have, i) }) {
				report(0, "the same shards are given as %s too", other.name)
			}
			bySuffix[plain] = set
		}
	}
	return all
}
