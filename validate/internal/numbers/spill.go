package numbers

import "github.com/tfparse/tfparse/validate/internal/sketch"

// After Compact numbers go from the store to a sketch, one block at a time.

// spill moves numbers from the store to the sketch.
func (n *Numbers) spill() {
	if n.lossy == nil {
		return
	}
	var pages []sketch.Run
	for _, c := range n.store.counted() {
		pages = append(pages, sketch.Run{Key: c.key, Count: c.count})
	}
	n.lossy.AddRuns(pages)
	for i := range n.store.blocks {
		n.learn(n.lossy, &n.store.blocks[i])
	}
	n.store = store{float: n.float}
}

// learn adds the numbers of a block to a sketch, but for infinities, which are counted anyway.
func (n *Numbers) learn(to *sketch.Ranks, b *block) {
	var memory [chunkSize]uint64
	keys := b.keys(&memory)
	sketch.SortKeys(keys)
	if n.float {
		for len(keys) > 0 && keys[0] == keyNegative {
			keys = keys[1:]
		}
		for len(keys) > 0 && keys[len(keys)-1] == keyPositive {
			keys = keys[:len(keys)-1]
		}
	}
	to.AddSorted(keys)
}

// near is a Summary of what the sketch knows, and of the chunk that was sealed apart from it.
func (n *Numbers) near() sketch.Summary {
	rest := sketch.NewRanks(chunkSize)
	for i := range n.store.blocks {
		n.learn(rest, &n.store.blocks[i])
	}
	runs := sketch.MergeRuns(n.lossy.Runs(), rest.Runs())
	if n.Negative > 0 {
		runs = sketch.MergeRuns([]sketch.Run{{Key: keyNegative, Count: n.Negative}}, runs)
	}
	if n.Positive > 0 {
		runs = append(runs, sketch.Run{Key: keyPositive, Count: n.Positive})
	}
	all := make([]counted, len(runs))
	for i, r := range runs {
		all[i] = counted{r.Key, r.Count}
	}
	return n.store.entries(all)
}
