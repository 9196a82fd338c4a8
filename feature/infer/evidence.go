package infer

import (
	"fmt"

	"github.com/tfparse/tfparse/feature"
)

// A pair takes a column from the user, so a pair that holds in every record is believed only
// if an accident is unlikely. Equal totals are enough evidence if there are enough different ones.
// row_starts only bound the number of items, and value_row_ids fit every feature of the same
// length, so their names must say what they are. The same applies to a list of fixed size in which one
// number is the number of items, such as a crop [0, n], a shape [n, 0] or a span [start, n].

// neededNumbers returns the number of different item counts for which a pair must hold.
func (g *groupStats) neededNumbers(p *candidatePair) int {
	if named, _ := g.byName(p); named {
		return 0
	}
	words := g.stats[p.partition].words
	need := [...]int{splits: 2, lengths: 3, limits: 3, rowIDs: 3, starts: 4}[p.encoding]
	named, others := nameHint(words, p.encoding)
	switch close := affinity(g.stats[p.partition], g.stats[p.target]); {
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

// share returns the share of the items that is in rows of known length. It is 1 except for row_starts,
// whose last row has any length.
func (p *candidatePair) share() float64 {
	if p.encoding != starts || p.items == 0 {
		return 1
	}
	return p.total / p.items
}

// leavesMost reports whether most items are in the last row of row_starts.
func (p *candidatePair) leavesMost() bool { return p.share() < 1./2 }

const (
	fewTelling = 20 // with fewer telling units, all may have about the same number of items
	oneIn      = 20 // with more, at least one in oneIn must not fit the items of the previous telling unit
)

// bounded reports whether row_starts fail for the items of other units often enough. Numbers that are
// always small fit any list that is always long.
func (p *candidatePair) bounded() bool {
	return p.telling < fewTelling || p.moved*oneIn >= p.telling
}

// reasonForDoubt returns why a pair that holds for enough item counts is not believed, or "".
func (g *groupStats) reasonForDoubt(p *candidatePair) string {
	named, _ := nameHint(g.stats[p.partition].words, p.encoding)
	if p.encoding != starts && p.encoding != rowIDs {
		if !p.varies && !named {
			return fmt.Sprintf("it always has %d rows, and its name does not say so", p.size)
		}
		return ""
	}
	close := affinity(g.stats[p.partition], g.stats[p.target])
	switch {
	case !named:
		return "its name does not say so"
	case p.encoding == rowIDs && close == 0 && (p.gaps > 0 || p.many == 0):
		return "the numbers may have another meaning"
	case p.encoding == starts && p.leavesMost():
		return "most items are in the last row"
	case p.encoding == starts && !p.bounded():
		return "small numbers always fit"
	}
	return ""
}

// holdsOften reports whether a doubted pair holds as often as a believed one must.
func (g *groupStats) holdsOften(p *candidatePair) bool {
	return p.against == 0 && p.distinct >= g.neededNumbers(p) && !p.leavesMost()
}

// isBelieved reports whether a pair always holds, and often enough that an accident is unlikely.
func (g *groupStats) isBelieved(p *candidatePair) bool { return p.against == 0 && g.believable(p) }

// believable is isBelieved for a pair that may fail in some records.
func (g *groupStats) believable(p *candidatePair) bool {
	if g.stats[p.partition].dtype() != feature.Int64 || g.stats[p.target].dtype() == 0 {
		return false
	}
	if named, match := g.byName(p); named {
		return match
	}
	return p.telling > 0 && p.distinct >= g.neededNumbers(p) && g.reasonForDoubt(p) == ""
}
