package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

const (
	warmUnits   = 128     // units that are kept before pairs are chosen to be followed
	warmEntries = 1 << 16 // and features in them
	maxPairs    = 1 << 14 // that are followed
	maxDistinct = 8       // numbers of items that are distinguished
)

// A pair is a feature that may partition the values of another, or the rows that
// another makes.
type pair struct {
	from     int      // the feature that may be a partition
	encoding encoding // and which
	to       int      // the feature that is partitioned
	rows     encoding // whose rows it makes as that are partitioned, encodings for its values
	block    int64    // how many items an item has, 1 or more

	records  int64 // in which one of the two has numbers
	against  int64 // in which the pair does not hold
	telling  int64 // units in which it holds, and that could have been otherwise
	distinct int   // numbers of items for which it is telling, up to maxDistinct
	numbers  [maxDistinct]int64
	counter  *counter

	items, total float64 // of telling units: the items, and those that the partition accounts for

	before int64 // the items of the telling unit before
	moved  int64 // telling units that would not divide that number of items
	gaps   int64 // telling units with empty rows, of value_row_ids
	many   int64 // and those with three rows or more

	size, inner int64 // the rows and inner of the first unit in which it holds, if there is a partition
	sized       bool  // there was such a unit
	varies      bool  // another such unit differs from it

	met, failed bool // in the record at hand
}

// A counter is a unit in which a pair does not hold.
type counter struct {
	record    int64
	unit      int
	head      []int64
	n         int64
	partition partition
	items     int64
	lone      bool // only one of the two feature lists has the step
}

// A finder finds pairs. It keeps units from when a feature appears, tries all
// pairs of features that appeared in them, and follows those that may hold.
type finder struct {
	group *group
	pairs []*pair
	used  []bool // by feature: whether a pair is of it

	young   []int // features that appeared in the units that are kept
	kept    []keptUnit
	entries int

	at           []int32 // by feature: 1 + where it is in scratch, in the unit at hand
	now          []profile
	partitionsOf [][encodings]partition
	open         []*pair // met in the record at hand
}

// A keptUnit holds the profiles of the features that are young.
type keptUnit struct {
	record   int64
	number   int
	features []int
	profiles []profile
}

// find returns the profile of a feature.
func (u *keptUnit) find(stat int) *profile {
	if i, ok := slices.BinarySearch(u.features, stat); ok {
		return &u.profiles[i]
	}
	return &absent
}

// unit looks at one unit.
func (f *finder) unit(record int64, number int, entries []entry, r *reader) {
	lists := f.group.id == feature.InSequence
	for i := range entries {
		e := &entries[i]
		if s := f.group.stats[e.stat]; !s.known && (e.n > 0 || lists) {
			s.known, s.young = true, true
			f.young = append(f.young, int(e.stat))
		}
	}
	if len(f.pairs) > 0 {
		f.follow(record, number, entries, r)
	}
	if len(f.young) == 0 {
		return
	}
	f.keep(record, number, entries, r)
	if len(f.kept) >= warmUnits || f.entries >= warmEntries {
		found := f.tried()
		for _, p := range found {
			if p.met {
				f.open = append(f.open, p)
			}
		}
		f.pairs = f.worth(append(f.pairs, found...))
		for _, i := range f.young {
			f.group.stats[i].young = false
		}
		f.young, f.kept, f.entries = nil, nil, 0
		f.used = make([]bool, len(f.group.stats))
		for _, p := range f.pairs {
			f.used[p.from], f.used[p.to] = true, true
		}
	}
}

// keep keeps what a unit says of young features.
func (f *finder) keep(record int64, number int, entries []entry, r *reader) {
	u := keptUnit{record: record, number: number}
	for _, e := range entries {
		if f.group.stats[e.stat].young {
			u.features = append(u.features, int(e.stat))
		}
	}
	slices.Sort(u.features)
	u.profiles = make([]profile, len(u.features))
	for _, e := range entries {
		k, ok := slices.BinarySearch(u.features, int(e.stat))
		if !ok {
			continue
		}
		p := &u.profiles[k]
		p.present, p.n, p.partitions = true, int64(e.n), absent.partitions
		switch {
		case e.n == 0:
		case e.kind == example.Int64List:
			x := r.values(e)
			partitions := partitionsOf(x)
			p.partitions, p.head = &partitions, slices.Clone(x[:min(len(x), maxHead)])
		default:
			p.partitions = nil // of no partition
		}
	}
	f.kept = append(f.kept, u)
	f.entries += len(u.features) + 1
}

