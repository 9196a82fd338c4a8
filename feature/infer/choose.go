package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// A decision says which column every feature of a group becomes.
type decision struct {
	group    *group
	schema   bool    // Options.Schema
	pairs    []*pair // all that are known, the best first
	columns  []feature.Feature
	why      []string
	valuesBy []*pair       // by feature: what partitions its values
	rowsBy   map[int]*pair // by partition: what partitions its rows
	chosen   map[*pair]bool
	role     []encoding        // by feature: the partition that it is, encodings if none
	of       []int             // and a feature that it partitions
	doubted  [][encodings]bool // by feature: whether it may be a partition, which is not believed
}

// decide makes columns of what is known. It is cheap until a record is added.
func (g *group) decide(opts Options) *decision {
	if g.decided != nil {
		return g.decided
	}
	n := len(g.stats)
	d := &decision{
		group: g, schema: opts.Schema, pairs: g.finder.all(), columns: make([]feature.Feature, n), why: make([]string, n),
		valuesBy: make([]*pair, n), rowsBy: map[int]*pair{}, chosen: map[*pair]bool{}, role: make([]encoding, n), of: make([]int, n),
	}
	d.sort()
	d.choose()
	for i, s := range g.stats {
		if d.role[i] == encodings {
			d.columns[i], d.why[i] = d.column(s, d.valuesBy[i], opts)
		}
	}
	g.decided = d
	return d
}

// score ranks pairs by their names.
func (g *group) score(p *pair) int {
	words := g.stats[p.from].words
	score := 4 * affinity(g.stats[p.from], g.stats[p.to])
	switch named, others := hint(words, p.encoding); {
	case named:
		score += 8
	case others:
		score -= 8
	}
	if (p.block == 1) != (p.encoding == starts) { // row_starts of blocks fit single values, too
		score += 2
	}
	if named, _ := g.byName(p); named {
		score += 100
	}
	return score
}

// sort puts the best pairs first. The order is that of scores, encodings and
// names, but row_starts come last, since they fit anything that has more items: of
// them the ones first that leave the fewest over.
func (d *decision) sort() {
	stats := d.group.stats
	scores := make(map[*pair]int, len(d.pairs))
	for _, p := range d.pairs {
		scores[p] = d.group.score(p)
	}
	slices.SortFunc(d.pairs, func(a, b *pair) int {
		if x, y := a.encoding == starts, b.encoding == starts; x != y {
			return cmp.Compare(a.encoding, b.encoding)
		}
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a.encoding, b.encoding), cmp.Compare(b.share(), a.share()),
			cmp.Compare(stats[a.from].name, stats[b.from].name), cmp.Compare(stats[a.to].name, stats[b.to].name),
			cmp.Compare(a.rows, b.rows), cmp.Compare(a.block, b.block))
	})
}

// choose decides which features are partitions: the best pair that fits is taken,
// and again, until none is left. A feature that partitions another is a partition: then
// what would partition its values does not, but a pair that partitions its rows may.
func (d *decision) choose() {
	var fits []*pair
	d.findDoubted()
	for _, p := range d.pairs {
		if d.group.fits(p) && d.sayable(p) && !d.instead(p) {
			fits = append(fits, p)
		}
	}
	for i := range d.role {
		d.role[i] = encodings
	}
	taken := map[*pair]int{} // a pair may lose its place, and get it again; but not for ever
	for {
		i := slices.IndexFunc(fits, func(p *pair) bool { return taken[p] < 3 && d.possible(p) })
		if i < 0 {
			break
		}
		p := fits[i]
		taken[p]++
		d.role[p.from] = p.encoding
		if p.rows == encodings {
			d.valuesBy[p.to] = p
		} else {
			d.rowsBy[p.to] = p
		}
		if by := d.valuesBy[p.from]; by != nil {
			d.valuesBy[p.from] = nil
			d.release(by.from)
		}
	}
	// A feature that turned out to partition nothing that is partitioned is a column after all.
	used := make([]bool, len(d.role))
	for i, p := range d.valuesBy {
		if d.role[i] != encodings {
			continue
		}
		for to := i; p != nil; p = d.rowsBy[p.from] {
			d.chosen[p], used[p.from], d.of[p.from] = true, true, to
			to = p.from
		}
	}
	for i := range d.role {
		if !used[i] {
			d.role[i] = encodings
		}
	}
}

// findDoubted finds the features that may be partitions and are not believed, and those that
// would partition the rows of such ones.
func (d *decision) findDoubted() {
	d.doubted = make([][encodings]bool, len(d.role))
	for more := true; more; {
		more = false
		for _, p := range d.pairs {
			if !d.doubted[p.from][p.encoding] && d.doubtful(p) {
				d.doubted[p.from][p.encoding], more = true, true
			}
		}
	}
}

