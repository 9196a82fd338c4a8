package distance

import (
	"math"
	"slices"
)

// Finite numbers are divided into cells of about equal weight: mostCells, or fewer where a side has few values. With one
// cell for each two values of the smaller side the permutation distribution below has enough outcomes for small levels;
// with fewer cells there is less power, and with one for each three or five 1.7 and 2.5 % of pairs of samples of one
// distribution were above a level of 1 %.
const (
	mostCells     = 20
	leastCells    = 3
	valuesPerCell = 2
)

// A cell is what both sides have of a label, or between two borders: shares of all that they
// have.
type cell struct{ p, q float64 }

// A table is the cells of two sides. Of the borders between them is known where they lie in
// the finite numbers of each side, as shares; the finite cells come first.
type table struct {
	cells   []cell
	borders [][2]borderRank
}

// A pairing is the numbers of both sides at common borders.
type pairing struct {
	sides [2]*Numbers
	ranks [2][]borderRank // at each of the borders, as shares of all numbers of the side
}

// pair counts both sides at the borders of both.
func pair(a, b *Numbers) *pairing {
	borders := slices.Concat(a.borders, b.borders)
	slices.Sort(borders)
	borders = slices.Compact(borders)
	p := &pairing{sides: [2]*Numbers{a, b}}
	for i, n := range p.sides {
		p.ranks[i] = n.ranks(borders)
		total := n.total()
		for k := range p.ranks[i] {
			r := &p.ranks[i][k]
			r.upTo, r.low, r.high, r.below = r.upTo/total, r.low/total, r.high/total, r.below/total
		}
	}
	return p
}

// table divides the numbers into cells of about equal weight, as few as the coarser side knows. NaN and the infinities are
// cells of their own.
//
// A cell ends at a rank of all numbers, pooled: each side counts by its number of values. So the cells are the same however
// the numbers are divided between the sides, and the noise of a distance, which is what random divisions give, holds for
// every distribution and for all sizes (permutation test: Pitman 1937). With equal weights for both sides the cells would fit the smaller
// one, and a third of all pairs of 1,000 and 10 numbers would be above a level of 1 %.
func (p *pairing) table(x, y Sample) table {
	count, share := float64(mostCells), 0.5 // share is the first side's part of all numbers
	if x.Values > 0 && y.Values > 0 {       // else the sizes are not known
		count = max(leastCells, min(count, math.Floor(min(x.independent(), y.independent())/valuesPerCell)))
		share = x.Values / (x.Values + y.Values)
	}
	for _, n := range p.sides {
		if n.Buckets > 0 {
			count = min(count, float64(max(n.Buckets, 2)))
		}
	}
	var t table
	next, last := 1.0, cell{}
	for i := range p.ranks[0] {
		a, b := p.ranks[0][i], p.ranks[1][i]
		both := (a.upTo*share + b.upTo*(1-share)) * count
		if both < next-1e-9 && i+1 < len(p.ranks[0]) {
			continue
		}
		next = math.Floor(both+1e-9) + 1
		t.cells = append(t.cells, cell{max(a.upTo-last.p, 0), max(b.upTo-last.q, 0)})
		t.borders = append(t.borders, [2]borderRank{a, b})
		last = cell{a.upTo, b.upTo}
	}
	a, b := p.sides[0], p.sides[1]
	for _, c := range []cell{{a.Negative, b.Negative}, {a.Positive, b.Positive}, {a.NaN, b.NaN}} {
		t.cells = append(t.cells, cell{c.p / a.total(), c.q / b.total()})
	}
	return t
}

// A span is what a distance is between, as far as that is known, and the best guess.
type span struct{ value, least, most float64 }

