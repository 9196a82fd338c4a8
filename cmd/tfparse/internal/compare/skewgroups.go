package compare

// keyGroups is given refs in order, and pairs those of BASE and of TEST that have the same key. The memory it takes
// does not grow with the records of one key.
type keyGroups struct {
	duplicates bool // compare keys that occur more than once
	pairs      *keyPairs

	with       [2]int64 // records with a key
	keys       int64
	missing    [2]int64 // keys that the side lacks
	matching   int64    // pairs, those of duplicate keys too
	repeated   int64    // keys that occur more than once on a side
	skipped    int64    // pairs that are not compared, as their key is repeated
	uncompared int64    // pairs that are not compared, as too many records have their key

	key   [2]uint64
	begun bool
	of    [2]tally
}

// add adds the next ref.
func (g *keyGroups) add(r ref) {
	if g.begun && r.key != g.key {
		g.end()
	}
	g.begun, g.key = true, r.key
	g.of[r.side].add(r)
}

// finish ends the last key.
func (g *keyGroups) finish() {
	if g.begun {
		g.end()
	}
}

func (g *keyGroups) end() {
	g.keys++
	pairs := g.of[0].n * g.of[1].n
	g.matching += pairs
	for side := range g.of {
		g.with[side] += g.of[side].n
		if g.of[side].n == 0 {
			g.missing[side]++
		}
	}
	repeated := g.of[0].n > 1 || g.of[1].n > 1
	if repeated {
		g.repeated++
	}
	if repeated && !g.duplicates {
		g.skipped += pairs
	} else {
		g.of[0].cut()
		g.of[1].cut()
		for _, a := range g.of[0].first {
			for _, b := range g.of[1].first {
				if a.content == b.content {
					g.pairs.addSame(a)
				} else {
					g.pairs.add(a, b)
				}
			}
		}
		g.uncompared += pairs - int64(len(g.of[0].first))*int64(len(g.of[1].first))
	}
	g.of[0].reset()
	g.of[1].reset()
}