// doubtful reports whether a pair makes its partition one of those.
func (d *decision) doubtful(p *pair) bool {
	switch {
	case d.group.likely(p) && d.group.doubt(p) != "":
		return true
	case p.rows == encodings:
		return d.instead(p) && d.group.fits(p)
	}
	return d.doubted[p.to][p.rows] && d.group.fits(p)
}

// instead reports whether a pair partitions the values of a feature that may be a partition, which
// are as many as the rows that it would partition in their place. Names may say that it is so.
func (d *decision) instead(p *pair) bool {
	if p.rows != encodings {
		return false
	}
	if as := d.doubted[p.to]; !as[lengths] && !as[limits] && !as[starts] {
		return false
	}
	named, _ := hint(d.group.stats[p.from].words, p.encoding)
	return !named || affinity(d.group.stats[p.from], d.group.stats[p.to]) == 0
}

// sayable reports whether the spec can have such a pair, if it holds.
func (d *decision) sayable(p *pair) bool { return !d.schema || p.encoding == lengths }

// possible reports whether a pair can be taken.
func (d *decision) possible(p *pair) bool {
	if d.role[p.from] != encodings && d.role[p.from] != p.encoding {
		return false
	}
	if p.rows == encodings {
		return d.valuesBy[p.to] == nil && d.role[p.to] == encodings
	}
	if d.rowsBy[p.to] != nil || d.role[p.to] != p.rows || d.reaches(p.from, p.to) {
		return false
	}
	for by := d.valuesBy[p.from]; by != nil; by = d.rowsBy[by.from] { // it would lose what it is partitioned by, and with it what it partitions
		if by.from == p.to {
			return false
		}
	}
	return true
}

// release makes a partition that partitions nothing a feature like others.
func (d *decision) release(from int) {
	uses := func(p *pair) bool { return p != nil && p.from == from }
	for _, p := range d.rowsBy {
		if uses(p) {
			return
		}
	}
	if slices.ContainsFunc(d.valuesBy, uses) {
		return
	}
	d.role[from] = encodings
	if by := d.rowsBy[from]; by != nil {
		delete(d.rowsBy, from)
		d.release(by.from)
	}
}

// reaches reports whether the rows that partition a makes are partitioned, in the end, by b
// itself, or a is b: then they would partition each other in a circle.
func (d *decision) reaches(a, b int) bool {
	for ; a != b; a = d.rowsBy[a].from {
		if d.rowsBy[a] == nil {
			return false
		}
	}
	return true
}

// column returns what a feature that is no partition becomes, and why.
func (d *decision) column(s *stat, p *pair, opts Options) (feature.Feature, string) {
	dtype := s.dtype()
	if dtype == 0 {
		return nil, d.untyped(s)
	}
	if p != nil {
		f := feature.Ragged{DType: dtype}
		if p.block > 1 {
			f.Partitions = append(f.Partitions, feature.UniformRowLength(p.block))
		}
		for ; p != nil; p = d.rowsBy[p.from] {
			f.Partitions = append(f.Partitions, p.encoding.partition(d.group.stats[p.from].name))
		}
		slices.Reverse(f.Partitions)
		return f, "has row partitions"
	}
	lists := d.group.id == feature.InSequence
	ragged := opts.Ragged || lists && opts.Schema
	var shape []int
	if s.max != 1 {
		shape = []int{s.max}
	}
	switch {
	case s.min != s.max || s.max == 0 || opts.NoShape:
	case lists && ragged:
	case s.max > 1 && s.present() < 2: // one alone says nothing of others
	case lists && s.kinds[0] == 0:
		return feature.FixedLenSequence{DType: dtype, Shape: shape, AllowMissing: s.lists < d.group.units}, "as many values in every step"
	case !lists && s.present() == d.group.units:
		return feature.FixedLen{DType: dtype, Shape: shape}, "always as many values"
	}
	why := "not always as many values"
	switch {
	case s.max == 0:
		why = "never any values"
	case s.min != s.max:
	case lists && s.kinds[0] > 0, !lists && s.present() < d.group.units:
		why = "not always there"
	case s.max > 1 && s.present() < 2:
		why = "only seen once"
	case opts.NoShape:
		why = "always as many values, but no shape is wanted"
	case ragged:
		why = "always as many values, but lists are to be ragged"
	}
	if ragged {
		return feature.Ragged{DType: dtype}, why
	}
	return feature.VarLen{DType: dtype}, why
}
