package infer

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// columnChoice decides for each feature of a group which column it becomes, or which partition.
type columnChoice struct {
	group       *groupStats             // the features and their pairs
	schema      bool                    // Options.Schema
	address     func(int64) string      // Options.Address
	pairs       []*candidatePair        // all candidate pairs, the best first
	columns     []feature.Feature       // by feature: its column; nil if it is a partition or is omitted
	reasons     []string                // by feature: the reason for the column
	valuesBy    []*candidatePair        // by feature: the pair that partitions its values, or nil
	rowsBy      map[int]*candidatePair  // by partition: the pair that partitions its rows
	chosen      map[*candidatePair]bool // the pairs in the spec
	roles       []partitionKind         // by feature: its kind of partition, or noPartition
	partitioned []int                   // by feature: if it is a partition, one of the features that it partitions
	doubted     [][noPartition]bool     // by feature: the kinds of partition that fit, but without enough evidence
}

// chooseColumns returns the choice for the records so far. It caches the choice until a record is added.
func (g *groupStats) chooseColumns(opts Options) *columnChoice {
	if g.choice != nil {
		return g.choice
	}
	n := len(g.stats)
	d := &columnChoice{
		group: g, schema: opts.Schema, address: opts.Address, pairs: g.finder.currentPairs(), columns: make([]feature.Feature, n), reasons: make([]string, n),
		valuesBy: make([]*candidatePair, n), rowsBy: map[int]*candidatePair{}, chosen: map[*candidatePair]bool{}, roles: make([]partitionKind, n), partitioned: make([]int, n),
	}
	d.sortPairs()
	d.choosePairs()
	for i, s := range g.stats {
		if d.roles[i] == noPartition {
			d.columns[i], d.reasons[i] = d.columnOf(s, d.valuesBy[i], opts)
		}
	}
	g.choice = d
	return d
}

// score rates a pair by the names of its features: higher is better.
func (g *groupStats) score(p *candidatePair) int {
	words := g.stats[p.partition].words
	score := 4 * affinity(g.stats[p.partition], g.stats[p.target])
	switch named, others := nameHint(words, p.encoding); {
	case named:
		score += 8
	case others:
		score -= 8
	}
	if (p.block == 1) != (p.encoding == starts) { // row_starts of blocks also fit single values
		score += 2
	}
	if named, _ := g.byName(p); named {
		score += 100
	}
	return score
}

// sortPairs sorts the pairs by score, partition kind and names, the best first. row_starts come last,
// because they fit any feature with more items; they are sorted by the share of items in rows of known length.
func (d *columnChoice) sortPairs() {
	stats := d.group.stats
	scores := make(map[*candidatePair]int, len(d.pairs))
	for _, p := range d.pairs {
		scores[p] = d.group.score(p)
	}
	slices.SortFunc(d.pairs, func(a, b *candidatePair) int {
		if x, y := a.encoding == starts, b.encoding == starts; x != y {
			return cmp.Compare(a.encoding, b.encoding)
		}
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a.encoding, b.encoding), cmp.Compare(b.share(), a.share()),
			cmp.Compare(stats[a.partition].name, stats[b.partition].name), cmp.Compare(stats[a.target].name, stats[b.target].name),
			cmp.Compare(a.rows, b.rows), cmp.Compare(a.block, b.block))
	})
}

// choosePairs decides which features are partitions. It chooses the best pair that is compatible with
// the chosen pairs, until no pair is left. The values of a partition cannot be partitioned, only its rows.
func (d *columnChoice) choosePairs() {
	var fits []*candidatePair
	d.findDoubted()
	for _, p := range d.pairs {
		if d.group.isBelieved(p) && d.hasForm(p) && !d.fitsDoubted(p) {
			fits = append(fits, p)
		}
	}
	for i := range d.roles {
		d.roles[i] = noPartition
	}
	taken := map[*candidatePair]int{} // by pair: how often it was chosen; a dropped pair may be chosen again, at most twice
	for {
		i := slices.IndexFunc(fits, func(p *candidatePair) bool { return taken[p] < 3 && d.canChoose(p) })
		if i < 0 {
			break
		}
		p := fits[i]
		taken[p]++
		d.roles[p.partition] = p.encoding
		if p.rows == noPartition {
			d.valuesBy[p.target] = p
		} else {
			d.rowsBy[p.target] = p
		}
		if by := d.valuesBy[p.partition]; by != nil {
			d.valuesBy[p.partition] = nil
			d.dropPartition(by.partition)
		}
	}
	// A partition of rows that no column uses becomes a column.
	used := make([]bool, len(d.roles))
	for i, p := range d.valuesBy {
		if d.roles[i] != noPartition {
			continue
		}
		for to := i; p != nil; p = d.rowsBy[p.partition] {
			d.chosen[p], used[p.partition], d.partitioned[p.partition] = true, true, to
			to = p.partition
		}
	}
	for i := range d.roles {
		if !used[i] {
			d.roles[i] = noPartition
		}
	}
}