// kolmogorovSmirnov is the largest difference between the two cumulative distributions, at the
// borders, or what it may be between them. NaN is left out. It is not ok if a side has nothing else.
func (p *pairing) kolmogorovSmirnov() (d span, ok bool) {
	var scale, before [2]float64 // of shares of all to those of all but NaN; -Inf
	for i, n := range p.sides {
		known := n.total() - n.NaN
		if !(known > 0) {
			return d, false
		}
		scale[i], before[i] = n.total()/known, n.Negative/known
	}
	at := func(side int, share float64) float64 { return before[side] + scale[side]*share }
	start := math.Abs(before[0] - before[1])
	d = span{start, start, start}
	last := [2]borderRank{}
	for i := range p.ranks[0] {
		now := [2]borderRank{p.ranks[0][i], p.ranks[1][i]}
		d.value = max(d.value, math.Abs(at(0, now[0].upTo)-at(1, now[1].upTo)))
		for s := range now {
			o := 1 - s
			d.least = max(d.least, at(s, now[s].low)-at(o, now[o].high))
			d.most = max(d.most, at(s, now[s].high)-at(o, now[o].low), at(s, now[s].below)-at(o, last[o].low))
		}
		last = now
	}
	return d, true
}

// sum adds up a measure of the cells.
func (t *table) sum(f func(p, q float64) float64) (s float64) {
	for _, c := range t.cells {
		s += f(c.p, c.q)
	}
	return s
}

// span is the sum of a measure, and what it is between where the borders are between ranks that
// are not known exactly. The measure must be convex and 0 where p is q. Then its largest sum is at ends of the ranges, which are
// searched from border to border. It is not less than the sum of what each cell has at least, nor than
// what there is between all below a border and all above it.
func (t *table) span(f func(p, q float64) float64) span {
	value := t.sum(f)
	if !slices.ContainsFunc(t.borders, func(b [2]borderRank) bool { return b[0].low < b[0].high || b[1].low < b[1].high }) {
		return span{value, value, value}
	}
	rest, special := 0.0, cell{} // of the cells without borders
	for _, c := range t.cells[len(t.borders):] {
		rest += f(c.p, c.q)
		special = cell{special.p + c.p, special.q + c.q}
	}
	ends := func(r borderRank) [2]float64 { return [2]float64{r.low, r.high} }
	sum, halves := rest, 0.0
	var best [2][2]float64
	last := [2]borderRank{}
	for i, now := range t.borders {
		reached := [2][2]float64{{math.Inf(-1), math.Inf(-1)}, {math.Inf(-1), math.Inf(-1)}}
		from, to := [2][2]float64{ends(last[0]), ends(last[1])}, [2][2]float64{ends(now[0]), ends(now[1])}
		for k := range 16 {
			a, b, x, y := k>>3, k>>2&1, k>>1&1, k&1
			p, q := to[0][x]-from[0][a], to[1][y]-from[1][b]
			if p >= 0 && q >= 0 && (i > 0 || a+b == 0) {
				reached[x][y] = max(reached[x][y], best[a][b]+f(p, q))
			}
		}
		best = reached
		sum += leastOf(f, max(now[0].low-last[0].high, 0), now[0].high-last[0].low, max(now[1].low-last[1].high, 0), now[1].high-last[1].low)
		finite := [2]float64{1 - special.p, 1 - special.q}
		halves = max(halves, rest+leastOf(f, now[0].low, now[0].high, now[1].low, now[1].high)+
			leastOf(f, finite[0]-now[0].high, finite[0]-now[0].low, finite[1]-now[1].high, finite[1]-now[1].low))
		last = now
	}
	most := rest + max(best[0][0], best[0][1], best[1][0], best[1][1])
	return span{value, min(max(sum, halves), value), max(most, value)}
}

// leastOf is the least of a measure between two ranges.
func leastOf(f func(p, q float64) float64, pLow, pHigh, qLow, qHigh float64) float64 {
	switch {
	case pLow > qHigh:
		return f(pLow, max(qHigh, 0))
	case qLow > pHigh:
		return f(max(pHigh, 0), qLow)
	}
	return 0
}