// follow passes a unit to the pairs that are followed.
func (f *finder) follow(record int64, number int, entries []entry, r *reader) {
	if len(f.at) < len(f.group.stats) {
		f.at = append(f.at, make([]int32, len(f.group.stats)-len(f.at))...)
	}
	f.now = f.now[:0]
	f.partitionsOf = slices.Grow(f.partitionsOf[:0], len(entries)) // so that pointers to its elements stay good
	for j := range entries {
		e := &entries[j]
		i := int(e.stat)
		if i >= len(f.used) || !f.used[i] {
			continue
		}
		p := profile{present: true, n: int64(e.n), lent: true}
		if e.n == 0 {
			p.partitions = absent.partitions
		} else if e.kind == example.Int64List {
			p.head = r.values(*e)
			f.partitionsOf = append(f.partitionsOf, partitionsOf(p.head))
			p.partitions = &f.partitionsOf[len(f.partitionsOf)-1]
		}
		f.now = append(f.now, p)
		f.at[i] = int32(len(f.now))
	}
	get := func(i int) *profile {
		if i < len(f.at) && f.at[i] > 0 {
			return &f.now[f.at[i]-1]
		}
		return &absent
	}
	if len(f.now) > 0 {
		for _, p := range f.pairs {
			met := p.met
			p.see(record, number, get(p.from), get(p.to), f.group.id == feature.InSequence)
			if p.met && !met {
				f.open = append(f.open, p)
			}
		}
	}
	for _, e := range entries {
		f.at[e.stat] = 0
	}
}

// record ends a record.
func (f *finder) record() {
	for _, p := range f.open {
		p.endRecord()
	}
	if len(f.open) > 0 {
		f.pairs = slices.DeleteFunc(f.pairs, func(p *pair) bool { return p.against > 16 && p.hopeless() })
	}
	f.open = f.open[:0]
}

// see counts one unit.
func (p *pair) see(record int64, number int, from, to *profile, lists bool) {
	items, sound := to.n, true
	if p.rows < encodings {
		if to.partitions == nil {
			sound = false
		} else {
			c := to.partitions[p.rows]
			items, sound = c.rows, c.ok
		}
	}
	lone := lists && from.present != to.present
	if from.n == 0 && items == 0 && sound && !lone {
		return
	}
	p.met = true
	var c partition
	if from.partitions != nil {
		c = from.partitions[p.encoding]
	}
	holds := c.ok && sound && !lone && items%p.block == 0
	switch blocks := items / p.block; {
	case p.encoding == starts && from.n > 0:
		holds = holds && c.total <= blocks
	default:
		holds = holds && c.total == blocks
	}
	if !holds {
		p.failed = true
		if p.counter == nil {
			head := from.head[:min(len(from.head), maxHead)]
			if from.lent {
				head = slices.Clone(head)
			}
			p.counter = &counter{record, number, head, from.n, c, items, lone}
		}
		return
	}
	if from.n > 0 {
		p.compare(c)
	}
	if c.rows >= 2 && items >= 2 && !c.plain {
		if p.telling > 0 && c.total*p.block > p.before {
			p.moved++
		}
		if p.before = items; !c.dense {
			p.gaps++
		}
		if c.rows >= 3 {
			p.many++
		}
		p.telling++
		p.items += float64(items)
		p.total += float64(c.total * p.block)
		if p.distinct < maxDistinct && !slices.Contains(p.numbers[:p.distinct], items) {
			p.numbers[p.distinct] = items
			p.distinct++
		}
	}
}

// compare finds out whether more than one number of a partition varies.
func (p *pair) compare(c partition) {
	if !p.sized {
		p.sized, p.size, p.inner = true, c.rows, c.inner
		return
	}
	p.varies = p.varies || c.rows != p.size || c.inner != p.inner
}

// endRecord counts the record at hand.
func (p *pair) endRecord() {
	if p.met {
		p.records++
	}
	if p.failed {
		p.against++
	}
	p.met, p.failed = false, false
}

// hopeless reports whether a pair fails too often to be a pair with faults.
func (p *pair) hopeless() bool { return p.against > 1 && p.against*5 > p.records }

// all returns the pairs that are followed, and those that the units that are kept
// would add. It is called between records.
func (f *finder) all() []*pair {
	found := f.tried()
	for _, p := range found {
		p.endRecord()
	}
	return f.worth(append(slices.Clone(f.pairs), found...))
}

// worth keeps the pairs that are followed: the likeliest, if there are too many.
func (f *finder) worth(pairs []*pair) []*pair {
	if len(pairs) <= maxPairs {
		return pairs
	}
	slices.SortStableFunc(pairs, func(a, b *pair) int {
		return cmp.Or(cmp.Compare(a.against, b.against), cmp.Compare(f.affinity(b), f.affinity(a)), cmp.Compare(b.telling, a.telling))
	})
	return slices.Clip(pairs[:maxPairs])
}

func (f *finder) affinity(p *pair) int {
	return affinity(f.group.stats[p.from], f.group.stats[p.to])
}
