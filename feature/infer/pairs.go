package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

const (
	warmUnits   = 128     // units that are kept before their pairs are tried
	warmEntries = 1 << 16 // maximum number of features in the kept units
	maxPairs    = 1 << 14 // maximum number of pairs that are followed
	maxDistinct = 8       // maximum number of item counts that a pair distinguishes
)

// candidatePair is a feature that may partition the values of another feature, or the rows of another
// partition, with the evidence for it. A unit is telling if the pair holds in it and would not hold
// with another number of items.
type candidatePair struct {
	partition int           // index of the feature that may be a partition
	encoding  partitionKind // its kind of partition
	target    int           // index of the feature that it may partition
	rows      partitionKind // kind of the partition whose rows it partitions; noPartition: it partitions values
	block     int64         // number of values per item, at least 1

	records  int64              // number of records in which one of the two features has numbers
	against  int64              // number of records in which the pair does not hold
	telling  int64              // number of telling units
	distinct int                // number of different item counts in telling units, at most maxDistinct
	numbers  [maxDistinct]int64 // the different item counts
	counter  *counterExample    // the first unit in which the pair does not hold, or nil

	items, total float64 // sums over telling units: all items, and the items in rows of known length

	before int64 // number of items in the previous telling unit
	moved  int64 // number of telling units whose partition does not fit that number of items
	gaps   int64 // number of telling units of value_row_ids with empty rows
	many   int64 // number of telling units with three or more rows

	size, inner int64 // rows and inner of the first unit in which the pair holds
	sized       bool  // there was such a unit
	varies      bool  // another such unit differs from the first

	inRecord, failedInRecord bool // the current record has a unit with numbers; and a unit in which the pair does not hold
}

// A counterExample is a unit in which a pair does not hold.
type counterExample struct {
	record    int64         // ordinal
	unit      int           // index of the step or example, or -1
	head      []int64       // first values of the partition
	n         int64         // number of values of the partition
	partition readPartition // the values, read as the kind of the pair
	items     int64         // items to partition
	lone      bool          // only one of the two feature lists has the step
}

// pairFinder finds pairs. It keeps some units for each new feature, then tries all pairs of the
// features in these units, and then follows the pairs that may hold through all later units.
type pairFinder struct {
	group *groupStats      // group that owns the finder; features are indices in its stats
	pairs []*candidatePair // the pairs that are followed
	used  []bool           // by feature: one of the pairs has it

	newFeatures []int      // features whose pairs are not tried yet
	keptUnits   []keptUnit // units since the first of newFeatures appeared
	entries     int        // number of features in keptUnits

	at           []int32                      // by feature: 1 + its index in now; 0: not in the current unit
	now          []unitProfile                // the features of the current unit
	partitionsOf [][noPartition]readPartition // buffer for now
	recordPairs  []*candidatePair             // the pairs with numbers in the current record
}

// keptUnit has the profiles of the new features in one unit.
type keptUnit struct {
	record    int64         // ordinal
	unitIndex int           // index of the step or example, or -1
	features  []int         // sorted indices
	profiles  []unitProfile // by position in features
}

// find returns the profile of a feature, or absent.
func (u *keptUnit) find(stat int) *unitProfile {
	if i, ok := slices.BinarySearch(u.features, stat); ok {
		return &u.profiles[i]
	}
	return &absent
}

// addUnit counts one unit for all pairs, and tries new pairs once enough units are kept.
func (f *pairFinder) addUnit(record int64, unitIndex int, entries []unitFeature, r *reader) {
	lists := f.group.id == feature.InSequence
	for i := range entries {
		e := &entries[i]
		if s := f.group.stats[e.stat]; !s.known && (e.n > 0 || lists) {
			s.known, s.isNew = true, true
			f.newFeatures = append(f.newFeatures, int(e.stat))
		}
	}
	if len(f.pairs) > 0 {
		f.followPairs(record, unitIndex, entries, r)
	}
	if len(f.newFeatures) == 0 {
		return
	}
	f.keepUnit(record, unitIndex, entries, r)
	if len(f.keptUnits) >= warmUnits || f.entries >= warmEntries {
		found := f.tryPairs()
		for _, p := range found {
			if p.inRecord {
				f.recordPairs = append(f.recordPairs, p)
			}
		}
		f.pairs = f.likeliest(append(f.pairs, found...))
		for _, i := range f.newFeatures {
			f.group.stats[i].isNew = false
		}
		f.newFeatures, f.keptUnits, f.entries = nil, nil, 0
		f.used = make([]bool, len(f.group.stats))
		for _, p := range f.pairs {
			f.used[p.partition], f.used[p.target] = true, true
		}
	}
}

