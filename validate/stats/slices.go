package stats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// maxSlices is the maximum number of slices of one Slice that a record may be in.
const maxSlices = 1000

// A slicer finds the slices of one Slice that a record is in. Once it has more than Options.MaxSlices slices, it is dropped with
// all its slices: the slices that appeared first would not be representative. Other slicers keep theirs, except as dropSlicer
// says. So the result depends on the records only, not on their order or on how they are divided.
type slicer struct {
	features   []sliceFeature // sorted by name
	index      []int          // index of the slicer, in the form of sliceKey.slicers
	sliceCount int            // number of slices so far
	dropped    bool           // the slices are left out
}

// A sliceFeature is a feature of a Slice with its allowed values.
type sliceFeature struct {
	name     string
	anyValue bool     // all values are allowed
	values   []string // allowed values, unless anyValue is true
}

// slicersOf returns a slicer for each of Options.Slices.
func slicersOf(o *Options) (out []slicer) {
	for i, features := range o.Slices {
		s := slicer{index: []int{i}}
		for _, name := range slices.Sorted(maps.Keys(features)) {
			values := features[name]
			s.features = append(s.features, sliceFeature{name, values == nil, values})
		}
		out = append(out, s)
	}
	return out
}

// sliceKeys returns the slices of the current record, without duplicates.
func (a *Accumulator) sliceKeys() ([]sliceKey, error) {
	var out []sliceKey
	for i := range a.slicers {
		names, err := a.keysOf(&a.slicers[i])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			out = append(out, sliceKey{name, a.slicers[i].index})
		}
	}
	if len(a.slicers) == 1 {
		return out, nil
	}
	return compactKeys(out), nil
}

// keysOf returns the names of the current record's slices of one slicer.
func (a *Accumulator) keysOf(s *slicer) ([]string, error) {
	var keys []string
	first := true
	for _, f := range s.features {
		values := a.sliceValues(&f)
		if len(values) == 0 {
			return nil, nil
		}
		if max(len(keys), 1)*len(values) > maxSlices {
			return nil, fmt.Errorf("%w: a record is in more than %d slices, with %d values of feature %q", ErrSlices, maxSlices, len(values), f.name)
		}
		name := view.Step(f.name)
		var next []string
		if first {
			keys, first = []string{""}, false
		}
		for _, k := range keys {
			for _, v := range values {
				part := name + "_" + v
				if k != "" {
					part = k + "_" + part
				}
				next = append(next, part)
			}
		}
		keys = next
	}
	return keys, nil
}

