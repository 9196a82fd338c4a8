package numbers

import (
	"slices"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// Distinct returns the different numbers but NaN, in order, of Numbers that Sealed returned. It returns nil if there are
// more than `most`, or if a sketch has lost some. Integers that are the same float64 are one number.
func (n *Numbers) Distinct(most int) []float64 {
	if n.RankError() > 0 {
		return nil
	}
	d := distinct{most: most}
	if n.lossy != nil {
		d.addRuns(n.lossy.Runs())
	}
	d.addRuns(n.store.few)
	memory := scratches.Get().(*scratch)
	defer scratches.Put(memory)
	for i := 0; i < len(n.store.chunks) && d.fits(); i++ {
		for _, k := range n.store.chunks[i].keys(memory) {
			if d.add(k); !d.fits() {
				break
			}
		}
	}
	if n.Negative > 0 { // which a sketch does not have
		d.add(keyNegative)
	}
	if n.Positive > 0 {
		d.add(keyPositive)
	}
	if !d.fits() {
		return nil
	}
	var values []float64
	for _, k := range d.keys {
		values = append(values, n.store.value(k))
	}
	return slices.Compact(values)
}

// A distinct collects keys until there are more than most.
type distinct struct {
	keys []uint64 // in order
	most int
	last int // where the last key is
}

func (d *distinct) fits() bool { return len(d.keys) <= d.most }

func (d *distinct) add(key uint64) {
	if d.last < len(d.keys) && d.keys[d.last] == key || !d.fits() {
		return
	}
	i, found := slices.BinarySearch(d.keys, key)
	if d.last = i; !found {
		d.keys = slices.Insert(d.keys, i, key)
	}
}

func (d *distinct) addRuns(runs []sketch.Run) {
	for _, r := range runs {
		d.add(r.Key)
	}
}
