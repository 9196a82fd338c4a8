package stats

import (
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
