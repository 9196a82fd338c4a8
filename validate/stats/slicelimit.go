package stats

import (
	"cmp"
	"slices"
)

// A Slice of Options that makes more than Options.MaxSlices slices is left out whole: those that were met first say little, and
// no other Slice loses any. So what is left out depends on the records alone, not on their order or on how they are divided.

// A sliceKey is the name of a slice, and the slicers that give it, in ascending order.
type sliceKey struct {
	name    string
	slicers []int
}

// LostSlices returns those of Options.Slices that are left out, as they make more than
// Options.MaxSlices slices.
func (a *Accumulator) LostSlices() (lost []Slice) {
	for i := range a.slicers {
		s := &a.slicers[i]
		if !s.lost {
			continue
		}
		l := Slice{}
		for _, f := range s.features {
			l[f.name] = f.values
		}
		lost = append(lost, l)
	}
	return lost
}

// EmptySlices returns those of Options.Slices that no record was in so far.
func (a *Accumulator) EmptySlices() (none []Slice) {
	for i, s := range a.opts.Slices {
		if a.slicers[i].made == 0 && !a.isLost(i) {
			none = append(none, s)
		}
	}
	return none
}

// OutsideSlices returns how many records are in slices that were left out: exactly, since slices that are
// described have all of their records. A record counts once for each such slice; each reports whether no record
// is in several slices, left out or not.
func (a *Accumulator) OutsideSlices() (records uint64, each bool) {
	if !slices.ContainsFunc(a.slicers, func(s slicer) bool { return s.lost }) {
		return 0, true
	}
	records = a.places
	for _, d := range a.slices {
		records -= d.examples
	}
	return records, a.places == a.inSlices
}

// kept returns the keys of slicers that are not left out.
func (a *Accumulator) kept(keys []sliceKey) []sliceKey {
	out := keys[:0]
	for _, k := range keys {
		if slices.ContainsFunc(k.slicers, a.isLost) {
			k.slicers = slices.DeleteFunc(slices.Clone(k.slicers), a.isLost)
		}
		if len(k.slicers) > 0 {
			out = append(out, k)
		}
	}
	return out
}

func (a *Accumulator) isLost(slicer int) bool { return a.slicers[slicer].lost }

// counts returns how many slices each slicer has together with those of keys.
func (a *Accumulator) counts(keys []sliceKey) []int {
	n := make([]int, len(a.slicers))
	for i := range n {
		n[i] = a.slicers[i].made
	}
	for _, k := range keys {
		for _, i := range k.slicers {
			if d := a.slices[k.name]; d == nil || !slices.Contains(d.slicers, i) {
				n[i]++
			}
		}
	}
	return n
}

// withinMax leaves out the slicers that would have more than Options.MaxSlices with keys, and returns the keys of the
// others.
func (a *Accumulator) withinMax(keys []sliceKey) []sliceKey {
	if !slices.ContainsFunc(keys, a.isNew) {
		return keys
	}
	for i, n := range a.counts(keys) {
		if n > a.opts.MaxSlices && !a.isLost(i) {
			a.leaveOut(i)
		}
	}
	return a.kept(keys)
}

// isNew reports whether a slice is a new one for one of the slicers that give it.
func (a *Accumulator) isNew(k sliceKey) bool {
	d := a.slices[k.name]
	return d == nil || slices.ContainsFunc(k.slicers, func(i int) bool { return !slices.Contains(d.slicers, i) })
}

// leaveOut leaves out the slices of a slicer. A slice that another one gives, too, is kept if
// both have the same features. Otherwise two features have names and values that look the same when joined: the slice has some
// records of this slicer, and the other one is left out with it.
func (a *Accumulator) leaveOut(slicer int) {
	s := &a.slicers[slicer]
	s.lost, s.made = true, 0
	var others []int
	a.names = slices.DeleteFunc(a.names, func(name string) bool {
		d := a.slices[name]
		if !slices.Contains(d.slicers, slicer) {
			return false
		}
		d.slicers = slices.DeleteFunc(slices.Clone(d.slicers), func(i int) bool { return i == slicer })
		alike := func(i int) bool { return a.slicers[i].alike(s) }
		if slices.ContainsFunc(d.slicers, alike) {
			return false
		}
		others = append(others, d.slicers...)
		for _, i := range d.slicers {
			a.slicers[i].made--
		}
		d.columns(func(*column) { a.columns-- })
		delete(a.slices, name)
		return true
	})
	for _, i := range others {
		if !a.isLost(i) {
			a.leaveOut(i)
		}
	}
}

// alike reports whether two slicers have the same features.
func (s *slicer) alike(o *slicer) bool {
	return slices.EqualFunc(s.features, o.features, func(f, g sliceFeature) bool { return f.name == g.name })
}

// leaveOutSlices leaves out the slicers of both that one of them has left out, and those that have too many slices in both
// together. It returns the slices of o that are left.
func (a *Accumulator) leaveOutSlices(o *Accumulator) []sliceKey {
	for {
		for a.leaveOutWith(o) || o.leaveOutWith(a) { // until both have left out the same
		}
		keys := make([]sliceKey, 0, len(o.names))
		for _, name := range o.names {
			keys = append(keys, sliceKey{name, o.slices[name].slicers})
		}
		if keys = a.withinMax(keys); !o.leaveOutWith(a) {
			return keys
		}
	}
}

// leaveOutWith leaves out the slicers that o has left out, and reports whether there were any.
func (a *Accumulator) leaveOutWith(o *Accumulator) (more bool) {
	for i := range o.slicers {
		if o.slicers[i].lost && !a.isLost(i) {
			a.leaveOut(i)
			more = true
		}
	}
	return more
}

// slice returns the dataset of a slice.
func (a *Accumulator) slice(k sliceKey) *dataset {
	d := a.slices[k.name]
	if d == nil {
		d = a.newDataset(k.name)
		a.slices[k.name] = d
		a.name(k.name)
	}
	for _, i := range k.slicers {
		if !slices.Contains(d.slicers, i) {
			d.slicers = append(slices.Clip(d.slicers), i)
			slices.Sort(d.slicers)
			a.slicers[i].made++
		}
	}
	return d
}

// compactKeys sorts keys by their names, and joins those of one name.
func compactKeys(keys []sliceKey) []sliceKey {
	slices.SortStableFunc(keys, func(x, y sliceKey) int { return cmp.Compare(x.name, y.name) })
	out := keys[:0]
	for _, k := range keys {
		if n := len(out); n > 0 && out[n-1].name == k.name {
			out[n-1].slicers = append(slices.Clip(out[n-1].slicers), k.slicers...)
		} else {
			out = append(out, k)
		}
	}
	return out
}
