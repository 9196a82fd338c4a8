package infer

import (
	"fmt"

	"github.com/tfparse/tfparse/feature"
)

// A pair that is believed costs the user a column, so one that holds in every record is
// still only believed if that is no accident. Equal totals are evidence by themselves, if
// there are enough different ones. row_starts only bound the number of items, and
// value_row_ids have the length of the values of a feature beside them: of those the names
// have to say something, too. The same holds for a list of fixed size in which one number
// is the number of items, such as a crop [0, n], a shape [n, 0] or a span [start, n].

// needed is for how many different numbers of items a pair must hold.
func (g *group) needed(p *pair) int {
	if named, _ := g.byName(p); named {
		return 0
	}
	words := g.stats[p.from].words
	need := [...]int{splits: 2, lengths: 3, limits: 3, rowIDs: 3, starts: 4}[p.encoding]
	named, others := hint(words, p.encoding)
	switch close := affinity(g.stats[p.from], g.stats[p.to]); {
	case named && close > 0:
		need = 1
	case named || close > 1:
		need--
	case others:
		need += 2
	}
	if p.block > 1 {
		need++
	}
	return need
}

// share returns which part of the items a partition accounts for: 1 unless it is
// one of row_starts, whose last row has any length.
func (p *pair) share() float64 {
	if p.encoding != starts || p.items == 0 {
		return 1
	}
	return p.total / p.items
}

// leavesMost reports whether most items lie behind the last of row_starts.
func (p *pair) leavesMost() bool { return p.share() < 1./2 }

const (
	fewTelling = 20 // telling units that may all have about as many items
	oneIn      = 20 // of more units than that, one in oneIn must be out of bounds of another's
)

// bounded reports whether row_starts would not fit the items of other units: numbers that
// are always small fit any list that is always long.
func (p *pair) bounded() bool {
	return p.telling < fewTelling || p.moved*oneIn >= p.telling
}

// doubt says why a pair that holds for enough numbers of items is still not believed, or
// nothing.
func (g *group) doubt(p *pair) string {
	named, _ := hint(g.stats[p.from].words, p.encoding)
	if p.encoding != starts && p.encoding != rowIDs {
		if !p.varies && !named {
			return fmt.Sprintf("it always has %d rows, and its name does not say so", p.size)
		}
		return ""
	}
	close := affinity(g.stats[p.from], g.stats[p.to])
	switch {
	case !named:
		return "its name does not say so"
	case p.encoding == rowIDs && close == 0 && (p.gaps > 0 || p.many == 0):
		return "the numbers may say something else"
	case p.encoding == starts && p.leavesMost():
		return "it leaves most items over"
	case p.encoding == starts && !p.bounded():
		return "any small numbers fit"
	}
	return ""
}

// likely reports whether a pair that is doubted holds like one that is believed.
func (g *group) likely(p *pair) bool {
	return p.against == 0 && p.distinct >= g.needed(p) && !p.leavesMost()
}

// fits reports whether a pair holds, and too often for an accident.
func (g *group) fits(p *pair) bool { return p.against == 0 && g.believable(p) }

// believable is fits for a pair that may fail in some records.
func (g *group) believable(p *pair) bool {
	if g.stats[p.from].dtype() != feature.Int64 || g.stats[p.to].dtype() == 0 {
		return false
	}
	if named, match := g.byName(p); named {
		return match
	}
	return p.telling > 0 && p.distinct >= g.needed(p) && g.doubt(p) == ""
}
