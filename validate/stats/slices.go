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

// maxSlices is how many slices of one Slice a record may be in.
const maxSlices = 1000

// A slicer finds the slices that a record is in.
type slicer struct {
	features []sliceFeature
	only     []int // the number of the slicer
	made     int   // slices that it has
	lost     bool  // it made more than Options.MaxSlices, and all are left out
}

// A sliceFeature is a feature and the values that make slices.
type sliceFeature struct {
	name   string
	any    bool
	values []string
}

func slicersOf(o *Options) (out []slicer) {
	for i, features := range o.Slices {
		s := slicer{only: []int{i}}
		for _, name := range slices.Sorted(maps.Keys(features)) {
			values := features[name]
			s.features = append(s.features, sliceFeature{name, values == nil, values})
		}
		out = append(out, s)
	}
	return out
}

// sliceKeys returns the slices that the record is in, each once.
func (a *Accumulator) sliceKeys() ([]sliceKey, error) {
	var out []sliceKey
	for i := range a.slicers {
		names, err := a.keysOf(&a.slicers[i])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			out = append(out, sliceKey{name, a.slicers[i].only})
		}
	}
	if len(a.slicers) == 1 {
		return out, nil
	}
	return compactKeys(out), nil
}

// keysOf returns the names of the slices of a slicer that the record is in.
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

// sliceValues returns the different values of a feature that make slices, as
// parts of names.
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
			if f.any || wanted[v] {
				add(strconv.FormatInt(v, 10))
			}
		}
	case example.FloatList:
		for _, v := range a.rec.floats[e.lo:e.hi] {
			if f.any || slices.ContainsFunc(f.values, func(w string) bool {
				x, err := strconv.ParseFloat(w, 64)
				return err == nil && x == float64(v)
			}) {
				add(floatKey(v))
			}
		}
	case example.BytesList:
		for _, v := range a.rec.bytes[e.lo:e.hi] {
			if f.any || slices.Contains(f.values, string(v)) {
				add(view.Step(string(v)))
			}
		}
	}
	return out
}

// floatKey is how a number is called in the name of a slice: the shortest form.
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
		a.names = append(a.names, k.name)
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
