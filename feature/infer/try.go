package infer

import (
	"slices"

	"github.com/tfparse/tfparse/feature"
)

const (
	maxTried  = 1000    // maximum number of features that are tried as partitions at a time
	sampleLen = 16      // number of records in the sample
	maxClose  = 1 << 16 // maximum number of pairs that are tried on all kept units, similar names first
)

// trialSource is a feature that is a partition in most of the kept units.
type trialSource struct {
	stat     int           // index of the feature
	encoding partitionKind // its kind of partition
	totals   []int64       // by unit of the sample: number of items that it partitions; -1 if it is not a partition there
	rows     []int64       // by unit of the sample: number of its rows
	telling  []int         // the first two telling units: indices in pairFinder.keptUnits
	tell     []int64       // by telling unit: number of items that it partitions
}

// pairTrial tries pairs. Nearly all of them fail in the first units, so it starts with a sample of one
// unit from each of a few records.
type pairTrial struct {
	*pairFinder
	sample []int // indices of units, each from another record
}

// tryPairs returns the pairs of new features that hold in most of the kept units.
func (f *pairFinder) tryPairs() (found []*candidatePair) {
	t := pairTrial{pairFinder: f}
	for i := range f.keptUnits {
		if len(t.sample) < sampleLen && (i == 0 || f.keptUnits[i].record != f.keptUnits[i-1].record) {
			t.sample = append(t.sample, i)
		}
	}
	sources := t.findSources()
	tries := 0
	for _, close := range []bool{true, false} {
		t.eachCandidate(sources, func(s *trialSource, to int, rows partitionKind, block int64, items []int64) bool {
			p := candidatePair{partition: s.stat, encoding: s.encoding, target: to, rows: rows, block: block}
			if decided, match := f.group.byName(&p); decided && !match {
				return true
			}
			if !s.mayHold(items, block) || (affinity(f.group.stats[s.stat], f.group.stats[to]) >= 2) != close {
				return true
			}
			if tries++; tries > maxClose {
				return false
			}
			if p := f.tryPair(p); p != nil {
				if found = append(found, p); len(found) >= 2*maxPairs {
					found = f.likeliest(found)
				}
			}
			return true
		})
	}
	return f.likeliest(found)
}

// eachCandidate yields all pairs, with the item counts in the units of the sample.
func (t *pairTrial) eachCandidate(sources []trialSource, yield func(s *trialSource, to int, rows partitionKind, block int64, items []int64) bool) {
	if len(sources) == 0 {
		return
	}
	var blocks []int64
	counts, items := make([]int64, len(t.keptUnits)), make([]int64, len(t.sample))
	for _, to := range t.newFeatures {
		if t.group.stats[to].dtype() == 0 {
			continue
		}
		for i := range t.keptUnits {
			counts[i] = t.keptUnits[i].find(to).n
		}
		for k, i := range t.sample {
			items[k] = counts[i]
		}
		for k := range sources {
			s := &sources[k]
			if s.stat == to {
				continue
			}
			blocks = s.blockSizes(blocks[:0], counts)
			for _, block := range blocks {
				if !yield(s, to, noPartition, block, items) {
					return
				}
			}
		}
	}
	for k := range sources {
		for i := range sources {
			s, q := &sources[i], &sources[k]
			if s.stat != q.stat && !yield(s, q.stat, q.encoding, 1, q.rows) {
				return
			}
		}
	}
}

// findSources returns the partitions that new features may be.
func (t *pairTrial) findSources() (out []trialSource) {
	tried := 0
	for _, stat := range t.newFeatures {
		if t.group.stats[stat].dtype() != feature.Int64 {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		for e := range noPartition {
			if s, ok := t.sourceOf(stat, e); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// sourceOf reads a feature as a kind of partition. ok is true if it is one in most units, and is not
// plain in at least one.
func (t *pairTrial) sourceOf(stat int, e partitionKind) (s trialSource, ok bool) {
	s = trialSource{stat: stat, encoding: e}
	units, sound, tells := 0, 0, false
	for i := range t.keptUnits {
		p := t.keptUnits[i].find(stat)
		if p.n == 0 {
			continue
		}
		units++
		if p.partitions == nil || !p.partitions[e].ok {
			continue
		}
		sound++
		if c := p.partitions[e]; c.rows >= 2 && !c.plain {
			tells = true
			if c.total > 0 && len(s.telling) < 2 {
				s.telling, s.tell = append(s.telling, i), append(s.tell, c.total)
			}
		}
	}
	if !tells && (e != lengths || !t.group.leveled(t.group.stats[stat])) || sound*4 < units*3 {
		return s, false
	}
	for _, i := range t.sample {
		total, rows := int64(-1), int64(-1)
		if p := t.keptUnits[i].find(stat); p.partitions != nil && p.partitions[e].ok {
			total, rows = p.partitions[e].total, p.partitions[e].rows
		}
		s.totals, s.rows = append(s.totals, total), append(s.rows, rows)
	}
	return s, true
}

// blockSizes appends the possible numbers of values per item: 1, and the numbers that the first two
// telling units give.
func (s *trialSource) blockSizes(out, counts []int64) []int64 {
	out = append(out, 1)
	if s.encoding == starts { // row_starts only bound the number of items: use the greatest common divisor of all counts
		divisor := int64(0)
		for _, n := range counts {
			for n != 0 {
				divisor, n = n, divisor%n
			}
		}
		if divisor > 1 {
			out = append(out, divisor)
		}
		return out
	}
	for k, i := range s.telling {
		if total, n := s.tell[k], counts[i]; n > total && n%total == 0 && !slices.Contains(out, n/total) {
			out = append(out, n/total)
		}
	}
	return out
}

// mayHold reports whether a pair may hold according to the sample. A pair that it rejects fails in
// enough records to be hopeless.
func (s *trialSource) mayHold(items []int64, block int64) bool {
	against := 0
	for k, n := range items {
		total := s.totals[k]
		if block > 1 && n > 0 {
			if n%block != 0 {
				n = -1
			} else {
				n /= block
			}
		}
		if total < 0 || n < total || n > total && s.encoding != starts {
			if against++; against > 3 {
				return false
			}
		}
	}
	return true
}

// tryPair counts all kept units for a pair. It returns nil if the pair does not hold. It does not end
// the last record.
func (f *pairFinder) tryPair(p candidatePair) *candidatePair {
	lists := f.group.id == feature.InSequence
	for i := range f.keptUnits {
		u := &f.keptUnits[i]
		if i > 0 && f.keptUnits[i-1].record != u.record {
			p.endRecord()
			if p.hopeless() && p.against > 3 {
				return nil
			}
		}
		p.countUnit(u.record, u.unitIndex, u.find(p.partition), u.find(p.target), lists)
	}
	ended := p
	ended.endRecord()
	if named, _ := f.group.byName(&p); ended.telling == 0 && !named || ended.hopeless() {
		return nil
	}
	return &p
}