// keepUnit stores the profiles of the new features that occur in one unit.
func (f *pairFinder) keepUnit(record int64, unitIndex int, entries []unitFeature, r *reader) {
	u := keptUnit{record: record, unitIndex: unitIndex}
	for _, e := range entries {
		if f.group.stats[e.stat].isNew {
			u.features = append(u.features, int(e.stat))
		}
	}
	slices.Sort(u.features)
	u.profiles = make([]unitProfile, len(u.features))
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
			x := r.int64sOf(e)
			partitions := partitionsOf(x)
			p.partitions, p.head = &partitions, slices.Clone(x[:min(len(x), maxHead)])
		default:
			p.partitions = nil // not int64, so not a partition
		}
	}
	f.keptUnits = append(f.keptUnits, u)
	f.entries += len(u.features) + 1
}

// followPairs counts a unit for the followed pairs.
func (f *pairFinder) followPairs(record int64, unitIndex int, entries []unitFeature, r *reader) {
	if len(f.at) < len(f.group.stats) {
		f.at = append(f.at, make([]int32, len(f.group.stats)-len(f.at))...)
	}
	f.now = f.now[:0]
	f.partitionsOf = slices.Grow(f.partitionsOf[:0], len(entries)) // no reallocation: pointers to elements must stay valid
	for j := range entries {
		e := &entries[j]
		i := int(e.stat)
		if i >= len(f.used) || !f.used[i] {
			continue
		}
		p := unitProfile{present: true, n: int64(e.n), lent: true}
		if e.n == 0 {
			p.partitions = absent.partitions
		} else if e.kind == example.Int64List {
			p.head = r.int64sOf(*e)
			f.partitionsOf = append(f.partitionsOf, partitionsOf(p.head))
			p.partitions = &f.partitionsOf[len(f.partitionsOf)-1]
		}
		f.now = append(f.now, p)
		f.at[i] = int32(len(f.now))
	}
	get := func(i int) *unitProfile {
		if i < len(f.at) && f.at[i] > 0 {
			return &f.now[f.at[i]-1]
		}
		return &absent
	}
	if len(f.now) > 0 {
		for _, p := range f.pairs {
			met := p.inRecord
			p.countUnit(record, unitIndex, get(p.partition), get(p.target), f.group.id == feature.InSequence)
			if p.inRecord && !met {
				f.recordPairs = append(f.recordPairs, p)
			}
		}
	}
	for _, e := range entries {
		f.at[e.stat] = 0
	}
}

// endRecord counts the current record for all pairs and drops hopeless pairs.
func (f *pairFinder) endRecord() {
	for _, p := range f.recordPairs {
		p.endRecord()
	}
	if len(f.recordPairs) > 0 {
		f.pairs = slices.DeleteFunc(f.pairs, func(p *candidatePair) bool { return p.against > 16 && p.hopeless() })
	}
	f.recordPairs = f.recordPairs[:0]
}

// countUnit counts one unit: from and to are the profiles of the partition and the target.
func (p *candidatePair) countUnit(record int64, unitIndex int, from, to *unitProfile, lists bool) {
	items, sound := to.n, true
	if p.rows < noPartition {
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
	p.inRecord = true
	var c readPartition
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
		p.failedInRecord = true
		if p.counter == nil {
			head := from.head[:min(len(from.head), maxHead)]
			if from.lent {
				head = slices.Clone(head)
			}
			p.counter = &counterExample{record, unitIndex, head, from.n, c, items, lone}
		}
		return
	}
	if from.n > 0 {
		p.noteVariation(c)
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

// noteVariation records whether the number of rows or the inner numbers vary.
func (p *candidatePair) noteVariation(c readPartition) {
	if !p.sized {
		p.sized, p.size, p.inner = true, c.rows, c.inner
		return
	}
	p.varies = p.varies || c.rows != p.size || c.inner != p.inner
}

// endRecord counts the current record.
func (p *candidatePair) endRecord() {
	if p.inRecord {
		p.records++
	}
	if p.failedInRecord {
		p.against++
	}
	p.inRecord, p.failedInRecord = false, false
}

// hopeless reports whether a pair fails too often to be a partition in damaged data.
func (p *candidatePair) hopeless() bool { return p.against > 1 && p.against*5 > p.records }

// currentPairs returns the followed pairs and the pairs of new features in the kept units. Call it
// between records only.
func (f *pairFinder) currentPairs() []*candidatePair {
	found := f.tryPairs()
	for _, p := range found {
		p.endRecord()
	}
	return f.likeliest(append(slices.Clone(f.pairs), found...))
}

// likeliest returns the maxPairs most likely pairs.
func (f *pairFinder) likeliest(pairs []*candidatePair) []*candidatePair {
	if len(pairs) <= maxPairs {
		return pairs
	}
	slices.SortStableFunc(pairs, func(a, b *candidatePair) int {
		return cmp.Or(cmp.Compare(a.against, b.against), cmp.Compare(f.affinity(b), f.affinity(a)), cmp.Compare(b.telling, a.telling))
	})
	return slices.Clip(pairs[:maxPairs])
}

func (f *pairFinder) affinity(p *candidatePair) int {
	return affinity(f.group.stats[p.partition], f.group.stats[p.target])
}