// sliceValues returns the distinct allowed values of a feature in the current record, as parts of names.
func (a *Accumulator) sliceValues(f *sliceFeature) []string {
	e := a.neededEntry(rootGroup, f.name)
	if e == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	add := func(v string) {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	switch e.kind {
	case example.Int64List:
		wanted := map[int64]bool{}
		for _, v := range f.values {
			n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			if err == nil {
				wanted[n] = true
			}
		}
		for _, v := range a.rec.ints[e.lo:e.hi] {
			if f.anyValue || wanted[v] {
				add(strconv.FormatInt(v, 10))
			}
		}
	case example.FloatList:
		for _, v := range a.rec.floats[e.lo:e.hi] {
			if f.anyValue || slices.ContainsFunc(f.values, func(w string) bool {
				x, err := strconv.ParseFloat(w, 64)
				return err == nil && x == float64(v)
			}) {
				add(floatKey(v))
			}
		}
	case example.BytesList:
		for _, v := range a.rec.bytes[e.lo:e.hi] {
			if f.anyValue || slices.Contains(f.values, string(v)) {
				add(view.Step(string(v)))
			}
		}
	}
	return out
}

// floatKey formats a float for the name of a slice, in the shortest form.
func floatKey(v float32) string {
	switch x := float64(v); {
	case x != x:
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 32)
	}
	s := strconv.FormatFloat(float64(v), 'f', -1, 32)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// A sliceKey is the name of a slice, and the slicers that produce it.
type sliceKey struct {
	name    string
	slicers []int // indices, ascending
}

// LostSlices returns the elements of Options.Slices that are left out because they have more than Options.MaxSlices slices.
func (a *Accumulator) LostSlices() (lost []Slice) {
	for i := range a.slicers {
		s := &a.slicers[i]
		if !s.dropped {
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

// EmptySlices returns the elements of Options.Slices without any record so far.
func (a *Accumulator) EmptySlices() (none []Slice) {
	for i, s := range a.opts.Slices {
		if a.slicers[i].sliceCount == 0 && !a.isDropped(i) {
			none = append(none, s)
		}
	}
	return none
}

// OutsideSlices returns the number of records in slices that were left out. It is exact, since the remaining slices have all their
// records. A record counts once for each such slice. each reports whether every record is in at most one slice, left out or
// not.
func (a *Accumulator) OutsideSlices() (records uint64, each bool) {
	if !slices.ContainsFunc(a.slicers, func(s slicer) bool { return s.dropped }) {
		return 0, true
	}
	records = a.sliceMemberships
	for _, d := range a.slices {
		records -= d.examples
	}
	return records, a.sliceMemberships == a.slicedRecords
}

// withoutDropped removes dropped slicers from keys, and keys that have no slicer left. It reuses the memory of keys.
func (a *Accumulator) withoutDropped(keys []sliceKey) []sliceKey {
	out := keys[:0]
	for _, k := range keys {
		if slices.ContainsFunc(k.slicers, a.isDropped) {
			k.slicers = slices.DeleteFunc(slices.Clone(k.slicers), a.isDropped)
		}
		if len(k.slicers) > 0 {
			out = append(out, k)
		}
	}
	return out
}

// isDropped reports whether a slicer is dropped.
func (a *Accumulator) isDropped(slicer int) bool { return a.slicers[slicer].dropped }

// sliceCounts returns the number of slices that each slicer would have with the slices of keys.
func (a *Accumulator) sliceCounts(keys []sliceKey) []int {
	n := make([]int, len(a.slicers))
	for i := range n {
		n[i] = a.slicers[i].sliceCount
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

// limitSlices drops the slicers that would exceed Options.MaxSlices with the slices of keys. It returns the keys of the
// other slicers.
func (a *Accumulator) limitSlices(keys []sliceKey) []sliceKey {
	if !slices.ContainsFunc(keys, a.isNew) {
		return keys
	}
	for i, n := range a.sliceCounts(keys) {
		if n > a.opts.MaxSlices && !a.isDropped(i) {
			a.dropSlicer(i)
		}
	}
	return a.withoutDropped(keys)
}

// isNew reports whether a slice is new for one of its slicers.
func (a *Accumulator) isNew(k sliceKey) bool {
	d := a.slices[k.name]
	return d == nil || slices.ContainsFunc(k.slicers, func(i int) bool { return !slices.Contains(d.slicers, i) })
}

// dropSlicer drops a slicer and its slices. A slice is kept if another slicer with the same features produces it too. If a slicer
// with other features produces a slice of the same name, then different names and values are equal when joined, and the slice
// mixes records of both slicers: the other slicer is dropped too.
func (a *Accumulator) dropSlicer(slicer int) {
	s := &a.slicers[slicer]
	s.dropped, s.sliceCount = true, 0
	var others []int
	a.sliceNames = slices.DeleteFunc(a.sliceNames, func(name string) bool {
		d := a.slices[name]
		if !slices.Contains(d.slicers, slicer) {
			return false
		}
		d.slicers = slices.DeleteFunc(slices.Clone(d.slicers), func(i int) bool { return i == slicer })
		alike := func(i int) bool { return a.slicers[i].sameFeatures(s) }
		if slices.ContainsFunc(d.slicers, alike) {
			return false
		}
		others = append(others, d.slicers...)
		for _, i := range d.slicers {
			a.slicers[i].sliceCount--
		}
		d.eachColumn(func(*column) { a.columnCount-- })
		delete(a.slices, name)
		return true
	})
	for _, i := range others {
		if !a.isDropped(i) {
			a.dropSlicer(i)
		}
	}
}

// sameFeatures reports whether two slicers have the same features.
func (s *slicer) sameFeatures(o *slicer) bool {
	return slices.EqualFunc(s.features, o.features, func(f, g sliceFeature) bool { return f.name == g.name })
}

// mergeSlicers drops the slicers that a or o has dropped, and the slicers that exceed the limit in both together. It returns the
// remaining slices of o.
func (a *Accumulator) mergeSlicers(o *Accumulator) []sliceKey {
	for {
		for a.adoptDropped(o) || o.adoptDropped(a) { // until both have dropped the same slicers
		}
		keys := make([]sliceKey, 0, len(o.sliceNames))
		for _, name := range o.sliceNames {
			keys = append(keys, sliceKey{name, o.slices[name].slicers})
		}
		if keys = a.limitSlices(keys); !o.adoptDropped(a) {
			return keys
		}
	}
}

// adoptDropped drops the slicers that o has dropped, and reports whether it dropped any.
func (a *Accumulator) adoptDropped(o *Accumulator) (more bool) {
	for i := range o.slicers {
		if o.slicers[i].dropped && !a.isDropped(i) {
			a.dropSlicer(i)
			more = true
		}
	}
	return more
}

// sliceDataset returns the dataset of a slice. It adds the slice if it is new for one of its slicers.
func (a *Accumulator) sliceDataset(k sliceKey) *dataset {
	d := a.slices[k.name]
	if d == nil {
		d = a.newDataset(k.name)
		a.slices[k.name] = d
		a.sliceNames = append(a.sliceNames, k.name)
	}
	for _, i := range k.slicers {
		if !slices.Contains(d.slicers, i) {
			d.slicers = append(slices.Clip(d.slicers), i)
			slices.Sort(d.slicers)
			a.slicers[i].sliceCount++
		}
	}
	return d
}

// compactKeys sorts keys by name, and joins keys with the same name.
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
