package infer

import (
	"slices"

	"github.com/tfparse/tfparse/feature"
)

const (
	maxTried  = 1000    // features that are tried as partitions, of those that appear together
	sampleLen = 16      // records that decide about most pairs
	maxClose  = 1 << 16 // pairs that are looked at closely, those of close names first
)

// A source is a feature that is a partition in most of the units that are kept.
type source struct {
	stat     int
	encoding encoding
	totals   []int64 // the items it partitions, in every unit of the sample; -1 where it is no partition
	rows     []int64 // the rows it makes there
	telling  []int   // the first two units that say something of items
	tell     []int64 // the items it partitions there
}

// A trial tries pairs. Nearly all of them fail at once, so it first looks at one unit
// of each of a few records.
type trial struct {
	*finder
	sample []int // units, each of another record
}

// tried returns the pairs of young features that hold in most of the units that
// are kept.
func (f *finder) tried() (found []*pair) {
	t := trial{finder: f}
	for i := range f.kept {
		if len(t.sample) < sampleLen && (i == 0 || f.kept[i].record != f.kept[i-1].record) {
			t.sample = append(t.sample, i)
		}
	}
	sources := t.sources()
	tries := 0
	for _, close := range []bool{true, false} {
		t.candidates(sources, func(s *source, to int, rows encoding, block int64, items []int64) bool {
			p := pair{from: s.stat, encoding: s.encoding, to: to, rows: rows, block: block}
			if decided, match := f.group.byName(&p); decided && !match {
				return true
			}
			if !s.mayHold(items, block) || (affinity(f.group.stats[s.stat], f.group.stats[to]) >= 2) != close {
				return true
			}
			if tries++; tries > maxClose {
				return false
			}
			if p := f.try(p); p != nil {
				if found = append(found, p); len(found) >= 2*maxPairs {
					found = f.worth(found)
				}
			}
			return true
		})
	}
	return f.worth(found)
}

// candidates yields all pairs, with the numbers of items in the units of the sample.
func (t *trial) candidates(sources []source, yield func(s *source, to int, rows encoding, block int64, items []int64) bool) {
	if len(sources) == 0 {
		return
	}
	var blocks []int64
	counts, items := make([]int64, len(t.kept)), make([]int64, len(t.sample))
	for _, to := range t.young {
		if t.group.stats[to].dtype() == 0 {
			continue
		}
		for i := range t.kept {
			counts[i] = t.kept[i].find(to).n
		}
		for k, i := range t.sample {
			items[k] = counts[i]
		}
		for k := range sources {
			s := &sources[k]
			if s.stat == to {
				continue
			}
			blocks = s.blocks(blocks[:0], counts)
			for _, block := range blocks {
				if !yield(s, to, encodings, block, items) {
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

// sources lists the partitions that young features may be.
func (t *trial) sources() (out []source) {
	tried := 0
	for _, stat := range t.young {
		if t.group.stats[stat].dtype() != feature.Int64 {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		for e := range encodings {
			if s, ok := t.source(stat, e); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// source looks at a feature as a partition. It must be one in most units, and one
// that says something in some.
func (t *trial) source(stat int, e encoding) (s source, ok bool) {
	s = source{stat: stat, encoding: e}
	units, sound, tells := 0, 0, false
	for i := range t.kept {
		p := t.kept[i].find(stat)
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
		if p := t.kept[i].find(stat); p.partitions != nil && p.partitions[e].ok {
			total, rows = p.partitions[e].total, p.partitions[e].rows
		}
		s.totals, s.rows = append(s.totals, total), append(s.rows, rows)
	}
	return s, true
}

// blocks appends how many values an item may have: 1, and what the first two
// telling units say of the numbers of values in all units.
func (s *source) blocks(out, counts []int64) []int64 {
	out = append(out, 1)
	if s.encoding == starts { // they only bound the number: blocks are what divides all of them
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

// mayHold reports whether a pair may hold, by the sample: what it refuses fails in so
// many records that it is hopeless.
func (s *source) mayHold(items []int64, block int64) bool {
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

// try looks at all units that are kept. It returns nil if the pair is none. The
// last record is left open.
func (f *finder) try(p pair) *pair {
	lists := f.group.id == feature.InSequence
	for i := range f.kept {
		u := &f.kept[i]
		if i > 0 && f.kept[i-1].record != u.record {
			p.endRecord()
			if p.hopeless() && p.against > 3 {
				return nil
			}
		}
		p.see(u.record, u.number, u.find(p.from), u.find(p.to), lists)
	}
	ended := p
	ended.endRecord()
	if named, _ := f.group.byName(&p); ended.telling == 0 && !named || ended.hopeless() {
		return nil
	}
	return &p
}
