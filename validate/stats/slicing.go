package stats

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	config bool // the values are from a SlicingConfig
}

func slicersOf(o *Options) (out []slicer) {
	add := func(features map[string][]string, config bool) {
		var s slicer
		for _, name := range slices.Sorted(maps.Keys(features)) {
			values := features[name]
			s.features = append(s.features, sliceFeature{name, values == nil, values, config})
		}
		s.only = []int{len(out)}
		out = append(out, s)
	}
	for _, s := range o.Slices {
		add(s, false)
	}
	for _, spec := range o.SlicingConfig.GetSlicingSpecs() {
		features := map[string][]string{}
		for _, k := range spec.GetFeatureKeys() {
			features[k] = nil
		}
		for _, v := range spec.GetFeatureValues() {
			features[v.GetKey()] = append(features[v.GetKey()], v.GetValue())
		}
		add(features, true) // one without features adds no slice, but the overall one gets its name
	}
	return out
}

// sliceKeys returns the slices that the record is in, each once.
func (a *Accumulator) sliceKeys() ([]sliceKey, error) {
	var out []sliceKey
	for i := range a.slicers {
		names, err := a.keysOf(&a.slicers[i], nil)
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

// keysOf returns the names of the slices of a slicer that the record is in. With TFDV in says how its
// batch has the features.
func (a *Accumulator) keysOf(s *slicer, in map[string]presence) ([]string, error) {
	var keys []string
	first := true
	for _, f := range s.features {
		if in[f.name] == absent || a.opts.TFDV && !a.table.lists(rootGroup, f.name) {
			continue
		}
		values, err := a.sliceValues(&f)
		if in[f.name] == untyped && f.any {
			values = []string{"None"}
		}
		if err != nil || len(values) == 0 {
			return nil, err
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
func (a *Accumulator) sliceValues(f *sliceFeature) ([]string, error) {
	e := a.root(f.name)
	if e == nil {
		return nil, nil
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
			} else if a.opts.TFDV {
				return nil, fmt.Errorf("%w: slice value %q of feature %q, which has integers", ErrOptions, v, f.name)
			}
		}
		for _, v := range a.rec.ints[e.lo:e.hi] {
			if f.any || wanted[v] {
				add(strconv.FormatInt(v, 10))
			}
		}
	case example.FloatList:
		zero := false
		for _, v := range a.rec.floats[e.lo:e.hi] {
			if f.any || slices.ContainsFunc(f.values, func(w string) bool {
				x, err := strconv.ParseFloat(w, 64)
				return err == nil && x == float64(v)
			}) {
				if a.opts.TFDV && v == 0 { // of both signs: the first one
					if zero {
						continue
					}
					zero = true
				}
				add(floatKey(v, a.opts.TFDV))
			}
		}
	case example.BytesList:
		for _, v := range a.rec.bytes[e.lo:e.hi] {
			if !f.any && (a.opts.TFDV && f.config || !slices.Contains(f.values, string(v))) {
				continue
			}
			if !utf8.Valid(v) && a.opts.TFDV {
				return nil, fmt.Errorf("%w: a value of feature %q, which makes slices, is not UTF-8", ErrRecord, f.name)
			}
			add(view.Step(string(v)))
		}
	}
	return out, nil
}

// floatKey is how a number is called in the name of a slice: the shortest form, for
// TensorFlow Data Validation of the number in double precision.
func floatKey(v float32, tfdv bool) string {
	bits := 32
	if tfdv {
		bits = 64
	}
	switch x := float64(v); {
	case x != x:
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, bits)
	}
	s := strconv.FormatFloat(float64(v), 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