// findDoubted finds the features that fit as partitions without enough evidence, and the features
// that partition the rows of such features.
func (d *columnChoice) findDoubted() {
	d.doubted = make([][noPartition]bool, len(d.roles))
	for more := true; more; {
		more = false
		for _, p := range d.pairs {
			if !d.doubted[p.partition][p.encoding] && d.doubtful(p) {
				d.doubted[p.partition][p.encoding], more = true, true
			}
		}
	}
}

// doubtful reports whether a pair makes its partition doubted.
func (d *columnChoice) doubtful(p *candidatePair) bool {
	switch {
	case d.group.holdsOften(p) && d.group.reasonForDoubt(p) != "":
		return true
	case p.rows == noPartition:
		return d.fitsDoubted(p) && d.group.isBelieved(p)
	}
	return d.doubted[p.target][p.rows] && d.group.isBelieved(p)
}

// fitsDoubted reports whether a pair partitions the values of a doubted feature. Such a pair may
// partition its rows instead, because their number is the same, unless the names say otherwise.
func (d *columnChoice) fitsDoubted(p *candidatePair) bool {
	if p.rows != noPartition {
		return false
	}
	if as := d.doubted[p.target]; !as[lengths] && !as[limits] && !as[starts] {
		return false
	}
	named, _ := nameHint(d.group.stats[p.partition].words, p.encoding)
	return !named || affinity(d.group.stats[p.partition], d.group.stats[p.target]) == 0
}

// hasForm reports whether the spec can express the kind of partition.
func (d *columnChoice) hasForm(p *candidatePair) bool { return !d.schema || p.encoding == lengths }

// canChoose reports whether a pair is compatible with the chosen pairs.
func (d *columnChoice) canChoose(p *candidatePair) bool {
	if d.roles[p.partition] != noPartition && d.roles[p.partition] != p.encoding {
		return false
	}
	if p.rows == noPartition {
		return d.valuesBy[p.target] == nil && d.roles[p.target] == noPartition
	}
	if d.rowsBy[p.target] != nil || d.roles[p.target] != p.rows || d.formsCycle(p.partition, p.target) {
		return false
	}
	for by := d.valuesBy[p.partition]; by != nil; by = d.rowsBy[by.partition] { // the partition would lose its own partition, which must not lead to the target
		if by.partition == p.target {
			return false
		}
	}
	return true
}

// dropPartition turns a partition back into a column if no chosen pair uses it.
func (d *columnChoice) dropPartition(from int) {
	uses := func(p *candidatePair) bool { return p != nil && p.partition == from }
	for _, p := range d.rowsBy {
		if uses(p) {
			return
		}
	}
	if slices.ContainsFunc(d.valuesBy, uses) {
		return
	}
	d.roles[from] = noPartition
	if by := d.rowsBy[from]; by != nil {
		delete(d.rowsBy, from)
		d.dropPartition(by.partition)
	}
}

// formsCycle reports whether a is b, or the rows of partition a are partitioned, directly or
// indirectly, by b. Then the pair would close a cycle.
func (d *columnChoice) formsCycle(a, b int) bool {
	for ; a != b; a = d.rowsBy[a].partition {
		if d.rowsBy[a] == nil {
			return false
		}
	}
	return true
}

// columnOf returns the column of a feature that is not a partition, and the reason for it. p partitions its values, or is nil.
func (d *columnChoice) columnOf(s *featureStats, p *candidatePair, opts Options) (feature.Feature, string) {
	dtype := s.dtype()
	if dtype == 0 {
		return nil, d.untyped(s)
	}
	if p != nil {
		f := feature.Ragged{DType: dtype}
		if p.block > 1 {
			f.Partitions = append(f.Partitions, feature.UniformRowLength(p.block))
		}
		for ; p != nil; p = d.rowsBy[p.partition] {
			f.Partitions = append(f.Partitions, p.encoding.partition(d.group.stats[p.partition].name))
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
	case s.max > 1 && s.present() < 2: // one unit is no evidence for a fixed number
	case lists && s.kinds[0] == 0:
		return feature.FixedLenSequence{DType: dtype, Shape: shape, AllowMissing: s.lists < d.group.units}, "the same number of values in every step"
	case !lists && s.present() == d.group.units:
		return feature.FixedLen{DType: dtype, Shape: shape}, "always the same number of values"
	}
	why := "not always the same number of values"
	switch {
	case s.max == 0:
		why = "never any values"
	case s.min != s.max:
	case lists && s.kinds[0] > 0, !lists && s.present() < d.group.units:
		why = "sometimes missing"
	case s.max > 1 && s.present() < 2:
		why = "found in one unit only"
	case opts.NoShape:
		why = "always the same number of values, but no shape is wanted"
	case ragged:
		why = "always the same number of values; the options ask for ragged lists"
	}
	if ragged {
		return feature.Ragged{DType: dtype}, why
	}
	return feature.VarLen{DType: dtype}, why
}
